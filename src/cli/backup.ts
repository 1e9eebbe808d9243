import { join, resolve } from "node:path";
import { openForReading, writeWholeFile } from "../data/backup/file.ts";
import type { RowCounts } from "../data/backup/format.ts";
import { recordBackup } from "../data/backup/last-backup.ts";
import { checkBackup, countRows } from "../data/backup/read.ts";
import { restoreBackup } from "../data/backup/restore.ts";
import { type WrittenBackup, writeBackup } from "../data/backup/write.ts";
import { operator } from "../domain/audit/queries.ts";
import { type Config, programVersion } from "../process/config.ts";
import { type Command, type CommandCall, table, textFlag, UsageError } from "./command.ts";
import { drillArchive, readIdentityFile, restoreMoment } from "./point-in-time.ts";

export const backupCommands: readonly Command[] = [
  {
    name: "backup",
    summary: "write the whole server to a file while it runs (-: standard output)",
    arguments: ["FILE"],
    noArgumentsWith: ["drill"],
    flags: {
      verify: { help: "read FILE instead, and say whether it can be restored; needs no database" },
      drill: {
        help: "restore the archive into a temporary folder instead, and compare the rows with those that are here",
      },
      identity: { value: "FILE", help: "the private key, if FILE or the archive is encrypted" },
    },
    ifInterrupted: ({ drill, verify }) => {
      if (drill) return "The drill did not come to its end: it says nothing of the archive.";
      return verify ? "The file was not read to its end." : "No backup was written.";
    },
    run: async (call) => {
      if (call.flags.drill) return drillArchive(call);
      const [path = ""] = call.arguments;
      if (call.flags.verify) return verify(call, path);
      const piped = path === "-";
      if (piped && process.stdout.isTTY)
        throw new UsageError("A backup is not for a terminal: name a file, or send the output to one.");
      if (piped && call.out.json)
        throw new UsageError("--json needs a file: standard output carries the backup itself.");
      const { connection, embedded } = await call.store({ schema: "any" });
      // Who calls it by hand has not always the settings of the server: what that archives for is remembered.
      const wanted = call.config.backupRecipient ?? embedded?.archiving?.recipient;
      const recipient = wanted === "none" ? undefined : wanted;
      const options = { programVersion: programVersion(), recipient, signal: call.signal };
      const written = piped
        ? await writeBackup(connection, process.stdout, options)
        : await writeWholeFile(path, (destination) => writeBackup(connection, destination, options));
      // The backup is there, whether or not this can be kept.
      await recordBackup(connection, written.header.createdAt).catch(() => {});
      const sentence = `Backed up ${describe(written)}${piped ? "" : ` to ${path}`}${recipient ? `, encrypted for ${recipient}` : ""}.`;
      if (piped) call.out.say(sentence);
      else
        call.out.result(
          { ...summary(path, written), ...(recipient && { recipient }) },
          `${rowTable(written.rows)}\n${sentence}`,
        );
      if (written.foreignTables.length > 0) {
        call.out.say(`Not in it, because not Rollbook's: ${written.foreignTables.join(", ")}.`);
      }
      call.out.say(
        `The secret that keys are checked with is not in it: keep ${secretOf(call.config)} apart from the backup, or existing keys cannot be used after a restore.`,
      );
    },
  },
  {
    name: "restore",
    summary:
      "put a backup into an empty database (-: standard input), or a moment from the archive into an empty data directory",
    arguments: ["FILE"],
    noArgumentsWith: ["at"],
    flags: {
      at: {
        value: "MOMENT",
        help: "such as 2026-11-18T09:30:00Z, or latest: what the archive in BACKUP_DIR has of it",
      },
      archive: {
        value: "NAME",
        help: "which archive in BACKUP_DIR, if several have that moment, or with latest anything",
      },
      identity: { value: "FILE", help: "the private key, if FILE or the archive is encrypted" },
    },
    createsDatabase: true,
    ifInterrupted: "Nothing was restored.",
    run: async (call) => {
      if (call.flags.at) return restoreMoment(call);
      const [path = ""] = call.arguments;
      const identity = await readIdentityFile(textFlag(call, "identity"));
      const file = await openForReading(path, process.stdin);
      try {
        // Before the database is opened: a file that is refused leaves no trace, not even a data directory.
        const backup = await checkBackup(file, identity);
        const store = await call.store({ schema: "any" });
        const options = { actor: operator().name, signal: call.signal };
        const restored = await restoreBackup(store.connection, backup, options);
        const done = { ...backup, rows: restored.rows };
        call.out.result(
          { ...summary(path, done), restoredAs: restored.schemaVersion },
          `${rowTable(restored.rows)}\nRestored ${describe(done)}, taken ${backup.header.createdAt}${
            restored.schemaVersion === backup.header.schemaVersion
              ? ""
              : `, and upgraded it to ${restored.schemaVersion}`
          }.`,
        );
        const hasSecret = await store.checkKeySecret().then(
          () => true,
          () => false,
        );
        if (hasSecret) return;
        call.out.say(
          call.config.databaseUrl
            ? "The key secret is not in a backup: set KEY_SECRET to the value it had there (with the built-in database, the content of the file key-secret in its DATA_DIR), or existing keys will not work."
            : `The key secret is not in a backup: copy the file key-secret of the old DATA_DIR to ${join(resolve(call.config.dataDir), "key-secret")} (or set KEY_SECRET to the old value), or existing keys will not work.`,
        );
      } finally {
        await file.close();
      }
    },
  },
];

async function verify(call: CommandCall, path: string): Promise<void> {
  const identity = await readIdentityFile(textFlag(call, "identity"));
  const file = await openForReading(path, process.stdin);
  try {
    const backup = await checkBackup(file, identity);
    const whole = { ...backup, rows: await countRows(backup) };
    call.out.result(
      summary(path, whole),
      `${rowTable(whole.rows)}\n${path === "-" ? "The backup" : path} is whole${backup.header.organization ? `, with one organization, ${backup.header.organization.name}` : ""}: ${describe(whole)}, taken ${backup.header.createdAt} by rollbook ${backup.header.programVersion}.`,
    );
  } finally {
    await file.close();
  }
}

type BackupOutline = Pick<WrittenBackup, "header" | "rows" | "bytes" | "sha256">;

function summary(file: string, { header, rows, bytes, sha256 }: BackupOutline): object {
  const { schemaVersion, programVersion, createdAt } = header;
  return { file, bytes, sha256, schemaVersion, programVersion, createdAt, totalRows: total(rows), rows };
}

function describe({ header, rows, bytes }: BackupOutline): string {
  const megabytes = (bytes / 1e6).toFixed(bytes < 1e6 ? 3 : 1);
  return `${total(rows)} rows (${megabytes} MB, schema version ${header.schemaVersion})`;
}

function total(rows: RowCounts): number {
  return Object.values(rows).reduce((sum, count) => sum + count, 0);
}

function rowTable(rows: RowCounts): string {
  return table(
    ["TABLE", "ROWS"],
    Object.entries(rows).map(([name, count]) => [name, String(count)]),
  );
}

function secretOf(config: Config): string {
  return config.keySecret || config.databaseUrl
    ? "the value of KEY_SECRET"
    : join(resolve(config.dataDir), "key-secret");
}
