import { daysAfter } from "../../src/core/dates.ts";
import { newId } from "../support/ids.ts";
import type { Studio } from "./studio.ts";

/** Numbers that fast-check has drawn, taken one after the other; a smaller one is a simpler choice. */
export class Draws {
  readonly #numbers: readonly number[];
  #taken = 0;

  constructor(numbers: readonly number[]) {
    this.#numbers = numbers;
  }

  /** From 0 up to, but not including, `count`. */
  below(count: number): number {
    const number = this.#numbers[this.#taken++ % this.#numbers.length] ?? 0;
    return number % count;
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error("there is nothing to pick from");
    return item;
  }

  /** In one of so many cases. */
  once(cases: number): boolean {
    return this.below(cases) === cases - 1;
  }

  /** One of the ids, now and then one that there is not. */
  id(ids: readonly string[]): string {
    return ids.length === 0 || this.once(16) ? newId() : this.pick(ids);
  }

  some(ids: readonly string[]): string[] {
    return ids.filter(() => this.once(2));
  }

  /** Some of the members, so that each may be left out. */
  members(members: object): object {
    return Object.fromEntries(Object.entries(members).filter(() => !this.once(3)));
  }
}

const ZONES = ["America/Sao_Paulo", "America/Manaus", "Europe/Lisbon"];
const DOCUMENTS = ["52998224725", "11144477735", "00000000191"];
const reason = "as agreed";
const basis = "on request";

