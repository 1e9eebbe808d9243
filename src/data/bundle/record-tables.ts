import type { FaultCode } from "../../core/faults.ts";
import { CLIENT_COLUMNS } from "../../domain/clients/client-columns.ts";
import { CLIENT_STATUSES } from "../../domain/clients/schema.ts";
import { pausesJson } from "../../domain/contract-status/pauses.ts";
import { CONTRACT_STATUSES } from "../../domain/contract-status/values.ts";
import {
  contractEntitlementTable,
  type EntitlementTable,
  entitlementsJson,
  planEntitlementTable,
} from "../../domain/plans/entitlements.ts";
import { PLAN_STATUSES } from "../../domain/plans/schema.ts";
import { SERVICE_TYPE_STATUSES } from "../../domain/service-types/schema.ts";
import type { Kind } from "./schema.ts";

/** Everything but the organization is staged in a temporary table before it is written. */
export type StagedKind = Exclude<Kind, "organization">;

/** A record as it is staged: the columns of its table, absent ones being null. */
export type StagedRow = Readonly<Record<string, unknown>>;

/** How a kind of record is stored, and so how it is staged, compared and written. */
export interface Table {
  readonly name: string;
  /** The columns that a record fills, with their types. */
  readonly columns: Readonly<Record<string, string>>;
  /** Staged beside them: lists that are rows of other tables, and what a record was put together of. */
  readonly lists: Readonly<Record<string, string>>;
  /** Whether the table knows when a record was created and changed. */
  readonly times: readonly ("created_at" | "updated_at")[];
  /** The type of the ids, if it is not `uuid`. */
  readonly idType?: "text";
  /** Columns that a record may leave as they are, with what they are in a new one. */
  readonly kept: Readonly<Record<string, string>>;
  /** Which statuses `organization_counters` counts, in columns such as `clients_active`. */
  readonly counted?: readonly string[];
  /** Conditions under which the lists of a stored record `c` and a staged one `s` differ. */
  readonly listsDiffer: readonly string[];
  readonly children: readonly Child[];
  /** Columns that must be unique and that two replaced records may exchange; they are cleared first. */
  readonly exchanged: readonly string[];
  readonly references: readonly Reference[];
  /** Columns that follow from others. They are written, but make no record differ from another. */
  readonly derived?: readonly DerivedColumn[];
  /** When a stored record `c` is not as it stands there any more, so that what is given is never the same. */
  readonly isOutdated?: string;
}

/** Expressions of the staged record `s` and, where one is replaced, of the stored one `c`. */
interface DerivedColumn {
  readonly name: string;
  readonly whenNew: string;
  readonly whenReplaced: string;
}

/** The time of the import, as its statements are given it. */
export const NOW = "$2::timestamptz";

/** The rows of a list. */
interface Child {
  readonly table: string;
  readonly owner: string;
  /** Its columns beside organization and owner, and what selects them for the staged record `s`. */
  readonly columns: string;
  readonly values: string;
  readonly from: string;
  /** The staged column that is null if a record leaves the list as it is. */
  readonly keptIfNull?: string;
}

const UNKNOWN = {
  location: "location_unknown",
  serviceType: "service_type_unknown",
  serviceGroup: "service_group_unknown",
  plan: "plan_unknown",
  client: "client_unknown",
  schedule: "schedule_unknown",
  session: "session_unknown",
  contract: "contract_unknown",
  booking: "booking_unknown",
  invoice: "invoice_unknown",
  payment: "payment_unknown",
} as const satisfies Partial<Record<StagedKind, FaultCode>>;

/** What records refer to. */
type ReferredKind = keyof typeof UNKNOWN;
type UnknownReference = (typeof UNKNOWN)[ReferredKind];

/** Something that a record refers to by id, with how a fault names the place. */
export interface Reference {
  readonly kind: ReferredKind;
  /** The member that has it, which the source is given as `$4`. */
  readonly member: string;
  /** Yields `id` and `place` for a staged record `s`. */
  readonly source: string;
  /** The fault of a record that refers to none. */
  readonly fault: UnknownReference;
}

const idList = (table: string, owner: string, member: string, staged: string): Child => ({
  table,
  owner,
  columns: member,
  values: "l.id",
  from: `cross join unnest(s.${staged}) as l(id)`,
});

const locationList = (table: string, owner: string): Child =>
  idList(table, owner, "location_id", "location_ids");

const listDiffers = (table: string, owner: string, member: string, staged: string): string => `
  s.${staged} is distinct from array(
    select m.${member} from ${table} m
    where m.organization_id = c.organization_id and m.${owner} = c.id order by m.${member}
  )`;

const one = (kind: ReferredKind, column: string, member: string): Reference => ({
  kind,
  member,
  source: `select s.${column} as id, $4::text as place where s.${column} is not null`,
  fault: UNKNOWN[kind],
});

