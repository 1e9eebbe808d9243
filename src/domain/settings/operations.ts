import { differences } from "../../core/differences.ts";
import { conflict, invalid, refusal } from "../../core/errors.ts";
import type { Static } from "../../core/fields.ts";
import type { Database } from "../../db/database.ts";
import { recordAudit } from "../audit/queries.ts";
import { lockForWrite, setDueAt } from "../contract-status/queries.ts";
import { applyDueWithin, recomputeWithin } from "../due-changes/due-changes.ts";
import { markContractsToInvoice } from "../invoicing/queries.ts";
import { findDeletion } from "../organizations/deletion-queries.ts";
import {
  countOtherCurrencies,
  findOrganization,
  findSettings,
  lockOrganization,
  type OrganizationChange,
  type OrganizationRecord,
  type OtherCurrencies,
  updateOrganization,
  writeSettings,
} from "../organizations/queries.ts";
import { unknownOrganization } from "../organizations/rules.ts";
import type { EditSettings, OrganizationSettings } from "../organizations/schema.ts";
import { findZone } from "../recurrence/zones.ts";
import { exclusiveWrite, type Outcome } from "../writes/recorded-write.ts";
import { findCalendarColors, listColored, writeCalendarColors } from "./queries.ts";
import {
  type CalendarColors,
  type ColorCalendar,
  type EditOrganization,
  MAX_COLORS,
  type StaffOrganization,
} from "./schema.ts";

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
    const begun = await lockForWrite(tx, id);
    if (!before || !begun) throw unknownOrganization();
    if (change.status !== undefined && (await findDeletion(tx, id)))
      throw conflict(`It is to be deleted: "rollbook org restore ${id}" keeps it.`);
    const isMoved = change.timezone !== undefined && change.timezone !== before.timezone;
    // By the clocks that were in force until now.
    if (isMoved) await applyDueWithin(tx, begun);
    const { organization, others } = await changeWithin(tx, before, change);
    const { plans, contracts, hasMoney } = others;
    if (hasMoney)
      throw conflict(
        "The organization has invoices or payments: their amounts are in the currency that it has.",
      );
    if (plans + contracts > 0) {
      throw conflict(
        `${plans} plans and ${contracts} contracts that are not over have prices in another currency than ${organization.currency}: change those first, by an import of the plans and contracts with new prices.`,
      );
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

/**
 * Writes the change of an organization that is locked, and in which nothing is due by the clocks that were in force until now.
 * Returns also what has its price in another currency than the new one: then it must not stay.
 */
async function changeWithin(
  tx: Database,
  before: OrganizationRecord,
  change: OrganizationChange,
): Promise<{ readonly organization: OrganizationRecord; readonly others: OtherCurrencies }> {
  const organization = await updateOrganization(tx, before.id, change);
  if (!organization) throw new Error("an organization that is locked is gone");
  if (organization.timezone !== before.timezone) await recomputeWithin(tx, organization);
  const others =
    organization.currency === before.currency
      ? NO_OTHER_CURRENCIES
      : await countOtherCurrencies(tx, before.id, organization.currency);
  return { organization, others };
}

const NO_OTHER_CURRENCIES: OtherCurrencies = { plans: 0, contracts: 0, hasMoney: false };

/** What an owner changes of the organization itself. Its clocks are those by which contracts end and days begin. */
export const editOrganization = exclusiveWrite(
  "editOrganization",
  async (
    { tx, organizationId },
    { changes }: Static<typeof EditOrganization>,
  ): Promise<Outcome<StaffOrganization>> => {
    const { timezone } = changes;
    if (timezone !== undefined && !findZone(timezone))
      throw invalid([{ location: "body.changes.timezone", code: "time_zone_unknown" }]);
    const before = await lockOrganization(tx, organizationId);
    if (!before) throw new Error("an organization that is locked is gone");
    const { organization, others } = await changeWithin(tx, before, changes);
    const { plans, contracts, hasMoney } = others;
    if (hasMoney) throw refusal("currency_has_money");
    if (plans + contracts > 0) throw refusal("currency_in_use", { params: { plans, contracts } });
    return {
      result: ownersView(organization),
      entry: {
        subject: organizationId,
        details: differences(ownersView(before), ownersView(organization)),
      },
    };
  },
);

/** The same as it is now. */
export async function findStaffOrganization(
  db: Database,
  id: string,
): Promise<StaffOrganization | undefined> {
  const organization = await findOrganization(db, id);
  return organization && ownersView(organization);
}

function ownersView({ id, name, timezone, currency }: OrganizationRecord): StaffOrganization {
  return { id, name, timezone, currency };
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

/** How the calendar looks to everybody. The colours of what is not there any more go with the next edit. */
export const colorCalendar = exclusiveWrite(
  "colorCalendar",
  async (
    { tx, organizationId },
    { by, colors = [] }: Static<typeof ColorCalendar>,
  ): Promise<Outcome<CalendarColors>> => {
    const before = await findCalendarColors(tx, organizationId);
    if (!before) throw new Error("an organization that is locked is gone");
    const chosen = new Map(before.colors.map(({ id, color }) => [id, color]));
    const known = await listColored(tx, organizationId, [...chosen.keys(), ...colors.map(({ id }) => id)]);
    const faults = colors.flatMap(({ id, color }, index) =>
      known.has(id) || color === null || color === undefined
        ? []
        : [{ location: `body.colors[${index}].id`, code: "not_colored" as const }],
    );
    if (faults.length > 0) throw invalid(faults);
    for (const { id, color } of colors)
      if (color === null) chosen.delete(id);
      else if (color !== undefined) chosen.set(id, color);
    const kept = [...chosen].filter(([id]) => known.has(id)).sort(([one], [other]) => (one < other ? -1 : 1));
    if (kept.length > MAX_COLORS)
      throw invalid([{ location: "body.colors", code: "too_many", params: { max: MAX_COLORS } }]);
    const result = { by: by ?? before.by, colors: kept.map(([id, color]) => ({ id, color })) };
    await writeCalendarColors(tx, organizationId, result);
    return { result, entry: { subject: organizationId, details: differences(before, result) } };
  },
);
