import { daysAfter, daysBefore, daysBetween } from "../../core/dates.ts";
import { zoneOf } from "../../domain/due-changes/due-changes.ts";
import { invoiceDays, invoicedTerm } from "../../domain/invoicing/invoice-days.ts";
import type { PaymentMethod } from "../../domain/invoicing/values.ts";
import { dayStart } from "../../domain/recurrence/zones.ts";
import type { RecordOf } from "../bundle/schema.ts";
import type { DemoContract } from "./agreements.ts";
import { newChance } from "./chance.ts";
import { instantOn } from "./days.ts";
import type { DemoClient } from "./people.ts";

export type DemoInvoice = RecordOf<"invoice"> & { id: string };
export type DemoPayment = RecordOf<"payment"> & { id: string };

const METHODS: readonly (readonly [PaymentMethod, number])[] = [
  ["pix", 55],
  ["card", 25],
  ["cash", 13],
  ["transfer", 7],
];
const EXTRAS = [
  ["Água 500 ml", 600],
  ["Meia antiderrapante", 4_500],
  ["Avaliação física avulsa", 12_000],
] as const;

/** From when on the studio invoices: the first of a month, so that it has three months of life. */
export function demoInvoicesFrom(today: string): string {
  return `${daysBefore(today, 91).slice(0, 7)}-01`;
}

/**
 * What clients were invoiced and paid, by the rules by which the program issues it: drawn apart, so that the rest of the studio
 * stays as it was. Everything of yesterday or before; what is of today is open.
 */
export function demoMoney(
  seed: string,
  today: string,
  timezone: string,
  clients: readonly DemoClient[],
  contracts: readonly DemoContract[],
): { readonly invoices: DemoInvoice[]; readonly payments: DemoPayment[] } {
  const chance = newChance(`${seed} money`);
  const zone = zoneOf(timezone);
  const invoicesFrom = demoInvoicesFrom(today);
  const issued: (Omit<DemoInvoice, "number"> & { readonly at: number })[] = [];
  const add = (
    at: number,
    invoice: Pick<DemoInvoice, "clientId" | "description" | "issuedOn" | "amountCents">,
  ) =>
    issued.push({ id: chance.id(at), at, ...invoice, dueOn: invoice.issuedOn, paidCents: 0, status: "open" });
  for (const contract of contracts) {
    const { pauses = [], status, priceCents, clientId, id: contractId } = contract;
    if (status === "paused" && pauses.length === 0) continue;
    const term = invoicedTerm({ ...contract, pauses, isCancelledHere: false }, zone);
    for (const { periodNumber, day, ...days } of invoiceDays(term, new Set(), invoicesFrom)) {
      if (day > today) break;
      add(dayStart(zone, day), {
        clientId,
        description: contract.planName,
        issuedOn: day,
        amountCents: priceCents,
      });
      Object.assign(issued.at(-1) as object, { contractId, period: periodNumber, ...days });
    }
  }
  const buyers = clients.filter(({ status }) => status === "active");
  for (let day = invoicesFrom; day < today; day = daysAfter(day, chance.between(1, 4))) {
    const [description, amountCents] = chance.pick(EXTRAS);
    const { id: clientId } = chance.pick(buyers);
    add(Date.parse(instantOn(chance, day)), { clientId, description, issuedOn: day, amountCents });
  }
  issued.sort((one, other) => (one.id < other.id ? -1 : 1));
  const paid: Omit<DemoPayment, "number">[] = [];
  const invoices = issued.map(({ at: _, ...drawn }, place): DemoInvoice => {
    const invoice = { ...drawn, number: place + 1 };
    const { id, clientId, issuedOn, amountCents } = invoice;
    const paidOn = daysAfter(
      issuedOn,
      chance.weighted([
        [0, 60],
        [chance.between(1, 3), 25],
        [chance.between(4, 25), 15],
      ]),
    );
    // The older it is, the fewer are still open.
    const isPaid = paidOn < today && chance.odds(daysBetween(issuedOn, today) > 45 ? 0.985 : 0.93);
    if (!isPaid) return invoice;
    const isPart = chance.odds(0.02);
    const paidCents = isPart ? Math.floor(amountCents / 2) : amountCents;
    const restCents = !isPart && chance.odds(0.02) ? chance.between(5, 50) * 100 : 0;
    const createdAt = instantOn(chance, paidOn);
    paid.push({
      id: chance.id(Date.parse(createdAt)),
      clientId,
      type: "payment",
      method: chance.weighted(METHODS),
      amountCents: paidCents + restCents,
      restCents,
      paidOn,
      status: "done",
      allocations: [{ invoiceId: id, amountCents: paidCents }],
      createdAt,
    });
    return { ...invoice, paidCents, status: isPart ? "open" : "paid" };
  });
  paid.sort((one, other) => (one.id < other.id ? -1 : 1));
  return { invoices, payments: paid.map((payment, place) => ({ ...payment, number: place + 1 })) };
}
