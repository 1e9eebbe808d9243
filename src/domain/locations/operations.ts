import { isDeepStrictEqual } from "node:util";
import { requireEverywhere } from "../../core/actor.ts";
import { differences } from "../../core/differences.ts";
import { refusal, refuseFaults } from "../../core/errors.ts";
import type { Static } from "../../core/fields.ts";
import { newId } from "../../core/ids.ts";
import { refuseIfUsed } from "../../core/references.ts";
import { type ChangeCounts, countedChanges, NO_CHANGES } from "../../core/written.ts";
import { exclusiveWrite, type OpenWrite, type Outcome } from "../writes/recorded-write.ts";
import {
  countLocationUses,
  deleteLocationRow,
  insertLocation,
  lockLocation,
  updateLocation,
} from "./queries.ts";
import { checkLocationMembers } from "./rules.ts";
import type { AddLocation, Location, NameLocation } from "./schema.ts";

/** A new location; it is open. */
export const addLocation = exclusiveWrite(
  "addLocation",
  async (
    { tx, now, actor, organizationId },
    { name, address, timezone }: Static<typeof AddLocation>,
  ): Promise<Outcome<Location>> => {
    refuseFaults(checkLocationMembers({ timezone }, "body"));
    requireEverywhere(actor);
    const made: Location = {
      id: newId(now),
      name,
      ...(address ? { address } : {}),
      status: "active",
      timezone,
    };
    const result = await insertLocation(tx, organizationId, made, now);
    return {
      result,
      entry: {
        subject: result.id,
        details: { name, timezone },
      },
    };
  },
);

/** Deletes a location that nothing refers to. */
export const deleteLocation = exclusiveWrite(
  "deleteLocation",
  async (
    { tx, actor, organizationId },
    { locationId }: Static<typeof NameLocation>,
  ): Promise<Outcome<{ readonly id: string }>> => {
    const location = await lockLocation(tx, organizationId, locationId, "delete");
    if (!location) throw refusal("no_location");
    requireEverywhere(actor);
    refuseIfUsed(await countLocationUses(tx, organizationId, location.id));
    await deleteLocationRow(tx, organizationId, location.id);
    return {
      result: { id: location.id },
      entry: {
        subject: location.id,
        details: { name: location.name },
      },
    };
  },
);

export interface LocationChange {
  readonly change: (location: Location) => Location;
  /** What else is written, once the location is. */
  readonly follow?: (before: Location, after: Location) => Promise<ChangeCounts>;
}

/** What leaves the location as it is moves no version. */
export async function changeLocation(
  open: OpenWrite,
  locationId: string,
  { change, follow }: LocationChange,
): Promise<Outcome<Location>> {
  // Whoever writes a calendar holds the organization, too: nobody stores an instant by the old clock meanwhile.
  const { tx, actor, organizationId } = open;
  const before = await lockLocation(tx, organizationId, locationId);
  if (!before) throw refusal("no_location");
  requireEverywhere(actor);
  const after = change(before);
  const isSame = isDeepStrictEqual({ ...after }, { ...before });
  const result = isSame ? before : await updateLocation(tx, organizationId, after);
  const changes = isSame || !follow ? NO_CHANGES : await follow(before, after);
  const details = { ...differences(before, after), ...countedChanges(changes) };
  return { result, changes, entry: { subject: before.id, details } };
}
