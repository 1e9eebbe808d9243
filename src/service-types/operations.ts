import { isDeepStrictEqual } from "node:util";
import { type AuditAction, recordAudit } from "../audit/queries.ts";
import { toActed } from "../calendar/acted-session.ts";
import { lockComingSessions } from "../calendar/session-queries.ts";
import { withdrawSessions } from "../calendar/withdrawing.ts";
import { inOrganization, type OpenOrganization } from "../contracts/open-organization.ts";
import { type Actor, requireEverywhere } from "../core/actor.ts";
import { differences } from "../core/differences.ts";
import { refusal } from "../core/errors.ts";
import type { Static } from "../core/fields.ts";
import { newId } from "../core/ids.ts";
import { refuseIfUsed } from "../core/uses.ts";
import { type ChangeCounts, countedChanges, NO_CHANGES, type Written } from "../core/written.ts";
import type { Database } from "../db/database.ts";
import { anySlot } from "../organizations/queries.ts";
import { claimResources, dropClaimsOfType } from "../resources/claims.ts";
import * as queries from "./queries.ts";
import type {
  AddServiceType,
  ArchiveServiceType,
  EditServiceType,
  NameServiceType,
  ServiceType,
} from "./schema.ts";

/** A new kind of class or appointment; it can be scheduled at once. */
export async function addServiceType(
  db: Database,
  actor: Actor,
  organizationId: string,
  { name, description, holdsResource }: Static<typeof AddServiceType>,
): Promise<Written<ServiceType>> {
  return inOrganization(db, organizationId, async ({ tx, now, at }) => {
    requireEverywhere(actor);
    const id = newId(now);
    const content: queries.ServiceTypeContent = {
      name,
      ...(description ? { description } : {}),
      holdsResource,
      status: "active",
    };
    await queries.insertServiceType(tx, organizationId, id, content, at);
    await queries.countServiceTypes(tx, organizationId, new Map([["active", 1]]), anySlot());
    const auditId = await recordAudit(tx, actor.name, {
      action: "addServiceType",
      organizationId,
      subject: id,
      details: { after: content },
    });
    return { auditId, result: await readStored(tx, organizationId, id), changes: NO_CHANGES };
  });
}

/** Another name, description, or whether a booking takes the resource for itself. */
export async function editServiceType(
  db: Database,
  actor: Actor,
  organizationId: string,
  { serviceTypeId, changes }: Static<typeof EditServiceType>,
): Promise<Written<ServiceType>> {
  return changeServiceType(db, actor, organizationId, serviceTypeId, {
    action: "editServiceType",
    change: ({ description, ...content }) => {
      const wanted = changes.description === undefined ? description : changes.description;
      const { name = content.name, holdsResource = content.holdsResource } = changes;
      return { ...content, name, holdsResource, ...(wanted ? { description: wanted } : {}) };
    },
    follow: async (open, { id, holdsResource: held }) => {
      if (!held && changes.holdsResource) await claimBooked(open, id);
      if (held && changes.holdsResource === false) await dropClaimsOfType(open.tx, organizationId, id);
      return NO_CHANGES;
    },
  });
}

/** Claims the resources of the sessions of a type, which holds them now, that are to come and have a seat taken. */
async function claimBooked(open: OpenOrganization, serviceTypeId: string): Promise<void> {
  const { tx, organizationId, now } = open;
  const sessions = await lockComingSessions(tx, organizationId, now, { serviceTypeId });
  for (const session of sessions) if (session.bookedCount > 0) await claimResources(open, toActed(session));
}

/** Its schedules produce no sessions any more, and its stored sessions that have not begun are cancelled. */
export async function archiveServiceType(
  db: Database,
  actor: Actor,
  organizationId: string,
  { serviceTypeId, cancelBooked = false }: Static<typeof ArchiveServiceType>,
): Promise<Written<ServiceType>> {
  return changeServiceType(db, actor, organizationId, serviceTypeId, {
    action: "archiveServiceType",
    change: (content) => ({ ...content, status: "archived" }),
    follow: (open, { id }, auditId) =>
      withdrawSessions(open, { serviceTypeId: id }, { cancelBooked, auditId }),
  });
}

