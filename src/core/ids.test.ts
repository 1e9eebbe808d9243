import assert from "node:assert/strict";
import { test } from "node:test";
import { newId } from "./ids.ts";

test("ids are UUIDs of version 7 that bear the time they were made at", () => {
  const now = Date.parse("2026-11-15T09:30:00.123Z");
  const id = newId(now);
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  const time = Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16);
  assert.equal(time, now);
});

test("a hundred thousand ids made in one go differ and are in the order in which they were made", () => {
  const now = Date.parse("2026-11-15T09:31:00Z");
  const ids = Array.from({ length: 100_000 }, () => newId(now));
  for (let n = 1; n < ids.length; n++) assert.ok((ids[n] as string) > (ids[n - 1] as string));
});
