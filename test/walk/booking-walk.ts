import assert from "node:assert/strict";
import fc from "fast-check";
import { AppError } from "../../src/core/errors.ts";
import { pooled } from "../../src/db/statements.ts";
import { archiveClientByStaff, restoreClientByStaff } from "../../src/domain/clients/staff-operations.ts";
import { unblockAccess } from "../../src/domain/contracts/operations.ts";
import { editSchedule } from "../../src/domain/schedules/operations.ts";
import { cancelSession, editSession, reinstateSession } from "../../src/domain/sessions/operations.ts";
import type { TestApi } from "../support/api.ts";
import { atInstant, BY, newBookingStudio } from "../support/booking-studio.ts";
import type { WalkOptions, WalkTally } from "./walk.ts";

/** Random operations of a front desk over two days. After each of them, what must hold at any time holds. */

/** Hours of the walk; the sessions begin at 12:00, 18:00, 36:00 and, of a series, at 39:00. */
const hour = fc.nat({ max: 8 });
const client = fc.nat({ max: 4 });
const session = fc.nat({ max: 3 });
const which = fc.nat({ max: 30 });
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("book" as const),
      client,
      session,
      uncovered: fc.nat({ max: 5 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("cancel" as const), which, waive: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("restore" as const), which }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("checkIn" as const), client, session }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("attendance" as const),
      which,
      state: fc.constantFrom("booked", "attended", "no_show"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("rest" as const), session }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("cover" as const), which }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("join" as const), client, session }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("leave" as const), which }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("promote" as const), which }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("cancelSession" as const), session }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("reinstate" as const), session }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("resize" as const),
      session,
      capacity: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("pass" as const), hour }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("series" as const),
      capacity: fc.integer({ min: 1, max: 3 }),
      start: fc.constantFrom("2026-11-17T15:00", "2026-11-17T16:00"),
    }),
  },
  // What takes coverage away, and gives it back.
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("block" as const), client }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("unblock" as const), client }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("pause" as const), client }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("archive" as const), client }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("restoreClient" as const), client }) },
);

/** Credits that are left and draws that are held, by entitlement: together they never change here. */
const balances = pooled(
  "test_walk_balances",
  `select e.id, e.remaining_credits + (
     select count(*) from bookings b
     where b.organization_id = $1 and b.entitlement_id = e.id and b.state <> 'cancelled'
   ) as sum
   from contract_entitlements e where e.organization_id = $1 and e.type = 'credits' order by e.id`,
);

/** The seats with what they draw on, and whether that covers them now and they are a client's. */
const seats = pooled(
  "test_walk_seats",
  `select b.id, b.entitlement_id as "entitlementId", b.to_tell as "toTell", k.status = 'active' as "isClient",
     b.entitlement_id is null or (
       c.status in ('active', 'paused') and not c.access_blocked and e.revoked_at is null
       and b.visit_date between c.start_date and coalesce(c.end_date, 'infinity')
       and not exists (select from contract_pauses p where p.organization_id = $1 and p.contract_id = c.id
         and b.visit_date between p.first_day and coalesce(p.last_day, 'infinity'))
     ) as "isCovered"
   from bookings b
   join clients k on k.organization_id = $1 and k.id = b.client_id
   left join contracts c on c.organization_id = $1 and c.id = b.contract_id
   left join contract_entitlements e on e.organization_id = $1 and e.id = b.entitlement_id
   where b.organization_id = $1 and b.state in ('booked', 'attended', 'no_show')`,
);

interface Seat {
  readonly id: string;
  readonly entitlementId: string | null;
  readonly toTell: boolean;
  readonly isClient: boolean;
  readonly isCovered: boolean;
}

const contractOf = pooled(
  "test_walk_contract",
  "select id from contracts where organization_id = $1 and client_id = $2",
);

const ids = pooled(
  "test_walk_ids",
  `select array(select id::text from bookings where organization_id = $1 order by id) as bookings,
     array(select id::text from waiting where organization_id = $1 order by id) as waiting`,
);

