import { unboundedEffort } from "../../core/effort.ts";
import type { Static } from "../../core/fields.ts";
import { NO_CHANGES } from "../../core/written.ts";
import { toLockedSession } from "../calendar/locked-session.ts";
import { lockComingSessions } from "../calendar/session-queries.ts";
import { claimResources, dropClaimsOfType, refuseClaimedClasses } from "../resources/claims.ts";
import { changeServiceType } from "../service-types/operations.ts";
import type {
  ArchiveServiceType,
  EditServiceType,
  NameServiceType,
  ServiceType,
} from "../service-types/schema.ts";
import { exclusiveWrite, type Outcome } from "../writes/recorded-write.ts";
import type { OpenOrganization } from "../writes/transactions.ts";
import { withdrawSessions } from "./withdrawing.ts";

/** Another name, description, or whether a booking takes the resource for itself. */
export const editServiceType = exclusiveWrite(
  "editServiceType",
  async (open, { serviceTypeId, changes }: Static<typeof EditServiceType>): Promise<Outcome<ServiceType>> => {
    return changeServiceType(open, serviceTypeId, {
      change: ({ description, ...content }) => {
        const wanted = changes.description === undefined ? description : changes.description;
        const { name = content.name, holdsResource = content.holdsResource } = changes;
        return { ...content, name, holdsResource, ...(wanted ? { description: wanted } : {}) };
      },
      follow: async ({ id, holdsResource: held }) => {
        if (!held && changes.holdsResource) await claimBooked(open, id);
        if (held && changes.holdsResource === false) {
          await dropClaimsOfType(open.tx, open.organizationId, id);
          await refuseClaimedClasses(open, { serviceTypeId: id });
        }
        return NO_CHANGES;
      },
    });
  },
);

/** Claims the resources of the sessions of a type, which holds them now, that are to come and have a seat taken. */
async function claimBooked(open: OpenOrganization, serviceTypeId: string): Promise<void> {
  const { tx, organizationId, now } = open;
  const sessions = await lockComingSessions(tx, organizationId, now, { serviceTypeId });
  const effort = unboundedEffort();
  for (const session of sessions) {
    if (session.bookedCount > 0) await claimResources(open, toLockedSession(session));
    if (effort.isDue) await effort.pause();
  }
}

/** Its schedules produce no sessions any more, and its stored sessions that have not begun are cancelled. */
export const archiveServiceType = exclusiveWrite(
  "archiveServiceType",
  async (
    open,
    { serviceTypeId, cancelBooked = false }: Static<typeof ArchiveServiceType>,
  ): Promise<Outcome<ServiceType>> => {
    return changeServiceType(open, serviceTypeId, {
      change: (content) => ({ ...content, status: "archived" }),
      follow: ({ id }) => withdrawSessions(open, { serviceTypeId: id }, cancelBooked),
    });
  },
);

/** Its schedules produce sessions again; refused if a class among them has a resource that was claimed meanwhile. */
export const restoreServiceType = exclusiveWrite(
  "restoreServiceType",
  async (open, { serviceTypeId }: Static<typeof NameServiceType>): Promise<Outcome<ServiceType>> => {
    return changeServiceType(open, serviceTypeId, {
      change: (content) => ({ ...content, status: "active" }),
      follow: async ({ id }) => {
        await refuseClaimedClasses(open, { serviceTypeId: id });
        return NO_CHANGES;
      },
    });
  },
);
