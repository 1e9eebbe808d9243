import type { Database } from "../../db/database.ts";
import { pooled, type Statement } from "../../db/statements.ts";
import { listClientsById } from "../../domain/clients/queries.ts";
import { contractColumns, contractEntitlements } from "../../domain/contracts/queries.ts";
import { locationColumns } from "../../domain/locations/queries.ts";
import { organizationColumns } from "../../domain/organizations/queries.ts";
import { planColumns } from "../../domain/plans/queries.ts";
import { serviceGroupColumns } from "../../domain/service-groups/queries.ts";
import { serviceTypeColumns } from "../../domain/service-types/queries.ts";
import type { ChangeKind } from "./values.ts";

/** The records of entries, as GET by id shows them, or the list if there is no such address. */

export interface NamedRecord {
  readonly id: string;
}

/** Columns of a row called `r`. */
const sessionColumns = `
  r.id, r.schedule_id as "scheduleId", r.original_start as "originalStart", r.service_type_id as "serviceTypeId",
  r.location_id as "locationId", nullif(r.resource_ids, '{}') as "resourceIds", r.start_at as "startAt",
  r.start_at + r.duration_minutes * interval '1 minute' as "endAt", r.capacity, r.booked_count as "bookedCount", r.status`;

const byIds = (table: string, columns: string, type = "uuid"): Statement =>
  pooled(
    `list_${table}_by_id`,
    `select ${columns} from ${table} r where r.organization_id = $1 and r.id = any ($2::${type}[])`,
  );

const STATEMENTS: Readonly<Record<Exclude<ChangeKind, "organization" | "client" | "schedule">, Statement>> = {
  location: byIds("locations", locationColumns),
  resource: byIds("resources", "r.id, r.name, r.kind, r.status", "text"),
  serviceGroup: byIds("service_groups", serviceGroupColumns),
  serviceType: byIds("service_types", serviceTypeColumns),
  plan: byIds("plans", planColumns),
  contract: byIds("contracts", `${contractColumns}, ${contractEntitlements}`),
  session: byIds("sessions", sessionColumns),
};

const organizationStatement = pooled(
  "find_organization_of_feed",
  `select ${organizationColumns} from organizations where id = $1`,
);

/** The records of a kind with these ids, in no order; those of schedules are read in the calendar. */
export async function listRecords(
  db: Database,
  organizationId: string,
  kind: ChangeKind,
  ids: readonly string[],
): Promise<readonly NamedRecord[]> {
  if (kind === "schedule" || ids.length === 0) return [];
  if (kind === "client") return listClientsById(db, organizationId, ids);
  if (kind === "organization") return db.query<NamedRecord>(organizationStatement, [organizationId]);
  return db.query<NamedRecord>(STATEMENTS[kind], [organizationId, ids]);
}
