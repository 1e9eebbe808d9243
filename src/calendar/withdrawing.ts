import type { OpenOrganization } from "../contracts/open-organization.ts";
import { refusal } from "../core/errors.ts";
import { type ChangeCounts, NO_CHANGES } from "../core/written.ts";
import { pooled } from "../db/statements.ts";
import { moveVersions } from "../organizations/queries.ts";

/** Which sessions leave the calendar: those of a location, of a service type, or these. */
export type WithdrawnSessions =
  | { readonly locationId: string }
  | { readonly serviceTypeId: string }
  | { readonly sessionIds: readonly string[] };

const lockStatement = pooled(
  "lock_sessions_to_withdraw",
  `select id, booked_count as "bookedCount" from sessions
   where organization_id = $1 and status = 'scheduled' and start_at > $2
     and ($3::uuid is null or location_id = $3) and ($4::uuid is null or service_type_id = $4)
     and ($5::uuid[] is null or id = any($5))
   order by id for no key update`,
);
const cancelStatement = pooled(
  "cancel_withdrawn_sessions",
  `update sessions set status = 'cancelled', booked_count = 0
   where organization_id = $1 and id = any($2::uuid[])`,
);

/**
 * Takes sessions out of the calendar because what they belong to goes out of use: the stored ones that have not begun are
 * cancelled. If a seat is taken in any of them, only if that was said. Computed slots just stop.
 */
export async function withdrawSessions(
  { tx, organizationId, at }: OpenOrganization,
  which: WithdrawnSessions,
  { cancelBooked }: { readonly cancelBooked: boolean; readonly auditId: string },
): Promise<ChangeCounts> {
  const sessions = await tx.query<{ id: string; bookedCount: number }>(lockStatement, [
    organizationId,
    at,
    "locationId" in which ? which.locationId : null,
    "serviceTypeId" in which ? which.serviceTypeId : null,
    "sessionIds" in which ? which.sessionIds : null,
  ]);
  const booked = sessions.filter(({ bookedCount }) => bookedCount > 0);
  const count = booked.reduce((sum, { bookedCount }) => sum + bookedCount, 0);
  if (booked.length > 0 && !cancelBooked)
    throw refusal("has_bookings", {
      params: { count },
      facts: { sessions: booked.length, bookings: count },
    });
  if (sessions.length === 0) return NO_CHANGES;
  await tx.query(cancelStatement, [organizationId, sessions.map(({ id }) => id)]);
  await moveVersions(tx, organizationId, ["sessions"]);
  return { ...NO_CHANGES, sessions: sessions.length };
}
