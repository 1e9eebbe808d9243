import { daysAfter, daysBefore, daysBetween } from "../../core/dates.ts";
import { type Contract, exampleContract } from "../../domain/contracts/schema.ts";
import { endOfTerm } from "../../domain/contracts/term.ts";
import type { Plan } from "../../domain/plans/schema.ts";
import { type Catalog, CURRENCY, idOf } from "./catalog.ts";
import type { Chance } from "./chance.ts";
import { instantOn, latest } from "./days.ts";
import { type DemoClient, FIRST_DAYS } from "./people.ts";

const MAX_CONTRACTS = 6;
/** The day on which the monthly plan lost its assessment: contracts before it had the grant withdrawn. */
const REVOKED_DAYS_AGO = 45;

/** What each client bought, one contract after the other: a trial, then packs and subscriptions. */
export function demoContracts(
  chance: Chance,
  today: string,
  catalog: Catalog,
  clients: readonly DemoClient[],
): Contract[] {
  const contracts = [firstContract(today)];
  for (const client of clients) {
    if (client.id === exampleContract.clientId) continue;
    let startDate = client.createdAt.slice(0, 10);
    for (let bought = 0; bought < MAX_CONTRACTS && startDate < today; bought++) {
      const plan = choosePlan(chance, catalog, client, startDate, bought === 0);
      if (!plan) break;
      const contract = drawContract(chance, today, catalog, client, plan, startDate);
      contracts.push(contract);
      // Who still has a contract that runs, or has left, does not buy another.
      if (contract.endDate === undefined || contract.endDate >= today || !chance.odds(0.72)) break;
      startDate = daysAfter(contract.endDate, chance.between(1, 25));
    }
  }
  return contracts.sort((one, other) => (one.id < other.id ? -1 : 1));
}

/** The contract of the published examples: its client's only one, and it still runs. */
function firstContract(today: string): Contract {
  const startDate = daysBefore(today, FIRST_DAYS);
  return {
    ...exampleContract,
    startDate,
    termsRespondedAt: `${startDate}T13:31:00.000Z`,
    createdAt: `${startDate}T13:25:00.000Z`,
    updatedAt: `${startDate}T13:31:00.000Z`,
  };
}

function choosePlan(
  chance: Chance,
  { plans }: Catalog,
  client: DemoClient,
  date: string,
  isFirst: boolean,
): Plan | undefined {
  if (isFirst && chance.odds(0.06)) return undefined;
  const isTrial = isFirst && chance.odds(0.7);
  const sold = plans.filter(
    (plan) =>
      plan.isTrial === isTrial &&
      plan.createdAt.slice(0, 10) <= date &&
      (plan.status === "active" || plan.updatedAt.slice(0, 10) > date) &&
      (plan.allLocations || plan.locationIds.some((id) => client.locationIds.includes(id))),
  );
  return sold.length > 0 ? chance.pick(sold) : undefined;
}

function drawContract(
  chance: Chance,
  today: string,
  catalog: Catalog,
  client: DemoClient,
  plan: Plan,
  startDate: string,
): Contract {
  // On the day of signup the client's own record comes first.
  const createdMs = Math.max(
    Date.parse(instantOn(chance, startDate)),
    Date.parse(client.createdAt) + chance.between(90_000, 900_000),
  );
  const createdAt = new Date(createdMs).toISOString();
  const term = endOfTerm(startDate, plan);
  const timeline = drawTimeline(chance, today, client, plan, startDate, term);
  const response = plan.terms === undefined ? undefined : drawResponse(chance);
  const respondedAt = new Date(createdMs + chance.between(60_000, 7_200_000)).toISOString();
  // A plan that has since been deleted is gone from the contract; the snapshot stays.
  const planIsGone = plan.billingKind === "one_time" && !plan.isTrial && chance.odds(0.06);
  const entitlements = plan.entitlements.map((grant) =>
    drawEntitlement(chance, today, catalog, plan, grant, createdMs, timeline.status),
  );
  const revocations = entitlements.map(({ revokedAt }) => revokedAt);

  return {
    id: chance.id(createdMs),
    clientId: client.id,
    ...(!planIsGone && { planId: plan.id }),
    planName: planIsGone ? "Pacote de verão" : plan.name,
    priceCents: priceAt(plan, startDate, today),
    currency: CURRENCY,
    isTrial: plan.isTrial,
    billingKind: plan.billingKind,
    ...(plan.billingInterval !== undefined && { billingInterval: plan.billingInterval }),
    startDate,
    ...(timeline.endDate !== undefined && { endDate: timeline.endDate }),
    status: timeline.status,
    accessBlocked: response === "declined" || (timeline.status === "active" && chance.odds(0.06)),
    allLocations: plan.allLocations,
    locationIds: plan.locationIds.filter((id) => client.locationIds.includes(id)),
    ...(timeline.cancelledAt !== undefined && { cancelledAt: timeline.cancelledAt }),
    ...(response !== undefined && { termsResponse: response, termsRespondedAt: respondedAt }),
    entitlements,
    createdAt,
    updatedAt: latest(createdAt, timeline.changedAt, response && respondedAt, ...revocations),
  };
}

