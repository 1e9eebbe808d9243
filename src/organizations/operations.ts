import { recordAudit } from "../audit/queries.ts";
import { conflict, notFound } from "../core/errors.ts";
import { newId } from "../core/ids.ts";
import type { Database } from "../db/database.ts";
import {
  insertOrganization,
  type NewOrganization,
  type OrganizationChange,
  type OrganizationRecord,
  updateOrganization,
} from "./queries.ts";

/** A new organization; it is active and joined now unless said otherwise. */
export async function createOrganization(
  db: Database,
  actor: string,
  wish: Omit<NewOrganization, "id" | "status"> & Partial<Pick<NewOrganization, "id" | "status">>,
): Promise<OrganizationRecord> {
  return db.transaction(async (tx) => {
    const organization = await insertOrganization(tx, { id: newId(), status: "active", ...wish });
    if (!organization) throw conflict("There is an organization with this id already.");
    const { name, plan, status } = organization;
    await recordAudit(tx, actor, {
      action: "organization.create",
      organizationId: organization.id,
      subject: organization.id,
      details: { name, plan, status },
    });
    return organization;
  });
}

export async function changeOrganization(
  db: Database,
  actor: string,
  id: string,
  change: OrganizationChange,
): Promise<OrganizationRecord> {
  return db.transaction(async (tx) => {
    const organization = await updateOrganization(tx, id, change);
    if (!organization) throw notFound("There is no organization with this id.");
    await recordAudit(tx, actor, {
      action: "organization.change",
      organizationId: id,
      subject: id,
      details: { ...change },
    });
    return organization;
  });
}
