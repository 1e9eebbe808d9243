import { AppError, type Fault, type FaultCode, type FaultParams } from "../core/errors.ts";
import { MAX_FAULTS } from "../core/limits.ts";
import type { Kind } from "./schema.ts";

/** What the rules of records have codes for, and what only a file can have wrong. */
export type LineFaultCode =
  | FaultCode
  | "unreadable"
  | "not_an_object"
  | "organization_repeated"
  | "id_repeated"
  | "document_repeated"
  | "document_held"
  | "slot_repeated"
  | "slot_held"
  | "reference_unknown";

/** One thing that is wrong with a line of a file: programs read the parts, people the words of `wordLineFault`. */
export interface LineFault {
  readonly line: number;
  readonly kind?: Kind;
  /** The invalid member, as the API names it: `locationIds[1]`. */
  readonly place?: string;
  readonly code: LineFaultCode;
  readonly params?: FaultParams;
  /** `{line}` in it stands for `otherLine`. */
  readonly message: string;
  /** The line that this one is in conflict with. */
  readonly otherLine?: number;
}

/** The import that was refused for faults of the file; nothing was written. */
export class ImportRefused extends AppError {
  readonly lineFaults: readonly LineFault[];

  constructor(lineFaults: readonly LineFault[], isFull: boolean) {
    super("invalid", sentence(lineFaults.length, isFull), {
      faults: lineFaults.map((fault) => wordLineFault(fault)),
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
    for (const { location, message, code = "invalid", params } of faults)
      this.add({ line, kind, place: location, code, message, ...(params && { params }) });
  }

  throwAny(): void {
    if (this.#faults.length === 0) return;
    const inOrder = [...this.#faults].sort((a, b) => a.line - b.line);
    throw new ImportRefused(inOrder.slice(0, MAX_FAULTS), this.isFull);
  }
}

/** `line 12: client: idDocument.value` is where, and the message what. `nameLine` says how a line is called. */
export function wordLineFault(
  { line, kind, place, message, otherLine }: LineFault,
  nameLine: (line: number) => string = (number) => `line ${number}`,
): Fault {
  return {
    location: [nameLine(line), kind, place].filter(Boolean).join(": "),
    message: wordMessage({ message, ...(otherLine !== undefined && { otherLine }) }, nameLine),
  };
}

/** What is wrong, without the place. */
export function wordMessage(
  { message, otherLine }: Pick<LineFault, "message" | "otherLine">,
  nameLine: (line: number) => string,
): string {
  return otherLine === undefined ? message : message.replace("{line}", nameLine(otherLine));
}

function sentence(count: number, isFull: boolean): string {
  if (count === 1) return "The file has 1 fault; nothing was imported.";
  const more = isFull ? " or more, of which these are listed" : "";
  return `The file has ${count} faults${more}; nothing was imported.`;
}
