import type { Database } from "../../db/database.ts";
import { pooled, read } from "../../db/statements.ts";
import { wholeList } from "../../db/whole-lists.ts";
import type { Resource } from "./schema.ts";

/** Every resource that was ever named. The ids are texts of others: no locale of a database decides their order. */
export const listResources = wholeList<Resource>({
  name: "list_resources",
  reads: ["catalog", "sessions"],
  table: "resources",
  columns: "r.id, r.name, r.kind, r.status",
  order: 'r.id collate "C"',
});

const findStatement = read(
  "find_resource",
  "select id, name, kind, status from resources where organization_id = $1 and id = $2",
);

export async function findResource(
  db: Database,
  organizationId: string,
  id: string,
): Promise<Resource | undefined> {
  const [resource] = await db.query<Resource>(findStatement, [organizationId, id]);
  return resource;
}

const lockStatement = pooled(
  "lock_resource",
  "select id, name, kind, status from resources where organization_id = $1 and id = $2 for no key update",
);

/** The resource, which nobody else can change now. */
export async function lockResource(
  tx: Database,
  organizationId: string,
  id: string,
): Promise<Resource | undefined> {
  const [resource] = await tx.query<Resource>(lockStatement, [organizationId, id]);
  return resource;
}

const insertStatement = pooled(
  "insert_resource",
  `with made as (
     insert into resources (organization_id, id, name, kind, status) values ($1, $2, $3, $4, $5)
   )
   select 1 as done`,
);
const updateStatement = pooled(
  "update_resource",
  `with changed as (
     update resources set name = $3, kind = $4, status = $5 where organization_id = $1 and id = $2
   )
   select 1 as done`,
);

export async function insertResource(
  tx: Database,
  organizationId: string,
  { id, name, kind, status }: Resource,
): Promise<void> {
  await tx.query(insertStatement, [organizationId, id, name, kind, status]);
}

/** Writes all members of a resource that is there. */
export async function updateResource(
  tx: Database,
  organizationId: string,
  { id, name, kind, status }: Resource,
): Promise<void> {
  await tx.query(updateStatement, [organizationId, id, name, kind, status]);
}
