import type { Database } from "../../db/database.ts";
import { pooled } from "../../db/statements.ts";

/** The bookings of regulars that belong together. */

const keepStatement = pooled(
  "keep_bookings_together",
  "update bookings set fixed_place_id = $3 where organization_id = $1 and id = any ($2::uuid[])",
);

/** Makes bookings those of a fixed place, also of one that they did not belong to before. */
export async function keepTogether(
  tx: Database,
  organizationId: string,
  bookingIds: readonly string[],
  fixedPlaceId: string,
): Promise<void> {
  if (bookingIds.length > 0) await tx.query(keepStatement, [organizationId, bookingIds, fixedPlaceId]);
}

const clientStatement = pooled(
  "find_client_of_fixed_place",
  `select client_id as "clientId" from bookings where organization_id = $1 and fixed_place_id = $2 limit 1`,
);

export async function findClientOfFixedPlace(
  tx: Database,
  organizationId: string,
  fixedPlaceId: string,
): Promise<string | undefined> {
  const [row] = await tx.query<{ clientId: string }>(clientStatement, [organizationId, fixedPlaceId]);
  return row?.clientId;
}

/** A visit of a fixed place that has not begun, with the slot that it stands for. */
export interface FixedBooking {
  readonly id: string;
  readonly sessionId: string;
  readonly day: string;
  readonly scheduleId?: string;
  readonly originalStart?: string;
}

const bookingsStatement = pooled(
  "list_fixed_bookings",
  `select b.id, b.session_id as "sessionId", b.visit_date as day, s.schedule_id as "scheduleId",
     s.original_start as "originalStart"
   from bookings b join sessions s on s.organization_id = $1 and s.id = b.session_id
   where b.organization_id = $1 and b.fixed_place_id = $2 and b.state = 'booked' and b.visit_date >= $3::date
     and s.start_at > $4
   order by s.start_at, b.id`,
);

/** What of a fixed place is to come from a day on. */
export function listFixedBookings(
  tx: Database,
  organizationId: string,
  fixedPlaceId: string,
  { fromDay, at }: { readonly fromDay: string; readonly at: string },
): Promise<FixedBooking[]> {
  return tx.query<FixedBooking>(bookingsStatement, [organizationId, fixedPlaceId, fromDay, at]);
}

/** A weekly slot of a fixed place, with the days of its visits to come. */
export interface FixedPlaceRow {
  readonly id: string;
  readonly scheduleId?: string;
  readonly isoWeekday: number;
  readonly time: string;
  readonly serviceTypeName: string;
  readonly locationName: string;
  readonly timezone: string;
  readonly firstDay: string;
  readonly lastDay: string;
  readonly visits: number;
}

// By the slots that sessions stand for: one that was moved for once is no other place.
const placesStatement = pooled(
  "list_fixed_places",
  `select b.fixed_place_id as id, s.schedule_id as "scheduleId", p.weekday as "isoWeekday", p.time,
     t.name as "serviceTypeName", l.name as "locationName", l.timezone,
     min(b.visit_date)::text as "firstDay", max(b.visit_date)::text as "lastDay", count(*)::int as visits
   from bookings b
   join sessions s on s.organization_id = $1 and s.id = b.session_id
   join locations l on l.organization_id = $1 and l.id = s.location_id
   join service_types t on t.organization_id = $1 and t.id = s.service_type_id
   cross join lateral (
     select extract(isodow from coalesce(s.original_start, s.start))::int as weekday,
       to_char(coalesce(s.original_start, s.start), 'HH24:MI') as time
   ) p
   where b.organization_id = $1 and b.client_id = $2 and b.fixed_place_id is not null and b.state = 'booked'
     and s.start_at > $3
   group by b.fixed_place_id, s.schedule_id, p.weekday, p.time, t.name, l.name, l.timezone
   order by min(s.start_at), p.weekday, p.time, b.fixed_place_id`,
);

/** The fixed places of a client, slot by slot. */
export function listFixedPlaceRows(
  db: Database,
  organizationId: string,
  clientId: string,
  at: string,
): Promise<FixedPlaceRow[]> {
  return db.query<FixedPlaceRow>(placesStatement, [organizationId, clientId, at]);
}
