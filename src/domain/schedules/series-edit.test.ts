import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatWallClock, MS_PER_DAY } from "../../core/dates.ts";
import { AppError } from "../../core/errors.ts";
import { listSlots } from "../recurrence/expand.ts";
import { planSchedule } from "../recurrence/schedule.ts";
import { cutAfter, endSeries, openSeries, type SessionSeries, wallOf } from "../recurrence/series.ts";
import { findZone, wallToInstant, type Zone } from "../recurrence/zones.ts";
import type { SeriesSession } from "./carried-sessions.ts";
import type { SeriesChanges } from "./series-draft.ts";
import { chooseFrom, editSeries, type SeriesPlan } from "./series-edit.ts";

const SAO_PAULO = "America/Sao_Paulo";
const NEW_YORK = "America/New_York";
const MONDAY = "2026-11-16T12:00:00Z";

function zone(name: string): Zone {
  const found = findZone(name);
  assert.ok(found);
  return found;
}

/** Locations are named by their zones here. */
function series(given: Partial<SessionSeries> & { start: string }, timezone = SAO_PAULO): SessionSeries {
  return {
    serviceTypeId: "pilates",
    locationId: timezone,
    resourceIds: ["anna"],
    durationMinutes: 50,
    exdates: [],
    rdates: [],
    capacity: 10,
    ...given,
  };
}

function session(
  of: SessionSeries,
  originalStart: string,
  given: Partial<SeriesSession> = {},
): SeriesSession {
  const { serviceTypeId, locationId, resourceIds, durationMinutes, capacity } = of;
  const start = given.start ?? originalStart;
  return {
    id: originalStart,
    originalStart,
    serviceTypeId,
    locationId,
    resourceIds,
    start,
    startAt: wallToInstant(zone(given.locationId ?? locationId), wallOf(start)),
    durationMinutes,
    capacity,
    bookedCount: 1,
    status: "scheduled",
    ...given,
  };
}

interface Asked {
  readonly from?: string;
  readonly changes: SeriesChanges;
  readonly booked?: "keep" | "cancel";
  readonly now?: string;
  readonly sessions?: readonly SeriesSession[];
}

function edit(before: SessionSeries, { from, changes, booked, now = MONDAY, sessions = [] }: Asked) {
  const open = openSeries(before, zone(before.locationId));
  const nowMs = Date.parse(now);
  return editSeries(open, sessions, {
    from: chooseFrom(open, from, nowMs),
    changes,
    booked,
    now: nowMs,
    zoneOf: zone,
  });
}

/** An edit that is possible. */
function planned(before: SessionSeries, asked: Asked): SeriesPlan {
  const plan = edit(before, asked);
  assert.ok(plan && !("faults" in plan), JSON.stringify(plan));
  return plan;
}

function faultsOf(before: SessionSeries, asked: Asked): string[] {
  const plan = edit(before, asked);
  assert.ok(plan && "faults" in plan);
  return plan.faults.map(({ location, code }) => `${location} ${code}`);
}

function refused(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof AppError, String(error));
    return error.detail?.code ?? error.message;
  }
  return "done";
}

/** The slots of a series in a year around, as clocks. */
function slots(of: SessionSeries, from = "2026-01-01", days = 800): string[] {
  const fromMs = Date.parse(from);
  const { compiled } = openSeries(of, zone(of.locationId));
  return listSlots(compiled, fromMs, fromMs + days * MS_PER_DAY).map(({ wallMs }) => formatWallClock(wallMs));
}

/** What a plan makes of a session, by the slot that it stood for. */
function became(plan: SeriesPlan, id: string): unknown {
  const carried = plan.carried.find((each) => each.id === id);
  if (!carried) return (["cancelled", "kept"] as const).find((name) => plan[name].includes(id));
  const { originalStart, start, isMoved } = carried;
  return [originalStart, start, ...(isMoved ? ["moved"] : [])].join(" ");
}

const mondays = series({ start: "2026-01-05T07:00", rrule: "FREQ=WEEKLY;BYDAY=MO,WE;COUNT=100" });
const booked = [
  session(mondays, "2026-11-16T07:00"),
  session(mondays, "2026-11-23T07:00"),
  session(mondays, "2026-11-25T07:00", { start: "2026-11-25T10:00" }),
];

