import type { Actor } from "../../core/actor.ts";
import { instantText } from "../../core/clock.ts";
import { reasonOf } from "../../core/reasons.ts";
import type { KeptRequest } from "../../core/stored-answer.ts";
import type { Database } from "../../db/database.ts";
import { pastDeadlocks } from "../../db/retry.ts";
import {
  type BegunTransaction,
  type LockedOrganization,
  lockForWrite,
  shareOrganization,
} from "../contract-status/queries.ts";
import { applyDueWithin, zoneOf } from "../due-changes/due-changes.ts";
import { unknownOrganization } from "../organizations/rules.ts";
import { dateIn, type Zone } from "../recurrence/zones.ts";

/**
 * The order of locks, so that writes wait for each other and not in a circle:
 *
 * 1. the organization: for itself alone, or shared with others who do not change contracts, schedules or the catalog;
 * 2. the client, the schedule, the session, all contracts of the client, the resources; of several in the order of their ids;
 * 3. what belongs to those, which nobody writes without them: bookings, entitlements, places in line, invoices, payments.
 *
 * What API keys write of clients does not ask for the organization: it locks the client, then the counters, and nothing after
 * them. The counters are in 16 rows, of which each write takes any; where two meet in a circle nevertheless, as when a seat
 * that comes free goes to another client, PostgreSQL ends one and it is begun again. `test/support/lock-order.ts` looks
 * in every test that nothing is locked before the organization.
 */

/** What an operation works in: one transaction, one instant, and an organization in which nothing is due. */
export interface OpenOrganization {
  readonly tx: Database;
  readonly organization: LockedOrganization;
  readonly organizationId: string;
  readonly zone: Zone;
  readonly now: number;
  /** The same as it is stored. */
  readonly at: string;
  /** The date now in the organization's timezone. */
  readonly today: string;
}

/** Who works in an organization. */
export interface WriteCall {
  readonly db: Database;
  readonly actor: Actor;
  readonly organizationId: string;
  /** How many records the organization may store, if it is near that; otherwise a write is not counted. */
  readonly maxRecords?: number | undefined;
  /**
   * Stored with the audit entry, so that a repeat is answered by it. With it `db` is the transaction that has claimed the key
   * of the request. The write has it for itself, and who began it begins it again after a deadlock.
   */
  readonly request?: KeptRequest | undefined;
}

/** The transaction of a write: that of its request, or one of its own. */
function inTransaction<Result>(
  { db, request }: WriteCall,
  work: (tx: Database) => Promise<Result>,
): Promise<Result> {
  return request ? work(db) : pastDeadlocks(() => db.transaction(work));
}

/** Runs an operation on an organization, whose row is locked before anything of its own. */
export function exclusiveTransaction<Result>(
  call: WriteCall,
  work: (open: OpenOrganization) => Promise<Result>,
): Promise<Result> {
  return inTransaction(call, async (tx) => {
    const begun = await lockForWrite(tx, call.organizationId, reasonOf(call.actor.name));
    if (!begun) throw unknownOrganization();
    await applyDueWithin(tx, begun);
    return work(opened(tx, begun));
  });
}

/**
 * As `exclusiveTransaction`, beside others of the same kind: for operations that lock each row that they decide by. Those who
 * have the organization for themselves, who change contracts, schedules or the catalog, wait for these and these for them.
 * If something is due, it is applied first, which nobody can do beside others.
 */
export async function sharedTransaction<Result>(
  call: WriteCall,
  work: (open: OpenOrganization) => Promise<Result>,
): Promise<Result> {
  const shared = await inTransaction(call, async (tx) => {
    const begun = await shareOrganization(tx, call.organizationId, reasonOf(call.actor.name));
    if (!begun) throw unknownOrganization();
    const { dueAt } = begun.organization;
    if (dueAt !== undefined && Date.parse(dueAt) <= begun.now) return undefined;
    return { result: await work(opened(tx, begun)) };
  });
  return shared ? shared.result : exclusiveTransaction(call, work);
}

function opened(tx: Database, { organization, now }: BegunTransaction): OpenOrganization {
  const zone = zoneOf(organization.timezone);
  const today = dateIn(zone.name, now);
  return { tx, organization, organizationId: organization.id, zone, now, at: instantText(now), today };
}
