import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { gzipSync } from "node:zlib";
import { writeWholeFile } from "../../src/data/backup/file.ts";
import { closing, OPENING } from "../../src/data/backup/format.ts";
import { type CheckedBackup, checkBackup } from "../../src/data/backup/read.ts";
import { type Restored, restoreBackup } from "../../src/data/backup/restore.ts";
import { backedUp, findTables, identifiers } from "../../src/data/backup/tables.ts";
import { type WrittenBackup, writeBackup } from "../../src/data/backup/write.ts";
import { openConnection } from "../../src/db/server-connection.ts";
import type { ConnectionSettings } from "../../src/db/servers.ts";
import type { OwnDatabase } from "../support/databases.ts";
import { PROGRAM } from "../support/program.ts";

/** A folder that is removed when the test that made it ends, or the file. */
export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "rollbook-backup-"));
  after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export function backUp(connection: ConnectionSettings, path: string): Promise<WrittenBackup> {
  return writeWholeFile(path, (destination) =>
    writeBackup(connection, destination, { programVersion: "1.2.3" }),
  );
}

export async function check(path: string): Promise<CheckedBackup> {
  const file = await open(path, "r");
  try {
    return await checkBackup(file);
  } finally {
    await file.close();
  }
}

export async function restore(connection: ConnectionSettings, path: string): Promise<Restored> {
  const file = await open(path, "r");
  try {
    return await restoreBackup(connection, await checkBackup(file), { actor: "test" });
  } finally {
    await file.close();
  }
}

/** A file that is sealed as a backup is, whatever its text. */
export async function seal(path: string, text: string): Promise<void> {
  const content = Buffer.concat([OPENING, gzipSync(text)]);
  const sha256 = createHash("sha256").update(content).digest("hex");
  await writeFile(path, Buffer.concat([content, closing(sha256)]));
}

/**
 * The trace that a restore leaves is not of the backup, and the history is that of the database, not of its rows. The feed
 * goes on with higher numbers.
 */
const NOT_COMPARED: Readonly<Record<string, string>> = {
  audit: "where action <> 'restore'",
  change_heads: "where false",
  facts: "where name not in ('history', 'last backup')",
};

/** A checksum over all rows of each table that a backup holds. */
export async function checksums(
  database: OwnDatabase,
  columns?: ReadonlyMap<string, readonly string[]>,
): Promise<Record<string, string>> {
  const client = await openConnection(database.connection, "test");
  try {
    const sums: Record<string, string> = {};
    for (const table of backedUp(await findTables(client))) {
      const chosen = columns ? columns.get(table.name) : table.columns;
      if (!chosen) continue;
      const { rows } = await client.query<{ sum: string }>(
        `select count(*) || ' ' || coalesce(md5(string_agg(r::text, E'\\n' order by r::text)), '') as sum
         from (select ${identifiers(chosen)} from ${identifiers([table.name])}
               ${NOT_COMPARED[table.name] ?? ""}) r`,
      );
      sums[table.name] = rows[0]?.sum ?? "";
    }
    return sums;
  } finally {
    await client.end();
  }
}

/** Everything that is in a database's own schema but belongs to no extension. */
export async function contents(database: OwnDatabase): Promise<{ kind: string; name: string }[]> {
  return database.query(
    `with mine as (select oid from pg_namespace where nspname = current_schema())
     select kind, name from (
       select 'pg_class'::regclass as class, oid, relkind::text as kind, relname::text as name, relnamespace as at
       from pg_class where relkind not in ('i', 'I', 't')
       union all
       select 'pg_proc'::regclass, oid, 'function', proname, pronamespace from pg_proc
       union all
       select 'pg_type'::regclass, oid, 'type', typname, typnamespace from pg_type
       where typrelid = 0 and typelem = 0
     ) objects
     where at in (select oid from mine)
       and not exists (select from pg_depend d
                       where d.classid = objects.class and d.objid = objects.oid and d.deptype = 'e')
     order by name`,
  );
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
  /** The most memory that the process had, in MB. */
  readonly peakMegabytes: number;
}

const REPORT_PEAK =
  "data:text/javascript,process.on('exit',()=>process.stderr.write('\\npeak '+process.resourceUsage().maxRSS))";

/** Runs the command line as a process of its own. */
export function rollbook(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  options: { input?: Buffer; started?: (pid: number) => void } = {},
): Promise<Ended> {
  const { PATH = "", HOME = "", TMPDIR } = process.env;
  const child = spawn(process.execPath, ["--import", REPORT_PEAK, PROGRAM, ...args], {
    env: { PATH, HOME, ...(TMPDIR && { TMPDIR }), ...environment },
  });
  if (child.pid) options.started?.(child.pid);
  const stdout: Buffer[] = [];
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk;
  });
  // A program that refuses does not read its input to the end.
  child.stdin.on("error", () => {});
  child.stdin.end(options.input);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      const [said = "", peak = "0"] = stderr.split("\npeak ");
      resolve({ code, stdout: Buffer.concat(stdout), stderr: said, peakMegabytes: Number(peak) / 1000 });
    });
  });
}