/** Its schedules produce sessions again. */
export async function restoreServiceType(
  db: Database,
  actor: Actor,
  organizationId: string,
  { serviceTypeId }: Static<typeof NameServiceType>,
): Promise<Written<ServiceType>> {
  return changeServiceType(db, actor, organizationId, serviceTypeId, {
    action: "restoreServiceType",
    change: (content) => ({ ...content, status: "active" }),
  });
}

/** Deletes a service type that nothing refers to. */
export async function deleteServiceType(
  db: Database,
  actor: Actor,
  organizationId: string,
  { serviceTypeId }: Static<typeof NameServiceType>,
): Promise<Written<{ readonly id: string }>> {
  return inOrganization(db, organizationId, async ({ tx }) => {
    const before = await queries.lockServiceType(tx, organizationId, serviceTypeId, "delete");
    if (!before) throw refusal("no_service_type");
    requireEverywhere(actor);
    const { id } = before;
    refuseIfUsed(await queries.countServiceTypeUses(tx, organizationId, id));
    await queries.deleteServiceTypeRow(tx, organizationId, id);
    await queries.countServiceTypes(tx, organizationId, new Map([[before.status, -1]]), anySlot());
    const auditId = await recordAudit(tx, actor.name, {
      action: "deleteServiceType",
      organizationId,
      subject: id,
      details: { before: contentOf(before) },
    });
    return { auditId, result: { id }, changes: NO_CHANGES };
  });
}

interface ServiceTypeChange {
  readonly action: AuditAction;
  readonly change: (content: queries.ServiceTypeContent) => queries.ServiceTypeContent;
  /** What else is written, once the service type is. */
  readonly follow?: (open: OpenOrganization, before: ServiceType, auditId: string) => Promise<ChangeCounts>;
}

/** What leaves the service type as it is moves neither its `updatedAt` nor a version. */
async function changeServiceType(
  db: Database,
  actor: Actor,
  organizationId: string,
  serviceTypeId: string,
  { action, change, follow }: ServiceTypeChange,
): Promise<Written<ServiceType>> {
  return inOrganization(db, organizationId, async (open) => {
    const { tx, now, at } = open;
    const before = await queries.lockServiceType(tx, organizationId, serviceTypeId);
    if (!before) throw refusal("no_service_type");
    requireEverywhere(actor);
    const { id } = before;
    const after = change(contentOf(before));
    const auditId = newId(now);
    const isSame = isDeepStrictEqual(contentOf(before), after);
    let changes = NO_CHANGES;
    if (!isSame) {
      await queries.updateServiceType(tx, organizationId, id, after, at);
      const counts = new Map<ServiceType["status"], number>();
      if (after.status !== before.status) counts.set(before.status, -1).set(after.status, 1);
      await queries.countServiceTypes(tx, organizationId, counts, anySlot());
      if (follow) changes = await follow(open, before, auditId);
    }
    await recordAudit(tx, actor.name, {
      id: auditId,
      action,
      organizationId,
      subject: id,
      details: { ...differences(contentOf(before), after), ...countedChanges(changes) },
    });
    return { auditId, result: await readStored(tx, organizationId, id), changes };
  });
}

function contentOf({ name, description, holdsResource, status }: ServiceType): queries.ServiceTypeContent {
  return { name, ...(description !== undefined && { description }), holdsResource, status };
}

async function readStored(tx: Database, organizationId: string, id: string): Promise<ServiceType> {
  const stored = await queries.findServiceType(tx, organizationId, id);
  if (!stored) throw new Error("a service type that was just written is gone");
  return stored;
}
