import type { UseKind } from "../../core/refusals.ts";
import type { Database } from "../../db/database.ts";
import { pooled, read } from "../../db/statements.ts";
import { wholeList } from "../../db/whole-lists.ts";
import type { ServiceGroup } from "./schema.ts";

export const serviceGroupColumns = `
  r.id, r.name,
  array(
    select m.service_type_id from service_group_members m
    where m.organization_id = r.organization_id and m.service_group_id = r.id order by m.service_type_id
  ) as "serviceTypeIds"`;

/** Every service group with its members. */
export const listServiceGroups = wholeList<ServiceGroup>({
  name: "list_service_groups",
  reads: ["catalog"],
  table: "service_groups",
  columns: serviceGroupColumns,
  order: "r.id",
});

const findStatement = read(
  "find_service_group",
  `select ${serviceGroupColumns} from service_groups r where r.organization_id = $1 and r.id = $2`,
);

export async function findServiceGroup(
  db: Database,
  organizationId: string,
  id: string,
): Promise<ServiceGroup | undefined> {
  const [group] = await db.query<ServiceGroup>(findStatement, [organizationId, id]);
  return group;
}

// For update: who is storing a plan or contract that names it is waited for, and nobody begins to.
const lockStatement = pooled(
  "lock_service_group",
  `select ${serviceGroupColumns} from service_groups r where r.organization_id = $1 and r.id = $2 for update of r`,
);

/** The group, which nobody else can change or refer to now. */
export async function lockServiceGroup(
  tx: Database,
  organizationId: string,
  id: string,
): Promise<ServiceGroup | undefined> {
  const [group] = await tx.query<ServiceGroup>(lockStatement, [organizationId, id]);
  return group;
}

const insertStatement = pooled(
  "insert_service_group",
  `with made as (
     insert into service_groups (organization_id, id, name) values ($1, $2, $3)
   ), members as (
     insert into service_group_members (organization_id, service_group_id, service_type_id)
     select $1, $2, unnest($4::uuid[])
   )
   select 1 as done`,
);
const updateStatement = pooled(
  "update_service_group",
  `with changed as (
     update service_groups set name = $3 where organization_id = $1 and id = $2
   ), parted as (
     delete from service_group_members
     where organization_id = $1 and service_group_id = $2 and service_type_id <> all ($4::uuid[])
   ), joined as (
     insert into service_group_members (organization_id, service_group_id, service_type_id)
     select $1, $2, unnest($4::uuid[]) on conflict do nothing
   )
   select 1 as done`,
);

export async function insertServiceGroup(
  tx: Database,
  organizationId: string,
  { id, name, serviceTypeIds }: ServiceGroup,
): Promise<void> {
  await tx.query(insertStatement, [organizationId, id, name, serviceTypeIds]);
}

/** Writes all members of a group that is there. */
export async function updateServiceGroup(
  tx: Database,
  organizationId: string,
  { id, name, serviceTypeIds }: ServiceGroup,
): Promise<void> {
  await tx.query(updateStatement, [organizationId, id, name, serviceTypeIds]);
}

const usesStatement = pooled(
  "count_service_group_uses",
  `select
     (select count(distinct plan_id) from plan_entitlements
      where organization_id = $1 and service_group_id = $2) as plans,
     (select count(distinct contract_id) from contract_entitlements
      where organization_id = $1 and service_group_id = $2) as contracts`,
);

/** What refers to a group, by kind. */
export async function countServiceGroupUses(
  tx: Database,
  organizationId: string,
  id: string,
): Promise<Partial<Record<UseKind, number>>> {
  const [counts] = await tx.query<Record<string, number>>(usesStatement, [organizationId, id]);
  return counts ?? {};
}

const deleteStatement = pooled(
  "delete_service_group",
  `with gone as (
     delete from service_groups where organization_id = $1 and id = $2
   )
   select 1 as done`,
);

/** Deletes a group that nothing refers to; its list of members goes with it. */
export async function deleteServiceGroupRow(tx: Database, organizationId: string, id: string): Promise<void> {
  await tx.query(deleteStatement, [organizationId, id]);
}
