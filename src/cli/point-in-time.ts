import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseInstant } from "../core/dates.ts";
import { AppError, conflict, notFound, unavailable } from "../core/errors.ts";
import { drill } from "../data/backup/drill.ts";
import { finishRecovery } from "../data/backup/finish-recovery.ts";
import { recordDrill } from "../data/backup/last-backup.ts";
import { type Archive, type ArchiveFolder, listArchives, readArchive } from "../db/archive/archive-files.ts";
import { archivePath } from "../db/embedded/archiving.ts";
import { type RecoveryTarget, rangeOf, recoverCluster } from "../db/embedded/recovery.ts";
import { exists } from "../db/paths.ts";
import { operator } from "../domain/audit/queries.ts";
import { type CommandCall, textFlag, UsageError } from "./command.ts";

/** `restore --at`: makes the database of a moment in an empty data directory. */
export async function restoreMoment(call: CommandCall): Promise<void> {
  const { config, out, signal } = call;
  if (config.databaseUrl)
    throw new UsageError(
      "--at is for the built-in PostgreSQL: unset DATABASE_URL, and set DATA_DIR and BACKUP_DIR.",
    );
  const target = readTarget(textFlag(call, "at") ?? "");
  const archive = chooseArchive(await archivesIn(config.backupDir), target, textFlag(call, "archive"));
  const identity = await readIdentityFile(textFlag(call, "identity"));
  out.say(`Restoring from the archive ${archive.path}.`);
  const { base, lastChangeAt } = await recoverCluster({
    dataDir: config.dataDir,
    archive,
    target,
    identity,
    signal,
    log: (message) => out.say(message),
    finish: (connection) =>
      finishRecovery(connection, {
        actor: operator().name,
        details: { archive: archive.name, ...(target.kind === "moment" && { at: target.at.toISOString() }) },
      }),
  });
  const dataDir = resolve(config.dataDir);
  const moment = target.kind === "moment" ? target.at.toISOString() : "latest";
  out.result(
    { archive: archive.name, at: moment, base: base.finishedAt, lastChangeAt, dataDir },
    `Restored ${moment === "latest" ? "all" : moment} from ${archive.path} into ${dataDir}. ${
      lastChangeAt
        ? `The last change in it is of ${lastChangeAt}.`
        : `Nothing was changed in it since its base copy of ${base.finishedAt}.`
    }`,
  );
  if (await exists(join(dataDir, "key-secret"))) return;
  out.say(
    `The key secret is not in the archive: copy the file key-secret of the old DATA_DIR to ${join(dataDir, "key-secret")} (or set KEY_SECRET to the old value), or existing keys will not work.`,
  );
}

/** `backup --drill`: says whether the archive brings back what is here. */
export async function drillArchive(call: CommandCall): Promise<void> {
  const { connection, embedded } = await call.store();
  if (embedded?.archiving === undefined)
    throw conflict(
      "Nothing is archived: start the server with BACKUP_DIR. A file is tried by backup --verify FILE.",
    );
  const path = archivePath(embedded.archiving);
  const archive = await readArchive(path).catch(() => undefined);
  if (archive === undefined) throw notFound(`There is no archive in ${path}: is its disk mounted?`);
  if (archive.recipient !== undefined && !call.flags.identity)
    throw conflict(
      "The archive is encrypted: give the file with the private key by --identity FILE, or try restore --at latest where that key is.",
    );
  const identity = await readIdentityFile(textFlag(call, "identity"));
  const { out, signal } = call;
  const begun = performance.now();
  const { at, rows } = await drill({
    connection,
    archive,
    identity,
    signal,
    log: (message) => out.say(message),
  });
  const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
  const seconds = Math.round((performance.now() - begun) / 1000);
  await recordDrill(connection, at);
  out.result(
    { archive: archive.name, totalRows: total, rows, seconds },
    `The archive brings back what is here: ${total} rows in ${Object.keys(rows).length} tables, within ${seconds} s.`,
  );
}

function readTarget(text: string): RecoveryTarget {
  if (text === "latest") return { kind: "latest" };
  // What is finer than a millisecond would be rounded up, to a later moment.
  const milliseconds = parseInstant(text.replace(/(\.\d{3})\d+/, "$1"));
  if (milliseconds === undefined)
    throw new UsageError("--at must be an instant such as 2026-11-18T09:30:00Z, or latest.");
  const at = new Date(milliseconds);
  return { kind: "moment", at };
}

async function archivesIn(folder: string | undefined): Promise<ArchiveFolder & { folder: string }> {
  if (folder === undefined) throw new UsageError("BACKUP_DIR must be set to the folder of the archive.");
  const path = resolve(folder);
  try {
    return { folder: path, ...(await listArchives(path)) };
  } catch (error) {
    throw new AppError("unavailable", `The folder ${path} cannot be read.`, { cause: error });
  }
}

/** The archive that has the moment, or of which the range is told. */
function chooseArchive(
  { folder, archives, unreadable }: ArchiveFolder & { folder: string },
  target: RecoveryTarget,
  name: string | undefined,
): Archive {
  const named = archives.filter((archive) => name === undefined || archive.name === name);
  const usable = named.filter(rangeOf);
  const ranges = usable.map((archive) => ({
    archive,
    range: rangeOf(archive) as { from: string; to: string },
  }));
  if (usable.length === 0 && named.length > 0)
    throw conflict(
      `Nothing can be restored from ${named.map(({ path }) => path).join(", ")}: the first base copy there has not been finished.`,
    );
  const [hidden] = unreadable.filter((one) => name === undefined || one === name);
  if (usable.length === 0 && hidden !== undefined)
    throw unavailable(`The archive ${join(folder, hidden)} cannot be read: run the command as its owner.`);
  if (usable.length === 0)
    throw notFound(
      `There is no archive${name === undefined ? "" : ` ${name}`} in ${folder}: set BACKUP_DIR to where it is.`,
    );
  const all = ranges.map(({ archive, range }) => `${range.from} to ${range.to} (${archive.name})`).join(", ");
  const at = target.kind === "moment" ? target.at.toISOString() : undefined;
  const having = ranges.filter(({ range }) => at !== undefined && range.from <= at && at <= range.to);
  // What was archived after it was last written down how far that is may reach it too.
  const reaching = ranges.filter(({ range }) => at === undefined || range.from <= at);
  const candidates = having.length > 0 ? having : reaching;
  const [only] = candidates;
  if (only === undefined) throw conflict(`${at} cannot be restored from ${folder}. It has: ${all}.`);
  if (candidates.length === 1) return only.archive;
  throw conflict(
    `There are several archives in ${folder}, each of its own server's life: name one by --archive. They have: ${all}.`,
  );
}

/** The text of a file with a private key, if one is named. */
export async function readIdentityFile(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new AppError("unavailable", `The private key ${path} cannot be read.`, { cause: error });
  }
}
