import { open, readdir, stat, statfs } from "node:fs/promises";
import { join, resolve } from "node:path";
import { MS_PER_HOUR } from "../core/dates.ts";
import { AppError } from "../core/errors.ts";
import { lastBackupStatement, lastDrillStatement } from "../data/backup/last-backup.ts";
import { checkBackup, isEncryptedBackup } from "../data/backup/read.ts";
import { findUnfinished, type UnfinishedMove } from "../data/move/replication.ts";
import type { Database } from "../db/database.ts";
import { type ArchiveState, MOST_WAITING_BYTES, readArchiveState } from "../db/embedded/archive-state.ts";
import { latestVersion, schemaVersion } from "../db/migrate.ts";
import { keepsSession, openConnection } from "../db/server-connection.ts";
import { findOrganizationsToDelete } from "../domain/organizations/deletion-queries.ts";
import { explainError } from "../languages/wording.ts";
import { type Config, clockWarning, programVersion } from "./config.ts";
import { cacheMegabytes, usableMemory } from "./memory.ts";
import { openStore, type Store } from "./store.ts";

/** One thing that was looked at. */
export interface Finding {
  readonly about: string;
  readonly state: "good" | "warning" | "wrong";
  readonly sentence: string;
}

const GIGABYTE = 1024 ** 3;
const LOW_DISK_BYTES = GIGABYTE;
const FULL_DISK_BYTES = GIGABYTE / 10;
/** Expiry of keys and rate limits go by the database's clock, log lines by ours. */
const CLOCK_WARNING_MS = 2_000;
const CLOCK_WRONG_MS = 30_000;
/** A backup every night, and two hours for it to be late. */
const BACKUP_AGE_HOURS = 26;
/** Once a month, and a few days to come to it. */
const DRILL_DAYS = 35;
const ARCHIVE_BEHIND_MS = 5 * 60_000;
/** Connections of a serving process beside its pool and its downloads: two that are shared by short reads. */
const PIPELINES = 2;
/** For commands of the operator, beside those that PostgreSQL keeps for its superuser. */
const SPARE_CONNECTIONS = 3;

/** Looks at what an installation needs. Nothing is made, migrated or changed. */
export async function examine(config: Config, backups: string | undefined): Promise<Finding[]> {
  return [
    nodeVersion(process.versions.node),
    publicAddress(config),
    judgeCache(config, usableMemory()),
    ...movedClock(config),
    ...(config.databaseUrl ? [] : await dataDirectory(resolve(config.dataDir))),
    ...(await database(config, backups !== undefined)),
    ...(config.databaseUrl ? [] : await archive(config)),
    ...(backups === undefined ? [] : [await backupFolder(backups)]),
  ];
}

const good = (about: string, sentence: string): Finding => ({ about, state: "good", sentence });
const warning = (about: string, sentence: string): Finding => ({ about, state: "warning", sentence });
const wrong = (about: string, sentence: string): Finding => ({ about, state: "wrong", sentence });

export function nodeVersion(version: string): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 19))
    return wrong("Node", `Version ${version} is too old: install 20.19 or newer, best 24.`);
  return good("Node", `Version ${version}, Rollbook ${programVersion()}.`);
}

export function publicAddress({ publicUrl, host }: Pick<Config, "publicUrl" | "host">): Finding {
  const about = "PUBLIC_URL";
  if (publicUrl === undefined) {
    return warning(
      about,
      "Not set: answers refer callers to http://localhost. Set it to the address that they use.",
    );
  }
  const { protocol, hostname } = new URL(publicUrl);
  const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
  if (protocol === "http:" && !isLocal)
    return warning(about, `${publicUrl} has no TLS: keys would travel for everybody to read.`);
  if (!["127.0.0.1", "::1", "localhost"].includes(host) && protocol === "http:")
    return warning(about, `The server listens on ${host} without TLS: put a proxy with TLS before it.`);
  return good(about, `${publicUrl}.`);
}

