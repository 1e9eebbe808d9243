import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { daysAfter } from "../../core/dates.ts";
import {
  type CoveredVisit,
  type CoveringContract,
  type CoveringEntitlement,
  findCoverage,
  type HeldDays,
  periodAround,
  type WeekStart,
} from "./coverage.ts";

const PILATES = "pilates";
const YOGA = "yoga";
const CENTRO = "centro";
const MANAUS = "manaus";

function contractOf(
  id: string,
  members: Partial<CoveringContract> = {},
  ...entitlements: Partial<CoveringEntitlement>[]
): CoveringContract {
  return {
    id,
    status: "active",
    startDate: "2026-01-01",
    accessBlocked: false,
    allLocations: true,
    locationIds: [],
    hasLastDay: false,
    pauses: [],
    ...members,
    entitlements: entitlements.map((entitlement, position) => ({
      id: entitlements.length === 1 ? id : `${id}${position}`,
      type: "access",
      ...entitlement,
    })),
  };
}

const visitOn = (day: string, members: Partial<CoveredVisit> = {}): CoveredVisit => ({
  day,
  locationId: CENTRO,
  serviceTypeId: PILATES,
  serviceGroupIds: ["mat"],
  ...members,
});

/** The entitlements that cover it, the first choice first, or else the reasons. */
function found(
  contracts: readonly CoveringContract[],
  visit: CoveredVisit,
  { held = {}, weekStart = 1 }: { held?: Record<string, readonly string[]>; weekStart?: WeekStart } = {},
): string {
  const { draws, reasons } = findCoverage(contracts, new Map(Object.entries(held)), visit, weekStart);
  const given = draws.map(({ entitlementId }) => entitlementId);
  return given.length > 0 ? given.join(" ") : reasons.map(({ reason }) => reason).join(" ");
}

describe("the last day of a contract", () => {
  const expired = contractOf("A", { status: "expired", endDate: "2026-11-30" }, {});
  const visits: readonly [string, CoveringContract, string, string][] = [
    ["is whole in every zone, whatever the status reads by then", expired, "2026-11-30", "A"],
    ["is the last one", expired, "2026-12-01", "ended"],
    [
      "is whole after a cancellation with a last day",
      { ...expired, status: "cancelled", hasLastDay: true },
      "2026-11-30",
      "A",
    ],
    [
      "and that is the last one too",
      { ...expired, status: "cancelled", hasLastDay: true },
      "2026-12-01",
      "ended",
    ],
    [
      "does not count after a cancellation at once",
      { ...expired, status: "cancelled" },
      "2026-11-30",
      "cancelled",
    ],
    [
      "is not known if a contract is over and does not say when",
      contractOf("A", { status: "expired" }, {}),
      "2026-11-30",
      "ended",
    ],
    [
      "counts for one that was imported as running",
      contractOf("A", { endDate: "2026-03-31" }, {}),
      "2026-11-30",
      "ended",
    ],
  ];
  for (const [name, contract, day, expected] of visits)
    test(`${name}: ${day}`, () => assert.equal(found([contract], visitOn(day)), expected));
});

