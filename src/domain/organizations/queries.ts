import { createHash } from "node:crypto";
import type { DataClass } from "../../core/data-snapshot.ts";
import { type StoredVersions, storedVersions, versionsOf } from "../../db/data-version.ts";
import type { Database, ShortReads } from "../../db/database.ts";
import { ELSEWHERE, type Elsewhere, isHere } from "../../db/elsewhere.ts";
import { HISTORY } from "../../db/history.ts";
import { pooled, read } from "../../db/statements.ts";
import type { Organization, OrganizationSettings } from "./schema.ts";
import type { OrganizationStatus } from "./values.ts";

/** How many counter rows an organization has; see migration 0001. */
export const COUNTER_SLOTS = 16;

/** Writers spread over the counter slots, so that they rarely wait for each other. */
export function anySlot(): number {
  return Math.floor(Math.random() * COUNTER_SLOTS);
}

/** An organization as the operator sees it: with what is not on the wire. */
export type OrganizationRecord = Organization & {
  status: OrganizationStatus;
  /** How many requests a minute all of its keys may make together. 0 is no limit; if absent, that of the server holds. */
  requestsPerMinute?: number;
  /** The same for the records that it may store. */
  maxRecords?: number;
  /** The same for what it may upload. */
  uploadMegabytesPerDay?: number;
};

/** What the API shows of it. */
export const organizationColumns = `id, name, timezone, currency, tier as plan, joined_at as "joinedAt"`;
const columns = `${organizationColumns}, status, requests_per_minute as "requestsPerMinute",
  max_records as "maxRecords", upload_mb_per_day as "uploadMegabytesPerDay"`;

const findStatement = read("find_organization", `select ${columns} from organizations where id = $1`);

export async function findOrganization(db: Database, id: string): Promise<OrganizationRecord | undefined> {
  const [organization] = await db.query<OrganizationRecord>(findStatement, [id]);
  return organization;
}

const elsewhereStatement = read(
  "find_elsewhere",
  `select ${ELSEWHERE} as elsewhere from organizations o where o.id = $1`,
);

/** Where an organization is, if it is not here. */
export async function findElsewhere(db: Database, id: string): Promise<Elsewhere> {
  const [found] = await db.query<{ elsewhere?: string | null }>(elsewhereStatement, [id]);
  // The snapshot of a backup has null where others leave the member out.
  return found?.elsewhere ?? undefined;
}

const moveStatement = read(
  "find_move",
  `select ${ELSEWHERE} as elsewhere
   from organizations o join organization_moves m on m.organization_id = o.id and m.id = o.moving
   where o.id = $1`,
);

/** The move that an organization is in, or has left by. */
export async function findOrganizationMove(
  db: Database,
  id: string,
): Promise<{ readonly elsewhere?: string } | undefined> {
  const [found] = await db.query<{ elsewhere?: string }>(moveStatement, [id]);
  return found;
}

/** An organization of which this server may have no more than a copy. */
export type PlacedOrganization = OrganizationRecord & {
  /** The public address of the server that has it; absent if that is this one. */
  movedTo?: string;
  /** It is on its way to this server. */
  arriving?: true;
};

const placedColumns = `${columns}, nullif(${ELSEWHERE}, '') as "movedTo", nullif(${ELSEWHERE} = '', false) as arriving`;

const findPlacedStatement = pooled(
  "find_placed_organization",
  `select ${placedColumns} from organizations o where o.id = $1`,
);

export async function findPlacedOrganization(
  db: Database,
  id: string,
): Promise<PlacedOrganization | undefined> {
  const [organization] = await db.query<PlacedOrganization>(findPlacedStatement, [id]);
  return organization;
}

// Not "for update": that would make every new client wait, whose foreign key locks this row, too.
const lockStatement = pooled(
  "lock_organization",
  `select ${columns} from organizations where id = $1 for no key update`,
);

/** The organization, which nobody else can change now. Locked before anything of its own is. */
export async function lockOrganization(tx: Database, id: string): Promise<OrganizationRecord | undefined> {
  const [organization] = await tx.query<OrganizationRecord>(lockStatement, [id]);
  return organization;
}

/** The settings of an organization; ISO 8601 counts its days from Monday. */
const settingsColumns = `
  cancel_window_minutes as "cancelWindowMinutes", check_in_opens_minutes as "checkInOpensMinutes",
  case week_start when 7 then 'sunday' else 'monday' end as "weekStart", payment_days as "paymentDays",
  invoices_from as "invoicesFrom"`;