test("a series that is moved by half an hour takes its bookings along, and leaves what was moved by hand", () => {
  const plan = planned(mondays, {
    from: "2026-11-18T07:00",
    changes: { start: "2026-11-18T07:30" },
    sessions: booked,
  });
  assert.equal(plan.ended?.series.rrule, "FREQ=WEEKLY;BYDAY=MO,WE;UNTIL=20261118T095959Z");
  assert.equal(slots(plan.ended.series).length, 91);
  assert.equal(slots(plan.ended.series).at(-1), "2026-11-16T07:00");
  assert.equal(plan.edited.series.start, "2026-11-18T07:30");
  assert.equal(plan.edited.series.rrule, "FREQ=WEEKLY;BYDAY=MO,WE;COUNT=9");
  assert.deepEqual(plan.edited.span, {
    firstSlot: "2026-11-18T07:30",
    lastSlot: "2026-12-16T07:30",
    countedSlot: "2026-12-16T07:30",
  });
  assert.equal(became(plan, "2026-11-16T07:00"), undefined);
  assert.equal(became(plan, "2026-11-23T07:00"), "2026-11-23T07:30 2026-11-23T07:30 moved");
  assert.equal(became(plan, "2026-11-25T07:00"), "2026-11-25T07:30 2026-11-25T10:00");
  assert.deepEqual([plan.cancelled, plan.kept, plan.undecided, plan.detached], [[], [], [], []]);
});

test("a series that goes to other weekdays leaves booked sessions without a slot, and asks what becomes of them", () => {
  const asked = {
    from: "2026-11-18T07:00",
    changes: { rrule: "FREQ=WEEKLY;BYDAY=TU,TH", start: "2026-11-19T07:00" },
    sessions: [...booked, session(mondays, "2026-11-30T07:00", { bookedCount: 0 })],
  };
  const undecided = planned(mondays, asked);
  assert.deepEqual(
    undecided.undecided.map(({ id }) => id),
    ["2026-11-23T07:00", "2026-11-25T07:00"],
  );
  assert.deepEqual(undecided.cancelled, ["2026-11-30T07:00"]);
  const kept = planned(mondays, { ...asked, booked: "keep" });
  assert.deepEqual(kept.kept, ["2026-11-23T07:00", "2026-11-25T07:00"]);
  assert.deepEqual(kept.carried, []);
  const cancelled = planned(mondays, { ...asked, booked: "cancel" });
  assert.deepEqual(cancelled.cancelled, ["2026-11-30T07:00", "2026-11-23T07:00", "2026-11-25T07:00"]);
  // A rule that is given is the whole rule: it has an end only if it says so.
  assert.equal(cancelled.edited.series.rrule, "FREQ=WEEKLY;BYDAY=TU,TH");
});

test("what is not the series' own any more stays as it is, member by member", () => {
  const handmade = session(mondays, "2026-11-18T07:00", {
    durationMinutes: 80,
    resourceIds: ["bea"],
    locationId: NEW_YORK,
  });
  const [own, other] = planned(mondays, {
    changes: { durationMinutes: 60, resourceIds: ["carla", "bea"], capacity: 12, serviceTypeId: "yoga" },
    sessions: [session(mondays, "2026-11-23T07:00"), handmade],
  }).carried;
  const { durationMinutes, resourceIds, capacity, serviceTypeId, isMoved } = own ?? assert.fail();
  assert.deepEqual(
    { durationMinutes, resourceIds, capacity, serviceTypeId, isMoved },
    {
      durationMinutes: 60,
      resourceIds: ["bea", "carla"],
      capacity: 12,
      serviceTypeId: "yoga",
      isMoved: false,
    },
  );
  assert.deepEqual(other, { ...handmade, capacity: 12, serviceTypeId: "yoga", isMoved: false });
});

test("the capacity follows the series but never below the seats that are taken, and only if it changes", () => {
  for (const [capacity, bookedCount, asked, expected] of [
    [10, 4, 8, 8],
    [10, 9, 8, 9],
    [12, 9, 8, 12],
    [10, 15, undefined, 10],
    [10, 15, 12, 15],
  ] as const) {
    const [carried] = planned(mondays, {
      changes: { durationMinutes: 45, ...(asked !== undefined && { capacity: asked }) },
      sessions: [session(mondays, "2026-11-18T07:00", { capacity, bookedCount })],
    }).carried;
    assert.equal(carried?.capacity, expected);
  }
});

