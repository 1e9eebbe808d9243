import { unboundedEffort } from "../../core/effort.ts";
import { refusal } from "../../core/errors.ts";
import type { Database } from "../../db/database.ts";
import type { LockedSession } from "../calendar/locked-session.ts";
import type { OpenOrganization } from "../writes/transactions.ts";
import type { BookingEffects } from "./booking-effects.ts";
import {
  listCoveringContracts,
  listHeldDays,
  lockContractsOf,
  lockDrawn,
  returnCredits,
  takeCredits,
} from "./charge-queries.ts";
import {
  type Coverage,
  CoverageSearch,
  coversHeld,
  type Draw,
  type WeekStart,
  widestPeriod,
} from "./coverage.ts";
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
  session: LockedSession,
  clientId: string,
  { entitlementId, uncovered }: DrawChoice,
  effects: BookingEffects,
): Promise<Drawn> {
  if (uncovered) return { uncoveredReason: uncovered.reason };
  return charge(open, chooseDraw(await lockCoverage(open, session, clientId), entitlementId), effects);
}

/** What is drawn on of what covers a visit: the entitlement that is named, or the first. */
export function chooseDraw({ draws, reasons }: Coverage, entitlementId: string | undefined): Draw {
  const [first] = draws;
  if (!first) throw refusal("not_covered", { facts: { reasons } });
  if (entitlementId === undefined) return first;
  const chosen = draws.find((each) => each.entitlementId === entitlementId.toLowerCase());
  if (!chosen) throw refusal("not_offered", { facts: { reasons } });
  return chosen;
}

/** Draws on an entitlement that covers the visit. */
export async function charge(open: OpenOrganization, draw: Draw, effects: BookingEffects): Promise<Drawn> {
  await chargeAll(open, [draw], effects);
  const { contractId, entitlementId } = draw;
  return { contractId, entitlementId };
}

/** Draws once on each of these entitlements, for visits of as many clients. */
export async function chargeAll(
  { tx, organizationId }: OpenOrganization,
  draws: readonly Draw[],
  effects: BookingEffects,
): Promise<void> {
  const credits = draws.filter(({ type }) => type === "credits");
  if (credits.length === 0) return;
  await takeCredits(
    tx,
    organizationId,
    credits.map(({ entitlementId }) => entitlementId),
  );
  for (const { contractId } of credits) effects.contractIds.add(contractId);
}

/**
 * What a booking draws on that is brought back: coverage is asked again. The same entitlement if it covers the visit, else
 * another one of the client.
 */
export async function recharge(
  open: OpenOrganization,
  session: LockedSession,
  booking: StoredBooking,
  effects: BookingEffects,
): Promise<Drawn> {
  const { clientId, contractId, entitlementId, uncoveredReason } = booking;
  if (contractId === undefined || entitlementId === undefined)
    return { uncoveredReason: uncoveredReason ?? "" };
  const coverage = await lockCoverage(open, session, clientId);
  const isHeld = booking.state === "late_cancelled";
  if (isHeld && coversHeld(coverage, { contractId, entitlementId })) return { contractId, entitlementId };
  const { draws, reasons } = coverage;
  const chosen = draws.find((each) => each.entitlementId === entitlementId) ?? draws[0];
  if (!chosen) throw refusal("not_covered", { facts: { reasons } });
  if (isHeld) await returnDraws(open, [booking], effects);
  return charge(open, chosen, effects);
}

/** Gives back the credits that bookings drew, to the entitlements that gave them, whatever has become of those. */
export async function returnDraws(
  { tx, organizationId }: OpenOrganization,
  bookings: readonly StoredBooking[],
  effects: BookingEffects,
): Promise<void> {
  const drawn = bookings.flatMap(({ entitlementId }) => entitlementId ?? []);
  if (drawn.length === 0) return;
  const contractIds = bookings.flatMap(({ contractId }) => contractId ?? []);
  await lockDrawn(tx, organizationId, contractIds);
  for (const { contractId, credits } of await returnCredits(tx, organizationId, drawn)) {
    effects.contractIds.add(contractId);
    effects.creditsReturned += credits;
  }
}

/** What covers a visit, decided under the lock of the client's contracts, so that it holds until the commit. */
export async function lockCoverage(
  open: OpenOrganization,
  session: CoveredSession,
  clientId: string,
): Promise<Coverage> {
  return coverageOf(await lockCoverages(open, session, [clientId]), clientId);
}

/** The same for several clients, by client. */
export async function lockCoverages(
  open: OpenOrganization,
  session: CoveredSession,
  clientIds: readonly string[],
): Promise<ReadonlyMap<string, Coverage>> {
  const { tx, organizationId, organization } = open;
  const { weekStart } = organization;
  // Sent together, one after the other: each statement sees what was committed before it began, so after the locks.
  const [, coverages] = await Promise.all([
    lockContractsOf(tx, organizationId, clientIds),
    readCoverages({ tx, organizationId, weekStart }, session, clientIds),
  ]);
  return coverages;
}

/** Who has no contract is covered by nothing. */
function coverageOf(coverages: ReadonlyMap<string, Coverage>, clientId: string): Coverage {
  return coverages.get(clientId.toLowerCase()) ?? { draws: [], reasons: [] };
}

/** A session as far as coverage asks. */
export type CoveredSession = Pick<LockedSession, "day" | "locationId" | "serviceTypeId">;

/** Whose visit it is, and how its weeks are counted. */
interface CoverageContext {
  readonly tx: Database;
  readonly organizationId: string;
  readonly weekStart: WeekStart;
}

/** What would cover a visit now. */
export async function readCoverage(
  context: CoverageContext,
  session: CoveredSession,
  clientId: string,
): Promise<Coverage> {
  return coverageOf(await readCoverages(context, session, [clientId]), clientId);
}

async function readCoverages(
  { tx, organizationId, weekStart }: CoverageContext,
  { day, locationId, serviceTypeId }: CoveredSession,
  clientIds: readonly string[],
): Promise<ReadonlyMap<string, Coverage>> {
  const contracts = await listCoveringContracts(tx, organizationId, clientIds, serviceTypeId);
  const capped = contracts.flatMap(({ entitlements }) =>
    entitlements.filter(({ maxVisitsPerPeriod }) => maxVisitsPerPeriod !== undefined),
  );
  const held = await listHeldDays(
    tx,
    organizationId,
    capped.map(({ id }) => id),
    widestPeriod(capped, day, weekStart),
  );
  const { serviceGroupIds = [] } = contracts[0] ?? {};
  const visit = { day, locationId, serviceTypeId, serviceGroupIds };
  const searches = new Map<string, CoverageSearch>();
  const effort = unboundedEffort();
  for (const contract of contracts) {
    const search = searches.get(contract.clientId) ?? new CoverageSearch(held, visit, weekStart);
    searches.set(contract.clientId, search);
    search.add(contract);
    if (effort.isDue) await effort.pause();
  }
  return new Map([...searches].map(([id, search]) => [id, search.finish()]));
}