const findSettingsStatement = read(
  "find_settings",
  `select ${settingsColumns} from organizations where id = $1`,
);

export async function findSettings(db: Database, id: string): Promise<OrganizationSettings | undefined> {
  const [settings] = await db.query<OrganizationSettings>(findSettingsStatement, [id]);
  return settings;
}

const writeSettingsStatement = pooled(
  "write_settings",
  `update organizations set
     cancel_window_minutes = $2, check_in_opens_minutes = $3,
     week_start = case $4::text when 'sunday' then 7 else 1 end, payment_days = $5, invoices_from = $6
   where id = $1`,
);

/** Writes all settings. Nothing of them is on the API, so no version moves. */
export async function writeSettings(tx: Database, id: string, settings: OrganizationSettings): Promise<void> {
  const { cancelWindowMinutes, checkInOpensMinutes, weekStart, paymentDays, invoicesFrom } = settings;
  await tx.query(writeSettingsStatement, [
    id,
    cancelWindowMinutes,
    checkInOpensMinutes,
    weekStart,
    paymentDays,
    invoicesFrom ?? null,
  ]);
}

const listStatement = pooled(
  "list_organizations",
  `select ${placedColumns}, coalesce(
     (select sum(c.records) from organization_counters c where c.organization_id = o.id), 0
   )::bigint as records
   from organizations o where $1::uuid is null or o.id > $1 order by o.id limit $2`,
);
const countStatement = pooled("count_organizations", "select count(*) as total from organizations");

export interface ListedOrganization extends PlacedOrganization {
  /** How many it stores, up to some seconds ago. */
  records: number;
}

export interface OrganizationPage {
  readonly data: ListedOrganization[];
  /** How many there are in all. */
  readonly total: number;
  /** The id of the last one, if others follow. */
  readonly next?: string;
}

/** Organizations of the server in the order of their ids, which are that in which they were made, after one of them. */
export async function listOrganizations(
  db: Database,
  { after, limit }: { readonly after?: string | undefined; readonly limit: number },
): Promise<OrganizationPage> {
  const [found, [counted]] = await Promise.all([
    // One more than is asked for: only so it is known whether another follows.
    db.query<ListedOrganization>(listStatement, [after ?? null, limit + 1]),
    db.query<{ total: number }>(countStatement),
  ]);
  const data = found.slice(0, limit);
  const next = found.length > limit ? data.at(-1)?.id : undefined;
  return { data, total: counted?.total ?? 0, ...(next !== undefined && { next }) };
}

const idsStatement = pooled(
  "list_organization_ids",
  `select id from organizations where ($1::uuid is null or id > $1) and ${isHere("id")} order by id limit $2`,
);
const IDS_AT_ONCE = 1_000;

/** The ids of all organizations that are on this server, read as they are asked for. */
export async function* organizationIds(db: Database): AsyncGenerator<string> {
  for (let after: string | undefined; ; ) {
    const rows = await db.query<{ id: string }>(idsStatement, [after ?? null, IDS_AT_ONCE]);
    for (const { id } of rows) yield id;
    if (rows.length < IDS_AT_ONCE) return;
    after = rows.at(-1)?.id;
  }
}

const insertStatement = pooled(
  "insert_organization",
  `with organization as (
     insert into organizations (id, name, timezone, currency, tier, status, joined_at)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (id) do nothing
     returning *
   ), counters as (
     insert into organization_counters (organization_id, slot)
     select organization.id, slot from organization, generate_series(0, $8::int - 1) as slot
   )
   select ${columns} from organization`,
);

/** The limits of an organization that can be changed. */
export const LIMIT_NAMES = ["requestsPerMinute", "maxRecords", "uploadMegabytesPerDay"] as const;
type LimitName = (typeof LIMIT_NAMES)[number];

export type NewOrganization = Omit<OrganizationRecord, "$schema" | LimitName>;

/** The stored organization, or undefined if the id is taken. */
export async function insertOrganization(
  db: Database,
  organization: NewOrganization,
): Promise<OrganizationRecord | undefined> {
  const [stored] = await db.query<OrganizationRecord>(insertStatement, [
    organization.id,
    organization.name,
    organization.timezone,
    organization.currency,
    organization.plan,
    organization.status,
    organization.joinedAt,
    COUNTER_SLOTS,
  ]);
  return stored;
}

