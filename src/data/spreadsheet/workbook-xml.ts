import sax from "sax";
import type { Effort } from "../../core/effort.ts";
import { refuse } from "./languages/problems.ts";

export type Attributes = Readonly<Record<string, string>>;

/** Names come without their prefix: `c` for `x:c`. */
export interface XmlHandlers {
  open?(name: string, attributes: Attributes): void;
  close?(name: string): void;
  /** A long text comes in pieces. */
  text?(text: string): void;
}

const MAX_DEPTH = 64;
/** No element of a workbook has more. Those of one tag are held until it ends. */
const MAX_ATTRIBUTES = 100;
/** What is parsed in one go: a row of 16,384 cells can be written in 30 characters. */
const PARSED_CHARACTERS = 1024;
/** What a piece of plain text takes, in steps; every tag takes one more. */
const PIECE_STEPS = 20;

/** Reads XML a piece at a time; yields after each, so that what the handlers have gathered can be passed on. */
export async function* readXml(
  chunks: AsyncIterable<Uint8Array>,
  handlers: XmlHandlers,
  effort: Effort,
): AsyncGenerator<void> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  // Only with positions it looks after its buffers: an attribute without an end would fill the memory.
  const parser = sax.parser(true, { position: true });
  let isDamaged = false;
  let depth = 0;
  let attributesOfTag = 0;
  parser.onerror = () => {
    isDamaged = true;
  };
  // A workbook has no document type; what is declared in one is only of use to an attacker.
  parser.ondoctype = () => {
    isDamaged = true;
  };
  parser.onattribute = () => {
    if (++attributesOfTag > MAX_ATTRIBUTES) throw refuse({ code: "workbook_damaged", params: {} });
  };
  parser.onopentag = ({ name, attributes }) => {
    attributesOfTag = 0;
    effort.spend();
    if (++depth > MAX_DEPTH) isDamaged = true;
    else handlers.open?.(localName(name), attributes as Attributes);
  };
  parser.onclosetag = (name) => {
    depth--;
    handlers.close?.(localName(name));
  };
  parser.ontext = (text) => handlers.text?.(text);
  parser.oncdata = (text) => handlers.text?.(text);
  const decode = (chunk?: Uint8Array) => {
    try {
      return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode();
    } catch {
      throw refuse({ code: "workbook_damaged", params: {} });
    }
  };
  for await (const chunk of chunks) {
    const text = decode(chunk);
    for (let at = 0; at < text.length; at += PARSED_CHARACTERS) {
      parser.write(text.slice(at, at + PARSED_CHARACTERS));
      if (isDamaged) throw refuse({ code: "workbook_damaged", params: {} });
      effort.spend(PIECE_STEPS);
      if (effort.isDue) await effort.pause();
      yield;
    }
  }
  parser.write(decode()).close();
  if (isDamaged) throw refuse({ code: "workbook_damaged", params: {} });
  yield;
}

/** Reads a small part to its end. */
export async function readXmlWhole(
  chunks: AsyncIterable<Uint8Array>,
  handlers: XmlHandlers,
  effort: Effort,
): Promise<void> {
  const parts = readXml(chunks, handlers, effort);
  while (!(await parts.next()).done);
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}
