import type { Database } from "../../db/database.ts";
import { pooled } from "../../db/statements.ts";
import { pausesJson } from "../contract-status/pauses.ts";
import { storedInstant } from "../contract-status/queries.ts";
import type { Pause } from "../contract-status/status-timeline.ts";
import type { Plan } from "../plans/schema.ts";
import type { Cancellation } from "./changes.ts";
import { contractColumns, contractEntitlements } from "./queries.ts";
import type { Contract, StaffContract } from "./schema.ts";

/** What the operations of the staff application read and write of contracts. */

const staffColumns = `${contractColumns}, ${contractEntitlements}, r.terms, ${pausesJson("r")} as pauses`;

/** A contract, locked, with what is kept of it beside what the staff sees. */
export interface LockedContract extends StaffContract {
  readonly agreedEndDate?: string;
  /** The audit entry of its cancellation, if that was made here. */
  readonly cancelledBy?: string;
  readonly openPause?: NonNullable<Cancellation["openPause"]>;
  /** Whether its client was erased. */
  readonly isErased: boolean;
}

const lockStatement = pooled(
  "lock_contract",
  `select ${staffColumns}, r.agreed_end_date as "agreedEndDate", r.cancelled_by as "cancelledBy",
     (select a.details->'openPause' from audit a where a.organization_id = $1 and a.id = r.cancelled_by) as "openPause",
     exists (
       select from erasures e where e.organization_id = r.organization_id and e.client_id = r.client_id
     ) as "isErased"
   from contracts r where r.organization_id = $1 and r.id = $2 for no key update of r`,
);

export async function lockContract(
  tx: Database,
  organizationId: string,
  id: string,
): Promise<LockedContract | undefined> {
  const [contract] = await tx.query<LockedContract>(lockStatement, [organizationId, id]);
  return contract;
}

const findStatement = pooled(
  "find_staff_contract",
  `select ${staffColumns} from contracts r where r.organization_id = $1 and r.id = $2`,
);

/** The contract as the staff sees it. */
export async function findStaffContract(
  db: Database,
  organizationId: string,
  id: string,
): Promise<StaffContract | undefined> {
  const [contract] = await db.query<StaffContract>(findStatement, [organizationId, id]);
  return contract;
}

/** The same after it was written. */
export async function readContract(tx: Database, organizationId: string, id: string): Promise<StaffContract> {
  const contract = await findStaffContract(tx, organizationId, id);
  if (!contract) throw new Error("a contract that was just written is gone");
  return contract;
}

const ofClientStatement = pooled(
  "list_client_contracts",
  `select ${staffColumns} from contracts r where r.organization_id = $1 and r.client_id = $2 order by r.id`,
);

/** All contracts of a client, whole, as the staff sees them. */
export function listContractsOf(
  tx: Database,
  organizationId: string,
  clientId: string,
): Promise<StaffContract[]> {
  return tx.query(ofClientStatement, [organizationId, clientId]);
}

const ownerStatement = pooled(
  "find_contract_of_entitlement",
  `select contract_id as "contractId" from contract_entitlements where organization_id = $1 and id = $2`,
);

/** The contract that an entitlement belongs to. */
export async function findContractOf(
  tx: Database,
  organizationId: string,
  entitlementId: string,
): Promise<string | undefined> {
  const [row] = await tx.query<{ contractId: string }>(ownerStatement, [organizationId, entitlementId]);
  return row?.contractId;
}

/** What a client is to a sale. */
export interface Buyer {
  readonly status: "active" | "archived";
  readonly isErased: boolean;
}

const lockBuyerStatement = pooled(
  "lock_buyer",
  `select c.status,
     exists (select from erasures e where e.organization_id = c.organization_id and e.client_id = c.id) as "isErased"
   from clients c where c.organization_id = $1 and c.id = $2 for no key update of c`,
);

