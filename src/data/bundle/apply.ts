import { isDeepStrictEqual } from "node:util";
import { conflict } from "../../core/errors.ts";
import { newId } from "../../core/ids.ts";
import type { Database } from "../../db/database.ts";
import { isDeadlock, violatedConstraint } from "../../db/statement-errors.ts";
import { recordAudit } from "../../domain/audit/queries.ts";
import { keepWallClocks } from "../../domain/calendar/wall-clocks.ts";
import { lockForWrite, setDueAt, shareOrganization } from "../../domain/contract-status/queries.ts";
import { applyDueWithin } from "../../domain/due-changes/due-changes.ts";
import { countStored } from "../../domain/organizations/limit-queries.ts";
import { createOrganization } from "../../domain/organizations/operations.ts";
import { importTooLarge } from "../../domain/organizations/organization-limits.ts";
import {
  anySlot,
  findSettings,
  lockOrganization,
  type OrganizationRecord,
} from "../../domain/organizations/queries.ts";
import type { OrganizationSettings } from "../../domain/organizations/schema.ts";
import { claimImported } from "../../domain/resources/imported-claims.ts";
import { changeOrganization, storeSettings } from "../../domain/settings/operations.ts";
import * as queries from "./apply-queries.ts";
import { checkHeld, checkStaffWork, type StagedFile } from "./check.ts";
import { type LocationZone, listFutureLocations } from "./check-queries.ts";
import { listMovedLocations } from "./clock-queries.ts";
import { stageContractDays } from "./contract-days.ts";
import type { Entry } from "./lines.ts";
import { type StagedKind, WRITE_ORDER } from "./record-tables.ts";
import { KINDS, type Kind } from "./schema.ts";
import { restageClients } from "./stage-queries.ts";
import type { KindSummary } from "./summary.ts";

/** Where the records go: the organization as it will be, and as it is. */
export interface Destination {
  readonly organization: OrganizationRecord;
  /** Those that the file gives. */
  readonly settings: Partial<OrganizationSettings>;
  readonly isStored: boolean;
  /** Whether the file describes it; otherwise it stays as it is. */
  readonly isInFile: boolean;
  /** How many records it may store, if it has a limit of its own. */
  readonly maxRecords: number | undefined;
}

/** What was done, by kind, in the order of an export. */
type KindSummaries = Partial<Record<Kind, KindSummary>>;

interface Applied {
  readonly kinds: KindSummaries;
  /** Sessions to come that should hold a resource which another one has. */
  readonly unclaimed: readonly string[];
  readonly auditId: string;
}

/** How it is written, beside what. */
export interface ApplyOptions {
  readonly actor: string;
  /** Puts clients that others have written meanwhile together again. */
  readonly merge?:
    | ((tx: Database, clients: readonly queries.OutdatedClient[]) => Promise<readonly Entry[]>)
    | undefined;
  /** Whether what the import does to clients is recorded, so that it can be taken back. */
  readonly isUndoable?: boolean | undefined;
  /** How many records the organization may store. */
  readonly maxRecords?: number | undefined;
}

/** How often a write is tried that met what somebody else stored meanwhile. */
const TRIES = 3;

/**
 * The last step of an import: writes what is staged and without fault. `zones` are the time zones by which the
 * staged instants were computed.
 */
export async function applyStaged(
  file: StagedFile,
  destination: Destination,
  zones: readonly LocationZone[],
  options: ApplyOptions,
): Promise<Applied> {
  const { tx, faults } = file;
  for (let left = TRIES - 1; ; left--) {
    await tx.query(queries.savepoint);
    try {
      return await write(file, destination, zones, options);
    } catch (error) {
      // Somebody else has taken an id document or a slot since it was looked for: now it can be seen who. If that
      // is a record of the file, comparing again finds that it changed. Or a writer who wants what this import has just
      // given to a record held another record of the file: the writer goes first.
      const isTaken = violatedConstraint(error) !== undefined;
      if (!isTaken && !isDeadlock(error)) throw error;
      if (left === 0) throw isTaken ? changedMeanwhile() : error;
      await tx.query(queries.rollbackToSavepoint);
      await checkHeld(file, destination.organization.id);
      faults.throwAny();
    }
  }
}

