import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { daysAfter, daysBefore, parseWallClock } from "../../src/core/dates.ts";
import { EXAMPLE_IDS } from "../../src/core/example-ids.ts";
import type { RecordOf } from "../../src/data/bundle/schema.ts";
import type { DemoContract } from "../../src/data/demo/agreements.ts";
import { DEMO_TIMEZONE, type DemoRecord, demoStudio } from "../../src/data/demo/studio.ts";
import { type CoveringContract, findCoverage } from "../../src/domain/bookings/coverage.ts";
import { freeUntil, hasSeat } from "../../src/domain/bookings/rules.ts";
import type { Plan } from "../../src/domain/plans/schema.ts";
import { dateIn, findZone, wallToInstant } from "../../src/domain/recurrence/zones.ts";

type Session = RecordOf<"session"> & { id: string };
type Booking = RecordOf<"booking"> & { id: string };
type Waiting = RecordOf<"waiting"> & { id: string };

/** A working day, a Sunday that is a holiday, New Year, a leap day and a Saturday, from the first minute to the last hour. */
const MOMENTS = [
  "2026-11-16T00:05",
  "2026-11-16T06:10",
  "2026-11-16T12:00",
  "2026-11-16T18:40",
  "2026-11-16T23:50",
  "2026-11-15T08:00",
  "2026-11-15T15:00",
  "2026-01-01T10:00",
  "2028-02-29T19:00",
  "2027-07-31T07:00",
];