/** What each write is given. Most of it is valid; what is not must be refused and change nothing. */
export const INPUTS: Readonly<Record<string, (draws: Draws, studio: Studio) => object>> = {
  addStaff: (draws, studio) => ({
    name: draws.pick(["Joana", "Rafael"]),
    email: `${draws.pick(["joana", "rafael", "caio", "lia"])}@example.com`,
    role: draws.pick(["owner", "manager", "front_desk"]),
    ...places(draws, studio),
  }),
  editStaff: (draws, studio) => ({
    staffId: draws.id(studio.ids("staff")),
    changes: draws.members({
      name: draws.pick(["Joana", "Rafael"]),
      role: draws.pick(["owner", "manager", "front_desk"]),
    }),
  }),
  linkStaff: (draws, studio) => ({ staffId: draws.id(studio.ids("staff")) }),
  revokeLink: (draws, studio) => ({ linkId: draws.id(studio.ids("staff_links")) }),
  removeStaff: (draws, studio) => ({ staffId: draws.id(studio.ids("staff")) }),
  editSettings: (draws, studio) => ({
    changes: draws.members({
      cancelWindowMinutes: draws.pick([0, 60, 180]),
      weekStart: draws.pick(["monday", "sunday"]),
      invoicesFrom: draws.pick([null, daysAfter(studio.today, -40), daysAfter(studio.today, -3)]),
      paymentDays: draws.pick([0, 10]),
    }),
  }),
  editOrganization: (draws) => ({
    changes: draws.members({ name: draws.pick(["Estúdio Aurora", "Aurora"]) }),
  }),
  colorCalendar: (draws, studio) => ({
    by: draws.pick(["service", "teacher", "none"]),
    colors: [{ id: draws.id(studio.ids("service_types")), color: draws.pick(["red", "teal", null]) }],
  }),
  mintKey: (draws) => ({ name: draws.pick(["Site", "Report"]) }),
  rotateKey: (draws, studio) => ({ keyId: draws.id(studio.ids("keys")) }),
  revokeKey: (draws, studio) => ({ keyId: draws.id(studio.ids("keys")) }),
  mintCalendarLink: (draws, studio) =>
    draws.members({
      name: draws.pick(["Centro", "Site"]),
      clientId: draws.id(studio.ids("clients")),
      locationId: draws.id(studio.ids("locations")),
      serviceTypeId: draws.id(studio.ids("service_types")),
      expires: draws.pick(["1d", "90d"]),
    }),
  rotateCalendarLink: (draws, studio) => ({
    calendarLinkId: draws.id(studio.ids("ics_links")),
    overlap: draws.pick(["0s", "24h"]),
  }),
  revokeCalendarLink: (draws, studio) => ({ calendarLinkId: draws.id(studio.ids("ics_links")) }),

  addLocation: (draws) => ({ name: draws.pick(["Centro", "Norte"]), timezone: draws.pick(ZONES) }),
  editLocation: (draws, studio) => ({
    locationId: draws.id(studio.ids("locations")),
    changes: draws.members({
      name: draws.pick(["Centro", "Norte"]),
      address: draws.pick([null, "Rua 1"]),
      timezone: draws.pick(ZONES),
    }),
  }),
  closeLocation: (draws, studio) => ({ locationId: draws.id(studio.ids("locations")) }),
  reopenLocation: (draws, studio) => ({ locationId: draws.id(studio.ids("locations")) }),
  deleteLocation: (draws, studio) => ({ locationId: draws.id(studio.ids("locations")) }),

  addServiceGroup: (draws, studio) => ({
    name: "Todas",
    serviceTypeIds: draws.some(studio.ids("service_types")),
  }),
  editServiceGroup: (draws, studio) => ({
    serviceGroupId: draws.id(studio.ids("service_groups")),
    changes: draws.members({
      name: draws.pick(["Todas", "Outras"]),
      serviceTypeIds: draws.some(studio.ids("service_types")),
    }),
  }),
  deleteServiceGroup: (draws, studio) => ({ serviceGroupId: draws.id(studio.ids("service_groups")) }),

  addServiceType: (draws) => ({ name: draws.pick(["Pilates", "Yoga"]), holdsResource: draws.once(3) }),
  editServiceType: (draws, studio) => ({
    serviceTypeId: draws.id(studio.ids("service_types")),
    changes: draws.members({
      name: draws.pick(["Pilates", "Yoga"]),
      description: draws.pick([null, "For all"]),
      holdsResource: draws.once(2),
    }),
  }),
  archiveServiceType: (draws, studio) => ({ serviceTypeId: draws.id(studio.ids("service_types")) }),
  restoreServiceType: (draws, studio) => ({ serviceTypeId: draws.id(studio.ids("service_types")) }),
  deleteServiceType: (draws, studio) => ({ serviceTypeId: draws.id(studio.ids("service_types")) }),

  addResource: (draws) => ({ name: draws.pick(["Carla", "Sala 1"]), kind: draws.pick(["person", "room"]) }),
  editResource: (draws, studio) => ({
    resourceId: draws.id(studio.ids("resources")),
    changes: draws.members({
      name: draws.pick(["Carla", "Sala 2"]),
      kind: draws.pick(["room", "equipment"]),
    }),
  }),
  archiveResource: (draws, studio) => ({ resourceId: draws.id(studio.ids("resources")) }),
  restoreResource: (draws, studio) => ({ resourceId: draws.id(studio.ids("resources")) }),

  addPlan: (draws, studio) => newPlan(draws, studio),
  editPlan: (draws, studio) => {
    const { name, priceCents, terms, entitlements, locationIds } = newPlan(draws, studio);
    return {
      planId: draws.id(studio.ids("plans")),
      changes: draws.members({
        name,
        priceCents,
        terms: terms ?? null,
        entitlements,
        ...(locationIds ? { locationIds, allLocations: false } : { locationIds: [], allLocations: true }),
      }),
      applyTo: draws.pick(["all", "new"]),
    };
  },
  archivePlan: (draws, studio) => ({ planId: draws.id(studio.ids("plans")) }),
  restorePlan: (draws, studio) => ({ planId: draws.id(studio.ids("plans")) }),
  deletePlan: (draws, studio) => ({ planId: draws.id(studio.ids("plans")) }),

  addClient: (draws, studio) => person(draws, studio),
  editClient: (draws, studio) => ({
    clientId: draws.id(studio.ids("clients")),
    changes: draws.members(person(draws, studio)),
  }),
  archiveClient: (draws, studio) => ({ clientId: draws.id(studio.ids("clients")) }),
  restoreClient: (draws, studio) => ({ clientId: draws.id(studio.ids("clients")) }),

  sellContract: (draws, studio) => ({
    clientId: draws.id(studio.ids("clients")),
    planId: draws.id(studio.ids("plans")),
    startDate: daysAfter(studio.today, draws.below(50) - 20),
    ...(draws.once(3) && { priceCents: draws.pick([0, 9_900]) }),
    ...(draws.once(3) && { termsResponse: draws.pick(["accepted", "declined"]) }),
    ...(draws.once(4) && { locationIds: [draws.id(studio.ids("locations"))] }),
    ...(draws.once(3) && { payment: { method: "pix", ...(draws.once(2) && { amountCents: 5_000 }) } }),
  }),
  voidSale: (draws, studio) => ({
    contractId: draws.id(studio.ids("contracts")),
    ...(draws.once(2) && { voidPayments: draws.once(2) }),
  }),
  recordPayment: (draws, studio) => ({
    clientId: draws.id(studio.ids("clients")),
    amountCents: draws.pick([1, 500, 9_900, 50_000]),
    method: draws.pick(["cash", "pix", "card"]),
    ...(draws.once(3) && {
      invoiceIds: [draws.id(studio.ids("invoices")), draws.id(studio.ids("invoices"))],
    }),
    ...(draws.once(3) && { note: "At the desk", paidOn: daysAfter(studio.today, -draws.below(20)) }),
  }),
  useBalance: (draws, studio) => ({
    clientId: draws.id(studio.ids("clients")),
    ...(draws.once(3) && { invoiceIds: [draws.id(studio.ids("invoices"))] }),
  }),
  voidPayment: (draws, studio) => ({ paymentId: draws.id(studio.ids("payments")), reason }),
  refund: (draws, studio) => ({
    clientId: draws.id(studio.ids("clients")),
    amountCents: draws.pick([1, 400]),
    method: "cash",
    reason,
  }),
  addInvoice: (draws, studio) => ({
    clientId: draws.id(studio.ids("clients")),
    description: draws.pick(["Water", "Towel"]),
    amountCents: draws.pick([1, 600, 2_000]),
  }),
  editInvoice: (draws, studio) => ({
    invoiceId: draws.id(studio.ids("invoices")),
    changes: draws.members({
      amountCents: draws.pick([0, 300, 20_000]),
      dueOn: daysAfter(studio.today, draws.below(30)),
    }),
    reason,
  }),
  voidInvoice: (draws, studio) => ({ invoiceId: draws.id(studio.ids("invoices")), reason }),
  answerTerms: (draws, studio) => ({
    contractId: draws.id(studio.ids("contracts")),
    termsResponse: draws.pick(["accepted", "declined"]),
  }),
  blockAccess: (draws, studio) => ({ contractId: draws.id(studio.ids("contracts")), reason }),
  unblockAccess: (draws, studio) => ({ contractId: draws.id(studio.ids("contracts")) }),
  adjustCredits: (draws, studio) => ({
    entitlementId: draws.id(studio.ids("contract_entitlements")),
    by: draws.below(21) - 10,
    reason,
  }),
  setEndDate: (draws, studio) => ({
    contractId: draws.id(studio.ids("contracts")),
    endDate: draws.once(5) ? null : daysAfter(studio.today, draws.below(80) - 5),
    reason,
  }),
  pauseContract: (draws, studio) => {
    const firstDay = daysAfter(studio.today, draws.below(40) - 15);
    return {
      contractId: draws.id(studio.ids("contracts")),
      firstDay,
      ...(!draws.once(3) && { lastDay: daysAfter(firstDay, draws.below(20)) }),
      extendsTerm: !draws.once(3),
    };
  },
  endPause: (draws, studio) => ({
    contractId: draws.id(studio.ids("contracts")),
    firstDayBack: daysAfter(studio.today, draws.below(20) - 2),
  }),
  cancelContract: (draws, studio) => ({
    contractId: draws.id(studio.ids("contracts")),
    ...(draws.once(2) ? { now: true } : { lastDay: daysAfter(studio.today, draws.below(30) - 1) }),
    reason,
  }),
  reinstateContract: (draws, studio) => ({ contractId: draws.id(studio.ids("contracts")) }),

  exportClient: (draws, studio) => ({ clientId: draws.id(studio.ids("clients")) }),
  eraseClient: (draws, studio) => ({ clientId: draws.id(studio.ids("clients")), basis }),
  undoImport: (draws) => ({ importId: draws.id([]) }),
};

