import { type Database, pooled } from "../../src/db/database.ts";
import { newId } from "../../src/ids.ts";

const insertLocation = pooled(
  "test_insert_location",
  `with made as (
     insert into locations (organization_id, id, name, status, timezone) values ($1, $2, $3, $4, $5)
   )
   update organization_counters set catalog_version = catalog_version + 1 where organization_id = $1 and slot = 0`,
);

/** A location, written straight into the table: the API only reads them. */
export async function addLocation(
  db: Database,
  organizationId: string,
  location: { name?: string; status?: "active" | "closed"; timezone?: string } = {},
): Promise<string> {
  const id = newId();
  await db.query(insertLocation, [
    organizationId,
    id,
    location.name ?? "Centro",
    location.status ?? "active",
    location.timezone ?? "America/Sao_Paulo",
  ]);
  return id;
}
