import type { Writable } from "node:stream";
import { escapeFormula } from "../../core/formulas.ts";
import { writeText, writeWholeFile } from "../backup/file.ts";
import type { Words } from "./languages/language.ts";
import type { RowFault } from "./languages/problems.ts";
import { wordRowFault } from "./languages/sentences.ts";
import type { RejectedRows } from "./row-intake.ts";
import type { SheetRow } from "./rows.ts";

/**
 * The faulty rows of a sheet as a CSV file of their own, with a column that says why, to be fixed and imported again.
 * It is there whole or not at all, and only if there are such rows. It holds personal data: for its owner alone.
 */
export class RejectedFile implements RejectedRows {
  readonly path: string;
  readonly #words: Words;
  #names: readonly string[] = [];
  #delimiter = ",";
  #destination: Writable | undefined;
  #written: Promise<void> | undefined;
  #conclude: (isKept: boolean) => void = () => {};
  #fail: (error: unknown) => void = () => {};

  constructor(path: string, words: Words) {
    this.path = path;
    this.#words = words;
  }

  begin(names: readonly string[], delimiter: string | undefined): void {
    this.#names = names;
    this.#delimiter = delimiter === undefined || delimiter === "\0" ? ";" : delimiter;
  }

  async add({ cells }: SheetRow, faults: readonly RowFault[]): Promise<void> {
    if (!this.#destination) {
      this.#destination = await this.#open();
      // The mark lets spreadsheet programs see that it is UTF-8.
      await this.#write(`\ufeff${this.#line([...this.#names, this.#words.reasonColumn])}`);
    }
    const width = this.#names.length;
    const named = Array.from({ length: width }, (_, i) => cells[i] ?? "");
    // What stands beyond the named columns is one of the faults, and stays beyond them.
    await this.#write(this.#line([...named, this.#reason(faults), ...cells.slice(width)]));
  }

  /** Puts the file in its place, if there is one. */
  async keep(): Promise<void> {
    this.#conclude(true);
    await this.#written;
  }

  /** Leaves nothing behind. */
  async discard(): Promise<void> {
    this.#conclude(false);
    await this.#written?.catch((error: unknown) => {
      if (!(error instanceof Discarded)) throw error;
    });
  }

  #open(): Promise<Writable> {
    return new Promise((resolve, reject) => {
      const concluded = new Promise<boolean>((conclude, fail) => {
        this.#conclude = conclude;
        this.#fail = fail;
      });
      this.#written = writeWholeFile(this.path, async (destination) => {
        resolve(destination);
        if (!(await concluded)) throw new Discarded();
      });
      this.#written.catch(reject);
    });
  }

  async #write(text: string): Promise<void> {
    if (!this.#destination) return;
    try {
      await writeText(this.#destination, text);
    } catch (error) {
      this.#fail(error);
      // Says what is wrong with the file, which is gone by then.
      await this.#written;
    }
  }

  #line(cells: readonly string[]): string {
    const needsQuotes = (cell: string) =>
      cell.includes(this.#delimiter) || /["\r\n]/.test(cell) || cell !== cell.trim();
    const written = cells
      .map(escapeFormula)
      .map((cell) => (needsQuotes(cell) ? `"${cell.replaceAll('"', '""')}"` : cell));
    return `${written.join(this.#delimiter)}\r\n`;
  }

  #reason(faults: readonly RowFault[]): string {
    return faults
      .map((fault) => {
        const name = fault.index === undefined ? undefined : this.#names[fault.index];
        const sentence = wordRowFault(fault, this.#words);
        return name === undefined ? sentence : `${name}: ${sentence}`;
      })
      .join("; ");
  }
}

class Discarded extends Error {}
