import { instantText } from "../../core/clock.ts";
import type { Database } from "../../db/database.ts";
import { pooled, read } from "../../db/statements.ts";
import type { CalendarLink } from "./schema.ts";
import type { LinkLanguage } from "./values.ts";

/** What a link shows. */
export interface LinkScope {
  readonly name?: string | undefined;
  readonly clientId?: string | undefined;
  readonly locationId?: string | undefined;
  readonly serviceTypeId?: string | undefined;
  readonly resourceId?: string | undefined;
  readonly pastDays: number;
  readonly aheadDays: number;
  readonly language: LinkLanguage;
  readonly showSeats: boolean;
}

/** What is told of a link together with its admission, so that most fetches need nothing else. */
export interface AdmittedLink extends LinkScope {
  readonly organizationName: string;
  /** As it is stored: the last day that was shown, if that was not the whole window. */
  readonly shownUntil?: string;
  /** Of the location that it is limited to. */
  readonly locationTimezone?: string;
}

/** A link is expired or not by the time of the given parameter. */
const columns = (now: string) => `
  k.id, k.name, k.client_id as "clientId", k.location_id as "locationId", k.service_type_id as "serviceTypeId",
  k.resource as "resourceId", k.past_days as "pastDays", k.ahead_days as "aheadDays", k.language,
  k.show_seats as "showSeats",
  case when k.revoked_at is not null then 'revoked' when k.expires_at <= ${now} then 'expired' else 'active' end as status,
  k.created_at as "createdAt", k.expires_at as "expiresAt", k.revoked_at as "revokedAt",
  k.last_fetched_at as "lastFetchedAt", k.shown_until as "shownUntil",
  (select c.contact_name from clients c where c.organization_id = k.organization_id and c.id = k.client_id)
    as "clientName"`;

const insertStatement = pooled(
  "insert_calendar_link",
  `insert into ics_links as k (organization_id, id, hash, name, client_id, location_id, service_type_id, resource,
     past_days, ahead_days, language, show_seats, lifetime, created_at, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13 * interval '1 second', $14::timestamptz,
     $14::timestamptz + $13 * interval '1 second')
   returning ${columns("$14::timestamptz")}`,
);

export interface NewCalendarLinkRow extends LinkScope {
  readonly id: string;
  readonly hash: Buffer;
  readonly lifetimeSeconds?: number | undefined;
}

export async function insertCalendarLink(
  tx: Database,
  organizationId: string,
  link: NewCalendarLinkRow,
  now: number,
): Promise<CalendarLink> {
  const [stored] = await tx.query<CalendarLink>(insertStatement, [
    organizationId,
    link.id,
    link.hash,
    link.name ?? null,
    link.clientId ?? null,
    link.locationId ?? null,
    link.serviceTypeId ?? null,
    link.resourceId ?? null,
    link.pastDays,
    link.aheadDays,
    link.language,
    link.showSeats,
    link.lifetimeSeconds ?? null,
    instantText(now),
  ]);
  if (!stored) throw new Error("insert into ics_links returned no row");
  return stored;
}

const listStatement = pooled(
  "list_calendar_links",
  `select ${columns("$2::timestamptz")} from ics_links k
   where k.organization_id = $1 and ($3::uuid is null or k.client_id = $3) order by k.id`,
);

/** All links, those that have ended too, oldest first; or those of one client. */
export function listCalendarLinks(
  db: Database,
  organizationId: string,
  now: number,
  clientId?: string,
): Promise<CalendarLink[]> {
  return db.query<CalendarLink>(listStatement, [organizationId, instantText(now), clientId ?? null]);
}

const findStatement = read(
  "find_calendar_link",
  `select ${columns("$3::timestamptz")} from ics_links k where k.organization_id = $1 and k.id = $2`,
);

export async function findCalendarLink(
  db: Database,
  organizationId: string,
  id: string,
): Promise<CalendarLink | undefined> {
  const now = instantText(await db.now());
  const [link] = await db.query<CalendarLink>(findStatement, [organizationId, id, now]);
  return link;
}

const organizationStatement = read(
  "find_organization_of_calendar_link",
  `select organization_id as "organizationId" from ics_links where id = $1`,
);

/** For operators, who name a link by its id alone. */
export async function findOrganizationOfLink(db: Database, id: string): Promise<string | undefined> {
  const [link] = await db.query<{ organizationId: string }>(organizationStatement, [id]);
  return link?.organizationId;
}

