import { differences } from "../../core/differences.ts";
import { conflict, invalid } from "../../core/errors.ts";
import type { Static } from "../../core/fields.ts";
import type { Database } from "../../db/database.ts";
import { recordAudit } from "../audit/queries.ts";
import { lockForWrite, setDueAt } from "../contract-status/queries.ts";
import { applyDueWithin, recomputeWithin } from "../due-changes/due-changes.ts";
import { markContractsToInvoice } from "../invoicing/queries.ts";
import {
  countOtherCurrencies,
  findSettings,
  lockOrganization,
  type OrganizationChange,
  type OrganizationRecord,
  updateOrganization,
  writeSettings,
} from "../organizations/queries.ts";
import { unknownOrganization } from "../organizations/rules.ts";
import type { EditSettings, OrganizationSettings } from "../organizations/schema.ts";
import { exclusiveWrite, type Outcome } from "../writes/recorded-write.ts";

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
    const due = await lockForWrite(tx, id);
    if (!before || !due) throw unknownOrganization();
    const isMoved = change.timezone !== undefined && change.timezone !== before.timezone;
    // By the clocks that were in force until now.
    if (isMoved) await applyDueWithin(tx, due);
    const organization = await updateOrganization(tx, id, change);
    if (!organization) throw new Error("an organization that is locked is gone");
    if (isMoved) await recomputeWithin(tx, organization);
    if (organization.currency !== before.currency) {
      const { plans, contracts, hasMoney } = await countOtherCurrencies(tx, id, organization.currency);
      if (hasMoney)
        throw conflict(
          "The organization has invoices or payments: their amounts are in the currency that it has.",
        );
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

/** The days from which an organization may invoice. */
export const INVOICING_DAYS = { min: "2000-01-01", max: "9998-12-31" } as const;

export function isInvoicingDay(day: string): boolean {
  return day >= INVOICING_DAYS.min && day <= INVOICING_DAYS.max;
}

/** Stores all settings. What the organization then has to invoice is due at once. */
export async function storeSettings(
  tx: Database,
  organizationId: string,
  before: OrganizationSettings,
  after: OrganizationSettings,
): Promise<void> {
  await writeSettings(tx, organizationId, after);
  if (before.invoicesFrom === after.invoicesFrom) return;
  await markContractsToInvoice(tx, organizationId);
  await setDueAt(tx, organizationId);
}

/** How the studio works with bookings and invoices. It holds from the next operation on, for what is booked already too. */
export const editSettings = exclusiveWrite(
  "editSettings",
  async (
    { tx, organizationId },
    { changes }: Static<typeof EditSettings>,
  ): Promise<Outcome<OrganizationSettings>> => {
    const before = await findSettings(tx, organizationId);
    if (!before) throw new Error("an organization that is locked is gone");
    const { invoicesFrom = before.invoicesFrom, ...others } = changes;
    if (changes.invoicesFrom && !isInvoicingDay(changes.invoicesFrom))
      throw invalid([
        { location: "body.changes.invoicesFrom", code: "day_out_of_range", params: INVOICING_DAYS },
      ]);
    const { invoicesFrom: _, ...kept } = before;
    const result = {
      ...kept,
      ...others,
      ...(invoicesFrom !== null && invoicesFrom !== undefined && { invoicesFrom }),
    };
    await storeSettings(tx, organizationId, before, result);
    return {
      result,
      entry: {
        subject: organizationId,
        details: differences(before, result),
      },
    };
  },
);
