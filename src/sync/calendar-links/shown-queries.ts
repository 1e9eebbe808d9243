import type { Database } from "../../db/database.ts";
import { expensive } from "../../db/statements.ts";
import { timestampText } from "../../db/timestamps.ts";
import type { LinkScope } from "./queries.ts";

/** A stored session that a client has booked, as the client's calendar shows it. */
export interface BookedSessionRow {
  readonly id: string;
  readonly scheduleId?: string;
  /** The local date-time of its slot in milliseconds. */
  readonly slotMs?: number;
  readonly serviceTypeId: string;
  readonly locationId: string;
  readonly startMs: number;
  readonly durationMinutes: number;
  readonly capacity: number;
  readonly bookedCount: number;
  /** Whether the client has no seat any more, or the session does not take place. */
  readonly isCancelled: boolean;
}

// What was cancelled in time is gone; what was cancelled too late, or by the studio, is shown as cancelled.
const bookedStatement = expensive(
  "list_booked_sessions",
  `select s.id, s.schedule_id as "scheduleId", (extract(epoch from s.original_start) * 1000)::bigint as "slotMs",
     s.service_type_id as "serviceTypeId", s.location_id as "locationId",
     (extract(epoch from s.start_at) * 1000)::bigint as "startMs", s.duration_minutes as "durationMinutes",
     s.capacity, s.booked_count as "bookedCount", not b.has_seat or s.status = 'cancelled' as "isCancelled"
   from (
     select b.session_id, bool_or(b.state in ('booked', 'attended', 'no_show')) as has_seat,
       bool_or(b.state = 'late_cancelled') as was_late, array_agg(b.ended_by) as ended_by
     from bookings b where b.organization_id = $1 and b.client_id = $2
     group by b.session_id
   ) b
   join sessions s on s.organization_id = $1 and s.id = b.session_id
   where s.start_at >= $3 and s.start_at < $4
     and (b.has_seat or b.was_late or s.cancelled_by = any (b.ended_by))
     and ($5::uuid is null or s.location_id = $5)
     and ($6::uuid is null or s.service_type_id = $6)
     and ($7::text is null or $7 = any (s.resource_ids))
   order by s.start_at, s.id limit $8`,
);

/** The sessions of a window that a client has booked, in order of their start. */
export function listBookedSessions(
  tx: Database,
  organizationId: string,
  { clientId, locationId, serviceTypeId, resourceId }: LinkScope,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  limit: number,
): Promise<BookedSessionRow[]> {
  return tx.query<BookedSessionRow>(bookedStatement, [
    organizationId,
    clientId ?? null,
    timestampText(fromMs),
    timestampText(toMs),
    locationId ?? null,
    serviceTypeId ?? null,
    resourceId ?? null,
    limit,
  ]);
}

/** What a place is called and where it is. */
export interface PlaceRow {
  readonly id: string;
  readonly name: string;
  readonly address?: string;
  readonly timezone: string;
}

const placesStatement = expensive(
  "list_link_places",
  `select id, name, address, timezone from locations where organization_id = $1 and id = any ($2::uuid[])`,
);

export function listPlaces(
  tx: Database,
  organizationId: string,
  ids: readonly string[],
): Promise<PlaceRow[]> {
  return tx.query<PlaceRow>(placesStatement, [organizationId, ids]);
}

const serviceTypesStatement = expensive(
  "list_link_service_types",
  `select id, name from service_types where organization_id = $1 and id = any ($2::uuid[])`,
);

export function listServiceTypeNames(
  tx: Database,
  organizationId: string,
  ids: readonly string[],
): Promise<{ readonly id: string; readonly name: string }[]> {
  return tx.query(serviceTypesStatement, [organizationId, ids]);
}
