import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { daysAfter, MS_PER_DAY } from "../../core/dates.ts";
import { dateIn, dayStart, findZone, listZoneNames, type Zone } from "../recurrence/zones.ts";
import {
  advanceByOtherClocks,
  advanceTimeline,
  nextChangeAt,
  type Pause,
  type StatusTimeline,
  statusKept,
  statusOn,
} from "./status-timeline.ts";

function zoneOf(name: string): Zone {
  const zone = findZone(name);
  assert.ok(zone, name);
  return zone;
}

const SAO_PAULO = zoneOf("America/Sao_Paulo");

function pause(firstDay: string, lastDay?: string, extendsTerm = true): Pause {
  return { id: `${firstDay}-${lastDay}`, firstDay, lastDay, extendsTerm };
}

function timeline(given: Partial<StatusTimeline> = {}): StatusTimeline {
  return { status: "active", pauses: [], ...given };
}

test("the status on a day is the first that holds: over, an open pause that extends, the end, a pause, active", () => {
  const open = pause("2026-12-20");
  const openWithin = pause("2026-12-20", undefined, false);
  const closed = pause("2026-07-01", "2026-07-31");
  const endDate = "2026-12-31";
  const cancelledAt = "2026-11-16T12:00:00.000Z";
  const cases: readonly [Partial<StatusTimeline>, string, string][] = [
    [{}, "2026-11-16", "active"],
    [{ endDate }, "2026-12-31", "active"],
    [{ endDate }, "2027-01-01", "expired"],
    [{ endDate, cancelledAt }, "2026-12-31", "active"],
    [{ endDate, cancelledAt }, "2027-01-01", "cancelled"],
    [{ status: "cancelled", endDate }, "2026-11-16", "cancelled"],
    [{ status: "expired", endDate }, "2026-11-16", "expired"],
    [{ status: "expired", pauses: [open] }, "2026-12-25", "expired"],
    [{ pauses: [closed] }, "2026-06-30", "active"],
    [{ pauses: [closed] }, "2026-07-01", "paused"],
    [{ pauses: [closed] }, "2026-07-31", "paused"],
    [{ pauses: [closed] }, "2026-08-01", "active"],
    [{ status: "paused", pauses: [closed] }, "2026-08-01", "active"],
    [{ endDate, pauses: [open] }, "2026-12-19", "active"],
    [{ endDate, pauses: [open] }, "2026-12-20", "paused"],
    [{ endDate, pauses: [open] }, "2027-01-05", "paused"],
    [{ endDate, pauses: [openWithin] }, "2026-12-31", "paused"],
    [{ endDate, pauses: [openWithin] }, "2027-01-01", "expired"],
    // The end comes before a closed pause that lies beyond it.
    [{ endDate: "2026-06-30", pauses: [closed] }, "2026-07-15", "expired"],
  ];
  for (const [given, day, status] of cases)
    assert.equal(statusOn(timeline(given), day), status, `${JSON.stringify(given)} on ${day}`);
});

test("what was imported as paused stays so whoever writes to it, until its term is over", () => {
  const imported = timeline({ status: "paused", endDate: "2026-12-31" });
  assert.equal(statusKept(imported, "2026-12-31"), "paused");
  assert.equal(statusKept(imported, "2027-01-01"), "expired");
  assert.equal(
    statusKept({ ...imported, pauses: [pause("2026-07-01", "2026-07-31")] }, "2026-12-31"),
    "active",
  );
});

test("a contract ends with its last day by the organization's clocks, also where midnight is missing or comes twice", () => {
  const cases: readonly [string, string, string][] = [
    ["America/Sao_Paulo", "2026-11-30", "2026-12-01T03:00:00.000Z"],
    ["Europe/London", "2026-10-24", "2026-10-24T23:00:00.000Z"],
    ["Europe/London", "2026-10-25", "2026-10-26T00:00:00.000Z"],
    // Clocks go from 23:59:59 on 09-05 to 01:00 on 09-06.
    ["America/Santiago", "2026-09-05", "2026-09-06T04:00:00.000Z"],
    ["Pacific/Kiritimati", "2026-11-30", "2026-11-30T10:00:00.000Z"],
    ["Pacific/Pago_Pago", "2026-11-30", "2026-12-01T11:00:00.000Z"],
  ];
  for (const [timezone, endDate, instant] of cases) {
    const zone = zoneOf(timezone);
    const at = Date.parse(instant);
    const before = advanceTimeline(timeline({ endDate }), zone, 0, at - 1);
    assert.deepEqual(before, { status: "active", changedAt: undefined, nextChangeAt: at }, timezone);
    for (const later of [0, 1, 7 * MS_PER_DAY])
      assert.deepEqual(
        advanceTimeline(timeline({ endDate }), zone, 0, at + later),
        { status: "expired", changedAt: at, nextChangeAt: undefined },
        timezone,
      );
  }
});

test("the next change is the earliest day to come: of a pause, the day after it, or the day after the term", () => {
  const pauses = [pause("2026-12-01", "2026-12-05"), pause("2026-12-20", "2026-12-22")];
  const given = timeline({ endDate: "2026-12-31", pauses });
  const days = ["2026-12-01", "2026-12-06", "2026-12-20", "2026-12-23", "2027-01-01"];
  let now = Date.parse("2026-11-16T12:00:00Z");
  for (const day of days) {
    const next = nextChangeAt(given, SAO_PAULO, now);
    assert.equal(next, dayStart(SAO_PAULO, day));
    now = next ?? Number.NaN;
  }
  assert.equal(nextChangeAt(given, SAO_PAULO, now), undefined);
  assert.equal(nextChangeAt({ ...given, status: "cancelled" }, SAO_PAULO, 0), undefined);
  assert.equal(nextChangeAt(timeline(), SAO_PAULO, 0), undefined);
  assert.equal(nextChangeAt(timeline({ endDate: "9999-12-31" }), SAO_PAULO, 0), undefined);
});