export function judgeCache(config: Pick<Config, "cacheMegabytes" | "workers">, memoryBytes: number): Finding {
  const about = "Cache";
  const given = cacheMegabytes(config, memoryBytes);
  const own = cacheMegabytes({ ...config, cacheMegabytes: "auto" }, memoryBytes);
  const all = `${given} MB in each of ${config.workers} processes, of ${(memoryBytes / GIGABYTE).toFixed(1)} GB of memory`;
  if (given * config.workers * 1024 ** 2 > memoryBytes / 4)
    return warning(about, `CACHE_MB is ${all}: that is much; without it there would be ${own}.`);
  if (given < own)
    return warning(
      about,
      `CACHE_MB is ${all}: without it there would be ${own}, and fewer answers computed again.`,
    );
  return good(about, `${all}.`);
}

export function movedClock(config: Pick<Config, "clockOffsetMs">): Finding[] {
  const sentence = clockWarning(config);
  return sentence === undefined ? [] : [warning("CLOCK_OFFSET", sentence)];
}

async function dataDirectory(path: string): Promise<Finding[]> {
  const about = "Data directory";
  const found = await stat(path).catch(() => undefined);
  if (found === undefined)
    return [wrong(about, `${path} does not exist: set DATA_DIR, or run rollbook serve first.`)];
  if (!found.isDirectory()) return [wrong(about, `${path} is a file: set DATA_DIR to a directory.`)];
  const uid = process.getuid?.();
  const findings: Finding[] = [];
  if (uid !== undefined && uid !== 0 && found.uid !== uid)
    findings.push(
      wrong(about, `${path} belongs to another user (uid ${found.uid}): run Rollbook as that user.`),
    );
  else if ((found.mode & 0o007) !== 0)
    findings.push(warning(about, `${path} is open to every user of this machine: chmod 700 ${path}.`));
  else findings.push(good(about, `${path}.`));
  findings.push(await diskSpace(path));
  findings.push(await secretFile(join(path, "key-secret")));
  return findings;
}

async function diskSpace(path: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(path);
  return judgeSpace(bavail * bsize, path);
}

export function judgeSpace(freeBytes: number, path: string): Finding {
  const free = `${(freeBytes / GIGABYTE).toFixed(1)} GB are free on the disk of ${path}`;
  if (freeBytes < FULL_DISK_BYTES) return wrong("Disk", `${free}: make room before PostgreSQL stops.`);
  if (freeBytes < LOW_DISK_BYTES) return warning("Disk", `${free}: make room soon.`);
  return good("Disk", `${free}.`);
}

async function secretFile(path: string): Promise<Finding> {
  const about = "Key secret";
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) {
    return warning(
      about,
      `${path} does not exist. Without the one that keys were minted with, none of them works.`,
    );
  }
  if ((found.mode & 0o077) !== 0) return wrong(about, `Others may read ${path}: chmod 600 ${path}.`);
  return good(about, `${path}. No backup holds it: keep a copy apart.`);
}

async function database(config: Config, hasFolder: boolean): Promise<Finding[]> {
  const about = "Database";
  if (config.databaseUrl && !config.keySecret) {
    const sentence = "KEY_SECRET is not set: set it to the same value as on every other node.";
    return [wrong("Key secret", sentence), ...(await examineStore(config, hasFolder))];
  }
  if (!config.databaseUrl && !(await stat(join(config.dataDir, "postgres")).catch(() => undefined)))
    return [wrong(about, `There is no database in ${resolve(config.dataDir)}: rollbook serve makes one.`)];
  return examineStore(config, hasFolder);
}

async function examineStore(config: Config, hasFolder: boolean): Promise<Finding[]> {
  let store: Store | undefined;
  try {
    store = await openStore(config);
    const { current, findings } = await examineDatabase(config, store);
    if (current === 0) return findings;
    const db = store.open({ applicationName: "rollbook doctor", pipelines: 1, poolSize: 1 });
    return [
      ...findings,
      ...(current === (await latestVersion()) ? await overdueDeletions(db) : []),
      ...(hasFolder ? [] : [await lastBackup(db)]),
      ...(store.embedded?.archiving ? [await lastDrill(db)] : []),
    ];
  } catch (error) {
    return [wrong("Database", sentenceOf(error))];
  } finally {
    await store?.close();
  }
}

interface ServerFacts {
  readonly version: string;
  readonly encoding: string;
  readonly timezone: string;
  readonly clock: Date;
  readonly maxConnections: number;
  readonly reserved: number;
  readonly statementTimeout: string;
}

