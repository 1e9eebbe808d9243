import { dateIn, type Zone } from "../calendar/zones.ts";
import { instantText } from "../core/clock.ts";
import { notFound } from "../core/errors.ts";
import type { Database } from "../db/database.ts";
import { isDeadlock } from "../db/statement-errors.ts";
import { type LockedOrganization, lockToSettle } from "./course-queries.ts";
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
export async function inOrganization<Result>(
  db: Database,
  organizationId: string,
  work: (open: OpenOrganization) => Promise<Result>,
): Promise<Result> {
  const run = () =>
    db.transaction(async (tx) => {
      const now = await tx.now();
      const organization = await lockToSettle(tx, organizationId);
      if (!organization) throw notFound("There is no organization with this id.");
      await settleWithin(tx, organization);
      const zone = zoneOf(organization.timezone);
      const today = dateIn(zone.name, now);
      return work({ tx, organization, organizationId, zone, now, at: instantText(now), today });
    });
  for (let tries = 1; tries < TRIES; tries++) {
    try {
      return await run();
    } catch (error) {
      if (!isDeadlock(error)) throw error;
    }
  }
  return run();
}
