import { refuse } from "./languages/problems.ts";

/** How many bytes of a file are enough to know what it is. */
export const RECOGNIZED_BY_BYTES = 4096;

const startsWith = (head: Uint8Array, ...bytes: number[]) => bytes.every((byte, i) => head[i] === byte);

/** Whether a file is a bundle, by its first bytes and whatever its name: one begins with `{` or is compressed. */
export function isBundle(head: Uint8Array): boolean {
  return startsWith(head, 0x1f, 0x8b) || firstSign(head) === "{";
}

/**
 * Whether a spreadsheet is a workbook, which is a zip archive, or text. Other formats that
 * people take for spreadsheets are refused by their names.
 */
export function recognizeSheet(head: Uint8Array): "workbook" | "text" {
  if (startsWith(head, 0x50, 0x4b, 0x03, 0x04) || startsWith(head, 0x50, 0x4b, 0x05, 0x06)) return "workbook";
  if (startsWith(head, 0xd0, 0xcf, 0x11, 0xe0)) throw refuse({ code: "old_excel", params: {} });
  if (startsWith(head, 0x25, 0x50, 0x44, 0x46)) throw refuse({ code: "not_text", params: {} });
  if (firstSign(head) === "<") throw refuse({ code: "web_page", params: {} });
  return "text";
}

/** The first character that is not white space, if it is ASCII. */
function firstSign(head: Uint8Array): string {
  const text = Buffer.from(head.buffer, head.byteOffset, head.byteLength).toString("latin1");
  return text
    .replace(/^\u00ef\u00bb\u00bf/, "")
    .trimStart()
    .slice(0, 1);
}
