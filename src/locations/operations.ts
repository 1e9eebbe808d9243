import { isDeepStrictEqual } from "node:util";
import { type AuditAction, recordAudit } from "../audit/queries.ts";
import { keepWallClocks } from "../calendar/wall-clocks.ts";
import { withdrawSessions } from "../calendar/withdrawing.ts";
import { zoneOfLocation } from "../calendar/zones.ts";
import { inOrganization, type OpenOrganization } from "../contracts/open-organization.ts";
import { type Actor, requireEverywhere } from "../core/actor.ts";
import { differences } from "../core/differences.ts";
import { refusal, refuseFaults } from "../core/errors.ts";
import type { Static } from "../core/fields.ts";
import { newId } from "../core/ids.ts";
import { refuseIfUsed } from "../core/uses.ts";
import { type ChangeCounts, countedChanges, NO_CHANGES, type Written } from "../core/written.ts";
import type { Database } from "../db/database.ts";
import { moveClaims } from "../resources/claims.ts";
import {
  countLocationUses,
  deleteLocationRow,
  insertLocation,
  lockLocation,
  updateLocation,
} from "./queries.ts";
import { checkLocationMembers } from "./rules.ts";
import type { AddLocation, CloseLocation, EditLocation, Location, NameLocation } from "./schema.ts";

/** A new location; it is open. */
export async function addLocation(
  db: Database,
  actor: Actor,
  organizationId: string,
  { name, address, timezone }: Static<typeof AddLocation>,
): Promise<Written<Location>> {
  refuseFaults(checkLocationMembers({ timezone }, "body"));
  return inOrganization(db, organizationId, async ({ tx, now }) => {
    requireEverywhere(actor);
    const made: Location = {
      id: newId(now),
      name,
      ...(address ? { address } : {}),
      status: "active",
      timezone,
    };
    const result = await insertLocation(tx, organizationId, made, now);
    const auditId = await recordAudit(tx, actor.name, {
      action: "addLocation",
      organizationId,
      subject: result.id,
      details: { name, timezone },
    });
    return { auditId, result, changes: NO_CHANGES };
  });
}

/**
 * Another name, address or timezone. With another timezone all wall clocks stay as they were agreed with people:
 * the class at seven is at seven on the new clock, so the instants of its sessions move.
 */
export async function editLocation(
  db: Database,
  actor: Actor,
  organizationId: string,
  { locationId, changes }: Static<typeof EditLocation>,
): Promise<Written<Location>> {
  refuseFaults(checkLocationMembers(changes, "body.changes"));
  return changeLocation(db, actor, organizationId, locationId, {
    action: "editLocation",
    change: ({ address, ...location }) => {
      const wanted = changes.address === undefined ? address : changes.address;
      const { name = location.name, timezone = location.timezone } = changes;
      return { ...location, name, timezone, ...(wanted ? { address: wanted } : {}) };
    },
    follow: async (open, before, after) => {
      if (after.timezone !== before.timezone) {
        await keepWallClocks(open.tx, organizationId, after);
        await moveClaims(open, after.id, zoneOfLocation(after.timezone));
      }
      return NO_CHANGES;
    },
  });
}

/** Its schedules produce no sessions any more, and its stored sessions that have not begun are cancelled. */
export async function closeLocation(
  db: Database,
  actor: Actor,
  organizationId: string,
  { locationId, cancelBooked = false }: Static<typeof CloseLocation>,
): Promise<Written<Location>> {
  return changeLocation(db, actor, organizationId, locationId, {
    action: "closeLocation",
    change: (location) => ({ ...location, status: "closed" }),
    follow: (open, { id }, _, auditId) =>
      withdrawSessions(open, { locationId: id }, { cancelBooked, auditId }),
  });
}

/** Its schedules produce sessions again. */
export async function reopenLocation(
  db: Database,
  actor: Actor,
  organizationId: string,
  { locationId }: Static<typeof NameLocation>,
): Promise<Written<Location>> {
  return changeLocation(db, actor, organizationId, locationId, {
    action: "reopenLocation",
    change: (location) => ({ ...location, status: "active" }),
  });
}

/** Deletes a location that nothing refers to. */
export async function deleteLocation(
  db: Database,
  actor: Actor,
  organizationId: string,
  { locationId }: Static<typeof NameLocation>,
): Promise<Written<{ readonly id: string }>> {
  return inOrganization(db, organizationId, async ({ tx }) => {
    const location = await lockLocation(tx, organizationId, locationId, "delete");
    if (!location) throw refusal("no_location");
    requireEverywhere(actor);
    refuseIfUsed(await countLocationUses(tx, organizationId, location.id));
    await deleteLocationRow(tx, organizationId, location.id);
    const auditId = await recordAudit(tx, actor.name, {
      action: "deleteLocation",
      organizationId,
      subject: location.id,
      details: { name: location.name },
    });
    return { auditId, result: { id: location.id }, changes: NO_CHANGES };
  });
}

interface LocationChange {
  readonly action: AuditAction;
  readonly change: (location: Location) => Location;
  /** What else is written, once the location is. */
  readonly follow?: (
    open: OpenOrganization,
    before: Location,
    after: Location,
    auditId: string,
  ) => Promise<ChangeCounts>;
}

/** What leaves the location as it is moves no version. */
async function changeLocation(
  db: Database,
  actor: Actor,
  organizationId: string,
  locationId: string,
  { action, change, follow }: LocationChange,
): Promise<Written<Location>> {
  // Whoever writes a calendar holds the organization, too: nobody stores an instant by the old clock meanwhile.
  return inOrganization(db, organizationId, async (open) => {
    const { tx, now } = open;
    const before = await lockLocation(tx, organizationId, locationId);
    if (!before) throw refusal("no_location");
    requireEverywhere(actor);
    const after = change(before);
    const auditId = newId(now);
    const isSame = isDeepStrictEqual({ ...after }, { ...before });
    const result = isSame ? before : await updateLocation(tx, organizationId, after);
    const changes = isSame || !follow ? NO_CHANGES : await follow(open, before, after, auditId);
    await recordAudit(tx, actor.name, {
      id: auditId,
      action,
      organizationId,
      subject: before.id,
      details: { ...differences(before, after), ...countedChanges(changes) },
    });
    return { auditId, result, changes };
  });
}
