import { searchTerms } from "../core/search.ts";
import type { Database, ShortReads } from "../db/database.ts";
import { Lookup } from "../db/lookup.ts";
import { byShape, countedTotal, type Page, pageStatement, toPage } from "../db/pages.ts";
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

const listStatement = byShape((shape: { status: string | undefined; isSearch: boolean }) => {
  const status = shape.status === undefined ? "" : ` and status = '${shape.status}'`;
  const search = shape.isSearch ? " and search like all($4::text[])" : "";
  return pageStatement({
    name: `list_service_types_${shape.status ?? "all"}_${shape.isSearch ? "search" : "all"}`,
    table: "service_types",
    columns: serviceTypeColumns,
    source: `select id from service_types where organization_id = $1${status}${search}`,
    ...(!shape.isSearch && {
      total:
        shape.status === undefined
          ? countedTotal("service_types_active", "service_types_archived")
          : countedTotal(`service_types_${shape.status}`),
    }),
  });
});

export async function listServiceTypes(
  db: Database,
  organizationId: string,
  filter: ServiceTypeQuery,
): Promise<Page<ServiceType>> {
  const patterns = searchTerms(filter.query ?? "").map(({ pattern }) => pattern);
  const isSearch = patterns.length > 0;
  const rows = await db.query<ServiceType & { total: number }>(
    listStatement({ status: filter.status, isSearch }),
    [organizationId, filter.limit, filter.offset, ...(isSearch ? [patterns] : [])],
  );
  return toPage(rows, filter, (row) => row);
}
