import { instantText } from "../../core/clock.ts";
import { MS_PER_DAY } from "../../core/dates.ts";
import { conflict } from "../../core/errors.ts";
import type { Database } from "../../db/database.ts";
import { recordAudit } from "../audit/queries.ts";
import {
  findDeletion,
  insertDeletion,
  lockDeletion,
  type OrganizationDeletion,
  takeDeletionBack,
} from "./deletion-queries.ts";
import {
  findOrganizationMove,
  lockOrganization,
  type OrganizationRecord,
  updateOrganization,
} from "./queries.ts";
import { operatorsElsewhere, unknownOrganization } from "./rules.ts";

/**
 * Closes an organization and has it deleted once the days of grace are over: requests and sign-ins are refused from now on,
 * webhooks are held and no invoices are issued. Until then `keepOrganization` brings it back as it is.
 */
export async function deleteOrganization(
  db: Database,
  actor: string,
  id: string,
  { name, days }: { readonly name: string; readonly days: number },
): Promise<OrganizationDeletion> {
  return db.transaction(async (tx) => {
    const organization = await lockOrganization(tx, id);
    if (!organization) throw unknownOrganization();
    // The same letters can be written in several ways, and a terminal may choose another than a form.
    if (organization.name.normalize() !== name.normalize())
      throw conflict(
        `The organization ${id} is called "${organization.name}", not "${name}". Nothing was changed.`,
      );
    const move = await findOrganizationMove(tx, id);
    if (move?.elsewhere !== undefined) throw operatorsElsewhere(id, move.elsewhere);
    if (move)
      throw conflict(
        `A move of this organization to another server is under way: finish it, by "rollbook org move ${id}" as before, or take it back with --back-out. Nothing was changed.`,
      );
    const known = await findDeletion(tx, id);
    if (known) throw conflict(`It will be deleted after ${known.deleteAfter} already.`);
    const now = await tx.now();
    const deletion = await insertDeletion(tx, {
      id,
      askedAt: instantText(now),
      actor,
      deleteAfter: instantText(now + days * MS_PER_DAY),
      status: organization.status,
    });
    await updateOrganization(tx, id, { status: "closed" });
    const { deleteAfter } = deletion;
    await recordAudit(tx, actor, {
      action: "organization.delete",
      organizationId: id,
      subject: id,
      details: { deleteAfter },
    });
    return deletion;
  });
}

/** Takes a deletion back that has not begun: the organization is what it was before. */
export async function keepOrganization(db: Database, actor: string, id: string): Promise<OrganizationRecord> {
  return db.transaction(async (tx) => {
    const deletion = await lockDeletion(tx, id);
    if (!deletion) throw conflict("This organization is not to be deleted.");
    if (deletion.begunAt)
      throw conflict(
        `Its deletion has begun at ${deletion.begunAt}: rows are gone. A file of it, or a backup of before, can bring it back once all are.`,
      );
    await takeDeletionBack(tx, id);
    const organization = await updateOrganization(tx, id, { status: deletion.status });
    if (!organization) throw unknownOrganization();
    await recordAudit(tx, actor, {
      action: "organization.restore",
      organizationId: id,
      subject: id,
      details: { status: deletion.status },
    });
    return organization;
  });
}
