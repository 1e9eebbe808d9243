import { createHash } from "node:crypto";
import { fold } from "../../core/search.ts";
import { isFigure, isHeading, isTotal, placeholderOf, readStatus } from "./cell-texts.ts";
import { meaningOf, type SheetHeader } from "./columns.ts";
import type { SheetRow } from "./rows.ts";

/** Whether a row is about nobody: a sum, the names of the columns once more, or a numbered line that nobody filled in. */
export function isNoPerson({ cells, faults = [] }: SheetRow, header: SheetHeader): boolean {
  if (faults.some(({ index }) => index !== undefined && header.columns[index] !== undefined)) return false;
  const isBeyond = cells.some((cell, i) => (header.names[i] ?? "") === "" && cell.trim() !== "");
  const known = header.columns.flatMap((column, i) => (column === undefined ? [] : [i]));
  const isFilled = (i: number) => textOf(cells, i) !== "";
  if (!known.some(isFilled)) return !isBeyond;
  const names = header.nameParts.map((i) => textOf(cells, i)).filter((text) => text !== "");
  if (names.length === 0 ? cells.some((cell) => isTotal(cell.trim())) : names.every(isTotal)) return true;
  if (names.length === 0) return false;
  const filled = known.filter(isFilled);
  const others = filled.filter((i) => !header.nameParts.includes(i)).map((i) => textOf(cells, i));
  if (names.every(isHeading) && others.every(isFigure)) return true;
  if (filled.every((i) => isNameOf(textOf(cells, i), header.names[i]))) return true;
  // In other words, if there are several: `Cliente;Fone` below `Nome;Telefone`.
  return others.length > 0 && filled.every((i) => isNameOfSome(textOf(cells, i)));
}

function isNameOf(text: string, name = ""): boolean {
  return text.length <= name.length + 1 && fold(text) === fold(name);
}

function isNameOfSome(text: string): boolean {
  return meaningOf(text) !== undefined && readStatus(text) === undefined;
}

/** What tells a row from others: two that have the same in every column that is read, in any case, are equal. */
export function keyOfRow({ cells }: SheetRow, { columns }: SheetHeader): string {
  const said = columns.flatMap((column, i) => (column === undefined ? [] : [fold((cells[i] ?? "").trim())]));
  return createHash("sha1").update(said.join("\0")).digest("base64");
}

/** Whether a row has a name, and nothing that tells people of that name apart. */
export function saysNothingButName({ cells }: SheetRow, { columns, nameParts }: SheetHeader): boolean {
  return columns.every((column, i) => {
    const isTelling =
      column !== undefined && column !== "location" && column !== "status" && !nameParts.includes(i);
    return !isTelling || textOf(cells, i) === "";
  });
}

function textOf(cells: readonly string[], index: number): string {
  const cell = (cells[index] ?? "").trim();
  return placeholderOf(cell) === undefined ? cell : "";
}
