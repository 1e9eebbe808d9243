import type { Snapshot } from "../../core/data-snapshot.ts";
import type { TakeRecords } from "../../core/record-stream.ts";
import { searchTerms, type Term } from "../../core/search.ts";
import type { Database } from "../../db/database.ts";
import { allAtLocation } from "../../db/located-records.ts";
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
import { type ClientRow, clientColumns, clientLocationIds, toClient } from "./client-rows.ts";
import type { Client, ClientQuery, StaffClient } from "./schema.ts";

interface ClientListShape {
  readonly byStatus: boolean;
  readonly byLocation: boolean;
  readonly byUpdate: boolean;
  readonly indexedTerms: number;
  readonly hasFilters: boolean;
  readonly codeFilters: number;
  readonly reach: PageReach;
  /** Whether each client has its contracts that are not over. */
  readonly hasContracts: boolean;
}

/** The contracts of a client that are not over, of `r`. */
export const runningContracts = `(
  select coalesce(json_agg(json_strip_nulls(json_build_object('id', k.id, 'planName', k.plan_name, 'status', k.status,
    'endDate', k.end_date, 'accessBlocked', k.access_blocked)) order by k.id desc), '[]')
  from contracts k
  where k.organization_id = r.organization_id and k.client_id = r.id and k.status in ('active', 'paused')
) as contracts`;

const listStatement = byShape((shape: ClientListShape) => {
  const { byStatus, byLocation, byUpdate, indexedTerms, codeFilters } = shape;
  const isSearch = indexedTerms > 0 || shape.hasFilters || codeFilters > 0;
  let parameter = 4;
  const conditions = [
    ...(byStatus ? [`c.status = $${parameter++}`] : []),
    ...(byUpdate ? [`c.updated_at >= $${parameter++}::timestamptz`] : []),
    ...Array.from({ length: indexedTerms }, () => `c.search like any($${parameter++}::text[])`),
    // With `all`, and with an expression instead of the column, the index is not asked.
    ...(shape.hasFilters ? [`c.search like all($${parameter++}::text[])`] : []),
    ...Array.from({ length: codeFilters }, () => `(c.search || '') like any($${parameter++}::text[])`),
  ];
  const filters = conditions.map((condition) => ` and ${condition}`).join("");
  const locationParameter = `$${parameter}`;
  const source = ({ holds }: IdRange) =>
    !byLocation
      ? `select c.id from clients c where c.organization_id = $1${filters}${holds("c.id")}`
      : conditions.length === 0
        ? `select l.client_id as id from client_locations l
           where l.organization_id = $1 and l.location_id = ${locationParameter}${holds("l.client_id")}`
        : `select c.id from client_locations l
           join clients c on ${isRecord("c", "l.client_id")}
           where l.organization_id = $1 and l.location_id = ${locationParameter}${filters}
             ${holds("c.id", "l.client_id")}`;
  return pageStatement({
    name: `list_clients${shape.hasContracts ? "_contracts" : ""}${byStatus ? "_status" : ""}${byLocation ? "_location" : ""}`,
    reads: shape.hasContracts ? ["clients", "contracts"] : ["clients"],
    table: "clients",
    columns: shape.hasContracts ? `${clientColumns}, ${runningContracts}` : clientColumns,
    wholeColumns: `${clientColumns}, ${clientLocationIds}`,
    source,
    ...(byLocation &&
      conditions.length > 0 && {
        all: allAtLocation({
          ...{ table: "clients", links: "client_locations", linkId: "client_id" },
          ...{ locationParameter, filters, stored: "clients_active + clients_archived" },
        }),
      }),
    isSearch,
    isReplanned: byUpdate,
    reach: shape.reach,
    ...(!isSearch &&
      !byLocation &&
      !byUpdate && {
        total: byStatus
          ? "case $4::text when 'active' then clients_active when 'archived' then clients_archived end"
          : "clients_active + clients_archived",
      }),
  });
});

type ClientFilter = Omit<ClientQuery, keyof PageRequest>;

function listQuery(filter: ClientFilter, reach: PageReach, hasContracts = false): ListQuery {
  const { status, locationId, updatedSince } = filter;
  const { indexed, filters, codeFilters } = planTerms(searchTerms(filter.query ?? ""));
  return {
    statement: listStatement({
      byStatus: status !== undefined,
      byLocation: locationId !== undefined,
      byUpdate: updatedSince !== undefined,
      indexedTerms: indexed.length,
      hasFilters: filters.length > 0,
      codeFilters: codeFilters.length,
      reach,
      hasContracts,
    }),
    values: [
      ...(status === undefined ? [] : [status]),
      ...(updatedSince === undefined ? [] : [instantParameter(updatedSince)]),
      ...indexed.map(patternsOf),
      ...(filters.length > 0 ? [filters.map(({ pattern }) => pattern)] : []),
      ...codeFilters.map(patternsOf),
      ...(locationId === undefined ? [] : [locationId]),
    ],
  };
}

/** A page of clients, newest first, without their locations. */
export async function listClients(
  db: Database,
  organizationId: string,
  filter: ClientQuery,
): Promise<Snapshot<Page<Client>>> {
  const { statement, values } = listQuery(filter, reachOf(filter));
  const rows = await db.query<ClientRow & PageRow>(statement, [
    ...pageValues(organizationId, filter),
    ...values,
  ]);
  return toPage(rows, filter, toClient);
}

/** The same as the staff sees it: each with its contracts that are not over. */
export async function listStaffClients(
  db: Database,
  organizationId: string,
  filter: ClientQuery,
): Promise<Snapshot<Page<StaffClient>>> {
  const { statement, values } = listQuery(filter, reachOf(filter), true);
  const rows = await db.query<ClientRow & Pick<StaffClient, "contracts"> & PageRow>(statement, [
    ...pageValues(organizationId, filter),
    ...values,
  ]);
  return toPage(rows, filter, (row) => ({ ...toClient(row), contracts: row.contracts }));
}

/** Every client that the filters match, newest first, with its locations. */
export function readClients(
  db: Database,
  organizationId: string,
  filter: ClientFilter,
  take: TakeRecords<Client>,
): Promise<void> {
  return readWhole(db, organizationId, (reach) => listQuery(filter, reach), toClient, take);
}

/** More than this many terms through the index cost more than they save. */
const MAX_INDEXED_TERMS = 4;
/** Each pattern of a term is looked up by itself. */
const MAX_INDEXED_PATTERNS = 3;
/** What the trigram index can look up, whatever the locale of the database; it would be read whole for less. */
export const TRIGRAM = /[a-z0-9]{3}/;

/** Which terms the index finds, the longest ones, and which are left to check on what it found. */
function planTerms(terms: readonly Term[]): { indexed: Term[]; filters: Term[]; codeFilters: Term[] } {
  const indexed: Term[] = [];
  const filters: Term[] = [];
  const codeFilters: Term[] = [];
  for (const term of [...terms].sort((a, b) => b.pattern.length - a.pattern.length)) {
    const patterns = patternsOf(term);
    const isIndexed =
      patterns.length <= MAX_INDEXED_PATTERNS && patterns.every((pattern) => TRIGRAM.test(pattern));
    if (isIndexed && indexed.length < MAX_INDEXED_TERMS) indexed.push(term);
    else if (term.otherPatterns.length === 0) filters.push(term);
    else codeFilters.push(term);
  }
  return { indexed, filters, codeFilters };
}

function patternsOf({ pattern, otherPatterns }: Term): string[] {
  return [pattern, ...otherPatterns];
}
