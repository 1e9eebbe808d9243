import type { Client } from "../../domain/clients/schema.ts";
import type { Column } from "./columns.ts";
import type { ReadClient } from "./rows.ts";

/**
 * Whether a cell is what a spreadsheet program makes of a text that it takes for a number:
 *
 *     +5511987654321 → 5511987654321
 *     02134          → 2134
 */
function isTextAsNumber(cell: unknown, text: unknown): boolean {
  if (typeof text !== "string" || !/^\+?\d+$/.test(text)) return false;
  return cell !== text && cell === text.replace(/^\+?0*(?=\d)/, "");
}

/** The client of a row, with the stored texts in place of the numbers that were made of them; itself if there are none. */
export function withStoredTexts(client: ReadClient, stored: Client): ReadClient {
  const texts = storedTexts(client, { ...stored });
  const address = storedTexts(client.address as ReadClient | undefined, { ...stored.address });
  const document = client.idDocument as Client["idDocument"];
  const isDocumentNumber =
    document?.type === stored.idDocument?.type && isTextAsNumber(document?.value, stored.idDocument?.value);
  if (texts.length + address.length === 0 && !isDocumentNumber) return client;
  return {
    ...client,
    ...Object.fromEntries(texts),
    ...(address.length > 0 && { address: { ...(client.address as object), ...Object.fromEntries(address) } }),
    ...(isDocumentNumber && { idDocument: stored.idDocument }),
  };
}

function storedTexts(members: ReadClient | undefined, stored: ReadClient): [name: string, text: unknown][] {
  return Object.entries(members ?? {}).flatMap(([name, cell]): [string, unknown][] =>
    isTextAsNumber(cell, stored[name]) ? [[name, stored[name]]] : [],
  );
}

/** Whether the cell of a column says what is stored, so that nothing is wrong with it however it looks. */
export function isStoredText(column: Column | undefined, client: ReadClient, stored: Client): boolean {
  const document = client.idDocument as Client["idDocument"];
  const address = client.address as Client["address"];
  switch (column) {
    case "contactPhone":
      return client.contactPhone === stored.contactPhone;
    case "document":
      return document?.type === stored.idDocument?.type && document?.value === stored.idDocument?.value;
    case "address.postalCode":
      return address?.postalCode === stored.address?.postalCode;
    default:
      return false;
  }
}