test("a series of which nothing lies before the change is edited in place", () => {
  const before = series({ start: "2026-11-18T07:00", rrule: "FREQ=WEEKLY;BYDAY=MO,WE;COUNT=10" });
  const sessions = [
    session(before, "2026-11-23T07:00"),
    session(before, "2026-11-25T07:00", { capacity: 4 }),
  ];
  const moved = planned(before, { changes: { start: "2026-11-18T08:00" }, sessions });
  assert.equal(moved.ended, undefined);
  assert.equal(moved.edited.series.rrule, "FREQ=WEEKLY;BYDAY=MO,WE;COUNT=10");
  assert.equal(became(moved, "2026-11-23T07:00"), "2026-11-23T08:00 2026-11-23T08:00 moved");
  const resized = planned(before, { changes: { capacity: 12 }, sessions });
  assert.deepEqual(resized.edited.series, { ...before, capacity: 12 });
  // The one that has a capacity of its own is written nowhere.
  assert.deepEqual(
    resized.carried.map(({ id }) => id),
    ["2026-11-23T07:00"],
  );
  // The first slot was taken out, so that the second is the first.
  const excepted = { ...before, exdates: ["2026-11-18T07:00"] };
  const later = planned(excepted, { changes: { start: "2026-11-23T09:00" } });
  assert.equal(later.ended, undefined);
  assert.equal(later.edited.series.rrule, "FREQ=WEEKLY;BYDAY=MO,WE;COUNT=9");
  assert.equal(slots(later.edited.series).length, 9);
});

test("in place, a session whose slot's name is needed by another stands for no slot any more", () => {
  const before = series({ start: "2026-11-18T07:00", rrule: "FREQ=DAILY;BYHOUR=7,8" });
  const sessions = [session(before, "2026-11-19T07:00"), session(before, "2026-11-19T08:00")];
  const shifted = planned(before, {
    changes: { start: "2026-11-18T08:00", rrule: "FREQ=DAILY;BYHOUR=8,9" },
    sessions,
  });
  assert.equal(became(shifted, "2026-11-19T07:00"), "2026-11-19T08:00 2026-11-19T08:00 moved");
  assert.equal(became(shifted, "2026-11-19T08:00"), "2026-11-19T09:00 2026-11-19T09:00 moved");
  assert.deepEqual(shifted.detached, []);
  const fewer = planned(before, {
    changes: { start: "2026-11-18T08:00", rrule: "FREQ=DAILY" },
    sessions,
    booked: "keep",
  });
  assert.equal(became(fewer, "2026-11-19T07:00"), "2026-11-19T08:00 2026-11-19T08:00 moved");
  assert.deepEqual([fewer.kept, fewer.detached], [["2026-11-19T08:00"], ["2026-11-19T08:00"]]);
});

test("several slots a day are carried over in their order, counted from the slot of the change", () => {
  const before = series({ start: "2026-11-02T07:00", rrule: "FREQ=DAILY;BYHOUR=7,12,18" });
  const sessions = ["2026-11-18T07:00", "2026-11-18T12:00", "2026-11-18T18:00", "2026-11-19T12:00"].map(
    (wall) => session(before, wall),
  );
  const plan = planned(before, {
    from: "2026-11-18T12:00",
    changes: { start: "2026-11-18T13:00", rrule: "FREQ=DAILY;BYHOUR=8,13" },
    sessions,
  });
  assert.equal(became(plan, "2026-11-18T07:00"), undefined);
  assert.equal(became(plan, "2026-11-18T12:00"), "2026-11-18T13:00 2026-11-18T13:00 moved");
  assert.deepEqual(
    plan.undecided.map(({ id }) => id),
    ["2026-11-18T18:00"],
  );
  assert.equal(became(plan, "2026-11-19T12:00"), "2026-11-19T13:00 2026-11-19T13:00 moved");
});

test("exception and extra dates go to their side, and exceptions move with their slots", () => {
  const before = series({
    start: "2026-11-02T07:00",
    rrule: "FREQ=WEEKLY;BYDAY=MO,WE",
    exdates: ["2026-11-09T07:00", "2026-11-30T07:00"],
    rdates: ["2026-11-14T10:00", "2026-11-21T10:00"],
  });
  const moved = planned(before, { changes: { start: "2026-11-18T07:30" } });
  assert.deepEqual(moved.ended?.series.exdates, ["2026-11-09T07:00"]);
  assert.deepEqual(moved.ended.series.rdates, ["2026-11-14T10:00"]);
  assert.deepEqual(moved.edited.series.exdates, ["2026-11-30T07:30"]);
  assert.deepEqual(moved.edited.series.rdates, ["2026-11-21T10:00"]);
  const same = planned(before, { changes: { capacity: 3 } });
  assert.deepEqual(same.edited.series.exdates, ["2026-11-30T07:00"]);
  // With other weekdays there is nothing left that could be excepted.
  const others = planned(before, { changes: { rrule: "FREQ=WEEKLY;BYDAY=TU", start: "2026-11-24T07:00" } });
  assert.deepEqual(others.edited.series.exdates, []);
});