describe("the demo's fortnight", () => {
  for (const moment of MOMENTS) {
    const now = instantOf(moment, DEMO_TIMEZONE);
    const today = dateIn(DEMO_TIMEZONE, now);
    const records = demoStudio({ today, now });
    const sessions = new Map(of<Session>(records, "session").map((session) => [session.id, session]));
    const zones = new Map(
      of<{ id: string; timezone: string }>(records, "location").map(({ id, timezone }) => [id, timezone]),
    );
    const bookings = of<Booking>(records, "booking");
    const waiting = of<Waiting>(records, "waiting");
    const sessionOf = ({ sessionId }: { sessionId: string }) => {
      const session = sessions.get(sessionId);
      assert.ok(session, sessionId);
      return { ...session, startAt: instantOf(session.start, zones.get(session.locationId) ?? "") };
    };

    test(`at ${moment} it has every state of a booking, things to tell and to mark, and a line to come`, () => {
      const count = (is: (booking: Booking) => boolean) => bookings.filter(is).length;
      assert.ok(count(({ state }) => state === "attended") > 200);
      assert.ok(count(({ state }) => state === "booked") > 200);
      for (const state of ["no_show", "cancelled", "late_cancelled"])
        assert.ok(count((booking) => booking.state === state) > 4, state);
      assert.equal(
        count(({ toTell }) => toTell === true),
        3,
      );
      assert.ok(count(({ uncoveredReason, state }) => uncoveredReason !== undefined && hasSeat(state)) > 0);
      assert.ok(count(({ moved, state }) => moved === true && hasSeat(state)) > 3);

      const yesterday = daysBefore(today, 1);
      const unmarked = new Set(
        bookings
          .filter((booking) => booking.state === "booked" && sessionOf(booking).start < today)
          .map(({ sessionId }) => sessionId),
      );
      assert.ok(
        unmarked.size >= 2 && [...unmarked].some((id) => sessions.get(id)?.start.startsWith(yesterday)),
      );

      const ofToday = [...sessions.values()].filter(({ start }) => start.startsWith(today));
      assert.ok(ofToday.filter(({ bookedCount }) => bookedCount > 0).length >= 8);
      const inLine = waiting.filter(({ leftAt }) => leftAt === undefined);
      const [line] = inLine.map(sessionOf);
      assert.ok(line && inLine.length === 3 && line.bookedCount === line.capacity && line.startAt > now);
      // There is one today until the evening.
      if (moment.slice(11) < "20:00") assert.ok(line.start.startsWith(today), line.start);
      const near = [...sessions.values()].filter(
        ({ start }) => start >= today && start < daysAfter(today, 5),
      );
      assert.ok(near.some(({ status }) => status === "cancelled"));
      assert.ok(near.some(({ start, originalStart = start }) => originalStart !== start));
      const schedules = new Map(of<Session>(records, "schedule").map((schedule) => [schedule.id, schedule]));
      const isTaughtByAnother = ({ scheduleId = "", resourceIds, locationId }: Session) => {
        const schedule = schedules.get(scheduleId);
        return schedule?.locationId === locationId && `${schedule.resourceIds}` !== `${resourceIds}`;
      };
      assert.ok(near.some(isTaughtByAnother));
    });

    test(`at ${moment} nobody is where there is no seat, and nothing is of the future`, () => {
      const named = new Map<string, string[]>();
      for (const { sessionId, clientId, state } of bookings)
        if (hasSeat(state)) named.set(sessionId, [...(named.get(sessionId) ?? []), clientId]);
      for (const [id, clients] of named) {
        const session = sessions.get(id);
        assert.equal(session?.status, "scheduled");
        assert.ok(clients.length <= session.bookedCount && session.bookedCount <= session.capacity, id);
        assert.equal(new Set(clients).size, clients.length);
      }
      const around = [...sessions.values()].filter(
        ({ start }) => start >= daysBefore(today, 7) && start < daysAfter(today, 8),
      );
      assert.ok(
        around.some(({ id, bookedCount }) => bookedCount > (named.get(id)?.length ?? 0)),
        "unnamed seats",
      );
      for (const booking of bookings) {
        const { startAt, status } = sessionOf(booking);
        const [bookedAt, checkedInAt, endedAt] = [booking.bookedAt, booking.checkedInAt, booking.endedAt].map(
          (instant) => (instant === undefined ? undefined : Date.parse(instant)),
        );
        assert.ok(bookedAt !== undefined && bookedAt <= Math.min(now, startAt));
        if (checkedInAt !== undefined)
          assert.ok(checkedInAt >= startAt - 3_600_000 && checkedInAt <= now && bookedAt <= checkedInAt);
        if (endedAt === undefined) continue;
        assert.ok(bookedAt <= endedAt && endedAt <= now && endedAt <= startAt);
        if (status === "scheduled")
          assert.equal(booking.state === "cancelled", endedAt <= freeUntil({ startAt }, 180), booking.id);
      }
      for (const { clientId, sessionId, joinedAt, leftAt = joinedAt, bookingId } of waiting) {
        assert.ok(Date.parse(joinedAt) <= now && Date.parse(leftAt) <= now);
        assert.equal(named.get(sessionId)?.includes(clientId), bookingId !== undefined);
      }
      assert.ok(bookings.filter(({ clientId }) => clientId === EXAMPLE_IDS.client).length >= 2);
      const example = bookings.find(({ id }) => id === EXAMPLE_IDS.booking);
      assert.deepEqual([example?.clientId, example?.sessionId], [EXAMPLE_IDS.client, EXAMPLE_IDS.session]);
    });

    test(`at ${moment} every draw is the one that a booking at that time makes, and credits add up`, () => {
      const contracts = of<DemoContract>(records, "contract");
      const plans = new Map(of<Plan>(records, "plan").map((plan) => [plan.id, plan]));
      const groups = of<{ id: string; serviceTypeIds: string[] }>(records, "serviceGroup");
      const drawn = (id: string) =>
        bookings.filter(({ entitlementId, state }) => entitlementId === id && state !== "cancelled").length;
      const balances = new Map(
        contracts.flatMap(({ entitlements, planId = "" }) =>
          entitlements.flatMap(({ id, type, remainingCredits = 0 }, position) => {
            if (type !== "credits") return [];
            const before = remainingCredits + drawn(id);
            const sold = plans.get(planId)?.entitlements[position]?.creditQuantity ?? remainingCredits;
            assert.ok(before <= sold, `${before} of ${sold}`);
            return [[id, before] as const];
          }),
        ),
      );
      const held = new Map<string, string[]>();
      const events = bookings
        .flatMap((booking) => [
          { at: booking.bookedAt, booking, isReturn: false },
          ...(booking.state === "cancelled" ? [{ at: booking.endedAt ?? "", booking, isReturn: true }] : []),
        ])
        .sort((one, other) =>
          one.at < other.at ? -1 : one.at > other.at ? 1 : Number(other.isReturn) - Number(one.isReturn),
        );
      for (const { at, booking, isReturn } of events) {
        const { clientId, contractId, entitlementId = "" } = booking;
        const { locationId, serviceTypeId, start } = sessionOf(booking);
        const day = start.slice(0, 10);
        const days = held.get(entitlementId) ?? [];
        if (isReturn) {
          held.set(entitlementId, days.toSpliced(days.indexOf(day), 1));
          if (balances.has(entitlementId))
            balances.set(entitlementId, (balances.get(entitlementId) ?? 0) + 1);
          continue;
        }
        const own = contracts
          .filter((contract) => contract.clientId === clientId && contract.createdAt <= at)
          .map(
            (contract): CoveringContract => ({
              ...contract,
              hasLastDay: false,
              pauses: (contract.pauses ?? []).map((pause) => ({ ...pause, id: pause.id ?? "" })),
              entitlements: contract.entitlements.map((grant) => ({
                ...grant,
                remainingCredits: balances.get(grant.id) ?? 0,
              })),
            }),
          );
        const serviceGroupIds = groups
          .filter(({ serviceTypeIds }) => serviceTypeIds.includes(serviceTypeId))
          .map(({ id }) => id);
        const visit = { day, locationId, serviceTypeId, serviceGroupIds };
        const [draw] = findCoverage(own, held, visit, 1).draws;
        assert.deepEqual(
          [draw?.contractId, draw?.entitlementId],
          [contractId, booking.entitlementId],
          `${booking.id} at ${at}`,
        );
        if (!draw) continue;
        held.set(entitlementId, [...days, day]);
        const balance = balances.get(entitlementId);
        if (balance !== undefined) balances.set(entitlementId, balance - 1);
        const contract = contracts.find(({ id }) => id === contractId);
        if (balance !== undefined)
          assert.ok(contract && contract.updatedAt >= at, "a draw changes its contract");
      }
      for (const { entitlements } of contracts)
        for (const { id, remainingCredits } of entitlements)
          if (balances.has(id)) assert.equal(balances.get(id), remainingCredits ?? 0);
    });
  }
});

function of<Kept>(records: readonly DemoRecord[], kind: DemoRecord["kind"]): Kept[] {
  return records.filter((record) => record.kind === kind) as unknown as Kept[];
}

function instantOf(start: string, timezone: string): number {
  const zone = findZone(timezone);
  const wallMs = parseWallClock(start);
  assert.ok(zone && wallMs !== undefined);
  return wallToInstant(zone, wallMs);
}