function places(draws: Draws, studio: Studio): { allLocations: boolean; locationIds: string[] } {
  const locationIds = draws.once(3) ? draws.some(studio.ids("locations")) : [];
  return { allLocations: locationIds.length === 0, locationIds };
}

function person(draws: Draws, studio: Studio): object {
  return {
    contactName: draws.pick(["Ana", "Bruno", "Caio"]),
    contactEmail: draws.pick(["ana@example.com", "bruno@example.com"]),
    notes: draws.pick(["Mornings", "Evenings"]),
    locationIds: [draws.id(studio.ids("locations"))],
    ...(draws.once(3) && { idDocument: { type: "cpf", value: draws.pick(DOCUMENTS) } }),
  };
}

interface PlanDraft {
  readonly name: string;
  readonly priceCents: number;
  readonly terms?: string;
  readonly entitlements: object[];
  readonly locationIds?: string[];
}

function newPlan(draws: Draws, studio: Studio): PlanDraft & Record<string, unknown> {
  const scope = () =>
    draws.pick([
      {},
      {},
      { serviceTypeId: draws.id(studio.ids("service_types")) },
      { serviceGroupId: draws.id(studio.ids("service_groups")) },
    ]);
  const access = draws.pick([
    { type: "access", ...scope() },
    { type: "access", period: "week", maxVisitsPerPeriod: 1 + draws.below(4), ...scope() },
  ]);
  const grants = [{ type: "credits", creditQuantity: 1 + draws.below(9), ...scope() }, access];
  const chosen = draws.some(studio.ids("locations"));
  return {
    name: draws.pick(["Mensal", "Pacote"]),
    priceCents: draws.pick([15_000, 25_000]),
    ...(draws.once(2)
      ? { billingKind: "recurring", billingInterval: "month" }
      : {
          billingKind: "one_time",
          durationCount: 1 + draws.below(40),
          durationUnit: draws.pick(["day", "week"]),
        }),
    isTrial: draws.once(6),
    ...(draws.once(2) && { terms: "Be kind." }),
    ...(chosen.length > 0 && draws.once(3) && { locationIds: chosen, allLocations: false }),
    entitlements: draws.once(3) ? grants.slice(1) : grants,
  };
}
