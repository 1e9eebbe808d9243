import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { AppError, conflict, malformed, unavailable } from "../../core/errors.ts";
import type { Database } from "../../db/database.ts";
import { latestVersion } from "../../db/migrate.ts";
import { openConnection } from "../../db/server-connection.ts";
import type { ConnectionSettings } from "../../db/servers.ts";
import { pooled } from "../../db/statements.ts";
import { recordAudit } from "../../domain/audit/queries.ts";
import { holdTzdataState } from "../../domain/calendar/tzdata-work.ts";
import { keepSecretCheck } from "../../domain/keys/queries.ts";
import { findDeletion } from "../../domain/organizations/deletion-queries.ts";
import { findOrganization } from "../../domain/organizations/queries.ts";
import { deleteRemains } from "./delete-organization.ts";
import type { ExportedOrganization, RowCounts } from "./format.ts";
import { dropNotes, ofOrganization, setTriggersAside } from "./organization-rows.ts";
import { ORGANIZATION_TABLES } from "./organization-tables.ts";
import { type CheckedBackup, requireCounts } from "./read.ts";
import { applySettings, databaseOf } from "./snapshot.ts";
import { findTables, identifiers, type TableColumns } from "./tables.ts";

export interface OrganizationImportOptions {
  readonly actor: string;
  /** Whether it may come to a server with another key secret, where its keys and links are of no use. */
  readonly allowsOtherSecret?: boolean;
  readonly signal?: AbortSignal;
}

export interface ImportedOrganization {
  readonly organization: ExportedOrganization;
  readonly rows: RowCounts;
  /** Whether its keys, links, sign-ins, cursors and sealed secrets are good here. */
  readonly hasSameSecret: boolean;
}

/**
 * Puts an organization into a server that is in use by others, row by row as it was, in one transaction: whatever happens on
 * the way, nothing of it is there. No table is locked, and no trigger's work stays: what triggers made of the rows where they
 * were written first is among the rows.
 */
export async function importOrganization(
  connection: ConnectionSettings,
  backup: CheckedBackup,
  { actor, allowsOtherSecret = false, signal }: OrganizationImportOptions,
): Promise<ImportedOrganization> {
  const { organization } = backup.header;
  if (!organization)
    throw conflict(
      'This file is a backup of a whole server: "rollbook restore" puts it into an empty database.',
    );
  const latest = await latestVersion();
  if (backup.header.schemaVersion !== latest)
    throw conflict(
      `The file has schema version ${backup.header.schemaVersion} and this server ${latest}: bring both servers to one version of rollbook and export the organization again.`,
    );
  const tx = await openConnection(connection, "rollbook org import");
  const hangUp = () => void tx.end().catch(() => {});
  signal?.addEventListener("abort", hangUp);
  try {
    await tx.query("begin isolation level read committed read write");
    const imported = await importWithin(tx, databaseOf(tx, connection), backup, organization, {
      actor,
      allowsOtherSecret,
    });
    signal?.throwIfAborted();
    // From here on the answer is waited for: cut off now, nobody could say whether the data is there.
    signal?.removeEventListener("abort", hangUp);
    const { command } = await tx.query("commit");
    if (command !== "COMMIT") throw new Error("the transaction had failed before its commit");
    // Without it the first searches would be planned for an organization without rows. PostgreSQL does it by itself in time.
    await tx.query(`analyze ${identifiers(backup.header.tables.map(({ name }) => name))}`).catch(() => {});
    return imported;
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw explainFailure(error);
  } finally {
    signal?.removeEventListener("abort", hangUp);
    await tx.end().catch(() => {});
  }
}

async function importWithin(
  tx: pg.Client,
  database: Database,
  backup: CheckedBackup,
  organization: ExportedOrganization,
  { actor, allowsOtherSecret }: { readonly actor: string; readonly allowsOtherSecret: boolean },
): Promise<ImportedOrganization> {
  const { header, sha256 } = backup;
  await applySettings(tx);
  await checkTables(tx, header.tables);
  const deletion = await findDeletion(database, organization.id);
  if (!deletion?.begunAt && (await findOrganization(database, organization.id)))
    throw conflict(
      `The organization ${organization.id} is on this server already. Nothing was imported; a second copy of one that is in use would send and bill twice.`,
    );
  if (deletion)
    throw conflict(
      `The organization ${organization.id} is being deleted here, and what is imported would be deleted with it: start the server, which finishes it within the hour, and import then.`,
    );
  const { secretCheck } = organization;
  // A server that never had a secret takes that of its first organization.
  const hasSameSecret =
    secretCheck === undefined || (await keepSecretCheck(database, secretCheck)) === secretCheck;
  if (!hasSameSecret && !allowsOtherSecret) throw otherSecret();
  const tzdata = await holdTzdataState(database);
  // A server that has never run computes everything again when it does.
  if (tzdata !== "" && tzdata !== organization.tzdata) throw otherTzdata();
  await deleteRemains(database, organization.id);
  await setTriggersAside(database, organization.id);
  // What is checked at the commit is checked with its rows: millions of checks would be kept in memory until then.
  await tx.query("set constraints all immediate");
  const loaded: Record<string, number> = {};
  const written = await backup.readTables(async (table, rows) => {
    // Before the changes that the file has: what triggers have noted of the rows so far.
    if (table.name === "change_log") await dropNotes(database, organization.id);
    loaded[table.name] = await copyRows(tx, table, rows);
    if (table.name !== "organizations") return;
    await database.query(dropHeadStatement, [organization.id]);
    await database.query(beginLifeStatement, [organization.id]);
  });
  requireCounts(loaded, written);
  await requireStored(tx, organization.id, written);
  await recordAudit(database, actor, {
    action: "organization.import",
    subject: organization.id,
    details: { exportedAt: header.createdAt, programVersion: header.programVersion, sha256, rows: written },
  });
  return { organization, rows: written, hasSameSecret };
}

