import { isDeepStrictEqual } from "node:util";
import { type AuditAction, recordAudit } from "../audit/queries.ts";
import { keepWallClocks } from "../calendar/wall-clocks.ts";
import { notFound } from "../core/errors.ts";
import { newId } from "../core/ids.ts";
import type { Database } from "../db/database.ts";
import { lockOrganization } from "../organizations/queries.ts";
import { insertLocation, lockLocation, updateLocation } from "./queries.ts";
import type { Location } from "./schema.ts";

export interface NewLocation {
  readonly name: string;
  readonly address?: string | undefined;
  /** That of the organization unless given. */
  readonly timezone?: string | undefined;
}

/** A new location; it is open. */
export async function addLocation(
  db: Database,
  actor: string,
  organizationId: string,
  given: NewLocation,
): Promise<Location> {
  return db.transaction(async (tx) => {
    const organization = await lockOrganization(tx, organizationId);
    if (!organization) throw notFound("There is no organization with this id.");
    const { name, address, timezone = organization.timezone } = given;
    const now = await tx.now();
    const made: Location = {
      id: newId(now),
      name,
      ...(address !== undefined && { address }),
      status: "active",
      timezone,
    };
    const location = await insertLocation(tx, organizationId, made, now);
    await recordAudit(tx, actor, {
      action: "location.create",
      organizationId,
      subject: location.id,
      details: { name, timezone },
    });
    return location;
  });
}

export interface LocationChange {
  readonly name?: string;
  /** An empty one takes it away. */
  readonly address?: string;
  readonly timezone?: string;
}

/**
 * Another name, address or timezone. With another timezone all wall clocks stay as they were agreed with people:
 * the class at seven is at seven on the new clock, so the instants of its sessions move.
 */
export async function editLocation(
  db: Database,
  actor: string,
  organizationId: string,
  id: string,
  change: LocationChange,
): Promise<Location> {
  return changeLocation(db, actor, organizationId, id, "location.change", ({ address, ...location }) => {
    const wanted = change.address ?? address;
    const { name = location.name, timezone = location.timezone } = change;
    return { ...location, name, timezone, ...(wanted ? { address: wanted } : {}) };
  });
}

/** Its schedules produce no sessions any more; stored sessions still show. */
export async function closeLocation(
  db: Database,
  actor: string,
  organizationId: string,
  id: string,
): Promise<Location> {
  return changeLocation(db, actor, organizationId, id, "location.close", (location) => ({
    ...location,
    status: "closed",
  }));
}

/** Its schedules produce sessions again. */
export async function reopenLocation(
  db: Database,
  actor: string,
  organizationId: string,
  id: string,
): Promise<Location> {
  return changeLocation(db, actor, organizationId, id, "location.reopen", (location) => ({
    ...location,
    status: "active",
  }));
}

/** What leaves the location as it is moves no version and is not recorded. */
async function changeLocation(
  db: Database,
  actor: string,
  organizationId: string,
  id: string,
  action: AuditAction,
  change: (location: Location) => Location,
): Promise<Location> {
  return db.transaction(async (tx) => {
    // Whoever writes a calendar holds it, too: nobody stores an instant by the old clock meanwhile.
    await lockOrganization(tx, organizationId);
    const before = await lockLocation(tx, organizationId, id);
    if (!before) throw notFound("The organization has no location with this id.");
    const after = change(before);
    if (isDeepStrictEqual({ ...after }, { ...before })) return before;
    const location = await updateLocation(tx, organizationId, after);
    if (after.timezone !== before.timezone) await keepWallClocks(tx, organizationId, after);
    await recordAudit(tx, actor, {
      action,
      organizationId,
      subject: id,
      details: differences(before, after),
    });
    return location;
  });
}

function differences(before: Location, after: Location): Record<string, unknown> {
  const names = ["name", "address", "timezone"] as const;
  return Object.fromEntries(
    names.flatMap((name) => (before[name] === after[name] ? [] : [[name, after[name] ?? ""]])),
  );
}
