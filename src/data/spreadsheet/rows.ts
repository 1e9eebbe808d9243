import type { Fault } from "../../core/errors.ts";
import { unescapeFormula } from "../../core/formulas.ts";
import { isUuid } from "../../core/patterns.ts";
import { fold } from "../../core/search.ts";
import { type Check, compileCheck } from "../../core/validation.ts";
import { readCpf } from "../../domain/clients/cpf.ts";
import { checkClient, tidyClient } from "../../domain/clients/rules.ts";
import { ClientInput } from "../../domain/clients/schema.ts";
import { readDate } from "./cell-dates.ts";
import { isStatusWord, looksLikeDocument, placeholderOf, readStatus } from "./cell-texts.ts";
import { missingDigits } from "./column-content.ts";
import type { Column, SheetHeader } from "./columns.ts";
import { hasLostLetters, isGarbledText, repairText } from "./garbled-letters.ts";
import { type RowFault, refuse } from "./languages/problems.ts";
import type { DateOrder, GarbledTexts, ShortNumbers, ShortYears } from "./values.ts";

/** A location that cells can name. */
export interface NamedLocation {
  readonly id: string;
  readonly name: string;
}

/** No name of a location is longer. */
const LONGEST_LOCATION = 300;

/** The locations of an organization, found by name without regard to case and accents, or by id. */
export class KnownLocations {
  readonly list: readonly NamedLocation[];
  readonly ids: readonly string[];
  readonly #byName = new Map<string, string[]>();
  readonly #ids: ReadonlySet<string>;

  constructor(list: readonly NamedLocation[]) {
    this.list = list;
    this.ids = list.map(({ id }) => id);
    this.#ids = new Set(this.ids);
    for (const { id, name } of list) {
      const key = fold(name.trim());
      this.#byName.set(key, [...(this.#byName.get(key) ?? []), id]);
    }
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** The ids of those that a text may mean: none, one, or several of the same name. */
  find(text: string): readonly string[] {
    if (text.length > LONGEST_LOCATION) return [];
    const id = text.toLowerCase();
    return this.#byName.get(fold(text)) ?? (this.#ids.has(id) ? [id] : []);
  }
}

/** What one row may have: more than any client's fields together. All of a row is looked at in one go. */
export const MAX_ROW_CHARACTERS = 200_000;
/** More than a person reads of one row. */
export const MAX_ROW_FAULTS = 20;

/** A row as the spreadsheet counts them, from 1. */
export interface SheetRow {
  readonly row: number;
  readonly cells: readonly string[];
  /** Cells without a value that can be read. */
  readonly faults?: readonly RowFault[];
  /** It is the row of a single column, and has signs outside quotation marks that usually divide columns. */
  readonly isDivided?: boolean;
}

/** What is known beside the row itself. */
export interface RowFacts {
  readonly header: SheetHeader;
  readonly locations: KnownLocations;
  /** For rows that name none. */
  readonly defaultLocationId: string | undefined;
  /** Today's date in the organization's timezone. */
  readonly today: string;
  /** What the owner said; if nothing, the day comes first. */
  readonly dateOrder: DateOrder | undefined;
  readonly shortYears: ShortYears | undefined;
  readonly garbled: GarbledTexts | undefined;
  readonly shortNumbers: ShortNumbers | undefined;
  /** Whether a cell that cannot be read keeps its row out, whatever its column. */
  readonly isStrict: boolean;
}

/** A client as the API's body has it, checked or not. */
export type ReadClient = Readonly<Record<string, unknown>>;

/** A member that several columns make up, of which some are empty. Of a client who is there it stays as it is stored. */
export interface PartialMember {
  readonly member: "contactName" | "contactPhone" | "notes" | "address.line1" | "address.line2";
  /** What the row does have, as text and as the line that the notes get if the member stays. */
  readonly cells: readonly { readonly text: string; readonly line: string }[];
}

/** A client as the API's body has it, what is wrong with it, and what was decided to make it. */
export interface ReadRow {
  readonly client: ReadClient;
  readonly faults: readonly RowFault[];
  /** Cells that could not be read and are in the notes instead. */
  readonly setAside: readonly RowFault[];
  /** Lines that belong into the notes besides what the notes column has. */
  readonly extraNotes: readonly string[];
  readonly partial: readonly PartialMember[];
  readonly isCpfPadded: boolean;
  /** Whether the row has no mark in a column in which others have one. */
  readonly isUnmarked: boolean;
  readonly hasRestoredZeros: boolean;
  /** Cells that show a failed formula, in columns that a person can do without. */
  readonly failedCells: number;
  /** Whether the order of day and month shows in the row's date, and where the date is. */
  readonly date?: { readonly index: number; readonly shows: DateOrder | "either" };
}

/** `5,29982E+10`: what a spreadsheet makes of a long number; its last digits are gone. */
const SHORTENED = /^\d(?:[.,]\d+)?E\+?\d{1,3}$/i;
/** Columns of a download whose texts often are nothing but digits. */
const NUMBER_LIKE: ReadonlySet<Column> = new Set(["contactPhone", "document", "address.postalCode"]);

/** Reads one row by what its columns mean, and checks it by the rules that the API has too. */
export function readRow(row: SheetRow, facts: RowFacts): ReadRow {
  const draft = new ClientDraft(row, facts);
  if (facts.header.isDownload) draft.readDownload();
  else draft.read();
  return draft.finish();
}

/** Columns without which a person can still come in: what cannot be read of them goes into the notes. */
const DISPENSABLE: ReadonlySet<Column> = new Set([
  "contactEmail",
  "mobilePhone",
  "contactPhone",
  "birthdate",
  "cpf",
  "document",
  "address.line1",
  "address.line2",
  "address.city",
  "address.state",
  "address.postalCode",
  "address.country",
]);
/** Columns whose empty cells mean something: a failed formula there is not taken for nothing. */
const DECISIVE: ReadonlySet<Column> = new Set(["location", "status"]);
/** What notes may have, and so any cell. */
const MAX_CELL_CHARACTERS = 10_000;
const MIN_PHONE_DIGITS = 3;

class ClientDraft {
  readonly #row: SheetRow;
  readonly #facts: RowFacts;
  readonly #client: Record<string, unknown> = {};
  readonly #address: Record<string, string> = {};
  #faults: RowFault[];
  readonly #setAside: RowFault[] = [];
  readonly #extraNotes: string[] = [];
  readonly #partial: PartialMember[] = [];
  #isCpfPadded = false;
  #isUnmarked = false;
  #hasRestoredZeros = false;
  /** Where a program shows that it has no value. */
  readonly #failed = new Set<number>();
  #phoneIndex: number | undefined;
  #date: ReadRow["date"];

