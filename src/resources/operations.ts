import { type AuditAction, recordAudit } from "../audit/queries.ts";
import { inOrganization } from "../contracts/open-organization.ts";
import { type Actor, requireEverywhere } from "../core/actor.ts";
import { changedMembers, differences } from "../core/differences.ts";
import { refusal } from "../core/errors.ts";
import type { Static } from "../core/fields.ts";
import { newId } from "../core/ids.ts";
import { NO_CHANGES, type Written } from "../core/written.ts";
import type { Database } from "../db/database.ts";
import { insertResource, lockResource, updateResource } from "./queries.ts";
import type { AddResource, EditResource, NameResource, Resource } from "./schema.ts";

/**
 * Who or what runs sessions. A resource may be a person, so the audit trail says that a name was changed and never what it
 * was or is.
 */

/** A new resource. Its id is made; other ids come with schedules and sessions that an import brings. */
export async function addResource(
  db: Database,
  actor: Actor,
  organizationId: string,
  { name, kind }: Static<typeof AddResource>,
): Promise<Written<Resource>> {
  return inOrganization(db, organizationId, async ({ tx, now }) => {
    requireEverywhere(actor);
    const result: Resource = { id: newId(now), name, kind, status: "active" };
    await insertResource(tx, organizationId, result);
    const auditId = await recordAudit(tx, actor.name, {
      action: "addResource",
      organizationId,
      subject: result.id,
      details: { kind },
    });
    return { auditId, result, changes: NO_CHANGES };
  });
}

export async function editResource(
  db: Database,
  actor: Actor,
  organizationId: string,
  { resourceId, changes: { name, kind } }: Static<typeof EditResource>,
): Promise<Written<Resource>> {
  return changeResource(db, actor, organizationId, resourceId, "editResource", {
    ...(name !== undefined && { name }),
    ...(kind !== undefined && { kind }),
  });
}

/** Offers a resource nowhere any more; it stays where it is. */
export async function archiveResource(
  db: Database,
  actor: Actor,
  organizationId: string,
  { resourceId }: Static<typeof NameResource>,
): Promise<Written<Resource>> {
  return changeResource(db, actor, organizationId, resourceId, "archiveResource", { status: "archived" });
}

export async function restoreResource(
  db: Database,
  actor: Actor,
  organizationId: string,
  { resourceId }: Static<typeof NameResource>,
): Promise<Written<Resource>> {
  return changeResource(db, actor, organizationId, resourceId, "restoreResource", { status: "active" });
}

/** What leaves the resource as it is moves no version. */
async function changeResource(
  db: Database,
  actor: Actor,
  organizationId: string,
  resourceId: string,
  action: AuditAction,
  change: Partial<Omit<Resource, "id">>,
): Promise<Written<Resource>> {
  return inOrganization(db, organizationId, async ({ tx }) => {
    const before = await lockResource(tx, organizationId, resourceId);
    if (!before) throw refusal("no_resource");
    requireEverywhere(actor);
    const result: Resource = { ...before, ...change };
    const members = changedMembers(before, result);
    if (members.length > 0) await updateResource(tx, organizationId, result);
    const words = ({ kind, status }: Resource) => ({ kind, status });
    const auditId = await recordAudit(tx, actor.name, {
      action,
      organizationId,
      subject: before.id,
      details: { members, ...differences(words(before), words(result)) },
    });
    return { auditId, result, changes: NO_CHANGES };
  });
}
