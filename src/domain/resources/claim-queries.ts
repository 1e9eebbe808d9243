import { instantText } from "../../core/clock.ts";
import { MAX_DURATION_MINUTES } from "../../core/limits.ts";
import type { Database } from "../../db/database.ts";
import { pooled } from "../../db/statements.ts";
import { timestampText } from "../../db/timestamps.ts";
import { WALL_SLACK_MS } from "../recurrence/zones.ts";

const lockStatement = pooled(
  "lock_resources",
  `select id, name from resources where organization_id = $1 and id = any ($2::text[]) order by id for no key update`,
);

/** The resources with these ids: whoever claims one or gives it a class holds its row. */
export function lockResources(
  tx: Database,
  organizationId: string,
  ids: readonly string[],
): Promise<{ readonly id: string; readonly name: string }[]> {
  return tx.query(lockStatement, [organizationId, ids]);
}

const insertStatement = pooled(
  "insert_resource_claims",
  `insert into resource_claims (organization_id, session_id, resource_id, during)
   select $1, $2, id, tstzrange($4, $5) from unnest($3::text[]) as id`,
);

/** Refused by the constraint `resource_claims_overlap` if another session has one of them at that time. */
export async function insertClaims(
  tx: Database,
  organizationId: string,
  sessionId: string,
  resourceIds: readonly string[],
  { startAt, endAt }: { readonly startAt: number; readonly endAt: number },
): Promise<void> {
  await tx.query(insertStatement, [
    organizationId,
    sessionId,
    resourceIds,
    instantText(startAt),
    instantText(endAt),
  ]);
}

const deleteStatement = pooled(
  "delete_resource_claims",
  "delete from resource_claims where organization_id = $1 and session_id = any ($2::uuid[])",
);

/** Gives the resources of these sessions free. */
export async function dropClaims(
  tx: Database,
  organizationId: string,
  sessionIds: readonly string[],
): Promise<void> {
  await tx.query(deleteStatement, [organizationId, sessionIds]);
}

export interface Claim {
  readonly resourceId: string;
  readonly sessionId: string;
  readonly startMs: number;
  readonly endMs: number;
}

const listStatement = pooled(
  "list_resource_claims",
  `select resource_id as "resourceId", session_id as "sessionId",
     (extract(epoch from lower(during)) * 1000)::bigint as "startMs",
     (extract(epoch from upper(during)) * 1000)::bigint as "endMs"
   from resource_claims
   where organization_id = $1 and resource_id = any ($2::text[]) and during && tstzrange($3, $4)
     and session_id <> all ($5::uuid[])
   order by lower(during), resource_id, session_id`,
);

/** The claims on these resources that meet a stretch of time, but for those of some sessions. */
export function listClaims(
  tx: Database,
  organizationId: string,
  resourceIds: readonly string[],
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  except: readonly string[] = [],
): Promise<Claim[]> {
  return tx.query<Claim>(listStatement, [
    organizationId,
    resourceIds,
    timestampText(fromMs),
    timestampText(toMs),
    except,
  ]);
}

/** A class that takes place: a session of a type that does not hold its resources. */
export interface StoredClass {
  readonly id: string;
  readonly resourceIds: string[];
  readonly startMs: number;
  readonly durationMinutes: number;
}

const classesText = `
  select s.id, s.resource_ids as "resourceIds", (extract(epoch from s.start_at) * 1000)::bigint as "startMs",
    s.duration_minutes as "durationMinutes"
  from sessions s
  join service_types t on t.organization_id = $1 and t.id = s.service_type_id and not t.holds_resource
  where s.organization_id = $1 and s.status = 'scheduled' and s.resource_ids && $2::text[] and s.id <> $3
    and s.start_at < $5 and s.start_at + make_interval(mins => s.duration_minutes) > $4`;

