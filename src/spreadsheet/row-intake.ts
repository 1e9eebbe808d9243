import type { Entry } from "../bundle/lines.ts";
import { readCpf } from "../clients/cpf.ts";
import { listClientsById, listDocumentHolders, listErasedIds } from "../clients/queries.ts";
import { idDocumentKey, isErasedForm } from "../clients/rules.ts";
import type { Client } from "../clients/schema.ts";
import { Turns } from "../core/turns.ts";
import type { Database } from "../db/database.ts";
import { findGarbledColumn } from "./garbled.ts";
import { isStoredText, withStoredTexts } from "./number-cells.ts";
import type { ClientSheet } from "./open-sheet.ts";
import {
  type FaultGroup,
  FaultGroups,
  type RowFault,
  refuse,
  SheetRefused,
  type SheetRemark,
} from "./problems.ts";
import { completeClient, type ReadRow, type RowFacts, readRow, type SheetRow } from "./rows.ts";
import type { DateOrder } from "./values.ts";

export interface IntakeOptions {
  readonly dates?: DateOrder | undefined;
  /** Whether people who are there already take over what the sheet says of them. */
  readonly update?: boolean | undefined;
  /** Takes the faulty rows, so that the others can be imported; without it, one faulty row refuses the sheet. */
  readonly rejected?: RejectedRows | undefined;
}

/** Where faulty rows go, as they were. */
export interface RejectedRows {
  begin(names: readonly string[], delimiter: string | undefined): void;
  add(row: SheetRow, faults: readonly RowFault[]): Promise<void>;
}

/** What became of the rows. */
export interface IntakeResult {
  /** What was decided on the way. */
  readonly notices: readonly SheetRemark[];
  /** Rows of people who are there already, left as they are. */
  readonly known: number;
  /** Rows of people who are there already and take over what the sheet says. */
  readonly updating: number;
  readonly rejectedRows: number;
  readonly faults: readonly FaultGroup[];
  readonly knownLocations: readonly string[];
}

const BATCH_ROWS = 250;
/** So many are read in one turn of the event loop: a server has other callers. */
const ROWS_A_TURN = 25;
const turns = new Turns();

interface Pending {
  readonly row: SheetRow;
  readonly read: ReadRow;
  /** Only a download of ours has ids. */
  readonly id: string | undefined;
  readonly document: { readonly type: string; readonly key: string } | undefined;
}

/** Turns rows into records of a bundle, inside the transaction that imports them. */
export class RowIntake {
  readonly #organizationId: string;
  readonly #sheet: ClientSheet;
  readonly #options: IntakeOptions;
  readonly #facts: RowFacts;
  readonly #faults = new FaultGroups();
  /** The ids and id documents of rows that go in. */
  readonly #seen = new Set<string | undefined>();
  #known = 0;
  #updating = 0;
  #paddedCpfs = 0;
  #numberRows = 0;
  #hasDayFirst = false;
  #hasUnclearDate = false;

  constructor(organizationId: string, sheet: ClientSheet, options: IntakeOptions, facts: RowFacts) {
    this.#organizationId = organizationId;
    this.#sheet = sheet;
    this.#options = options;
    this.#facts = facts;
  }

