import { WINDOWS } from "./encoding.ts";

/** `JoÃ£o`, `Â°`, `â€™`, `Jo√£o`: what the two or three bytes of a letter look like; and `Jo\ufffdo`, a letter that is lost. */
const GARBLED =
  /[ÂÃâ][\u0080-\u00bf\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc\u2013-\u2122]|√[^\s\w]|\ufffd/;

/** Whether a cell was read in the wrong encoding before it came into the file. */
export function isGarbledText(cell: string): boolean {
  return GARBLED.test(cell);
}

/** `Concei??o`, `?lvaro`, `Jos? Lima`: letters that a program did not know. */
const LOST = /\p{L}\?+ ?\p{L}|(?:^| )\?+\p{L}/u;

/** Whether a name or an address has question marks in the place of letters. */
export function hasLostLetters(cell: string): boolean {
  return LOST.test(cell);
}

const PAGES: readonly ReadonlyMap<string, number>[] = [
  WINDOWS,
  [...new TextDecoder("macintosh").decode(Uint8Array.from({ length: 256 }, (_, byte) => byte))],
].map((page) => new Map(page.map((character, byte) => [character, byte])));

/** The text that was read in the wrong encoding; undefined if that cannot be found out any more. */
export function repairText(cell: string): string | undefined {
  for (const page of PAGES) {
    const bytes = Array.from(cell, (character) => page.get(character));
    if (bytes.some((byte) => byte === undefined)) continue;
    try {
      const text = new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(bytes as number[]));
      if (!isGarbledText(text)) return text;
    } catch {
      // Not in this one.
    }
  }
  return undefined;
}