// Nearly every session is shorter than a day. The few others are looked for as far back as one can last, by an index that
// has them alone: its condition must stand here as it stands there.
const classesStatement = pooled(
  "list_classes_with_resources",
  `${classesText} and s.start_at > $4::timestamptz - interval '1 day'
   union
   ${classesText} and s.duration_minutes > 1440 and s.start_at > $4::timestamptz - make_interval(mins => $6)
   order by "startMs", id`,
);

/** The stored classes with one of these resources that meet a stretch of time. */
export function listStoredClasses(
  tx: Database,
  organizationId: string,
  resourceIds: readonly string[],
  { id, startAt, endAt }: { readonly id: string; readonly startAt: number; readonly endAt: number },
): Promise<StoredClass[]> {
  return tx.query<StoredClass>(classesStatement, [
    organizationId,
    resourceIds,
    id,
    instantText(startAt),
    instantText(endAt),
    MAX_DURATION_MINUTES,
  ]);
}

/** Classes at a location, of a service type, or with one of some resources. */
export interface ClassSelection {
  readonly locationId?: string;
  readonly serviceTypeId?: string;
  readonly resourceIds?: readonly string[];
}

const isSelected = "(s.location_id = $2 or s.service_type_id = $3 or s.resource_ids && $4::text[])";

function selectionValues({ locationId, serviceTypeId, resourceIds }: ClassSelection): unknown[] {
  return [locationId ?? null, serviceTypeId ?? null, resourceIds ?? null];
}

const comingClasses = `
  from sessions s
  join service_types t on t.organization_id = $1 and t.id = s.service_type_id and not t.holds_resource
  join locations l on l.organization_id = $1 and l.id = s.location_id
  cross join lateral unnest(s.resource_ids) as named (id)`;
const areComing = `s.organization_id = $1 and ${isSelected} and s.status = 'scheduled' and s.start_at > $5`;

const classResourcesStatement = pooled(
  "list_resources_of_coming_classes",
  `select distinct named.id ${comingClasses} where ${areComing}`,
);

/** The resources of the stored classes that have not begun. */
export async function listClassResources(
  tx: Database,
  organizationId: string,
  which: ClassSelection,
  now: number,
): Promise<string[]> {
  const values = [organizationId, ...selectionValues(which), instantText(now)];
  const rows = await tx.query<{ id: string }>(classResourcesStatement, values);
  return rows.map(({ id }) => id);
}

const claimedClassStatement = pooled(
  "find_claim_on_coming_class",
  `select c.resource_id as "resourceId", c.session_id as "sessionId",
     (extract(epoch from lower(c.during)) * 1000)::bigint as "startMs",
     (extract(epoch from upper(c.during)) * 1000)::bigint as "endMs", l.timezone
   ${comingClasses}
   join resource_claims c on c.organization_id = $1 and c.resource_id = named.id
     and c.during && tstzrange(s.start_at, s.start_at + make_interval(mins => s.duration_minutes))
   where ${areComing}
   order by lower(c.during), c.resource_id, c.session_id limit 1`,
);

/** The first claim that meets one of the stored classes that have not begun, with the timezone of that class. */
export async function findClaimOnClass(
  tx: Database,
  organizationId: string,
  which: ClassSelection,
  now: number,
): Promise<(Claim & { readonly timezone: string }) | undefined> {
  const values = [organizationId, ...selectionValues(which), instantText(now)];
  const [claim] = await tx.query<Claim & { timezone: string }>(claimedClassStatement, values);
  return claim;
}

/** A schedule of classes, as far as it decides when a resource is taken. */
export interface ClassSchedule {
  readonly id: string;
  readonly resourceIds: string[];
  readonly durationMinutes: number;
  readonly start: string;
  readonly rrule?: string;
  readonly exdates: string[];
  readonly rdates: string[];
  readonly countedSlot?: string;
  readonly timezone: string;
}