  async *read(tx: Database): AsyncGenerator<Entry[]> {
    let batch: Pending[] = [];
    for await (const row of this.#sheet.rows) {
      batch.push(this.#take(row));
      if (batch.length % ROWS_A_TURN === 0) await turns.next();
      if (batch.length >= BATCH_ROWS) {
        yield await this.#resolve(tx, batch);
        batch = [];
      }
    }
    yield await this.#resolve(tx, batch);
    if (this.#isRefused) throw new SheetRefused([], { ...this.#found(), faultyRows: this.#faults.rows });
  }

  result(): IntakeResult {
    const notices: SheetRemark[] = [...this.#sheet.remarks()];
    if (this.#paddedCpfs > 0)
      notices.push({ code: "cpf_zeros_restored", params: { count: this.#paddedCpfs } });
    if (this.#numberRows > 0) notices.push({ code: "numbers_ignored", params: { count: this.#numberRows } });
    if (this.#hasUnclearDate && !this.#hasDayFirst && this.#options.dates === undefined)
      notices.push({ code: "dates_read_day_first", params: {} });
    if (this.#known > 0) {
      const by = this.#facts.header.isDownload ? "id" : "document";
      notices.push({ code: "clients_known", params: { count: this.#known, by } });
    }
    return {
      notices,
      known: this.#known,
      updating: this.#updating,
      rejectedRows: this.#faults.rows,
      ...this.#found(),
    };
  }

  get #isRefused(): boolean {
    return this.#faults.rows > 0 && this.#options.rejected === undefined;
  }

  #found() {
    const faults = this.#faults.list();
    const isAboutLocations = faults.some(({ fault }) => fault.code.startsWith("location_"));
    return { faults, knownLocations: isAboutLocations ? this.#facts.locations.map(({ name }) => name) : [] };
  }

  #take(row: SheetRow): Pending {
    if (row.isDivided) throw refuse({ code: "single_column_divided", params: { row: row.row } });
    const read = readRow(row, this.#facts);
    const { date } = read;
    if (date?.shows === "mdy" && this.#options.dates === undefined) {
      const column = this.#facts.header.names[date.index] ?? "";
      throw refuse({ code: "dates_month_first", params: { row: row.row, column } });
    }
    if (date?.shows === "dmy") this.#hasDayFirst = true;
    if (date?.shows === "either") this.#hasUnclearDate = true;
    return { row, read, id: read.client.id as string | undefined, document: documentOf(read) };
  }

  async #resolve(tx: Database, batch: readonly Pending[]): Promise<Entry[]> {
    const holders = await this.#findHolders(tx, batch);
    const ids = this.#options.update ? [...new Set(holders.values())] : [];
    const stored = new Map(
      (await listClientsById(tx, this.#organizationId, ids)).map((client) => [client.id, client]),
    );
    const erased = await listErasedIds(tx, this.#organizationId, ids);
    const entries: Entry[] = [];
    for (const pending of batch) {
      const { row, read } = pending;
      const holderId = holders.get(pending);
      const holder = holderId === undefined ? undefined : stored.get(holderId);
      if (holderId !== undefined && !holder) {
        this.#known++;
        continue;
      }
      if (holder) this.#checkEncoding(pending, holder);
      const { client, hasStoredTexts } = this.#recordOf(read, holder);
      const faults = this.#faultsOf(pending, holder);
      if (holder && erased.has(holder.id) && !isErasedForm(client))
        faults.push({ code: "client_erased", params: {}, index: this.#facts.header.columns.indexOf("id") });
      if (faults.length > 0) {
        this.#faults.add(row.row, faults, this.#facts.header.names);
        await this.#options.rejected?.add(row, faults);
        continue;
      }
      this.#seen.add(keyOfDocument(pending));
      this.#seen.add(pending.id);
      if (holder) this.#updating++;
      if (read.isCpfPadded) this.#paddedCpfs++;
      if (hasStoredTexts && !this.#isRefused) this.#numberRows++;
      // What is refused anyway need not be stored meanwhile.
      if (!this.#isRefused) entries.push({ line: row.row, value: { kind: "client", ...client } });
    }
    return entries;
  }

  /** The clients that the rows are about, as far as they are there: by their ids, else by their documents. */
  async #findHolders(tx: Database, batch: readonly Pending[]): Promise<Map<Pending, string>> {
    const ids = batch.map(({ id }) => id).filter((id) => id !== undefined);
    const documents = batch
      .filter(({ id }) => id === undefined)
      .map(({ document }) => document)
      .filter((document) => document !== undefined);
    const [known, holders] = await Promise.all([
      listClientsById(tx, this.#organizationId, ids),
      documents.length === 0 ? [] : listDocumentHolders(tx, this.#organizationId, documents),
    ]);
    const knownIds = new Set(known.map(({ id }) => id));
    const byDocument = new Map(holders.map(({ id, type, key }) => [`${type} ${key}`, id]));
    const found = new Map<Pending, string>();
    for (const pending of batch) {
      const holderId = pending.id === undefined ? byDocument.get(keyOfDocument(pending) ?? "") : pending.id;
      if (holderId !== undefined && (pending.id === undefined || knownIds.has(holderId)))
        found.set(pending, holderId);
    }
    return found;
  }

  /** One text that was read in the wrong encoding shows that all of them were, also those that were edited since. */
  #checkEncoding({ row, read }: Pending, holder: Client): void {
    if (!this.#facts.header.isDownload) return;
    const column = findGarbledColumn(read.client, holder);
    if (column !== undefined) throw refuse({ code: "download_garbled", params: { row: row.row, column } });
  }

  #faultsOf(pending: Pending, holder: Client | undefined): RowFault[] {
    const { read, id } = pending;
    const { columns } = this.#facts.header;
    const key = keyOfDocument(pending);
    const faults = holder
      ? read.faults.filter((fault) => !this.#isSettled(fault, read, holder))
      : [...read.faults];
    if (id !== undefined && this.#seen.has(id))
      faults.push({ code: "id_repeated", params: {}, index: columns.indexOf("id") });
    else if (key !== undefined && this.#seen.has(key)) {
      const index = columns.findIndex((column) => column === "cpf" || column === "document");
      faults.push({ code: "document_repeated", params: {}, index });
    }
    return faults;
  }

  /** Whether a fault is none for a stored client: it has what the sheet leaves out, or the very text of the cell. */
  #isSettled({ code, index = -1 }: RowFault, { client }: ReadRow, holder: Client): boolean {
    const { columns, isDownload } = this.#facts.header;
    if (code === "number_shortened") return isDownload && isStoredText(columns[index], client, holder);
    return code === "required" || code === "location_required";
  }

  /** A client of a bundle. One that is there keeps what the sheet does not say, also where its cell is empty. */
  #recordOf(read: ReadRow, holder: Client | undefined): SheetRecord {
    const { extraNotes } = read;
    const isReturned = holder !== undefined && this.#facts.header.isDownload;
    const client = isReturned ? withStoredTexts(read.client, holder) : read.client;
    const { createdAt, updatedAt, ...kept } = holder ?? {};
    const merged: Record<string, unknown> = { ...kept, ...client };
    if (holder) merged.address = { ...holder.address, ...(client.address as object | undefined) };
    return {
      client: completeClient(merged, extraNotes, this.#facts),
      hasStoredTexts: client !== read.client,
    };
  }
}

/** What a row says, put together with what is stored. */
interface SheetRecord {
  readonly client: Readonly<Record<string, unknown>>;
  /** Whether texts were kept that a spreadsheet program had made numbers of. */
  readonly hasStoredTexts: boolean;
}

function keyOfDocument({ document }: Pending): string | undefined {
  return document && `${document.type} ${document.key}`;
}

function documentOf({ client }: ReadRow): Pending["document"] {
  const document = client.idDocument as { type: "cpf" | "other"; value: string } | undefined;
  if (!document) return undefined;
  const value = document.type === "cpf" ? (readCpf(document.value) ?? document.value) : document.value;
  return { type: document.type, key: idDocumentKey(value) };
}
