import { createHash } from "node:crypto";
import type pg from "pg";

/** How much each of some organizations has. */
export interface StudioSize {
  readonly clients: number;
  /** One each of the first clients, with an invoice. */
  readonly contracts: number;
  /** Of the next and the last 150 days. */
  readonly sessions: number;
  readonly bookings: number;
  /** Weekly ones, without end. */
  readonly schedules: number;
}

/** The organizations whose numbers lie between these two. */
export interface StudioNumbers {
  readonly first: number;
  readonly last: number;
}

/** The id of a record: the same in every run, and known without asking. `kind` is one of the words below. */
const ID = `create or replace function pg_temp.record_id(organization uuid, kind text, number bigint) returns uuid
  language sql immutable as $$ select md5(organization::text || kind || number)::uuid $$`;

const STUDIO = "md5('studio' || g.number)::uuid";
const id = (kind: string, number: string) => `pg_temp.record_id(o.id, '${kind}', ${number})`;
const of = (kind: string, number: string, count: number | string) => id(kind, `1 + ${number} % ${count}`);

const LOCATIONS = 3;
const TYPES = 10;
const PLANS = 5;
const TEACHERS = 4;
const DAYS = 150;

const NAMES = "array['Ana','Maria','João','Pedro','Lucas','Júlia','Carla','Rita','Davi','Bruno','Vera']";
const SURNAMES =
  "array['Silva','Souza','Lima','Alves','Costa','Rocha','Dias','Nunes','Moura','Reis','Melo','Pinto','Sales']";

const TABLES = [
  ...["locations", "resources", "service_types", "plans", "clients", "client_locations"],
  ...["contracts", "contract_locations", "contract_entitlements", "schedules", "sessions", "bookings"],
  ...["invoices", "payments", "audit"],
];

/** One statement a table: PostgreSQL writes a million rows by itself in some seconds. */
function insertsOf({ clients, contracts, sessions, bookings, schedules }: StudioSize): string[] {
  const each = (count: number) => `from studios o cross join generate_series(1, ${count}) n`;
  const start = `date_trunc('hour', now() at time zone 'UTC') - interval '${DAYS} days'
    + floor((n - 1)::numeric * ${2 * DAYS * 24} / ${Math.max(sessions, 1)}) * interval '1 hour'`;
  return [
    `insert into locations (organization_id, id, name, address, status, timezone)
     select o.id, ${id("location", "n")}, 'Unit ' || n, 'Rua ' || n, 'active', 'UTC' ${each(LOCATIONS)}`,
    `insert into resources (organization_id, id, name, kind, status)
     select o.id, 'teacher-' || n, 'Teacher ' || n, 'person', 'active' ${each(TEACHERS)}`,
    `insert into service_types (organization_id, id, name, holds_resource, status, search)
     select o.id, ${id("type", "n")}, 'Class ' || n, false, 'active', 'class ' || n ${each(TYPES)}`,
    `insert into plans (organization_id, id, name, status, billing_kind, billing_interval, price_cents, currency, is_trial,
       all_locations, search)
     select o.id, ${id("plan", "n")}, 'Plan ' || n, 'active', 'recurring', 'month', 9900, 'BRL', false, true, 'plan ' || n
     ${each(PLANS)}`,
    `insert into clients (organization_id, id, status, contact_name, contact_email, search, created_at, updated_at)
     select organization_id, id, case when n % 10 = 9 then 'archived' else 'active' end, name,
       'client' || n || '@example.com', lower(name) || E'\\n' || 'client' || n || '@example.com', at, at
     from (
       select o.id as organization_id, ${id("client", "n")} as id, n, now() - n * interval '1 minute' as at,
         (${NAMES})[1 + n % 11] || ' ' || (${SURNAMES})[1 + n / 11 % 13] || ' ' || (${SURNAMES})[1 + n / 7 % 13] as name
       ${each(clients)}
     ) c`,
    `insert into client_locations (organization_id, client_id, location_id)
     select o.id, ${id("client", "n")}, ${of("location", "n", LOCATIONS)} ${each(clients)}`,
    `insert into contracts (organization_id, id, client_id, plan_id, plan_name, price_cents, currency, is_trial,
       billing_kind, billing_interval, start_date, status, access_blocked, all_locations, cancelled_at, end_date,
       next_change_at, next_invoice_at)
     select o.id, ${id("contract", "n")}, ${id("client", "n")}, ${of("plan", "n", PLANS)}, 'Plan', 9900, 'BRL', false,
       'recurring', 'month', current_date - 40 - n % 300, case when n % 10 = 7 then 'cancelled' else 'active' end, false,
       n % 2 = 0, case when n % 10 = 7 then now() - n % 30 * interval '1 day' end,
       case when n % 10 = 7 then current_date - n % 30 end, null, null
     ${each(contracts)}`,
    `insert into contract_locations (organization_id, contract_id, location_id)
     select o.id, ${id("contract", "n")}, ${of("location", "n", LOCATIONS)} ${each(contracts)} where n % 2 = 1`,
    `insert into contract_entitlements (organization_id, contract_id, position, id, type, remaining_credits)
     select o.id, ${id("contract", "n")}, 0, ${id("entitlement", "n")}, 'credits', 10 ${each(contracts)}`,
    `insert into schedules (organization_id, id, service_type_id, location_id, start, duration_minutes, rrule, capacity,
       first_slot)
     select o.id, ${id("schedule", "n")}, ${of("type", "n", TYPES)}, ${of("location", "n", LOCATIONS)}, at, 60,
       'FREQ=WEEKLY', 12, at
     from studios o cross join lateral (
       select n, timestamp '2026-01-05 06:00' + n % 7 * interval '1 day' + n / 7 % 15 * interval '1 hour' as at
       from generate_series(1, ${schedules}) n
     ) s`,
    `insert into sessions (organization_id, id, service_type_id, location_id, resource_ids, start, start_at,
       duration_minutes, capacity, booked_count, status)
     select o.id, ${id("session", "n")}, ${of("type", "n", TYPES)}, ${of("location", "n", LOCATIONS)},
       array['teacher-' || 1 + n % ${TEACHERS}], at, at at time zone 'UTC', 60, 20, 1, 'scheduled'
     from studios o cross join lateral (
       select n, ${start} as at from generate_series(1, ${sessions}) n
     ) s`,
    `insert into bookings (organization_id, id, session_id, client_id, visit_date, state, uncovered_reason, booked_at,
       contract_id, entitlement_id)
     select o.id, ${id("booking", "n")}, s.id, ${of("client", "n", clients)}, s.start::date,
       'booked', case when n % 20 = 0 then 'no_contract' end, s.start_at - interval '2 days',
       case when n % 20 > 0 then ${of("contract", "n", contracts)} end,
       case when n % 20 > 0 then ${of("entitlement", "n", contracts)} end
     ${each(bookings)}
     join sessions s on s.organization_id = o.id and s.id = ${of("session", "n", sessions)}`,
    `insert into invoices (organization_id, id, number, client_id, contract_id, period_number, description, issued_on,
       due_on, amount_cents, paid_cents, status)
     select o.id, ${id("invoice", "n")}, n, ${id("client", "n")}, ${id("contract", "n")}, 1, 'Plan',
       current_date - n % 200, current_date - n % 200 + 10, 9900, case when n % 4 > 0 then 9900 else 0 end,
       case when n % 4 > 0 then 'paid' else 'open' end
     ${each(contracts)}`,
    `insert into payments (organization_id, id, number, client_id, type, method, amount_cents, rest_cents, paid_on,
       status, created_at, created_by)
     select o.id, ${id("payment", "n")}, n, ${id("client", "n")}, 'payment', 'pix', 9900, 0, current_date - n % 200,
       'done', now(), 'test'
     ${each(contracts)} where n % 4 > 0`,
    `insert into audit (id, organization_id, at, actor, action, subject, client_id)
     select ${id("entry", "n")}, o.id, now() - n * interval '1 minute', 'staff:' || ${id("staff", "1")}, 'book',
       ${id("booking", "n")}::text, ${of("client", "n", clients)}
     ${each(Math.ceil(bookings / 2))}`,
    `update organization_counters c set
       clients_active = ${clients - Math.floor((clients + 1) / 10)}, clients_archived = ${Math.floor((clients + 1) / 10)},
       contracts_active = ${contracts - Math.floor((contracts + 3) / 10)},
       contracts_cancelled = ${Math.floor((contracts + 3) / 10)},
       plans_active = ${PLANS}, service_types_active = ${TYPES}
     from studios o where c.organization_id = o.id and c.slot = 0`,
  ];
}

