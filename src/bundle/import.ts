import { isDeepStrictEqual } from "node:util";
import { recordAudit } from "../audit/queries.ts";
import { planSchedule } from "../calendar/schedule.ts";
import { findZone, type Zone } from "../calendar/zones.ts";
import { todayIn } from "../clients/operations.ts";
import { BIRTHDATE_RANGE, NO_LOCATION } from "../clients/rules.ts";
import { AppError, conflict, notFound } from "../core/errors.ts";
import { type Database, violatedConstraint } from "../db/database.ts";
import { changeOrganization, createOrganization } from "../organizations/operations.ts";
import { COUNTER_SLOTS, findOrganization, type OrganizationRecord } from "../organizations/queries.ts";
import { Faults } from "./faults.ts";
import { type Entry, readLines } from "./lines.ts";
import * as queries from "./queries.ts";
import { type Row, readRecord, spanColumns, startInstant } from "./records.ts";
import { KINDS, type Kind } from "./schema.ts";
import { type StagedKind, TABLES, WRITE_ORDER } from "./staging.ts";

export interface ImportOptions {
  /** Where the records go; without it, to the organization that the file itself describes. */
  readonly organizationId?: string | undefined;
  /** Does everything but the commit. */
  readonly dryRun?: boolean;
  /** Who imports, for the audit. */
  readonly actor: string;
  readonly onProgress?: (progress: Progress) => void;
  /** How faults name a line; `line 12` unless said otherwise. */
  readonly nameLine?: (line: number) => string;
}

export interface Progress {
  readonly stage: "reading" | "checking" | "writing";
  /** How many records have been read. */
  readonly records: number;
}

export interface ImportSummary {
  readonly organizationId: string;
  readonly dryRun: boolean;
  readonly records: number;
  /** Only the kinds that the file has. */
  readonly kinds: Partial<Record<Kind, KindSummary>>;
  /** What a person should know beside the counts, in sentences. */
  readonly remarks?: readonly string[];
}

export interface KindSummary {
  readonly created: number;
  readonly replaced: number;
  readonly unchanged: number;
}

/** Imports the bytes of a bundle, compressed or not: all of it, or nothing and an error with every fault. */
export function importBundle(
  db: Database,
  chunks: AsyncIterable<Uint8Array>,
  options: ImportOptions,
): Promise<ImportSummary> {
  return importEntries(db, readLines(chunks), options);
}

/** Imports records that the program itself has made; the first is line 1. */
export function importRecords(
  db: Database,
  records: Iterable<object>,
  options: ImportOptions,
): Promise<ImportSummary> {
  return importEntries(db, [[...records].map((value, index) => ({ line: index + 1, value }))], options);
}

/** Imports what has been read from any source, some records at a time. */
export async function importEntries(
  db: Database,
  entries: AsyncIterable<readonly Entry[]> | Iterable<readonly Entry[]>,
  options: ImportOptions,
): Promise<ImportSummary> {
  try {
    const summary = await db.transaction(async (tx) => {
      const done = await new Import(tx, options).run(entries);
      // A transaction is left without committing by throwing.
      if (options.dryRun) throw new DryRunDone(done);
      return done;
    });
    await queries.analyzeTables(db, largeKinds(summary));
    return summary;
  } catch (error) {
    if (error instanceof DryRunDone) return error.summary;
    throw error;
  }
}

/** From this many written records on, PostgreSQL is told at once what a table holds, and not when it gets to it. */
const LARGE = 5_000;

function largeKinds({ kinds }: ImportSummary): Set<StagedKind> {
  return new Set(
    WRITE_ORDER.filter((kind) => (kinds[kind]?.created ?? 0) + (kinds[kind]?.replaced ?? 0) >= LARGE),
  );
}

class DryRunDone extends Error {
  readonly summary: ImportSummary;
  constructor(summary: ImportSummary) {
    super("a dry run import was not committed");
    this.summary = summary;
  }
}

/** What is handed to PostgreSQL at once: so many records, or fewer that are this long. */
const BATCH_RECORDS = 1_000;
const BATCH_BYTES = 4 * 1024 * 1024;

/** One import, inside its transaction. */
class Import {
  readonly #tx: Database;
  readonly #options: ImportOptions;
  readonly #faults: Faults;
  readonly #seen = { zones: new Map<string, Zone>() };
  readonly #pending = new Map<StagedKind, Row[]>();
  readonly #counts = new Map<StagedKind, number>();
  /** Ids of records with faults: others may refer to them without a fault of their own. */
  readonly #faultyIds = new Map<StagedKind, string[]>();
  #organizationLine: { line: number; row: Row } | undefined;
  #faultyLocations = 0;
  #pendingRecords = 0;
  #pendingBytes = 0;
  #staging: Promise<void> = Promise.resolve();
  #records = 0;

