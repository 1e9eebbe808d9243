import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../../test/fuzz/calendar.ts";
import { MS_PER_DAY } from "../../core/dates.ts";
import { unboundedEffort } from "../../core/effort.ts";
import { lastSlotWall, openSlots } from "./expand.ts";
import { parseRule, type Rule } from "./rule.ts";
import { compilePattern, RuleWalk } from "./rule-walk.ts";
import { compileTexts, planSchedule } from "./schedule.ts";
import { zoneOfLocation } from "./zones.ts";

const ZONE = zoneOfLocation("America/Sao_Paulo");
const START = "2026-01-05T07:00";
const positions = Array.from({ length: 230 }, (_, place) => `${place + 1},-${place + 1}`).join();
/** Rules whose COUNT lies thousands of years ahead, or beyond the end of time. */
const FAR_COUNTS = [
  `FREQ=DAILY;COUNT=999999999;BYHOUR=7;BYSETPOS=${positions}`,
  "FREQ=DAILY;COUNT=999999999;BYDAY=MO",
  "FREQ=DAILY;COUNT=999999999;BYMONTHDAY=5;BYMONTH=1",
  "FREQ=WEEKLY;COUNT=999999999;BYDAY=MO,TU;BYMONTH=1",
  "FREQ=YEARLY;COUNT=999999999;BYDAY=MO,TU,WE,TH,FR,SA,SU",
  "FREQ=DAILY;COUNT=999999;BYHOUR=7,8;BYDAY=MO,TU,WE,TH",
];

function ruleOf(text: string): Rule {
  const rule = parseRule(text, "rrule", []);
  if (!rule) throw new Error(text);
  return rule;
}

/** By the processor's time: whatever else the machine does. Counting to the end of time took seconds. */
function inFewMs<Result>(work: () => Result): Result {
  const begun = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(begun);
  assert.ok((user + system) / 1000 < 150, `took ${(user + system) / 1000} ms`);
  return result;
}

for (const rrule of FAR_COUNTS) {
  test(`a COUNT that is too far to be counted is refused at once: ${rrule.slice(0, 60)}`, () => {
    const { faults } = inFewMs(() => planSchedule({ start: START, rrule }, ZONE));
    assert.deepEqual(faults, [{ location: "rrule", code: "rule_count_too_far" }]);
  });

  test(`a stored one of before there was a bound is read as one without end: ${rrule.slice(0, 60)}`, () => {
    const year = () => {
      const compiled = compileTexts({ start: START, rrule }, ZONE.name);
      return openSlots(compiled, Date.UTC(2030, 0, 1), Date.UTC(2031, 0, 10)).next();
    };
    assert.ok(inFewMs(year));
  });
}

test("a COUNT of a century of days, and any COUNT of an even rule, is taken", () => {
  for (const rrule of ["FREQ=DAILY;COUNT=36500;BYDAY=MO,TU,WE,TH,FR,SA,SU", "FREQ=DAILY;COUNT=999999999"])
    assert.deepEqual(planSchedule({ start: START, rrule }, ZONE).faults, []);
});

test("wall clocks are counted by the period as they are one by one", () => {
  const random = new Random(7);
  const rules = [
    "FREQ=DAILY",
    "FREQ=DAILY;INTERVAL=3",
    "FREQ=DAILY;BYDAY=MO,WE;BYHOUR=7,9,20",
    "FREQ=WEEKLY;BYDAY=MO,TU;BYMONTH=1,2,7;BYHOUR=7,8",
    "FREQ=MONTHLY;BYDAY=MO;BYSETPOS=1,-1;BYHOUR=7,8",
    "FREQ=YEARLY;BYMONTH=1,3;BYDAY=MO",
  ];
  const startMs = Date.UTC(2026, 0, 5, 7);
  for (const text of rules) {
    for (let round = 0; round < 50; round++) {
      const toMs = startMs + random.from(-2 * 1440, 900 * 1440) * 60_000;
      const fromMs = startMs + random.from(-3, 400) * MS_PER_DAY;
      const pattern = compilePattern(startMs, ruleOf(text));
      const walk = new RuleWalk(pattern, fromMs, toMs);
      let count = 0;
      while (walk.next() < Number.POSITIVE_INFINITY) count++;
      assert.equal(new RuleWalk(pattern, fromMs, toMs).count(), count, `${text} ${fromMs} ${toMs}`);
      const skipped = new RuleWalk(pattern, startMs, toMs).skip(Math.max(count - 1, 0), unboundedEffort());
      assert.ok(skipped !== undefined);
    }
  }
});

test("the last slot of a COUNT is found however the rule counts", () => {
  const rule = ruleOf("FREQ=WEEKLY;COUNT=5;BYDAY=MO,TU;BYHOUR=7");
  assert.equal(lastSlotWall(Date.UTC(2026, 0, 5, 7), rule), Date.UTC(2026, 0, 19, 7));
});
