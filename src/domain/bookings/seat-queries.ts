import type { Database } from "../../db/database.ts";
import { pooled } from "../../db/statements.ts";
import { SEATED } from "./queries.ts";
import type { Visitor } from "./rules.ts";

/** Who takes a seat, and the seats of a session. */

const visitorsStatement = pooled(
  "lock_visitors",
  `select c.id, c.status,
     exists (select from erasures e where e.organization_id = c.organization_id and e.client_id = c.id) as "isErased"
   from clients c where c.organization_id = $1 and c.id = any ($2::uuid[]) order by c.id for share of c`,
);

/** The client, whom nobody can archive or erase now. */
export async function lockVisitor(
  tx: Database,
  organizationId: string,
  id: string,
): Promise<Visitor | undefined> {
  return (await lockVisitors(tx, organizationId, [id])).get(id.toLowerCase());
}

/** By client. */
export async function lockVisitors(
  tx: Database,
  organizationId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Visitor>> {
  const rows = await tx.query<Visitor & { id: string }>(visitorsStatement, [organizationId, ids]);
  return new Map(rows.map(({ id, ...visitor }) => [id, visitor]));
}

const takeSeatStatement = pooled(
  "take_seat",
  `update sessions set booked_count = booked_count + 1
   where organization_id = $1 and id = $2 and status = 'scheduled' and booked_count < capacity
   returning booked_count as "bookedCount"`,
);

/** Takes a seat and returns how many are taken then; undefined if none was free. This decides every race for a seat. */
export async function takeSeat(
  tx: Database,
  organizationId: string,
  sessionId: string,
): Promise<number | undefined> {
  const [taken] = await tx.query<{ bookedCount: number }>(takeSeatStatement, [organizationId, sessionId]);
  return taken?.bookedCount;
}

const freeSeatsStatement = pooled(
  "free_seats",
  "update sessions set booked_count = booked_count - $3 where organization_id = $1 and id = $2",
);

export async function freeSeats(
  tx: Database,
  organizationId: string,
  sessionId: string,
  seats: number,
): Promise<void> {
  await tx.query(freeSeatsStatement, [organizationId, sessionId, seats]);
}

/** How the people of a session stand. */
export interface SeatCounts {
  /** Seats that have a name. */
  readonly named: number;
  readonly checkedIn: number;
  readonly waiting: number;
}

const countSeatsStatement = pooled(
  "count_named_seats",
  `select s.id,
     (select count(*) from bookings b where b.organization_id = $1 and b.session_id = s.id
        and b.state in ${SEATED}) as named,
     (select count(*) from bookings b where b.organization_id = $1 and b.session_id = s.id
        and b.state = 'attended') as "checkedIn",
     (select count(*) from waiting w where w.organization_id = $1 and w.session_id = s.id
        and w.left_at is null) as waiting
   from unnest($2::uuid[]) as s (id)`,
);

/** Of one session. */
export async function countSeats(
  tx: Database,
  organizationId: string,
  sessionId: string,
): Promise<SeatCounts> {
  const counts = await countSeatsOf(tx, organizationId, [sessionId]);
  return counts.get(sessionId) ?? { named: 0, checkedIn: 0, waiting: 0 };
}

/** By session. */
export async function countSeatsOf(
  tx: Database,
  organizationId: string,
  sessionIds: readonly string[],
): Promise<ReadonlyMap<string, SeatCounts>> {
  const rows = await tx.query<SeatCounts & { id: string }>(countSeatsStatement, [organizationId, sessionIds]);
  return new Map(rows.map(({ id, ...counts }) => [id, counts]));
}