const FACTS = `
  select current_setting('server_version') as version, current_setting('server_encoding') as encoding,
    current_setting('TimeZone') as timezone, clock_timestamp() as clock,
    current_setting('max_connections')::int as "maxConnections",
    current_setting('superuser_reserved_connections')::int as reserved,
    current_setting('statement_timeout') as "statementTimeout"`;

async function examineDatabase(
  config: Config,
  store: Store,
): Promise<{ current: number; findings: Finding[] }> {
  const about = "Database";
  const connection = await openConnection(store.connection, "rollbook doctor");
  try {
    const askedAt = Date.now();
    const { rows } = await connection.query<ServerFacts>(FACTS);
    const [facts] = rows;
    if (!facts) throw new Error("PostgreSQL gave no answer");
    const halfWay = (askedAt + Date.now()) / 2;
    const findings = [
      Number.parseInt(facts.version, 10) < 15
        ? wrong(about, `PostgreSQL ${facts.version} is too old: 15 or newer is needed.`)
        : facts.encoding !== "UTF8"
          ? wrong(about, `It is encoded in ${facts.encoding}: create it with encoding UTF8.`)
          : good(about, `PostgreSQL ${facts.version}, time zone ${facts.timezone}.`),
      judgeClock(facts.clock.getTime() - halfWay),
    ];
    const stray = store.connection.servers?.stray;
    if (stray !== undefined) findings.push(wrong("Servers", stray));
    const current = await schemaVersion(connection);
    findings.push(judgeSchema(current, await latestVersion()));
    if (keepsSession(connection)) findings.push(judgeConnections(config, facts));
    else
      findings.push(
        facts.statementTimeout === "0"
          ? warning(
              "Pooler",
              "Through a pooler a statement has no time limit of its own: alter role … set statement_timeout = '8s'.",
            )
          : good("Pooler", `Connections pass a pooler; statements end after ${facts.statementTimeout}.`),
      );
    if (current === (await latestVersion())) {
      findings.push(...(await findUnfinished(connection)).map(describeMove));
      const { rows: full } = await connection.query<NearlyFull>(NEARLY_FULL, [config.orgRecords]);
      findings.push(...judgeStorage(full));
    }
    if (current > 0 && (config.keySecret || !config.databaseUrl))
      findings.push(...(await checkSecret(store)));
    return { current, findings };
  } finally {
    await connection.end();
  }
}

function describeMove({ organizationId, side, url, begunAt, hasLeft }: UnfinishedMove): Finding {
  const hours = Math.floor((Date.now() - begunAt.getTime()) / MS_PER_HOUR);
  const where = side === "source" ? "here" : "on the server that it comes from";
  const wayBack = hasLeft ? "" : ", or take it back with --back-out";
  return warning(
    "Moves",
    `A move of ${organizationId} to ${url} was begun ${hours} h ago and is not done; until then the log of the PostgreSQL that it comes from grows. Run "rollbook org move ${organizationId}" ${where} as before${wayBack}.`,
  );
}

/** An organization with little room left. */
interface NearlyFull {
  readonly id: string;
  readonly records: string;
  readonly limit: string;
}

const NEARLY_FULL = `
  select u.id, u.records, u.limit
  from (
    select o.id, coalesce(o.max_records, $1::bigint) as limit,
      (select sum(c.records) from organization_counters c where c.organization_id = o.id) as records
    from organizations o where coalesce(o.max_records, $1::bigint) > 0
  ) u
  where u.records >= u.limit * 0.9 order by u.records / u.limit desc, u.id`;
/** How many of them are named. */
const NAMED = 10;

export function judgeStorage(full: readonly NearlyFull[]): Finding[] {
  if (full.length === 0) return [];
  const names = full.slice(0, NAMED).map(({ id, records, limit }) => `${id} (${records} of ${limit})`);
  const others = full.length > NAMED ? ` and ${full.length - NAMED} more` : "";
  return [
    warning(
      "Limits",
      `${full.length} organizations have stored nine tenths of the records that they may: ${names.join(", ")}${others}. "rollbook org set ID --records N" gives one more room.`,
    ),
  ];
}

/** Whether the keys in the database were made with the secret at hand. */
async function checkSecret(store: Store): Promise<Finding[]> {
  try {
    await store.checkKeySecret();
    return [];
  } catch (error) {
    return [wrong("Key secret", sentenceOf(error))];
  }
}

