import { isDeepStrictEqual } from "node:util";
import { recordAudit } from "../audit/queries.ts";
import { inOrganization } from "../contracts/open-organization.ts";
import { type Actor, requireEverywhere } from "../core/actor.ts";
import { differences } from "../core/differences.ts";
import { type Fault, refusal, refuseFaults } from "../core/errors.ts";
import type { Static } from "../core/fields.ts";
import { isUuid } from "../core/forms.ts";
import { newId } from "../core/ids.ts";
import { refuseIfUsed } from "../core/uses.ts";
import { NO_CHANGES, type Written } from "../core/written.ts";
import type { Database } from "../db/database.ts";
import { listKnownServiceTypes } from "../service-types/queries.ts";
import {
  countServiceGroupUses,
  deleteServiceGroupRow,
  insertServiceGroup,
  lockServiceGroup,
  updateServiceGroup,
} from "./queries.ts";
import type { AddServiceGroup, EditServiceGroup, NameServiceGroup, ServiceGroup } from "./schema.ts";

/**
 * Who is in a group is asked when somebody books: what was booked stands, and no contract is written when a group changes.
 */

export async function addServiceGroup(
  db: Database,
  actor: Actor,
  organizationId: string,
  { name, serviceTypeIds }: Static<typeof AddServiceGroup>,
): Promise<Written<ServiceGroup>> {
  return inOrganization(db, organizationId, async ({ tx, now }) => {
    await refuseUnknown(tx, organizationId, serviceTypeIds, "body");
    requireEverywhere(actor);
    const result: ServiceGroup = { id: newId(now), name, serviceTypeIds: inOrder(serviceTypeIds) };
    await insertServiceGroup(tx, organizationId, result);
    const { id: subject, ...after } = result;
    const auditId = await recordAudit(tx, actor.name, {
      action: "addServiceGroup",
      organizationId,
      subject,
      details: { after },
    });
    return { auditId, result, changes: NO_CHANGES };
  });
}

/** Another name, or other members. What leaves the group as it is moves no version. */
export async function editServiceGroup(
  db: Database,
  actor: Actor,
  organizationId: string,
  { serviceGroupId, changes }: Static<typeof EditServiceGroup>,
): Promise<Written<ServiceGroup>> {
  return inOrganization(db, organizationId, async ({ tx }) => {
    await refuseUnknown(tx, organizationId, changes.serviceTypeIds, "body.changes");
    const before = await lockKnown(tx, actor, organizationId, serviceGroupId);
    const { name = before.name, serviceTypeIds = before.serviceTypeIds } = changes;
    const result: ServiceGroup = { id: before.id, name, serviceTypeIds: inOrder(serviceTypeIds) };
    if (!isDeepStrictEqual({ ...before }, result)) await updateServiceGroup(tx, organizationId, result);
    const auditId = await recordAudit(tx, actor.name, {
      action: "editServiceGroup",
      organizationId,
      subject: before.id,
      details: differences(before, result),
    });
    return { auditId, result, changes: NO_CHANGES };
  });
}

/** Deletes a group that no plan and no contract names. */
export async function deleteServiceGroup(
  db: Database,
  actor: Actor,
  organizationId: string,
  { serviceGroupId }: Static<typeof NameServiceGroup>,
): Promise<Written<{ readonly id: string }>> {
  return inOrganization(db, organizationId, async ({ tx }) => {
    const { id, ...before } = await lockKnown(tx, actor, organizationId, serviceGroupId);
    refuseIfUsed(await countServiceGroupUses(tx, organizationId, id));
    await deleteServiceGroupRow(tx, organizationId, id);
    const auditId = await recordAudit(tx, actor.name, {
      action: "deleteServiceGroup",
      organizationId,
      subject: id,
      details: { before },
    });
    return { auditId, result: { id }, changes: NO_CHANGES };
  });
}

async function lockKnown(
  tx: Database,
  actor: Actor,
  organizationId: string,
  id: string,
): Promise<ServiceGroup> {
  const group = await lockServiceGroup(tx, organizationId, id);
  if (!group) throw refusal("no_service_group");
  requireEverywhere(actor);
  return group;
}

async function refuseUnknown(
  tx: Database,
  organizationId: string,
  serviceTypeIds: readonly string[] | undefined,
  root: string,
): Promise<void> {
  refuseFaults(await findUnknownServiceTypes(tx, organizationId, { serviceTypeIds }, root));
}

/** The faults of a list of service types: those that are not there. Nothing about the value is taken for granted. */
export async function findUnknownServiceTypes(
  db: Database,
  organizationId: string,
  given: unknown,
  root: string,
): Promise<Fault[]> {
  const { serviceTypeIds } = (typeof given === "object" && given !== null ? given : {}) as {
    serviceTypeIds?: unknown;
  };
  if (!Array.isArray(serviceTypeIds)) return [];
  const ids = serviceTypeIds.map((id) =>
    typeof id === "string" && isUuid(id) ? id.toLowerCase() : undefined,
  );
  const known = new Set(
    await listKnownServiceTypes(
      db,
      organizationId,
      ids.filter((id) => id !== undefined),
    ),
  );
  return ids.flatMap((id, index): Fault[] =>
    id === undefined || known.has(id)
      ? []
      : [{ location: `${root}.serviceTypeIds[${index}]`, code: "service_type_unknown" }],
  );
}

/** Once each, as they are stored. */
function inOrder(ids: readonly string[]): string[] {
  return [...new Set(ids.map((id) => id.toLowerCase()))].sort();
}
