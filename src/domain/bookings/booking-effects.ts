import type { ChangeCounts } from "../../core/written.ts";
import type { OpenOrganization } from "../writes/transactions.ts";
import { touchContracts } from "./charge-queries.ts";

/**
 * What a write to bookings leaves on the API: seats of sessions and balances of contracts. Gathered while it is carried
 * out, so that each version and each `updatedAt` moves once, however many bookings it touched.
 */
export class BookingEffects {
  readonly sessionIds = new Set<string>();
  readonly contractIds = new Set<string>();
  bookings = 0;
  creditsReturned = 0;
  promoted = 0;

  get counts(): ChangeCounts {
    const { bookings, creditsReturned, promoted } = this;
    return {
      contracts: this.contractIds.size,
      sessions: this.sessionIds.size,
      bookings,
      creditsReturned,
      promoted,
    };
  }

  /** Takes in what a part of the write left. */
  add(part: BookingEffects): void {
    for (const id of part.sessionIds) this.sessionIds.add(id);
    for (const id of part.contractIds) this.contractIds.add(id);
    this.bookings += part.bookings;
    this.creditsReturned += part.creditsReturned;
    this.promoted += part.promoted;
  }

  /** Stores what the API shows of it. */
  async store({ tx, organizationId, at }: OpenOrganization): Promise<void> {
    await touchContracts(tx, organizationId, [...this.contractIds], at);
  }
}