/**
 * Writes organizations with everything that they may have, as fast as PostgreSQL itself can: without triggers, so that the
 * change feed does not know of them.
 */
export async function writeStudios(
  client: pg.ClientBase,
  { first, last }: StudioNumbers,
  size: StudioSize,
): Promise<void> {
  await client.query(ID);
  await client.query("begin");
  try {
    for (const table of TABLES) await client.query(`alter table ${table} disable trigger user`);
    await client.query("create temporary table studios (id uuid, number int) on commit drop");
    await client.query(
      `insert into studios select ${STUDIO}, g.number from generate_series($1::int, $2::int) g (number)`,
      [first, last],
    );
    await client.query("analyze studios");
    await client.query(
      `insert into organizations (id, name, timezone, currency, tier)
       select id, 'Studio ' || number, 'UTC', 'BRL', 'Enterprise' from studios`,
    );
    await client.query(
      `insert into organization_counters (organization_id, slot)
       select id, slot from studios cross join generate_series(0, 15) slot`,
    );
    for (const insert of insertsOf(size)) await client.query(insert);
    await client.query("set constraints all immediate");
    for (const table of TABLES) await client.query(`alter table ${table} enable trigger user`);
    await client.query("commit");
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw error;
  }
}

/** The id of the organization that has this number. */
const studioId = (number: number) => uuidOf(`studio${number}`);

/** The id of a record, as PostgreSQL finds it. */
export function recordId(organizationId: string, kind: string, number: number): string {
  return uuidOf(`${organizationId}${kind}${number}`);
}

function uuidOf(name: string): string {
  const digits = createHash("md5").update(name).digest("hex");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** Of the organization that has this number, and the first record of each kind. */
export interface StudioIds {
  readonly organizationId: string;
  readonly locationId: string;
  readonly typeId: string;
  readonly clientId: string;
  readonly planId: string;
  readonly contractId: string;
  readonly sessionId: string;
  readonly scheduleId: string;
}

export function studioIds(number: number): StudioIds {
  const organizationId = studioId(number);
  const first = (kind: string) => recordId(organizationId, kind, 1);
  return {
    organizationId,
    ...{ locationId: first("location"), typeId: first("type"), clientId: first("client") },
    ...{ planId: first("plan"), contractId: first("contract") },
    ...{ sessionId: first("session"), scheduleId: first("schedule") },
  };
}
