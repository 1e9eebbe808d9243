import { readCpf } from "../clients/cpf.ts";
import { fold } from "../core/search.ts";
import type { Column, Header } from "./columns.ts";

/** A location that cells can name. */
export interface NamedLocation {
  readonly id: string;
  readonly name: string;
}

/** A client in a bundle, made from a row, and what of the row could not be understood, by column. */
export interface ReadRow {
  readonly client: Record<string, unknown>;
  readonly faults: readonly { column: Column; message: string }[];
}

const STATUSES: Readonly<Record<string, "active" | "archived">> = {
  active: "active",
  ativo: "active",
  ativa: "active",
  archived: "archived",
  inactive: "archived",
  arquivado: "archived",
  arquivada: "archived",
  inativo: "archived",
  inativa: "archived",
};

/** Reads one row by what its columns mean. Checking the values is left to the rules that the API has too. */
export function readRow(
  cells: readonly string[],
  header: Header,
  locations: readonly NamedLocation[],
): ReadRow {
  const client: Record<string, unknown> = { kind: "client" };
  const address: Record<string, string> = {};
  const faults: { column: Column; message: string }[] = [];
  header.columns.forEach((column, i) => {
    const cell = cells[i]?.trim() ?? "";
    if (column === undefined || cell === "") return;
    switch (column) {
      case "birthdate":
        client.birthdate = readDate(cell);
        break;
      case "cpf":
        client.idDocument = { type: "cpf", value: withLeadingZeros(cell) };
        break;
      case "document":
        client.idDocument = readDocument(cell);
        break;
      case "status":
        client.status = STATUSES[fold(cell)] ?? cell;
        break;
      case "location": {
        const found = findLocations(cell, locations);
        // With a fault nothing is written; any location spares a second fault for the same cell.
        if (typeof found === "string") faults.push({ column, message: found });
        client.locationIds = typeof found === "string" ? locations.slice(0, 1).map(({ id }) => id) : found;
        break;
      }
      default:
        if (column.startsWith("address.")) address[column.slice("address.".length)] = cell;
        else client[column] = cell;
    }
  });
  if (Object.keys(address).length > 0) client.address = address;
  return { client, faults };
}

/** The column that a place in the client record came from: `idDocument.value` from the CPF column. */
export function columnOf(location: string, header: Header): Column | undefined {
  const place = location.replace(/\[\d+\]/g, "");
  const candidates: Column[] = place.startsWith("idDocument")
    ? ["cpf", "document"]
    : place.startsWith("locationIds")
      ? ["location"]
      : [place as Column];
  return candidates.find((column) => header.columns.includes(column));
}

/** `23/04/1990` as `1990-04-23`; anything else as it is, for the date's own check. */
function readDate(cell: string): string {
  const match = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})$/.exec(cell);
  if (!match) return cell.replace(/[ T]00:00(:00)?$/, "");
  const [, day = "", month = "", year = ""] = match;
  return `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
}

/** Spreadsheets take a CPF for a number and drop its leading zeros; put back if that makes it valid. */
function withLeadingZeros(cell: string): string {
  const padded = cell.padStart(11, "0");
  return /^\d{3,10}$/.test(cell) && readCpf(padded) ? padded : cell;
}

function readDocument(cell: string): { type: "cpf" | "other"; value: string } {
  return readCpf(cell) ? { type: "cpf", value: cell } : { type: "other", value: cell };
}

/** The ids of the locations a cell names: one, or several between `|` or `;`. Or what is wrong with it. */
function findLocations(cell: string, locations: readonly NamedLocation[]): string[] | string {
  const ids: string[] = [];
  for (const part of cell.split(/[|;]/).map((name) => name.trim())) {
    if (part === "") continue;
    const found = locations.filter(
      ({ id, name }) => fold(name.trim()) === fold(part) || id === part.toLowerCase(),
    );
    if (found.length === 0)
      return `is not a location; there are: ${locations.map(({ name }) => name).join(", ")}`;
    if (found.length > 1) return "is the name of several locations; write the location's id instead";
    ids.push(...found.map(({ id }) => id));
  }
  return ids;
}