const lockStatement = pooled(
  "lock_calendar_link",
  `select ${columns("$3::timestamptz")}, extract(epoch from k.lifetime)::bigint as "lifetimeSeconds"
   from ics_links k where k.organization_id = $1 and k.id = $2 for update of k`,
);

/** The link, which nobody else can change now, and how long it was meant to live. */
export async function lockCalendarLink(
  tx: Database,
  organizationId: string,
  id: string,
  now: number,
): Promise<(CalendarLink & { readonly lifetimeSeconds?: number }) | undefined> {
  const [link] = await tx.query<CalendarLink & { lifetimeSeconds?: number }>(lockStatement, [
    organizationId,
    id,
    instantText(now),
  ]);
  return link;
}

const revokeStatement = pooled(
  "revoke_calendar_link",
  `update ics_links k set revoked_at = coalesce(k.revoked_at, $3::timestamptz)
   where k.organization_id = $1 and k.id = $2 returning ${columns("$3::timestamptz")}`,
);

export async function revokeLinkRow(
  tx: Database,
  organizationId: string,
  id: string,
  now: number,
): Promise<CalendarLink | undefined> {
  const [link] = await tx.query<CalendarLink>(revokeStatement, [organizationId, id, instantText(now)]);
  return link;
}

const revokeAllStatement = pooled(
  "revoke_all_calendar_links",
  `with revoked as (update ics_links set revoked_at = $1::timestamptz where revoked_at is null returning id)
   select count(*) as count from revoked`,
);

/** Ends every link of every organization and returns how many there were. */
export async function revokeAllLinks(tx: Database, now: number): Promise<number> {
  const [row] = await tx.query<{ count: number }>(revokeAllStatement, [instantText(now)]);
  return row?.count ?? 0;
}

const shortenStatement = pooled(
  "shorten_calendar_link",
  `update ics_links set expires_at = least(expires_at, $4::timestamptz + $3 * interval '1 second')
   where organization_id = $1 and id = $2`,
);

/** Lets a link end after the given time, unless it ends sooner anyway. */
export async function shortenLink(
  tx: Database,
  organizationId: string,
  id: string,
  seconds: number,
  now: number,
): Promise<void> {
  await tx.query(shortenStatement, [organizationId, id, seconds, instantText(now)]);
}

const touchStatement = pooled(
  "touch_calendar_link",
  `update ics_links set last_fetched_at = $3::timestamptz
   where organization_id = $1 and id = $2
     and (last_fetched_at is null or last_fetched_at < $3::timestamptz - interval '1 minute')`,
);

/** Records that a link was fetched; at most once a minute, however many processes say so. */
export async function touchLink(
  db: Database,
  id: string,
  now: number,
  organizationId: string,
): Promise<void> {
  await db.query(touchStatement, [organizationId, id, instantText(now)]);
}

const storeShownStatement = pooled(
  "store_shown_until",
  `update ics_links set shown_until = $3::date
   where organization_id = $1 and id = $2`,
);

/** Records the last day that a link showed, if that was not its whole window. */
export async function storeShownUntil(
  db: Database,
  organizationId: string,
  id: string,
  day: string | undefined,
): Promise<void> {
  await db.query(storeShownStatement, [organizationId, id, day ?? null]);
}

const knownStatement = pooled(
  "find_link_references",
  `select
     exists (select from locations where organization_id = $1 and id = $2) as "locationId",
     exists (select from service_types where organization_id = $1 and id = $3) as "serviceTypeId",
     exists (select from resources where organization_id = $1 and id = $4) as "resourceId"`,
);

/** Which of the records that a link is limited to there are. */
export async function findReferences(
  tx: Database,
  organizationId: string,
  { locationId, serviceTypeId, resourceId }: Partial<LinkScope>,
): Promise<Record<"locationId" | "serviceTypeId" | "resourceId", boolean>> {
  const values = [locationId, serviceTypeId, resourceId].map((value) => value ?? null);
  const [found] = await tx.query<Record<"locationId" | "serviceTypeId" | "resourceId", boolean>>(
    knownStatement,
    [organizationId, ...values],
  );
  return found ?? { locationId: false, serviceTypeId: false, resourceId: false };
}
