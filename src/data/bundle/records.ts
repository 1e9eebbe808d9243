import { parseInstant, parseWallClock } from "../../core/dates.ts";
import type { Fault, FaultContent } from "../../core/faults.ts";
import { newId } from "../../core/ids.ts";
import { searchText } from "../../core/search.ts";
import { type Check, compileCheck } from "../../core/validation.ts";
import { CLIENT_COLUMNS } from "../../domain/clients/client-columns.ts";
import { checkPerson, clientContent, tidyClient } from "../../domain/clients/rules.ts";
import { checkContract } from "../../domain/contracts/rules.ts";
import { checkPlan } from "../../domain/plans/rules.ts";
import { parseRule } from "../../domain/recurrence/rule.ts";
import { planSchedule, type ScheduleSpan } from "../../domain/recurrence/schedule.ts";
import { findZone, wallToInstant, type Zone } from "../../domain/recurrence/zones.ts";
import { INVOICING_DAYS, isInvoicingDay } from "../../domain/settings/operations.ts";
import type { StagedRow } from "./record-tables.ts";
import { type Kind, type RecordOf, SCHEMAS } from "./schema.ts";

/** What the file has said so far that other records depend on. */
export interface SeenIds {
  /** The time zones of the file's locations. */
  readonly zones: Map<string, Zone>;
}

export interface ReadRecord {
  readonly faults: readonly Fault[];
  /** The record's id if it is a good one, even if something else is invalid. */
  readonly id: string | undefined;
  /** Only without faults. */
  readonly row?: StagedRow;
}

/** Reads a record by the schema and the rules of its kind, as far as they need nothing but the file so far. */
export function readRecord(kind: Kind, raw: object, seen: SeenIds, now: number): ReadRecord {
  const tidy = tidyRecord(kind, raw);
  const faults = checkOf(kind)(tidy);
  // The rules of a person hold whatever the schema says; the others read a record that has its types.
  if (kind === "client") faults.push(...unreported(faults, checkPerson(tidy, LAST_DATE, "")));
  const id = tidy.id === undefined ? newId(now) : typeof tidy.id === "string" ? tidy.id : undefined;
  if (faults.length > 0 || id === undefined) return { faults, id: isFaulty(faults, "id") ? undefined : id };
  const draft: RecordDraft = { faults: [], seen, now };
  const row = { id, ...rowOf(kind, tidy, draft) };
  return draft.faults.length > 0 ? { faults: draft.faults, id } : { faults: [], id, row };
}

const checks = new Map<Kind, Check>();

/** Compiled at first use: that takes longer than most files do to be read. */
function checkOf(kind: Kind): Check {
  const check = checks.get(kind) ?? compileCheck(SCHEMAS[kind], "");
  checks.set(kind, check);
  return check;
}

/** Later than any: the organization's date is not known while lines are read, so it is compared afterwards. */
const LAST_DATE = "9999-12-31";

interface RecordDraft {
  readonly faults: Fault[];
  readonly seen: SeenIds;
  /** The time of the import, which new ids bear. */
  readonly now: number;
}

function unreported(known: readonly Fault[], found: readonly Fault[]): Fault[] {
  return found.filter(({ location }) => !isFaulty(known, location));
}

function isFaulty(faults: readonly Fault[], location: string): boolean {
  return faults.some((fault) => fault.location === location);
}

const OPTIONAL_TEXTS: Partial<Record<Kind, readonly string[]>> = {
  location: ["address"],
  serviceType: ["description"],
  plan: ["terms"],
  contract: ["terms"],
  schedule: ["rrule"],
};

/** As the API reads a body: an empty optional text is absent. Ids are compared in lower case. */
function tidyRecord(kind: Kind, raw: object): Record<string, unknown> {
  const tidy = (kind === "client" ? tidyClient(raw) : { ...raw }) as Record<string, unknown>;
  for (const name of OPTIONAL_TEXTS[kind] ?? []) if (tidy[name] === "") delete tidy[name];
  if (typeof tidy.id === "string" && kind !== "resource") tidy.id = tidy.id.toLowerCase();
  return tidy;
}