const dropHeadStatement = pooled("drop_copied_head", "delete from change_heads where organization_id = $1");
const beginLifeStatement = pooled(
  "begin_life",
  "update organizations set life = gen_random_uuid() where id = $1",
);

/** Nothing of the file is left out, and nothing of an organization is left without its rows. */
async function checkTables(tx: pg.Client, held: readonly TableColumns[]): Promise<void> {
  const here = ofOrganization(await findTables(tx));
  const names = (tables: readonly TableColumns[]) => JSON.stringify(tables.map(({ name }) => name));
  const columnsOf = new Map(here.map(({ name, columns }) => [name, columns.toSorted().join()]));
  if (
    names(held) !== names(here) ||
    held.some((one) => columnsOf.get(one.name) !== one.columns.toSorted().join())
  )
    throw malformed("The file's tables are not those of its schema version.");
}

/** As much is handed over at once: what triggers and foreign keys are told of it is in PostgreSQL's memory until its end. */
const PART_BYTES = 4 * 1024 * 1024;
const NEWLINE = 10;

async function copyRows(
  tx: pg.Client,
  { name, columns }: TableColumns,
  rows: AsyncIterable<Buffer>,
): Promise<number> {
  let count = 0;
  for await (const part of wholeRows(rows)) {
    const copy = tx.query(copyFrom(`copy ${identifiers([name])} (${identifiers(columns)}) from stdin`));
    await pipeline(Readable.from(part), copy);
    count += copy.rowCount;
    // Or the triggers of the next part would look through the notes of this one, whether they have its records.
    await tx.query("select set_config('rollbook.first_note', '', true)");
  }
  return count;
}

/** The rows in parts that end with a row. A line break within a value is written as `\n`. */
async function* wholeRows(rows: AsyncIterable<Buffer>): AsyncGenerator<Buffer[]> {
  let held: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of rows) {
    const end = bytes + chunk.length < PART_BYTES ? 0 : chunk.lastIndexOf(NEWLINE) + 1;
    if (end > 0) {
      yield [...held, chunk.subarray(0, end)];
      held = [];
      bytes = 0;
    }
    const rest = chunk.subarray(end);
    if (rest.length === 0) continue;
    held.push(rest);
    bytes += rest.length;
  }
  if (held.length > 0) yield held;
}

/** That no trigger has added or removed a row. */
async function requireStored(tx: pg.Client, organizationId: string, written: RowCounts): Promise<void> {
  for (const { name, column } of ORGANIZATION_TABLES) {
    const { rows } = await tx.query<{ count: string }>(
      `select count(*) as count from ${identifiers([name])} where ${identifiers([column])} = $1`,
      [organizationId],
    );
    if (Number(rows[0]?.count) !== written[name])
      throw new Error(`${rows[0]?.count} rows of ${name} are there where the file has ${written[name]}`);
  }
}

function otherSecret(): AppError {
  return conflict(
    "The key secret of this server is not that of the server which the file comes from, so the organization's API keys, calendar links, sign-ins, feed cursors and webhook secrets would be of no use here. Give this server the other's secret (see docs/guides/moving.md), or import with --other-secret and make them again. Nothing was imported.",
  );
}

function otherTzdata(): AppError {
  return conflict(
    "The server that the file comes from had other time-zone data than this one, so some classes and invoices would be at other times: run one release of Rollbook on both, start each once, and export the organization again. Nothing was imported.",
  );
}

function explainFailure(error: unknown): AppError {
  const { code, table } = error as { code?: string; table?: string };
  if (code === "23505")
    return conflict(
      `A row of ${table} has an id or hash that is on this server already: another copy of the organization, or a part of one. Nothing was imported.`,
    );
  const reason = error instanceof Error ? error.message : String(error);
  return unavailable(`Nothing was imported: ${reason.replace(/\.$/, "")}.`, error);
}