describe("a contract as a whole", () => {
  const pause = { id: "p", firstDay: "2026-11-10", lastDay: "2026-11-20", extendsTerm: true };
  const open = { id: "p", firstDay: "2026-11-10", extendsTerm: true };
  const cases: readonly [string, Partial<CoveringContract>, string][] = [
    ["runs", {}, "A"],
    ["begins on the day", { startDate: "2026-11-16" }, "A"],
    ["begins later", { startDate: "2026-11-17" }, "begins_later"],
    ["ends on the day", { endDate: "2026-11-16" }, "A"],
    ["is paused", { pauses: [pause] }, "paused"],
    ["is paused without an end", { pauses: [open] }, "paused"],
    ["was paused before", { pauses: [{ ...pause, lastDay: "2026-11-15" }] }, "A"],
    [
      "reads paused today but not on the day",
      { status: "paused", pauses: [{ ...pause, firstDay: "2026-11-17" }] },
      "A",
    ],
    ["was imported as paused", { status: "paused" }, "paused"],
    ["is blocked", { accessBlocked: true }, "blocked"],
    ["was declined", { termsResponse: "declined" }, "declined"],
    ["was accepted", { termsResponse: "accepted" }, "A"],
    ["is for elsewhere", { allLocations: false, locationIds: [MANAUS] }, "elsewhere"],
    ["is for here too", { allLocations: false, locationIds: [MANAUS, CENTRO] }, "A"],
    [
      "fails several tests: the first one counts",
      { endDate: "2026-11-01", pauses: [open], accessBlocked: true, termsResponse: "declined" },
      "ended",
    ],
  ];
  for (const [name, members, expected] of cases)
    test(`${name}: ${expected}`, () =>
      assert.equal(found([contractOf("A", members, {})], visitOn("2026-11-16")), expected));
});

describe("the scope of an entitlement", () => {
  const cases: readonly [string, Partial<CoveringEntitlement>, string][] = [
    ["everything", {}, "A"],
    ["its service type", { serviceTypeId: PILATES }, "A"],
    ["another service type", { serviceTypeId: YOGA }, "other_service"],
    ["a group that has it", { serviceGroupId: "mat" }, "A"],
    ["a group that has not", { serviceGroupId: "water" }, "other_service"],
    ["type and group", { serviceTypeId: PILATES, serviceGroupId: "mat" }, "A"],
    ["type, but not the group", { serviceTypeId: PILATES, serviceGroupId: "water" }, "other_service"],
    ["revoked", { revokedAt: "2026-11-01T00:00:00.000Z", serviceTypeId: YOGA }, "revoked"],
    ["credits", { type: "credits", remainingCredits: 1 }, "A"],
    ["no credits left", { type: "credits", remainingCredits: 0 }, "no_credits"],
    ["credits without a balance", { type: "credits" }, "no_credits"],
  ];
  for (const [name, entitlement, expected] of cases)
    test(`${name}: ${expected}`, () =>
      assert.equal(found([contractOf("A", {}, entitlement)], visitOn("2026-11-16")), expected));
});

describe("a cap", () => {
  const weekly = contractOf("A", {}, { period: "week", maxVisitsPerPeriod: 3 });
  const daily = contractOf("A", {}, { period: "day", maxVisitsPerPeriod: 1 });
  const monthly = contractOf("A", {}, { period: "month", maxVisitsPerPeriod: 2 });
  const ever = contractOf("A", {}, { maxVisitsPerPeriod: 2 });
  const [mon, wed, fri] = ["2026-11-16", "2026-11-18", "2026-11-20"];
  const cases: readonly [string, CoveringContract, readonly string[], string, WeekStart, string][] = [
    ["of 3 a week is reached on Sunday", weekly, [mon, wed, fri], "2026-11-22", 1, "cap_reached"],
    ["begins again on Monday", weekly, [mon, wed, fri], "2026-11-23", 1, "A"],
    ["begins again on Sunday, if weeks do", weekly, [mon, wed, fri], "2026-11-22", 7, "A"],
    [
      "holds through Saturday, if weeks begin on Sunday",
      weekly,
      [mon, wed, fri],
      "2026-11-21",
      7,
      "cap_reached",
    ],
    ["counts what is left after one was cancelled in time", weekly, [mon, fri], "2026-11-22", 1, "A"],
    ["of 1 a day counts dates, whatever the clocks", daily, [mon], mon, 1, "cap_reached"],
    ["of 1 a day is free on the next", daily, [mon], "2026-11-17", 1, "A"],
    ["of 2 a month", monthly, ["2026-11-01", "2026-11-30"], mon, 1, "cap_reached"],
    ["of 2 a month begins again", monthly, ["2026-11-01", "2026-11-30"], "2026-12-01", 1, "A"],
    ["without a period is for ever", ever, ["2020-01-01", "2031-01-01"], mon, 1, "cap_reached"],
    ["of none at all", contractOf("A", {}, { maxVisitsPerPeriod: 0 }), [], mon, 1, "cap_reached"],
  ];
  for (const [name, contract, days, day, weekStart, expected] of cases)
    test(`${name}: ${day}`, () =>
      assert.equal(found([contract], visitOn(day), { held: { A: days }, weekStart }), expected));
});

