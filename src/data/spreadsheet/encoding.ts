import type { FileHandle } from "node:fs/promises";
import type { Effort } from "../../core/effort.ts";
import { refuse, type SheetRemark } from "./languages/problems.ts";
import { readChunks, readHead } from "./source.ts";
import type { Encoding } from "./values.ts";

/**
 * The encoding of a text file, found out with certainty or asked for. UTF-16 and UTF-8 are recognized by their form. Of
 * the encodings with one byte a character only Windows-1252 is taken without being named, and only if every
 * character makes sense in it and in no other that western spreadsheets are written in.
 */
export async function findEncoding(
  file: FileHandle,
  named: Encoding | undefined,
  effort: Effort,
): Promise<{ encoding: Encoding; remark?: SheetRemark }> {
  if (named !== undefined) return { encoding: named };
  const wide = wideEncoding(await readHead(file, 4096));
  if (wide) return { encoding: wide };
  if (await isUtf8File(file, effort)) return { encoding: "utf-8" };
  const survey = new Survey();
  for await (const chunk of readChunks(file)) {
    survey.add(chunk);
    effort.spend(chunk.length / BYTES_IN_A_STEP);
    if (effort.isDue) await effort.pause();
  }
  survey.end();
  if (survey.hasNul) throw refuse({ code: "not_text", params: {} });
  const line = survey.firstLine;
  if (survey.utf8Characters > 0) throw refuse({ code: "encoding_mixed", params: { line } });
  const readings = [...survey.triples].map(
    (triple) => [triple >> 16, (triple >> 8) & 0xff, triple & 0xff] as const,
  );
  const isCertain =
    survey.triples.size < MAX_TRIPLES &&
    readings.every((bytes) => makesSense(WINDOWS, bytes)) &&
    RIVALS.every((rival) => !readings.every((bytes) => isLetterInPlace(rival, bytes)));
  if (!isCertain) throw refuse({ code: "encoding_unclear", params: { line } });
  return {
    encoding: "windows-1252",
    remark: { code: "encoding_recognized", params: { encoding: "Windows-1252" } },
  };
}

/** How many bytes are looked at in a microsecond or two. */
const BYTES_IN_A_STEP = 64;
/** No language has so many combinations of a letter and its neighbours; to hold all there are takes gigabytes. */
const MAX_TRIPLES = 10_000;

/** Text in pieces; bytes that are not of the encoding end it. */
export async function* decodeText(
  chunks: AsyncIterable<Uint8Array>,
  encoding: Encoding,
): AsyncGenerator<string> {
  const decode = encoding === "windows-1252" ? decodeWindows : openDecoder(encoding);
  for await (const chunk of chunks) {
    const text = decode(chunk);
    // No text has NUL; binary files and UTF-16 under another name are full of it.
    if (text.includes("\0")) throw refuse({ code: "not_text", params: {} });
    if (text !== "") yield text;
  }
  const rest = decode();
  if (rest !== "") yield rest;
}

function openDecoder(encoding: Encoding): (chunk?: Uint8Array) => string {
  // It drops the byte order mark, if there is one.
  const decoder = new TextDecoder(encoding, { fatal: true });
  return (chunk) => {
    try {
      return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode();
    } catch {
      throw refuse({ code: "encoding_wrong", params: { encoding } });
    }
  };
}

/** What Windows-1252 has where Latin-1 has control characters, from 0x80 on. */
const WINDOWS_SIGNS = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";

/** For Node 20 alone, to be removed with it. Not by Node's decoder: that of Node 20 takes Windows-1252 for Latin-1, and makes control characters of dashes. */
function decodeWindows(chunk: Uint8Array = new Uint8Array()): string {
  const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("latin1");
  return text.replace(/[\u0080-\u009f]/g, (sign) => WINDOWS_SIGNS[sign.charCodeAt(0) - 0x80] ?? sign);
}

/** UTF-16 by its mark, or by its NULs: most characters of a sheet are ASCII, and every second byte of those is NUL. */
function wideEncoding(head: Buffer): Encoding | undefined {
  if (head.length >= 2 && head.readUInt16LE(0) === 0xfeff) return "utf-16le";
  if (head.length >= 2 && head.readUInt16BE(0) === 0xfeff) return "utf-16be";
  const nulls = [0, 0];
  for (const [i, byte] of head.entries()) if (byte === 0) nulls[i % 2] = (nulls[i % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = nulls;
  if (odd > head.length / 4 && even === 0) return "utf-16le";
  if (even > head.length / 4 && odd === 0) return "utf-16be";
  return undefined;
}

async function isUtf8File(file: FileHandle, effort: Effort): Promise<boolean> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    for await (const chunk of readChunks(file)) {
      decoder.decode(chunk, { stream: true });
      if (effort.isDue) await effort.pause();
    }
    decoder.decode();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_ENCODING_INVALID_ENCODED_DATA") return false;
    throw error;
  }
}

/** Bytes that belong together are never more than this. */
const LONGEST_CHARACTER = 4;
const LINE_FEED = 0x0a;

