import { statfs } from "node:fs/promises";
import type { Logger } from "pino";
import { hasArchived, readArchive, recordReached } from "../db/archive/archive-files.ts";
import { MOST_WAITING_BYTES, readWaitingBytes } from "../db/embedded/archive-state.ts";
import { type Archiving, archivePath } from "../db/embedded/archiving.ts";
import { openConnection } from "../db/server-connection.ts";
import type { Config } from "./config.ts";
import type { Store } from "./store.ts";

/** At this hour of the machine's own time the base copy of a day is made. */
const NIGHTLY_HOUR = 3;
/** How often it is looked how far the archive has got, in the time that a segment may stay open. */
const LOOKS = 4;
/** A second copy is not begun at once where the first could not be made. */
const RETRY_MS = 15 * 60_000;
/** A copy takes as much of the disk as leaves most of it to requests. */
const BYTES_PER_SECOND = 32 * 1024 * 1024;
/** From here on, or when more waits than may wait its turn, the log says that the archive is behind. */
const BEHIND_MS = 5 * 60_000;
/** It is said again after so long, and whenever twice as much waits: that fills the disk of the data directory. */
const TOLD_AGAIN_MS = 60 * 60_000;
/** Moments that wait for their part of the log; the newest of more takes the place of the last. */
const MOST_PENDING = 64;

/** A moment, and where the log was just after it. */
interface LogMoment {
  readonly at: number;
  readonly segment: string;
  /** Who changes something next would be this transaction; absent while somebody does. */
  readonly nextTransaction?: string | undefined;
}

/**
 * Keeps the archive of the built-in PostgreSQL: writes down how far it has got, and has a base copy made each night. The log
 * itself PostgreSQL archives by itself, whether or not this runs.
 */
export class ArchiveTask {
  readonly #store: Store;
  readonly #archiving: Archiving;
  readonly #days: number;
  readonly #logger: Logger;
  readonly #stopped = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #pending: LogMoment[] = [];
  #reached: LogMoment | undefined;
  #nextCopyAt = 0;
  #told: { readonly at: number; readonly waitingBytes: number } | undefined;
  readonly #begunAt = Date.now();
  #look: Promise<void> | undefined;
  #copy: Promise<void> | undefined;

