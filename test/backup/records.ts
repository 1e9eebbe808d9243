import { openConnection } from "../../src/db/server-connection.ts";
import type { OwnDatabase } from "../support/databases.ts";

/** Text that a format with tabs, lines and backslashes must get right. */
const AWKWARD = [
  "tab\there",
  "line\nline\r\nline\rline",
  "\\N",
  "\\.",
  "back\\slash \\\\ \\t \\n \\x41",
  "",
  " ",
  "\b\f\v\u0001\u007f\u0085\u2028\ufeff",
  "José Ação 東京 🧘‍♀️ e\u0301 \u202e",
  "'quotes' \"quotes\" ; -- comment $$ {a,b}",
];
/** More than passes through in one piece. */
const LONG = "\\.\n".repeat(100_000);

const id = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, "0")}`;

/**
 * Two organizations with rows in every table there is at the schema's version, each text of them awkward in
 * one row or another.
 */
export async function addRecords(database: OwnDatabase, schemaVersion: number): Promise<void> {
  const client = await openConnection(database.connection, "test");
  const add = async (table: string, records: readonly Record<string, unknown>[]) => {
    for (const record of records) {
      const names = Object.keys(record);
      await client.query(
        `insert into ${table} (${names.join(", ")}) values (${names.map((_, i) => `$${i + 1}`).join(", ")})`,
        Object.values(record),
      );
    }
  };
  for (const [n, organization_id] of [id(1), id(2)].entries()) {
    const own = { organization_id };
    const each = <Row>(make: (text: string, i: number) => Row) => AWKWARD.map(make);
    const name = AWKWARD[n] as string;
    await add("organizations", [
      { id: organization_id, name, timezone: "America/Sao_Paulo", currency: "BRL", tier: "Pro" },
    ]);
    await add("organization_counters", [
      { ...own, slot: 0, clients_version: 9007199254740991n, clients_active: AWKWARD.length },
      { ...own, slot: 15 },
    ]);
    await add(
      "keys",
      each((text, i) => ({
        id: id(n * 100 + i),
        ...own,
        hash: Buffer.alloc(32, n * 100 + i),
        name: i === 0 ? null : text,
        expires_at: i === 1 ? "infinity" : null,
        last_used_at: "2026-03-29T01:30:00.123Z",
      })),
    );
    await add(
      "audit",
      each((text, i) => ({
        id: id(n * 100 + i),
        organization_id: i === 0 ? null : organization_id,
        actor: text,
        action: "import",
        details: JSON.stringify({ text: text.replaceAll("\u0000", ""), [text.slice(0, 20)]: [1e21, null] }),
      })),
    );
    if (schemaVersion < 2) continue;
    const text = AWKWARD[4] as string;
    await add("locations", [
      { ...own, id: id(1), name: text, address: "\\N", status: "active", timezone: "Asia/Tokyo" },
    ]);
    await add("service_types", [
      { ...own, id: id(1), name: text, holds_resource: true, status: "active", search: text },
    ]);
    await add("service_groups", [{ ...own, id: id(1), name: text }]);
    await add("service_group_members", [{ ...own, service_group_id: id(1), service_type_id: id(1) }]);
    const price = { price_cents: 9007199254740991n, currency: "BRL", is_trial: false, all_locations: false };
    await add("plans", [
      { ...own, id: id(1), name: text, status: "active", billing_kind: "one_time", ...price, search: text },
    ]);
    await add("plan_locations", [{ ...own, plan_id: id(1), location_id: id(1) }]);
    const entitlement = { ...own, position: 0, type: "credits", service_type_id: id(1) };
    await add("plan_entitlements", [{ ...entitlement, plan_id: id(1), credit_quantity: 3 }]);
    await add(
      "clients",
      each((awkward, i) => ({
        ...own,
        id: id(i),
        status: i === 0 ? "archived" : "active",
        contact_name: awkward,
        city: i === 0 ? null : awkward,
        birthdate: "1900-01-01",
        id_document_type: "other",
        id_document_value: awkward.slice(0, 64),
        id_document_key: awkward.slice(0, 64),
        notes: i === 0 ? LONG : awkward,
        search: awkward,
      })),
    );
    await add("client_locations", [{ ...own, client_id: id(1), location_id: id(1) }]);
    await add("contracts", [
      {
        ...own,
        id: id(1),
        client_id: id(1),
        plan_id: id(1),
        plan_name: text,
        ...price,
        billing_kind: "recurring",
        billing_interval: "month",
        start_date: "2026-02-28",
        status: "paused",
        access_blocked: true,
        // As if somebody had looked: reading it must change nothing.
        ...(schemaVersion >= 7 && { next_change_at: null }),
      },
    ]);
    await add("contract_locations", [{ ...own, contract_id: id(1), location_id: id(1) }]);
    await add("contract_entitlements", [
      { ...entitlement, contract_id: id(1), id: id(1), remaining_credits: 2 },
    ]);
    if (schemaVersion < 3) continue;
    const place = { ...own, service_type_id: id(1), location_id: id(1), resource_ids: AWKWARD.slice(0, 10) };
    const slot = { start: "2026-10-25T02:30:00", duration_minutes: 60, capacity: 10 };
    await add("schedules", [
      {
        ...place,
        id: id(1),
        ...slot,
        rrule: "FREQ=WEEKLY;COUNT=10",
        exdates: ["2026-11-01T02:30:00", "2026-11-08T02:30:00"],
        first_slot: "2026-10-25T02:30:00",
      },
    ]);
    await add("sessions", [
      {
        ...place,
        id: id(1),
        schedule_id: id(1),
        original_start: "2026-10-25T02:30:00",
        ...slot,
        start_at: "2026-10-25T01:30:00.000Z",
        booked_count: 4,
        status: "cancelled",
      },
    ]);
    await add("facts", [{ name: `fact ${n}`, value: text }]);
    if (schemaVersion < 7) continue;
    const at = "2026-03-29T01:30:00.123Z";
    await add("contract_pauses", [
      { ...own, id: id(1), contract_id: id(1), first_day: "2026-03-01", extends_term: true },
    ]);
    await add("erasures", [
      { ...own, client_id: id(2), at, actor: text, basis: "\\N", document_mark: Buffer.alloc(32, 9) },
    ]);
    const colleague = { ...own, all_locations: false, created_at: at };
    await add("staff", [
      {
        ...colleague,
        id: id(1),
        name: text,
        email: text,
        email_key: text,
        role: "manager",
        status: "invited",
      },
    ]);
    await add("staff_locations", [{ ...own, staff_id: id(1), location_id: id(1) }]);
    const token = { id: id(n), ...own, staff_id: id(1), hash: Buffer.alloc(32, 50 + n) };
    await add("staff_links", [{ ...token, expires_at: at }]);
    await add("sign_ins", [{ ...token, created_at: at, seen_at: at, fresh_at: at }]);
    if (schemaVersion < 8) continue;
    const visit = { ...own, session_id: id(1), client_id: id(1) };
    const times = { booked_at: at, ended_at: at, ended_by: id(1) };
    await add("bookings", [
      { ...visit, id: id(1), visit_date: "2026-10-25", state: "cancelled", uncovered_reason: text, ...times },
    ]);
    await add("waiting", [{ ...visit, id: id(1), joined_at: at, left_at: at, booking_id: id(1) }]);
    const during = "[2026-10-25T01:30:00Z,2026-10-25T02:30:00Z)";
    await add("resource_claims", [{ ...own, session_id: id(1), resource_id: text, during }]);
    if (schemaVersion < 10) continue;
    await add("key_usage", [
      { ...own, day: "2026-03-29", key_id: id(n * 100), requests: 9007199254740991n, refused: 7 },
    ]);
    if (schemaVersion < 11) continue;
    const bytes = Buffer.from([0, 10, 92, 255]);
    const passkey = { credential_id: bytes, public_key: bytes, sign_count: 4294967295n };
    await add("passkeys", [
      { ...own, id: id(1), staff_id: id(1), name: text, ...passkey, challenged_at: at, created_at: at },
    ]);
    if (schemaVersion < 15) continue;
    await add("imported_clients", [
      { ...own, import_id: id(1), client_id: id(1), written_at: at, before: JSON.stringify({ notes: name }) },
    ]);
    if (schemaVersion < 17) continue;
    const mark = Buffer.from([0, 10, 92, 255, 1, 2, 3, n]);
    const reason = JSON.stringify({ by: "operator" });
    await add("changes", [
      { ...own, sequence: 1, kind: "resource", record_id: text, type: "deleted", at, reason },
    ]);
    await add("change_timelines", [{ ...own, mark, last_sequence: 0 }]);
    if (schemaVersion < 18) continue;
    const shown = { past_days: 31, ahead_days: 90, language: "en", show_seats: false };
    const link = { ...own, id: id(1), hash: Buffer.alloc(32, 60 + n), name: text, client_id: id(1) };
    await add("ics_links", [{ ...link, ...shown, created_at: at, last_fetched_at: at, resource: text }]);
    if (schemaVersion < 19) continue;
    const secrets = JSON.stringify([{ sealed: text }]);
    const sending = { state: "active", position: 1, next_attempt_at: at, created_at: at };
    await add("webhook_endpoints", [
      {
        ...own,
        id: id(1),
        url: "https://example.com/",
        name: text,
        flood: 1,
        sends_record: false,
        secrets,
        ...sending,
      },
    ]);
    if (schemaVersion < 20) continue;
    const cents = { amount_cents: 9007199254740991n, paid_cents: 9007199254740990n };
    const days = {
      period_first: "2026-03-29",
      period_last: "2026-04-28",
      issued_on: "2026-03-29",
      due_on: "2026-04-01",
    };
    await add("invoices", [
      {
        ...{ ...own, ...cents, ...days, id: id(1), number: 1, client_id: id(1), contract_id: id(1) },
        ...{ period_number: 0, description: text, status: "open" },
      },
    ]);
    const payment = {
      ...own,
      client_id: id(1),
      method: "other",
      paid_on: "2026-03-29",
      status: "done",
      created_at: at,
    };
    await add("payments", [
      {
        ...{
          ...payment,
          id: id(1),
          number: 1,
          type: "payment",
          amount_cents: 9007199254740991n,
          rest_cents: 0,
        },
        ...{ note: text, created_by: text },
      },
      { ...payment, id: id(2), number: 2, type: "refund", amount_cents: 1, rest_cents: 0, created_by: text },
    ]);
    await add("payment_allocations", [
      { ...own, payment_id: id(1), invoice_id: id(1), amount_cents: 9007199254740990n },
    ]);
    await add("payment_refunds", [{ ...own, refund_id: id(2), payment_id: id(1), amount_cents: 1 }]);
    if (schemaVersion < 28) continue;
    const gone = { asked_at: at, delete_after: at, begun_at: at, deleted_at: at, status: "active" };
    await add("organization_deletions", [
      { id: id(900 + n), actor: text, ...gone, version: 9007199254740991n, rows: '{"clients": 3}' },
    ]);
    if (schemaVersion < 29) continue;
    const move = { organization_id: own.organization_id, id: id(950 + n), side: "source", url: text };
    await add("organization_moves", [{ ...move, target: text, begun_at: at, is_closing: true }]);
    await add("organization_departures", [{ ...own, move_id: id(951 + n), left_at: at }]);
  }
  await client.end();
}
