import { Snapshot } from "../../core/data-snapshot.ts";
import { MS_PER_DAY, parseInstant } from "../../core/dates.ts";
import type { Fault } from "../../core/errors.ts";
import { isTurnOver, nextTurn } from "../../core/event-loop-turns.ts";
import { MAX_WINDOW_DAYS } from "../../core/limits.ts";
import type { RecordStream } from "../../core/record-stream.ts";
import { compileRender } from "../../core/render.ts";
import type { Database, SharedDatabase } from "../../db/database.ts";
import { FairQueue } from "../../db/fair-queue.ts";
import { type Agenda, type PreparedSchedule, prepareSchedule, walkAgenda, writeAgenda } from "./agenda.ts";
import type { CalendarWindow, ScheduleRow } from "./calendar-rows.ts";
import { CompiledSchedules } from "./compiled-schedules.ts";
import {
  openSnapshot,
  pageAllSchedules,
  pageMovedSlots,
  pageSessionKinds,
  pageSessions,
  pageWindowSchedules,
  readFewSchedules,
  readFewSessions,
  readNames,
} from "./queries.ts";
import { type CalendarQuery, CalendarSession, type Session } from "./schema.ts";
import { type CalendarNames, SessionCount, SessionRecords } from "./session-records.ts";
import { orderSessions, SessionKinds, StoredSessions, TakenSlots } from "./stored-sessions.ts";

/** The faults of the window as a whole; those of its two ends are found by their schema. */
export function checkWindow({ from, to }: Partial<CalendarQuery>): Fault[] {
  const fromMs = typeof from === "string" ? parseInstant(from) : undefined;
  const toMs = typeof to === "string" ? parseInstant(to) : undefined;
  if (fromMs === undefined || toMs === undefined) return [];
  if (toMs <= fromMs) return [{ location: "query.to", code: "window_reversed" }];
  if (toMs - fromMs > MAX_WINDOW_DAYS * MS_PER_DAY) {
    return [{ location: "query.to", code: "window_too_long", params: { maxDays: MAX_WINDOW_DAYS } }];
  }
  return [];
}

export function readWindow(query: CalendarQuery): CalendarWindow {
  return {
    fromMs: parseInstant(query.from) ?? Number.NaN,
    toMs: parseInstant(query.to) ?? Number.NaN,
    locationId: query.locationId,
    serviceTypeId: query.serviceTypeId,
    scheduleId: query.scheduleId,
    resourceId: query.resourceId,
  };
}

/** Whose calendar is read, and the version of the catalog that the gate has just seen. */
export interface Reader {
  readonly organizationId: string;
  /** Which past the database has: the version counts within it. */
  readonly history: string;
  readonly catalogVersion: number;
}

/** The schedules of an organization at one version of its catalog; absent if there are too many to cache. */
interface CachedSchedules {
  readonly version: number;
  readonly schedules?: readonly PreparedSchedule[];
  /** Of what the sessions refer to, once somebody has asked for them. */
  readonly names?: CalendarNames;
}

/** What the sessions of a window are made of, with what people call their places and kinds. */
interface NamedAgenda {
  readonly agenda: Agenda;
  readonly names: CalendarNames;
}

/**
 * Reads calendars. The compiled schedules of an organization are cached, so that for a window only the stored sessions
 * are read, together with the versions in the same snapshot. If that is not the version of the cached schedules,
 * or if there are many stored sessions or many schedules to be read, a transaction reads everything page by page: an answer
 * always comes from one snapshot. The transaction ends before the first session is sent, so that a slow caller holds no connection.
 */
export class CalendarReader {
  readonly #db: SharedDatabase;
  readonly #longReads = new FairQueue(MAX_LONG_READS, LONG_READ_TIMEOUT_MS);
  readonly #cached = new Map<string, CachedSchedules>();
  #cachedSchedules = 0;
  readonly #compiled = new CompiledSchedules();

  constructor(db: SharedDatabase) {
    this.#db = db;
  }

  /** What the window's sessions are made of, all from one snapshot. */
  async read(reader: Reader, window: CalendarWindow): Promise<Snapshot<Agenda>> {
    const few = await this.#readFew(reader, window, await this.#fewSchedules(reader));
    return few ?? this.readWith(reader, window, async (_, agenda) => agenda);
  }