/** Nobody in line could have been promoted when a seat came free in time, and was not. */
const overlooked = pooled(
  "test_walk_overlooked",
  `select 'a seat is free while ' || w.client_id || ' waits, who may always come' as it
   from waiting w join sessions s on s.organization_id = $1 and s.id = w.session_id
   where w.organization_id = $1 and w.left_at is null and w.client_id = $2 and s.status = 'scheduled'
     and s.booked_count < s.capacity and s.start_at - interval '3 hours' >= $3`,
);

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/**
 * Walks with `abreast` operations at once: one after the other, or as many callers that meet on the same few seats,
 * credits and places in line. What must hold is asked after each of them, or after each handful.
 */
export async function walkBookings(
  api: TestApi,
  { walks, steps, seed, abreast = 1 }: WalkOptions & { readonly abreast?: number },
): Promise<WalkTally> {
  const tally: WalkTally = new Map();
  const property = fc.asyncProperty(
    fc.array(step, { minLength: steps, maxLength: steps, size: "max" }),
    (taken) => takeSteps(api, taken, abreast, tally),
  );
  const ran = await fc.check(property, {
    numRuns: walks,
    ...(seed !== undefined && { seed }),
    endOnFailure: true,
  });
  // The steps are long and say little; the seed brings them back.
  if (ran.failed) throw new Error(`a walk with seed ${ran.seed} failed`, { cause: ran.errorInstance });
  return tally;
}

