import { isDeepStrictEqual } from "node:util";
import { type Actor, requireEverywhere } from "../../core/actor.ts";
import { differences } from "../../core/differences.ts";
import { type Fault, refusal, refuseFaults } from "../../core/errors.ts";
import type { Static } from "../../core/fields.ts";
import { newId } from "../../core/ids.ts";
import { isUuid } from "../../core/patterns.ts";
import { refuseIfUsed } from "../../core/references.ts";
import type { Database } from "../../db/database.ts";
import { listKnownServiceTypes } from "../service-types/queries.ts";
import { exclusiveWrite, type Outcome } from "../writes/recorded-write.ts";
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

export const addServiceGroup = exclusiveWrite(
  "addServiceGroup",
  async (
    { tx, now, actor, organizationId },
    { name, serviceTypeIds }: Static<typeof AddServiceGroup>,
  ): Promise<Outcome<ServiceGroup>> => {
    await refuseUnknown(tx, organizationId, serviceTypeIds, "body");
    requireEverywhere(actor);
    const result: ServiceGroup = { id: newId(now), name, serviceTypeIds: inOrder(serviceTypeIds) };
    await insertServiceGroup(tx, organizationId, result);
    const { id: subject, ...after } = result;
    return {
      result,
      entry: {
        subject,
        details: { after },
      },
    };
  },
);

/** Another name, or other members. What leaves the group as it is moves no version. */
export const editServiceGroup = exclusiveWrite(
  "editServiceGroup",
  async (
    { tx, actor, organizationId },
    { serviceGroupId, changes }: Static<typeof EditServiceGroup>,
  ): Promise<Outcome<ServiceGroup>> => {
    await refuseUnknown(tx, organizationId, changes.serviceTypeIds, "body.changes");
    const before = await lockKnown(tx, actor, organizationId, serviceGroupId);
    const { name = before.name, serviceTypeIds = before.serviceTypeIds } = changes;
    const result: ServiceGroup = { id: before.id, name, serviceTypeIds: inOrder(serviceTypeIds) };
    if (!isDeepStrictEqual({ ...before }, result)) await updateServiceGroup(tx, organizationId, result);
    return {
      result,
      entry: {
        subject: before.id,
        details: differences(before, result),
      },
    };
  },
);

/** Deletes a group that no plan and no contract names. */
export const deleteServiceGroup = exclusiveWrite(
  "deleteServiceGroup",
  async (
    { tx, actor, organizationId },
    { serviceGroupId }: Static<typeof NameServiceGroup>,
  ): Promise<Outcome<{ readonly id: string }>> => {
    const { id, ...before } = await lockKnown(tx, actor, organizationId, serviceGroupId);
    refuseIfUsed(await countServiceGroupUses(tx, organizationId, id));
    await deleteServiceGroupRow(tx, organizationId, id);
    return {
      result: { id },
      entry: {
        subject: id,
        details: { before },
      },
    };
  },
);

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