function rowOf(kind: Kind, record: unknown, draft: RecordDraft): StagedRow {
  switch (kind) {
    case "organization":
      return organizationRow(record as RecordOf<"organization">, draft);
    case "location":
      return locationRow(record as RecordOf<"location">, draft);
    case "resource":
      return resourceRow(record as RecordOf<"resource">);
    case "serviceGroup":
      return serviceGroupRow(record as RecordOf<"serviceGroup">);
    case "serviceType":
      return serviceTypeRow(record as RecordOf<"serviceType">, draft);
    case "plan":
      return planRow(record as RecordOf<"plan">, draft);
    case "client":
      return clientRow(record as RecordOf<"client">, draft);
    case "contract":
      return contractRow(record as RecordOf<"contract">, draft);
    case "schedule":
      return scheduleRow(record as RecordOf<"schedule">, draft);
    case "session":
      return sessionRow(record as RecordOf<"session">, draft);
    case "booking":
      return bookingRow(record as RecordOf<"booking">, draft);
    case "waiting":
      return waitingRow(record as RecordOf<"waiting">, draft);
    case "invoice":
      return invoiceRow(record as RecordOf<"invoice">, draft);
    case "payment":
      return paymentRow(record as RecordOf<"payment">, draft);
  }
}

function organizationRow(organization: RecordOf<"organization">, draft: RecordDraft): StagedRow {
  const { name, timezone, currency, plan, status } = organization;
  const { cancelWindowMinutes, checkInOpensMinutes, weekStart, paymentDays, invoicesFrom } = organization;
  readZone(timezone, draft);
  if (invoicesFrom !== undefined && !isInvoicingDay(invoicesFrom))
    draft.faults.push({ location: "invoicesFrom", code: "day_out_of_range", params: INVOICING_DAYS });
  return {
    ...{ name, timezone, currency, plan, status, joinedAt: instant(organization, "joinedAt", draft) },
    settings: defined({ cancelWindowMinutes, checkInOpensMinutes, weekStart, paymentDays, invoicesFrom }),
  };
}

function locationRow(location: RecordOf<"location">, draft: RecordDraft): StagedRow {
  const { name, address, status, timezone } = location;
  const zone = readZone(timezone, draft);
  if (zone && location.id !== undefined) draft.seen.zones.set(location.id, zone);
  return { name, address, status, timezone, created_at: instant(location, "createdAt", draft) };
}

function resourceRow({ name, type, status }: RecordOf<"resource">): StagedRow {
  return { name, kind: type, status };
}

function serviceGroupRow({ name, serviceTypeIds }: RecordOf<"serviceGroup">): StagedRow {
  return { name, ...idList("service_type_ids", serviceTypeIds) };
}

function serviceTypeRow(serviceType: RecordOf<"serviceType">, draft: RecordDraft): StagedRow {
  const { name, description, holdsResource, status } = serviceType;
  return {
    name,
    description,
    holds_resource: holdsResource,
    status,
    search: searchText([name]),
    ...timesOf(serviceType, draft),
  };
}

function planRow(plan: RecordOf<"plan">, draft: RecordDraft): StagedRow {
  draft.faults.push(...checkPlan(plan));
  return {
    name: plan.name,
    status: plan.status,
    billing_kind: plan.billingKind,
    billing_interval: plan.billingInterval,
    duration_count: plan.durationCount,
    duration_unit: plan.durationUnit,
    price_cents: plan.priceCents,
    currency: plan.currency,
    is_trial: plan.isTrial,
    all_locations: plan.allLocations,
    terms: plan.terms,
    search: searchText([plan.name]),
    ...idList("location_ids", plan.locationIds),
    entitlements: plan.entitlements.map(scopeInLowerCase),
    ...timesOf(plan, draft),
  };
}

function clientRow(client: RecordOf<"client">, draft: RecordDraft): StagedRow {
  const content = clientContent(client, { today: LAST_DATE, locationIds: [] });
  return {
    status: client.status,
    ...Object.fromEntries(CLIENT_COLUMNS.map(({ name, value }) => [name, value(content)])),
    // Without any, it joins the only location there is.
    ...(content.locationIds.length > 0 && idList("location_ids", client.locationIds ?? [])),
    ...timesOf(client, draft),
  };
}