async function takeSteps(
  api: TestApi,
  steps: readonly Step[],
  abreast: number,
  tally: WalkTally,
): Promise<void> {
  const studio = await newBookingStudio(api);
  const always = await studio.member();
  const weekly = await studio.newClient();
  await studio.newContract(weekly, { period: "week", maxVisitsPerPeriod: 1 });
  const clients = [
    always,
    weekly,
    (await studio.packHolder(1)).clientId,
    (await studio.packHolder(2)).clientId,
    await studio.newClient(),
  ];
  const sessions = [
    await studio.session("2026-11-16T12:00", { capacity: 2 }),
    await studio.session("2026-11-16T18:00", { capacity: 1 }),
    await studio.session("2026-11-17T12:00", { capacity: 2, bookedCount: 1 }),
  ];
  const scheduleId = await studio.schedule({ start: "2026-11-17T15:00", capacity: 3 });
  const slot = { scheduleId, originalStart: "2026-11-17T15:00" };
  sessions.push(await studio.session("2026-11-17T15:00", { ...slot, capacity: 3 }));
  const before = await api.db.query(balances, [studio.id]);
  const readSeats = () => api.db.query<Seat>(seats, [studio.id]);
  let taken = new Map<string, Seat>();
  let hours = 0;
  const done: string[] = [];
  for (let first = 0; first < steps.length; first += abreast) {
    const handful = steps.slice(first, first + abreast);
    for (const each of handful) if (each.kind === "pass") hours += each.hour;
    // 00:00 in São Paulo, and a minute for each step.
    const at = new Date(Date.UTC(2026, 10, 16, 3 + hours, first)).toISOString();
    done.push(JSON.stringify(handful));
    await Promise.all(handful.map((each) => take(each, at)));
    const where = `at ${at} after\n${done.join("\n")}`;
    assert.deepEqual(await studio.contradictions(), [], where);
    const now = await readSeats();
    // Of several at once nobody knows which came first.
    if (abreast === 1) checkNewSeats(now, handful[0]?.kind === "reinstate", where);
    taken = new Map(now.map((seat) => [seat.id, seat]));
    assert.deepEqual(await api.db.query(balances, [studio.id]), before, where);
    assert.deepEqual(await api.db.query(overlooked, [studio.id, always, at]), [], where);
  }

  /**
   * Whoever got a seat, in whatever way, is a client, and who was brought back is to tell; whoever got another draw is
   * covered by it. Of these a client who was archived may be one: what a seat still owes can be paid afterwards.
   */
  function checkNewSeats(now: readonly Seat[], isReinstated: boolean, where: string): void {
    for (const { id, entitlementId, isClient, isCovered, toTell } of now) {
      const before = taken.get(id);
      if (!before) {
        assert.ok(isClient, `${id} is a seat of who is archived, ${where}`);
        assert.ok(!isReinstated || toTell, `${id} is back, and nobody tells them, ${where}`);
      }
      if (before?.entitlementId !== entitlementId)
        assert.ok(isCovered, `${id} draws on ${entitlementId}, which does not cover it, ${where}`);
    }
  }

  async function take(each: Step, at: string): Promise<void> {
    const counted = tally.get(each.kind) ?? { done: 0, refusals: new Map<string, number>() };
    tally.set(each.kind, counted);
    try {
      await perform(each, at);
      counted.done++;
    } catch (error) {
      // What is refused leaves nothing behind, which the next look shows.
      if (!(error instanceof AppError) || error.kind === "unavailable") throw error;
      const word = error.detail?.code ?? error.kind;
      counted.refusals.set(word, (counted.refusals.get(word) ?? 0) + 1);
    }
  }

  async function perform(each: Step, at: string): Promise<void> {
    const [known] = await api.db.query<{ bookings: string[]; waiting: string[] }>(ids, [studio.id]);
    const clientId = "client" in each ? (clients[each.client] ?? "") : "";
    const sessionId = "session" in each ? (sessions[each.session] ?? "") : "";
    const pick = (list: readonly string[] = []) =>
      "which" in each && list.length > 0 ? list[each.which % list.length] : undefined;
    const [bookingId, waitingId] = [pick(known?.bookings), pick(known?.waiting)];
    const visit = { clientId, session: { sessionId } };
    const db = atInstant(api.served, at);
    // The one who may always come stays so.
    const other = clientId === always ? undefined : clientId;
    const [contract] = other ? await api.db.query<{ id: string }>(contractOf, [studio.id, other]) : [];
    if (other && each.kind === "archive")
      await archiveClientByStaff({ db, actor: BY, organizationId: studio.id }, { clientId: other });
    if (other && each.kind === "restoreClient")
      await restoreClientByStaff({ db, actor: BY, organizationId: studio.id }, { clientId: other });
    if (contract) {
      const contractId = contract.id;
      if (each.kind === "block") await studio.blockAccess({ contractId, reason: "owes" }, at);
      if (each.kind === "unblock")
        await unblockAccess({ db, actor: BY, organizationId: studio.id }, { contractId });
      const days = { firstDay: "2026-11-17", lastDay: "2026-11-17" };
      if (each.kind === "pause") await studio.pauseContract({ contractId, ...days }, at);
    }
    if (each.kind === "series") {
      const { capacity, start } = each;
      await editSchedule(
        { db, actor: BY, organizationId: studio.id },
        { scheduleId, changes: { capacity, start } },
      );
    }
    if (each.kind === "book")
      await studio.book({ ...visit, ...(each.uncovered === 0 && { uncovered: { reason: "owed" } }) }, at);
    if (each.kind === "checkIn") await studio.checkIn(visit, at);
    if (each.kind === "join") await studio.joinWaiting(visit, at);
    if (each.kind === "rest") await studio.markRest({ sessionId }, at);
    if (each.kind === "cancelSession")
      await cancelSession(
        { db, actor: BY, organizationId: studio.id },
        { session: { sessionId }, reason: "ill" },
      );
    if (each.kind === "reinstate")
      await reinstateSession({ db, actor: BY, organizationId: studio.id }, { session: { sessionId } });
    if (each.kind === "resize") {
      const { capacity } = each;
      await editSession(
        { db, actor: BY, organizationId: studio.id },
        { session: { sessionId }, changes: { capacity } },
      );
    }
    if (bookingId !== undefined) {
      const waived = each.kind === "cancel" && each.waive ? { waive: true, reason: "ill" } : {};
      if (each.kind === "cancel") await studio.cancelBooking({ bookingId, ...waived }, at);
      if (each.kind === "restore") await studio.restoreBooking({ bookingId }, at);
      if (each.kind === "cover") await studio.coverBooking({ bookingId }, at);
      if (each.kind === "attendance")
        await studio.setAttendance({ bookingId, state: each.state as "booked" }, at);
    }
    if (waitingId !== undefined && each.kind === "leave") await studio.leaveWaiting({ waitingId }, at);
    if (waitingId !== undefined && each.kind === "promote") await studio.promoteWaiting({ waitingId }, at);
  }
}
