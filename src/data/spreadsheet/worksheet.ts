import type { Effort } from "../../core/effort.ts";
import { MAX_COLUMNS, MAX_NAMED_COLUMNS, type SheetHeader } from "./columns.ts";
import { type RowFault, refuse, type SheetQuestion, type SheetRemark } from "./languages/problems.ts";
import { MAX_ROW_CHARACTERS, type SheetRow } from "./rows.ts";
import { type NumberFormat, readReference, showInstant, showNumber, unescapeText } from "./workbook-cells.ts";
import { type Attributes, readXml, type XmlHandlers } from "./workbook-xml.ts";

/** What cells refer to. */
export interface WorkbookFacts {
  readonly strings: readonly string[];
  /** By the cell's style. */
  readonly formats: readonly NumberFormat[];
  readonly is1904: boolean;
  /** How many characters and cells all rows may have together. */
  readonly maxSize: number;
  readonly effort: Effort;
}

const MAX_ROWS = 1_048_576;
const MAX_MERGED_AREAS = 100_000;

interface Area {
  readonly reference: string;
  readonly firstRow: number;
  readonly lastRow: number;
  readonly firstColumn: number;
  readonly lastColumn: number;
}

/** One sheet of a workbook, read as it streams by. */
export class Worksheet {
  readonly #facts: WorkbookFacts;
  readonly #hiddenColumns = new Set<number>();
  readonly #mergedAreas: Area[] = [];
  #hiddenRows = 0;
  #ready: SheetRow[] = [];
  #size = 0;

  #row = 0;
  #rowSize = 0;
  #isHidden = false;
  #cells: string[] = [];
  #faults: RowFault[] = [];

  #column = -1;
  #cell: Attributes = {};
  #value: string | undefined;
  #hasFormula = false;
  #isPhonetic = false;
  #isText = false;

  constructor(facts: WorkbookFacts) {
    this.#facts = facts;
  }

