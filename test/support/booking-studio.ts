import assert from "node:assert/strict";
import type { Actor } from "../../src/core/actor.ts";
import { AppError } from "../../src/core/errors.ts";
import type { Database } from "../../src/db/database.ts";
import { pooled, type Statement } from "../../src/db/statements.ts";
import * as attendance from "../../src/domain/bookings/attendance.ts";
import * as fixedPlaces from "../../src/domain/bookings/fixed-places.ts";
import * as bookings from "../../src/domain/bookings/operations.ts";
import * as waitlist from "../../src/domain/bookings/waitlist.ts";
import * as contracts from "../../src/domain/contracts/operations.ts";
import type { WriteOperation } from "../../src/domain/writes/recorded-write.ts";
import type { TestApi } from "./api.ts";
import { addSchedule, addSession } from "./calendar.ts";
import { newId } from "./ids.ts";
import { addContract, addLocation, addServiceType, type TestContract } from "./records.ts";

/** A studio in São Paulo in which people are booked, at any instant that a test names. */

export const BY: Actor = { name: "staff:test", role: "front_desk", locationIds: undefined };
export const ZONE = "America/Sao_Paulo";
/** 2026-11-16 is a Monday; 09:00 on the studio's clocks. */
export const MONDAY = "2026-11-16T12:00:00.000Z";

const insertClient = pooled(
  "test_insert_visitor",
  `with made as (
     insert into clients (organization_id, id, status, contact_name, search) values ($1, $2, $3, $4, lower($4))
   )
   update organization_counters set clients_version = clients_version + 1, clients_active = clients_active + 1
   where organization_id = $1 and slot = 1`,
);

const resizeSession = pooled(
  "test_resize_session",
  "update sessions set capacity = $3, duration_minutes = 60 where organization_id = $1 and id = $2",
);

/** The database as it is at an instant: operations take their time from it, and from statements that bring it. */
export function atInstant(db: Database, instant: string): Database {
  return {
    query: async <Row extends object>(statement: Statement, values?: readonly unknown[]) => {
      const rows = await db.query<Row>(statement, values);
      return rows.map((row) => ("now" in row ? { ...row, now: Date.parse(instant) } : row));
    },
    transaction: (work) => db.transaction((tx) => work(atInstant(tx, instant))),
    snapshot: (work) => db.snapshot((tx) => work(atInstant(tx, instant))),
    now: async () => Date.parse(instant),
    clockOffsetMs: 0,
  };
}

export async function newBookingStudio(api: TestApi, timezone = ZONE, organizationTimezone = ZONE) {
  const studio = await api.newOrganization({ timezone: organizationTimezone });
  const { id } = studio;
  const locationId = await addLocation(api.db, id, { timezone });
  const serviceTypeId = await addServiceType(api.db, id);
  const place = { locationId, serviceTypeId, timezone };
  const bind =
    <Input, Result>(operation: WriteOperation<object, Input, Result>) =>
    (input: Input, instant = MONDAY, { actor = BY, node = api }: { actor?: Actor; node?: TestApi } = {}) =>
      operation({ db: atInstant(node.served, instant), actor, organizationId: id }, input);
  const newClient = async (name = "Ana", status = "active") => {
    const clientId = newId();
    await api.db.query(insertClient, [id, clientId, status, name]);
    return clientId;
  };
  const newContract = (clientId: string, entitlement: object, contract: Partial<TestContract> = {}) =>
    addContract(api.db, id, {
      clientId,
      entitlements: [{ id: newId(), type: "access", ...entitlement }],
      ...contract,
    });
  return {
    ...studio,
    place,
    newClient,
    newContract,
    /** A client who may come whenever. */
    async member(name?: string) {
      const clientId = await newClient(name);
      await newContract(clientId, {});
      return clientId;
    },
    /** A client with a pack of credits, and the contract. */
    async packHolder(credits: number, contract: Partial<TestContract> = {}) {
      const clientId = await newClient();
      const contractId = await newContract(
        clientId,
        { type: "credits", remainingCredits: credits },
        contract,
      );
      return { clientId, contractId };
    },
    async session(
      start: string,
      { capacity = 10, ...rest }: Partial<Parameters<typeof addSession>[2]> & { capacity?: number } = {},
    ) {
      const sessionId = await addSession(api.db, id, { ...place, start, bookedCount: 0, ...rest });
      await api.db.query(resizeSession, [id, sessionId, capacity]);
      return sessionId;
    },
    schedule: (schedule: Partial<Parameters<typeof addSchedule>[2]> & { start: string }) =>
      addSchedule(api.db, id, { ...place, ...schedule }),
    book: bind(bookings.book),
    bookMany: bind(fixedPlaces.bookMany),
    cancelBooking: bind(bookings.cancelBooking),
    restoreBooking: bind(bookings.restoreBooking),
    coverBooking: bind(bookings.coverBooking),
    markTold: bind(bookings.markTold),
    checkIn: bind(attendance.checkIn),
    setAttendance: bind(attendance.setAttendance),
    markRest: bind(attendance.markRest),
    unmarkRest: bind(attendance.unmarkRest),
    joinWaiting: bind(waitlist.joinWaiting),
    leaveWaiting: bind(waitlist.leaveWaiting),
    promoteWaiting: bind(waitlist.promoteWaiting),
    pauseContract: bind(contracts.pauseContract),
    cancelContract: bind(contracts.cancelContract),
    setEndDate: bind(contracts.setEndDate),
    reinstateContract: bind(contracts.reinstateContract),
    voidSale: bind(contracts.voidSale),
    blockAccess: bind(contracts.blockAccess),
    async shownSession(sessionId: string, day: string) {
      const window = new URLSearchParams({ from: `${day}T00:00:00Z`, to: `${day}T23:59:59Z` });
      const { body } = await studio.get(`/v1/calendar?${window}`);
      return (body.data as { id?: string; bookedCount: number; status: string }[]).find(
        (each) => each.id === sessionId,
      );
    },
    async shownContract(contractId: string) {
      const { body } = await studio.get(`/v1/contracts/${contractId}`);
      return {
        credits: body.entitlements[0].remainingCredits as number,
        updatedAt: body.updatedAt as string,
      };
    },
    async count(text: string): Promise<number> {
      const [row] = await api.db.query<{ count: number }>(
        pooled("", `select count(*) as count from ${text} and organization_id = $1`),
        [id],
      );
      return row?.count ?? 0;
    },
    /** What must hold at any time, as far as bookings go; the sentences of what does not. */
    contradictions: () => findContradictions(api.db, id),
  };
}

