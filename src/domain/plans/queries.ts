import type { Snapshot } from "../../core/data-snapshot.ts";
import type { TakeRecords } from "../../core/record-stream.ts";
import { searchTerms } from "../../core/search.ts";
import type { Database, ShortReads } from "../../db/database.ts";
import { Lookup } from "../../db/lookup.ts";
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
} from "../../db/pages.ts";
import { pooled } from "../../db/statements.ts";
import { instantParameter } from "../../db/timestamps.ts";
import { entitlementsJson, planEntitlementTable } from "./entitlements.ts";
import type { Plan, PlanQuery } from "./schema.ts";

export const planColumns = `
  r.id, r.name, r.status, r.billing_kind as "billingKind", r.billing_interval as "billingInterval",
  r.duration_count as "durationCount", r.duration_unit as "durationUnit", r.price_cents as "priceCents",
  r.currency, r.is_trial as "isTrial", r.all_locations as "allLocations",
  array(
    select l.location_id from plan_locations l
    where l.organization_id = r.organization_id and l.plan_id = r.id order by l.location_id
  ) as "locationIds",
  r.terms,
  ${entitlementsJson(planEntitlementTable, "r")} as entitlements,
  r.created_at as "createdAt", r.updated_at as "updatedAt"`;

/** Finds single plans. */
export function openPlanLookup(db: ShortReads): Lookup<Plan, Plan> {
  return new Lookup(db, { name: "find_plan", table: "plans", columns: planColumns }, (row) => row);
}

const lockStatements = {
  share: pooled(
    "share_plan",
    `select ${planColumns} from plans r where r.organization_id = $1 and r.id = $2 for share of r`,
  ),
  update: pooled(
    "lock_plan",
    `select ${planColumns} from plans r where r.organization_id = $1 and r.id = $2 for no key update of r`,
  ),
};

/** The plan, which nobody else can change now; `share`: others may rely on it as well. */
export async function lockPlan(
  tx: Database,
  organizationId: string,
  id: string,
  mode: keyof typeof lockStatements,
): Promise<Plan | undefined> {
  const [plan] = await tx.query<Plan>(lockStatements[mode], [organizationId, id]);
  return plan;
}

interface PlanListShape {
  readonly byStatus: boolean;
  readonly byBillingKind: boolean;
  readonly isSearch: boolean;
  readonly byUpdate: boolean;
  readonly reach: PageReach;
}

const listStatement = byShape((shape: PlanListShape) => {
  let parameter = 4;
  const filters = [
    ...(shape.byStatus ? [` and status = $${parameter++}`] : []),
    ...(shape.byBillingKind ? [` and billing_kind = $${parameter++}`] : []),
    ...(shape.isSearch ? [` and search like all($${parameter++}::text[])`] : []),
    ...(shape.byUpdate ? [` and updated_at >= $${parameter++}::timestamptz`] : []),
  ];
  return pageStatement({
    name: [
      "list_plans",
      ...(shape.byStatus ? ["status"] : []),
      ...(shape.byBillingKind ? ["kind"] : []),
      ...(shape.isSearch ? ["search"] : []),
      ...(shape.byUpdate ? ["update"] : []),
    ].join("_"),
    reads: ["catalog"],
    table: "plans",
    columns: planColumns,
    source: ({ holds }) => `select id from plans where organization_id = $1${filters.join("")}${holds("id")}`,
    reach: shape.reach,
    ...(!shape.byBillingKind &&
      !shape.isSearch &&
      !shape.byUpdate && {
        total: shape.byStatus
          ? "case $4::text when 'active' then plans_active when 'archived' then plans_archived end"
          : "plans_active + plans_archived",
      }),
  });
});

type PlanFilter = Omit<PlanQuery, keyof PageRequest>;

function listQuery(filter: PlanFilter, reach: PageReach): ListQuery {
  const { status, billingKind, updatedSince } = filter;
  const patterns = searchTerms(filter.query ?? "").map(({ pattern }) => pattern);
  const isSearch = patterns.length > 0;
  return {
    statement: listStatement({
      byStatus: status !== undefined,
      byBillingKind: billingKind !== undefined,
      isSearch,
      byUpdate: updatedSince !== undefined,
      reach,
    }),
    values: [
      ...(status === undefined ? [] : [status]),
      ...(billingKind === undefined ? [] : [billingKind]),
      ...(isSearch ? [patterns] : []),
      ...(updatedSince === undefined ? [] : [instantParameter(updatedSince)]),
    ],
  };
}

export async function listPlans(
  db: Database,
  organizationId: string,
  filter: PlanQuery,
): Promise<Snapshot<Page<Plan>>> {
  const { statement, values } = listQuery(filter, reachOf(filter));
  const rows = await db.query<Plan & PageRow>(statement, [...pageValues(organizationId, filter), ...values]);
  return toPage(rows, filter, (row) => row);
}

/** Every plan that the filters match, newest first. */
export function readPlans(
  db: Database,
  organizationId: string,
  filter: PlanFilter,
  take: TakeRecords<Plan>,
): Promise<void> {
  return readWhole(
    db,
    organizationId,
    (reach) => listQuery(filter, reach),
    (row: Plan) => row,
    take,
  );
}