test("a series can be changed from an extra date on; the rule goes on with its next date", () => {
  const before = series({
    start: "2026-11-02T07:00",
    rrule: "FREQ=WEEKLY;COUNT=6",
    rdates: ["2026-11-18T10:00", "2026-12-24T10:00"],
  });
  const plan = planned(before, { from: "2026-11-18T10:00", changes: { capacity: 5 } });
  assert.deepEqual(plan.edited.series, {
    ...before,
    start: "2026-11-23T07:00",
    rrule: "FREQ=WEEKLY;COUNT=3",
    capacity: 5,
  });
  assert.deepEqual(slots(plan.ended?.series ?? before), [
    "2026-11-02T07:00",
    "2026-11-09T07:00",
    "2026-11-16T07:00",
  ]);
  // The rule is over by then: what is left has none, and the rule stays as it was.
  const last = planned(before, { from: "2026-12-24T10:00", changes: { start: "2026-12-24T11:00" } });
  assert.deepEqual([last.edited.series.start, last.edited.series.rrule], ["2026-12-24T11:00", undefined]);
  assert.equal(last.ended?.series.rrule, before.rrule);
  assert.deepEqual(slots(last.edited.series), ["2026-12-24T11:00"]);
});

test("a series whose rule begins with the change leaves the extra dates before it", () => {
  const before = series({
    start: "2026-12-01T07:00",
    rrule: "FREQ=DAILY;COUNT=4",
    rdates: ["2026-11-10T10:00", "2026-11-12T10:00"],
  });
  const { ended, edited } = planned(before, { changes: { start: "2026-12-01T09:00" } });
  assert.deepEqual(
    [ended?.series.start, ended?.series.rrule, ended?.series.rdates],
    ["2026-11-10T10:00", undefined, ["2026-11-12T10:00"]],
  );
  assert.equal(slots(edited.series).length, 4);
});

test("dates that are given are those from the slot on; who adds one sends the whole list", () => {
  const before = series({ start: "2026-11-02T07:00", rrule: "FREQ=WEEKLY", exdates: ["2026-11-09T07:00"] });
  const plan = planned(before, { changes: { exdates: ["2026-11-09T07:00", "2026-12-28T07:00"] } });
  assert.deepEqual(plan.ended?.series.exdates, ["2026-11-09T07:00"]);
  assert.deepEqual(plan.edited.series.exdates, ["2026-12-28T07:00"]);
  assert.deepEqual(
    faultsOf(before, { changes: { rdates: ["2026-11-10T07:00", "2026-11-40T07:00", "2026-12-29T07:00"] } }),
    ["rdates[0] before_member", "rdates[1] local_date_time_invalid"],
  );
  assert.deepEqual(planned(before, { changes: { exdates: null } }).edited.series.exdates, []);
});

test("a start must fit the rule and lie ahead, and a rule must be one", () => {
  const now = "2026-11-18T09:00:00Z";
  for (const [changes, expected] of [
    [{ start: "2026-11-19T07:00" }, ["start rule_start_excluded"]],
    [{ rrule: "FREQ=WEEKLY;BYDAY=TU" }, ["rrule rule_start_excluded"]],
    [{ rrule: "FREQ=HOURLY" }, ["rrule rule_frequency_invalid"]],
    [{ start: "2026-11-18T06:00" }, ["start in_the_past"]],
    [{ start: "2026-11-18" }, ["start local_date_time_invalid"]],
    [{ locationId: "Asia/Tokyo" }, ["locationId in_the_past"]],
    [{ start: "2026-12-30T07:00", rrule: "FREQ=WEEKLY;UNTIL=20261201" }, ["rrule rule_ends_before_start"]],
  ] as const)
    assert.deepEqual(faultsOf(mondays, { changes, now }), expected, JSON.stringify(changes));
});

