import { MAX_DEPTH } from "./limits.ts";

/** A place in a text, as editors count: both from 1, columns in characters. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/**
 * Where a text stops being JSON that is read: where it goes deeper than `MAX_DEPTH`, or has more values, nobody reads on. `JSON.parse` tells that in some releases and for some faults, and else repeats a piece of
 * the text, which may be somebody's data.
 */
export function findJsonBreak(text: string, maxValues: number): TextPosition {
  const offset = breakOffset(text, maxValues);
  let line = 1;
  let column = 1;
  for (let at = 0; at < offset; at++) {
    const code = text.charCodeAt(at);
    if (code === LINE_FEED) {
      line++;
      column = 1;
    } else if (code < 0xdc00 || code > 0xdfff) {
      // Not the second half of a character that has two.
      column++;
    }
  }
  return { line, column };
}

// Codes instead of characters, and no expression for each value: nobody is answered while a megabyte is looked through.
const LINE_FEED = 0x0a;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
/** Brackets and braces differ by this bit alone. */
const BRACE = 0x20;
const OPENING = 0x7b;
const CLOSING = 0x7d;
/** From an opening bracket or brace to its closing one. */
const TO_CLOSING = 2;

type JsonExpectation = "value" | "value or ]" | "name" | "name or }" | ":" | ", or end";

function breakOffset(text: string, maxValues: number): number {
  let values = 0;
  const open: number[] = [];
  /** What closes the innermost list or object; 0 outside of all. */
  let closing = 0;
  let expected = "value" as JsonExpectation;
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (isSpace(code)) {
      at++;
    } else if (
      code === closing &&
      (expected === ", or end" || expected === "value or ]" || expected === "name or }")
    ) {
      closing = open.pop() ?? 0;
      expected = ", or end";
      at++;
    } else if (expected === ", or end") {
      if (code !== COMMA || closing === 0 || ++values > maxValues) return at;
      expected = closing === CLOSING ? "name" : "value";
      at++;
    } else if (expected === ":") {
      if (code !== COLON) return at;
      expected = "value";
      at++;
    } else if (code === QUOTE) {
      const end = stringEnd(text, at);
      if (end < 0) return -end;
      expected = expected === "value" || expected === "value or ]" ? ", or end" : ":";
      at = end;
    } else if (expected === "name" || expected === "name or }") {
      return at;
    } else if ((code | BRACE) === OPENING) {
      if (open.push(closing) > MAX_DEPTH || ++values > maxValues) return at;
      closing = code + TO_CLOSING;
      expected = closing === CLOSING ? "name or }" : "value or ]";
      at++;
    } else {
      const end = literalEnd(text, at);
      if (end === at) return at;
      expected = ", or end";
      at = end;
    }
  }
  return text.length;
}

function isSpace(code: number): boolean {
  return code === SPACE || code === LINE_FEED || code === 0x0d || code === 0x09;
}

/** The end of the string that begins here; negative if it breaks there. */
function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code < SPACE) return -at;
    if (code !== BACKSLASH) continue;
    const letter = text[at + 1] ?? "";
    if (letter === "u" && isHex(text, at + 2, at + 6)) at += 5;
    else if (letter !== "" && '"\\/bfnrt'.includes(letter)) at++;
    else return -at;
  }
  return -text.length;
}

function isHex(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    const letter = code | 0x20;
    // Beyond the end there is no code: nothing holds of it.
    if (!(isDigit(code) || (letter >= 0x61 && letter <= 0x66))) return false;
  }
  return true;
}

/** The end of the word or number that begins here; its beginning if none does. */
function literalEnd(text: string, start: number): number {
  const word = WORDS.find((one) => text.startsWith(one, start));
  if (word !== undefined) return start + word.length;
  const first = text.charCodeAt(start) === MINUS ? start + 1 : start;
  const whole = text.charCodeAt(first) === ZERO ? first + 1 : digitsEnd(text, first);
  if (whole === first) return start;
  const fraction = text[whole] === "." ? digitsEnd(text, whole + 1) : whole;
  const end = fraction > whole + 1 ? fraction : whole;
  if (text[end] !== "e" && text[end] !== "E") return end;
  const sign = text[end + 1];
  const exponent = end + (sign === "+" || sign === "-" ? 2 : 1);
  const last = digitsEnd(text, exponent);
  return last > exponent ? last : end;
}

const WORDS = ["true", "false", "null"];

function digitsEnd(text: string, start: number): number {
  let at = start;
  while (isDigit(text.charCodeAt(at))) at++;
  return at;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= 0x39;
}
