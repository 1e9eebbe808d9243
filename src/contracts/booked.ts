import { type ChangeCounts, NO_CHANGES } from "../core/written.ts";
import type { Database } from "../db/database.ts";
import type { ReleasedDays } from "./changes.ts";

/** The contract whose bookings are asked about. Its row is not locked yet: sessions are locked before contracts. */
export interface BookedContract {
  readonly organizationId: string;
  readonly contractId: string;
}

/** What operations on contracts need of the bookings that draw on them. */
export interface ContractBookings {
  /** Whether anything was ever drawn. */
  hasDrawn(tx: Database, contract: BookedContract): Promise<boolean>;
  /** The first day of the span on which the client attended, if there is one. */
  findVisit(tx: Database, contract: BookedContract, days: ReleasedDays): Promise<string | undefined>;
  /**
   * Cancels what is booked on these days and has not begun by now: draws are returned, seats are free, the next in line
   * is promoted.
   */
  release(
    tx: Database,
    contract: BookedContract,
    days: ReleasedDays,
    now: number,
  ): Promise<Omit<ChangeCounts, "contracts">>;
}

/** For as long as nothing can be booked: no contract has been drawn on, and there is nothing to release. */
export const NOTHING_BOOKED: ContractBookings = {
  hasDrawn: async () => false,
  findVisit: async () => undefined,
  release: async () => NO_CHANGES,
};
