import { dateIn, type Zone } from "../calendar/zones.ts";
import { instantText } from "../core/clock.ts";
import type { Database } from "../db/database.ts";
import { isDeadlock } from "../db/statement-errors.ts";
import { unknownOrganization } from "../organizations/rules.ts";
import { type LockedOrganization, lockToSettle, shareOrganization } from "./course-queries.ts";
import { settleWithin, zoneOf } from "./settling.ts";

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

/** How often a write is begun again that met another one crosswise. */
const TRIES = 3;

/** Runs an operation on an organization, whose row is locked before anything of its own. */
export function inOrganization<Result>(
  db: Database,
  organizationId: string,
  work: (open: OpenOrganization) => Promise<Result>,
): Promise<Result> {
  return begunAgain(() =>
    db.transaction(async (tx) => {
      const organization = await lockToSettle(tx, organizationId);
      if (!organization) throw unknownOrganization();
      await settleWithin(tx, organization);
      return work(await opened(tx, organization));
    }),
  );
}

/**
 * As `inOrganization`, beside others of the same kind: for operations that lock each row that they decide by. Those who
 * have the organization for themselves, who change contracts, schedules or the catalog, wait for these and these for them.
 * If something is due, it is settled first, which nobody can do beside others.
 */
export function besideOthers<Result>(
  db: Database,
  organizationId: string,
  work: (open: OpenOrganization) => Promise<Result>,
): Promise<Result> {
  return begunAgain(async () => {
    const shared = await db.transaction(async (tx) => {
      const organization = await shareOrganization(tx, organizationId);
      if (!organization) throw unknownOrganization();
      const { dueAt } = organization;
      if (dueAt !== undefined && Date.parse(dueAt) <= (await tx.now())) return undefined;
      return { result: await work(await opened(tx, organization)) };
    });
    return shared ? shared.result : inOrganization(db, organizationId, work);
  });
}

async function opened(tx: Database, organization: LockedOrganization): Promise<OpenOrganization> {
  const now = await tx.now();
  const zone = zoneOf(organization.timezone);
  const today = dateIn(zone.name, now);
  return { tx, organization, organizationId: organization.id, zone, now, at: instantText(now), today };
}

async function begunAgain<Result>(run: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; tries < TRIES; tries++) {
    try {
      return await run();
    } catch (error) {
      if (!isDeadlock(error)) throw error;
    }
  }
  return run();
}
