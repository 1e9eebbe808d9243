import assert from "node:assert/strict";
import { test } from "node:test";
import { LongAnswers } from "./long-answers.ts";

test("what one organization's slow callers hold has a bound, and others are still answered", async () => {
  const answers = new LongAnswers(100);
  const ends: (() => void)[] = [];
  const begin = (organizationId: string, characters: number) =>
    answers.send(organizationId, "x".repeat(characters), () => new Promise((resolve) => ends.push(resolve)));
  const isRefused = (sending: Promise<void>) =>
    assert.rejects(sending, (error: Error & { reason?: string }) => error.constructor.name === "AppError");
  const first = begin("a", 60);
  await isRefused(begin("a", 20));
  const second = begin("b", 20);
  await isRefused(begin("a", 10));
  assert.equal(ends.length, 2);
  ends[0]?.();
  await first;
  const third = begin("a", 60);
  assert.equal(ends.length, 3);
  // Whoever holds nothing may have any answer, as long as something is free.
  const fourth = begin("c", 1_000);
  await isRefused(begin("d", 1));
  for (const end of ends) end();
  await Promise.all([second, third, fourth]);
  const failing = answers.send("a", "x", () => Promise.reject(new Error("left")));
  await assert.rejects(failing, /left/);
  const last = begin("a", 100);
  ends.at(-1)?.();
  await last;
});
