import type { Database } from "../../db/database.ts";
import { pooled } from "../../db/statements.ts";
import { LARGE } from "./apply-queries.ts";
import { TABLES, WRITE_ORDER } from "./record-tables.ts";
import type { ImportSummary } from "./summary.ts";

/** With fewer records of a kind no plan takes long. */
const FEW = 500;
/** A table that had more rows than so many times the new ones is looked at by autovacuum, too, only later. */
const TIMES = 10;

const sizesStatement = pooled(
  "list_table_sizes",
  "select c.relname as name, c.reltuples as rows from pg_class c where c.oid = any ($1::regclass[])",
);

// Who looks at the table already, or imports into it, is not waited for.
const analyzeStatements = WRITE_ORDER.map((kind) => {
  const { name, children } = TABLES[kind];
  const tables = [name, ...children.map(({ table }) => table)];
  return {
    kind,
    tables: tables.map((table) => ({
      table,
      analyze: pooled(`analyze_imported_${table}`, `analyze (skip_locked) ${table}`),
    })),
  };
});

/**
 * Has PostgreSQL look at tables of which an import has made most, as autovacuum would within a minute: without statistics it
 * expects a row of each, and joins all with all. Larger imports have done it before their commit, of which imports at the same
 * time wait for each other. Nothing of the import depends on it: if it fails, autovacuum comes.
 */
export async function refreshStatistics(db: Database, kinds: ImportSummary["kinds"]): Promise<void> {
  const written = analyzeStatements.flatMap(({ kind, tables }) => {
    const { created = 0 } = kinds[kind] ?? {};
    return created >= FEW && created < LARGE ? tables.map((one) => ({ ...one, created })) : [];
  });
  if (written.length === 0) return;
  try {
    const sizes = await db.query<{ name: string; rows: number }>(sizesStatement, [
      written.map(({ table }) => table),
    ]);
    const rows = new Map(sizes.map((size) => [size.name, size.rows]));
    for (const { table, analyze, created } of written)
      if ((rows.get(table) ?? 0) < TIMES * created) await db.query(analyze);
  } catch {
    // Said above.
  }
}
