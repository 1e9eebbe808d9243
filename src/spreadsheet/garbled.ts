import type { Client } from "../clients/schema.ts";
import type { ReadClient } from "./rows.ts";

/** What spreadsheet programs take a file for that has no byte order mark. */
const WRONG_ENCODINGS = ["windows-1252", "macintosh"] as const;
/** What programs show, each in its own way, for bytes that stand for nothing in the encoding. */
const WITHOUT_MEANING = /[\u0080-\u009f\uf180-\uf19f\ufffd]/g;

/** Whether a cell is the text as it looks if its UTF-8 is read in another encoding: `João` as `JoÃ£o`. */
export function isGarbled(cell: unknown, text: unknown): boolean {
  if (typeof cell !== "string" || typeof text !== "string" || cell === text) return false;
  const bytes = Buffer.from(text);
  // Plain ASCII is the same in all of them.
  if (bytes.length === text.length) return false;
  const shown = cell.replace(WITHOUT_MEANING, "?");
  return WRONG_ENCODINGS.some(
    (encoding) =>
      new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes).replace(WITHOUT_MEANING, "?") === shown,
  );
}

/** The first column of a download in which the row has a stored text garbled. */
export function findGarbledColumn(client: ReadClient, stored: Client): string | undefined {
  const texts: ReadClient = { ...stored };
  const address: ReadClient = { ...stored.address };
  const inAddress = Object.entries((client.address as ReadClient | undefined) ?? {});
  const column = Object.keys(client).find((name) => isGarbled(client[name], texts[name]));
  const member = inAddress.find(([name, cell]) => isGarbled(cell, address[name]))?.[0];
  return column ?? (member && `address.${member}`);
}