const listed = (kind: ReferredKind, column: string, member: string): Reference => ({
  kind,
  member,
  source: `
    select l.id, $4::text || '[' || l.n - 1 || ']' as place
    from unnest(coalesce(s.given_ids, s.${column})) with ordinality as l(id, n)`,
  fault: UNKNOWN[kind],
});

const scoped = (kind: ReferredKind, member: string): Reference => ({
  kind,
  member,
  source: `
    select (e.entitlement->>$4::text)::uuid as id, 'entitlements[' || e.n - 1 || '].' || $4::text as place
    from jsonb_array_elements(s.entitlements) with ordinality as e(entitlement, n)
    where e.entitlement->>$4::text is not null`,
  fault: UNKNOWN[kind],
});

const entitlementList = ({ name, owner, columns }: EntitlementTable): Child => {
  const numbered = columns.map((_, index) => `c${index}`);
  const shape = columns.map(({ member, type }) => `"${member}" ${type}`);
  return {
    table: name,
    owner,
    columns: ["position", ...columns.map(({ column }) => column)].join(", "),
    values: ["e.n - 1", ...numbered.map((column) => `e.${column}`)].join(", "),
    from: `cross join lateral rows from (jsonb_to_recordset(s.entitlements) as (${shape.join(", ")}))
      with ordinality as e(${[...numbered, "n"].join(", ")})`,
  };
};

const entitlementsDiffer = (table: EntitlementTable): string =>
  `s.entitlements is distinct from ${entitlementsJson(table, "c")}::jsonb`;

const pauseList: Child = {
  table: "contract_pauses",
  owner: "contract_id",
  columns: "id, first_day, last_day, extends_term",
  values: 'p.id, p."firstDay", p."lastDay", p."extendsTerm"',
  from: `cross join lateral jsonb_to_recordset(s.pauses)
    as p(id uuid, "firstDay" date, "lastDay" date, "extendsTerm" boolean)`,
  keptIfNull: "pauses",
};

const pausesDiffer = `(s.pauses is not null and s.pauses is distinct from ${pausesJson("c")}::jsonb)`;

/** What a payment pays, or a refund takes from: ids with amounts, in the order of the ids. */
const partList = (staged: string, table: string, owner: string, column: string): Child => ({
  table,
  owner,
  columns: `${column}, amount_cents`,
  values: 'p.id, p."amountCents"',
  from: `cross join lateral jsonb_to_recordset(s.${staged}) as p(id uuid, "amountCents" bigint)`,
});

const partsDiffer = (staged: string, table: string, owner: string, column: string): string => `
  s.${staged} is distinct from (
    select coalesce(jsonb_agg(jsonb_build_object('id', m.${column}, 'amountCents', m.amount_cents) order by m.${column}), '[]')
    from ${table} m where m.organization_id = c.organization_id and m.${owner} = c.id
  )`;

const parts = (kind: ReferredKind, staged: string, member: string): Reference => ({
  kind,
  member: `${staged}[].${member}`,
  source: `
    select (p.part->>'id')::uuid as id, replace($4::text, '[]', '[' || p.n - 1 || ']') as place
    from jsonb_array_elements(s.${staged}) with ordinality as p(part, n)`,
  fault: UNKNOWN[kind],
});

/**
 * A contract that is brought in is as it is stated: only what its days bring from now on is carried out. The beginnings of
 * the days are computed before (contract-days.ts). One with pauses is left to be applied at the next read.
 */
const isRunning = "s.status in ('active', 'paused')";
const nextChange = `(select d.begins_at from import_days d where d.day = s.end_date + 1 and d.begins_at > ${NOW})`;
const hasGivenPauses = "coalesce(jsonb_array_length(s.pauses), 0) > 0";
const isCancelledAsBefore = "s.cancelled_at is not distinct from c.cancelled_at";
const contractCourse: readonly DerivedColumn[] = [
  {
    name: "next_change_at",
    whenNew: `case when ${isRunning} then case when ${hasGivenPauses} then ${NOW} else ${nextChange} end end`,
    whenReplaced: `case when ${isRunning} then case when ${hasGivenPauses} or (s.pauses is null and exists (
      select from contract_pauses p where p.organization_id = c.organization_id and p.contract_id = c.id
    )) then ${NOW} else ${nextChange} end end`,
  },
  { name: "course_revision", whenNew: "1", whenReplaced: "c.course_revision + 1" },
  {
    name: "agreed_end_date",
    whenNew: "s.end_date",
    whenReplaced: `case when ${isCancelledAsBefore} and c.cancelled_by is not null then c.agreed_end_date else s.end_date end`,
  },
  // What undoes a cancellation goes with it.
  {
    name: "cancelled_by",
    whenNew: "null",
    whenReplaced: `case when ${isCancelledAsBefore} then c.cancelled_by end`,
  },
];

