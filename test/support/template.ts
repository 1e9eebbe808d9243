import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { chmod, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { migrate } from "../../src/db/migrate.ts";
import { openStore } from "../../src/process/store.ts";

let own: Promise<string> | undefined;

/**
 * A data directory with a migrated, empty database that has been stopped, to copy: to create one takes several times
 * as long. The whole test run shares it (`scripts/test.mjs`); a file that is run alone makes its own.
 */
export async function templateData(): Promise<string> {
  own ??= process.env.ROLLBOOK_TEST_TEMPLATE
    ? Promise.resolve(process.env.ROLLBOOK_TEST_TEMPLATE)
    : makeTemplate();
  return own;
}

/** As it is, owners included: PostgreSQL runs under the account that its files belong to. */
export async function copyData(from: string, to: string): Promise<void> {
  await promisify(execFile)("cp", ["-Rp", from, to]);
}

async function makeTemplate(): Promise<string> {
  const place = await mkdtemp(join(tmpdir(), "rollbook-template-"));
  await chmod(place, 0o755);
  process.once("exit", () => rmSync(place, { recursive: true, force: true }));
  const dataDir = join(place, "data");
  const store = await openStore({ dataDir, databaseUrl: undefined, keySecret: undefined });
  await migrate(store.connection);
  await store.close();
  return dataDir;
}
