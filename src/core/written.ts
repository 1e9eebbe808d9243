import type { UndoableEntry } from "./undo.ts";

/** What a write of the staff application changed, counted: shown before it is carried out, and answered afterwards. */
export interface ChangeCounts {
  readonly contracts: number;
  readonly sessions: number;
  readonly bookings: number;
  readonly creditsReturned: number;
  readonly promoted: number;
}

export const NO_CHANGES: ChangeCounts = {
  contracts: 0,
  sessions: 0,
  bookings: 0,
  creditsReturned: 0,
  promoted: 0,
};

/** What of these is not zero: what an audit entry says of them. */
export function countedChanges(changes: ChangeCounts): Partial<ChangeCounts> {
  return Object.fromEntries(Object.entries(changes).filter(([, count]) => count > 0));
}

/** A write that was carried out: its audit entry, the record as it is now, and what changed. */
export interface Written<Result> {
  readonly entry: UndoableEntry;
  readonly result: Result;
  readonly changes: ChangeCounts;
  /** Whether the request that asked for it is stored with the entry. */
  readonly isKept?: boolean;
}