/** The day of a booking is that of its session, which is stored before it and takes it along. */
const visitDate = `(
  select b.start::date from sessions b where b.organization_id = $1 and b.id = s.session_id
)`;

/** A table of which a record is one row, and nothing else. */
const BARE = {
  lists: {},
  times: [],
  kept: {},
  listsDiffer: [],
  children: [],
  exchanged: [],
  references: [],
} as const satisfies Partial<Table>;

export const TABLES: Readonly<Record<StagedKind, Table>> = {
  location: {
    ...BARE,
    name: "locations",
    columns: { name: "text", address: "text", status: "text", timezone: "text" },
    times: ["created_at"],
  },
  resource: {
    ...BARE,
    name: "resources",
    idType: "text",
    columns: { name: "text", kind: "text", status: "text" },
  },
  serviceType: {
    ...BARE,
    name: "service_types",
    columns: {
      name: "text",
      description: "text",
      holds_resource: "boolean",
      status: "text",
      search: "text",
    },
    times: ["created_at", "updated_at"],
    counted: SERVICE_TYPE_STATUSES,
  },
  serviceGroup: {
    ...BARE,
    name: "service_groups",
    columns: { name: "text" },
    lists: { service_type_ids: "uuid[]", given_ids: "uuid[]" },
    listsDiffer: [
      listDiffers("service_group_members", "service_group_id", "service_type_id", "service_type_ids"),
    ],
    children: [idList("service_group_members", "service_group_id", "service_type_id", "service_type_ids")],
    references: [listed("serviceType", "service_type_ids", "serviceTypeIds")],
  },
  plan: {
    ...BARE,
    name: "plans",
    columns: {
      name: "text",
      status: "text",
      billing_kind: "text",
      billing_interval: "text",
      duration_count: "integer",
      duration_unit: "text",
      price_cents: "bigint",
      currency: "text",
      is_trial: "boolean",
      all_locations: "boolean",
      terms: "text",
      search: "text",
    },
    lists: { location_ids: "uuid[]", given_ids: "uuid[]", entitlements: "jsonb" },
    times: ["created_at", "updated_at"],
    counted: PLAN_STATUSES,
    listsDiffer: [
      listDiffers("plan_locations", "plan_id", "location_id", "location_ids"),
      entitlementsDiffer(planEntitlementTable),
    ],
    children: [locationList("plan_locations", "plan_id"), entitlementList(planEntitlementTable)],
    references: [
      listed("location", "location_ids", "locationIds"),
      scoped("serviceType", "serviceTypeId"),
      scoped("serviceGroup", "serviceGroupId"),
    ],
  },
  client: {
    ...BARE,
    name: "clients",
    columns: {
      status: "text",
      ...Object.fromEntries(CLIENT_COLUMNS.map(({ name, type }) => [name, type])),
    },
    lists: { location_ids: "uuid[]", given_ids: "uuid[]", merged_at: "timestamptz", patch: "jsonb" },
    times: ["created_at", "updated_at"],
    kept: { status: "'active'" },
    counted: CLIENT_STATUSES,
    listsDiffer: [listDiffers("client_locations", "client_id", "location_id", "location_ids")],
    children: [locationList("client_locations", "client_id")],
    exchanged: ["id_document_type", "id_document_value", "id_document_key"],
    references: [listed("location", "location_ids", "locationIds")],
  },
  contract: {
    ...BARE,
    name: "contracts",
    columns: {
      client_id: "uuid",
      plan_id: "uuid",
      plan_name: "text",
      price_cents: "bigint",
      currency: "text",
      is_trial: "boolean",
      billing_kind: "text",
      billing_interval: "text",
      start_date: "date",
      end_date: "date",
      status: "text",
      access_blocked: "boolean",
      all_locations: "boolean",
      cancelled_at: "timestamptz",
      terms_response: "text",
      terms_responded_at: "timestamptz",
      terms: "text",
    },
    lists: { location_ids: "uuid[]", given_ids: "uuid[]", entitlements: "jsonb", pauses: "jsonb" },
    times: ["created_at", "updated_at"],
    // Who brings contracts from elsewhere may know nothing of the terms and pauses that were recorded here.
    kept: { terms: "null" },
    counted: CONTRACT_STATUSES,
    listsDiffer: [
      listDiffers("contract_locations", "contract_id", "location_id", "location_ids"),
      entitlementsDiffer(contractEntitlementTable),
      pausesDiffer,
    ],
    children: [
      locationList("contract_locations", "contract_id"),
      entitlementList(contractEntitlementTable),
      pauseList,
    ],
    derived: contractCourse,
    isOutdated: `coalesce(c.next_change_at <= ${NOW}, false)`,
    references: [
      one("client", "client_id", "clientId"),
      one("plan", "plan_id", "planId"),
      listed("location", "location_ids", "locationIds"),
      scoped("serviceType", "serviceTypeId"),
      scoped("serviceGroup", "serviceGroupId"),
    ],
  },
  schedule: {
    ...BARE,
    name: "schedules",
    columns: {
      service_type_id: "uuid",
      location_id: "uuid",
      resource_ids: "text[]",
      start: "timestamp",
      duration_minutes: "integer",
      rrule: "text",
      exdates: "timestamp[]",
      rdates: "timestamp[]",
      capacity: "integer",
      first_slot: "timestamp",
      last_slot: "timestamp",
      counted_slot: "timestamp",
      continues_id: "uuid",
    },
    references: [
      one("serviceType", "service_type_id", "serviceTypeId"),
      one("location", "location_id", "locationId"),
      one("schedule", "continues_id", "continuesId"),
    ],
  },
  session: {
    ...BARE,
    name: "sessions",
    columns: {
      schedule_id: "uuid",
      original_start: "timestamp",
      service_type_id: "uuid",
      location_id: "uuid",
      resource_ids: "text[]",
      start: "timestamp",
      start_at: "timestamptz",
      duration_minutes: "integer",
      capacity: "integer",
      booked_count: "integer",
      status: "text",
    },
    exchanged: ["schedule_id", "original_start"],
    references: [
      one("schedule", "schedule_id", "scheduleId"),
      one("serviceType", "service_type_id", "serviceTypeId"),
      one("location", "location_id", "locationId"),
    ],
  },
  booking: {
    ...BARE,
    name: "bookings",
    // No answer of the API is made of bookings, but of the seats that they take.
    columns: {
      session_id: "uuid",
      client_id: "uuid",
      contract_id: "uuid",
      entitlement_id: "uuid",
      state: "text",
      uncovered_reason: "text",
      courtesy: "boolean",
      fixed_place_id: "uuid",
      moved: "boolean",
      to_tell: "boolean",
      booked_at: "timestamptz",
      checked_in_at: "timestamptz",
      ended_at: "timestamptz",
    },
    derived: [{ name: "visit_date", whenNew: visitDate, whenReplaced: visitDate }],
    references: [
      one("session", "session_id", "sessionId"),
      one("client", "client_id", "clientId"),
      one("contract", "contract_id", "contractId"),
    ],
  },
  waiting: {
    ...BARE,
    name: "waiting",
    columns: {
      session_id: "uuid",
      client_id: "uuid",
      joined_at: "timestamptz",
      left_at: "timestamptz",
      booking_id: "uuid",
    },
    references: [
      one("session", "session_id", "sessionId"),
      one("client", "client_id", "clientId"),
      one("booking", "booking_id", "bookingId"),
    ],
  },
  invoice: {
    ...BARE,
    name: "invoices",
    columns: {
      number: "integer",
      client_id: "uuid",
      contract_id: "uuid",
      period_number: "integer",
      description: "text",
      period_first: "date",
      period_last: "date",
      issued_on: "date",
      due_on: "date",
      amount_cents: "bigint",
      paid_cents: "bigint",
      status: "text",
    },
    references: [one("client", "client_id", "clientId"), one("contract", "contract_id", "contractId")],
  },
  payment: {
    ...BARE,
    name: "payments",
    columns: {
      number: "integer",
      client_id: "uuid",
      type: "text",
      method: "text",
      amount_cents: "bigint",
      rest_cents: "bigint",
      paid_on: "date",
      note: "text",
      status: "text",
    },
    lists: { allocations: "jsonb", refunds: "jsonb" },
    times: ["created_at"],
    listsDiffer: [
      partsDiffer("allocations", "payment_allocations", "payment_id", "invoice_id"),
      partsDiffer("refunds", "payment_refunds", "refund_id", "payment_id"),
    ],
    children: [
      partList("allocations", "payment_allocations", "payment_id", "invoice_id"),
      partList("refunds", "payment_refunds", "refund_id", "payment_id"),
    ],
    derived: [{ name: "created_by", whenNew: "'import'", whenReplaced: "c.created_by" }],
    references: [
      one("client", "client_id", "clientId"),
      parts("invoice", "allocations", "invoiceId"),
      parts("payment", "refunds", "paymentId"),
    ],
  },
};

/**
 * Each kind comes after those that it refers to. Rows are locked in the same order: plans, clients, schedules, sessions,
 * contracts, bookings.
 */
export const WRITE_ORDER: readonly StagedKind[] = [
  "location",
  "resource",
  "serviceType",
  "serviceGroup",
  "plan",
  "client",
  "schedule",
  "session",
  "contract",
  "booking",
  "waiting",
  "invoice",
  "payment",
];

/** The temporary table in which a kind is staged. */
export function stagingTable(kind: StagedKind): string {
  return `import_${TABLES[kind].name}`;
}