const schedulesStatement = pooled(
  "list_class_schedules",
  `select s.id, s.resource_ids as "resourceIds", s.duration_minutes as "durationMinutes", s.start, s.rrule, s.exdates,
     s.rdates, s.counted_slot as "countedSlot", l.timezone
   from schedules s
   join locations l on l.organization_id = $1 and l.id = s.location_id and l.status = 'active'
   join service_types t on t.organization_id = $1 and t.id = s.service_type_id and t.status = 'active'
     and not t.holds_resource
   where s.organization_id = $1 and ${isSelected} and s.first_slot < $6
     and (s.last_slot is null or s.last_slot >= $5::timestamp - make_interval(mins => s.duration_minutes))
   order by s.id`,
);

/** The schedules of classes that may have slots in a stretch of time. */
export function listClassSchedules(
  tx: Database,
  organizationId: string,
  which: ClassSelection,
  { startAt, endAt }: { readonly startAt: number; readonly endAt: number },
): Promise<ClassSchedule[]> {
  return tx.query<ClassSchedule>(schedulesStatement, [
    organizationId,
    ...selectionValues(which),
    timestampText(startAt - WALL_SLACK_MS),
    timestampText(endAt + WALL_SLACK_MS),
  ]);
}

const takenStatement = pooled(
  "list_taken_slots_of",
  `select s.original_start as slot from sessions s
   where s.organization_id = $1 and s.schedule_id = $2 and s.original_start = any ($3::timestamp[])`,
);

/** Those of a schedule's slots that stored sessions stand for, as wall clocks. */
export async function listTakenOf(
  tx: Database,
  organizationId: string,
  scheduleId: string,
  walls: readonly string[],
): Promise<Set<string>> {
  const rows = await tx.query<{ slot: string }>(takenStatement, [organizationId, scheduleId, walls]);
  return new Set(rows.map(({ slot }) => slot));
}

const dropOfTypeStatement = pooled(
  "delete_claims_of_service_type",
  `delete from resource_claims c using sessions s
   where c.organization_id = $1 and s.organization_id = $1 and s.id = c.session_id and s.service_type_id = $2`,
);

/** Gives the resources of all sessions of a service type free. */
export async function dropClaimsOfType(
  tx: Database,
  organizationId: string,
  serviceTypeId: string,
): Promise<void> {
  await tx.query(dropOfTypeStatement, [organizationId, serviceTypeId]);
}

const takeStatement = pooled(
  "take_claims_of_location",
  `delete from resource_claims c using sessions s
   where c.organization_id = $1 and s.organization_id = $1 and s.id = c.session_id and s.location_id = $2
   returning c.session_id as "sessionId", c.resource_id as "resourceId"`,
);

/** Takes all claims of a location's sessions away, and says which there were. */
export function takeClaimsOf(
  tx: Database,
  organizationId: string,
  locationId: string,
): Promise<Pick<Claim, "sessionId" | "resourceId">[]> {
  return tx.query(takeStatement, [organizationId, locationId]);
}

const claimedSessions = `
  select s.id as session_id, g.resource_id, tstzrange(s.start_at, s.start_at + make_interval(mins => s.duration_minutes)) as during
  from unnest($2::uuid[], $3::text[]) as g (session_id, resource_id)
  join sessions s on s.organization_id = $1 and s.id = g.session_id`;

const putStatement = pooled(
  "put_claims",
  `insert into resource_claims (organization_id, session_id, resource_id, during)
   select $1, session_id, resource_id, during from (${claimedSessions}) moved`,
);

/** Stores claims at the times that their sessions have now. Refused by `resource_claims_overlap` if two meet. */
export async function putClaims(
  tx: Database,
  organizationId: string,
  claims: readonly Pick<Claim, "sessionId" | "resourceId">[],
): Promise<void> {
  await tx.query(putStatement, claimValues(organizationId, claims));
}

