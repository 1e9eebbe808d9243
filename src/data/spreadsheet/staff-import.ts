import type { FileHandle } from "node:fs/promises";
import type { Actor } from "../../core/actor.ts";
import { Effort } from "../../core/effort.ts";
import { refusal } from "../../core/errors.ts";
import type { Static } from "../../core/fields.ts";
import type { Database } from "../../db/database.ts";
import type { Language } from "../../languages/dictionary.ts";
import { ImportRefused } from "../bundle/line-faults.ts";
import { refuse, SheetRefused } from "./languages/problems.ts";
import { importSpreadsheet, readSpreadsheet, type SheetAnswers } from "./operations.ts";
import type { ImportClients, ImportedClients, ReadSheet, SheetAnswer } from "./schema.ts";
import { tellReading } from "./told-reading.ts";
import { SERVER_WORKBOOK_LIMITS } from "./workbook.ts";

/** How many rows one sheet may have here: an import of more holds a connection for longer than callers wait. */
const MAX_ROWS = 20_000;
/** What one reading of a sheet may take: some times of what 20,000 rows need. */
const MAX_STEPS = 8_000_000;
/** A statement about 20,000 rows takes a second or two; on a busy machine more than others are given. */
const STATEMENT_TIMEOUT_MS = 45_000;

/** Reads a sheet for somebody on the staff, who is told about it in their language. */
export async function readSheetForStaff(
  db: Database,
  organizationId: string,
  file: FileHandle,
  input: Static<typeof ReadSheet>,
  language: Language,
): Promise<Static<typeof SheetAnswer>> {
  return tellReading(await readSpreadsheet(db, file, organizationId, answersOf(input)), language);
}

/** Imports a sheet on behalf of somebody on the staff. */
export async function importSheetByStaff(
  db: Database,
  actor: Actor,
  {
    organizationId,
    maxRecords,
  }: { readonly organizationId: string; readonly maxRecords: number | undefined },
  file: FileHandle,
  input: Static<typeof ImportClients>,
): Promise<Static<typeof ImportedClients>> {
  const { dryRun = false, skipFaulty = false } = input;
  try {
    const { kinds, auditId, known, rejectedRows } = await importSpreadsheet(db, file, {
      ...answersOf(input),
      organizationId,
      maxRecords,
      actor: actor.name,
      dryRun,
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
      ...(skipFaulty && { rejected: NOWHERE }),
    });
    const { created = 0, replaced = 0, unchanged = 0 } = kinds.client ?? {};
    return {
      ...(auditId === undefined ? { dryRun: true } : { auditId }),
      result: { created, replaced, unchanged, known, faulty: rejectedRows },
    };
  } catch (error) {
    throw explain(error);
  }
}

/** Faulty rows are shown when the sheet is read. */
const NOWHERE = { begin: () => {}, add: async () => {} };

function explain(error: unknown): unknown {
  if (error instanceof SheetRefused)
    return error.questions.length > 0
      ? refusal("sheet_unclear")
      : refusal("sheet_faulty", { params: { count: error.faultyRows } });
  // Somebody else has taken an id document, or erased somebody, since the row was checked.
  return error instanceof ImportRefused ? refusal("data_changed", { cause: error }) : error;
}

function answersOf(body: Static<typeof ReadSheet>): SheetAnswers {
  const fixes = new Map<number, Map<number, string>>();
  for (const { row, column, value } of body.fixes ?? []) {
    const cells = fixes.get(row) ?? new Map<number, string>();
    fixes.set(row, cells.set(column, value));
  }
  return {
    encoding: body.encoding,
    delimiter: body.delimiter,
    sheet: body.worksheet,
    headerRow: body.headerRow,
    columns: new Map((body.columns ?? []).map(({ column, as }) => [column, as])),
    dates: body.dates,
    shortYears: body.shortYears,
    garbled: body.garbled,
    shortNumbers: body.shortNumbers,
    strict: body.strict,
    location: body.locationId,
    update: body.update,
    fixes,
    leaveOut: new Set(body.leaveOut),
    maxRows: MAX_ROWS,
    workbookLimits: SERVER_WORKBOOK_LIMITS,
    effort: new Effort(MAX_STEPS, () => refuse({ code: "sheet_too_large", params: {} })),
  };
}
