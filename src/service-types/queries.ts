import type { Snapshot } from "../core/data-snapshot.ts";
import { searchTerms } from "../core/search.ts";
import type { Database, ShortReads } from "../db/database.ts";
import { Lookup } from "../db/lookup.ts";
import { byShape, isDeep, type Page, type PageRow, pageStatement, toPage } from "../db/pages.ts";
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
  readonly isDeep: boolean;
}

const listStatement = byShape((shape: ServiceTypeListShape) => {
  const status = shape.byStatus ? " and status = $4" : "";
  const search = shape.isSearch ? ` and search like all($${shape.byStatus ? 5 : 4}::text[])` : "";
  return pageStatement({
    name: `list_service_types${shape.byStatus ? "_status" : ""}${shape.isSearch ? "_search" : ""}`,
    reads: ["catalog"],
    table: "service_types",
    columns: serviceTypeColumns,
    source: `select id from service_types where organization_id = $1${status}${search}`,
    isDeep: shape.isDeep,
    ...(!shape.isSearch && {
      total: shape.byStatus
        ? "case $4::text when 'active' then service_types_active when 'archived' then service_types_archived end"
        : "service_types_active + service_types_archived",
    }),
  });
});

export async function listServiceTypes(
  db: Database,
  organizationId: string,
  filter: ServiceTypeQuery,
): Promise<Snapshot<Page<ServiceType>>> {
  const { status, limit, offset } = filter;
  const patterns = searchTerms(filter.query ?? "").map(({ pattern }) => pattern);
  const isSearch = patterns.length > 0;
  const rows = await db.query<ServiceType & PageRow>(
    listStatement({ byStatus: status !== undefined, isSearch, isDeep: isDeep(filter) }),
    [
      organizationId,
      limit,
      offset,
      ...(status === undefined ? [] : [status]),
      ...(isSearch ? [patterns] : []),
    ],
  );
  return toPage(rows, filter, (row) => row);
}
