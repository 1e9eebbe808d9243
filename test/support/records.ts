import { searchText } from "../../src/core/search.ts";
import type { Database } from "../../src/db/database.ts";
import { pooled } from "../../src/db/statements.ts";
import { lockForWrite } from "../../src/domain/contract-status/queries.ts";
import { newId } from "./ids.ts";

/** Records of the catalog, written straight into the tables with their counters: the API only reads them. */

const insertLocation = pooled(
  "test_insert_location",
  `with made as (
     insert into locations (organization_id, id, name, status, timezone, address, created_at)
     values ($1, $2, $3, $4, $5, $6, coalesce($7::timestamptz, now()))
   )
   update organization_counters set catalog_version = catalog_version + 1 where organization_id = $1 and slot = 0`,
);

export async function addLocation(
  db: Database,
  organizationId: string,
  location: {
    id?: string;
    name?: string;
    status?: "active" | "closed";
    timezone?: string;
    address?: string;
    createdAt?: string;
  } = {},
): Promise<string> {
  const id = location.id ?? newId();
  await db.query(insertLocation, [
    organizationId,
    id,
    location.name ?? "Centro",
    location.status ?? "active",
    location.timezone ?? "America/Sao_Paulo",
    location.address ?? null,
    location.createdAt ?? null,
  ]);
  return id;
}

const insertServiceType = pooled(
  "test_insert_catalog_service_type",
  `with made as (
     insert into service_types (organization_id, id, name, description, holds_resource, status, search, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
   )
   update organization_counters set
     catalog_version = catalog_version + 1,
     service_types_active = service_types_active + ($6 = 'active')::int,
     service_types_archived = service_types_archived + ($6 = 'archived')::int
   where organization_id = $1 and slot = 3`,
);

export interface TestServiceType {
  readonly id?: string;
  readonly name?: string;
  readonly description?: string;
  readonly holdsResource?: boolean;
  readonly status?: "active" | "archived";
  readonly createdAt?: string;
  readonly updatedAt?: string;
}

export async function addServiceType(
  db: Database,
  organizationId: string,
  type: TestServiceType = {},
): Promise<string> {
  const id = type.id ?? newId();
  const name = type.name ?? "Pilates";
  await db.query(insertServiceType, [
    organizationId,
    id,
    name,
    type.description ?? null,
    type.holdsResource ?? false,
    type.status ?? "active",
    searchText([name]),
    type.createdAt ?? SOME_TIME,
    type.updatedAt ?? SOME_TIME,
  ]);
  return id;
}

const insertGroup = pooled(
  "test_insert_service_group",
  "insert into service_groups (organization_id, id, name) values ($1, $2, 'Mat classes')",
);

export async function addServiceGroup(db: Database, organizationId: string): Promise<string> {
  const id = newId();
  await db.query(insertGroup, [organizationId, id]);
  return id;
}

const insertPlan = pooled(
  "test_insert_plan",
  `with made as (
     insert into plans (
       organization_id, id, name, status, billing_kind, billing_interval, duration_count, duration_unit, price_cents,
       currency, is_trial, all_locations, terms, search, created_at, updated_at
     )
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
   ), sold as (
     insert into plan_locations (organization_id, plan_id, location_id) select $1, $2, unnest($17::uuid[])
   ), granted as (
     insert into plan_entitlements (
       organization_id, plan_id, position, type, period, max_visits_per_period, credit_quantity, service_type_id,
       service_group_id
     )
     select $1, $2, e.position, e.type, e.period, e."maxVisitsPerPeriod", e."creditQuantity", e."serviceTypeId",
       e."serviceGroupId"
     from jsonb_to_recordset($18::jsonb) as e (
       position int, type text, period text, "maxVisitsPerPeriod" int, "creditQuantity" int, "serviceTypeId" uuid,
       "serviceGroupId" uuid
     )
   )
   update organization_counters set
     catalog_version = catalog_version + 1,
     plans_active = plans_active + ($4 = 'active')::int,
     plans_archived = plans_archived + ($4 = 'archived')::int
   where organization_id = $1 and slot = 5`,
);

export interface TestPlan {
  readonly id?: string;
  readonly name?: string;
  readonly status?: "active" | "archived";
  readonly billingKind?: "recurring" | "one_time";
  readonly billingInterval?: string;
  readonly durationCount?: number;
  readonly durationUnit?: string;
  readonly priceCents?: number;
  readonly isTrial?: boolean;
  readonly locationIds?: readonly string[];
  readonly terms?: string;
  readonly entitlements?: readonly object[];
  readonly createdAt?: string;
  readonly updatedAt?: string;
}

/** A plan; without `locationIds` it sells everywhere. */
export async function addPlan(db: Database, organizationId: string, plan: TestPlan = {}): Promise<string> {
  const id = plan.id ?? newId();
  const name = plan.name ?? "Unlimited monthly";
  await db.query(insertPlan, [
    organizationId,
    id,
    name,
    plan.status ?? "active",
    plan.billingKind ?? "recurring",
    plan.billingInterval ?? null,
    plan.durationCount ?? null,
    plan.durationUnit ?? null,
    plan.priceCents ?? 15_000,
    "BRL",
    plan.isTrial ?? false,
    plan.locationIds === undefined,
    plan.terms ?? null,
    searchText([name]),
    plan.createdAt ?? SOME_TIME,
    plan.updatedAt ?? SOME_TIME,
    plan.locationIds ?? [],
    JSON.stringify((plan.entitlements ?? []).map((entitlement, position) => ({ ...entitlement, position }))),
  ]);
  return id;
}

