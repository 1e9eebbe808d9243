import type { ActedSession } from "../calendar/acted-session.ts";
import type { OpenOrganization } from "../contracts/open-organization.ts";
import { refusal } from "../core/errors.ts";
import type { Database } from "../db/database.ts";
import { type Coverage, type Draw, findCoverage, type WeekStart, widestPeriod } from "./coverage.ts";
import {
  listCoveringContracts,
  listGroupsOf,
  listHeldDays,
  lockContractsOf,
  lockDrawn,
  returnCredits,
  takeCredit,
} from "./draw-queries.ts";
import type { Footprint } from "./footprint.ts";
import type { StoredBooking } from "./queries.ts";

/** What a visit draws on, and how that is given back. Whoever draws has locked the session. */

/** What is to be drawn on: the first choice if nothing is said. */
export interface DrawChoice {
  readonly entitlementId?: string | undefined;
  readonly uncovered?: { readonly reason: string } | undefined;
}

/** What a booking draws on, or why on nothing. */
export type Drawn =
  | { readonly contractId: string; readonly entitlementId: string; readonly uncoveredReason?: undefined }
  | { readonly uncoveredReason: string; readonly contractId?: undefined; readonly entitlementId?: undefined };

/** Draws for a visit, under the lock of all contracts of the client. */
export async function draw(
  open: OpenOrganization,
  session: ActedSession,
  clientId: string,
  { entitlementId, uncovered }: DrawChoice,
  footprint: Footprint,
): Promise<Drawn> {
  if (uncovered) return { uncoveredReason: uncovered.reason };
  const { draws, reasons } = await lockCoverage(open, session, clientId);
  const [first] = draws;
  if (!first) throw refusal("not_covered", { facts: { reasons } });
  const chosen =
    entitlementId === undefined
      ? first
      : draws.find((each) => each.entitlementId === entitlementId.toLowerCase());
  if (!chosen) throw refusal("not_offered", { facts: { reasons } });
  return takeDraw(open, chosen, footprint);
}

/** Draws on an entitlement that covers the visit. */
export async function takeDraw(
  { tx, organizationId }: OpenOrganization,
  { contractId, entitlementId, type }: Draw,
  footprint: Footprint,
): Promise<Drawn> {
  if (type === "credits") {
    if (!(await takeCredit(tx, organizationId, entitlementId)))
      throw new Error("a credit that was there under the lock of its contract is gone");
    footprint.contractIds.add(contractId);
  }
  return { contractId, entitlementId };
}

/** What a late cancellation kept is still drawn; what was returned is drawn again, on the same entitlement if it can. */
export async function drawAgain(
  open: OpenOrganization,
  session: ActedSession,
  { state, clientId, contractId, entitlementId, uncoveredReason }: StoredBooking,
  footprint: Footprint,
): Promise<Drawn> {
  if (contractId === undefined || entitlementId === undefined)
    return { uncoveredReason: uncoveredReason ?? "" };
  if (state === "late_cancelled") return { contractId, entitlementId };
  const { draws, reasons } = await lockCoverage(open, session, clientId);
  const chosen = draws.find((each) => each.entitlementId === entitlementId) ?? draws[0];
  if (!chosen) throw refusal("not_covered", { facts: { reasons } });
  return takeDraw(open, chosen, footprint);
}

/** Gives back the credits that bookings drew, to the entitlements that gave them, whatever has become of those. */
export async function returnDraws(
  { tx, organizationId }: OpenOrganization,
  bookings: readonly StoredBooking[],
  footprint: Footprint,
): Promise<void> {
  const drawn = bookings.flatMap(({ entitlementId }) => entitlementId ?? []);
  if (drawn.length === 0) return;
  const contractIds = bookings.flatMap(({ contractId }) => contractId ?? []);
  await lockDrawn(tx, organizationId, contractIds);
  for (const { contractId, credits } of await returnCredits(tx, organizationId, drawn)) {
    footprint.contractIds.add(contractId);
    footprint.creditsReturned += credits;
  }
}

/** What covers a visit, decided under the lock of the client's contracts, so that it holds until the commit. */
export async function lockCoverage(
  open: OpenOrganization,
  session: CoveredSession,
  clientId: string,
): Promise<Coverage> {
  await lockContractsOf(open.tx, open.organizationId, clientId);
  const { tx, organizationId, organization } = open;
  const { weekStart } = organization;
  return readCoverage({ tx, organizationId, weekStart }, session, clientId);
}

/** A session as far as coverage asks. */
export type CoveredSession = Pick<ActedSession, "day" | "locationId" | "serviceTypeId">;

/** Whose visit it is, and how its weeks are counted. */
interface CoverageContext {
  readonly tx: Database;
  readonly organizationId: string;
  readonly weekStart: WeekStart;
}

/** What would cover a visit now. */
export async function readCoverage(
  { tx, organizationId, weekStart }: CoverageContext,
  { day, locationId, serviceTypeId }: CoveredSession,
  clientId: string,
): Promise<Coverage> {
  const contracts = await listCoveringContracts(tx, organizationId, clientId);
  const serviceGroupIds = await listGroupsOf(tx, organizationId, serviceTypeId);
  const capped = contracts.flatMap(({ entitlements }) =>
    entitlements.filter(({ maxVisitsPerPeriod }) => maxVisitsPerPeriod !== undefined),
  );
  const held = await listHeldDays(
    tx,
    organizationId,
    capped.map(({ id }) => id),
    widestPeriod(capped, day, weekStart),
  );
  return findCoverage(contracts, held, { day, locationId, serviceTypeId, serviceGroupIds }, weekStart);
}