/**
 * First everything for which no writer of the API has to wait: comparing, and storing what is new. Then, in as few
 * statements as possible, what is replaced: from its lock to the commit, whoever writes to one of those records waits.
 */
async function write(
  file: StagedFile,
  destination: Destination,
  zones: readonly LocationZone[],
  { actor, merge, isUndoable, maxRecords }: ApplyOptions,
): Promise<Applied> {
  const { tx, counts, faults } = file;
  // Known beforehand where what is replaced is kept under it.
  const undoId = isUndoable ? newId(await tx.now()) : undefined;
  const { organization, isStored, isInFile } = destination;
  const { id } = organization;
  if (!isStored) await createOrganization(tx, actor, { ...fieldsOf(organization), id });
  if (counts.has("contract")) await stageContractDays(tx, organization.timezone);
  const works = await compareAll(tx, counts, id);
  if (maxRecords !== undefined) await requireRoom(tx, id, works, maxRecords);
  const isTaken = works.some((work) => work.isTaken);
  if (!isTaken) for (const { kind, created } of works) await queries.insertNew(tx, kind, id, created);

  const moves = new Map<string, number>();
  const add = (more: queries.CounterMoves) => {
    for (const [column, count] of more) moves.set(column, (moves.get(column) ?? 0) + count);
  };
  for (const { kind, created } of works) if (created > 0) add(await queries.countNew(tx, kind));

  // Every writer locks the organization before its records. Clients alone are replaced beside those who share it, so that
  // the front desk goes on meanwhile.
  const sharesOrganization = isStored && !isInFile && works.every(({ kind }) => kind === "client");
  const stored = sharesOrganization
    ? await shareOrganization(tx, id).then((shared) => shared && organization)
    : await lockOrganization(tx, id);
  if (!stored) throw new Error("the organization of an import is gone");
  // Nobody else sees a new organization before the commit.
  if (isStored) await checkStaffWork(file, id);
  faults.throwAny();
  if (!isDeepStrictEqual(await listFutureLocations(tx, id), zones)) throw changedMeanwhile();
  const moved = await listMovedLocations(tx, id);
  const kinds: KindSummaries = {};
  for (const { kind, created, existing, changed } of works) {
    let replaced = 0;
    if (changed > 0) {
      replaced = await queries.replaceChanged(tx, kind, id, {
        count: changed,
        clearsExchanged: isTaken,
        onLocked: async (part) => {
          if (kind !== "client") return;
          if (merge) await mergeOutdated(file, id, part, merge);
          if (undoId !== undefined) await queries.recordReplaced(tx, id, part, undoId);
        },
      });
      add(await queries.countReplaced(tx, kind));
    }
    // What a new record takes over is free only now.
    if (isTaken) await queries.insertNew(tx, kind, id, created);
    kinds[kind] = { created, replaced, unchanged: existing - replaced };
  }
  if (counts.has("booking")) await queries.countNamedSeats(tx, id);
  for (const location of moved) await keepWallClocks(tx, id, location);
  const hasOtherClaims = works.some((work) => CLAIMING.has(work.kind) && isWritten(kinds[work.kind]));
  const unclaimed = hasOtherClaims ? await claimImported(tx, id, await tx.now()) : [];

  if (isWritten(kinds.contract) || isWritten(kinds.invoice) || isWritten(kinds.payment))
    await setDueAt(tx, id);
  const begun = sharesOrganization ? undefined : await lockForWrite(tx, id);
  if (begun) await applyDueWithin(tx, begun);

  // Last, because others that write wait for the counters until the commit.
  if (isInFile) kinds.organization = await writeOrganization(tx, actor, destination, stored);
  await queries.countRecords(tx, id, anySlot(), moves);
  const inOrder = Object.fromEntries(KINDS.flatMap((kind) => (kinds[kind] ? [[kind, kinds[kind]]] : [])));
  const isRecorded = undoId !== undefined && isWritten(kinds.client);
  if (isRecorded) await queries.recordWritten(tx, id, undoId);
  const auditId = await recordAudit(tx, actor, {
    ...(undoId !== undefined && { id: undoId }),
    action: "import",
    organizationId: id,
    subject: id,
    details: isRecorded ? { ...inOrder, isUndoable } : inOrder,
  });
  return { kinds: inOrder, unclaimed, auditId };
}

