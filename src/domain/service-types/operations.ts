import { isDeepStrictEqual } from "node:util";
import { requireEverywhere } from "../../core/actor.ts";
import { differences } from "../../core/differences.ts";
import { refusal } from "../../core/errors.ts";
import type { Static } from "../../core/fields.ts";
import { newId } from "../../core/ids.ts";
import { refuseIfUsed } from "../../core/references.ts";
import { type ChangeCounts, countedChanges, NO_CHANGES } from "../../core/written.ts";
import type { Database } from "../../db/database.ts";
import { anySlot } from "../organizations/queries.ts";
import { exclusiveWrite, type OpenWrite, type Outcome } from "../writes/recorded-write.ts";
import * as queries from "./queries.ts";
import type { AddServiceType, NameServiceType, ServiceType } from "./schema.ts";

/** A new kind of class or appointment; it can be scheduled at once. */
export const addServiceType = exclusiveWrite(
  "addServiceType",
  async (
    { tx, now, at, actor, organizationId },
    { name, description, holdsResource }: Static<typeof AddServiceType>,
  ): Promise<Outcome<ServiceType>> => {
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
    return {
      result: await readStored(tx, organizationId, id),
      entry: {
        subject: id,
        details: { after: content },
      },
    };
  },
);

/** Deletes a service type that nothing refers to. */
export const deleteServiceType = exclusiveWrite(
  "deleteServiceType",
  async (
    { tx, actor, organizationId },
    { serviceTypeId }: Static<typeof NameServiceType>,
  ): Promise<Outcome<{ readonly id: string }>> => {
    const before = await queries.lockServiceType(tx, organizationId, serviceTypeId, "delete");
    if (!before) throw refusal("no_service_type");
    requireEverywhere(actor);
    const { id } = before;
    refuseIfUsed(await queries.countServiceTypeUses(tx, organizationId, id));
    await queries.deleteServiceTypeRow(tx, organizationId, id);
    await queries.countServiceTypes(tx, organizationId, new Map([[before.status, -1]]), anySlot());
    return {
      result: { id },
      entry: {
        subject: id,
        details: { before: contentOf(before) },
      },
    };
  },
);

export interface ServiceTypeChange {
  readonly change: (content: queries.ServiceTypeContent) => queries.ServiceTypeContent;
  /** What else is written, once the service type is. */
  readonly follow?: (before: ServiceType) => Promise<ChangeCounts>;
}

/** What leaves the service type as it is moves neither its `updatedAt` nor a version. */
export async function changeServiceType(
  open: OpenWrite,
  serviceTypeId: string,
  { change, follow }: ServiceTypeChange,
): Promise<Outcome<ServiceType>> {
  const { tx, at, actor, organizationId } = open;
  const before = await queries.lockServiceType(tx, organizationId, serviceTypeId);
  if (!before) throw refusal("no_service_type");
  requireEverywhere(actor);
  const { id } = before;
  const after = change(contentOf(before));
  const isSame = isDeepStrictEqual(contentOf(before), after);
  let changes = NO_CHANGES;
  if (!isSame) {
    await queries.updateServiceType(tx, organizationId, id, after, at);
    const counts = new Map<ServiceType["status"], number>();
    if (after.status !== before.status) counts.set(before.status, -1).set(after.status, 1);
    await queries.countServiceTypes(tx, organizationId, counts, anySlot());
    if (follow) changes = await follow(before);
  }
  const details = { ...differences(contentOf(before), after), ...countedChanges(changes) };
  return { result: await readStored(tx, organizationId, id), changes, entry: { subject: id, details } };
}

function contentOf({ name, description, holdsResource, status }: ServiceType): queries.ServiceTypeContent {
  return { name, ...(description !== undefined && { description }), holdsResource, status };
}

async function readStored(tx: Database, organizationId: string, id: string): Promise<ServiceType> {
  const stored = await queries.findServiceType(tx, organizationId, id);
  if (!stored) throw new Error("a service type that was just written is gone");
  return stored;
}
