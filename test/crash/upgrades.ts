import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listMigrations, migrate } from "../../src/db/migrate.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import { openConnection } from "../../src/db/server-connection.ts";
import type { Store } from "../../src/process/store.ts";
import { addRecords } from "../backup/records.ts";
import { backUp, checksums, restore } from "../backup/support.ts";
import { exportText } from "../bundle/support.ts";
import { newDatabase, type OwnDatabase } from "../support/databases.ts";

export interface Upgrade {
  readonly from: number;
  readonly to: number;
  readonly tables: number;
  readonly rows: number;
  /** SHA-256 of the exports of all organizations after the upgrade in place, and after the restore of a backup. */
  readonly upgraded: string;
  readonly restored: string;
  readonly faults: string[];
}

/**
 * From every schema there ever was, or from those asked for, with rows in each of its tables, to the newest: in place and
 * by a backup.
 */
export async function upgradeFromEach(
  store: Store,
  isAsked: (version: number, latest: number) => boolean = () => true,
): Promise<Upgrade[]> {
  const latest = (await listMigrations()).at(-1)?.version ?? 0;
  const folder = await mkdtemp(join(tmpdir(), "rollbook-upgrade-"));
  const upgrades: Upgrade[] = [];
  try {
    for (let from = 1; from <= latest; from++) {
      if (!isAsked(from, latest)) continue;
      const faults: string[] = [];
      const old = await newDatabase(store);
      await migrate(old.connection, { upTo: from });
      await addRecords(old, from);
      const file = join(folder, `version-${from}.backup`);
      const { header } = await backUp(old.connection, file);
      const columns = new Map(header.tables.map((table) => [table.name, table.columns]));
      const before = await checksums(old, columns);
      // The newest can be exported before it is backed up, too.
      const untouched = from === latest ? await exportSum(old) : undefined;

      await migrate(old.connection);
      compare("upgraded in place", before, await checksums(old, columns), faults);
      const copy = await newDatabase(store);
      await restore(copy.connection, file);
      compare("restored", before, await checksums(copy, columns), faults);
      const [upgraded, restored] = [await exportSum(old), await exportSum(copy)];
      if (upgraded !== restored) faults.push("the exports differ");
      if (untouched !== undefined && untouched !== restored)
        faults.push("the export before the backup differs");
      const rows = Object.values(before).reduce((sum, text) => sum + Number.parseInt(text, 10), 0);
      upgrades.push({ from, to: latest, tables: columns.size, rows, upgraded, restored, faults });
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return upgrades;
}

function compare(
  what: string,
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
  faults: string[],
): void {
  for (const [table, sum] of Object.entries(before)) {
    if (after[table] !== sum) faults.push(`${what}, ${table} has other rows`);
  }
}

/** One checksum over the exports of all organizations. */
async function exportSum({ connection }: OwnDatabase): Promise<string> {
  const client = await openConnection(connection, "crash test");
  const { rows } = await client.query<{ id: string }>("select id from organizations order by id");
  await client.end();
  const db = openDatabase({ connection, applicationName: "crash test", poolSize: 1 });
  try {
    const hash = createHash("sha256");
    for (const { id } of rows) hash.update(await exportText(db, id));
    return hash.digest("hex");
  } finally {
    await db.close();
  }
}