test("a series is changed from a slot that has not begun, by default the next", () => {
  const open = openSeries(mondays, zone(SAO_PAULO));
  const choose = (from: string | undefined, now: string) =>
    formatWallClock(chooseFrom(open, from, Date.parse(now)).wallMs);
  assert.equal(choose(undefined, "2026-11-18T09:59:59.999Z"), "2026-11-18T07:00");
  assert.equal(choose(undefined, "2026-11-18T10:00:00Z"), "2026-11-23T07:00");
  assert.equal(choose("2026-11-25T07:00", MONDAY), "2026-11-25T07:00");
  assert.equal(
    refused(() => choose("2026-11-16T07:00", MONDAY)),
    "session_begun",
  );
  assert.equal(
    refused(() => choose("2026-11-17T07:00", MONDAY)),
    "no_slot",
  );
  assert.equal(
    refused(() => choose(undefined, "2026-12-16T10:00:00Z")),
    "schedule_over",
  );
});

test("a session that was moved into the past is tied to its new slot and otherwise left alone", () => {
  const past = session(mondays, "2026-11-18T07:00", { start: "2026-11-16T06:00" });
  const [carried] = planned(mondays, {
    changes: { start: "2026-11-18T08:00", capacity: 20, locationId: NEW_YORK },
    sessions: [past],
  }).carried;
  assert.deepEqual(carried, { ...past, originalStart: "2026-11-18T08:00", isMoved: false });
});

test("a cancelled session follows its slot and stays cancelled; without a slot it stays where it was", () => {
  const cancelled = session(mondays, "2026-11-23T07:00", { status: "cancelled", bookedCount: 0 });
  const sessions = [cancelled];
  const moved = planned(mondays, { changes: { start: "2026-11-18T07:30" }, sessions });
  assert.equal(became(moved, cancelled.id), "2026-11-23T07:30 2026-11-23T07:30 moved");
  assert.equal(moved.carried[0]?.status, "cancelled");
  const others = planned(mondays, {
    changes: { rrule: "FREQ=WEEKLY;BYDAY=TU", start: "2026-11-24T07:00" },
    sessions,
  });
  assert.equal(became(others, cancelled.id), undefined);
});

test("another location keeps the clocks, so that the instants are its own", () => {
  const [carried] = planned(mondays, {
    changes: { locationId: NEW_YORK },
    sessions: [session(mondays, "2026-11-23T07:00")],
  }).carried;
  assert.deepEqual(
    [carried?.start, new Date(carried?.startAt ?? 0).toISOString(), carried?.isMoved],
    ["2026-11-23T07:00", "2026-11-23T12:00:00.000Z", true],
  );
});

test("a series that is cut within a gap keeps all its slots, each once", () => {
  // In the gap 02:30 is later than 03:00.
  for (const rule of ["BYHOUR=2,3;BYMINUTE=0,30", "BYHOUR=2,3;BYMINUTE=0,30;BYSETPOS=2,3"]) {
    const start = rule.includes("BYSETPOS") ? "2026-03-06T02:30" : "2026-03-06T02:00";
    const before = series({ start, rrule: `FREQ=DAILY;${rule};COUNT=20` }, NEW_YORK);
    const cuts = slots(before, "2026-03-08", 1);
    assert.equal(cuts.length, 2);
    for (const from of cuts) {
      const { ended, edited } = planned(before, {
        from,
        changes: { capacity: 3 },
        now: "2026-03-07T12:00:00Z",
      });
      const after = [...slots(ended?.series ?? before), ...slots(edited.series)];
      assert.deepEqual(after.sort(), slots(before).sort(), `${rule} from ${from}`);
    }
  }
});

test("a series ends after a day: with UNTIL instead of COUNT, without later dates, and never later than it would", () => {
  for (const [given, lastDay, expected] of [
    [mondays, "2026-11-18", { rrule: "FREQ=WEEKLY;BYDAY=MO,WE;UNTIL=20261118" }],
    [mondays, "2026-12-16", {}],
    [{ ...mondays, rrule: "FREQ=WEEKLY" }, "2026-11-18", { rrule: "FREQ=WEEKLY;UNTIL=20261118" }],
    [{ ...mondays, rrule: "FREQ=WEEKLY;UNTIL=20261101" }, "2026-11-18", {}],
    [
      { ...mondays, rrule: undefined, rdates: ["2026-01-07T07:00", "2026-11-19T07:00"] },
      "2026-11-18",
      { rdates: ["2026-01-07T07:00"] },
    ],
  ] as const) {
    const ended = endSeries(openSeries(given, zone(SAO_PAULO)), cutAfter(zone(SAO_PAULO), lastDay));
    assert.deepEqual(ended, { ...given, ...expected }, lastDay);
  }
});