describe("the order of draw", () => {
  const A = contractOf("A", { endDate: "2026-12-31" }, { type: "credits", remainingCredits: 4 });
  const pilates = { type: "credits" as const, remainingCredits: 10, serviceTypeId: PILATES };
  const B = contractOf("B", { endDate: "2027-03-01" }, pilates);
  const C = contractOf("C", {}, { period: "week", maxVisitsPerPeriod: 2 });
  const day = "2026-11-16";
  const used = { held: { C: [day, day] } };
  const cases: readonly [string, readonly CoveringContract[], object, string][] = [
    ["access first", [A, B, C], {}, "C A B"],
    ["then what ends first", [A, B, C], used, "A B"],
    ["without end last", [{ ...A, endDate: undefined } as never, B, C], used, "B A"],
    [
      "same end: the narrower",
      [{ ...A, endDate: "2027-03-01" }, B, { ...C, accessBlocked: true }],
      {},
      "B A",
    ],
    ["uncapped before capped", [C, contractOf("D", {}, {})], {}, "D C"],
    [
      "a group before everything",
      [contractOf("D", {}, {}), contractOf("E", {}, { serviceGroupId: "mat" })],
      {},
      "E D",
    ],
    [
      "the older contract, the first position",
      [contractOf("E", {}, {}, {}), contractOf("D", {}, {}, {})],
      {},
      "D0 D1 E0 E1",
    ],
  ];
  for (const [name, contracts, options, expected] of cases)
    test(`${name}: ${expected}`, () => assert.equal(found(contracts, visitOn(day), options), expected));
});

test("one reason is given for each contract, or for each entitlement of one that could cover", () => {
  const contracts = [
    contractOf("A", { accessBlocked: true }, {}, {}),
    contractOf("B", {}, { serviceTypeId: YOGA }, { type: "credits", remainingCredits: 0 }),
  ];
  assert.deepEqual(findCoverage(contracts, new Map(), visitOn("2026-11-16"), 1), {
    draws: [],
    reasons: [
      { contractId: "A", reason: "blocked" },
      { contractId: "B", entitlementId: "B0", reason: "other_service" },
      { contractId: "B", entitlementId: "B1", reason: "no_credits" },
    ],
  });
});

test("every day lies in exactly one period, from its first day to its last", () => {
  for (const weekStart of [1, 7] as const)
    for (const period of ["day", "week", "month"] as const)
      for (let day = "2027-12-20"; day < "2028-03-20"; day = daysAfter(day, 1)) {
        const { firstDay, lastDay } = periodAround(day, period, weekStart);
        assert.ok(firstDay <= day && day <= lastDay, day);
        for (let other = firstDay; other <= lastDay; other = daysAfter(other, 1))
          assert.deepEqual(periodAround(other, period, weekStart), { firstDay, lastDay });
        const before = periodAround(daysAfter(firstDay, -1), period, weekStart);
        assert.equal(daysAfter(before.lastDay, 1), firstDay);
      }
});

const anyDay = fc.integer({ min: 0, max: 60 }).map((days) => daysAfter("2026-10-20", days));
const optional = <Value>(arbitrary: fc.Arbitrary<Value>) =>
  fc.option(arbitrary, { nil: undefined, freq: 2 }) as fc.Arbitrary<Value>;
