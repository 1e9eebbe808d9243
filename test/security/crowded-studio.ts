import { MAX_ENTITLEMENTS } from "../../src/core/limits.ts";
import { newId } from "../support/ids.ts";

/** How much of everything there is. */
export interface CrowdedSize {
  readonly clients: number;
  readonly minutely: number;
  readonly dated: number;
  readonly weekly: number;
  readonly bookings: number;
  /** Plans and contracts, each with all that it may have. */
  readonly full: number;
  readonly resources: number;
  /** Invoices, and as many payments, of one client. */
  readonly invoices: number;
}

/** Some seconds to import, and beyond what any studio has. */
export const CROWDED: CrowdedSize = {
  clients: 7_000,
  minutely: 110,
  dated: 220,
  weekly: 1_000,
  bookings: 6_000,
  full: 200,
  resources: 30_000,
  invoices: 10_000,
};

/** The ids of what is largest of its kind. */
export interface CrowdedIds {
  readonly locationId: string;
  readonly quietLocationId: string;
  readonly serviceTypeId: string;
  readonly serviceGroupId: string;
  readonly planId: string;
  readonly clientId: string;
  /** To be archived. */
  readonly spareClientId: string;
  readonly contractId: string;
  readonly entitlementId: string;
  /** With as many exception dates and extra dates as there may be. */
  readonly datedScheduleId: string;
  /** With a slot each minute. */
  readonly scheduleId: string;
  readonly sessionId: string;
  readonly bookingId: string;
  readonly resourceId: string;
  readonly invoiceId: string;
  readonly invoiceIds: readonly string[];
  /** Pays as many invoices as there are, a cent of each. */
  readonly paymentId: string;
}

const HOURS = range(24);
const MINUTES = range(60);
const MOST_DATES = 2_000;
const EARLY = "2025-01-01T00:00:00.000Z";

