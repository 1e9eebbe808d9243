import type { UseKind } from "../../core/refusals.ts";
import { searchText } from "../../core/search.ts";
import type { Database, ShortReads } from "../../db/database.ts";
import { bySearch, byStatus, byUpdate, filteredList } from "../../db/filtered-lists.ts";
import { Lookup } from "../../db/lookup.ts";
import type { PageRequest } from "../../db/pages.ts";
import { pooled, read } from "../../db/statements.ts";
import { SERVICE_TYPE_STATUSES, type ServiceType, type ServiceTypeQuery } from "./schema.ts";

export const serviceTypeColumns = `
  r.id, r.name, r.description, r.holds_resource as "holdsResource", r.status,
  r.created_at as "createdAt", r.updated_at as "updatedAt"`;

/** Finds single service types. */
export function openServiceTypeLookup(db: ShortReads): Lookup<ServiceType, ServiceType> {
  return new Lookup(
    db,
    { name: "find_service_type", table: "service_types", columns: serviceTypeColumns },
    (row) => row,
  );
}

const serviceTypes = filteredList<Omit<ServiceTypeQuery, keyof PageRequest>, ServiceType>({
  table: "service_types",
  columns: serviceTypeColumns,
  reads: ["catalog"],
  filters: { status: byStatus, search: bySearch, update: byUpdate },
  statuses: SERVICE_TYPE_STATUSES,
});
export const listServiceTypes = serviceTypes.page;
/** Every service type that the filters match, newest first. */
export const readServiceTypes = serviceTypes.whole;

/** What the operations of the staff application read and write. */

const findStatement = read(
  "find_one_service_type",
  `select ${serviceTypeColumns} from service_types r where r.organization_id = $1 and r.id = $2`,
);

export async function findServiceType(
  db: Database,
  organizationId: string,
  id: string,
): Promise<ServiceType | undefined> {
  const [serviceType] = await db.query<ServiceType>(findStatement, [organizationId, id]);
  return serviceType;
}

// Who deletes one waits for everybody who is storing something that refers to it, and lets nobody begin to.
const lockStatements = {
  change: pooled(
    "lock_service_type",
    `select ${serviceTypeColumns} from service_types r
     where r.organization_id = $1 and r.id = $2 for no key update of r`,
  ),
  delete: pooled(
    "lock_service_type_to_delete",
    `select ${serviceTypeColumns} from service_types r where r.organization_id = $1 and r.id = $2 for update of r`,
  ),
};

/** The service type, which nobody else can change now. */
export async function lockServiceType(
  tx: Database,
  organizationId: string,
  id: string,
  mode: keyof typeof lockStatements = "change",
): Promise<ServiceType | undefined> {
  const [serviceType] = await tx.query<ServiceType>(lockStatements[mode], [organizationId, id]);
  return serviceType;
}

const knownStatement = read(
  "list_known_service_types",
  "select id from service_types where organization_id = $1 and id = any($2::uuid[])",
);

/** Those of the ids that are there. */
export async function listKnownServiceTypes(
  db: Database,
  organizationId: string,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await db.query<{ id: string }>(knownStatement, [organizationId, ids]);
  return rows.map(({ id }) => id);
}

/** A service type without what the database keeps of it. */
export type ServiceTypeContent = Pick<ServiceType, "name" | "description" | "holdsResource" | "status">;

const insertStatement = pooled(
  "insert_service_type",
  `insert into service_types (
     organization_id, id, name, description, holds_resource, status, search, created_at, updated_at
   )
   values ($1, $2, $3, $4, $5, $6, $7, $8, $8)`,
);
const updateStatement = pooled(
  "update_service_type",
  `update service_types set
     name = $3, description = $4, holds_resource = $5, status = $6, search = $7,
     updated_at = greatest($8::timestamptz, updated_at + interval '1 millisecond')
   where organization_id = $1 and id = $2`,
);

export async function insertServiceType(
  tx: Database,
  organizationId: string,
  id: string,
  content: ServiceTypeContent,
  at: string,
): Promise<void> {
  await tx.query(insertStatement, contentValues(organizationId, id, content, at));
}

export async function updateServiceType(
  tx: Database,
  organizationId: string,
  id: string,
  content: ServiceTypeContent,
  at: string,
): Promise<void> {
  await tx.query(updateStatement, contentValues(organizationId, id, content, at));
}

function contentValues(
  organizationId: string,
  id: string,
  { name, description, holdsResource, status }: ServiceTypeContent,
  at: string,
): unknown[] {
  return [organizationId, id, name, description ?? null, holdsResource, status, searchText([name]), at];
}

const usesStatement = pooled(
  "count_service_type_uses",
  `select
     (select count(*) from schedules where organization_id = $1 and service_type_id = $2) as schedules,
     (select count(*) from sessions where organization_id = $1 and service_type_id = $2) as sessions,
     (select count(*) from service_group_members where organization_id = $1 and service_type_id = $2) as "serviceGroups",
     (select count(distinct plan_id) from plan_entitlements
      where organization_id = $1 and service_type_id = $2) as plans,
     (select count(distinct contract_id) from contract_entitlements
      where organization_id = $1 and service_type_id = $2) as contracts`,
);

/** What refers to a service type, by kind. */
export async function countServiceTypeUses(
  tx: Database,
  organizationId: string,
  id: string,
): Promise<Partial<Record<UseKind, number>>> {
  const [counts] = await tx.query<Record<string, number>>(usesStatement, [organizationId, id]);
  return counts ?? {};
}

const deleteStatement = pooled(
  "delete_service_type",
  "delete from service_types where organization_id = $1 and id = $2",
);

/** Deletes a service type that nothing refers to. */
export async function deleteServiceTypeRow(tx: Database, organizationId: string, id: string): Promise<void> {
  await tx.query(deleteStatement, [organizationId, id]);
}

const countStatement = pooled(
  "count_service_types",
  `update organization_counters set
     ${SERVICE_TYPE_STATUSES.map((status, index) => `service_types_${status} = service_types_${status} + $${index + 3}`).join(", ")}
   where organization_id = $1 and slot = $2`,
);

/** Adds to the totals of service types by status. */
export async function countServiceTypes(
  tx: Database,
  organizationId: string,
  counts: ReadonlyMap<ServiceType["status"], number>,
  slot: number,
): Promise<void> {
  await tx.query(countStatement, [
    organizationId,
    slot,
    ...SERVICE_TYPE_STATUSES.map((status) => counts.get(status) ?? 0),
  ]);
}