/** The client, locked: of any number of sales to one client at once, each sees those before it. */
export async function lockBuyer(
  tx: Database,
  organizationId: string,
  id: string,
): Promise<Buyer | undefined> {
  const [buyer] = await tx.query<Buyer>(lockBuyerStatement, [organizationId, id]);
  return buyer;
}

const historyStatement = pooled(
  "has_contract_history",
  "select exists (select from contracts where organization_id = $1 and client_id = $2) as found",
);

/** Whether the client has ever had a contract. Asked after the lock, so that it sees what that waited for. */
export async function hasHistory(tx: Database, organizationId: string, clientId: string): Promise<boolean> {
  const [row] = await tx.query<{ found: boolean }>(historyStatement, [organizationId, clientId]);
  return row?.found ?? false;
}

/** A contract as it is sold. */
export interface NewContract
  extends Omit<Contract, "$schema" | "createdAt" | "updatedAt" | "planId" | "entitlements"> {
  readonly planId: string;
  readonly terms?: string | undefined;
  readonly entitlements: readonly (Omit<Plan["entitlements"][number], "creditQuantity"> & {
    readonly id: string;
    readonly remainingCredits?: number;
  })[];
}

const insertStatement = pooled(
  "insert_contract",
  `with sold as (
     insert into contracts (
       organization_id, id, client_id, plan_id, plan_name, price_cents, currency, is_trial, billing_kind,
       billing_interval, start_date, end_date, agreed_end_date, status, access_blocked, all_locations, terms,
       terms_response, terms_responded_at, created_at, updated_at, next_change_at, course_revision
     )
     values (
       $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12, $13, false, $14, $15, $16,
       case when $16::text is not null then $17::timestamptz end, $17, $17, $18, 1
     )
   ), places as (
     insert into contract_locations (organization_id, contract_id, location_id)
     select $1, $2, l.id from unnest($19::uuid[]) as l (id)
   )
   insert into contract_entitlements (
     organization_id, contract_id, position, id, type, period, max_visits_per_period, remaining_credits,
     service_type_id, service_group_id
   )
   select $1, $2, e.position, e.id, e.type, e.period, e."maxVisitsPerPeriod", e."remainingCredits", e."serviceTypeId",
     e."serviceGroupId"
   from json_to_recordset($20) as e(
     position int, id uuid, type text, period text, "maxVisitsPerPeriod" int, "remainingCredits" int,
     "serviceTypeId" uuid, "serviceGroupId" uuid
   )`,
);

export async function insertContract(
  tx: Database,
  organizationId: string,
  contract: NewContract,
  times: { readonly at: string; readonly nextChangeAt: number | undefined },
): Promise<void> {
  await tx.query(insertStatement, [
    organizationId,
    contract.id,
    contract.clientId,
    contract.planId,
    contract.planName,
    contract.priceCents,
    contract.currency,
    contract.isTrial,
    contract.billingKind,
    contract.billingInterval ?? null,
    contract.startDate,
    contract.endDate ?? null,
    contract.status,
    contract.allLocations,
    contract.terms ?? null,
    contract.termsResponse ?? null,
    times.at,
    storedInstant(times.nextChangeAt),
    contract.locationIds,
    JSON.stringify(contract.entitlements.map((entitlement, position) => ({ ...entitlement, position }))),
  ]);
}

const deleteStatement = pooled(
  "delete_contract",
  "delete from contracts where organization_id = $1 and id = $2",
);

export async function deleteContract(tx: Database, organizationId: string, id: string): Promise<void> {
  await tx.query(deleteStatement, [organizationId, id]);
}

/** The term of a contract as it is to be stored. */
export interface TermWrite {
  readonly id: string;
  readonly status: Contract["status"];
  readonly endDate: string | undefined;
  readonly agreedEndDate: string | undefined;
  readonly cancelledAt: string | undefined;
  readonly cancelledBy: string | undefined;
  readonly nextChangeAt: number | undefined;
  /** Absent if nothing changes that the API shows. */
  readonly updatedAt: string | undefined;
}