function contractRow(contract: RecordOf<"contract">, draft: RecordDraft): StagedRow {
  draft.faults.push(...checkContract(contract));
  return {
    client_id: contract.clientId.toLowerCase(),
    plan_id: contract.planId?.toLowerCase(),
    plan_name: contract.planName,
    price_cents: contract.priceCents,
    currency: contract.currency,
    is_trial: contract.isTrial,
    billing_kind: contract.billingKind,
    billing_interval: contract.billingInterval,
    start_date: contract.startDate,
    end_date: contract.endDate,
    status: contract.status,
    access_blocked: contract.accessBlocked,
    all_locations: contract.allLocations,
    cancelled_at: instant(contract, "cancelledAt", draft),
    terms_response: contract.termsResponse,
    terms_responded_at: instant(contract, "termsRespondedAt", draft),
    terms: contract.terms,
    ...(contract.pauses && { pauses: pauseRows(contract.pauses, draft) }),
    ...idList("location_ids", contract.locationIds),
    entitlements: contract.entitlements.map(({ id, ...entitlement }, index) => ({
      ...scopeInLowerCase(entitlement),
      revokedAt: instant(entitlement, "revokedAt", draft, { path: `entitlements[${index}].` }),
      // An entitlement without an id keeps the one that stands in its place, if there is one.
      ...(id === undefined ? { madeId: newId(draft.now) } : { id: id.toLowerCase() }),
    })),
    ...timesOf(contract, draft),
  };
}

/** In the order of their days. Faults name the places at which they were given. */
function pauseRows(
  pauses: NonNullable<RecordOf<"contract">["pauses"]>,
  { faults, now }: RecordDraft,
): StagedRow[] {
  const inOrder = pauses
    .map((pause, index) => ({ ...pause, index }))
    .sort((a, b) => (a.firstDay < b.firstDay ? -1 : a.firstDay > b.firstDay ? 1 : a.index - b.index));
  inOrder.forEach(({ firstDay, lastDay, index }, place) => {
    const location = `pauses[${index}]`;
    const before = inOrder[place - 1];
    if (lastDay !== undefined && lastDay < firstDay)
      faults.push({
        location: `${location}.lastDay`,
        code: "before_member",
        params: { member: "firstDay" },
      });
    if (before && (before.lastDay === undefined || before.lastDay >= firstDay))
      faults.push({ location, code: "pause_overlaps" });
  });
  return inOrder.map(({ id, firstDay, lastDay, extendsTerm }) => ({
    // One without an id keeps that of the stored pause with the same first day, if there is one.
    ...(id === undefined ? { madeId: newId(now) } : { id: id.toLowerCase() }),
    firstDay,
    ...(lastDay !== undefined && { lastDay }),
    extendsTerm,
  }));
}