export type BookingStudio = Awaited<ReturnType<typeof newBookingStudio>>;

export async function findContradictions(db: Database, organizationId: string): Promise<string[]> {
  const rows = await db.query<{ it: string }>(contradictions, [organizationId]);
  return rows.map(({ it }) => it);
}

const contradictions = pooled(
  "test_booking_contradictions",
  `with seats as (
     select session_id, count(*) filter (where state in ('booked', 'attended', 'no_show')) as named
     from bookings where organization_id = $1 group by 1
   )
   select 'session ' || s.id || ' counts ' || s.booked_count || ' of ' || seats.named || ' named seats' as it
   from sessions s join seats on seats.session_id = s.id
   where s.organization_id = $1 and s.booked_count < seats.named
   union all
   select 'session ' || id || ' is overbooked: ' || booked_count || ' of ' || capacity
   from sessions where organization_id = $1 and booked_count > capacity
   union all
   select 'booking ' || b.id || ' has another day than its session' from bookings b
   join sessions s on s.organization_id = $1 and s.id = b.session_id
   where b.organization_id = $1 and b.visit_date <> s.start::date
   union all
   select 'booking ' || b.id || ' draws on another client' from bookings b
   join contracts c on c.organization_id = $1 and c.id = b.contract_id
   where b.organization_id = $1 and b.client_id <> c.client_id
   union all
   select 'entitlement ' || e.id || ' is drawn on ' || count(*) || ' times in a week' from contract_entitlements e
   join bookings b on b.organization_id = $1 and b.entitlement_id = e.id and b.state <> 'cancelled'
   where e.organization_id = $1 and e.period = 'week'
   group by e.id, e.max_visits_per_period, date_trunc('week', b.visit_date) having count(*) > e.max_visits_per_period
   union all
   select 'client ' || w.client_id || ' waits for a seat and has one' from waiting w
   join bookings b on b.organization_id = $1 and b.session_id = w.session_id and b.client_id = w.client_id
     and b.state in ('booked', 'attended', 'no_show')
   where w.organization_id = $1 and w.left_at is null
   union all
   select 'claim on ' || k.resource_id || ' without a seat' from resource_claims k
   join sessions s on s.organization_id = $1 and s.id = k.session_id
   where k.organization_id = $1 and (s.status <> 'scheduled' or s.booked_count = 0)`,
);

/** The word of a refusal, or the codes of the faults of an invalid input; `done` if it was not refused. */
export async function refused(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    assert.ok(error instanceof AppError, String(error));
    const faults = error.faults.map(({ location, code }) => `${location} ${code}`);
    if (faults.length > 0) return faults.join("; ");
    const { reasons = [] } = error.facts as { reasons?: readonly { reason: string }[] };
    const { time, date } = (error.detail?.params ?? {}) as { time?: string; date?: string };
    return [error.detail?.code ?? error.message, ...reasons.map(({ reason }) => reason), time, date]
      .filter(Boolean)
      .join(" ");
  }
  return "done";
}