const anyEntitlement = fc.record({
  type: fc.constantFrom("access", "credits"),
  period: optional(fc.constantFrom("day", "week", "month")),
  maxVisitsPerPeriod: optional(fc.integer({ min: 0, max: 3 })),
  remainingCredits: optional(fc.integer({ min: 0, max: 2 })),
  serviceTypeId: optional(fc.constantFrom(PILATES, YOGA)),
  serviceGroupId: optional(fc.constantFrom("mat", "water")),
  revokedAt: fc.option(fc.constant("2026-11-01T00:00:00.000Z"), { nil: undefined, freq: 6 }),
});
const anyPause = fc.record({ firstDay: anyDay, lastDay: optional(anyDay), extendsTerm: fc.boolean() });
const anyContract = fc.record({
  status: fc.constantFrom("active", "active", "paused", "cancelled", "expired"),
  startDate: anyDay,
  endDate: optional(anyDay),
  accessBlocked: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
  allLocations: fc.boolean(),
  locationIds: fc.subarray([CENTRO, MANAUS]),
  termsResponse: optional(fc.constantFrom("accepted", "accepted", "declined")),
  hasLastDay: fc.boolean(),
  pauses: fc.array(anyPause, { maxLength: 2 }),
  entitlements: fc.array(anyEntitlement, { maxLength: 3 }),
});

test("it agrees with a slow way that tries every choice against every other", () => {
  fc.assert(
    fc.property(
      fc.array(anyContract, { maxLength: 5 }),
      fc.array(fc.tuple(fc.nat({ max: 4 }), fc.nat({ max: 2 }), anyDay), { maxLength: 30 }),
      anyDay,
      fc.constantFrom<WeekStart>(1, 7),
      (drawn, draws, day, weekStart) => {
        const contracts = drawn.map((contract, index) => ({
          ...contract,
          id: `c${index}`,
          entitlements: contract.entitlements.map((grant, position) => ({
            ...grant,
            id: `c${index}.${position}`,
          })),
        })) as unknown as CoveringContract[];
        const held = new Map<string, string[]>();
        for (const [contract, position, on] of draws) {
          const id = `c${contract}.${position}`;
          held.set(id, [...(held.get(id) ?? []), on]);
        }
        const visit = visitOn(day);
        const { draws: given, reasons } = findCoverage(contracts, held, visit, weekStart);
        const slow = coveredSlowly(contracts, held, visit, weekStart);
        assert.deepEqual(
          given.map(({ entitlementId }) => entitlementId),
          slow.choices,
        );
        assert.deepEqual(
          reasons.map(({ contractId, entitlementId = "", reason }) =>
            [contractId, entitlementId, reason].join(" "),
          ),
          slow.reasons,
        );
      },
    ),
    { numRuns: 2_000 },
  );
});

