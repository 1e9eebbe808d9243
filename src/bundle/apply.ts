import { isDeepStrictEqual } from "node:util";
import { recordAudit } from "../audit/queries.ts";
import { conflict } from "../core/errors.ts";
import { type Database, violatedConstraint } from "../db/database.ts";
import { changeOrganization, createOrganization } from "../organizations/operations.ts";
import { COUNTER_SLOTS, type OrganizationRecord } from "../organizations/queries.ts";
import * as queries from "./apply-queries.ts";
import { checkHeld, type StagedFile } from "./check.ts";
import { listMovedLocations } from "./clock-queries.ts";
import { moveClocks } from "./clocks.ts";
import { type StagedKind, TABLES, WRITE_ORDER } from "./record-tables.ts";
import { KINDS, type Kind } from "./schema.ts";
import type { KindSummary } from "./summary.ts";

/** Where the records go: the organization as it will be, and as it is. */
export interface Destination {
  readonly organization: OrganizationRecord;
  readonly stored: OrganizationRecord | undefined;
  /** Whether the file describes it; otherwise it stays as it is. */
  readonly isInFile: boolean;
}

/** What was done, by kind, in the order of an export. */
export type KindSummaries = Partial<Record<Kind, KindSummary>>;

/** The last step of an import: writes what is staged and without fault. */
export async function applyStaged(
  file: StagedFile,
  destination: Destination,
  actor: string,
): Promise<KindSummaries> {
  const { tx, faults } = file;
  const { id } = destination.organization;
  await tx.query(queries.savepoint);
  try {
    return await writeAll(file, destination, actor);
  } catch (error) {
    // Somebody else has taken an id document or a slot since it was checked: now it can be seen who.
    if (violatedConstraint(error) === undefined) throw error;
    await tx.query(queries.rollbackToSavepoint);
    await checkHeld(file, id);
    faults.throwAny();
    throw conflict("The organization's data was changed meanwhile; nothing was imported. Try again.");
  }
}

async function writeAll(
  { tx, counts }: StagedFile,
  { organization, stored, isInFile }: Destination,
  actor: string,
): Promise<KindSummaries> {
  const { id } = organization;
  const kinds: KindSummaries = {};
  const wish = wishOf(organization);
  if (isInFile) {
    const isSame = stored !== undefined && isDeepStrictEqual(wishOf(stored), wish);
    kinds.organization = {
      created: stored ? 0 : 1,
      replaced: stored && !isSame ? 1 : 0,
      unchanged: isSame ? 1 : 0,
    };
    if (!stored) await createOrganization(tx, actor, { id, ...wish });
  }
  const moved = await listMovedLocations(tx, id);
  const moves = new Map<string, number>();
  for (const kind of WRITE_ORDER) {
    const count = counts.get(kind);
    if (count !== undefined) kinds[kind] = await writeKind(tx, kind, id, count, moves);
  }
  for (const location of moved) await moveClocks(tx, id, location);
  // Last, because others that write wait for these rows until the commit.
  await queries.moveCounters(tx, id, Math.floor(Math.random() * COUNTER_SLOTS), moves);
  if (kinds.organization?.replaced) await changeOrganization(tx, actor, id, wish);
  const inOrder = Object.fromEntries(KINDS.flatMap((kind) => (kinds[kind] ? [[kind, kinds[kind]]] : [])));
  await recordAudit(tx, actor, { action: "import", organizationId: id, subject: id, details: inOrder });
  return inOrder;
}

/** From this many new records on, PostgreSQL is told at once what a table holds. */
const LARGE = 5_000;

async function writeKind(
  tx: Database,
  kind: StagedKind,
  organizationId: string,
  count: number,
  moves: Map<string, number>,
): Promise<KindSummary> {
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
    const rows = await tx.query<{ status: string; count: number }>(statements.countStatuses, inOrganization);
    for (const row of rows) moves.set(`${TABLES[kind].counter}_${row.status}`, row.count);
  }
  const created = count - kept;
  if (created > 0) {
    await tx.query(statements.insert, inOrganization);
    if (created >= LARGE) await tx.query(statements.analyzeStored);
    for (const statement of statements.insertChildren) await tx.query(statement, inOrganization);
  }
  return { created, replaced, unchanged: kept - replaced };
}

function wishOf({ name, timezone, currency, plan, status, joinedAt }: OrganizationRecord) {
  return { name, timezone, currency, plan, status, joinedAt };
}
