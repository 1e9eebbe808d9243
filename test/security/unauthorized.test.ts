import assert from "node:assert/strict";
import { test } from "node:test";
import { openTarget } from "../support/target.ts";
import { measureUnauthorized, sameness } from "./unauthorized.ts";

test("seven kinds of wrong credentials differ neither in the answer nor in its time", async (t) => {
  const target = await openTarget(t);
  const attempts: string[] = [];
  let suspects: string[] | undefined;
  for (let attempt = 0; attempt < 3; attempt++) {
    const { figures, different } = await measureUnauthorized(target, 400, 4);
    assert.deepEqual(different, []);
    // Seven comparisons at once: each by a seventh of the 0.01.
    const recognizable = figures.filter(({ medianShift, p }) => medianShift > 0.05 || p < 0.01 / 7);
    // Of a few hundred samples on a busy machine some differ by chance; what leaks, leaks each time.
    const forms = recognizable.map(({ form }) => form);
    suspects = suspects?.filter((form) => forms.includes(form)) ?? forms;
    if (suspects.length === 0) return;
    attempts.push(JSON.stringify(recognizable));
  }
  assert.fail(attempts.join("\n"));
});

test("the comparison of distributions finds a difference where there is one, and none where there is none", () => {
  const sample = (shift: number) =>
    Array.from({ length: 2_000 }, (_, i) => ((i * 7919) % 2_000) / 2_000 + shift);
  assert.ok(sameness(sample(0), sample(0.01)) > 0.5);
  assert.ok(sameness(sample(0), sample(0.1)) < 0.0001);
});
