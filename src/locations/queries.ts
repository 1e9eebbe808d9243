import { type Database, read } from "../db/database.ts";
import type { Location } from "./schema.ts";

const listStatement = read(
  "list_locations",
  `select id, name, address, status, timezone
   from locations where organization_id = $1 order by created_at, id`,
);

/** Every location, open or closed, in order of creation. */
export function listLocations(db: Database, organizationId: string): Promise<Location[]> {
  return db.query<Location>(listStatement, [organizationId]);
}

const idsStatement = read(
  "list_location_ids",
  "select id from locations where organization_id = $1 order by id",
);

export async function listLocationIds(db: Database, organizationId: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>(idsStatement, [organizationId]);
  return rows.map(({ id }) => id);
}
