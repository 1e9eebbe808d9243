import { fold } from "../../core/search.ts";
import type { Database } from "../../db/database.ts";
import { readCpf } from "../../domain/clients/cpf.ts";
import { listClientsById, listDocumentHolders, listErasedIds } from "../../domain/clients/queries.ts";
import { idDocumentKey, isErasedForm } from "../../domain/clients/rules.ts";
import type { Client } from "../../domain/clients/schema.ts";
import type { OutdatedClient } from "../bundle/apply-queries.ts";
import type { Entry, MergedRecord } from "../bundle/lines.ts";
import { findGarbledColumn } from "./garbled.ts";
import {
  type FaultGroup,
  FaultGroups,
  RowCount,
  type RowFault,
  refuse,
  SheetRefused,
  type SheetRemark,
} from "./languages/problems.ts";
import { isStoredText, withStoredTexts } from "./number-cells.ts";
import type { ClientSheet } from "./open-sheet.ts";
import { isNoPerson, keyOfRow, saysNothingButName } from "./row-kinds.ts";
import { completeClient, type ReadRow, type RowFacts, readRow, type SheetRow } from "./rows.ts";
import type { DateOrder, GarbledTexts, ShortNumbers, ShortYears } from "./values.ts";

export interface IntakeOptions {
  readonly dates?: DateOrder | undefined;
  readonly shortYears?: ShortYears | undefined;
  readonly garbled?: GarbledTexts | undefined;
  readonly shortNumbers?: ShortNumbers | undefined;
  /** Whether cells that cannot be read keep their row out. They go into the notes if not, where a person can do without. */
  readonly strict?: boolean | undefined;
  /** Whether people who are there already take over what the sheet says of them. */
  readonly update?: boolean | undefined;
  /** Takes the faulty rows, so that the others can be imported; without it, one faulty row refuses the sheet. */
  readonly rejected?: RejectedRows | undefined;
}

/** Where faulty rows go, as they were. */
export interface RejectedRows {
  begin(names: readonly string[], delimiter: string | undefined): void;
  add(row: SheetRow, faults: readonly RowFault[]): Promise<void>;
  /** A row that comes in without some of its cells. */
  addIncomplete?(row: SheetRow, setAside: readonly RowFault[]): void;
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
  /** Rows that come in without a cell that could not be read. */
  readonly incomplete: number;
  readonly faults: readonly FaultGroup[];
  readonly knownLocations: readonly string[];
}

