import type { Database } from "../../db/database.ts";
import { pooled } from "../../db/statements.ts";
import type { ClientAuditEntry, ErasureRecord, ExportedBooking, ExportedWaiting } from "./schema.ts";

/** What erasing and exporting a person reads and writes beside the client's own record. */

const memberStatement = pooled(
  "find_memberships",
  `select
     (select count(*) from contracts
      where organization_id = $1 and client_id = $2 and status in ('active', 'paused')) as contracts,
     (select count(*) from bookings b
      join sessions s on s.organization_id = b.organization_id and s.id = b.session_id
      where b.organization_id = $1 and b.client_id = $2 and b.state = 'booked' and s.start_at > $3) as bookings`,
);

/** What a client still has to come. Nothing is due in the organization when it is asked. */
export interface Membership {
  /** That run. */
  readonly contracts: number;
  /** Of sessions that have not begun. */
  readonly bookings: number;
}

export async function countMemberships(
  tx: Database,
  organizationId: string,
  clientId: string,
  at: string,
): Promise<Membership> {
  const [row] = await tx.query<Membership>(memberStatement, [organizationId, clientId, at]);
  return row ?? { contracts: 0, bookings: 0 };
}

// Stays as it is if the client was erased before: the first evidence is the true one.
const insertStatement = pooled(
  "insert_erasure",
  `insert into erasures (organization_id, client_id, at, actor, basis, document_mark, email_mark)
   values ($1, $2, $3, $4, $5, decode($6, 'hex'), decode($7, 'hex'))
   on conflict (organization_id, client_id) do nothing`,
);

export async function insertErasure(tx: Database, erasure: ErasureRecord): Promise<void> {
  await tx.query(insertStatement, [
    erasure.organizationId,
    erasure.clientId,
    erasure.at,
    erasure.actor,
    erasure.basis,
    erasure.documentMark ?? null,
    erasure.emailMark ?? null,
  ]);
}

/**
 * Audit entries about the client `$2`: those that name it, those about its contracts, and those about sessions that
 * nobody else had booked, such as an appointment that was moved.
 */
const isAboutClient = `a.organization_id = $1 and (
  a.client_id = $2
  or a.contract_id in (select c.id from contracts c where c.organization_id = $1 and c.client_id = $2)
  or (a.client_id is null and a.session_id in (
    select b.session_id from bookings b where b.organization_id = $1 and b.client_id = $2
      and not exists (
        select from bookings o
        where o.organization_id = $1 and o.session_id = b.session_id and o.client_id <> $2
      )
  ))
)`;

// What was sent is known by a hash without a secret, from which a name or a document could be guessed: it goes too where
// the request held such a thing. A repeat of that request is then refused as one with another body. The id of a request
// over the API is whatever text its caller chose.
const eraseReasonsStatement = pooled(
  "erase_audit_reasons",
  `update audit a set
     reason = case when a.reason is not null then 'erased' end, request_hash = null, request_id = null
   where ${isAboutClient}
     and (a.reason is not null or a.request_id is not null or a.action in ('addClient', 'editClient', 'recordPayment', 'addInvoice'))`,
);

/** Replaces what staff and callers wrote about the client in their own words. */
export async function eraseReasons(tx: Database, organizationId: string, clientId: string): Promise<void> {
  await tx.query(eraseReasonsStatement, [organizationId, clientId]);
}

// No answer of the API shows any of it.
const eraseBookingsStatement = pooled(
  "erase_booking_reasons",
  `with left_lines as (
     update waiting set left_at = $3 where organization_id = $1 and client_id = $2 and left_at is null
   ), erased as (
     update bookings set uncovered_reason = 'erased'
     where organization_id = $1 and client_id = $2 and uncovered_reason is not null
     returning 1
   )
   select count(*) as bookings from erased`,
);

const eraseMoneyStatement = pooled(
  "erase_words_of_money",
  `with noted as (
     update payments set note = 'erased' where organization_id = $1 and client_id = $2 and note is not null
   )
   update invoices set description = 'erased'
   where organization_id = $1 and client_id = $2 and period_number is null`,
);

/** Replaces notes of payments and what invoices say that were added by hand; the others name a plan. */
export async function eraseMoneyWords(tx: Database, organizationId: string, clientId: string): Promise<void> {
  await tx.query(eraseMoneyStatement, [organizationId, clientId]);
}

/** Replaces why the client's bookings have no cover, and ends its waiting. Says how many bookings changed. */
export async function eraseBookingReasons(
  tx: Database,
  organizationId: string,
  clientId: string,
  at: string,
): Promise<number> {
  const values = [organizationId, clientId, at];
  const [row] = await tx.query<{ bookings: number }>(eraseBookingsStatement, values);
  return row?.bookings ?? 0;
}

const eraseAnswersStatement = pooled(
  "erase_stored_answers",
  "delete from idempotency_keys where organization_id = $1 and record_id = $2",
);

/** Deletes the answers that are kept for repeated requests and show the client. */
export async function eraseAnswers(tx: Database, organizationId: string, clientId: string): Promise<void> {
  await tx.query(eraseAnswersStatement, [organizationId, clientId]);
}

const auditStatement = pooled(
  "list_client_audit",
  `select a.id, a.at, a.actor, a.action, a.contract_id as "contractId", a.session_id as "sessionId",
     coalesce(a.subject, a.client_id::text) as "subjectId", a.request_id as "requestId", a.reason, a.details
   from audit a where ${isAboutClient} order by a.id`,
);

export function listClientAudit(
  tx: Database,
  organizationId: string,
  clientId: string,
): Promise<ClientAuditEntry[]> {
  return tx.query(auditStatement, [organizationId, clientId]);
}

const bookingsStatement = pooled(
  "export_client_bookings",
  `select b.id, b.session_id as "sessionId", s.start_at as "startAt", b.visit_date as day, b.state,
     b.contract_id as "contractId", b.entitlement_id as "entitlementId", b.uncovered_reason as "uncoveredReason",
     b.booked_at as "bookedAt", b.checked_in_at as "checkedInAt", b.ended_at as "endedAt"
   from bookings b join sessions s on s.organization_id = b.organization_id and s.id = b.session_id
   where b.organization_id = $1 and b.client_id = $2 order by b.id`,
);

export function listClientBookings(
  tx: Database,
  organizationId: string,
  clientId: string,
): Promise<ExportedBooking[]> {
  return tx.query(bookingsStatement, [organizationId, clientId]);
}

const waitingStatement = pooled(
  "export_client_waiting",
  `select w.id, w.session_id as "sessionId", s.start_at as "startAt", w.joined_at as "joinedAt", w.left_at as "leftAt",
     w.booking_id as "bookingId"
   from waiting w join sessions s on s.organization_id = w.organization_id and s.id = w.session_id
   where w.organization_id = $1 and w.client_id = $2 order by w.id`,
);

export function listClientWaiting(
  tx: Database,
  organizationId: string,
  clientId: string,
): Promise<ExportedWaiting[]> {
  return tx.query(waitingStatement, [organizationId, clientId]);
}

const listStatement = pooled(
  "list_erasures",
  `select organization_id as "organizationId", client_id as "clientId", at, actor, basis,
     encode(document_mark, 'hex') as "documentMark", encode(email_mark, 'hex') as "emailMark"
   from erasures where $1::uuid is null or organization_id = $1 order by organization_id, at, client_id`,
);

/** The evidence of all erasures, or of those in one organization. */
export function listErasures(db: Database, organizationId: string | undefined): Promise<ErasureRecord[]> {
  return db.query(listStatement, [organizationId ?? null]);
}
