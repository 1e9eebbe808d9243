import sax from "sax";
import { refuse } from "./problems.ts";

export type Attributes = Readonly<Record<string, string>>;

/** Names come without their prefix: `c` for `x:c`. */
export interface XmlHandlers {
  open?(name: string, attributes: Attributes): void;
  close?(name: string): void;
  /** A long text comes in pieces. */
  text?(text: string): void;
}

const MAX_DEPTH = 64;

/** Reads XML a chunk at a time; yields after each, so that what the handlers have gathered can be passed on. */
export async function* readXml(
  chunks: AsyncIterable<Uint8Array>,
  handlers: XmlHandlers,
): AsyncGenerator<void> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const parser = sax.parser(true, { position: false });
  let isDamaged = false;
  let depth = 0;
  parser.onerror = () => {
    isDamaged = true;
  };
  // A workbook has no document type; what is declared in one is only of use to an attacker.
  parser.ondoctype = () => {
    isDamaged = true;
  };
  parser.onopentag = ({ name, attributes }) => {
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
    parser.write(decode(chunk));
    if (isDamaged) throw refuse({ code: "workbook_damaged", params: {} });
    yield;
  }
  parser.write(decode()).close();
  if (isDamaged) throw refuse({ code: "workbook_damaged", params: {} });
  yield;
}

/** Reads a small part to its end. */
export async function readXmlWhole(chunks: AsyncIterable<Uint8Array>, handlers: XmlHandlers): Promise<void> {
  const parts = readXml(chunks, handlers);
  while (!(await parts.next()).done);
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}