export function judgeClock(aheadMs: number): Finding {
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  const sentence = `The clock of PostgreSQL is ${seconds} s ${aheadMs > 0 ? "ahead of" : "behind"} this machine's: set both by NTP.`;
  if (Math.abs(aheadMs) > CLOCK_WRONG_MS) return wrong("Clock", sentence);
  if (Math.abs(aheadMs) > CLOCK_WARNING_MS) return warning("Clock", sentence);
  return good("Clock", "This machine and PostgreSQL agree on the time.");
}

export function judgeSchema(current: number, latest: number): Finding {
  const about = "Schema";
  if (current > latest)
    return wrong(about, `Version ${current} is newer than this program's ${latest}: run the newer rollbook.`);
  if (current < latest)
    return warning(
      about,
      `Version ${current}, this program's is ${latest}: rollbook migrate, or the next start, brings it there.`,
    );
  return good(about, `Version ${current}.`);
}

export function judgeConnections(
  { workers, poolSize, downloads }: Pick<Config, "workers" | "poolSize" | "downloads">,
  { maxConnections, reserved }: Pick<ServerFacts, "maxConnections" | "reserved">,
): Finding {
  const about = "Connections";
  const needed = workers * (poolSize + downloads + PIPELINES) + SPARE_CONNECTIONS;
  const usable = maxConnections - reserved;
  if (needed > usable)
    return wrong(
      about,
      `This node may take ${needed}, PostgreSQL has ${usable}: lower POOL_SIZE, DOWNLOADS or WORKERS, or raise max_connections.`,
    );
  return good(about, `This node takes at most ${needed} of the ${usable} that PostgreSQL has.`);
}

/** What the log is archived in, if it is. */
async function archive(config: Config): Promise<Finding[]> {
  const about = "Archive";
  const wanted = config.backupDir && resolve(config.backupDir);
  const state = await readArchiveState(resolve(config.dataDir));
  if (state === undefined)
    return wanted === undefined
      ? []
      : [wrong(about, `BACKUP_DIR is ${wanted}, and nothing is archived: start the server with it.`)];
  const { folder } = state.archiving;
  const other =
    wanted === undefined || wanted === folder
      ? []
      : [
          warning(
            about,
            `BACKUP_DIR is ${wanted}, and the server archives in ${folder} until it is started again.`,
          ),
        ];
  if (state.obstacle !== undefined) return [...other, judgeArchive(state, Date.now())];
  const { bavail, bsize } = await statfs(folder);
  return [
    ...other,
    judgeArchive(state, Date.now()),
    judgeBase(state, Date.now()),
    judgeSpace(bavail * bsize, folder),
  ];
}

export function judgeArchive(state: ArchiveState, now: number): Finding {
  const about = "Archive";
  const { archiving, reachedAt, waitingBytes, obstacle } = state;
  const waits = `${Math.round(waitingBytes / 1024 ** 2)} MB of the log wait in the data directory`;
  if (obstacle === "ENOENT")
    return wrong(
      about,
      `BACKUP_DIR ${archiving.folder} has none of it (is its disk mounted?), and ${waits}.`,
    );
  if (obstacle !== undefined)
    return wrong(about, `BACKUP_DIR ${archiving.folder} cannot be read (${obstacle}), and ${waits}.`);
  const behind = now - Date.parse(reachedAt) - archiving.seconds * 1000;
  const has = `${archiving.folder} has everything until ${reachedAt}`;
  if (waitingBytes > MOST_WAITING_BYTES)
    return wrong(about, `${has}, and ${waits}: postgres.log in the data directory says why.`);
  if (behind > ARCHIVE_BEHIND_MS)
    return warning(about, `${has}: if a server runs, its log and postgres.log say why it does not go on.`);
  return good(about, `${has}.`);
}

export function judgeBase({ baseAt }: Pick<ArchiveState, "baseAt">, now: number): Finding {
  if (baseAt === undefined)
    return warning(
      "Archive",
      "There is no base copy yet, without which nothing can be restored: the server makes one.",
    );
  const hours = Math.floor((now - Date.parse(baseAt)) / 3_600_000);
  if (hours < -1)
    return wrong(
      "Archive",
      `The last base copy is of ${baseAt}, which is to come: set the clock of this machine. No moment before that can be restored until there is another copy.`,
    );
  const sentence = `The last base copy was made ${hours} h ago.`;
  return hours > BACKUP_AGE_HOURS ? wrong("Archive", sentence) : good("Archive", sentence);
}