/** Random series around changes of clocks, with stored sessions of every kind. */
const ZONES = [SAO_PAULO, NEW_YORK, "Europe/London", "America/Santiago", "Asia/Tokyo", "Australia/Lord_Howe"];
const RULES = [
  "FREQ=DAILY",
  "FREQ=DAILY;INTERVAL=3",
  "FREQ=DAILY;BYHOUR=0,2,3;BYMINUTE=0,30",
  "FREQ=WEEKLY",
  "FREQ=WEEKLY;INTERVAL=2",
  "FREQ=DAILY;BYHOUR=1,2,23",
  "FREQ=MONTHLY",
  "FREQ=DAILY;BYHOUR=2,3;BYMINUTE=0,30;BYSETPOS=2,3",
];
const LAST_DAY_MS = Date.UTC(2026, 11, 25);

const scenario = fc.record({
  timezone: fc.constantFrom(...ZONES),
  startDay: fc.integer({ min: 0, max: 300 }),
  startMinute: fc.integer({ min: 0, max: 47 }).map((half) => half * 30),
  rule: fc.option(fc.constantFrom(...RULES), { nil: undefined }),
  end: fc.constantFrom("", ";COUNT=12", ";COUNT=40", ";UNTIL=20270101T000000Z", ";UNTIL=20261101"),
  excepted: fc.array(fc.nat(30), { maxLength: 4 }),
  extra: fc.array(fc.integer({ min: 0, max: 90 * 48 }), { maxLength: 4 }),
  from: fc.nat(25),
  nowBefore: fc.nat(3),
  stored: fc.array(
    fc.record({
      slot: fc.nat(40),
      movedBy: fc.constantFrom(0, 0, 0, 60, 24 * 60),
      bookedCount: fc.nat(12),
      capacity: fc.constantFrom(10, 10, 6),
      status: fc.constantFrom("scheduled" as const, "scheduled" as const, "cancelled" as const),
    }),
    { maxLength: 8 },
  ),
  change: fc.record({
    shift: fc.constantFrom(undefined, undefined, 0, 30, 24 * 60),
    rule: fc.constantFrom(undefined, undefined, ...RULES),
    capacity: fc.constantFrom(undefined, 10, 8),
    timezone: fc.constantFrom(undefined, undefined, "Asia/Tokyo", NEW_YORK),
  }),
  booked: fc.constantFrom(undefined, "keep" as const, "cancel" as const),
});

type Scenario = typeof scenario extends fc.Arbitrary<infer Value> ? Value : never;

function build(given: Scenario) {
  const startMs = Date.UTC(2026, 0, 1) + given.startDay * MS_PER_DAY + given.startMinute * 60_000;
  const rrule = given.rule === undefined ? undefined : given.rule + given.end;
  const extras = given.extra.map((half) => formatWallClock(startMs + half * 30 * 60_000));
  const start = openStart(startMs, rrule, given.timezone);
  const plain = series(
    { start, ...(rrule !== undefined && { rrule }), rdates: [...new Set(extras)].sort() },
    given.timezone,
  );
  if (!planSchedule(plain, zone(given.timezone)).span) return undefined;
  const all = slots(plain, "2025-12-30", 360);
  const exdates = [...new Set(given.excepted.flatMap((place) => all[place] ?? []))].sort();
  const before = { ...plain, exdates };
  const open = openSeries(before, zone(given.timezone));
  const left = listSlots(open.compiled, Date.UTC(2025, 11, 30), LAST_DAY_MS);
  const from = left[given.from];
  if (!from) return undefined;
  const now = from.instantMs - 1 - given.nowBefore * MS_PER_DAY;
  const sessions = new Map<string, SeriesSession>();
  for (const { slot, movedBy, ...rest } of given.stored) {
    const wallMs = left[slot]?.wallMs;
    if (wallMs === undefined) continue;
    const name = formatWallClock(wallMs);
    sessions.set(name, session(before, name, { start: formatWallClock(wallMs + movedBy * 60_000), ...rest }));
  }
  const { shift, rule, capacity, timezone } = given.change;
  const changes: SeriesChanges = {
    ...(shift !== undefined && { start: formatWallClock(from.wallMs + shift * 60_000) }),
    ...(rule !== undefined && { rrule: rule }),
    ...(capacity !== undefined && { capacity }),
    ...(timezone !== undefined && { locationId: timezone }),
  };
  return { before, open, from, now, sessions: [...sessions.values()], changes, booked: given.booked };
}

