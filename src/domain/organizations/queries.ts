import { createHash } from "node:crypto";
import type { DataClass } from "../../core/data-snapshot.ts";
import { type StoredVersions, storedVersions, versionsOf } from "../../db/data-version.ts";
import type { Database, ShortReads } from "../../db/database.ts";
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

/** An organization as the operator sees it: with the status that is not on the wire. */
export type OrganizationRecord = Organization & { status: OrganizationStatus };

/** What the API shows of it. */
export const organizationColumns = `id, name, timezone, currency, tier as plan, joined_at as "joinedAt"`;
const columns = `${organizationColumns}, status`;

const findStatement = read("find_organization", `select ${columns} from organizations where id = $1`);

export async function findOrganization(db: Database, id: string): Promise<OrganizationRecord | undefined> {
  const [organization] = await db.query<OrganizationRecord>(findStatement, [id]);
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

const listStatement = pooled("list_organizations", `select ${columns} from organizations order by id`);

export function listOrganizations(db: Database): Promise<OrganizationRecord[]> {
  return db.query<OrganizationRecord>(listStatement);
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

export type NewOrganization = Omit<OrganizationRecord, "$schema">;

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
       joined_at = coalesce($7::timestamptz, joined_at)
     where id = $1
     returning *
   )
   select ${columns} from changed`,
);

export type OrganizationChange = Partial<Omit<NewOrganization, "id">>;

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
   from unnest($1::uuid[]) as w (id)`,
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