/** The newest backup of a folder is read, as one that is damaged or of another program is none. */
async function backupFolder(folder: string): Promise<Finding> {
  const about = "Backups";
  let newest: { path: string; time: number } | undefined;
  try {
    for (const { name } of (await readdir(folder, { withFileTypes: true })).filter((entry) =>
      entry.isFile(),
    )) {
      const path = join(folder, name);
      const { mtimeMs: time } = await stat(path);
      // What is still being written has another name until it is whole.
      if (!name.endsWith(".part") && (newest === undefined || time > newest.time)) newest = { path, time };
    }
  } catch {
    return wrong(about, `The folder ${folder} cannot be read.`);
  }
  if (newest === undefined)
    return wrong(about, `There is none in ${folder}: rollbook backup FILE, every night.`);
  const { path } = newest;
  try {
    const file = await open(path, "r");
    try {
      if (await isEncryptedBackup(file))
        return judgeBackup(
          newest.time,
          Date.now(),
          `The newest, ${path}, is encrypted (where its private key is, backup --verify reads it) and`,
        );
      const { header } = await checkBackup(file);
      if (header.organization)
        return wrong(about, `The newest, ${path}, holds one organization alone: keep such files elsewhere.`);
      return judgeBackup(Date.parse(header.createdAt), Date.now(), `The newest, ${path}, is whole and`);
    } finally {
      await file.close();
    }
  } catch (error) {
    return wrong(about, `The newest, ${path}, cannot be restored. ${sentenceOf(error)}`);
  }
}

/** What the database knows of backups, for who has not said where they are. */
async function lastBackup(db: Database): Promise<Finding> {
  const about = "Backups";
  const hint = "give --backups FOLDER to have the newest file read";
  const [found] = await db.query<{ lastBackup: string }>(lastBackupStatement);
  if (!found) return warning(about, `The database knows of none; ${hint}.`);
  const finding = judgeBackup(Date.parse(found.lastBackup), Date.now(), "The last");
  return { ...finding, sentence: `${finding.sentence.replace(/\.$/, "")}; ${hint}.` };
}

/** How long after its grace an organization may be there: each server looks once an hour, and then deletes for a while. */
const DELETION_HOURS = 6;

/** Organizations that a server should have deleted by now. */
async function overdueDeletions(db: Database): Promise<Finding[]> {
  const ids = await findOrganizationsToDelete(db, (await db.now()) - DELETION_HOURS * MS_PER_HOUR);
  if (ids.length === 0) return [];
  return [
    warning(
      "Deletions",
      `Their time was over ${DELETION_HOURS} h ago and they are still there: ${ids.join(", ")}. Servers delete while they run; look in the log.`,
    ),
  ];
}

async function lastDrill(db: Database): Promise<Finding> {
  const [found] = await db.query<{ lastDrill: string }>(lastDrillStatement);
  return judgeDrill(found && Date.parse(found.lastDrill), Date.now());
}

export function judgeDrill(triedAt: number | undefined, now: number): Finding {
  const about = "Drill";
  const hint = "rollbook backup --drill restores it into a temporary folder and compares the rows";
  if (triedAt === undefined) return warning(about, `The archive has never been tried; ${hint}.`);
  const days = Math.floor((now - triedAt) / 86_400_000);
  const sentence = `The archive was last tried ${days} days ago`;
  return days > DRILL_DAYS ? warning(about, `${sentence}; ${hint}.`) : good(about, `${sentence}.`);
}

export function judgeBackup(takenAt: number, now: number, which: string): Finding {
  const hours = Math.floor((now - takenAt) / 3_600_000);
  const sentence = `${which} was taken ${hours} h ago.`;
  return hours > BACKUP_AGE_HOURS ? wrong("Backups", sentence) : good("Backups", sentence);
}

function sentenceOf(error: unknown): string {
  if (error instanceof AppError) return explainError(error);
  return `It could not be looked at: ${error instanceof Error ? error.message : String(error)}.`;
}
