import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { AppError } from "../../src/core/errors.ts";
import { pooled } from "../../src/db/statements.ts";
import { cancelSession, reinstateSession } from "../../src/sessions/operations.ts";
import { startApi } from "../support/api.ts";
import { atInstant, BY, newBookingStudio } from "../support/booking-studio.ts";

/** Random operations of a front desk over two days. After each of them, what must hold at any time holds. */

const api = await startApi();
const RUNS = Number(process.env.WALKS ?? 5);
const STEPS = 40;

/** Hours of the walk; the sessions begin at 12:00, 18:00 and 36:00. */
const hour = fc.nat({ max: 3 });
const client = fc.nat({ max: 4 });
const session = fc.nat({ max: 2 });
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
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("pass" as const), hour }) },
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

test("seats, draws, balances, claims and the line agree after every operation", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: STEPS, maxLength: STEPS }), async (steps) => {
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
      const before = await api.db.query(balances, [studio.id]);
      let hours = 0;
      const done: string[] = [];
      for (const each of steps) {
        if (each.kind === "pass") hours += each.hour;
        // 00:00 in São Paulo, and a minute for each step.
        const at = new Date(Date.UTC(2026, 10, 16, 3 + hours, done.length)).toISOString();
        done.push(JSON.stringify(each));
        await perform(each, at);
        const where = `at ${at} after\n${done.join("\n")}`;
        assert.deepEqual(await studio.contradictions(), [], where);
        assert.deepEqual(await api.db.query(balances, [studio.id]), before, where);
        assert.deepEqual(await api.db.query(overlooked, [studio.id, always, at]), [], where);
      }

      async function perform(each: (typeof steps)[number], at: string): Promise<void> {
        const [known] = await api.db.query<{ bookings: string[]; waiting: string[] }>(ids, [studio.id]);
        const clientId = "client" in each ? (clients[each.client] ?? "") : "";
        const sessionId = "session" in each ? (sessions[each.session] ?? "") : "";
        const pick = (list: readonly string[] = []) =>
          "which" in each && list.length > 0 ? list[each.which % list.length] : undefined;
        const [bookingId, waitingId] = [pick(known?.bookings), pick(known?.waiting)];
        const visit = { clientId, session: { sessionId } };
        const db = atInstant(api.served, at);
        try {
          if (each.kind === "book")
            await studio.book(
              { ...visit, ...(each.uncovered === 0 && { uncovered: { reason: "owed" } }) },
              at,
            );
          if (each.kind === "checkIn") await studio.checkIn(visit, at);
          if (each.kind === "join") await studio.joinWaiting(visit, at);
          if (each.kind === "rest") await studio.markRest({ sessionId }, at);
          if (each.kind === "cancelSession")
            await cancelSession(db, BY, studio.id, { session: { sessionId }, reason: "ill" });
          if (each.kind === "reinstate")
            await reinstateSession(db, BY, studio.id, { session: { sessionId } });
          if (bookingId !== undefined) {
            const waived = each.kind === "cancel" && each.waive ? { waive: true, reason: "ill" } : {};
            if (each.kind === "cancel") await studio.cancelBooking({ bookingId, ...waived }, at);
            if (each.kind === "restore") await studio.restoreBooking({ bookingId }, at);
            if (each.kind === "cover") await studio.coverBooking({ bookingId }, at);
            if (each.kind === "attendance")
              await studio.setAttendance({ bookingId, state: each.state as "booked" }, at);
          }
          if (waitingId !== undefined && each.kind === "leave") await studio.leaveWaiting({ waitingId }, at);
          if (waitingId !== undefined && each.kind === "promote")
            await studio.promoteWaiting({ waitingId }, at);
        } catch (error) {
          // What is refused leaves nothing behind, which the next look shows.
          if (!(error instanceof AppError) || error.kind === "unavailable") throw error;
        }
      }
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
});
