import type { Client } from "../../domain/clients/schema.ts";
import type { ReadClient } from "./rows.ts";

/** What spreadsheet programs take a file for that has no byte order mark. */
const WRONG_ENCODINGS = ["windows-1252", "macintosh"] as const;
/** What programs show, each in its own way, for bytes that stand for nothing in the encoding. */
const WITHOUT_MEANING = /[\u0080-\u009f\uf180-\uf19f\ufffd]/g;

/** Whether a cell is the text as it looks if its UTF-8 is read in another encoding, `João` as `JoÃ£o`, or if letters are lost. */
function isGarbled(cell: unknown, text: unknown): boolean {
  if (typeof cell !== "string" || cell === text) return false;
  const isText = typeof text === "string";
  if (cell.includes("\ufffd") && !(isText && text.includes("\ufffd"))) return true;
  if (!isText) return false;
  if (cell.includes("?") && hasLostLettersOf(cell, text)) return true;
  const bytes = Buffer.from(text);
  // Plain ASCII is the same in all of them.
  if (bytes.length === text.length) return false;
  const shown = cell.replace(WITHOUT_MEANING, "?");
  return WRONG_ENCODINGS.some(
    (encoding) =>
      new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes).replace(WITHOUT_MEANING, "?") === shown,
  );
}

/** How many signs programs write for a character that another encoding does not have. */
const SIGNS_FOR_LOST: readonly ((character: string) => number)[] = [
  () => 1,
  (character) => character.length,
  (character) => Buffer.byteLength(character),
];

/** Whether a cell is the text with question marks for some of its letters: `Jo?o` for `João`. */
function hasLostLettersOf(cell: string, text: string): boolean {
  return SIGNS_FOR_LOST.some((signsFor) => {
    let at = 0;
    for (const character of text) {
      const lost = "?".repeat(signsFor(character));
      if (cell.startsWith(character, at)) at += character.length;
      else if (character > "\u007f" && cell.startsWith(lost, at)) at += lost.length;
      else return false;
    }
    return at === cell.length;
  });
}

/** The first column of a download in which the row has a text garbled, or with letters that are lost. */
export function findGarbledColumn(client: ReadClient, stored: Client | undefined): string | undefined {
  const texts = textsOf({ ...stored });
  return Object.entries(textsOf(client)).find(([column, cell]) => isGarbled(cell, texts[column]))?.[0];
}

/** The members of a client by the names that they have in a download. */
function textsOf(client: ReadClient): ReadClient {
  const inside = ["address", "idDocument"].flatMap((name) =>
    Object.entries((client[name] as ReadClient | undefined) ?? {}).map(
      ([member, text]) => [`${name}.${member}`, text] as const,
    ),
  );
  return { ...client, ...Object.fromEntries(inside) };
}