const deletePlan = pooled(
  "test_delete_plan",
  `with gone as (delete from plans where organization_id = $1 and id = $2 returning status)
   update organization_counters set
     catalog_version = catalog_version + 1,
     plans_active = plans_active - (gone.status = 'active')::int,
     plans_archived = plans_archived - (gone.status = 'archived')::int
   from gone where organization_id = $1 and slot = 6`,
);

export async function removePlan(db: Database, organizationId: string, id: string): Promise<void> {
  await db.query(deletePlan, [organizationId, id]);
}

const insertContract = pooled(
  "test_insert_contract",
  `with made as (
     insert into contracts (
       organization_id, id, client_id, plan_id, plan_name, price_cents, currency, is_trial, billing_kind,
       billing_interval, start_date, end_date, status, access_blocked, all_locations, cancelled_at, terms_response,
       terms_responded_at, created_at, updated_at
     )
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)
   ), usable as (
     insert into contract_locations (organization_id, contract_id, location_id) select $1, $2, unnest($21::uuid[])
   ), granted as (
     insert into contract_entitlements (
       organization_id, contract_id, position, id, type, period, max_visits_per_period, remaining_credits,
       service_type_id, service_group_id, revoked_at
     )
     select $1, $2, e.position, e.id, e.type, e.period, e."maxVisitsPerPeriod", e."remainingCredits",
       e."serviceTypeId", e."serviceGroupId", e."revokedAt"
     from jsonb_to_recordset($22::jsonb) as e (
       position int, id uuid, type text, period text, "maxVisitsPerPeriod" int, "remainingCredits" int,
       "serviceTypeId" uuid, "serviceGroupId" uuid, "revokedAt" timestamptz
     )
   )
   update organization_counters set
     catalog_version = catalog_version + 1,
     contracts_active = contracts_active + ($13 = 'active')::int,
     contracts_paused = contracts_paused + ($13 = 'paused')::int,
     contracts_cancelled = contracts_cancelled + ($13 = 'cancelled')::int,
     contracts_expired = contracts_expired + ($13 = 'expired')::int
   where organization_id = $1 and slot = 7`,
);

export interface TestContract {
  readonly id?: string;
  readonly clientId: string;
  readonly planId?: string;
  readonly planName?: string;
  readonly priceCents?: number;
  readonly isTrial?: boolean;
  readonly billingKind?: "recurring" | "one_time";
  readonly billingInterval?: string;
  readonly startDate?: string;
  readonly endDate?: string;
  readonly status?: "active" | "paused" | "cancelled" | "expired";
  readonly accessBlocked?: boolean;
  readonly locationIds?: readonly string[];
  readonly cancelledAt?: string;
  readonly termsResponse?: "accepted" | "declined";
  readonly termsRespondedAt?: string;
  readonly entitlements?: readonly object[];
  readonly createdAt?: string;
  readonly updatedAt?: string;
}

/** A contract; without `locationIds` it is usable everywhere. */
export async function addContract(
  db: Database,
  organizationId: string,
  contract: TestContract,
): Promise<string> {
  const id = contract.id ?? newId();
  const values = [
    organizationId,
    id,
    contract.clientId,
    contract.planId ?? null,
    contract.planName ?? "Unlimited monthly",
    contract.priceCents ?? 15_000,
    "BRL",
    contract.isTrial ?? false,
    contract.billingKind ?? "recurring",
    contract.billingInterval ?? null,
    contract.startDate ?? "2026-01-01",
    contract.endDate ?? null,
    contract.status ?? "active",
    contract.accessBlocked ?? false,
    contract.locationIds === undefined,
    contract.cancelledAt ?? null,
    contract.termsResponse ?? null,
    contract.termsRespondedAt ?? null,
    contract.createdAt ?? SOME_TIME,
    contract.updatedAt ?? SOME_TIME,
    contract.locationIds ?? [],
    JSON.stringify(
      (contract.entitlements ?? []).map((entitlement, position) => ({ ...entitlement, position })),
    ),
  ];
  await db.transaction(async (tx) => {
    // First, as everybody does: a trigger of contracts writes to it, after the statement has the counters.
    await lockForWrite(tx, organizationId);
    await tx.query(insertContract, values);
  });
  return id;
}

const SOME_TIME = "2026-03-01T12:00:00.000Z";

const count = pooled(
  "test_count_clients",
  `select
     (select count(*) from clients where organization_id = $1 and status = 'active') as active,
     (select count(*) from clients where organization_id = $1 and status = 'archived') as archived,
     (select sum(clients_active)::bigint from organization_counters where organization_id = $1) as "countedActive",
     (select sum(clients_archived)::bigint from organization_counters where organization_id = $1) as "countedArchived"`,
);

/** How many clients there are, counted row by row and as the counters have it. */
export async function countClients(
  db: Database,
  organizationId: string,
): Promise<{ active: number; archived: number; countedActive: number; countedArchived: number }> {
  const [row] = await db.query<Awaited<ReturnType<typeof countClients>>>(count, [organizationId]);
  if (!row) throw new Error("a count has one row");
  return row;
}

/** Lets time pass for a key, by moving what is stored of it into the past; a negative time sets the clock back. */
export async function passSeconds(db: Database, keyId: string, seconds: number): Promise<void> {
  await db.query(
    pooled(
      "test_pass_seconds",
      "update key_rates set tat = tat - $2::bigint, checked_at = checked_at - $2::bigint where key_id = $1",
    ),
    [keyId, seconds * 1e9],
  );
}
