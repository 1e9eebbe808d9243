import { unboundedEffort } from "../../core/effort.ts";
import { AppError } from "../../core/errors.ts";
import { lockBulkWrite } from "../../db/bulk-writes.ts";
import { setReason } from "../../db/change-reason.ts";
import type { Database } from "../../db/database.ts";
import { limitOf } from "../../domain/organizations/organization-limits.ts";
import { findOrganization } from "../../domain/organizations/queries.ts";
import { unknownOrganization } from "../../domain/organizations/rules.ts";
import { type ApplyOptions, applyStaged, type Destination } from "./apply.ts";
import { checkStaged } from "./check.ts";
import { Intake } from "./intake.ts";
import { Faults } from "./line-faults.ts";
import { type Entry, readLines } from "./lines.ts";
import { Staging } from "./stage.ts";
import { createStaging, setPatience } from "./stage-queries.ts";
import { refreshStatistics } from "./statistics.ts";
import type { ImportSummary } from "./summary.ts";

export interface ImportOptions {
  /** Where the records go; without it, to the organization that the file itself describes. */
  readonly organizationId?: string | undefined;
  /** Does everything but the commit. */
  readonly dryRun?: boolean;
  /** How long a statement may take, if not as long as any other of the program. */
  readonly statementTimeoutMs?: number | undefined;
  /** Who imports, for the audit. */
  readonly actor: string;
  readonly onProgress?: (progress: Progress) => void;
  readonly merge?: ApplyOptions["merge"];
  readonly isUndoable?: boolean | undefined;
  /** How many records an organization may store that has no limit of its own; any number unless given. */
  readonly maxRecords?: number | undefined;
}

export interface Progress {
  readonly stage: "reading" | "checking" | "writing";
  /** How many records have been read. */
  readonly records: number;
}

/** Records read from any source, some at a time. */
export type Entries = AsyncIterable<readonly Entry[]> | Iterable<readonly Entry[]>;

/** Imports the bytes of a bundle, compressed or not: all of it, or nothing and an error with every fault. */
export function importBundle(
  db: Database,
  chunks: AsyncIterable<Uint8Array>,
  options: ImportOptions,
): Promise<ImportSummary> {
  return importEntries(db, () => readLines(chunks), options);
}

/** Imports records that the program itself has made; the first is line 1. */
export function importRecords(
  db: Database,
  records: Iterable<object>,
  options: ImportOptions,
): Promise<ImportSummary> {
  const entries = [...records].map((value, index) => ({ line: index + 1, value }));
  return importEntries(db, () => [entries], options);
}

/**
 * Imports what `read` gives. It is called inside the transaction, with the only handle there is: a source that has
 * to look something up while it reads must not need a second connection.
 */
export async function importEntries(
  db: Database,
  read: (tx: Database) => Entries,
  options: ImportOptions,
): Promise<ImportSummary> {
  try {
    const summary = await db.transaction(async (tx) => {
      await setReason(tx, { by: "import" });
      const summary = await runImport(tx, read(tx), options);
      // A transaction is left without committing by throwing.
      if (options.dryRun) throw new DryRunDone(summary);
      return summary;
    });
    await refreshStatistics(db, summary.kinds);
    return summary;
  } catch (error) {
    if (error instanceof DryRunDone) return error.summary;
    throw error;
  }
}

class DryRunDone extends Error {
  readonly summary: ImportSummary;
  constructor(summary: ImportSummary) {
    super("a dry run import was not committed");
    this.summary = summary;
  }
}

/** The steps of an import, inside its transaction. */
async function runImport(tx: Database, entries: Entries, options: ImportOptions): Promise<ImportSummary> {
  const { organizationId, actor, dryRun = false, onProgress = () => {} } = options;
  if (organizationId !== undefined && !(await findOrganization(tx, organizationId)))
    throw unknownOrganization();
  const faults = new Faults();
  const intake = new Intake(faults, {
    ignoresOrganization: organizationId !== undefined,
    now: await tx.now(),
  });
  const staging = new Staging(tx);
  if (options.statementTimeoutMs !== undefined) await setPatience(tx, options.statementTimeoutMs);
  await createStaging(tx);
  const effort = unboundedEffort();
  let records = 0;
  for await (const some of entries) {
    for (const entry of some) {
      const record = intake.take(entry);
      if (faults.isFull) faults.throwAny();
      if (record) await staging.add(record, "bytes" in entry ? (entry.bytes ?? 0) : 0);
      if (effort.isDue) await effort.pause();
    }
    records += some.length;
    onProgress({ stage: "reading", records });
  }
  await staging.finish();
  onProgress({ stage: "checking", records });
  const destination = await chooseDestination(tx, organizationId, intake, faults);
  const { id } = destination.organization;
  await lockBulkWrite(tx, id);
  const file = { tx, faults, intake, counts: staging.counts };
  const zones = await checkStaged(file, destination.organization);
  faults.throwAny();
  onProgress({ stage: "writing", records });
  const { kinds, unclaimed, auditId } = await applyStaged(file, destination, zones, {
    actor,
    merge: options.merge,
    isUndoable: options.isUndoable,
    maxRecords: limitOf(destination.maxRecords, options.maxRecords ?? 0),
  });
  return {
    organizationId: id,
    dryRun,
    records,
    ...(!dryRun && { auditId }),
    kinds,
    ...(unclaimed.length > 0 && { withoutResource: unclaimed }),
  };
}

async function chooseDestination(
  tx: Database,
  organizationId: string | undefined,
  intake: Intake,
  faults: Faults,
): Promise<Destination> {
  if (organizationId !== undefined) {
    const stored = await findOrganization(tx, organizationId);
    if (!stored) throw unknownOrganization();
    const { maxRecords } = stored;
    return { organization: stored, settings: {}, isStored: true, isInFile: false, maxRecords };
  }
  const described = intake.organization;
  if (!described) {
    // Its own faults are reported; what depends on it cannot be checked.
    faults.throwAny();
    throw new AppError("invalid", "The file has no organization line; say where it goes with --org ID.");
  }
  const { settings, ...organization } = described;
  const stored = await findOrganization(tx, organization.id);
  const isStored = stored !== undefined;
  return { organization, settings, isStored, isInFile: true, maxRecords: stored?.maxRecords };
}