  constructor(store: Store, config: Pick<Config, "backupDays">, logger: Logger) {
    const archiving = store.embedded?.archiving;
    if (archiving === undefined) throw new Error("nothing is archived");
    this.#store = store;
    this.#archiving = archiving;
    this.#days = config.backupDays;
    this.#logger = logger;
    const isNew = Date.parse(archiving.since) >= performance.timeOrigin;
    logger.info(
      { archive: archivePath(archiving) },
      isNew ? "a new archive was begun" : "the log is archived",
    );
    const tick = () => {
      this.#look ??= this.#lookOnce().finally(() => {
        this.#look = undefined;
      });
    };
    this.#timer = setInterval(tick, (archiving.seconds * 1000) / LOOKS);
    tick();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopped.abort();
    await Promise.all([this.#look, this.#copy]);
  }

  async #lookOnce(): Promise<void> {
    try {
      this.#copy ??= this.#copyIfDue().finally(() => {
        this.#copy = undefined;
      });
      await this.#advance();
    } catch (err) {
      if (!this.#stopped.signal.aborted) await this.#tellIfBehind(err);
    }
  }

  /** Looks which of the moments that were noted down have their log in the archive by now. */
  async #advance(): Promise<void> {
    const path = archivePath(this.#archiving);
    const now = await this.#moment();
    let reached = this.#reached ?? (await findReached(path));
    for (let [first] = this.#pending; first !== undefined; [first] = this.#pending) {
      if (!(await hasArchived(path, first.segment))) break;
      reached = this.#pending.shift();
    }
    // What stands in the segment that is written now is nobody's change: the archive has all of them.
    if (isUnchanged(reached, now)) reached = { ...now, segment: reached.segment };
    else this.#pending = [...this.#pending.slice(0, MOST_PENDING - 1), now];
    if (reached !== undefined) {
      const { at, ...place } = reached;
      await recordReached(path, { at: new Date(at).toISOString(), ...place });
      this.#reached = reached;
    }
    await this.#tellIfBehind();
  }

  async #moment(): Promise<LogMoment> {
    const connection = await openConnection(this.#store.connection, "rollbook archive");
    try {
      const at = Date.now();
      const { rows } = await connection.query<{ next: string; running: boolean }>(
        `select pg_snapshot_xmax(s)::text as next, pg_snapshot_xmin(s) <> pg_snapshot_xmax(s) as running
         from pg_current_snapshot() s`,
      );
      // After the look, so that all that was committed before it stands before this place.
      const { rows: places } = await connection.query<{ segment: string }>(
        "select pg_walfile_name(pg_current_wal_insert_lsn()) as segment",
      );
      return {
        at,
        segment: places[0]?.segment ?? "",
        nextTransaction: rows[0]?.running === false ? rows[0].next : undefined,
      };
    } finally {
      await connection.end();
    }
  }

  async #tellIfBehind(err?: unknown): Promise<void> {
    const now = Date.now();
    const behindMs = now - (this.#reached?.at ?? this.#begunAt);
    const { dataDir = "" } = this.#store;
    const waitingBytes = await readWaitingBytes(dataDir);
    if (
      behindMs < BEHIND_MS + this.#archiving.seconds * 1000 &&
      waitingBytes <= (this.#told === undefined ? MOST_WAITING_BYTES : 0)
    ) {
      if (this.#told) this.#logger.info("the archive of the log is up to date again");
      this.#told = undefined;
      return;
    }
    const { at, waitingBytes: toldBytes } = this.#told ?? { at: 0, waitingBytes: 0 };
    if (now < at + TOLD_AGAIN_MS && waitingBytes < 2 * Math.max(toldBytes, MOST_WAITING_BYTES)) return;
    this.#told = { at: now, waitingBytes };
    const free = await statfs(dataDir).catch(() => undefined);
    const left = free ? `, whose disk has ${megabytes(free.bavail * free.bsize)} MB left` : "";
    this.#logger.error(
      { err },
      `the archive of the log is ${Math.floor(behindMs / 60_000)} minutes behind: ${megabytes(waitingBytes)} MB wait in the data directory${left}; postgres.log says why`,
    );
  }

  async #copyIfDue(): Promise<void> {
    if (Date.now() < this.#nextCopyAt) return;
    try {
      // Whoever makes one after this look, as a second server would, has made ours as well.
      const unlessSince = new Date().toISOString();
      const newest = (await readArchive(archivePath(this.#archiving)))?.bases.at(-1);
      if (newest !== undefined && !isCopyDue(new Date(newest.finishedAt), new Date())) return;
      const { base, removed } = await (this.#store.embedded as NonNullable<Store["embedded"]>).copyBase(
        {
          days: this.#days,
          unlessSince,
          bytesPerSecond: BYTES_PER_SECOND,
        },
        this.#stopped.signal,
      );
      if (base) this.#logger.info({ bytes: base.bytes, removed }, "a base copy was made");
    } catch (err) {
      if (this.#stopped.signal.aborted) return;
      this.#nextCopyAt = Date.now() + RETRY_MS;
      this.#logger.error({ err }, "a base copy could not be made; it is tried again in a quarter of an hour");
    }
  }
}

/** What the process before knew: on a server that nobody has used since, no segment is to come. */
async function findReached(path: string): Promise<LogMoment | undefined> {
  const reached = (await readArchive(path))?.reached;
  return reached && { ...reached, at: Date.parse(reached.at) };
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1024 ** 2);
}

/** Whether nothing can have been committed between the two moments: no transaction that writes has begun. */
function isUnchanged(one: LogMoment | undefined, other: LogMoment): one is LogMoment {
  return one?.nextTransaction !== undefined && one.nextTransaction === other.nextTransaction;
}

/** One that was made by a clock that was ahead begins no moment before that: the next is due at once. */
export function isCopyDue(madeAt: Date, now: Date): boolean {
  return madeAt > now || now >= nextNight(madeAt);
}

/** The next hour of base copies after an instant, by the machine's own time. */
export function nextNight(after: Date): Date {
  const night = new Date(after);
  night.setHours(NIGHTLY_HOUR, 0, 0, 0);
  if (night <= after) night.setDate(night.getDate() + 1);
  return night;
}