  constructor(tx: Database, options: ImportOptions) {
    this.#tx = tx;
    this.#options = options;
    this.#faults = new Faults(options.nameLine);
  }

  async run(entries: AsyncIterable<readonly Entry[]> | Iterable<readonly Entry[]>): Promise<ImportSummary> {
    const { organizationId } = this.#options;
    if (organizationId !== undefined && !(await findOrganization(this.#tx, organizationId)))
      throw notFound("There is no organization with this id.");
    await queries.createStaging(this.#tx);
    await this.#stage(entries);
    this.#progress("checking");
    const organization = await this.#chooseOrganization();
    await queries.lockImports(this.#tx, organization.id);
    await this.#check(organization);
    this.#faults.throwAny();
    this.#progress("writing");
    return this.#write(organization);
  }

  #progress(stage: Progress["stage"]): void {
    this.#options.onProgress?.({ stage, records: this.#records });
  }

  async #stage(entries: AsyncIterable<readonly Entry[]> | Iterable<readonly Entry[]>): Promise<void> {
    try {
      for await (const some of entries) {
        for (const entry of some) {
          this.#take(entry);
          if (this.#faults.isFull) this.#faults.throwAny();
          if (this.#pendingRecords >= BATCH_RECORDS || this.#pendingBytes >= BATCH_BYTES)
            await this.#flushAll();
        }
        this.#records += some.length;
        this.#progress("reading");
      }
      await this.#flushAll();
      await this.#staging;
    } finally {
      // If another reason ended the reading, what PostgreSQL says to the last batch is of no interest.
      this.#staging.catch(() => {});
    }
    for (const [kind, count] of this.#counts)
      if (count >= BATCH_RECORDS) await this.#tx.query(queries.STATEMENTS[kind].analyze);
  }

  #take(entry: Entry): void {
    const { line } = entry;
    if ("unreadable" in entry) {
      this.#faults.add({ line, message: entry.unreadable });
      return;
    }
    const { value } = entry;
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      this.#faults.add({ line, message: "not a JSON object" });
      return;
    }
    const kind = KINDS.find((name) => name === (value as { kind?: unknown }).kind);
    if (!kind) {
      this.#faults.add({ line, place: "kind", message: `must be one of: ${KINDS.join(", ")}` });
      return;
    }
    if (kind === "organization" && this.#options.organizationId !== undefined) return;
    const { faults, id, row } = readRecord(kind, value, this.#seen);
    for (const { location, message } of [...(entry.faults ?? []), ...faults])
      this.#faults.add({ line, kind, place: location, message });
    const isGood = row && !entry.faults;
    if (kind === "organization") {
      const first = this.#organizationLine;
      if (isGood && !first) this.#organizationLine = { line, row };
      else if (first) {
        const message = `there is one organization in a bundle, and ${this.#faults.nameLine(first.line)} has it`;
        this.#faults.add({ line, kind, message });
      }
    } else if (isGood) {
      listOf(this.#pending, kind).push({ line, ...row });
      this.#pendingRecords++;
      this.#pendingBytes += entry.bytes ?? 0;
    } else {
      if (id !== undefined) listOf(this.#faultyIds, kind).push(id);
      if (kind === "location") this.#faultyLocations++;
    }
  }

  async #flushAll(): Promise<void> {
    for (const kind of this.#pending.keys()) await this.#flush(kind);
    this.#pendingRecords = 0;
    this.#pendingBytes = 0;
  }

  /** Hands a batch over. It is stored while the next lines are read; no more than one is under way. */
  async #flush(kind: StagedKind): Promise<void> {
    const rows = this.#pending.get(kind) ?? [];
    if (rows.length === 0) return;
    this.#pending.set(kind, []);
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + rows.length);
    await this.#staging;
    this.#staging = queries.stageRows(this.#tx, kind, rows);
    this.#staging.catch(() => {});
  }

  /** The organization as it will be. */
  async #chooseOrganization(): Promise<FutureOrganization> {
    const { organizationId } = this.#options;
    if (organizationId !== undefined) {
      const stored = await findOrganization(this.#tx, organizationId);
      if (!stored) throw notFound("There is no organization with this id.");
      return { ...stored, stored, isInFile: false };
    }
    const found = this.#organizationLine;
    if (!found) {
      // Faults of its own are told, and what depends on it cannot be.
      this.#faults.throwAny();
      throw new AppError("invalid", "The file has no organization line; say where it goes with --org ID.");
    }
    const record = found.row as unknown as OrganizationRecord;
    return { ...record, stored: await findOrganization(this.#tx, record.id), isInFile: true };
  }

  async #check(organization: FutureOrganization): Promise<void> {
    const tx = this.#tx;
    const { id } = organization;
    for (const kind of WRITE_ORDER) {
      if (!this.#counts.has(kind)) continue;
      const statements = queries.STATEMENTS[kind];
      const repeated = await tx.query<queries.StagedFault>(statements.findRepeated);
      this.#found(kind, repeated, (line) => `is the id of ${this.#lineOf(line)} too`);
      for (const [index, { kind: target }] of TABLES[kind].references.entries()) {
        const reference = statements.references[index];
        if (!reference) continue;
        const faulty = this.#faultyIds.get(target) ?? [];
        this.#found(kind, await tx.query(reference.statement, [id, faulty]), () => reference.message);
      }
    }
    const locations = await queries.listFutureLocations(tx, id);
    if (this.#counts.has("client")) await this.#checkClients(organization, locations);
    if (this.#counts.has("contract")) {
      await queries.nameEntitlements(tx, id);
      const message = "is the id of another entitlement too";
      this.#found("contract", await queries.findRepeatedEntitlements(tx, id), () => message);
    }
    const zones = new Map(locations.map((location) => [location.id, findZone(location.timezone)]));
    if (this.#counts.has("schedule")) await this.#placeSchedules(zones);
    if (this.#counts.has("session")) {
      await this.#placeSessions(zones);
      const message = (line: string) => `stands for the same slot as ${this.#lineOf(line)}`;
      this.#found("session", await queries.findRepeatedSlots(tx), message);
      this.#found("session", await queries.findHeldSlots(tx, id), heldSlot);
    }
  }

  async #checkClients(organization: FutureOrganization, locations: readonly { id: string }[]): Promise<void> {
    const tx = this.#tx;
    const [only] = locations;
    if (only && locations.length + this.#faultyLocations === 1) await queries.setOnlyLocation(tx, only.id);
    this.#found("client", await queries.findClientsWithoutLocation(tx), () => NO_LOCATION);
    this.#found(
      "client",
      await queries.findFutureBirthdates(tx, todayIn(organization.timezone)),
      () => BIRTHDATE_RANGE,
    );
    const message = (line: string) => `is held by the client of ${this.#lineOf(line)} already`;
    this.#found("client", await queries.findRepeatedDocuments(tx), message);
    await this.#checkHeldDocuments(organization.id);
  }

  async #checkHeldDocuments(organizationId: string): Promise<void> {
    const message = (holder: string) => `is held by another client already: ${holder}`;
    this.#found("client", await queries.findHeldDocuments(this.#tx, organizationId), message);
  }

  #found(kind: Kind, faults: readonly queries.StagedFault[], message: (other: string) => string): void {
    for (const { line, place, other = "" } of faults)
      this.#faults.add({ line, kind, place, message: message(other) });
  }

  #lineOf(other: string): string {
    return this.#faults.nameLine(Number(other));
  }

  async #placeSchedules(zones: ReadonlyMap<string, Zone | undefined>): Promise<void> {
    for (let last = 0; ; ) {
      const unplaced = await queries.listUnplacedSchedules(this.#tx, last, BATCH_RECORDS);
      if (unplaced.length === 0) return;
      const rows: Row[] = [];
      for (const schedule of unplaced) {
        last = schedule.line;
        const zone = zones.get(schedule.locationId);
        if (!zone) continue;
        const { span, faults } = planSchedule(schedule, zone);
        if (span) rows.push({ line: schedule.line, ...spanColumns(span) });
        for (const { location, message } of faults)
          this.#faults.add({ line: schedule.line, kind: "schedule", place: location, message });
      }
      await queries.placeSchedules(this.#tx, rows);
    }
  }

  async #placeSessions(zones: ReadonlyMap<string, Zone | undefined>): Promise<void> {
    let isAny = false;
    for await (const unplaced of queries.readUnplacedSessions(this.#tx)) {
      const rows: Row[] = [];
      for (const { line, locationId, start } of unplaced) {
        const zone = zones.get(locationId);
        const startAt = zone && startInstant(start, zone);
        if (startAt && "text" in startAt) rows.push({ line, start_at: startAt.text });
        else if (startAt)
          this.#faults.add({ line, kind: "session", place: "start", message: startAt.fault.message });
      }
      await queries.stageInstants(this.#tx, rows);
      isAny = true;
    }
    if (isAny) await queries.placeSessions(this.#tx);
  }

  async #write(organization: FutureOrganization): Promise<ImportSummary> {
    const tx = this.#tx;
    await tx.query(queries.savepoint);
    try {
      return await this.#writeAll(organization);
    } catch (error) {
      // Somebody else has taken an id document or a slot since it was checked: now it can be seen who.
      if (violatedConstraint(error) === undefined) throw error;
      await tx.query(queries.rollbackToSavepoint);
      await this.#checkHeldDocuments(organization.id);
      this.#found("session", await queries.findHeldSlots(tx, organization.id), heldSlot);
      this.#faults.throwAny();
      throw conflict("The organization's data was changed meanwhile; nothing was imported. Try again.");
    }
  }

  async #writeAll(organization: FutureOrganization): Promise<ImportSummary> {
    const tx = this.#tx;
    const { actor } = this.#options;
    const { id, stored } = organization;
    const kinds: Partial<Record<Kind, KindSummary>> = {};
    const wish = wishOf(organization);
    if (organization.isInFile) {
      const isSame = stored !== undefined && isDeepStrictEqual(wishOf(stored), wish);
      kinds.organization = {
        created: stored ? 0 : 1,
        replaced: stored && !isSame ? 1 : 0,
        unchanged: isSame ? 1 : 0,
      };
      if (!stored) await createOrganization(tx, actor, { id, ...wish });
    }
    const moved = await queries.listMovedLocations(tx, id);
    const moves = new Map<string, number>();
    for (const kind of WRITE_ORDER) {
      if (this.#counts.has(kind)) kinds[kind] = await this.#writeKind(kind, id, moves);
    }
    for (const location of moved) await this.#moveClocks(id, location);
    // Last, because others that write wait for these rows until the commit.
    await queries.moveCounters(tx, id, Math.floor(Math.random() * COUNTER_SLOTS), moves);
    if (kinds.organization?.replaced) await changeOrganization(tx, actor, id, wish);
    const summary = { organizationId: id, dryRun: this.#options.dryRun === true, records: this.#records };
    const inOrder = Object.fromEntries(KINDS.flatMap((kind) => (kinds[kind] ? [[kind, kinds[kind]]] : [])));
    await recordAudit(tx, actor, { action: "import", organizationId: id, subject: id, details: inOrder });
    return { ...summary, kinds: inOrder };
  }

  async #writeKind(
    kind: StagedKind,
    organizationId: string,
    moves: Map<string, number>,
  ): Promise<KindSummary> {
    const tx = this.#tx;
    const statements = queries.STATEMENTS[kind];
    const inOrganization = [organizationId];
    const [changed] = await tx.query<{ count: number }>(statements.lockChanged, inOrganization);
    const replaced = changed?.count ?? 0;
    if (replaced > 0) {
      if (statements.clearExchanged) await tx.query(statements.clearExchanged, inOrganization);
      await tx.query(statements.replace, inOrganization);
      for (const statement of statements.removeChildren) await tx.query(statement, inOrganization);
      for (const statement of statements.replaceChildren) await tx.query(statement, inOrganization);
    }
    const [existing] = await tx.query<{ count: number }>(statements.dropExisting, inOrganization);
    const kept = existing?.count ?? 0;
    if (statements.countStatuses) {
      const counts = await tx.query<{ status: string; count: number }>(
        statements.countStatuses,
        inOrganization,
      );
      for (const { status, count } of counts) moves.set(`${TABLES[kind].counter}_${status}`, count);
    }
    const created = (this.#counts.get(kind) ?? 0) - kept;
    if (created > 0) {
      await tx.query(statements.insert, inOrganization);
      if (created >= LARGE) await tx.query(statements.analyzeStored);
      for (const statement of statements.insertChildren) await tx.query(statement, inOrganization);
    }
    return { created, replaced, unchanged: kept - replaced };
  }

  /** A location has another time zone now: its sessions keep their wall clocks, so their instants move. */
  async #moveClocks(organizationId: string, location: { id: string; timezone: string }): Promise<void> {
    const tx = this.#tx;
    const zone = findZone(location.timezone);
    if (!zone) return;
    for await (const sessions of queries.readSessionsAt(tx, organizationId, location.id)) {
      const rows = sessions.flatMap(({ id, start }) => {
        const startAt = startInstant(start, zone);
        return startAt && "text" in startAt ? [{ id, start_at: startAt.text }] : [];
      });
      await queries.moveSessions(tx, organizationId, rows);
    }
    const schedules = await queries.listSchedulesAt(tx, organizationId, location.id);
    const rows = schedules.flatMap((schedule) => {
      const { span } = planSchedule(schedule, zone);
      return span ? [{ id: schedule.id, ...spanColumns(span) }] : [];
    });
    await queries.moveSchedules(tx, organizationId, rows);
  }
}

type FutureOrganization = OrganizationRecord & {
  readonly stored: OrganizationRecord | undefined;
  readonly isInFile: boolean;
};

function wishOf({ name, timezone, currency, plan, status, joinedAt }: OrganizationRecord) {
  return { name, timezone, currency, plan, status, joinedAt };
}

function heldSlot(holder: string): string {
  return `stands for the same slot as another session: ${holder}`;
}

function listOf<Key, Value>(lists: Map<Key, Value[]>, key: Key): Value[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}
