import { AppError } from "../../core/errors.ts";
import type { Fault, FaultContent } from "../../core/faults.ts";
import { MAX_FAULTS } from "../../core/limits.ts";
import type { Kind } from "./schema.ts";

/** One thing that is wrong with a line of a file. */
export type LineFault = FaultContent & {
  readonly line: number;
  readonly kind?: Kind;
  /** The invalid member, as the API names it: `locationIds[1]`. */
  readonly place?: string;
};

/** The import that was refused for faults of the file; nothing was written. */
export class ImportRefused extends AppError {
  readonly lineFaults: readonly LineFault[];

  constructor(lineFaults: readonly LineFault[], isFull: boolean) {
    super("invalid", sentence(lineFaults.length, isFull), {
      faults: lineFaults.map(toFault),
    });
    this.lineFaults = lineFaults;
  }
}

/** The faults of a file, reported all at once and in the order of its lines. */
export class Faults {
  readonly #faults: LineFault[] = [];

  /** Whether no more need to be looked for. */
  get isFull(): boolean {
    return this.#faults.length >= MAX_FAULTS;
  }

  add(fault: LineFault): void {
    this.#faults.push(fault);
  }

  /** Adds what the rules of records say of a line. */
  addAll(line: number, kind: Kind, faults: readonly Fault[]): void {
    for (const { location, ...content } of faults) this.add({ line, kind, place: location, ...content });
  }

  throwAny(): void {
    if (this.#faults.length === 0) return;
    const inOrder = [...this.#faults].sort((a, b) => a.line - b.line);
    throw new ImportRefused(inOrder.slice(0, MAX_FAULTS), this.isFull);
  }
}

/** `line 12: client: idDocument.value` is where. */
function toFault({ line, kind, place, ...content }: LineFault): Fault {
  return { location: [`line ${line}`, kind, place].filter(Boolean).join(": "), ...content };
}

function sentence(count: number, isFull: boolean): string {
  if (count === 1) return "The file has 1 fault; nothing was imported.";
  const more = isFull ? " or more, of which these are listed" : "";
  return `The file has ${count} faults${more}; nothing was imported.`;
}