/** The characters of a file beyond ASCII: those that are UTF-8, and the bytes that are not, with their neighbours. */
class Survey {
  utf8Characters = 0;
  /** No text has it; pictures and programs do. */
  hasNul = false;
  /** The line of the first byte that is not UTF-8. */
  firstLine = 0;
  /** The byte before, the byte, and the byte after, as one number. */
  readonly triples = new Set<number>();
  #line = 1;
  #carried: Buffer = Buffer.alloc(0);
  #before = LINE_FEED;

  add(chunk: Buffer): void {
    const bytes = Buffer.concat([this.#carried, chunk]);
    const stop = Math.max(bytes.length - LONGEST_CHARACTER, 0);
    this.#carried = bytes.subarray(this.#look(bytes, stop));
  }

  end(): void {
    this.#look(this.#carried, this.#carried.length);
  }

  /** Looks at the characters that begin before `stop`; returns where the next one begins. */
  #look(bytes: Buffer, stop: number): number {
    let at = 0;
    while (at < stop) {
      const byte = bytes[at] ?? 0;
      const length = byte < 0x80 ? 1 : utf8Length(bytes, at);
      if (byte === LINE_FEED) this.#line++;
      else if (byte === 0) this.hasNul = true;
      if (byte >= 0x80) {
        if (length > 0) this.utf8Characters++;
        else {
          if (this.firstLine === 0) this.firstLine = this.#line;
          if (this.triples.size < MAX_TRIPLES)
            this.triples.add((this.#before << 16) | (byte << 8) | (bytes[at + 1] ?? LINE_FEED));
        }
      }
      this.#before = byte;
      at += Math.max(length, 1);
    }
    return at;
  }
}

/** How many bytes the UTF-8 character has that begins here; 0 if none does. */
function utf8Length(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0;
  const length = first >= 0xf0 && first <= 0xf4 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  if (length === 0 || first > 0xf4) return 0;
  for (let i = 1; i < length; i++) if (((bytes[at + i] ?? 0) & 0xc0) !== 0x80) return 0;
  return length;
}

type CodePage = readonly string[];

const LETTERS = new Set("áàâãäçéèêëíìîïñóòôõöúùûüßÁÀÂÃÄÇÉÈÊËÍÌÎÏÑÓÒÔÕÖÚÙÛÜ");
const SIGNS = new Set("ªº°“”‘’´–—…•·€£§«»¿¡®™©²³½¼");
const APOSTROPHES = new Set("’´");
/** Letters that are words by themselves. */
const WORDS = new Set("éÉàÀóÓ");

const ALL_BYTES = Uint8Array.from({ length: 256 }, (_, byte) => byte);
export const WINDOWS: CodePage = [...decodeWindows(ALL_BYTES)];
/** What else western spreadsheets with one byte a character are written in: old Macs, and DOS. */
const RIVALS: readonly CodePage[] = [[...new TextDecoder("macintosh").decode(ALL_BYTES)], dosCodePage()];

function makesSense(page: CodePage, [before, byte, after]: readonly [number, number, number]): boolean {
  const character = page[byte] ?? "";
  if (LETTERS.has(character)) return isLetterInPlace(page, [before, byte, after]);
  if (character === "\u00a0" || APOSTROPHES.has(character)) return true;
  return SIGNS.has(character) && !(isLetter(page[before]) && isLetter(page[after]));
}

/** `Ávila`, `JOÃO` and `é`, but not `çLVARO` or `maÁ`. */
function isLetterInPlace(page: CodePage, [before, byte, after]: readonly [number, number, number]): boolean {
  const character = page[byte] ?? "";
  if (!LETTERS.has(character)) return false;
  const isAlone = !isLetter(page[before]) && !isLetter(page[after]);
  if (isAlone) return WORDS.has(character);
  const isLower = character === character.toLowerCase();
  return isLower ? !isUpperCase(page[after]) : !isLowerCase(page[before]);
}

function isLetter(character = ""): boolean {
  return /^\p{L}$/u.test(character);
}

function isUpperCase(character = ""): boolean {
  return /^\p{Lu}$/u.test(character);
}

function isLowerCase(character = ""): boolean {
  return /^\p{Ll}$/u.test(character);
}

/** Code page 850, of which only the letters matter here. */
function dosCodePage(): CodePage {
  const page = Array.from({ length: 256 }, (_, byte) => (byte < 0x80 ? String.fromCharCode(byte) : ""));
  const runs: readonly [number, string][] = [
    [0x80, "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø"],
    [0xa0, "áíóúñÑ"],
    [0xb5, "ÁÂÀ"],
    [0xc6, "ãÃ"],
    [0xd2, "ÊËÈ"],
    [0xd6, "ÍÎÏ"],
    [0xde, "Ì"],
    [0xe0, "ÓßÔÒõÕ"],
    [0xe9, "ÚÛÙ"],
  ];
  for (const [start, letters] of runs)
    for (const [i, letter] of [...letters].entries()) page[start + i] = letter;
  return page;
}
