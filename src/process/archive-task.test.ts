import assert from "node:assert/strict";
import { test } from "node:test";
import { isCopyDue, nextNight } from "./archive-task.ts";

test("a base copy is due at three in the morning after the last one, by the machine's own time", () => {
  const at = (day: number, hour: number, minute = 0) => new Date(2026, 5, day, hour, minute);
  for (const [after, due] of [
    [at(10, 2, 59), at(10, 3)],
    [at(10, 3), at(11, 3)],
    [at(10, 3, 1), at(11, 3)],
    [at(10, 23), at(11, 3)],
    [at(30, 12), new Date(2026, 6, 1, 3)],
  ] as const)
    assert.equal(nextNight(after).getTime(), due.getTime());
});

test("a base copy is due in the night after the last one, and at once if that was made by a clock that was ahead", () => {
  const at = (day: number, hour: number) => new Date(2026, 5, day, hour);
  for (const [made, now, isDue] of [
    [at(10, 12), at(10, 23), false],
    [at(10, 12), at(11, 3), true],
    [at(10, 12), at(10, 12), false],
    [new Date(2027, 5, 10), at(10, 12), true],
  ] as const)
    assert.equal(isCopyDue(made, now), isDue);
});