test("while an open pause that extends the term runs, the end of the term is no change to come", () => {
  const given = timeline({ endDate: "2026-12-31", pauses: [pause("2026-12-20")] });
  const before = Date.parse("2026-12-19T12:00:00Z");
  assert.equal(nextChangeAt(given, SAO_PAULO, before), dayStart(SAO_PAULO, "2026-12-20"));
  assert.equal(nextChangeAt(given, SAO_PAULO, before + MS_PER_DAY), undefined);
  const advanced = advanceTimeline(given, SAO_PAULO, before, Date.parse("2027-01-05T12:00:00Z"));
  assert.deepEqual(advanced, {
    status: "paused",
    changedAt: dayStart(SAO_PAULO, "2026-12-20"),
    nextChangeAt: undefined,
  });
});

test("a change that had passed when the contract was stated is never carried out", () => {
  const stated = Date.parse("2026-11-16T12:00:00Z");
  const overdue = timeline({ endDate: "2026-01-31" });
  assert.deepEqual(advanceTimeline(overdue, SAO_PAULO, stated, stated + 30 * MS_PER_DAY), {
    status: "active",
    changedAt: undefined,
    nextChangeAt: undefined,
  });
});

test("pauses that follow each other without a day between are one change, not three", () => {
  const pauses = [pause("2026-12-01", "2026-12-05"), pause("2026-12-06", "2026-12-10")];
  const advanced = advanceTimeline(timeline({ pauses }), SAO_PAULO, 0, dayStart(SAO_PAULO, "2026-12-08"));
  assert.equal(advanced.changedAt, dayStart(SAO_PAULO, "2026-12-01"));
});

const day = fc.integer({ min: 0, max: 120 }).map((number) => daysAfter("2026-09-01", number));
const pauses = fc.uniqueArray(day, { maxLength: 6 }).map((days) => {
  const sorted = days.toSorted();
  return sorted.flatMap((firstDay, index) =>
    index % 2 === 0 ? [pause(firstDay, sorted[index + 1], index % 4 === 0)] : [],
  );
});
const anyTimeline = fc.record(
  {
    status: fc.constantFrom("active" as const, "paused" as const),
    endDate: day,
    cancelledAt: fc.constant("2026-09-01T00:00:00.000Z"),
    pauses,
  },
  { requiredKeys: ["status", "pauses"] },
);
const anyZone = fc.constantFrom(...listZoneNames()).map(zoneOf);
const START = Date.parse("2026-08-25T00:00:00Z");
const instant = fc.integer({ min: 0, max: 140 * 24 * 3_600_000 }).map((ms) => START + ms);

test("advancing comes to the same end however often it is asked on the way", () => {
  fc.assert(
    fc.property(
      anyTimeline,
      anyZone,
      fc.array(instant, { maxLength: 8 }),
      instant,
      (given, zone, asked, last) => {
        const atOnce = advanceTimeline(given, zone, START, last);
        let status: StatusTimeline["status"] = given.status;
        let changedAt: number | undefined;
        let next = nextChangeAt(given, zone, START - 1);
        for (const now of [...asked.filter((time) => time < last).sort(), last]) {
          if (next === undefined || next > now) continue;
          const advanced = advanceTimeline({ ...given, status }, zone, next, now);
          status = advanced.status;
          changedAt = advanced.changedAt ?? changedAt;
          next = advanced.nextChangeAt;
        }
        assert.deepEqual({ status, changedAt, nextChangeAt: next }, { ...atOnce });
      },
    ),
  );
});

test("an advanced contract has the status of today, as if every day had been looked at", () => {
  fc.assert(
    fc.property(anyTimeline, anyZone, instant, (given, zone, now) => {
      const today = dateIn(zone.name, now);
      const first = dateIn(zone.name, START);
      const stated = { ...given, status: statusOn(given, first) };
      let { status } = stated;
      for (let date = first; date <= today; date = daysAfter(date, 1))
        status = statusOn({ ...given, status }, date);
      assert.equal(advanceTimeline(stated, zone, START, now).status, status);
    }),
  );
});

test("by other clocks, what has begun by now changes now, and what had passed by the old ones is let be", () => {
  const endDate = "2026-11-30";
  const [east, west] = [zoneOf("Asia/Tokyo"), zoneOf("America/Los_Angeles")];
  const expectedAt = dayStart(west, "2026-12-01");
  // In Los Angeles it is still the last day, in Tokyo the day after.
  const now = Date.parse("2026-11-30T20:00:00Z");
  assert.deepEqual(advanceByOtherClocks(timeline({ endDate }), east, expectedAt, now), {
    status: "expired",
    changedAt: now,
    nextChangeAt: undefined,
  });
  const early = Date.parse("2026-11-30T10:00:00Z");
  assert.deepEqual(advanceByOtherClocks(timeline({ endDate }), east, expectedAt, early), {
    status: "active",
    changedAt: undefined,
    nextChangeAt: dayStart(east, "2026-12-01"),
  });
  // Overdue when it was imported: there is no change to come, by whatever clock.
  assert.equal(advanceByOtherClocks(timeline({ endDate }), east, undefined, now).status, "active");
});
