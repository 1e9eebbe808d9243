import { readCpf } from "../clients/cpf.ts";
import { checkClient, tidyClient } from "../clients/rules.ts";
import { ClientInput } from "../clients/schema.ts";
import type { Fault } from "../core/errors.ts";
import { isUuid } from "../core/forms.ts";
import { fold } from "../core/search.ts";
import { type Check, compileCheck } from "../core/validation.ts";
import { unescapeFormula } from "../downloads/formulas.ts";
import { readDate } from "./cell-dates.ts";
import type { Column, SheetHeader } from "./columns.ts";
import type { RowFault } from "./problems.ts";
import type { DateOrder } from "./values.ts";

/** A location that cells can name. */
export interface NamedLocation {
  readonly id: string;
  readonly name: string;
}

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
  readonly locations: readonly NamedLocation[];
  /** For rows that name none. */
  readonly defaultLocationId: string | undefined;
  /** Today's date in the organization's timezone. */
  readonly today: string;
  /** What the owner said; if nothing, the day comes first. */
  readonly dateOrder: DateOrder | undefined;
}

/** A client as the API's body has it, checked or not. */
export type ReadClient = Readonly<Record<string, unknown>>;

/** A client as the API's body has it, what is wrong with it, and what was decided to make it. */
export interface ReadRow {
  readonly client: ReadClient;
  readonly faults: readonly RowFault[];
  /** Lines that belong into the notes besides what the notes column has. */
  readonly extraNotes: readonly string[];
  readonly isCpfPadded: boolean;
  /** Whether the order of day and month shows in the row's date, and where the date is. */
  readonly date?: { readonly index: number; readonly shows: DateOrder | "either" };
}

const STATUSES: Readonly<Record<string, "active" | "archived">> = {
  active: "active",
  ativo: "active",
  ativa: "active",
  activo: "active",
  activa: "active",
  archived: "archived",
  inactive: "archived",
  arquivado: "archived",
  arquivada: "archived",
  inativo: "archived",
  inativa: "archived",
  archivado: "archived",
  archivada: "archived",
  inactivo: "archived",
  inactiva: "archived",
};

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

class ClientDraft {
  readonly #row: SheetRow;
  readonly #facts: RowFacts;
  readonly #client: Record<string, unknown> = {};
  readonly #address: Record<string, string> = {};
  readonly #faults: RowFault[];
  readonly #extraNotes: string[] = [];
  #isCpfPadded = false;
  #date: ReadRow["date"];

  constructor(row: SheetRow, facts: RowFacts) {
    this.#row = row;
    this.#facts = facts;
    this.#faults = [...(row.faults ?? [])];
  }