const updateStatement = pooled(
  "update_organization",
  `with changed as (
     update organizations set
       name = coalesce($2, name),
       tier = coalesce($3, tier),
       status = coalesce($4, status),
       timezone = coalesce($5, timezone),
       currency = coalesce($6, currency),
       joined_at = coalesce($7::timestamptz, joined_at),
       requests_per_minute = case when $8::int is null then requests_per_minute else nullif($8::int, -1) end,
       max_records = case when $9::bigint is null then max_records else nullif($9::bigint, -1) end,
       upload_mb_per_day = case when $10::int is null then upload_mb_per_day else nullif($10::int, -1) end
     where id = $1
     returning *
   )
   select ${columns} from changed`,
);

/** A limit: 0 for none, and `GENERAL_LIMIT` for that of the server. */
export type OrganizationChange = Partial<Omit<NewOrganization, "id">> & {
  readonly [Name in LimitName]?: number;
};

export const GENERAL_LIMIT = -1;

/** The organization after the change, or undefined if there is none. */
export async function updateOrganization(
  db: Database,
  id: string,
  change: OrganizationChange,
): Promise<OrganizationRecord | undefined> {
  const [stored] = await db.query<OrganizationRecord>(updateStatement, [
    id,
    change.name ?? null,
    change.plan ?? null,
    change.status ?? null,
    change.timezone ?? null,
    change.currency ?? null,
    change.joinedAt ?? null,
    ...LIMIT_NAMES.map((name) => change[name] ?? null),
  ]);
  return stored;
}

const versionsStatement = read("find_versions", `select ${storedVersions("$1")}`);

/** The versions of an organization's data, as the gate reports them. */
export async function findVersions(
  db: ShortReads,
  organizationId: string,
): Promise<Readonly<Record<DataClass, number>>> {
  const [stored] = await db.query<StoredVersions>(versionsStatement, [organizationId]);
  if (!stored) throw new Error("an array has one row");
  return versionsOf(stored);
}

const staffVersionsStatement = read(
  "find_staff_versions",
  `select w.id, ${HISTORY} as history, ${storedVersions("w.id")}, coalesce(
     (select sum(s.version) from staff_versions s where s.organization_id = w.id), 0
   )::bigint as staff
   from unnest($1::uuid[]) as w (id) join organizations o on o.id = w.id`,
);
/** So that no statement takes long that others of its connection wait for. */
const ORGANIZATIONS_AT_ONCE = 100;

/**
 * A text for each organization that is another one after every write to what the staff is shown: the data of the API,
 * and all that is written with an audit entry.
 */
export async function findStaffVersions(
  db: ShortReads,
  organizationIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (let from = 0; from < organizationIds.length; from += ORGANIZATIONS_AT_ONCE) {
    const some = organizationIds.slice(from, from + ORGANIZATIONS_AT_ONCE);
    const rows = await db.query<StoredVersions & { id: string; history: string; staff: number }>(
      staffVersionsStatement,
      [some],
    );
    for (const { id, history, staff, ...stored } of rows) {
      const { catalog, clients, contracts, sessions } = versionsOf(stored);
      const versions = [history, catalog, clients, contracts, sessions, staff].join();
      found.set(id, createHash("sha256").update(versions).digest("base64url").slice(0, 22));
    }
  }
  return found;
}

const pricedStatement = pooled(
  "count_other_currencies",
  `select (select count(*) from plans where organization_id = $1 and currency <> $2) as plans,
     (select count(*) from contracts
      where organization_id = $1 and currency <> $2 and status in ('active', 'paused')) as contracts,
     exists (select from invoices where organization_id = $1)
       or exists (select from payments where organization_id = $1) as "hasMoney"`,
);

/** What would be in another currency than the organization's. */
export interface OtherCurrencies {
  readonly plans: number;
  readonly contracts: number;
  /** Whether there are invoices or payments, whose amounts are in the one that it has. */
  readonly hasMoney: boolean;
}

/** How many plans, and contracts that are not over, have their price in another currency than this one. */
export async function countOtherCurrencies(
  tx: Database,
  id: string,
  currency: string,
): Promise<OtherCurrencies> {
  const [counts] = await tx.query<OtherCurrencies>(pricedStatement, [id, currency]);
  return counts ?? { plans: 0, contracts: 0, hasMoney: false };
}