/** The first occurrence of the rule at or after a clock. */
function openStart(startMs: number, rrule: string | undefined, timezone: string): string {
  if (rrule === undefined) return formatWallClock(startMs);
  for (let wallMs = startMs; wallMs < startMs + 2 * MS_PER_DAY; wallMs += 30 * 60_000) {
    const start = formatWallClock(wallMs);
    if (planSchedule({ start, rrule }, zone(timezone)).span) return start;
  }
  return formatWallClock(startMs);
}

interface Entry {
  readonly slotMs: number;
  readonly text: string;
}

/** What the calendar shows of a series: its slots, and the sessions that stand for them or for none. */
function calendar(of: SessionSeries, scheduleId: string, sessions: readonly SeriesSession[]): Entry[] {
  const { compiled, zone: own } = openSeries(of, zone(of.locationId));
  const taken = new Set(sessions.map(({ originalStart }) => originalStart));
  const isFree = (wallMs: number | undefined) => wallMs === undefined || !taken.has(formatWallClock(wallMs));
  return [
    ...listSlots(compiled, Date.UTC(2025, 11, 30), LAST_DAY_MS)
      .filter(({ wallMs, twinWallMs }) => isFree(wallMs) && isFree(twinWallMs))
      .map(({ instantMs, wallMs }) => ({
        slotMs: instantMs,
        text: JSON.stringify([scheduleId, formatWallClock(wallMs), of.durationMinutes, of.capacity]),
      })),
    ...sessions.map((each) => ({
      slotMs: wallToInstant(own, wallOf(each.originalStart)),
      text: JSON.stringify([scheduleId, each]),
    })),
  ];
}

const before = (entries: readonly Entry[], instantMs: number) =>
  entries
    .filter(({ slotMs }) => slotMs < instantMs)
    .map(({ text }) => text)
    .sort();

test("whatever is changed: the calendar before the slot is the same to the letter, and no booking is lost", () => {
  let edits = 0;
  fc.assert(
    fc.property(scenario, (given) => {
      const built = build(given);
      if (!built) return;
      const { before: old, open, from, now, sessions, changes, booked: decision } = built;
      const plan = editSeries(open, sessions, { from, changes, booked: decision, now, zoneOf: zone });
      if (!plan || "faults" in plan) return;
      edits++;
      const carried = new Set(plan.carried.map(({ id }) => id));
      const stayed = sessions.filter(({ id }) => !carried.has(id));
      if (plan.ended)
        assert.deepEqual(
          before(calendar(plan.ended.series, "old", stayed), from.instantMs),
          before(calendar(old, "old", sessions), from.instantMs),
        );
      else assert.equal(before(calendar(old, "old", []), from.instantMs).length, 0);
      const endedLater = plan.ended
        ? calendar(plan.ended.series, "old", []).filter(({ slotMs }) => slotMs >= from.instantMs)
        : [];
      assert.deepEqual(endedLater, []);
      // Two sessions never stand for one slot.
      const detached = new Set(plan.detached);
      const names = plan.carried.map(({ originalStart }) => originalStart);
      if (!plan.ended)
        names.push(...stayed.flatMap(({ id, originalStart }) => (detached.has(id) ? [] : [originalStart])));
      assert.equal(new Set(names).size, names.length);
      // Every session with a seat from the slot on is carried over, kept, cancelled or asked about, once; those before,
      // those that stood for no slot, and those that an edit in place leaves as they are, stay.
      const zoneBefore = zone(old.locationId);
      for (const each of sessions) {
        const fates: number = [
          carried.has(each.id),
          plan.kept.includes(each.id),
          plan.cancelled.includes(each.id),
          plan.undecided.some(({ id }) => id === each.id),
        ].filter(Boolean).length;
        const isBefore = wallToInstant(zoneBefore, wallOf(each.originalStart)) < from.instantMs;
        const isDue =
          !isBefore &&
          plan.ended &&
          each.status === "scheduled" &&
          each.bookedCount > 0 &&
          each.startAt > now;
        assert.ok(fates <= 1, `${each.id} has ${fates} fates`);
        if (isBefore) assert.equal(fates, 0);
        if (isDue) assert.equal(fates, 1, each.id);
      }
      for (const each of plan.carried) {
        const was = sessions.find(({ id }) => id === each.id);
        assert.ok(was && each.bookedCount === was.bookedCount && each.status === was.status);
        assert.ok(each.capacity >= each.bookedCount || each.capacity === was.capacity);
      }
    }),
    { numRuns: 250, seed: 20261116 },
  );
  assert.ok(edits > 60, `${edits} edits`);
});

