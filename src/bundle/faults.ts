import { AppError } from "../core/errors.ts";
import type { Kind } from "./schema.ts";

interface LineFault {
  readonly line: number;
  readonly kind?: Kind;
  /** The member at fault, as the API names it: `locationIds[1]`. */
  readonly place?: string;
  readonly message: string;
}

const MAX_FAULTS = 100;

/** The faults of a bundle, told all at once and in the order of its lines. */
export class Faults {
  readonly #faults: LineFault[] = [];
  /** How a line is called: `line 12`. */
  readonly nameLine: (line: number) => string;

  constructor(nameLine = (line: number) => `line ${line}`) {
    this.nameLine = nameLine;
  }

  /** Whether no more need to be looked for. */
  get isFull(): boolean {
    return this.#faults.length >= MAX_FAULTS;
  }

  add(fault: LineFault): void {
    this.#faults.push(fault);
  }

  /** Throws if there are faults: `line 12: client: idDocument.value` is where, and the message what. */
  throwAny(): void {
    if (this.#faults.length === 0) return;
    const inOrder = [...this.#faults].sort((a, b) => a.line - b.line);
    const faults = inOrder.slice(0, MAX_FAULTS).map(({ line, kind, place, message }) => ({
      location: [this.nameLine(line), kind, place].filter(Boolean).join(": "),
      message,
    }));
    throw new AppError("invalid", sentence(faults.length, this.isFull), { faults });
  }
}

function sentence(count: number, isFull: boolean): string {
  if (count === 1) return "The file has 1 fault; nothing was imported.";
  const more = isFull ? " or more, of which these are listed" : "";
  return `The file has ${count} faults${more}; nothing was imported.`;
}
