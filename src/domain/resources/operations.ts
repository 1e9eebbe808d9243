import { requireEverywhere } from "../../core/actor.ts";
import { changedMembers, differences } from "../../core/differences.ts";
import { refusal } from "../../core/errors.ts";
import type { Static } from "../../core/fields.ts";
import { newId } from "../../core/ids.ts";
import { exclusiveWrite, type OpenWrite, type Outcome } from "../writes/recorded-write.ts";
import { insertResource, lockResource, updateResource } from "./queries.ts";
import type { AddResource, EditResource, NameResource, Resource } from "./schema.ts";

/**
 * Who or what runs sessions. A resource may be a person, so the audit trail says that a name was changed and never what it
 * was or is.
 */

/** A new resource. Its id is made; other ids come with schedules and sessions that an import brings. */
export const addResource = exclusiveWrite(
  "addResource",
  async (
    { tx, now, actor, organizationId },
    { name, kind }: Static<typeof AddResource>,
  ): Promise<Outcome<Resource>> => {
    requireEverywhere(actor);
    const result: Resource = { id: newId(now), name, kind, status: "active" };
    await insertResource(tx, organizationId, result);
    return {
      result,
      entry: {
        subject: result.id,
        details: { kind },
      },
    };
  },
);

export const editResource = exclusiveWrite(
  "editResource",
  async (
    open,
    { resourceId, changes: { name, kind } }: Static<typeof EditResource>,
  ): Promise<Outcome<Resource>> => {
    return changeResource(open, resourceId, {
      ...(name !== undefined && { name }),
      ...(kind !== undefined && { kind }),
    });
  },
);

/** Offers a resource nowhere any more; it stays where it is. */
export const archiveResource = exclusiveWrite(
  "archiveResource",
  async (open, { resourceId }: Static<typeof NameResource>): Promise<Outcome<Resource>> => {
    return changeResource(open, resourceId, { status: "archived" });
  },
);

export const restoreResource = exclusiveWrite(
  "restoreResource",
  async (open, { resourceId }: Static<typeof NameResource>): Promise<Outcome<Resource>> => {
    return changeResource(open, resourceId, { status: "active" });
  },
);

/** What leaves the resource as it is moves no version. */
async function changeResource(
  open: OpenWrite,
  resourceId: string,
  change: Partial<Omit<Resource, "id">>,
): Promise<Outcome<Resource>> {
  const { tx, actor, organizationId } = open;
  const before = await lockResource(tx, organizationId, resourceId);
  if (!before) throw refusal("no_resource");
  requireEverywhere(actor);
  const result: Resource = { ...before, ...change };
  const members = changedMembers(before, result);
  if (members.length > 0) await updateResource(tx, organizationId, result);
  const words = ({ kind, status }: Resource) => ({ kind, status });
  const details = { members, ...differences(words(before), words(result)) };
  return { result, entry: { subject: before.id, details } };
}
