import { recordAudit } from "../audit/queries.ts";
import { lockToSettle } from "../contracts/course-queries.ts";
import { inOrganization } from "../contracts/open-organization.ts";
import { recomputeWithin, settleWithin } from "../contracts/settling.ts";
import type { Actor } from "../core/actor.ts";
import { instantText } from "../core/clock.ts";
import { differences } from "../core/differences.ts";
import { conflict } from "../core/errors.ts";
import type { Static } from "../core/fields.ts";
import { newId } from "../core/ids.ts";
import { NO_CHANGES, type Written } from "../core/written.ts";
import type { Database } from "../db/database.ts";
import {
  countOtherCurrencies,
  findSettings,
  insertOrganization,
  lockOrganization,
  type NewOrganization,
  type OrganizationChange,
  type OrganizationRecord,
  updateOrganization,
  writeSettings,
} from "./queries.ts";
import { unknownOrganization } from "./rules.ts";
import type { EditSettings, OrganizationSettings } from "./schema.ts";

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

/**
 * Changes an organization. A price is an amount in a currency, and nobody but the owner can say what it is in
 * another one: so the currency stays while a plan, or a contract that is not over, has its price in another.
 */
export async function changeOrganization(
  db: Database,
  actor: string,
  id: string,
  change: OrganizationChange,
): Promise<OrganizationRecord> {
  return db.transaction(async (tx) => {
    const before = await lockOrganization(tx, id);
    const due = await lockToSettle(tx, id);
    if (!before || !due) throw unknownOrganization();
    const isMoved = change.timezone !== undefined && change.timezone !== before.timezone;
    // By the clocks that were in force until now.
    if (isMoved) await settleWithin(tx, due);
    const organization = await updateOrganization(tx, id, change);
    if (!organization) throw new Error("an organization that is locked is gone");
    if (isMoved) await recomputeWithin(tx, organization);
    if (organization.currency !== before.currency) {
      const { plans, contracts } = await countOtherCurrencies(tx, id, organization.currency);
      if (plans + contracts > 0) {
        throw conflict(
          `${plans} plans and ${contracts} contracts that are not over have prices in another currency than ${organization.currency}: change those first, by an import of the plans and contracts with new prices.`,
        );
      }
    }
    await recordAudit(tx, actor, {
      action: "organization.change",
      organizationId: id,
      subject: id,
      details: { ...change },
    });
    return organization;
  });
}

/** How the studio works with bookings. It holds from the next operation on, for what is booked already too. */
export async function editSettings(
  db: Database,
  actor: Actor,
  organizationId: string,
  { changes }: Static<typeof EditSettings>,
): Promise<Written<OrganizationSettings>> {
  return inOrganization(db, organizationId, async ({ tx }) => {
    const before = await findSettings(tx, organizationId);
    if (!before) throw new Error("an organization that is locked is gone");
    const result: OrganizationSettings = { ...before, ...changes };
    await writeSettings(tx, organizationId, result);
    const auditId = await recordAudit(tx, actor.name, {
      action: "editSettings",
      organizationId,
      subject: organizationId,
      details: differences(before, result),
    });
    return { auditId, result, changes: NO_CHANGES };
  });
}