/** The same rules once more, written as a reader of them would check by hand: day by day, and choice against choice. */
function coveredSlowly(
  contracts: readonly CoveringContract[],
  held: HeldDays,
  visit: CoveredVisit,
  weekStart: WeekStart,
): { choices: string[]; reasons: string[] } {
  const reasons: string[] = [];
  const choices: { contract: CoveringContract; grant: CoveringEntitlement; position: number }[] = [];
  const daysOf = (first: string, last: string) => {
    const days = new Set<string>();
    for (let day = first; day <= last; day = daysAfter(day, 1)) days.add(day);
    return days;
  };
  const samePeriod = (one: string, other: string, period: string | undefined) => {
    if (period === undefined) return true;
    if (period === "day") return one === other;
    if (period === "month") return one.slice(0, 7) === other.slice(0, 7);
    // Two days share a week if no week begins after the earlier one up to the later one.
    const [early, late] = [one, other].sort() as [string, string];
    const first = weekStart === 1 ? "Mon" : "Sun";
    return [...daysOf(daysAfter(early, 1), late)].every(
      (day) => !new Date(day).toUTCString().startsWith(first),
    );
  };
  for (const contract of contracts) {
    const { status, startDate, endDate, pauses } = contract;
    const tests: readonly (readonly [string, boolean])[] = [
      ["cancelled", !(status === "cancelled" && !contract.hasLastDay)],
      ["begins_later", startDate <= visit.day],
      ["ended", endDate ? visit.day <= endDate : !["expired", "cancelled"].includes(status)],
      [
        "paused",
        !(status === "paused" && pauses.length === 0) &&
          !pauses.some(({ firstDay, lastDay = "2027-12-31" }) => daysOf(firstDay, lastDay).has(visit.day)),
      ],
      ["blocked", !contract.accessBlocked],
      ["declined", contract.termsResponse !== "declined"],
      ["elsewhere", contract.allLocations || contract.locationIds.includes(visit.locationId)],
    ];
    const failed = tests.find(([, isPassed]) => !isPassed);
    if (failed) {
      reasons.push(`${contract.id}  ${failed[0]}`);
      continue;
    }
    for (const [position, grant] of contract.entitlements.entries()) {
      const { maxVisitsPerPeriod: cap, remainingCredits: left, period } = grant;
      const isType = !grant.serviceTypeId || grant.serviceTypeId === visit.serviceTypeId;
      const isGroup = !grant.serviceGroupId || visit.serviceGroupIds.includes(grant.serviceGroupId);
      const visits = (held.get(grant.id) ?? []).filter((day) => samePeriod(day, visit.day, period));
      const grantTests: readonly (readonly [string, boolean])[] = [
        ["revoked", grant.revokedAt === undefined],
        ["other_service", isType && isGroup],
        ["cap_reached", grant.type === "credits" || cap === undefined || visits.length < cap],
        ["no_credits", grant.type === "access" || (left !== undefined && left > 0)],
      ];
      const refused = grantTests.find(([, isPassed]) => !isPassed);
      if (refused) reasons.push(`${contract.id} ${grant.id} ${refused[0]}`);
      else choices.push({ contract, grant, position });
    }
  }
  type Choice = (typeof choices)[number];
  const isBefore = (one: Choice, other: Choice): boolean => {
    const kind = ({ grant }: Choice) =>
      ["uncapped", "capped", "credits"].indexOf(
        grant.type === "credits" ? "credits" : grant.maxVisitsPerPeriod === undefined ? "uncapped" : "capped",
      );
    const end = ({ contract }: Choice) => contract.endDate ?? "9999-99-99";
    const scope = ({ grant }: Choice) => (grant.serviceTypeId ? 1 : grant.serviceGroupId ? 2 : 3);
    if (kind(one) !== kind(other)) return kind(one) < kind(other);
    if (end(one) !== end(other)) return end(one) < end(other);
    if (scope(one) !== scope(other)) return scope(one) < scope(other);
    if (one.contract.id !== other.contract.id) return one.contract.id < other.contract.id;
    return one.position < other.position;
  };
  // The place of a choice is how many come before it.
  const ordered: string[] = [];
  for (const choice of choices)
    ordered[choices.filter((other) => isBefore(other, choice)).length] = choice.grant.id;
  return { choices: ordered, reasons };
}

test("a client with 50 contracts costs less than a millisecond of CPU", () => {
  const contracts = Array.from({ length: 50 }, (_, index) =>
    contractOf(
      `c${index}`,
      {
        endDate: daysAfter("2026-11-20", index),
        pauses: [{ id: "p", firstDay: "2026-06-01", lastDay: "2026-06-30", extendsTerm: true }],
      },
      { period: "week", maxVisitsPerPeriod: 3 },
      { type: "credits", remainingCredits: 5, serviceTypeId: PILATES },
      { period: "month", maxVisitsPerPeriod: 8, serviceGroupId: "mat" },
    ),
  );
  const held = new Map(
    contracts.flatMap(({ entitlements }) =>
      entitlements.map(
        ({ id }) => [id, Array.from({ length: 7 }, (_, n) => daysAfter("2026-11-02", n))] as const,
      ),
    ),
  );
  const visit = visitOn("2026-11-16");
  const runs = 200;
  const run = () => {
    for (let n = 0; n < runs; n++) findCoverage(contracts, held, visit, 1);
  };
  run();
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  assert.ok((user + system) / runs < 1_000, `${(user + system) / runs} microseconds`);
  assert.equal(findCoverage(contracts, held, visit, 1).draws.length, 150);
});
