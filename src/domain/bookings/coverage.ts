import { daysAfter, daysBefore, daysInMonth } from "../../core/dates.ts";
import { isPausedByImport, type Pause } from "../contract-status/status-timeline.ts";
import type { ContractStatus, TermsResponse } from "../contract-status/values.ts";
import type { ContractEntitlement, Plan } from "../plans/schema.ts";

/**
 * Which entitlement of a client covers a session, or why none does. It follows from the contracts, what was drawn on them
 * and the session's own date alone: all days are plain dates, never converted between zones.
 */

/** Why a contract, or one of its entitlements, does not cover a session. The first test that fails counts. */
const CONTRACT_REASONS = [
  "cancelled",
  "begins_later",
  "ended",
  "paused",
  "blocked",
  "declined",
  "elsewhere",
] as const;
const ENTITLEMENT_REASONS = ["revoked", "other_service", "cap_reached", "no_credits"] as const;

export type ContractReason = (typeof CONTRACT_REASONS)[number];
export type EntitlementReason = (typeof ENTITLEMENT_REASONS)[number];

export type CoveringEntitlement = ContractEntitlement;

export interface CoveringContract extends Pick<Plan, "allLocations" | "locationIds"> {
  readonly id: string;
  readonly status: ContractStatus;
  readonly startDate: string;
  readonly endDate?: string;
  readonly accessBlocked: boolean;
  readonly termsResponse?: TermsResponse;
  /** Whether it was cancelled with a last day: up to that day it counts, even when it is over. */
  readonly hasLastDay: boolean;
  readonly pauses: readonly Pause[];
  /** In the order of their positions. */
  readonly entitlements: readonly CoveringEntitlement[];
}

/** What is to be covered. */
export interface CoveredVisit {
  /** The date of the session's start on its location's clock. */
  readonly day: string;
  readonly locationId: string;
  readonly serviceTypeId: string;
  /** The groups that have its service type now. */
  readonly serviceGroupIds: readonly string[];
}

/** The days of the bookings that hold a draw, by entitlement; of those without a cap none need be given. */
export type HeldDays = ReadonlyMap<string, readonly string[]>;

/** As ISO 8601 counts: 1 is Monday, 7 is Sunday. */
export type WeekStart = 1 | 7;

export interface Draw {
  readonly contractId: string;
  readonly entitlementId: string;
  readonly type: CoveringEntitlement["type"];
}

export interface CoverageReason {
  readonly contractId: string;
  /** Absent if it is the contract as a whole. */
  readonly entitlementId?: string;
  readonly reason: ContractReason | EntitlementReason;
}

export interface Coverage {
  /** What covers it, the first choice first. */
  readonly draws: readonly Draw[];
  /** Why the others do not. */
  readonly reasons: readonly CoverageReason[];
}

/** What covers a visit equally well: grants of one contract, in its own order. */
interface RankedDraws {
  readonly contract: CoveringContract;
  /** What decides between kinds of grants, and then between their widths: the smaller first. */
  readonly kind: number;
  readonly width: number;
  readonly draws: Draw[];
}

/** What covers a visit, found contract by contract: between two of them others may have a turn. */
export class CoverageSearch {
  readonly #held: HeldDays;
  readonly #visit: CoveredVisit;
  readonly #weekStart: WeekStart;
  readonly #ranked: RankedDraws[] = [];
  readonly #reasons: CoverageReason[] = [];

  constructor(held: HeldDays, visit: CoveredVisit, weekStart: WeekStart) {
    this.#held = held;
    this.#visit = visit;
    this.#weekStart = weekStart;
  }

