import { instantText } from "../../core/clock.ts";
import { conflict } from "../../core/errors.ts";
import { newId } from "../../core/ids.ts";
import type { Database } from "../../db/database.ts";
import { recordAudit } from "../audit/queries.ts";
import { insertOrganization, type NewOrganization, type OrganizationRecord } from "./queries.ts";

/** What a new organization gets unless it is given. */
type Chosen = "id" | "status" | "joinedAt";

/** A new organization; it is active and joined now unless said otherwise. */
export async function createOrganization(
  db: Database,
  actor: string,
  given: Omit<NewOrganization, Chosen> & Partial<Pick<NewOrganization, Chosen>>,
): Promise<OrganizationRecord> {
  return db.transaction(async (tx) => {
    const now = await tx.now();
    const { id = newId(now), status = "active", joinedAt = instantText(now) } = given;
    const organization = await insertOrganization(tx, { ...given, id, status, joinedAt });
    if (!organization) throw conflict("There is an organization with this id already.");
    const { name, plan } = organization;
    await recordAudit(tx, actor, {
      action: "organization.create",
      organizationId: organization.id,
      subject: organization.id,
      details: { name, plan, status },
    });
    return organization;
  });
}
