import { type Database, read } from "../db/database.ts";
import { byShape, countedTotal, type Page, pageStatement, toPage } from "../db/pages.ts";
import { searchPatterns } from "../search.ts";
import type { ServiceType, ServiceTypeQuery } from "./schema.ts";

const columns = `
  r.id, r.name, r.description, r.holds_resource as "holdsResource", r.status,
  r.created_at as "createdAt", r.updated_at as "updatedAt"`;

const findStatement = read(
  "find_service_type",
  `select ${columns} from service_types r where r.organization_id = $1 and r.id = $2`,
);

export async function findServiceType(
  db: Database,
  organizationId: string,
  id: string,
): Promise<ServiceType | undefined> {
  const [serviceType] = await db.query<ServiceType>(findStatement, [organizationId, id]);
  return serviceType;
}

const listStatement = byShape((shape: { status: string | undefined; terms: number }) => {
  const terms = Array.from({ length: shape.terms }, (_, i) => ` and search like any($${i + 4}::text[])`).join(
    "",
  );
  const status = shape.status === undefined ? "" : ` and status = '${shape.status}'`;
  return pageStatement({
    name: `list_service_types_${shape.status ?? "all"}_${shape.terms}`,
    table: "service_types",
    columns,
    source: `select id from service_types where organization_id = $1${status}${terms}`,
    ...(shape.terms === 0 && {
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
  const patterns = searchPatterns(filter.query ?? "");
  const rows = await db.query<ServiceType & { total: number }>(
    listStatement({ status: filter.status, terms: patterns.length }),
    [organizationId, filter.limit, filter.offset, ...patterns],
  );
  return toPage(rows, filter, (row) => row);
}