  add(contract: CoveringContract): void {
    const contractId = contract.id;
    const contractReason = failedByContract(contract, this.#visit);
    if (contractReason !== undefined) {
      this.#reasons.push({ contractId, reason: contractReason });
      return;
    }
    const own: (RankedDraws | undefined)[] = [];
    for (const entitlement of contract.entitlements) {
      const { id: entitlementId, type } = entitlement;
      const held = this.#held.get(entitlementId) ?? [];
      const reason = failedByEntitlement(entitlement, held, this.#visit, this.#weekStart);
      if (reason !== undefined) this.#reasons.push({ contractId, entitlementId, reason });
      else {
        const { kind, width } = rankOf(entitlement);
        let ranked = own[3 * kind + width];
        if (!ranked) {
          ranked = { contract, kind, width, draws: [] };
          own[3 * kind + width] = ranked;
          this.#ranked.push(ranked);
        }
        ranked.draws.push({ contractId, entitlementId, type });
      }
    }
  }

  finish(): Coverage {
    const draws = this.#ranked.sort(compareRanks).flatMap((ranked) => ranked.draws);
    return { draws, reasons: this.#reasons };
  }
}

export function findCoverage(
  contracts: readonly CoveringContract[],
  held: HeldDays,
  visit: CoveredVisit,
  weekStart: WeekStart,
): Coverage {
  const search = new CoverageSearch(held, visit, weekStart);
  for (const contract of contracts) search.add(contract);
  return search.finish();
}

/** Whether an entitlement covers a visit whose draw it still holds: that takes no credit and counts no visit more. */
export function coversHeld(
  { draws, reasons }: Coverage,
  { contractId, entitlementId }: Pick<Draw, "contractId" | "entitlementId">,
): boolean {
  if (draws.some((each) => each.entitlementId === entitlementId)) return true;
  return reasons.some(
    (each) =>
      each.contractId === contractId &&
      each.entitlementId === entitlementId &&
      (each.reason === "cap_reached" || each.reason === "no_credits"),
  );
}

function failedByContract(
  contract: CoveringContract,
  { day, locationId }: CoveredVisit,
): ContractReason | undefined {
  const { status, startDate, endDate, pauses, termsResponse } = contract;
  if (status === "cancelled" && !contract.hasLastDay) return "cancelled";
  if (day < startDate) return "begins_later";
  const isEnded = endDate === undefined ? status === "expired" || status === "cancelled" : endDate < day;
  if (isEnded) return "ended";
  if (isPausedByImport(contract) || pauses.some((pause) => isWithin(day, pause))) return "paused";
  if (contract.accessBlocked) return "blocked";
  if (termsResponse === "declined") return "declined";
  return contract.allLocations || contract.locationIds.includes(locationId) ? undefined : "elsewhere";
}

function isWithin(day: string, { firstDay, lastDay }: Pause): boolean {
  return firstDay <= day && (lastDay === undefined || day <= lastDay);
}

function failedByEntitlement(
  entitlement: CoveringEntitlement,
  heldDays: readonly string[],
  visit: CoveredVisit,
  weekStart: WeekStart,
): EntitlementReason | undefined {
  const { type, period, maxVisitsPerPeriod, remainingCredits = 0, revokedAt } = entitlement;
  if (revokedAt !== undefined) return "revoked";
  if (!isInScope(entitlement, visit)) return "other_service";
  if (type === "credits") return remainingCredits >= 1 ? undefined : "no_credits";
  if (maxVisitsPerPeriod === undefined) return undefined;
  const { firstDay, lastDay } = periodAround(visit.day, period, weekStart);
  const held = heldDays.filter((day) => firstDay <= day && day <= lastDay).length;
  return held < maxVisitsPerPeriod ? undefined : "cap_reached";
}

/** With both, as an import may bring it, both must hold. */
function isInScope({ serviceTypeId, serviceGroupId }: CoveringEntitlement, visit: CoveredVisit): boolean {
  return (
    (serviceTypeId === undefined || serviceTypeId === visit.serviceTypeId) &&
    (serviceGroupId === undefined || visit.serviceGroupIds.includes(serviceGroupId))
  );
}

/** The days of the period that a day lies in; without a period, all. */
export function periodAround(
  day: string,
  period: CoveringEntitlement["period"],
  weekStart: WeekStart,
): { readonly firstDay: string; readonly lastDay: string } {
  if (period === undefined) return { firstDay: "0001-01-01", lastDay: "9999-12-31" };
  if (period === "day") return { firstDay: day, lastDay: day };
  if (period === "month") {
    const [year = 1, month = 1] = day.split("-").map(Number);
    const prefix = day.slice(0, "2026-11-".length);
    return { firstDay: `${prefix}01`, lastDay: `${prefix}${daysInMonth(year, month)}` };
  }
  // Sunday is 0 here, and 7 leaves the same remainder.
  const sinceStart = (new Date(day).getUTCDay() - weekStart + 7) % 7;
  const firstDay = daysBefore(day, sinceStart);
  return { firstDay, lastDay: daysAfter(firstDay, 6) };
}

/** The days that the periods of these entitlements reach over. */
export function widestPeriod(
  entitlements: readonly CoveringEntitlement[],
  day: string,
  weekStart: WeekStart,
): { readonly firstDay: string; readonly lastDay: string } {
  const periods = entitlements.map(({ period }) => periodAround(day, period, weekStart));
  return {
    firstDay: periods.reduce((least, { firstDay }) => (firstDay < least ? firstDay : least), day),
    lastDay: periods.reduce((most, { lastDay }) => (lastDay > most ? lastDay : most), day),
  };
}

/**
 * Access without a cap, access with one, credits; then what ends first; then what is narrowest.
 *
 * A: 4 credits for everything, to 12-31. B: 10 credits for Pilates, to 2027-03-01. C: access twice a week, no end.
 * Pilates draws C, C, then A.
 */
function rankOf({
  type,
  maxVisitsPerPeriod,
  serviceTypeId,
  serviceGroupId,
}: CoveringEntitlement): Pick<RankedDraws, "kind" | "width"> {
  return {
    kind: type === "credits" ? 2 : maxVisitsPerPeriod === undefined ? 0 : 1,
    width: serviceTypeId !== undefined ? 0 : serviceGroupId !== undefined ? 1 : 2,
  };
}

function compareRanks(one: RankedDraws, other: RankedDraws): number {
  const end = ({ contract: { endDate } }: RankedDraws) => endDate ?? "without end";
  const byText = (a: string, b: string) => (a === b ? 0 : a < b ? -1 : 1);
  return (
    one.kind - other.kind ||
    byText(end(one), end(other)) ||
    one.width - other.width ||
    byText(one.contract.id, other.contract.id)
  );
}