  constructor(row: SheetRow, facts: RowFacts) {
    this.#row = row;
    this.#facts = facts;
    this.#faults = [...(row.faults ?? [])];
  }

  read(): void {
    const { header } = this.#facts;
    this.#passFailedFormulas();
    this.#checkWidth();
    const notes: string[] = [];
    header.columns.forEach((column, index) => {
      if (column === undefined) return;
      const cell = this.#cell(index);
      if (cell === "") this.#passEmpty(index);
      else if (column === "notes")
        notes.push(header.labels[index] ? `${header.labels[index]}: ${cell}` : cell);
      else this.#take(column, cell, index);
    });
    if (notes.length > 0) this.#client.notes = notes.join("\n");
    if (notes.length < header.columns.filter((column) => column === "notes").length)
      this.#partial.push({ member: "notes", cells: notes.flatMap(linesOf) });
    const name = header.nameParts.map((index) => this.#cell(index)).filter((part) => part !== "");
    if (name.length > 0) this.#client.contactName = name.join(" ");
    if (name.length < header.nameParts.length) this.#partial.push({ member: "contactName", cells: [] });
    this.#takePhones();
    this.#findPartialLines();
    if (Object.keys(this.#address).length > 0) this.#client.address = this.#address;
  }

  /** In a column of yes and no an empty cell may say no. */
  #passEmpty(index: number): void {
    const { yesNo, names } = this.#facts.header;
    const empty = yesNo.get(index)?.empty;
    if (empty === "unclear")
      throw refuse({ code: "status_empty", params: { row: this.#row.row, column: names[index] ?? "" } });
    if (empty === undefined || this.#failed.has(index)) return;
    this.#client.status = empty;
    this.#isUnmarked = true;
  }

  /** Reads a row of our own download. Its texts are the stored ones: nothing is trimmed, joined or put right. */
  readDownload(): void {
    const document: { type?: string; value?: string } = {};
    this.#checkWidth();
    this.#facts.header.columns.forEach((column, index) => {
      const cell = unescapeFormula(this.#row.cells[index] ?? "");
      if (column === undefined || cell === "") return;
      if (NUMBER_LIKE.has(column) && SHORTENED.test(cell))
        this.#faults.push({ code: "number_shortened", params: {}, index });
      if (column === "id") this.#takeId(cell.trim().toLowerCase(), index);
      else if (column === "idDocument.type") document.type = cell.trim();
      else if (column === "document") document.value = cell;
      else if (column === "location") this.#takeLocationIds(cell.trim(), index);
      else if (column === "birthdate" || column === "status") this.#take(column, cell.trim(), index);
      else if (column.startsWith("address.")) this.#address[column.slice("address.".length)] = cell;
      else this.#client[column] = cell;
    });
    const { type, value } = document;
    if (value !== undefined)
      this.#client.idDocument =
        type === "cpf" ? { type, value: this.#withLeadingZeros(value) } : { type: type ?? "other", value };
    if (Object.keys(this.#address).length > 0) this.#client.address = this.#address;
  }

  finish(): ReadRow {
    const { header, isStrict } = this.#facts;
    this.#check();
    if (!isStrict && !header.isDownload && this.#putAside()) this.#check();
    return {
      client: this.#client,
      // From left to right, as the owner reads them.
      faults: this.#faults.toSorted((a, b) => (a.index ?? -1) - (b.index ?? -1)).slice(0, MAX_ROW_FAULTS),
      setAside: this.#setAside,
      extraNotes: this.#extraNotes,
      partial: this.#partial,
      isCpfPadded: this.#isCpfPadded,
      isUnmarked: this.#isUnmarked,
      hasRestoredZeros: this.#hasRestoredZeros,
      failedCells: this.#failed.size,
      ...(this.#date && { date: this.#date }),
    };
  }

  /** Finds what the rules of the API refuse. */
  #check(): void {
    const { locations, today, header } = this.#facts;
    const tidy = tidyClient(completeClient(this.#client, this.#extraNotes, this.#facts));
    const isFree = (index: number | undefined) => !this.#faults.some((fault) => fault.index === index);
    const found = [...checkSchema(tidy), ...checkClient(tidy, { today, locationIds: locations.ids }, "")].map(
      (fault) => toRowFault(fault, header, this.#phoneIndex),
    );
    // One fault for a cell is enough: the first says what to do.
    for (const fault of found) if (isFree(fault.index)) this.#faults.push(fault);
  }

  /** Takes faulty cells out that a person can do without, and keeps their texts in the notes. */
  #putAside(): boolean {
    const { header } = this.#facts;
    const isDispensable = ({ index }: RowFault) => {
      const column = index === undefined ? undefined : header.columns[index];
      return column !== undefined && DISPENSABLE.has(column);
    };
    const [left, aside] = [
      this.#faults.filter((fault) => !isDispensable(fault)),
      this.#faults.filter(isDispensable).toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0)),
    ];
    for (const fault of aside) {
      const { index = 0 } = fault;
      const column = header.columns[index];
      this.#drop(column, index);
      this.#setAside.push(fault);
      // Of a line that several cells make up, none is lost.
      const isJoined = column === "address.line1" || column === "address.line2";
      const indexes = isJoined
        ? header.columns.flatMap((other, i) => (other === column ? [i] : []))
        : [index];
      for (const place of indexes) {
        const cell = this.#cell(place).replace(/\p{Cc}+/gu, " ");
        if (cell !== "") this.#extraNotes.push(`${header.names[place]}: ${cell}`);
      }
    }
    this.#faults = left;
    return aside.length > 0;
  }

  #drop(column: Column | undefined, index: number): void {
    if (column === "cpf" || column === "document") delete this.#client.idDocument;
    else if (column === "mobilePhone" || column === "contactPhone") {
      if (index === this.#phoneIndex) delete this.#client.contactPhone;
    } else if (column?.startsWith("address.")) delete this.#address[column.slice("address.".length)];
    else if (column !== undefined) delete this.#client[column];
    if (Object.keys(this.#address).length === 0) delete this.#client.address;
  }

  /** A formula that failed in a column that is not read, or that a person can do without, keeps nobody out. */
  #passFailedFormulas(): void {
    const { header, isStrict } = this.#facts;
    this.#faults = this.#faults.filter(({ index }) => {
      const column = index === undefined ? undefined : header.columns[index];
      const isDispensable = column !== undefined && (DISPENSABLE.has(column) || column === "notes");
      const isDecisive = column !== undefined && (isStrict || !isDispensable);
      if (index !== undefined && column !== undefined && !isDecisive) this.#failed.add(index);
      return isDecisive;
    });
  }

  /** A cell without a column would be lost, and those before it may stand in the wrong ones: a comma was not quoted. */
  #checkWidth(): void {
    const { names } = this.#facts.header;
    if (this.#row.cells.some((cell, i) => (names[i] ?? "") === "" && cell.trim() !== ""))
      this.#faults.push({ code: "cells_beyond_header", params: {} });
  }

  /** The text of a cell as its owner means it; empty if it holds no value. */
  #cell(index: number): string {
    const { header, garbled } = this.#facts;
    const text = (this.#row.cells[index] ?? "").trim();
    if (text === "") return "";
    if (text.length > MAX_CELL_CHARACTERS) {
      this.#addFault({ code: "too_long", params: { max: MAX_CELL_CHARACTERS }, index });
      return "";
    }
    const cell = unescapeFormula(text);
    const column = header.columns[index];
    const placeholder = placeholderOf(cell);
    if (placeholder === "error" && column !== undefined) {
      if (DECISIVE.has(column)) this.#addFault({ code: "formula_failed", params: {}, index });
      else this.#failed.add(index);
    }
    if (placeholder !== undefined) return "";
    // In notes people ask questions, and put addresses of web pages.
    const isLost = column !== "notes" && hasLostLetters(cell);
    if (garbled === "keep" || !(isLost || isGarbledText(cell))) return cell;
    if (garbled === undefined) {
      const params = { row: this.#row.row, column: header.names[index] ?? "" };
      throw refuse({ code: "letters_garbled", params });
    }
    const repaired = isLost ? undefined : repairText(cell);
    if (repaired === undefined) this.#addFault({ code: "letters_lost", params: {}, index });
    return repaired ?? cell;
  }

  #addFault(fault: RowFault): void {
    const isNew = !this.#faults.some(({ index, code }) => index === fault.index && code === fault.code);
    if (isNew) this.#faults.push(fault);
  }

  #take(column: Column, cell: string, index: number): void {
    switch (column) {
      case "birthdate":
        this.#takeBirthdate(cell, index);
        break;
      case "cpf":
        if (SHORTENED.test(cell)) this.#faults.push({ code: "number_shortened", params: {}, index });
        else this.#client.idDocument = { type: "cpf", value: this.#withLeadingZeros(wholeNumber(cell)) };
        break;
      case "document":
        if (SHORTENED.test(cell)) this.#faults.push({ code: "number_shortened", params: {}, index });
        else this.#takeDocument(wholeNumber(cell), index);
        break;
      case "status":
        this.#client.status = readStatus(cell, this.#facts.header.yesNo.get(index)?.yesMeans);
        if (!this.#client.status) this.#faults.push({ code: "status_unknown", params: {}, index });
        break;
      case "location":
        this.#takeLocations(cell, index);
        break;
      case "contactEmail":
        this.#client[column] = cell;
        break;
      case "address.state": {
        const isNamed = this.#facts.header.isChosen.has(index);
        if (!isNamed && isStatusWord(cell))
          throw refuse({
            code: "state_or_status",
            params: { row: this.#row.row, column: this.#facts.header.names[index] ?? "" },
          });
        this.#address.state = cell;
        break;
      }
      case "address.postalCode":
        this.#address.postalCode = this.#withUsualDigits(wholeNumber(cell), index);
        break;
      case "address.line1":
      case "address.line2": {
        const line = column === "address.line1" ? "line1" : "line2";
        const before = this.#address[line];
        this.#address[line] = before === undefined ? cell : `${before}, ${cell}`;
        break;
      }
      default:
        if (column.startsWith("address.")) this.#address[column.slice("address.".length)] = cell;
    }
  }

  /** Which lines of the address have columns that are empty, while others are not. */
  #findPartialLines(): void {
    const { columns, names } = this.#facts.header;
    for (const member of ["address.line1", "address.line2"] as const) {
      const indexes = columns.flatMap((column, i) => (column === member ? [i] : []));
      const filled = indexes.filter((index) => this.#cell(index) !== "");
      if (filled.length === indexes.length || filled.length === 0) continue;
      const cells = filled.map((index) => {
        const text = this.#cell(index);
        return { text, line: `${names[index]}: ${text}` };
      });
      this.#partial.push({ member, cells });
    }
  }

  #takeBirthdate(cell: string, index: number): void {
    const { dateOrder = "dmy", shortYears, today, header } = this.#facts;
    const { date, fault, shows } = readDate(cell, dateOrder, shortYears === "recent" ? today : undefined);
    if (shows) this.#date = { index, shows };
    // Which of day and month comes first must be known before.
    const isUnclear = shows === "mdy" && this.#facts.dateOrder === undefined;
    if (fault === "year_two_digits" && shortYears === undefined && !header.isDownload && !isUnclear)
      throw refuse({
        code: "years_two_digits",
        params: { row: this.#row.row, column: header.names[index] ?? "" },
      });
    if (fault) this.#faults.push({ code: fault, params: {}, index });
    else this.#client.birthdate = date;
  }

  /** The first phone is the client's; those that differ from it are kept where nothing is lost. */
  #takePhones(): void {
    const { phones, names } = this.#facts.header;
    const digits = new Set<string>();
    for (const index of phones) {
      const cell = wholeNumber(this.#cell(index));
      if (cell === "") continue;
      const own = cell.replace(/\D/g, "");
      if (SHORTENED.test(cell) || own.length < MIN_PHONE_DIGITS) {
        const code = SHORTENED.test(cell) ? "number_shortened" : "phone_invalid";
        this.#addFault({ code, params: {}, index });
        continue;
      }
      const isFirst = digits.size === 0;
      const isNew = !digits.has(own);
      digits.add(own);
      if (isFirst) {
        this.#client.contactPhone = cell;
        this.#phoneIndex = index;
        if (index !== phones[0])
          this.#partial.push({
            member: "contactPhone",
            cells: [{ text: cell, line: `${names[index]}: ${cell}` }],
          });
      } else if (isNew) this.#extraNotes.push(`${names[index]}: ${cell}`);
    }
  }

  /** A cell names one location, or several between `|` or `;`, by name or by id. */
  #takeLocations(cell: string, index: number): void {
    const ids = new Set<string>();
    let unknown = 0;
    for (const part of cell.split(/[|;]/).map((name) => name.trim())) {
      if (part === "" || unknown >= MAX_ROW_FAULTS) continue;
      const found = this.#facts.locations.find(part);
      if (found.length === 1) ids.add(found[0] ?? "");
      else {
        unknown++;
        const code = found.length === 0 ? "location_unknown" : "location_ambiguous";
        this.#faults.push({ code, params: { name: [...part.slice(0, 200)].slice(0, 60).join("") }, index });
      }
    }
    if (ids.size > 0) this.#client.locationIds = [...ids];
  }

  #takeId(cell: string, index: number): void {
    if (isUuid(cell)) this.#client.id = cell;
    else this.#faults.push({ code: "id_invalid", params: {}, index });
  }

  #takeLocationIds(cell: string, index: number): void {
    const ids = cell.toLowerCase().split(/ +/);
    const unknown = ids.filter((id) => !this.#facts.locations.has(id)).slice(0, MAX_ROW_FAULTS);
    for (const id of unknown)
      this.#faults.push({
        code: "location_unknown",
        params: { name: [...id.slice(0, 200)].slice(0, 60).join("") },
        index,
      });
    this.#client.locationIds = ids;
  }

  /** Spreadsheets take a CPF for a number and drop its leading zeros; put back if the check digits then fit. */
  #withLeadingZeros(cell: string): string {
    const padded = cell.padStart(CPF_DIGITS, "0");
    if (!/^\d{3,10}$/.test(cell) || !readCpf(padded)) return cell;
    this.#isCpfPadded = true;
    return padded;
  }

  #takeDocument(cell: string, index: number): void {
    const isCpfColumn = this.#facts.header.digits[index]?.count === CPF_DIGITS;
    const value = isCpfColumn ? this.#withLeadingZeros(cell) : cell;
    if (readCpf(value)) this.#client.idDocument = { type: "cpf", value };
    else if (looksLikeDocument(value))
      this.#client.idDocument = { type: "other", value: this.#withUsualDigits(value, index) };
    else this.#faults.push({ code: "document_invalid", params: {}, index });
  }

  /** A number that has fewer digits than its column's usually have may have lost its zeros as a number. */
  #withUsualDigits(cell: string, index: number): string {
    const { header, shortNumbers } = this.#facts;
    const usual = header.digits[index];
    const missing = usual ? missingDigits(cell, usual) : 0;
    if (!usual || missing < 1 || missing > MAX_LOST_ZEROS) return cell;
    const answer = shortNumbers ?? (usual.isCertain ? "zeros" : undefined);
    if (answer === undefined)
      throw refuse({
        code: "numbers_short",
        params: { row: this.#row.row, column: header.names[index] ?? "", digits: usual.count },
      });
    if (answer === "keep") return cell;
    this.#hasRestoredZeros = true;
    return "0".repeat(missing) + cell;
  }
}

function linesOf(note: string): PartialMember["cells"] {
  return note.split("\n").map((line) => ({ text: line, line }));
}

const CPF_DIGITS = 11;
const MAX_LOST_ZEROS = 2;

/** The client as it will be stored if it is a new one. */
export function completeClient(
  client: ReadClient,
  extraNotes: readonly string[],
  { defaultLocationId }: Pick<RowFacts, "defaultLocationId">,
): Record<string, unknown> {
  const complete: Record<string, unknown> = { ...client };
  if (complete.locationIds === undefined && defaultLocationId !== undefined)
    complete.locationIds = [defaultLocationId];
  const notes = typeof complete.notes === "string" ? [complete.notes] : [];
  const lines = new Set(notes.flatMap((text) => text.split("\n")));
  notes.push(...extraNotes.filter((line) => !lines.has(line)));
  if (notes.length > 0) complete.notes = notes.join("\n");
  return complete;
}

let compiled: Check | undefined;

/** Compiled at first use: that takes a while, and not every program that knows this file reads sheets. */
function checkSchema(tidy: unknown): Fault[] {
  compiled ??= compileCheck(ClientInput, "");
  return compiled(tidy);
}

/** `11987654321.0`, as programs write numbers that once were fractions. */
function wholeNumber(cell: string): string {
  return /^\d+\.0$/.test(cell) ? cell.slice(0, -2) : cell;
}

/** A fault of the client's rules as one of the cell that it came from. */
function toRowFault(fault: Fault, header: SheetHeader, phoneIndex: number | undefined): RowFault {
  const index = indexOf(fault.location, header, phoneIndex);
  const at = index === undefined ? {} : { index };
  switch (fault.code) {
    case "required":
    case "empty":
      return { code: "required", params: {}, ...at };
    case "too_long":
      return { code: fault.code, params: fault.params, ...at };
    case "birthdate_out_of_range":
      return { code: fault.code, params: fault.params, ...at };
    case "characters_invalid":
    case "email_invalid":
    case "cpf_invalid":
    case "date_invalid":
    case "location_required":
      return { code: fault.code, params: {}, ...at };
    default:
      return { code: "invalid", params: {}, ...at };
  }
}

/** The column that a place in the client record came from: `idDocument.value` from the CPF column. */
function indexOf(location: string, header: SheetHeader, phoneIndex: number | undefined): number | undefined {
  const place = location.replace(/\[\d+\]/g, "");
  if (place === "contactName") return header.nameParts[0];
  if (place === "contactPhone") return phoneIndex ?? header.phones[0];
  const candidates: Column[] = place.startsWith("idDocument")
    ? ["cpf", "document"]
    : place.startsWith("locationIds")
      ? ["location"]
      : [place as Column];
  const index = header.columns.findIndex((column) => column !== undefined && candidates.includes(column));
  return index < 0 ? undefined : index;
}
