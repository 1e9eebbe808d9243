import { instantText } from "../../core/clock.ts";
import type { UseKind } from "../../core/refusals.ts";
import type { Database } from "../../db/database.ts";
import { pooled, read, type Statement } from "../../db/statements.ts";
import { wholeList } from "../../db/whole-lists.ts";
import type { Location } from "./schema.ts";

const columns = "id, name, address, status, timezone";
/** The same of a row called `r`. */
export const locationColumns = "r.id, r.name, r.address, r.status, r.timezone";

const listStatement = pooled(
  "list_locations",
  `select ${columns} from locations where organization_id = $1 order by created_at, id`,
);

/** Every location, open or closed, in order of creation. */
export function listLocations(db: Database, organizationId: string): Promise<Location[]> {
  return db.query<Location>(listStatement, [organizationId]);
}

/** The same, with the version of the catalog in the same snapshot. */
export const readLocations = wholeList<Location>({
  name: "read_locations",
  reads: ["catalog"],
  table: "locations",
  columns: locationColumns,
  order: "r.created_at, r.id",
});

const idsStatement = read(
  "list_location_ids",
  "select id from locations where organization_id = $1 order by id",
);

export async function listLocationIds(db: Database, organizationId: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>(idsStatement, [organizationId]);
  return rows.map(({ id }) => id);
}

const openStatement = read(
  "has_open_location",
  `select exists (
     select from locations where organization_id = $1 and id = any ($2::uuid[]) and status = 'active'
   ) as found`,
);

/** Whether one of these locations is open. */
export async function hasOpenLocation(
  db: Database,
  organizationId: string,
  ids: readonly string[],
): Promise<boolean> {
  const [row] = await db.query<{ found: boolean }>(openStatement, [organizationId, ids]);
  return row?.found ?? false;
}

const organizationsStatement = read(
  "list_organizations_of_location",
  `select organization_id as "organizationId" from locations where id = $1 order by organization_id limit 2`,
);

/** The organizations that have a location with this id, at most two: an import may bring an id to a second one. */
export async function listOrganizationsOfLocation(db: Database, id: string): Promise<string[]> {
  const rows = await db.query<{ organizationId: string }>(organizationsStatement, [id]);
  return rows.map(({ organizationId }) => organizationId);
}

const findStatement = read(
  "find_location",
  `select ${columns} from locations where organization_id = $1 and id = $2`,
);

export async function findLocation(
  db: Database,
  organizationId: string,
  id: string,
): Promise<Location | undefined> {
  const [location] = await db.query<Location>(findStatement, [organizationId, id]);
  return location;
}

// Who deletes one waits for everybody who is storing something that refers to it, and lets nobody begin to.
const lockStatements = {
  change: pooled(
    "lock_location",
    `select ${columns} from locations where organization_id = $1 and id = $2 for no key update`,
  ),
  delete: pooled(
    "lock_location_to_delete",
    `select ${columns} from locations where organization_id = $1 and id = $2 for update`,
  ),
};

/** The location, which nobody else can change now. */
export async function lockLocation(
  tx: Database,
  organizationId: string,
  id: string,
  mode: keyof typeof lockStatements = "change",
): Promise<Location | undefined> {
  const [location] = await tx.query<Location>(lockStatements[mode], [organizationId, id]);
  return location;
}

// A colleague who was removed is kept for the audit trail and works nowhere: that is no use.
const usesStatement = pooled(
  "count_location_uses",
  `select
     (select count(*) from client_locations where organization_id = $1 and location_id = $2) as clients,
     (select count(*) from contract_locations where organization_id = $1 and location_id = $2) as contracts,
     (select count(*) from plan_locations where organization_id = $1 and location_id = $2) as plans,
     (select count(*) from schedules where organization_id = $1 and location_id = $2) as schedules,
     (select count(*) from sessions where organization_id = $1 and location_id = $2) as sessions,
     (select count(*) from staff_locations l
      join staff s on s.organization_id = l.organization_id and s.id = l.staff_id and s.status <> 'removed'
      where l.organization_id = $1 and l.location_id = $2) as staff`,
);

/** What refers to a location, by kind. */
export async function countLocationUses(
  tx: Database,
  organizationId: string,
  id: string,
): Promise<Partial<Record<UseKind, number>>> {
  const [counts] = await tx.query<Record<string, number>>(usesStatement, [organizationId, id]);
  return counts ?? {};
}

const insertStatement = pooled(
  "insert_location",
  `with stored as (
     insert into locations (organization_id, id, name, address, status, timezone, created_at)
     values ($1, $2, $3, $4, $5, $6, $7)
     returning ${columns}
   )
   select ${columns} from stored`,
);

export async function insertLocation(
  tx: Database,
  organizationId: string,
  location: Location,
  now: number,
): Promise<Location> {
  return writeLocation(tx, insertStatement, [...valuesOf(organizationId, location), instantText(now)]);
}

const updateStatement = pooled(
  "update_location",
  `with stored as (
     update locations set name = $3, address = $4, status = $5, timezone = $6
     where organization_id = $1 and id = $2
     returning ${columns}
   )
   select ${columns} from stored`,
);

/** Writes all members of a location that is there. */
export async function updateLocation(
  tx: Database,
  organizationId: string,
  location: Location,
): Promise<Location> {
  return writeLocation(tx, updateStatement, valuesOf(organizationId, location));
}

const deleteStatement = pooled(
  "delete_location",
  `with removed_staff as (
     delete from staff_locations where organization_id = $1 and location_id = $2
   ), gone as (
     delete from locations where organization_id = $1 and id = $2
   )
   select 1 as done`,
);

/** Deletes a location that nothing refers to. */
export async function deleteLocationRow(tx: Database, organizationId: string, id: string): Promise<void> {
  await tx.query(deleteStatement, [organizationId, id]);
}

function valuesOf(organizationId: string, { id, name, address, status, timezone }: Location): unknown[] {
  return [organizationId, id, name, address ?? null, status, timezone];
}

async function writeLocation(
  tx: Database,
  statement: Statement,
  values: readonly unknown[],
): Promise<Location> {
  const [stored] = await tx.query<Location>(statement, values);
  if (!stored) throw new Error("a write to locations returned no row");
  return stored;
}
