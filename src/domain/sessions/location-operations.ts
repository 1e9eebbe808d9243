import { refuseFaults } from "../../core/errors.ts";
import type { Static } from "../../core/fields.ts";
import { NO_CHANGES } from "../../core/written.ts";
import { keepWallClocks } from "../calendar/wall-clocks.ts";
import { changeLocation } from "../locations/operations.ts";
import { checkLocationMembers } from "../locations/rules.ts";
import type { CloseLocation, EditLocation, Location, NameLocation } from "../locations/schema.ts";
import { zoneOfLocation } from "../recurrence/zones.ts";
import { moveClaims, refuseClaimedClasses } from "../resources/claims.ts";
import { exclusiveWrite, type Outcome } from "../writes/recorded-write.ts";
import { withdrawSessions } from "./withdrawing.ts";

/**
 * Another name, address or timezone. With another timezone all wall clocks stay as they were agreed with people:
 * the class at seven is at seven on the new clock, so the instants of its sessions move.
 */
export const editLocation = exclusiveWrite(
  "editLocation",
  async (open, { locationId, changes }: Static<typeof EditLocation>): Promise<Outcome<Location>> => {
    refuseFaults(checkLocationMembers(changes, "body.changes"));
    return changeLocation(open, locationId, {
      change: ({ address, ...location }) => {
        const wanted = changes.address === undefined ? address : changes.address;
        const { name = location.name, timezone = location.timezone } = changes;
        return { ...location, name, timezone, ...(wanted ? { address: wanted } : {}) };
      },
      follow: async (before, after) => {
        if (after.timezone !== before.timezone) {
          await keepWallClocks(open.tx, open.organizationId, after);
          const resourceIds = await moveClaims(open, after.id, zoneOfLocation(after.timezone));
          // Its classes are at other instants, and elsewhere the claims that moved may meet some.
          await refuseClaimedClasses(open, { locationId: after.id, resourceIds });
        }
        return NO_CHANGES;
      },
    });
  },
);

/** Its schedules produce no sessions any more, and its stored sessions that have not begun are cancelled. */
export const closeLocation = exclusiveWrite(
  "closeLocation",
  async (
    open,
    { locationId, cancelBooked = false }: Static<typeof CloseLocation>,
  ): Promise<Outcome<Location>> => {
    return changeLocation(open, locationId, {
      change: (location) => ({ ...location, status: "closed" }),
      follow: ({ id }) => withdrawSessions(open, { locationId: id }, cancelBooked),
    });
  },
);

/** Its schedules produce sessions again; refused if a class among them has a resource that was claimed meanwhile. */
export const reopenLocation = exclusiveWrite(
  "reopenLocation",
  async (open, { locationId }: Static<typeof NameLocation>): Promise<Outcome<Location>> => {
    return changeLocation(open, locationId, {
      change: (location) => ({ ...location, status: "active" }),
      follow: async ({ id }) => {
        await refuseClaimedClasses(open, { locationId: id });
        return NO_CHANGES;
      },
    });
  },
);