interface Course {
  readonly status: Contract["status"];
  readonly endDate?: string | undefined;
  readonly cancelledAt?: string;
  readonly changedAt?: string;
}

/** How it went on: to its end, broken off, paused, or it still runs. */
function drawTimeline(
  chance: Chance,
  today: string,
  client: DemoClient,
  plan: Plan,
  startDate: string,
  term: string | undefined,
): Course {
  const yesterday = daysBefore(today, 1);
  const isOver = term !== undefined && term < today;
  // Nobody leaves with a contract that still runs.
  const leaves = client.status === "archived" && !isOver;
  if (leaves || (plan.billingKind === "recurring" && chance.odds(0.35))) {
    const days = Math.floor(chance.fraction() * daysBetween(startDate, isOver ? term : yesterday));
    const cancelledAt = instantOn(chance, daysAfter(startDate, Math.max(days, 1)));
    const cancelled = cancelledAt.slice(0, 10);
    if (cancelled <= yesterday) {
      // Paid to the end of the month of notice, unless the term ends before.
      const notice = daysAfter(cancelled, chance.odds(0.5) ? 0 : 30);
      const endDate = term !== undefined && term < notice ? term : notice;
      // Until its last day is over it runs, unless the client has left for good.
      const status = endDate < today || leaves ? "cancelled" : "active";
      return { status, endDate, cancelledAt, changedAt: cancelledAt };
    }
  }
  if (isOver) {
    return { status: "expired", endDate: term, changedAt: `${daysAfter(term, 1)}T02:55:00.000Z` };
  }
  if (!plan.isTrial && startDate < daysBefore(today, 15) && chance.odds(0.1)) {
    const pausedAt = instantOn(chance, daysBefore(today, chance.between(1, 14)));
    return { status: "paused", endDate: term, changedAt: pausedAt };
  }
  return { status: "active", endDate: term };
}

function drawEntitlement(
  chance: Chance,
  today: string,
  { serviceTypes }: Catalog,
  plan: Plan,
  grant: Plan["entitlements"][number],
  createdMs: number,
  status: Contract["status"],
): Contract["entitlements"][number] {
  const { creditQuantity, ...kept } = grant;
  const left = status === "expired" ? Math.min(creditQuantity ?? 0, 2) : (creditQuantity ?? 0);
  const revokedAt = `${daysBefore(today, REVOKED_DAYS_AGO)}T15:20:00.000Z`;
  const isRevoked =
    plan.name === "Mensal livre" &&
    grant.serviceTypeId === idOf(serviceTypes, "Avaliação física") &&
    createdMs < Date.parse(revokedAt) &&
    (status === "active" || status === "paused");
  return {
    id: chance.id(createdMs),
    ...kept,
    ...(creditQuantity !== undefined && { remainingCredits: chance.between(0, left) }),
    ...(isRevoked && { revokedAt }),
  };
}

/** Prices went up a year ago; who signed before keeps what was agreed. */
function priceAt(plan: Plan, startDate: string, today: string): number {
  const isOld = startDate < daysBefore(today, 365);
  return isOld ? Math.round((plan.priceCents * 0.9) / 100) * 100 : plan.priceCents;
}

function drawResponse(chance: Chance): "accepted" | "declined" | undefined {
  return chance.weighted<"accepted" | "declined" | undefined>([
    ["accepted", 88],
    ["declined", 3],
    [undefined, 9],
  ]);
}
