import assert from "node:assert/strict";
import { test } from "node:test";
import { CompiledSchedules } from "./compiled-schedules.ts";

test("a schedule is compiled once for each content, whichever of its parts differs", () => {
  const compiled = new CompiledSchedules();
  const mondays = {
    start: "2026-11-16T07:00",
    rrule: "FREQ=WEEKLY",
    exdates: [],
    rdates: [],
    timezone: "America/Sao_Paulo",
  };
  assert.equal(compiled.of({ ...mondays }), compiled.of({ ...mondays }));
  const others = [
    { ...mondays, start: "2026-11-16T07:30" },
    { ...mondays, rrule: "FREQ=WEEKLY;COUNT=3" },
    { ...mondays, exdates: ["2026-11-23T07:00"] },
    { ...mondays, rdates: ["2026-11-23T07:00"] },
    { ...mondays, timezone: "America/Manaus" },
  ];
  assert.equal(new Set([mondays, ...others].map((row) => compiled.of(row))).size, 6);
});

test("of more schedules than fit, the one that was used longest ago is compiled again, and no other", () => {
  const compiled = new CompiledSchedules(3);
  const of = (hour: number) =>
    compiled.of({ start: `2026-11-16T0${hour}:00`, exdates: [], rdates: [], timezone: "UTC" });
  const [first, second, third] = [of(1), of(2), of(3)];
  assert.equal(of(1), first);
  const fourth = of(4);
  assert.ok(of(1) === first && of(3) === third && of(4) === fourth);
  assert.notEqual(of(2), second);
});
