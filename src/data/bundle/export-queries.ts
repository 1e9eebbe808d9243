import type { Database } from "../../db/database.ts";
import { pooled, type Statement } from "../../db/statements.ts";
import {
  type ClientRow,
  clientColumns,
  clientLocationIds,
  toClient,
} from "../../domain/clients/client-rows.ts";
import { pausesJson } from "../../domain/contract-status/pauses.ts";
import { contractColumns, contractEntitlements } from "../../domain/contracts/queries.ts";
import { planColumns } from "../../domain/plans/queries.ts";
import { serviceGroupColumns } from "../../domain/service-groups/queries.ts";
import { serviceTypeColumns } from "../../domain/service-types/queries.ts";
import type { StagedKind } from "./record-tables.ts";

const SELECTS: Readonly<Record<StagedKind, string>> = {
  location: `select r.id, r.name, r.address, r.status, r.timezone, r.created_at as "createdAt" from locations r`,
  resource: `select r.id, r.name, r.kind as type, r.status from resources r`,
  serviceGroup: `select ${serviceGroupColumns} from service_groups r`,
  serviceType: `select ${serviceTypeColumns} from service_types r`,
  plan: `select ${planColumns} from plans r`,
  client: `select ${clientColumns}, ${clientLocationIds} from clients r`,
  contract: `select ${contractColumns}, ${contractEntitlements}, r.terms, ${pausesJson("r")} as pauses from contracts r`,
  schedule: `
    select r.id, r.service_type_id as "serviceTypeId", r.location_id as "locationId",
      r.resource_ids as "resourceIds", r.start, r.duration_minutes as "durationMinutes", r.rrule, r.exdates,
      r.rdates, r.capacity, r.continues_id as "continuesId"
    from schedules r`,
  session: `
    select r.id, r.schedule_id as "scheduleId", r.original_start as "originalStart",
      r.service_type_id as "serviceTypeId", r.location_id as "locationId", r.resource_ids as "resourceIds",
      r.start, r.duration_minutes as "durationMinutes", r.capacity, r.booked_count as "bookedCount", r.status
    from sessions r`,
  booking: `
    select r.id, r.session_id as "sessionId", r.client_id as "clientId", r.state, r.contract_id as "contractId",
      r.entitlement_id as "entitlementId", r.uncovered_reason as "uncoveredReason",
      nullif(r.courtesy, false) as "isCourtesy", r.fixed_place_id as "fixedPlaceId", nullif(r.moved, false) as moved,
      nullif(r.to_tell, false) as "toTell", r.booked_at as "bookedAt", r.checked_in_at as "checkedInAt",
      r.ended_at as "endedAt"
    from bookings r`,
  waiting: `
    select r.id, r.session_id as "sessionId", r.client_id as "clientId", r.joined_at as "joinedAt",
      r.left_at as "leftAt", r.booking_id as "bookingId"
    from waiting r`,
  invoice: `
    select r.id, r.number, r.client_id as "clientId", r.contract_id as "contractId", r.period_number as period,
      r.description, r.period_first as "periodFirst", r.period_last as "periodLast", r.issued_on as "issuedOn",
      r.due_on as "dueOn", r.amount_cents as "amountCents", r.paid_cents as "paidCents", r.status
    from invoices r`,
  payment: `
    select r.id, r.number, r.client_id as "clientId", r.type, r.method, r.amount_cents as "amountCents",
      r.rest_cents as "restCents", r.paid_on as "paidOn", r.note, r.status, r.created_at as "createdAt",
      (select coalesce(json_agg(json_build_object('invoiceId', a.invoice_id, 'amountCents', a.amount_cents)
         order by a.invoice_id), '[]')
       from payment_allocations a
       where a.organization_id = r.organization_id and a.payment_id = r.id) as allocations,
      (select coalesce(json_agg(json_build_object('paymentId', f.payment_id, 'amountCents', f.amount_cents)
         order by f.payment_id), '[]')
       from payment_refunds f
       where f.organization_id = r.organization_id and f.refund_id = r.id) as refunds
    from payments r`,
};

/** What is as it would be made by itself is left out. */
const CONDITIONS: Partial<Readonly<Record<StagedKind, string>>> = {
  resource: " and (r.name, r.kind, r.status) is distinct from (r.id, 'person', 'active')",
};

/** Texts of others are in the same order whatever the locale of a database. */
const ORDERS: Partial<Readonly<Record<StagedKind, string>>> = { resource: 'r.id collate "C"' };

const BATCH_RECORDS = 2_000;

interface Cursor {
  readonly open: Statement;
  readonly fetch: Statement;
  readonly close: Statement;
}

const CURSORS = Object.fromEntries(
  (Object.entries(SELECTS) as [StagedKind, string][]).map(([kind, select]): [string, Cursor] => [
    kind,
    {
      open: pooled(
        `export_open_${kind}`,
        `declare export_rows no scroll cursor for ${select} where r.organization_id = $1${CONDITIONS[kind] ?? ""}
         order by ${ORDERS[kind] ?? "r.id"}`,
      ),
      fetch: pooled(`export_fetch_${kind}`, `fetch ${BATCH_RECORDS} from export_rows`),
      close: pooled(`export_close_${kind}`, "close export_rows"),
    },
  ]),
) as Readonly<Record<StagedKind, Cursor>>;

/** All records of a kind in the order of their ids, some at a time, so that memory stays flat. */
export async function* readRecords(
  tx: Database,
  kind: StagedKind,
  organizationId: string,
): AsyncGenerator<Readonly<Record<string, unknown>>[]> {
  const { open, fetch, close } = CURSORS[kind];
  await tx.query(open, [organizationId]);
  for (;;) {
    const rows = await tx.query<Record<string, unknown>>(fetch);
    if (rows.length === 0) break;
    yield kind === "client" ? rows.map((row) => ({ ...toClient(row as unknown as ClientRow) })) : rows;
  }
  await tx.query(close);
}
