import type { Role } from "../../core/actor.ts";
import { type StoredVersions, storedVersions } from "../../db/data-version.ts";
import type { ShortReads } from "../../db/database.ts";
import { ELSEWHERE, type Elsewhere } from "../../db/elsewhere.ts";
import { HISTORY } from "../../db/history.ts";
import { read } from "../../db/statements.ts";
import type { OrganizationStatus } from "../organizations/values.ts";

/**
 * What every request of somebody who has signed in must know: who it is, what they may do, in which state the
 * organization is and which versions its data have. True at the time of the statement, on every node, and never kept.
 */
export interface SignInAdmission extends StoredVersions {
  readonly signInId: string;
  readonly device: string | undefined;
  readonly staffId: string;
  readonly name: string;
  readonly email: string;
  readonly role: Role;
  readonly allLocations: boolean;
  readonly locationIds: readonly string[];
  /** Of a teacher. */
  readonly resourceId?: string;
  readonly organizationId: string;
  readonly organizationName: string;
  readonly organizationStatus: OrganizationStatus;
  readonly elsewhere?: Elsewhere;
  readonly timezone: string;
  readonly currency: string;
  /** How many records the organization may store; absent if it has no limit of its own. */
  readonly maxRecords?: number;
  readonly cancelWindowMinutes: number;
  readonly checkInOpensMinutes: number;
  readonly weekStart: "monday" | "sunday";
  readonly history: string;
  /** The status of a contract was to change by now, and nobody has looked since. */
  readonly isDue: boolean;
  /** When the password was entered last. */
  readonly freshAt: string;
  /** Its use has not been recorded within the last minute. */
  readonly lastUseIsStale: boolean;
  /** The time of PostgreSQL in milliseconds, without `CLOCK_OFFSET`. */
  readonly clockMs: number;
}

/** A sign-in ends so long after its last use, and so long after it began. */
export const IDLE = "interval '12 hours'";
export const LIFETIME = "interval '14 days'";

const admitStatement = read(
  "admit_sign_in",
  `select i.id as "signInId", i.device, s.id as "staffId", s.name, s.email, s.role, s.all_locations as "allLocations",
     s.resource_id as "resourceId",
     array(
       select l.location_id from staff_locations l
       where l.organization_id = s.organization_id and l.staff_id = s.id order by l.location_id
     ) as "locationIds",
     o.id as "organizationId", o.name as "organizationName", o.status as "organizationStatus", ${ELSEWHERE} as elsewhere,
     o.timezone, o.currency, o.max_records as "maxRecords",
     o.cancel_window_minutes as "cancelWindowMinutes", o.check_in_opens_minutes as "checkInOpensMinutes",
     case o.week_start when 7 then 'sunday' else 'monday' end as "weekStart",
     ${HISTORY} as history, ${storedVersions("i.organization_id")}, coalesce(o.due_at <= t.now, false) as "isDue", i.fresh_at as "freshAt",
     i.seen_at < t.now - interval '1 minute' as "lastUseIsStale",
     floor(date_part('epoch', statement_timestamp()) * 1000)::bigint as "clockMs"
   from sign_ins i
   cross join (select statement_timestamp() + $2::interval as now) t
   join staff s on s.organization_id = i.organization_id and s.id = i.staff_id
   join organizations o on o.id = i.organization_id
   where i.hash = $1 and i.ended_at is null and s.status = 'active'
     and i.seen_at > t.now - ${IDLE} and i.created_at > t.now - ${LIFETIME}`,
);

/** Whose sign-in it is; undefined if there is none that holds. */
export async function admitSignIn(db: ShortReads, hash: Buffer): Promise<SignInAdmission | undefined> {
  const [admission] = await db.query<SignInAdmission>(admitStatement, [
    hash,
    `${db.clockOffsetMs / 1000} seconds`,
  ]);
  return admission;
}

// Ten tries at once, then one a minute. The time that passes is measured, so CLOCK_OFFSET does not count.
//
// At 09:00:00 ten tries: free_at = 09:10. The eleventh is refused, since 09:10 > 09:00 + 9 minutes. At 09:01 one is let
// through: free_at = 09:11.
const tryStatement = read(
  "try_sign_in",
  `with tried as (
     insert into sign_in_tries as t (mark, free_at) values ($1, statement_timestamp() + interval '1 minute')
     on conflict (mark) do update set free_at = greatest(t.free_at, statement_timestamp()) + interval '1 minute'
     where t.free_at <= statement_timestamp() + interval '9 minutes'
     returning 1
   )
   select exists (select from tried) as "isAdmitted",
     coalesce((
       select ceil(date_part('epoch', t.free_at - statement_timestamp())) - 540 from sign_in_tries t where t.mark = $1
     ), 0)::int as "waitSeconds"`,
);

/** Counts a try. If there were too many: how many seconds to wait for the next. */
export async function countTry(db: ShortReads, mark: Buffer): Promise<number | undefined> {
  const [row] = await db.query<{ isAdmitted: boolean; waitSeconds: number }>(tryStatement, [mark]);
  if (!row) throw new Error("a try was neither counted nor refused");
  return row.isAdmitted ? undefined : Math.max(1, row.waitSeconds);
}

const returnStatement = read(
  "return_sign_in_try",
  "update sign_in_tries set free_at = free_at - interval '1 minute' where mark = $1",
);

/** A try that was right does not count. Only its own: others for the same address stay counted. */
export async function returnTry(db: ShortReads, mark: Buffer): Promise<void> {
  await db.query(returnStatement, [mark]);
}