function defined(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

function scheduleRow(schedule: RecordOf<"schedule">, draft: RecordDraft): StagedRow {
  const { start, rrule, exdates = [], rdates = [] } = schedule;
  const locationId = schedule.locationId.toLowerCase();
  const zone = draft.seen.zones.get(locationId);
  const texts = { start, rrule, exdates, rdates };
  const { span, faults } = zone ? planSchedule(texts, zone) : checkTexts(texts);
  draft.faults.push(...faults);
  return {
    service_type_id: schedule.serviceTypeId.toLowerCase(),
    location_id: locationId,
    resource_ids: sorted(schedule.resourceIds ?? []),
    start,
    duration_minutes: schedule.durationMinutes,
    rrule,
    exdates: sorted(exdates),
    rdates: sorted(rdates),
    capacity: schedule.capacity,
    continues_id: schedule.continuesId?.toLowerCase(),
    ...(span && spanColumns(span)),
  };
}

/** What can be said of a schedule before its location, and so its zone, is known. */
function checkTexts(texts: Parameters<typeof planSchedule>[0]): { span?: ScheduleSpan; faults: Fault[] } {
  const { faults } = planSchedule({ ...texts, rrule: undefined }, utc());
  if (texts.rrule !== undefined) parseRule(texts.rrule, "rrule", faults);
  return { faults };
}

function utc(): Zone {
  const zone = findZone("UTC");
  if (!zone) throw new Error("the time-zone data does not know UTC");
  return zone;
}

export function spanColumns(span: ScheduleSpan): StagedRow {
  return { first_slot: span.firstSlot, last_slot: span.lastSlot, counted_slot: span.countedSlot };
}

function sessionRow(session: RecordOf<"session">, draft: RecordDraft): StagedRow {
  const { scheduleId, originalStart, start } = session;
  if (scheduleId !== undefined && originalStart === undefined)
    draft.faults.push({ location: "originalStart", code: "required_with", params: { member: "scheduleId" } });
  if (originalStart !== undefined && scheduleId === undefined)
    draft.faults.push({ location: "scheduleId", code: "required_with", params: { member: "originalStart" } });
  if (originalStart !== undefined && parseWallClock(originalStart) === undefined)
    draft.faults.push({ location: "originalStart", code: "local_date_time_invalid" });
  if (parseWallClock(start) === undefined)
    draft.faults.push({ location: "start", code: "local_date_time_invalid" });
  const locationId = session.locationId.toLowerCase();
  const zone = draft.seen.zones.get(locationId);
  const startAt = zone && startInstant(start, zone);
  if (startAt && "fault" in startAt) draft.faults.push(startAt.fault);
  return {
    schedule_id: scheduleId?.toLowerCase(),
    original_start: originalStart,
    service_type_id: session.serviceTypeId.toLowerCase(),
    location_id: locationId,
    resource_ids: sorted(session.resourceIds ?? []),
    start,
    start_at: startAt && "text" in startAt ? startAt.text : undefined,
    duration_minutes: session.durationMinutes,
    capacity: session.capacity,
    booked_count: session.bookedCount,
    status: session.status,
  };
}

function bookingRow(booking: RecordOf<"booking">, draft: RecordDraft): StagedRow {
  const { state, contractId, entitlementId, uncoveredReason, checkedInAt, endedAt } = booking;
  const { moved = false, toTell = false, isCourtesy = false } = booking;
  const require = (location: string, member: string) =>
    draft.faults.push({ location, code: "required_with", params: { member } });
  const exclude = (location: string, member: string) =>
    draft.faults.push({ location, code: "not_together_with", params: { member } });
  if (entitlementId !== undefined && contractId === undefined) require("contractId", "entitlementId");
  if (contractId !== undefined && entitlementId === undefined) require("entitlementId", "contractId");
  if (contractId === undefined && entitlementId === undefined && uncoveredReason === undefined)
    draft.faults.push({ location: "uncoveredReason", code: "required" });
  if (entitlementId !== undefined && uncoveredReason !== undefined)
    exclude("uncoveredReason", "entitlementId");
  if (entitlementId !== undefined && isCourtesy) exclude("isCourtesy", "entitlementId");
  const isEnded = state === "cancelled" || state === "late_cancelled";
  if (state === "attended" && checkedInAt === undefined) require("checkedInAt", "state attended");
  if (state !== "attended" && checkedInAt !== undefined) exclude("checkedInAt", `state ${state}`);
  if (isEnded && endedAt === undefined) require("endedAt", `state ${state}`);
  if (!isEnded && endedAt !== undefined) exclude("endedAt", `state ${state}`);
  return {
    session_id: booking.sessionId.toLowerCase(),
    client_id: booking.clientId.toLowerCase(),
    state,
    contract_id: contractId?.toLowerCase(),
    entitlement_id: entitlementId?.toLowerCase(),
    uncovered_reason: uncoveredReason,
    courtesy: isCourtesy,
    fixed_place_id: booking.fixedPlaceId?.toLowerCase(),
    moved,
    to_tell: toTell,
    booked_at: instant(booking, "bookedAt", draft),
    checked_in_at: instant(booking, "checkedInAt", draft),
    ended_at: instant(booking, "endedAt", draft),
  };
}

function waitingRow(waiting: RecordOf<"waiting">, draft: RecordDraft): StagedRow {
  return {
    session_id: waiting.sessionId.toLowerCase(),
    client_id: waiting.clientId.toLowerCase(),
    joined_at: instant(waiting, "joinedAt", draft),
    left_at: instant(waiting, "leftAt", draft),
    booking_id: waiting.bookingId?.toLowerCase(),
  };
}

function invoiceRow(invoice: RecordOf<"invoice">, { faults }: RecordDraft): StagedRow {
  const { amountCents, paidCents, status, periodFirst, periodLast, period, contractId } = invoice;
  const paid = { open: amountCents - 1, paid: amountCents, void: 0 }[status];
  if (paidCents > paid || (status === "paid" && paidCents < paid))
    faults.push({ location: "paidCents", code: "sum_differs" });
  if (status === "open" && amountCents === 0) faults.push({ location: "status", code: "sum_differs" });
  if (period === undefined && contractId !== undefined)
    faults.push({ location: "period", code: "required_with", params: { member: "contractId" } });
  if (periodFirst !== undefined && periodLast !== undefined && periodLast < periodFirst)
    faults.push({ location: "periodLast", code: "before_member", params: { member: "periodFirst" } });
  return {
    number: invoice.number,
    client_id: invoice.clientId.toLowerCase(),
    contract_id: contractId?.toLowerCase(),
    period_number: period,
    description: invoice.description,
    period_first: periodFirst,
    period_last: periodLast,
    issued_on: invoice.issuedOn,
    due_on: invoice.dueOn,
    amount_cents: amountCents,
    paid_cents: paidCents,
    status,
  };
}

function paymentRow(payment: RecordOf<"payment">, draft: RecordDraft): StagedRow {
  const { type, status, amountCents, restCents, allocations = [], refunds = [] } = payment;
  const isLive = type === "payment" && status === "done";
  const sum = (parts: readonly { readonly amountCents: number }[]) =>
    parts.reduce((total, part) => total + part.amountCents, 0);
  if (restCents + sum(allocations) > (isLive ? amountCents : 0))
    draft.faults.push({ location: "restCents", code: "sum_differs" });
  if (sum(refunds) !== (type === "refund" && status === "done" ? amountCents : 0))
    draft.faults.push({ location: "refunds", code: "sum_differs" });
  const inOrder = <Part extends { readonly amountCents: number }>(
    parts: readonly Part[],
    idOf: (part: Part) => string,
  ) =>
    parts
      .map((part) => ({ id: idOf(part).toLowerCase(), amountCents: part.amountCents }))
      .sort((one, other) => (one.id < other.id ? -1 : 1));
  return {
    number: payment.number,
    client_id: payment.clientId.toLowerCase(),
    type,
    method: payment.method,
    amount_cents: amountCents,
    rest_cents: restCents,
    paid_on: payment.paidOn,
    note: payment.note,
    status,
    allocations: inOrder(allocations, ({ invoiceId }) => invoiceId),
    refunds: inOrder(refunds, ({ paymentId }) => paymentId),
    created_at: instant(payment, "createdAt", draft, LAST_TIMES),
  };
}

/** The instant of a local date-time, or the fault that it has none; undefined if the text is no local date-time. */
export function startInstant(start: string, zone: Zone): { text: string } | { fault: Fault } | undefined {
  const wallMs = parseWallClock(start);
  if (wallMs === undefined) return undefined;
  const text = instantText(wallToInstant(zone, wallMs));
  return text === undefined ? { fault: { location: "start", ...outOfRange(LAST_MS) } } : { text };
}

/** Years are written with four digits. */
const FIRST_MS = parseInstant("0001-01-01T00:00:00Z") ?? Number.NaN;
const LAST_MS = parseInstant("9999-12-31T23:59:59.999Z") ?? Number.NaN;

// A change moves `updatedAt` on by a millisecond at least, so the last year is kept free for it.
const LAST_TIMES = { lastMs: parseInstant("9998-12-31T23:59:59.999Z") ?? Number.NaN };

function outOfRange(lastMs: number): FaultContent {
  const year = (ms: number) => new Date(ms).toISOString().slice(0, 4);
  return { code: "year_out_of_range", params: { min: year(FIRST_MS), max: year(lastMs) } };
}

function instantText(ms: number, lastMs = LAST_MS): string | undefined {
  return ms >= FIRST_MS && ms <= lastMs ? new Date(ms).toISOString() : undefined;
}

function instant<Name extends string>(
  record: { readonly [N in Name]?: string },
  name: Name,
  { faults }: RecordDraft,
  { path = "", lastMs = LAST_MS } = {},
): string | undefined {
  const given = record[name];
  if (given === undefined) return undefined;
  const text = instantText(parseInstant(given) ?? Number.NaN, lastMs);
  if (text === undefined) faults.push({ location: path + name, ...outOfRange(lastMs) });
  return text;
}

function timesOf(record: { createdAt?: string; updatedAt?: string }, draft: RecordDraft): StagedRow {
  return {
    created_at: instant(record, "createdAt", draft, LAST_TIMES),
    updated_at: instant(record, "updatedAt", draft, LAST_TIMES),
  };
}

function readZone(timezone: string, { faults }: RecordDraft): Zone | undefined {
  const zone = findZone(timezone);
  if (!zone) faults.push({ location: "timezone", code: "time_zone_unknown" });
  return zone;
}

function scopeInLowerCase<Scope extends { serviceTypeId?: string; serviceGroupId?: string }>(scope: Scope) {
  return {
    ...scope,
    serviceTypeId: scope.serviceTypeId?.toLowerCase(),
    serviceGroupId: scope.serviceGroupId?.toLowerCase(),
  };
}

/** Ids once each and in order, and, if they were given otherwise, as they were given: faults name the place there. */
function idList(name: "location_ids" | "service_type_ids", given: readonly string[]): StagedRow {
  const ids = given.map((id) => id.toLowerCase());
  const inOrder = sorted(ids);
  const same = inOrder.length === ids.length && inOrder.every((id, index) => id === ids[index]);
  return { [name]: inOrder, ...(!same && { given_ids: ids }) };
}

function sorted(texts: readonly string[]): string[] {
  return texts.length < 2 ? [...texts] : [...new Set(texts)].sort();
}