test("no change changes nothing, and a change of capacity leaves every slot where it was", () => {
  let edits = 0;
  fc.assert(
    fc.property(scenario, (given) => {
      const built = build(given);
      if (!built) return;
      const { before: old, open, from, now, sessions } = built;
      const asked = { from, now, booked: undefined, zoneOf: zone };
      const { start: _, ...same } = { ...old, exdates: undefined, rdates: undefined };
      for (const changes of [{}, { start: formatWallClock(from.wallMs) }, same])
        assert.equal(editSeries(open, sessions, { ...asked, changes }), undefined);
      const plan = editSeries(open, sessions, { ...asked, changes: { capacity: 99 } });
      assert.ok(plan && !("faults" in plan));
      edits++;
      const instants = (of: SessionSeries) =>
        listSlots(openSeries(of, open.zone).compiled, Date.UTC(2025, 11, 30), LAST_DAY_MS).map(
          ({ instantMs }) => instantMs,
        );
      const after = [...(plan.ended ? instants(plan.ended.series) : []), ...instants(plan.edited.series)];
      assert.deepEqual(
        after.sort((a, b) => a - b),
        instants(old),
      );
      assert.deepEqual([plan.cancelled, plan.undecided, plan.detached], [[], [], []]);
      for (const each of plan.carried) assert.ok(!each.isMoved && each.originalStart === each.id);
    }),
    { numRuns: 250, seed: 20261117 },
  );
  assert.ok(edits > 60, `${edits} edits`);
});

test("a series that ends with an instant keeps its last slot, and no more, at another time of day or place", () => {
  const mondays = "FREQ=WEEKLY;BYDAY=MO";
  const moved = (rrule: string, changes: SeriesChanges, given: Partial<SessionSeries> = {}) => {
    const plan = edit(series({ start: "2026-10-05T07:00", rrule, ...given }), { changes });
    assert.ok(plan && "edited" in plan);
    const { edited } = plan;
    const { compiled } = openSeries(edited.series, zone(edited.series.locationId));
    const slots = listSlots(compiled, Date.parse(MONDAY), Date.parse("2027-06-01"));
    return [edited.series.rrule, slots.map(({ wallMs }) => formatWallClock(wallMs))];
  };
  // The last is Monday 7 December at 07:00, which is 10:00 UTC.
  const until = `${mondays};UNTIL=20261207T100000Z`;
  assert.deepEqual(moved(until, { start: "2026-11-23T19:30" }), [
    `${mondays};UNTIL=20261207T223000Z`,
    ["2026-11-23T19:30", "2026-11-30T19:30", "2026-12-07T19:30"],
  ]);
  assert.deepEqual(moved(until, { locationId: "America/Manaus" }), [
    `${mondays};UNTIL=20261207T110000Z`,
    ["2026-11-23T07:00", "2026-11-30T07:00", "2026-12-07T07:00"],
  ]);
  // Cut just before the 7th, as an earlier edit leaves it: an earlier hour does not bring that day back.
  assert.deepEqual(moved(`${mondays};UNTIL=20261207T095959Z`, { start: "2026-11-23T06:00" }), [
    `${mondays};UNTIL=20261130T090000Z`,
    ["2026-11-23T06:00", "2026-11-30T06:00"],
  ]);
  // What the same end serves as well stays as it was written.
  const roomy = `${mondays};UNTIL=20261209T000000Z`;
  assert.deepEqual(moved(roomy, { start: "2026-11-23T06:00" }), [
    roomy,
    ["2026-11-23T06:00", "2026-11-30T06:00", "2026-12-07T06:00"],
  ]);
  // Twice a day, and the last day ends after its first slot; its exception moves with it.
  const twice = "FREQ=DAILY;BYHOUR=7,9;BYMINUTE=0;UNTIL=20261119T100000Z";
  const given = { start: "2026-11-10T07:00", exdates: ["2026-11-19T07:00"] };
  assert.deepEqual(moved(twice, { durationMinutes: 30, locationId: "America/Manaus" }, given)[1], [
    "2026-11-17T07:00",
    "2026-11-17T09:00",
    "2026-11-18T07:00",
    "2026-11-18T09:00",
  ]);
  const once = "FREQ=WEEKLY;BYDAY=MO;UNTIL=20261207T100000Z";
  assert.deepEqual(moved(once, { start: "2026-11-23T08:00" }, { exdates: ["2026-12-07T07:00"] })[1], [
    "2026-11-23T08:00",
    "2026-11-30T08:00",
  ]);
});