const meetingStatement = pooled(
  "find_meeting_claim",
  `with moved as (${claimedSessions}), others as (
     select session_id, resource_id, during from moved
     union all
     select session_id, resource_id, during from resource_claims
     where organization_id = $1 and resource_id = any ($3::text[])
   )
   select o.resource_id as "resourceId", o.session_id as "sessionId",
     (extract(epoch from lower(o.during)) * 1000)::bigint as "startMs",
     (extract(epoch from upper(o.during)) * 1000)::bigint as "endMs"
   from moved m
   join others o on o.resource_id = m.resource_id and o.session_id <> m.session_id and o.during && m.during
   order by lower(o.during), o.resource_id, o.session_id limit 1`,
);

/** The first claim that one of these would meet. */
export async function findMeetingClaim(
  tx: Database,
  organizationId: string,
  claims: readonly Pick<Claim, "sessionId" | "resourceId">[],
): Promise<Claim | undefined> {
  const [claim] = await tx.query<Claim>(meetingStatement, claimValues(organizationId, claims));
  return claim;
}

function claimValues(
  organizationId: string,
  claims: readonly Pick<Claim, "sessionId" | "resourceId">[],
): unknown[] {
  return [
    organizationId,
    claims.map(({ sessionId }) => sessionId),
    claims.map(({ resourceId }) => resourceId),
  ];
}

const dropOutdatedStatement = pooled(
  "drop_outdated_claims",
  `delete from resource_claims c
   where c.organization_id = $1 and not exists (
     select from sessions s
     join service_types t on t.organization_id = $1 and t.id = s.service_type_id and t.holds_resource
     where s.organization_id = $1 and s.id = c.session_id and s.status = 'scheduled' and s.booked_count > 0
       and c.resource_id = any (s.resource_ids)
       and c.during = tstzrange(s.start_at, s.start_at + make_interval(mins => s.duration_minutes))
   )`,
);

/** Drops claims that are not those of their sessions any more. */
export async function dropOutdatedClaims(tx: Database, organizationId: string): Promise<void> {
  await tx.query(dropOutdatedStatement, [organizationId]);
}

/** A session to come that should have claims and has not all of them. */
export interface UnclaimedSession {
  readonly id: string;
  readonly resourceIds: string[];
  readonly startMs: number;
  readonly endMs: number;
}

const unclaimedStatement = pooled(
  "list_unclaimed_sessions",
  `select s.id, s.resource_ids as "resourceIds", (extract(epoch from s.start_at) * 1000)::bigint as "startMs",
     (extract(epoch from s.start_at) * 1000)::bigint + s.duration_minutes::bigint * 60000 as "endMs"
   from sessions s
   join service_types t on t.organization_id = $1 and t.id = s.service_type_id and t.holds_resource
   where s.organization_id = $1 and s.status = 'scheduled' and s.booked_count > 0 and s.start_at > $2
     and cardinality(s.resource_ids) > 0
     and exists (
       select from unnest(s.resource_ids) as named (id) where not exists (
         select from resource_claims c
         where c.organization_id = $1 and c.session_id = s.id and c.resource_id = named.id
       )
     )
   order by s.start_at, s.id`,
);

export function listUnclaimed(
  tx: Database,
  organizationId: string,
  now: number,
): Promise<UnclaimedSession[]> {
  return tx.query<UnclaimedSession>(unclaimedStatement, [organizationId, instantText(now)]);
}

const claimFreeStatement = pooled(
  "claim_free_resources",
  `insert into resource_claims (organization_id, session_id, resource_id, during)
   select $1, s.id, named.id, tstzrange(s.start_at, s.start_at + make_interval(mins => s.duration_minutes))
   from sessions s cross join lateral (select distinct unnest(s.resource_ids) as id) as named
   where s.organization_id = $1 and s.id = any ($2::uuid[])
   order by s.start_at, s.id, named.id
   on conflict do nothing`,
);

/** Claims the resources of these sessions, but for those that others have at that time. */
export async function claimFree(
  tx: Database,
  organizationId: string,
  sessionIds: readonly string[],
): Promise<void> {
  await tx.query(claimFreeStatement, [organizationId, sessionIds]);
}