/** An organization at the limits of what can be stored, as lines of a bundle. `today` is a date. */
export function* crowdedStudio(size: CrowdedSize, today: string): Generator<object, CrowdedIds> {
  const locationIds = Array.from({ length: 200 }, newId);
  const [locationId = "", quietLocationId = ""] = locationIds;
  const timezone = "America/Sao_Paulo";
  for (const [index, id] of locationIds.entries())
    yield { kind: "location", id, name: `Location ${index}`, status: "active", timezone };
  const resourceIds = Array.from({ length: size.resources }, (_, index) => `resource-${index}`);
  for (const id of resourceIds)
    yield { kind: "resource", id, name: "r".repeat(200), type: "room", status: "active" };
  const serviceTypeIds = Array.from({ length: 500 }, newId);
  const [serviceTypeId = "", heldTypeId = ""] = serviceTypeIds;
  for (const id of serviceTypeIds)
    yield {
      kind: "serviceType",
      id,
      name: "t".repeat(200),
      holdsResource: id === heldTypeId,
      status: "active",
    };
  const serviceGroupId = newId();
  yield { kind: "serviceGroup", id: serviceGroupId, name: "Everything", serviceTypeIds };

  const planId = newId();
  const granted = serviceTypeIds.slice(0, MAX_ENTITLEMENTS);
  const grants = granted.map((id) => ({ type: "credits", creditQuantity: 5, serviceTypeId: id }));
  const agreed = {
    billingKind: "recurring",
    billingInterval: "month",
    priceCents: 9_900,
    currency: "BRL",
    isTrial: false,
    allLocations: true,
    locationIds: [],
    terms: "中".repeat(100_000),
  };
  yield { kind: "plan", id: planId, name: "Large", status: "active", ...agreed, entitlements: grants };
  for (let index = 0; index < 250; index++)
    yield {
      kind: "plan",
      id: newId(),
      name: `Plan ${index}`,
      status: "active",
      ...agreed,
      ...(index >= size.full && { terms: "" }),
      entitlements: index < size.full ? grants : [],
    };

  const clientIds = Array.from({ length: size.clients }, newId);
  const [clientId = ""] = clientIds;
  for (const [index, id] of clientIds.entries())
    yield {
      kind: "client",
      id,
      contactName: `Maria ${index} ${"Silva ".repeat(20)}`,
      contactEmail: `maria${index}@example.com`,
      contactPhone: `+55 11 9${String(index).padStart(8, "0")}`,
      notes: index < 400 ? "n".repeat(10_000) : "",
      locationIds: index === 0 ? locationIds : [locationId],
      status: "active",
    };

  const contract = {
    clientId,
    planId,
    planName: "Large",
    startDate: "2025-01-01",
    status: "active",
    accessBlocked: false,
  };
  const [contractId, entitlementId] = [newId(), newId()];
  const grant = (id: string, type: string) => ({
    id,
    type: "credits",
    remainingCredits: 5,
    serviceTypeId: type,
  });
  yield {
    kind: "contract",
    id: contractId,
    ...contract,
    ...agreed,
    entitlements: granted.map((id, index) => grant(index === 0 ? entitlementId : newId(), id)),
  };
  for (let index = 0; index < 250; index++)
    yield {
      kind: "contract",
      id: newId(),
      ...contract,
      ...agreed,
      terms: "",
      entitlements: (index < size.full ? granted : [serviceTypeId]).map((id) => grant(newId(), id)),
    };

  const place = { serviceTypeId, locationId, durationMinutes: 60, capacity: 12 };
  const [scheduleId, datedScheduleId] = [newId(), newId()];
  const minutely = { start: "2026-01-01T00:00", rrule: `FREQ=DAILY;BYHOUR=${HOURS};BYMINUTE=${MINUTES}` };
  for (let index = 0; index < size.minutely; index++)
    yield { kind: "schedule", id: index === 0 ? scheduleId : newId(), ...place, ...minutely };
  const dates = Array.from({ length: MOST_DATES }, (_, index) =>
    new Date(Date.UTC(2026, 0, 1) + index * 3_600_000).toISOString().slice(0, 16),
  );
  const dated = {
    start: "2026-01-01T00:30",
    rrule: "FREQ=DAILY",
    exdates: dates,
    rdates: dates.map((text) => text.replace(/00$/, "15")),
  };
  for (let index = 0; index < size.dated; index++)
    yield {
      kind: "schedule",
      id: index === 0 ? datedScheduleId : newId(),
      ...place,
      ...dated,
      locationId: locationIds[2],
    };
  const weekly = { ...place, locationId: quietLocationId };
  for (let index = 0; index < size.weekly; index++)
    yield {
      kind: "schedule",
      id: newId(),
      ...weekly,
      // A few with everybody.
      resourceIds: resourceIds.slice(0, index < 5 ? 200 : 1),
      start: "2026-01-05T07:00",
      rrule: "FREQ=WEEKLY",
      durationMinutes: 1,
    };

  const invoiceIds = Array.from({ length: size.invoices }, newId);
  const [paymentId, issuedOn] = [newId(), "2026-01-10"];
  for (const [index, id] of invoiceIds.entries())
    yield {
      ...{ kind: "invoice", id, number: index + 1, clientId, description: "d".repeat(200) },
      ...{ issuedOn, dueOn: issuedOn, amountCents: 3, paidCents: 1, status: "open" },
    };
  const payment = {
    kind: "payment",
    clientId,
    type: "payment",
    method: "cash",
    paidOn: issuedOn,
    status: "done",
  };
  yield {
    ...{ ...payment, id: paymentId, number: 1, amountCents: size.invoices, restCents: 0 },
    allocations: invoiceIds.map((invoiceId) => ({ invoiceId, amountCents: 1 })),
  };
  for (let index = 0; index < size.invoices; index++)
    yield { ...payment, number: index + 2, amountCents: 1, restCents: 1, note: "n".repeat(500) };

  const sessionId = newId();
  const start = `${today}T12:00`;
  const session = { ...place, locationId: quietLocationId, capacity: 100_000, status: "scheduled" };
  yield { kind: "session", id: sessionId, ...session, start, bookedCount: size.bookings };
  const visits = Array.from({ length: size.bookings }, newId);
  for (const [index, id] of visits.entries()) {
    const ms = Date.UTC(2026, 0, 1) + index * 3 * 3_600_000;
    yield { kind: "session", id, ...session, start: new Date(ms).toISOString().slice(0, 16), bookedCount: 1 };
  }
  const bookingId = newId();
  const booking = { state: "booked", uncoveredReason: "u".repeat(500), bookedAt: EARLY };
  for (const [index, id] of clientIds.slice(0, size.bookings).entries())
    yield { kind: "booking", id: index === 0 ? bookingId : newId(), sessionId, clientId: id, ...booking };
  for (const id of visits) yield { kind: "booking", id: newId(), sessionId: id, clientId, ...booking };
  return {
    locationId,
    quietLocationId,
    serviceTypeId,
    serviceGroupId,
    planId,
    clientId,
    spareClientId: clientIds.at(-1) ?? "",
    contractId,
    entitlementId,
    datedScheduleId,
    scheduleId,
    sessionId,
    bookingId,
    resourceId: resourceIds[0] ?? "",
    invoiceId: invoiceIds[0] ?? "",
    invoiceIds: invoiceIds.slice(0, 200),
    paymentId,
  };
}

function range(end: number): string {
  return Array.from({ length: end }, (_, value) => value).join();
}
