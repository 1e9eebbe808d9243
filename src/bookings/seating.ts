import type { ActedSession } from "../calendar/acted-session.ts";
import type { OpenOrganization } from "../contracts/open-organization.ts";
import { AppError, refusal } from "../core/errors.ts";
import { newId } from "../core/ids.ts";
import type { Database } from "../db/database.ts";
import { claimResources } from "../resources/claims.ts";
import {
  type Coverage,
  type CoveringContract,
  type Draw,
  findCoverage,
  periodAround,
  type WeekStart,
} from "./coverage.ts";
import type { Footprint } from "./footprint.ts";
import * as queries from "./queries.ts";
import { freeUntil } from "./rules.ts";

/** How a client gets a seat and what it draws on, and how both are given back. The session is locked. */

/** What is to be drawn on: the first choice if nothing is said. */
export interface DrawChoice {
  readonly entitlementId?: string | undefined;
  readonly uncovered?: { readonly reason: string } | undefined;
}

/** What a booking draws on, or why on nothing. */
export type Drawn =
  | { readonly contractId: string; readonly entitlementId: string; readonly uncoveredReason?: undefined }
  | { readonly uncoveredReason: string; readonly contractId?: undefined; readonly entitlementId?: undefined };

/** Takes a free seat, and the session's resources if it is the first. */
export async function takeFreeSeat(
  open: OpenOrganization,
  session: ActedSession,
  footprint: Footprint,
): Promise<void> {
  const { tx, organizationId } = open;
  const taken = await queries.takeSeat(tx, organizationId, session.id);
  if (taken === undefined) {
    const { capacity, bookedCount } = session;
    const waiting =
      (await queries.countSeatsOf(tx, organizationId, [session.id])).get(session.id)?.waiting ?? 0;
    throw refusal("full", { facts: { capacity, bookedCount, waiting } });
  }
  footprint.sessionIds.add(session.id);
  if (taken === 1) await claimResources(open, session);
}

/** Gives back the seats of bookings that were ended. */
export async function giveSeatsBack(
  { tx, organizationId }: OpenOrganization,
  sessionId: string,
  seats: number,
  footprint: Footprint,
): Promise<void> {
  await queries.freeSeats(tx, organizationId, sessionId, seats);
  footprint.sessionIds.add(sessionId);
}

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
    if (!(await queries.takeCredit(tx, organizationId, entitlementId)))
      throw new Error("a credit that was there under the lock of its contract is gone");
    footprint.contractIds.add(contractId);
  }
  return { contractId, entitlementId };
}

/** Gives back the credits that bookings drew, to the entitlements that gave them, whatever has become of those. */
export async function returnDraws(
  { tx, organizationId }: OpenOrganization,
  bookings: readonly queries.StoredBooking[],
  footprint: Footprint,
): Promise<void> {
  const drawn = bookings.flatMap(({ entitlementId }) => entitlementId ?? []);
  if (drawn.length === 0) return;
  const contractIds = bookings.flatMap(({ contractId }) => contractId ?? []);
  await queries.lockDrawn(tx, organizationId, contractIds);
  for (const { contractId, credits } of await queries.returnCredits(tx, organizationId, drawn)) {
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
  await queries.lockContractsOf(open.tx, open.organizationId, clientId);
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
  const contracts = await queries.listCoveringContracts(tx, organizationId, clientId);
  const serviceGroupIds = await queries.listGroupsOf(tx, organizationId, serviceTypeId);
  const capped = contracts.flatMap(({ entitlements }) =>
    entitlements.filter(({ maxVisitsPerPeriod }) => maxVisitsPerPeriod !== undefined),
  );
  const held = await queries.listHeldDays(
    tx,
    organizationId,
    capped.map(({ id }) => id),
    widestPeriod(capped, day, weekStart),
  );
  return findCoverage(contracts, held, { day, locationId, serviceTypeId, serviceGroupIds }, weekStart);
}

/** The days that the periods of these entitlements reach over. */
function widestPeriod(
  entitlements: CoveringContract["entitlements"],
  day: string,
  weekStart: WeekStart,
): { readonly firstDay: string; readonly lastDay: string } {
  const periods = entitlements.map(({ period }) => periodAround(day, period, weekStart));
  return {
    firstDay: periods.reduce((least, { firstDay }) => (firstDay < least ? firstDay : least), day),
    lastDay: periods.reduce((most, { lastDay }) => (lastDay > most ? lastDay : most), day),
  };
}

/** Stores a booking for a seat that is taken, and closes the client's place in the line. */
export async function storeBooking(
  { tx, organizationId, at, now }: OpenOrganization,
  session: ActedSession,
  clientId: string,
  drawn: Drawn,
  footprint: Footprint,
  toTell = false,
): Promise<string> {
  const id = newId(now);
  const { id: sessionId, day } = session;
  await queries.insertBooking(tx, organizationId, { id, sessionId, clientId, day, ...drawn, toTell }, at);
  await queries.leaveLine(tx, organizationId, { sessionId, clientId }, now, id);
  footprint.bookings++;
  return id;
}

/**
 * Puts people from the line into free seats, the first who is covered first, for as long as they could still leave
 * without loss. Who is not covered keeps the place.
 */
export async function promoteLine(
  open: OpenOrganization,
  session: ActedSession,
  footprint: Footprint,
): Promise<void> {
  const { tx, organizationId, organization, now } = open;
  if (session.status !== "scheduled" || now > freeUntil(session, organization.cancelWindowMinutes)) return;
  for (const { clientId } of await queries.listLine(tx, organizationId, session.id)) {
    const outcome = await promote(open, session, clientId, footprint);
    if (outcome === "promoted") footprint.promoted++;
    if (outcome === "no_seat") return;
  }
}

async function promote(
  open: OpenOrganization,
  session: ActedSession,
  clientId: string,
  footprint: Footprint,
): Promise<"promoted" | "no_seat" | "not_covered"> {
  const { tx, organizationId } = open;
  const visitor = await queries.lockVisitor(tx, organizationId, clientId);
  if (!visitor || visitor.isErased || visitor.status === "archived") return "not_covered";
  const { draws } = await lockCoverage(open, session, clientId);
  const [first] = draws;
  if (!first) return "not_covered";
  try {
    // In a savepoint: if the resource went to somebody else meanwhile, the seat stays free.
    await tx.transaction((inner) => takeFreeSeat({ ...open, tx: inner }, session, footprint));
  } catch (error) {
    const code = error instanceof AppError ? error.detail?.code : undefined;
    if (code === "full" || code === "resource_busy") return "no_seat";
    throw error;
  }
  const drawn = await takeDraw(open, first, footprint);
  await storeBooking(open, session, clientId, drawn, footprint, true);
  return "promoted";
}
