import type { Snapshot } from "../core/data-snapshot.ts";
import type { TakeRecords } from "../core/record-stream.ts";
import { searchTerms } from "../core/search.ts";
import type { Database, ShortReads } from "../db/database.ts";
import { Lookup } from "../db/lookup.ts";
import {
  byShape,
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
} from "../db/pages.ts";
import { instantParameter } from "../db/timestamps.ts";
import type { ServiceType, ServiceTypeQuery } from "./schema.ts";

export const serviceTypeColumns = `
  r.id, r.name, r.description, r.holds_resource as "holdsResource", r.status,
  r.created_at as "createdAt", r.updated_at as "updatedAt"`;

/** Finds single service types. */
export function openServiceTypeLookup(db: ShortReads): Lookup<ServiceType, ServiceType> {
  return new Lookup(
    db,
    { name: "find_service_type", table: "service_types", columns: serviceTypeColumns },
    (row) => row,
  );
}

interface ServiceTypeListShape {
  readonly byStatus: boolean;
  readonly isSearch: boolean;
  readonly byUpdate: boolean;
  readonly reach: PageReach;
}

const listStatement = byShape((shape: ServiceTypeListShape) => {
  let parameter = 4;
  const filters = [
    ...(shape.byStatus ? [` and status = $${parameter++}`] : []),
    ...(shape.isSearch ? [` and search like all($${parameter++}::text[])`] : []),
    ...(shape.byUpdate ? [` and updated_at >= $${parameter++}::timestamptz`] : []),
  ];
  return pageStatement({
    name: [
      "list_service_types",
      ...(shape.byStatus ? ["status"] : []),
      ...(shape.isSearch ? ["search"] : []),
      ...(shape.byUpdate ? ["update"] : []),
    ].join("_"),
    reads: ["catalog"],
    table: "service_types",
    columns: serviceTypeColumns,
    source: ({ holds }) =>
      `select id from service_types where organization_id = $1${filters.join("")}${holds("id")}`,
    reach: shape.reach,
    ...(!shape.isSearch &&
      !shape.byUpdate && {
        total: shape.byStatus
          ? "case $4::text when 'active' then service_types_active when 'archived' then service_types_archived end"
          : "service_types_active + service_types_archived",
      }),
  });
});

type ServiceTypeFilter = Omit<ServiceTypeQuery, keyof PageRequest>;

function listQuery(filter: ServiceTypeFilter, reach: PageReach): ListQuery {
  const { status, updatedSince } = filter;
  const patterns = searchTerms(filter.query ?? "").map(({ pattern }) => pattern);
  const isSearch = patterns.length > 0;
  return {
    statement: listStatement({
      byStatus: status !== undefined,
      isSearch,
      byUpdate: updatedSince !== undefined,
      reach,
    }),
    values: [
      ...(status === undefined ? [] : [status]),
      ...(isSearch ? [patterns] : []),
      ...(updatedSince === undefined ? [] : [instantParameter(updatedSince)]),
    ],
  };
}

export async function listServiceTypes(
  db: Database,
  organizationId: string,
  filter: ServiceTypeQuery,
): Promise<Snapshot<Page<ServiceType>>> {
  const { statement, values } = listQuery(filter, reachOf(filter));
  const rows = await db.query<ServiceType & PageRow>(statement, [
    ...pageValues(organizationId, filter),
    ...values,
  ]);
  return toPage(rows, filter, (row) => row);
}

/** Every service type that the filters match, newest first. */
export function readServiceTypes(
  db: Database,
  organizationId: string,
  filter: ServiceTypeFilter,
  take: TakeRecords<ServiceType>,
): Promise<void> {
  return readWhole(
    db,
    organizationId,
    (reach) => listQuery(filter, reach),
    (row: ServiceType) => row,
    take,
  );
}