  /** The same with the names of what the sessions refer to. */
  async readNamed(reader: Reader, window: CalendarWindow): Promise<Snapshot<NamedAgenda>> {
    const cached = this.#cached.get(cacheKey(reader));
    const names = cached?.names;
    const few = names && (await this.#readFew(reader, window, cached));
    if (few) return new Snapshot({ agenda: few.content, names }, few.version);
    return this.readWith(reader, window, async (tx, agenda, catalogVersion) => ({
      agenda,
      names: await this.#namesAt(tx, reader, catalogVersion),
    }));
  }

  /** The schedules of the reader's catalog if they are cached, and of an organization with few by one short read. */
  async #fewSchedules(reader: Reader): Promise<CachedSchedules | undefined> {
    const key = cacheKey(reader);
    const cached = this.#cached.get(key);
    if (cached?.version === reader.catalogVersion) return cached;
    const { organizationId } = reader;
    const found = await readFewSchedules(this.#db.for(organizationId), organizationId);
    if (found === undefined) return undefined;
    const schedules = await this.#prepare([found.schedules]);
    const { catalogVersion: version } = found;
    this.#store(key, { version, schedules });
    return { version, schedules };
  }

  /** Reads the stored sessions alone, if they are few and the catalog is still that of the cached schedules. */
  async #readFew(
    { organizationId, catalogVersion }: Reader,
    window: CalendarWindow,
    cached: CachedSchedules | undefined,
  ): Promise<Snapshot<Agenda> | undefined> {
    if (!cached?.schedules || cached.version !== catalogVersion) return undefined;
    const db = this.#db.for(organizationId);
    const found = await readFewSessions(db, organizationId, window, FEW_SESSIONS + 1);
    const { version, sessions } = found;
    if (found.catalogVersion !== cached.version || sessions.length > FEW_SESSIONS) return undefined;
    return new Snapshot({ schedules: cached.schedules, ...orderSessions(sessions, window) }, version);
  }

  /** As `write`, with names. */
  async *writeNamed(
    { agenda, names }: NamedAgenda,
    window: CalendarWindow,
    opening: string,
  ): AsyncGenerator<Buffer> {
    let total = 0;
    let text = `${opening}"data":[`;
    await nextTurn();
    for await (const batch of this.#recordBatches(agenda, window, names)) {
      for (const session of batch) text += (total++ === 0 ? "" : ",") + renderSession(session);
      if (text.length < PIECE_LENGTH) continue;
      yield Buffer.from(text);
      text = "";
    }
    yield Buffer.from(`${text}],"total":${total}}`);
  }

  /** The window's list envelope as JSON, piece by piece; `opening` stands before its first member. */
  async *write(agenda: Agenda, window: CalendarWindow, opening: string): AsyncGenerator<Buffer> {
    let total = 0;
    yield Buffer.from(`${opening}"data":[`);
    // Waiting for the socket to drain alone would not let other requests in.
    await nextTurn();
    for (const { bytes, count } of writeAgenda(agenda, window)) {
      // Each session comes with a comma before it, which the first must not have.
      if (count > 0) yield total === 0 ? bytes.subarray(1) : bytes;
      total += count;
      if (isTurnOver()) await nextTurn();
    }
    yield Buffer.from(`],"total":${total}}`);
  }

  /** The sessions of the window as records, all from one snapshot. */
  async readRecords(
    reader: Reader,
    window: CalendarWindow,
    options: { readonly hasNames: boolean },
  ): Promise<RecordStream<Session>> {
    const { content, version } = options.hasNames
      ? await this.readNamed(reader, window)
      : await this.read(reader, window);
    const { agenda, names } = "agenda" in content ? content : { agenda: content, names: undefined };
    const count = new SessionCount();
    for (const _ of walkAgenda(agenda, window, count)) if (isTurnOver()) await nextTurn();
    return { total: count.total, version, batches: this.#recordBatches(agenda, window, names) };
  }

  /** The sessions of a short window as records, in batches. */
  async *listRecords(reader: Reader, window: CalendarWindow): AsyncGenerator<Session[]> {
    const { content: agenda } = await this.read(reader, window);
    yield* this.#recordBatches(agenda, window, undefined);
  }

  async *#recordBatches(
    agenda: Agenda,
    window: CalendarWindow,
    names: CalendarNames | undefined,
  ): AsyncGenerator<Session[]> {
    const records = new SessionRecords(names);
    for (const count of walkAgenda(agenda, window, records)) {
      if (count > 0) yield records.take();
      if (isTurnOver()) await nextTurn();
    }
  }