  async *read(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<SheetRow> {
    const handlers: XmlHandlers = {
      open: (name, attributes) => this.#open(name, attributes),
      close: (name) => this.#close(name),
      text: (text) => this.#take(text),
    };
    for await (const _ of readXml(chunks, handlers, this.#facts.effort)) {
      const ready = this.#ready;
      this.#ready = [];
      yield* ready;
    }
  }

  /** Columns and rows that the owner does not see were read all the same. */
  remarks({ names, columns }: SheetHeader): SheetRemark[] {
    const hidden = names.filter(
      (name, i) => name !== "" && columns[i] !== undefined && this.#hiddenColumns.has(i),
    );
    const remarks: SheetRemark[] = [];
    if (hidden.length > 0) remarks.push({ code: "columns_hidden", params: { columns: hidden } });
    if (this.#hiddenRows > 0) remarks.push({ code: "rows_hidden", params: { count: this.#hiddenRows } });
    return remarks;
  }

  /** Only the first of merged cells has a value. Known when all rows have been read: a workbook lists them last. */
  mergedBelow(headerRow: number, { columns }: SheetHeader): SheetQuestion | undefined {
    // For each column the next one, from there on, that means something.
    const next: number[] = [];
    for (let i = columns.length - 1; i >= 0; i--)
      next[i] = columns[i] === undefined ? (next[i + 1] ?? Number.POSITIVE_INFINITY) : i;
    const areas = this.#mergedAreas.filter(
      ({ firstRow, lastRow, firstColumn, lastColumn }) =>
        lastRow > Math.max(firstRow, headerRow) &&
        (next[firstColumn] ?? Number.POSITIVE_INFINITY) <= lastColumn,
    );
    const [first] = areas;
    return first && { code: "cells_merged", params: { range: first.reference, count: areas.length } };
  }

  #open(name: string, attributes: Attributes): void {
    switch (name) {
      case "col":
        if (isTrue(attributes.hidden)) this.#hide(Number(attributes.min), Number(attributes.max));
        break;
      case "row":
        this.#row = attributes.r === undefined ? this.#row + 1 : Number(attributes.r);
        if (!(this.#row >= 1 && this.#row <= MAX_ROWS)) throw damaged();
        this.#isHidden = isTrue(attributes.hidden);
        this.#column = -1;
        break;
      case "c":
        this.#openCell(attributes);
        break;
      case "f":
        this.#hasFormula = true;
        break;
      case "rPh":
        this.#isPhonetic = true;
        break;
      case "v":
      case "t":
        this.#isText = !this.#isPhonetic;
        if (this.#isText) this.#value ??= "";
        break;
      case "mergeCell":
        this.#merge(attributes.ref ?? "");
    }
  }

  /** Columns are counted from 1. Of those that cannot have a name nobody is told. */
  #hide(first: number, last: number): void {
    for (let column = Math.max(first, 1); column <= Math.min(last, MAX_NAMED_COLUMNS); column++)
      this.#hiddenColumns.add(column - 1);
  }

  #openCell(attributes: Attributes): void {
    const place = attributes.r === undefined ? undefined : readReference(attributes.r);
    this.#column = place?.column ?? this.#column + 1;
    if (this.#column >= MAX_COLUMNS) throw damaged();
    this.#cell = attributes;
    this.#value = undefined;
    this.#hasFormula = false;
  }

  #close(name: string): void {
    if (name === "v" || name === "t") this.#isText = false;
    else if (name === "rPh") this.#isPhonetic = false;
    else if (name === "c") this.#closeCell();
    else if (name === "row") this.#closeRow();
  }

  #take(text: string): void {
    if (!this.#isText) return;
    this.#value = `${this.#value ?? ""}${text}`;
    if (this.#value.length > MAX_ROW_CHARACTERS) throw rowTooLong(this.#row);
  }

  #closeCell(): void {
    const index = this.#column;
    const { t: type = "n", s: style } = this.#cell;
    const value = this.#value ?? "";
    const isNumber = type === "n";
    if (type === "e") this.#addFault({ code: "formula_failed", params: {}, index });
    else if (this.#hasFormula && (this.#value === undefined || (isNumber && value === "")))
      this.#addFault({ code: "formula_without_value", params: {}, index });
    else if (value !== "") {
      const shown = this.#show(type, value, style);
      // Where no column has a name, all that matters is that there is something.
      const place = Math.min(index, Math.max(this.#cells.length, MAX_NAMED_COLUMNS + 1));
      this.#rowSize += shown.length + Math.max(place - this.#cells.length, 0) + 1;
      if (this.#rowSize > MAX_ROW_CHARACTERS) throw rowTooLong(this.#row);
      while (this.#cells.length < place) this.#cells.push("");
      this.#cells[place] = shown;
    }
  }

  #addFault(fault: RowFault & { readonly index: number }): void {
    if (fault.index < MAX_NAMED_COLUMNS && this.#faults.length < MAX_NAMED_COLUMNS) this.#faults.push(fault);
  }

  #show(type: string, value: string, style: string | undefined): string {
    const { strings, formats, is1904 } = this.#facts;
    switch (type) {
      case "s": {
        const text = strings[Number(value)];
        if (text === undefined) throw damaged();
        return text;
      }
      case "n":
        return showNumber(value, formats[Number(style ?? 0)], is1904);
      case "b":
        return value === "1" ? "TRUE" : "FALSE";
      case "d":
        return showInstant(value, formats[Number(style ?? 0)]);
      default:
        return unescapeText(value);
    }
  }

  #closeRow(): void {
    this.#size += this.#rowSize;
    this.#rowSize = 0;
    if (this.#size > this.#facts.maxSize) throw tooLarge();
    if (this.#cells.some((cell) => cell.trim() !== "") || this.#faults.length > 0) {
      const faults = this.#faults.length > 0 ? { faults: this.#faults } : {};
      this.#ready.push({ row: this.#row, cells: this.#cells, ...faults });
      if (this.#isHidden) this.#hiddenRows++;
    }
    this.#cells = [];
    this.#faults = [];
  }

  #merge(reference: string): void {
    const [from = "", to = from] = reference.split(":", 2);
    const first = readReference(from);
    const last = readReference(to);
    if (!first || !last || last.row === first.row) return;
    if (this.#mergedAreas.length >= MAX_MERGED_AREAS) throw tooLarge();
    this.#mergedAreas.push({
      reference: `${from}:${to}`,
      firstRow: first.row,
      lastRow: last.row,
      firstColumn: first.column,
      lastColumn: last.column,
    });
  }
}

function rowTooLong(row: number): Error {
  return refuse({ code: "row_too_long", params: { row, max: MAX_ROW_CHARACTERS } });
}

function tooLarge(): Error {
  return refuse({ code: "workbook_too_large", params: {} });
}

function damaged(): Error {
  return refuse({ code: "workbook_damaged", params: {} });
}

export function isTrue(text: string | undefined): boolean {
  return text === "1" || text === "true";
}
