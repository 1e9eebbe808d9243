import type { DataClass } from "../../src/core/data-snapshot.ts";
import { versionSum } from "../../src/db/data-version.ts";
import type { Database } from "../../src/db/database.ts";
import { read } from "../../src/db/statements.ts";
import { dateIn } from "../../src/domain/recurrence/zones.ts";
import { UNSHOWN, VERSION_OF } from "../support/data-versions.ts";

export type Row = Readonly<Record<string, unknown>>;
export type Rows = readonly Row[];

export const CLASSES: readonly DataClass[] = ["catalog", "clients", "contracts", "sessions"];

/** Beside what the API shows: what the operations write for themselves. */
const OWN_TABLES = [
  "staff",
  "staff_locations",
  "staff_links",
  "keys",
  "ics_links",
  "erasures",
  "invoices",
  "payments",
] as const;
export const TABLES = [...Object.keys(VERSION_OF), ...OWN_TABLES];

/** Everything that an organization has stored, read at one moment. */
export interface Stored {
  readonly tables: Readonly<Record<string, Rows>>;
  readonly versions: Readonly<Record<DataClass, number>>;
  readonly counters: Readonly<Record<string, number>>;
  readonly auditEntries: number;
}

const rowsOf = (table: string) => {
  const key = table === "organizations" ? "id" : "organization_id";
  // Last use is written whenever a key is used.
  const row = table === "keys" ? "to_jsonb(r) - 'last_used_at'" : "to_jsonb(r)";
  return `(select coalesce(jsonb_agg(${row} order by to_jsonb(r)::text), '[]') from ${table} r where r.${key} = $1)`;
};

const statement = read(
  "walk_read_studio",
  `select
     jsonb_build_object(${TABLES.map((table) => `'${table}', ${rowsOf(table)}`).join(", ")}) as tables,
     (select jsonb_build_object(${CLASSES.map((name) => `'${name}', ${versionSum([name])}`).join(", ")})
      from organization_counters where organization_id = $1) as versions,
     (select jsonb_object_agg(name, total) from (
        select c.key as name, sum(c.value::bigint) as total
        from organization_counters r cross join jsonb_each_text(to_jsonb(r)) c
        where r.organization_id = $1 and c.key ~ '_(active|archived|paused|cancelled|expired)$' group by 1
      ) sums) as counters,
     (select count(*) from audit where organization_id = $1) as "auditEntries"`,
);

export async function readStored(db: Database, organizationId: string): Promise<Stored> {
  const [stored] = await db.query<Stored>(statement, [organizationId]);
  if (!stored) throw new Error("a select without a source has one row");
  return stored;
}

/** A studio on a day, as inputs are made for it. */
export class Studio {
  readonly stored: Stored;
  readonly today: string;

  constructor(stored: Stored, now: number, timezone: string) {
    this.stored = stored;
    this.today = dateIn(timezone, now);
  }

  ids(table: string): string[] {
    return (this.stored.tables[table] ?? []).map(({ id }) => String(id)).sort();
  }
}

/** The rows of a table as the API shows them: without what it keeps for itself. */
export function shownRows({ tables }: Stored, table: string): Rows {
  const hidden = new Set(UNSHOWN[table] ?? []);
  return (tables[table] ?? []).map((row) =>
    Object.fromEntries(Object.entries(row).filter(([column]) => !hidden.has(column))),
  );
}