  /** What is made of the window's sessions with more of the same snapshot. */
  async readWith<Content>(
    reader: Reader,
    window: CalendarWindow,
    make: (tx: Database, agenda: Agenda, catalogVersion: number) => Promise<Content>,
  ): Promise<Snapshot<Content>> {
    const { organizationId } = reader;
    await this.#longReads.enter(organizationId);
    try {
      return await this.#db.for(organizationId).transaction(async (tx) => {
        const { agenda, version, catalogVersion } = await this.#readPages(tx, reader, window);
        return new Snapshot(await make(tx, agenda, catalogVersion), version);
      });
    } finally {
      this.#longReads.leave(organizationId);
    }
  }

  async #readPages(tx: Database, reader: Reader, window: CalendarWindow) {
    const { organizationId } = reader;
    const { catalogVersion, version } = await openSnapshot(tx, organizationId);
    const schedules = await this.#schedulesAt(tx, catalogVersion, reader, window);
    const taken = new TakenSlots();
    const { kinds, seed } = await this.#readKinds(tx, organizationId, window, taken);
    const stored = new StoredSessions();
    for await (const page of pageSessions(tx, organizationId, window, seed, nextTurn))
      for (const row of page) {
        const { template, minutes } = kinds.of(row);
        stored.add(row, template);
        if (row.slotMinute !== undefined) minutes.add(row.slotMinute);
      }
    for await (const page of pageMovedSlots(tx, organizationId, window, nextTurn))
      for (const { scheduleId, slotMinute } of page) taken.minutesOf(scheduleId).add(slotMinute);
    return { agenda: { schedules, stored, taken }, version, catalogVersion };
  }

  async #namesAt(tx: Database, reader: Reader, catalogVersion: number): Promise<CalendarNames> {
    const names = await readNames(tx, reader.organizationId, nextTurn);
    const cached = this.#cached.get(cacheKey(reader));
    if (cached?.version === catalogVersion) this.#store(cacheKey(reader), { ...cached, names });
    return names;
  }

  /** The kinds of the window's stored sessions under numbers that differ. */
  async #readKinds(tx: Database, organizationId: string, window: CalendarWindow, taken: TakenSlots) {
    for (let seed = 0; ; seed++) {
      const kinds = new SessionKinds();
      let areDistinct = true;
      for await (const page of pageSessionKinds(tx, organizationId, window, seed, nextTurn))
        for (const row of page) areDistinct = kinds.add(row, taken) && areDistinct;
      if (areDistinct) return { kinds, seed };
    }
  }

  async #schedulesAt(
    tx: Database,
    version: number,
    reader: Reader,
    window: CalendarWindow,
  ): Promise<readonly PreparedSchedule[]> {
    const { organizationId } = reader;
    const key = cacheKey(reader);
    const cached = this.#cached.get(key);
    if (cached?.version === version) {
      return cached.schedules ?? this.#prepare(pageWindowSchedules(tx, organizationId, window, nextTurn));
    }
    const schedules = await this.#prepare(
      pageAllSchedules(tx, organizationId, MAX_CACHED_OF_ONE + 1, nextTurn),
    );
    if (schedules.length <= MAX_CACHED_OF_ONE) {
      this.#store(key, { version, schedules });
      return schedules;
    }
    this.#store(key, { version });
    return this.#prepare(pageWindowSchedules(tx, organizationId, window, nextTurn));
  }

  async #prepare(pages: AsyncIterable<ScheduleRow[]> | Iterable<ScheduleRow[]>): Promise<PreparedSchedule[]> {
    const prepared: PreparedSchedule[] = [];
    for await (const page of pages)
      for (const row of page) {
        prepared.push(prepareSchedule(row, this.#compiled.of(row)));
        if (isTurnOver()) await nextTurn();
      }
    return prepared;
  }

  /** The organization that was cached first makes room. */
  #store(key: string, cached: CachedSchedules): void {
    this.#forget(key);
    this.#cached.set(key, cached);
    this.#cachedSchedules += weight(cached);
    for (const oldest of this.#cached.keys()) {
      if (this.#cachedSchedules <= MAX_CACHED) return;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    const cached = this.#cached.get(key);
    if (!cached) return;
    this.#cachedSchedules -= weight(cached);
    this.#cached.delete(key);
  }
}

/** As many rows as the driver may take apart in one turn of the event loop; with more they are read in pages. */
const FEW_SESSIONS = 400;
/**
 * Each holds a connection of the pool and keeps a core of PostgreSQL busy while it reads. One organization gets one of
 * the two: taking rows apart keeps the event loop as busy as PostgreSQL, so that more at once would not be faster.
 */
const MAX_LONG_READS = 2;
/** Answered before the connection is taken for a silent one and closed. */
export const LONG_READ_TIMEOUT_MS = 12_000;
const MAX_CACHED = 10_000;
/** Of an organization with more schedules than this, only those of the window are read. */
const MAX_CACHED_OF_ONE = 2_000;

function cacheKey({ history, organizationId }: Reader): string {
  return history + organizationId;
}

/** An organization counts as well: it may have no schedules. */
function weight({ schedules, names }: CachedSchedules): number {
  return 1 + (schedules?.length ?? 0) + (names ? names.serviceTypes.size + names.locations.size : 0);
}

const renderSession = compileRender(CalendarSession);
/** Each write to a socket costs as much as some hundred sessions. */
const PIECE_LENGTH = 1 << 15;