const updatedAt = (value: string) =>
  `updated_at = case when ${value}::timestamptz is null then updated_at
     else greatest(${value}::timestamptz, updated_at + interval '1 millisecond') end`;

const writeTermStatement = pooled(
  "write_contract_term",
  `update contracts set
     status = $3, end_date = $4, agreed_end_date = $5, cancelled_at = $6, cancelled_by = $7, next_change_at = $8,
     course_revision = course_revision + 1, ${updatedAt("$9")}
   where organization_id = $1 and id = $2`,
);

export async function writeTerm(tx: Database, organizationId: string, term: TermWrite): Promise<void> {
  await tx.query(writeTermStatement, [
    organizationId,
    term.id,
    term.status,
    term.endDate ?? null,
    term.agreedEndDate ?? null,
    term.cancelledAt ?? null,
    term.cancelledBy ?? null,
    storedInstant(term.nextChangeAt),
    term.updatedAt ?? null,
  ]);
}

// In this order: a pause that is shortened must not overlap one that is to go.
const removePausesStatement = pooled(
  "remove_contract_pauses",
  `delete from contract_pauses
   where organization_id = $1 and contract_id = $2 and id <> all($3::uuid[])`,
);
const writePausesStatement = pooled(
  "write_contract_pauses",
  `insert into contract_pauses (organization_id, contract_id, id, first_day, last_day, extends_term)
   select $1, $2, p.id, p."firstDay", p."lastDay", p."extendsTerm"
   from json_to_recordset($3) as p(id uuid, "firstDay" date, "lastDay" date, "extendsTerm" boolean)
   on conflict (organization_id, id) do update
     set first_day = excluded.first_day, last_day = excluded.last_day, extends_term = excluded.extends_term
   where (contract_pauses.first_day, contract_pauses.last_day, contract_pauses.extends_term)
     is distinct from (excluded.first_day, excluded.last_day, excluded.extends_term)`,
);

/** Lets a contract have exactly these pauses. */
export async function writePauses(
  tx: Database,
  organizationId: string,
  contractId: string,
  pauses: readonly Pause[],
): Promise<void> {
  await tx.query(removePausesStatement, [organizationId, contractId, pauses.map(({ id }) => id)]);
  if (pauses.length > 0)
    await tx.query(writePausesStatement, [organizationId, contractId, JSON.stringify(pauses)]);
}

const writeTermsStatement = pooled(
  "write_terms_response",
  `update contracts set terms_response = $3, terms_responded_at = $4::timestamptz, ${updatedAt("$4")}
   where organization_id = $1 and id = $2`,
);

export async function writeTermsResponse(
  tx: Database,
  organizationId: string,
  id: string,
  response: "accepted" | "declined",
  at: string,
): Promise<void> {
  await tx.query(writeTermsStatement, [organizationId, id, response, at]);
}

const writeBlockStatement = pooled(
  "write_access_blocked",
  `update contracts set access_blocked = $3, ${updatedAt("$4")} where organization_id = $1 and id = $2`,
);

export async function writeAccessBlocked(
  tx: Database,
  organizationId: string,
  id: string,
  isBlocked: boolean,
  at: string,
): Promise<void> {
  await tx.query(writeBlockStatement, [organizationId, id, isBlocked, at]);
}

const writeCreditsStatement = pooled(
  "write_remaining_credits",
  `with written as (
     update contract_entitlements set remaining_credits = $4
     where organization_id = $1 and contract_id = $2 and id = $3
   )
   update contracts set ${updatedAt("$5")} where organization_id = $1 and id = $2`,
);

export async function writeCredits(
  tx: Database,
  organizationId: string,
  contractId: string,
  entitlementId: string,
  remaining: number,
  at: string,
): Promise<void> {
  await tx.query(writeCreditsStatement, [organizationId, contractId, entitlementId, remaining, at]);
}
