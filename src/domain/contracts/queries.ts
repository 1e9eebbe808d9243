import type { Snapshot } from "../../core/data-snapshot.ts";
import type { TakeRecords } from "../../core/record-stream.ts";
import type { Database, ShortReads } from "../../db/database.ts";
import { allAtLocation } from "../../db/located-records.ts";
import { Lookup } from "../../db/lookup.ts";
import {
  byShape,
  type IdRange,
  type ListQuery,
  type Page,
  type PageReach,
  type PageRequest,
  type PageRow,
  pageStatement,
  pageValues,
  reachOf,
  readWhole,
  toPage,
} from "../../db/pages.ts";
import { isRecord } from "../../db/statements.ts";
import { instantParameter } from "../../db/timestamps.ts";
import { contractEntitlementTable, entitlementsJson } from "../plans/entitlements.ts";
import type { Contract, ContractQuery } from "./schema.ts";

/** What contracts are read from, and what the names beside them are. */
export const CONTRACT_CLASSES = ["catalog", "contracts"] as const;
export const NAME_CLASSES = ["clients"] as const;

export const contractColumns = `
  r.id, r.client_id as "clientId", r.plan_id as "planId", r.plan_name as "planName", r.price_cents as "priceCents",
  r.currency, r.is_trial as "isTrial", r.billing_kind as "billingKind", r.billing_interval as "billingInterval",
  r.start_date as "startDate", r.end_date as "endDate", r.status, r.access_blocked as "accessBlocked",
  r.all_locations as "allLocations",
  array(
    select l.location_id from contract_locations l
    where l.organization_id = r.organization_id and l.contract_id = r.id order by l.location_id
  ) as "locationIds",
  r.cancelled_at as "cancelledAt", r.terms_response as "termsResponse", r.terms_responded_at as "termsRespondedAt",
  r.created_at as "createdAt", r.updated_at as "updatedAt"`;

export const contractEntitlements = `${entitlementsJson(contractEntitlementTable, "r")} as entitlements`;

const clientName = `
  (select n.contact_name from clients n where n.organization_id = r.organization_id and n.id = r.client_id) as "clientName"`;

/** Finds single contracts, with the names of their clients or without. */
export function openContractLookups(db: ShortReads) {
  const columns = `${contractColumns}, ${contractEntitlements}`;
  const named = { name: "find_named_contract", table: "contracts", columns: `${columns}, ${clientName}` };
  return {
    plain: new Lookup<Contract, Contract>(
      db,
      { name: "find_contract", table: "contracts", columns },
      (row) => row,
    ),
    named: new Lookup<Contract, Contract>(db, named, (row) => row),
  };
}

interface ContractListShape {
  readonly byStatus: boolean;
  readonly byClient: boolean;
  readonly byLocation: boolean;
  readonly byUpdate: boolean;
  readonly hasNames: boolean;
  readonly reach: PageReach;
}

const STORED = "contracts_active + contracts_paused + contracts_cancelled + contracts_expired";
const countedByStatus = `
  case $4::text when 'active' then contracts_active when 'paused' then contracts_paused
    when 'cancelled' then contracts_cancelled when 'expired' then contracts_expired end`;

const listStatement = byShape((shape: ContractListShape) => {
  const { byStatus, byClient, byLocation, byUpdate, hasNames, reach } = shape;
  let parameter = 4;
  const columns = hasNames ? `${contractColumns}, ${clientName}` : contractColumns;
  const filters = [
    ...(byStatus ? [` and c.status = $${parameter++}`] : []),
    ...(byClient ? [` and c.client_id = $${parameter++}`] : []),
    ...(byUpdate ? [` and c.updated_at >= $${parameter++}::timestamptz`] : []),
  ].join("");
  return pageStatement({
    name: `list_contracts${byStatus ? "_status" : ""}${byClient ? "_client" : ""}${byLocation ? "_location" : ""}${hasNames ? "_named" : ""}`,
    reads: hasNames ? [...CONTRACT_CLASSES, ...NAME_CLASSES] : CONTRACT_CLASSES,
    table: "contracts",
    columns,
    wholeColumns: `${columns}, ${contractEntitlements}`,
    source: (range) =>
      byLocation
        ? usableAt(`$${parameter}`, filters, range)
        : `select c.id from contracts c where c.organization_id = $1${filters}${range.holds("c.id")}`,
    ...(byLocation && !byClient && filters !== "" && { all: allUsableAt(`$${parameter}`, filters) }),
    isReplanned: byUpdate,
    reach,
    ...(!byClient &&
      !byLocation &&
      !byUpdate && {
        total: byStatus ? countedByStatus : STORED,
      }),
  });
});

function usableAt(locationParameter: string, filters: string, { holds, newest }: IdRange): string {
  const isAt = `l.organization_id = $1 and l.location_id = ${locationParameter}`;
  const named =
    filters === ""
      ? `select l.contract_id as id from contract_locations l where ${isAt}${holds("l.contract_id")}
         ${newest("l.contract_id")}`
      : `select c.id from contract_locations l join contracts c on ${isRecord("c", "l.contract_id")}
         where ${isAt}${filters}${holds("c.id", "l.contract_id")} ${newest("c.id")}`;
  return `(${usableEverywhere(locationParameter, filters)}${holds("c.id")} ${newest("c.id")}) union all (${named})`;
}

function allUsableAt(locationParameter: string, filters: string): string {
  const named = allAtLocation({
    ...{ table: "contracts", links: "contract_locations", linkId: "contract_id" },
    ...{ locationParameter, filters, stored: STORED },
  });
  return `(${usableEverywhere(locationParameter, filters)}) union all (${named})`;
}

// One of two disjoint halves, each with an index of its own: a contract for all locations names none. An unknown location is
// not a place where anything is usable.
function usableEverywhere(locationParameter: string, filters: string): string {
  return `select c.id from contracts c
    where c.organization_id = $1 and c.all_locations${filters}
      and exists (select from locations l where l.organization_id = $1 and l.id = ${locationParameter})`;
}

type ContractFilter = Omit<ContractQuery, keyof PageRequest>;

function listQuery(filter: ContractFilter, reach: PageReach): ListQuery {
  const { clientId, locationId, status, updatedSince, include } = filter;
  const since = updatedSince === undefined ? undefined : instantParameter(updatedSince);
  return {
    statement: listStatement({
      byStatus: status !== undefined,
      byClient: clientId !== undefined,
      byLocation: locationId !== undefined,
      byUpdate: since !== undefined,
      hasNames: include === "names",
      reach,
    }),
    values: [status, clientId, since, locationId].filter((given) => given !== undefined),
  };
}

export async function listContracts(
  db: Database,
  organizationId: string,
  filter: ContractQuery,
): Promise<Snapshot<Page<Contract>>> {
  const { statement, values } = listQuery(filter, reachOf(filter));
  const rows = await db.query<Omit<Contract, "entitlements"> & PageRow>(statement, [
    ...pageValues(organizationId, filter),
    ...values,
  ]);
  return toPage(rows, filter, (row) => ({ ...row, entitlements: [] }));
}

/** Every contract that the filters match, newest first, with its entitlements. */
export function readContracts(
  db: Database,
  organizationId: string,
  filter: ContractFilter,
  take: TakeRecords<Contract>,
): Promise<void> {
  return readWhole(
    db,
    organizationId,
    (reach) => listQuery(filter, reach),
    (row: Contract) => row,
    take,
  );
}