  read(): void {
    const { header } = this.#facts;
    this.#checkWidth();
    header.columns.forEach((column, index) => {
      const cell = this.#cell(index);
      if (column !== undefined && cell !== "") this.#take(column, cell, index);
    });
    const name = header.nameParts.map((index) => this.#cell(index)).filter((part) => part !== "");
    if (name.length > 0) this.#client.contactName = name.join(" ");
    this.#takePhones();
    if (Object.keys(this.#address).length > 0) this.#client.address = this.#address;
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
      else if (column.startsWith("address.")) this.#take(column, cell, index);
      else this.#client[column] = cell;
    });
    const { type, value } = document;
    if (value !== undefined)
      this.#client.idDocument =
        type === "cpf" ? { type, value: this.#withLeadingZeros(value) } : { type: type ?? "other", value };
    if (Object.keys(this.#address).length > 0) this.#client.address = this.#address;
  }

  finish(): ReadRow {
    const { locations, today } = this.#facts;
    const tidy = tidyClient(completeClient(this.#client, this.#extraNotes, this.#facts));
    const isFree = (index: number | undefined) => !this.#faults.some((fault) => fault.index === index);
    const found = [
      ...checkSchema(tidy),
      ...checkClient(tidy, { today, locationIds: locations.map(({ id }) => id) }, ""),
    ].map((fault) => toRowFault(fault, this.#facts.header));
    // One fault for a cell is enough: the first says what to do.
    for (const fault of found) if (isFree(fault.index)) this.#faults.push(fault);
    return {
      client: this.#client,
      // From left to right, as the owner reads them.
      faults: this.#faults.toSorted((a, b) => (a.index ?? -1) - (b.index ?? -1)),
      extraNotes: this.#extraNotes,
      isCpfPadded: this.#isCpfPadded,
      ...(this.#date && { date: this.#date }),
    };
  }

  /** A cell without a column would be lost, and those before it may stand in the wrong ones: a comma was not quoted. */
  #checkWidth(): void {
    const { names } = this.#facts.header;
    if (this.#row.cells.some((cell, i) => (names[i] ?? "") === "" && cell.trim() !== ""))
      this.#faults.push({ code: "cells_beyond_header", params: {} });
  }

  #cell(index: number): string {
    return unescapeFormula(this.#row.cells[index]?.trim() ?? "");
  }

  #take(column: Column, cell: string, index: number): void {
    switch (column) {
      case "birthdate": {
        const { date, fault, shows } = readDate(cell, this.#facts.dateOrder ?? "dmy");
        if (fault) this.#faults.push({ code: fault, params: {}, index });
        else this.#client.birthdate = date;
        if (shows) this.#date = { index, shows };
        break;
      }
      case "cpf":
        if (SHORTENED.test(cell)) this.#faults.push({ code: "number_shortened", params: {}, index });
        else this.#client.idDocument = { type: "cpf", value: this.#withLeadingZeros(wholeNumber(cell)) };
        break;
      case "document":
        if (SHORTENED.test(cell)) this.#faults.push({ code: "number_shortened", params: {}, index });
        else this.#client.idDocument = readDocument(wholeNumber(cell));
        break;
      case "status":
        this.#client.status = STATUSES[fold(cell)];
        if (!this.#client.status) this.#faults.push({ code: "status_unknown", params: {}, index });
        break;
      case "location":
        this.#takeLocations(cell, index);
        break;
      case "contactEmail":
      case "notes":
        this.#client[column] = cell;
        break;
      default:
        if (column.startsWith("address.")) this.#address[column.slice("address.".length)] = cell;
    }
  }

  /** The first phone is the client's; those that differ from it are kept where nothing is lost. */
  #takePhones(): void {
    const { phones, names } = this.#facts.header;
    const digits = new Set<string>();
    for (const index of phones) {
      const cell = wholeNumber(this.#cell(index));
      if (cell === "") continue;
      if (SHORTENED.test(cell)) {
        this.#faults.push({ code: "number_shortened", params: {}, index });
        continue;
      }
      const isFirst = digits.size === 0;
      const isNew = !digits.has(cell.replace(/\D/g, ""));
      digits.add(cell.replace(/\D/g, ""));
      if (isFirst) this.#client.contactPhone = cell;
      else if (isNew) this.#extraNotes.push(`${names[index]}: ${cell}`);
    }
  }

  /** A cell names one location, or several between `|` or `;`, by name or by id. */
  #takeLocations(cell: string, index: number): void {
    const { locations } = this.#facts;
    const ids: string[] = [];
    for (const part of cell.split(/[|;]/).map((name) => name.trim())) {
      if (part === "") continue;
      const found = locations.filter(
        ({ id, name }) => fold(name.trim()) === fold(part) || id === part.toLowerCase(),
      );
      if (found.length === 1) ids.push(...found.map(({ id }) => id));
      else {
        const code = found.length === 0 ? "location_unknown" : "location_ambiguous";
        this.#faults.push({ code, params: { name: [...part].slice(0, 60).join("") }, index });
      }
    }
    if (ids.length > 0) this.#client.locationIds = ids;
  }

  #takeId(cell: string, index: number): void {
    if (isUuid(cell)) this.#client.id = cell;
    else this.#faults.push({ code: "id_invalid", params: {}, index });
  }

  #takeLocationIds(cell: string, index: number): void {
    const ids = cell.toLowerCase().split(/ +/);
    const known = new Set(this.#facts.locations.map(({ id }) => id));
    for (const id of ids)
      if (!known.has(id))
        this.#faults.push({
          code: "location_unknown",
          params: { name: [...id].slice(0, 60).join("") },
          index,
        });
    this.#client.locationIds = ids;
  }

  /** Spreadsheets take a CPF for a number and drop its leading zeros; put back if the check digits then fit. */
  #withLeadingZeros(cell: string): string {
    const padded = cell.padStart(11, "0");
    if (!/^\d{3,10}$/.test(cell) || !readCpf(padded)) return cell;
    this.#isCpfPadded = true;
    return padded;
  }
}

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

function readDocument(cell: string): { type: "cpf" | "other"; value: string } {
  return readCpf(cell) ? { type: "cpf", value: cell } : { type: "other", value: cell };
}

/** A fault of the client's rules as one of the cell that it came from. */
function toRowFault(fault: Fault, header: SheetHeader): RowFault {
  const index = indexOf(fault.location, header);
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
function indexOf(location: string, header: SheetHeader): number | undefined {
  const place = location.replace(/\[\d+\]/g, "");
  if (place === "contactName") return header.nameParts[0];
  if (place === "contactPhone") return header.phones[0];
  const candidates: Column[] = place.startsWith("idDocument")
    ? ["cpf", "document"]
    : place.startsWith("locationIds")
      ? ["location"]
      : [place as Column];
  const index = header.columns.findIndex((column) => column !== undefined && candidates.includes(column));
  return index < 0 ? undefined : index;
}