const BATCH_ROWS = 250;
/** In characters and cells. */
const BATCH_SIZE = 500_000;
/** What a row takes to be read, checked and looked up. */
const ROW_STEPS = 100;

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
  readonly #setAside = new FaultGroups();
  readonly #noPeople = new RowCount();
  readonly #equalRows = new RowCount();
  readonly #equalNames = new RowCount();
  readonly #keptNames = new RowCount();
  readonly #unmarked = new RowCount();
  /** Rows that were met, each as a hash. */
  readonly #rows = new Set<string>();
  #failedCells = 0;
  #restoredZeros = 0;
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
    const { effort } = this.#sheet;
    let batch: Pending[] = [];
    let size = 0;
    for await (const row of this.#sheet.rows) {
      const pending = this.#take(row);
      if (pending) batch.push(pending);
      size += sizeOf(row);
      effort.spend(ROW_STEPS);
      if (effort.isDue) await effort.pause();
      if (batch.length >= BATCH_ROWS || size >= BATCH_SIZE) {
        yield await this.#resolve(tx, batch);
        batch = [];
        size = 0;
      }
    }
    yield await this.#resolve(tx, batch);
    if (this.#isRefused) throw new SheetRefused([], { ...this.#found(), faultyRows: this.#faults.rows });
  }

  result(): IntakeResult {
    const notices: SheetRemark[] = [...this.#sheet.remarks()];
    if (this.#paddedCpfs > 0)
      notices.push({ code: "cpf_zeros_restored", params: { count: this.#paddedCpfs } });
    if (this.#restoredZeros > 0)
      notices.push({ code: "zeros_restored", params: { count: this.#restoredZeros } });
    if (this.#numberRows > 0) notices.push({ code: "numbers_ignored", params: { count: this.#numberRows } });
    if (this.#hasUnclearDate && !this.#hasDayFirst && this.#options.dates === undefined)
      notices.push({ code: "dates_read_day_first", params: {} });
    if (this.#failedCells > 0) notices.push({ code: "cells_failed", params: { count: this.#failedCells } });
    notices.push(
      ...this.#noPeople.tell("rows_no_people"),
      ...this.#equalRows.tell("rows_equal"),
      ...this.#equalNames.tell("names_equal"),
      ...this.#keptNames.tell("names_kept"),
      ...this.#unmarked.tell("rows_unmarked"),
      ...this.#setAside.list().map((group): SheetRemark => ({ code: "cells_set_aside", params: { group } })),
    );
    if (this.#known > 0) {
      const by = this.#facts.header.isDownload ? "id" : "document";
      notices.push({ code: "clients_known", params: { count: this.#known, by } });
    }
    return {
      notices,
      known: this.#known,
      updating: this.#updating,
      rejectedRows: this.#faults.rows,
      incomplete: this.#setAside.rows,
      ...this.#found(),
    };
  }

  get #isRefused(): boolean {
    return this.#faults.rows > 0 && this.#options.rejected === undefined;
  }

  #found() {
    const faults = this.#faults.list();
    const isAboutLocations = faults.some(({ fault }) => fault.code.startsWith("location_"));
    return {
      faults,
      knownLocations: isAboutLocations ? this.#locationNames : [],
    };
  }

  get #locationNames(): string[] {
    return this.#facts.locations.list.map(({ name }) => name);
  }

  /** What a row says; undefined if it is no person, or one that a row above has said. */
  #take(row: SheetRow): Pending | undefined {
    if (row.isDivided) throw refuse({ code: "single_column_divided", params: { row: row.row } });
    if (!this.#facts.header.isDownload && this.#isPassedOver(row)) return undefined;
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

  #isPassedOver(row: SheetRow): boolean {
    const { header } = this.#facts;
    if (isNoPerson(row, header)) {
      this.#noPeople.add(row.row);
      return true;
    }
    const key = keyOfRow(row, header);
    if (!this.#rows.has(key)) {
      this.#rows.add(key);
      return false;
    }
    // Two people may have one name; nobody has the same phone, birthdate and all the rest as well.
    const isNameAlone = saysNothingButName(row, header);
    (isNameAlone ? this.#equalNames : this.#equalRows).add(row.row);
    return !isNameAlone;
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
      if (this.#sheet.effort.isDue) await this.#sheet.effort.pause();
      const holderId = holders.get(pending);
      const holder = holderId === undefined ? undefined : stored.get(holderId);
      if (holderId !== undefined && !holder) {
        this.#known++;
        continue;
      }
      this.#checkEncoding(pending, holder);
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
      if (holder && hasOtherName(read, holder)) this.#keptNames.add(row.row);
      if (read.isUnmarked) this.#unmarked.add(row.row);
      if (read.isCpfPadded) this.#paddedCpfs++;
      if (read.hasRestoredZeros) this.#restoredZeros++;
      this.#failedCells += read.failedCells;
      if (read.setAside.length > 0) {
        this.#setAside.add(row.row, read.setAside, this.#facts.header.names);
        this.#options.rejected?.addIncomplete?.(row, read.setAside);
      }
      if (hasStoredTexts && !this.#isRefused) this.#numberRows++;
      // What is refused anyway need not be stored meanwhile.
      if (!this.#isRefused) {
        const value = { kind: "client", ...client };
        const merged = holder && mergedOf(holder, read);
        entries.push({ line: row.row, value, bytes: sizeOf(row), ...(merged && { merged }) });
      }
    }
    return entries;
  }

  /** Clients whom others have written meanwhile, put together with what the sheet says once more. */
  async merge(tx: Database, outdated: readonly OutdatedClient[]): Promise<Entry[]> {
    const ids = outdated.map(({ id }) => id);
    const clients = await listClientsById(tx, this.#organizationId, ids);
    const stored = new Map(clients.map((client) => [client.id, client]));
    return outdated.flatMap(({ line, id, patch }) => {
      const holder = stored.get(id);
      if (!holder) return [];
      const read = patch as SheetPatch;
      const { client } = this.#recordOf(read, holder);
      return [{ line, value: { kind: "client", ...client }, merged: mergedOf(holder, read) }];
    });
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
  #checkEncoding({ row, read }: Pending, holder: Client | undefined): void {
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
    // No cell of the sheet can say it.
    if (!holder && !columns.includes("location") && faults.some(({ code }) => code === "location_required"))
      throw refuse({ code: "location_column_missing", params: { known: this.#locationNames } });
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
  #recordOf(patch: SheetPatch, holder: Client | undefined): SheetRecord {
    const read = holder ? withoutPartial(patch, holder) : patch;
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

/** What a row says of a client, and nothing else. */
type SheetPatch = Pick<ReadRow, "client" | "extraNotes" | "partial">;

function mergedOf({ updatedAt }: Client, { client, extraNotes, partial }: SheetPatch): MergedRecord {
  return { at: updatedAt, patch: { client, extraNotes, partial } };
}

/** What a row says of a stored client, without members that are made up of several cells of which one is empty. */
function withoutPartial({ client, extraNotes, partial }: SheetPatch, holder: Client): SheetPatch {
  const left: Record<string, unknown> = { ...client };
  const address: Record<string, unknown> = { ...(client.address as object | undefined) };
  const lines = [...extraNotes];
  for (const { member, cells } of partial) {
    const line = ADDRESS_LINE.exec(member)?.[1] as "line1" | "line2" | undefined;
    const stored = line === undefined ? holder[member as keyof Client] : holder.address?.[line];
    if (stored === undefined) continue;
    if (line === undefined) delete left[member];
    else delete address[line];
    const isStored = (text: string) =>
      member === "contactPhone"
        ? digitsOf(text) === digitsOf(String(stored))
        : line !== undefined && String(stored).includes(text);
    lines.push(...cells.filter(({ text }) => !isStored(text)).map((cell) => cell.line));
  }
  return {
    client: { ...left, ...(client.address !== undefined && { address }) },
    extraNotes: lines,
    partial,
  };
}

function digitsOf(phone: string): string {
  return phone.replace(/\D/g, "");
}

/** Whether a row has but a part of a name, and one that is none of the stored name. */
function hasOtherName({ client, partial }: ReadRow, { contactName }: Client): boolean {
  if (client.contactName === undefined || !partial.some(({ member }) => member === "contactName"))
    return false;
  const stored = fold(contactName);
  return !fold(String(client.contactName))
    .split(" ")
    .every((word) => stored.includes(word));
}

const ADDRESS_LINE = /^address\.(.+)$/;

/** What a row says, put together with what is stored. */
interface SheetRecord {
  readonly client: Readonly<Record<string, unknown>>;
  /** Whether texts were kept that a spreadsheet program had made numbers of. */
  readonly hasStoredTexts: boolean;
}

function sizeOf({ cells }: SheetRow): number {
  return cells.reduce((sum, cell) => sum + cell.length, cells.length);
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
