import type { Probe } from "./probe.ts";

/** One thing that must hold, with the words that demand it. */
export interface Check {
  /** `clients.search-case`: part of reports, and never renamed. */
  readonly id: string;
  readonly title: string;
  /** Where it is demanded: a section of the specification, or `details` for what the specification leaves open. */
  readonly source: Source;
  /** What is demanded, in the words of the source or shorter. */
  readonly says: string;
  /** Whether it creates, changes and archives clients. */
  readonly writes?: true;
  readonly run: (probe: Probe) => Promise<void>;
}

export type Source = "details" | `section ${number}`;

/** What came is not what must come. */
export class Deviation extends Error {}

/** There is nothing to look at: an organization without contracts says nothing of contracts. */
export class NothingToCheck extends Error {}

/** Fails the check unless something holds. */
export function demand(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Deviation(otherwise);
}

/** Ends the check unless there is something to look at. */
export function needs(isThere: boolean, what: string): asserts isThere {
  if (!isThere) throw new NothingToCheck(what);
}

/** Fails the check with all of these, if there are any. */
export function demandNone(deviations: readonly string[]): void {
  const shown = deviations.slice(0, 8);
  const more = deviations.length - shown.length;
  if (deviations.length > 0) throw new Deviation(shown.join("; ") + (more > 0 ? `; and ${more} more` : ""));
}
