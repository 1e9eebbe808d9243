import { daysBefore } from "../../core/dates.ts";
import { nextTurn } from "../../core/event-loop-turns.ts";
import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import type { Kind } from "../bundle/schema.ts";
import { withTermsAndPauses } from "./agreements.ts";
import { demoCalendar } from "./calendar.ts";
import { CURRENCY, demoCatalog } from "./catalog.ts";
import { newChance } from "./chance.ts";
import { demoContracts } from "./contracts.ts";
import { instantOn } from "./days.ts";
import { demoFortnight } from "./fortnight.ts";
import { demoInvoicesFrom, demoMoney } from "./money.ts";
import { demoClients } from "./people.ts";

/** A record of the bundle. */
export interface DemoRecord {
  readonly kind: Kind;
  readonly id: string;
}

export const DEMO_TIMEZONE = "America/Sao_Paulo";

export interface DemoWanted {
  readonly today: string;
  readonly now?: number;
  readonly seed?: string;
}

/**
 * A believable studio as the records of a bundle, in the order of an export. It depends on the arguments alone:
 * the same instant and seed give the same studio, down to its ids. Everything is dated relative to `today`, so that
 * the calendar around it is full. `now` is an instant of that day, noon in São Paulo unless given: it decides who has
 * come to the classes of today.
 */
export function demoStudio(wanted: DemoWanted): DemoRecord[] {
  const making = makeStudio(wanted);
  for (;;) {
    const { done, value } = making.next();
    if (done) return value;
  }
}

/** The same, a part in each turn of the event loop. */
export async function demoStudioInTurns(wanted: DemoWanted): Promise<DemoRecord[]> {
  const making = makeStudio(wanted);
  for (;;) {
    const { done, value } = making.next();
    if (done) return value;
    await nextTurn();
  }
}

/** Yields between its parts. */
function* makeStudio({
  today,
  now = Date.parse(`${today}T15:00:00.000Z`),
  seed = "aurora",
}: DemoWanted): Generator<undefined, DemoRecord[]> {
  const chance = newChance(seed);
  const joinedAt = instantOn(chance, daysBefore(today, 1_110));
  const organization = {
    id: EXAMPLE_IDS.organization,
    name: "Estúdio Aurora",
    timezone: DEMO_TIMEZONE,
    currency: CURRENCY,
    plan: "Pro",
    status: "active",
    joinedAt,
    invoicesFrom: demoInvoicesFrom(today),
  };
  const catalog = demoCatalog(chance, today);
  const clients = demoClients(chance, today, catalog);
  yield;
  const sold = demoContracts(chance, today, catalog, clients);
  yield;
  const calendar = demoCalendar(chance, today, catalog);
  const agreed = withTermsAndPauses(seed, today, catalog.plans, sold);
  yield;
  const fortnight = demoFortnight(seed, today, now, catalog, clients, agreed, calendar);
  yield;
  const money = demoMoney(seed, today, DEMO_TIMEZONE, clients, fortnight.contracts);
  yield;
  return [
    ...of("organization", [organization]),
    ...of("location", catalog.locations),
    ...of("resource", calendar.resources),
    ...of("serviceGroup", catalog.serviceGroups),
    ...of("serviceType", catalog.serviceTypes),
    ...of("plan", catalog.plans),
    ...of("client", clients),
    ...of("contract", fortnight.contracts),
    ...of("schedule", calendar.schedules),
    ...of("session", fortnight.sessions),
    ...of("booking", fortnight.bookings),
    ...of("waiting", fortnight.waiting),
    ...of("invoice", money.invoices),
    ...of("payment", money.payments),
  ];
}

function of(kind: Kind, records: readonly { readonly id: string }[]): DemoRecord[] {
  return records.map((record) => ({ kind, ...record })).sort((one, other) => (one.id < other.id ? -1 : 1));
}
