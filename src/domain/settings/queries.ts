import type { Database } from "../../db/database.ts";
import { pooled, read } from "../../db/statements.ts";
import type { CalendarColors } from "./schema.ts";

const findColorsStatement = read(
  "find_calendar_colors",
  `select calendar_color_by as by, calendar_colors as colors from organizations where id = $1`,
);

export async function findCalendarColors(db: Database, id: string): Promise<CalendarColors | undefined> {
  const [colors] = await db.query<CalendarColors>(findColorsStatement, [id]);
  return colors;
}

const writeColorsStatement = pooled(
  "write_calendar_colors",
  "update organizations set calendar_color_by = $2, calendar_colors = $3::jsonb where id = $1",
);

/** Nothing of them is on the API, so no version moves. */
export async function writeCalendarColors(
  tx: Database,
  id: string,
  { by, colors }: Pick<CalendarColors, "by" | "colors">,
): Promise<void> {
  await tx.query(writeColorsStatement, [id, by, JSON.stringify(colors)]);
}

const coloredStatement = read(
  "list_colored",
  `select id::text as id from service_types where organization_id = $1 and id::text = any($2::text[])
   union
   select id from resources where organization_id = $1 and kind = 'person' and id = any($2::text[])`,
);

/** Those of the ids that are service types, or resources that are people. */
export async function listColored(
  db: Database,
  organizationId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ id: string }>(coloredStatement, [organizationId, ids]);
  return new Set(rows.map(({ id }) => id));
}
