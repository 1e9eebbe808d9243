import { ImportRefused, type LineFault, wordMessage } from "../bundle/faults.ts";
import { type ImportOptions, importEntries } from "../bundle/import.ts";
import type { Entry } from "../bundle/lines.ts";
import type { ImportSummary } from "../bundle/summary.ts";
import { readCpf } from "../clients/cpf.ts";
import { listDocumentHolders } from "../clients/queries.ts";
import { idDocumentKey } from "../clients/rules.ts";
import { AppError, type Fault } from "../core/errors.ts";
import type { Database } from "../db/database.ts";
import { listLocations } from "../locations/queries.ts";
import { type Header, readHeader } from "./columns.ts";
import { columnOf, type NamedLocation, type ReadRow, readRow } from "./rows.ts";
import { readSpreadsheet } from "./sheet.ts";

const BATCH_ROWS = 500;

/**
 * Imports an owner's spreadsheet of clients, by the same rules as a bundle: all of it or nothing. A person who is
 * there already, by the id document, is reported and left as is.
 */
export async function importSpreadsheet(
  db: Database,
  chunks: AsyncIterable<Uint8Array>,
  options: ImportOptions,
): Promise<ImportSummary> {
  const { organizationId } = options;
  if (organizationId === undefined) {
    throw new AppError("invalid", "A spreadsheet names no organization: say which with --org ID.");
  }
  const rows = readSpreadsheet(chunks);
  const first = await rows.next();
  if (first.done)
    throw new AppError("invalid", "The spreadsheet is empty: its first row must name the columns.");
  const header = readHeader(first.value.cells);
  if (header.faults.length > 0) {
    throw new AppError(
      "invalid",
      "The first row does not name the columns as needed; nothing was imported.",
      {
        faults: header.faults.map((message) => ({ location: "row 1", message })),
      },
    );
  }
  const locations = await listLocations(db, organizationId);
  const remarks = header.unknown.map((name) => `The column "${name}" is not known and was left out.`);
  const report = (remark: string) => remarks.push(remark);
  try {
    const read = (tx: Database) => readClients(tx, organizationId, rows, header, locations, report);
    const summary = await importEntries(db, read, options);
    return { ...summary, remarks };
  } catch (error) {
    if (!(error instanceof ImportRefused)) throw error;
    throw new AppError(error.kind, error.message, {
      faults: error.lineFaults.map((fault) => byColumn(fault, header)),
    });
  }
}

async function* readClients(
  tx: Database,
  organizationId: string,
  rows: AsyncIterable<{ row: number; cells: readonly string[] }>,
  header: Header,
  locations: readonly NamedLocation[],
  report: (remark: string) => void,
): AsyncGenerator<Entry[]> {
  let batch: { row: number; read: ReadRow }[] = [];
  const flush = async (): Promise<Entry[]> => {
    const known = await findKnown(
      tx,
      organizationId,
      batch.map(({ read }) => read),
    );
    const entries: Entry[] = [];
    batch.forEach(({ row, read }, i) => {
      const clientId = known[i];
      const faults = toFaults(read);
      if (clientId === undefined) {
        entries.push({ line: row, value: read.client, ...(faults.length > 0 && { faults }) });
      } else report(`Row ${row} was left out: the client ${clientId} has this id document already.`);
    });
    batch = [];
    return entries;
  };
  for await (const { row, cells } of rows) {
    batch.push({ row, read: readRow(cells, header, locations) });
    if (batch.length >= BATCH_ROWS) yield await flush();
  }
  yield await flush();
}

/** For each row, the client that holds its id document already. */
async function findKnown(
  db: Database,
  organizationId: string,
  rows: readonly ReadRow[],
): Promise<(string | undefined)[]> {
  const documents = rows.map(({ client }) => {
    const document = client.idDocument as { type: "cpf" | "other"; value: string } | undefined;
    if (!document) return undefined;
    const value = document.type === "cpf" ? (readCpf(document.value) ?? document.value) : document.value;
    return { type: document.type, key: idDocumentKey(value) };
  });
  const asked = documents.filter((document) => document !== undefined);
  if (asked.length === 0) return rows.map(() => undefined);
  const holders = await listDocumentHolders(db, organizationId, asked);
  const byDocument = new Map(holders.map(({ id, type, key }) => [`${type} ${key}`, id]));
  return documents.map((document) => document && byDocument.get(`${document.type} ${document.key}`));
}

function toFaults({ faults }: ReadRow): Fault[] {
  return faults.map(({ message }) => ({ location: "locationIds", message }));
}

/** `row 12, column "CPF"`, or the place in the record if no column has it. */
function byColumn(fault: LineFault, header: Header): Fault {
  const row = nameRow(fault.line);
  const column = columnOf(fault.place ?? "", header);
  const name = column === undefined ? undefined : header.names[header.columns.indexOf(column)];
  return {
    location: name === undefined ? [row, fault.place].filter(Boolean).join(", ") : `${row}, column "${name}"`,
    message: wordMessage(fault, nameRow),
  };
}

function nameRow(row: number): string {
  return `row ${row}`;
}
