import type { Actor } from "../../core/actor.ts";
import { instantText } from "../../core/clock.ts";
import type { KeptRequest } from "../../core/stored-answer.ts";
import type { Database } from "../../db/database.ts";
import { retried } from "../../db/retry.ts";
import { isDeadlock } from "../../db/statement-errors.ts";
import { type LockedOrganization, lockForWrite, shareOrganization } from "../contract-status/queries.ts";
import { applyDueWithin, zoneOf } from "../due-changes/due-changes.ts";
import { unknownOrganization } from "../organizations/rules.ts";
import { dateIn, type Zone } from "../recurrence/zones.ts";

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
  /** Stored with the audit entry, so that a repeat is answered by it. */
  readonly request?: KeptRequest | undefined;
}

/** How often a write is begun that meets another one in a deadlock. */
const TRIES = 3;

/** Runs an operation on an organization, whose row is locked before anything of its own. */
export function exclusiveTransaction<Result>(
  { db, organizationId }: WriteCall,
  work: (open: OpenOrganization) => Promise<Result>,
): Promise<Result> {
  return retried(TRIES, isDeadlock, () =>
    db.transaction(async (tx) => {
      const [organization, now] = await Promise.all([lockForWrite(tx, organizationId), tx.now()]);
      if (!organization) throw unknownOrganization();
      await applyDueWithin(tx, organization);
      return work(opened(tx, organization, now));
    }),
  );
}

/**
 * As `exclusiveTransaction`, beside others of the same kind: for operations that lock each row that they decide by. Those who
 * have the organization for themselves, who change contracts, schedules or the catalog, wait for these and these for them.
 * If something is due, it is applied first, which nobody can do beside others.
 */
export function sharedTransaction<Result>(
  call: WriteCall,
  work: (open: OpenOrganization) => Promise<Result>,
): Promise<Result> {
  const { db, organizationId } = call;
  return retried(TRIES, isDeadlock, async () => {
    const shared = await db.transaction(async (tx) => {
      const [organization, now] = await Promise.all([shareOrganization(tx, organizationId), tx.now()]);
      if (!organization) throw unknownOrganization();
      const { dueAt } = organization;
      if (dueAt !== undefined && Date.parse(dueAt) <= now) return undefined;
      return { result: await work(opened(tx, organization, now)) };
    });
    return shared ? shared.result : exclusiveTransaction(call, work);
  });
}

function opened(tx: Database, organization: LockedOrganization, now: number): OpenOrganization {
  const zone = zoneOf(organization.timezone);
  const today = dateIn(zone.name, now);
  return { tx, organization, organizationId: organization.id, zone, now, at: instantText(now), today };
}