/**
 * Puts clients of a locked part that others have written since they were read together once more. Nobody can write to them
 * again before the commit: however busy the desk is, one time is enough.
 */
async function mergeOutdated(
  { tx, faults, intake }: StagedFile,
  organizationId: string,
  part: number,
  merge: NonNullable<ApplyOptions["merge"]>,
): Promise<void> {
  const outdated = await queries.listOutdated(tx, organizationId, part);
  if (outdated.length === 0) return;
  const entries = await merge(tx, outdated);
  const records = entries.map((entry) => intake.take(entry)).filter((record) => record !== undefined);
  faults.throwAny();
  const ids = outdated.map(({ id }) => id);
  await restageClients(
    tx,
    ids,
    records.map(({ row }) => row),
  );
  await queries.takeRestaged(tx, part, ids);
}

/** The kinds of records that decide who has a resource when. */
const CLAIMING: ReadonlySet<StagedKind> = new Set([
  "location",
  "serviceType",
  "schedule",
  "session",
  "booking",
]);

function isWritten(summary: KindSummary | undefined): boolean {
  return summary !== undefined && summary.created + summary.replaced > 0;
}

/** What there is to do for a kind. */
interface KindWork {
  readonly kind: StagedKind;
  readonly created: number;
  readonly existing: number;
  readonly changed: number;
  /** Whether records exchange what must be unique. */
  readonly isTaken: boolean;
}

/** What is stored with these, and is no record of the change feed. */
const UNCOUNTED: ReadonlySet<StagedKind> = new Set<StagedKind>(["booking", "waiting", "invoice", "payment"]);

/** Before anything is written: what an organization may not store is refused as a whole. */
async function requireRoom(
  tx: Database,
  organizationId: string,
  works: readonly KindWork[],
  maxRecords: number,
): Promise<void> {
  const counted = works.filter(({ kind }) => !UNCOUNTED.has(kind));
  const added = counted.reduce((sum, { created }) => sum + created, 0);
  const records = added === 0 ? 0 : await countStored(tx, organizationId);
  if (records + added > maxRecords) throw importTooLarge(added, records, maxRecords);
}

async function compareAll(
  tx: Database,
  counts: ReadonlyMap<StagedKind, number>,
  organizationId: string,
): Promise<KindWork[]> {
  const works: KindWork[] = [];
  for (const kind of WRITE_ORDER) {
    const count = counts.get(kind);
    if (count === undefined) continue;
    const { existing, changed } = await queries.compareStored(tx, kind, organizationId);
    const isTaken = await queries.isAnyTaken(tx, kind, organizationId);
    works.push({ kind, created: count - existing, existing, changed, isTaken });
  }
  return works;
}

async function writeOrganization(
  tx: Database,
  actor: string,
  { organization, settings, isStored }: Destination,
  stored: OrganizationRecord,
): Promise<KindSummary> {
  const { id } = organization;
  const before = await findSettings(tx, id);
  if (!before) throw new Error("the organization of an import is gone");
  const after = { ...before, ...settings };
  const hasOtherSettings = !isDeepStrictEqual({ ...before }, after);
  if (hasOtherSettings) await storeSettings(tx, id, before, after);
  if (!isStored) return { created: 1, replaced: 0, unchanged: 0 };
  const given = fieldsOf(organization);
  const hasOtherFields = !isDeepStrictEqual(fieldsOf(stored), given);
  if (hasOtherFields) await changeOrganization(tx, actor, id, given);
  const isReplaced = hasOtherFields || hasOtherSettings;
  return { created: 0, replaced: Number(isReplaced), unchanged: Number(!isReplaced) };
}

function fieldsOf({ name, timezone, currency, plan, status, joinedAt }: OrganizationRecord) {
  return { name, timezone, currency, plan, status, joinedAt };
}

function changedMeanwhile() {
  return conflict("The organization's data was changed meanwhile; nothing was imported. Try again.");
}
