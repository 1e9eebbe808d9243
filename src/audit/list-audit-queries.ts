import type { Database } from "../db/database.ts";
import {
  byShape,
  type Page,
  type PageReach,
  type PageRow,
  pageStatement,
  pageValues,
  reachOf,
  toPage,
} from "../db/pages.ts";
import { pooled, read } from "../db/statements.ts";
import type { AuditQuery, RecordedWrite } from "./schema.ts";

/** What an organization's staff reads of its audit trail. */

// What it was done to is a text in the trail: an id, but for resources.
const subjectUuid =
  "(case when r.subject ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then r.subject::uuid end)";

/** The name of a record by its id, if it is still there. */
const nameOf = (table: string, id = subjectUuid) =>
  `(select n.name from ${table} n where n.organization_id = r.organization_id and n.id = ${id})`;

const seriesName = `(select n.name from schedules e join service_types n on (n.organization_id, n.id) = (e.organization_id, e.service_type_id)
    where e.organization_id = r.organization_id and e.id = ${subjectUuid})`;

/** How the names of actions end for a record that has a name, and where that is. */
const NAMED_SUBJECTS = {
  Plan: nameOf("plans"),
  ServiceType: nameOf("service_types"),
  ServiceGroup: nameOf("service_groups"),
  Location: nameOf("locations"),
  closeDays: nameOf("locations"),
  Resource: nameOf("resources", "r.subject"),
  Staff: nameOf("staff"),
  Passkey: nameOf("staff"),
  Key: nameOf("keys"),
  Schedule: seriesName,
  bookMany: seriesName,
};

const subjectName = Object.entries(NAMED_SUBJECTS)
  .map(([ending, name]) => `when r.action like '%${ending}' then ${name}`)
  .join("\n    ");

/** The entry that took an adjustment of credits back. Among those of its contract, which are few. */
const undoneBy = `(select u.id from audit u
    where r.action = 'adjustCredits' and u.action = r.action
      and u.organization_id = r.organization_id and u.contract_id = r.contract_id
      and u.details ->> 'undoes' = r.id::text
    limit 1)`;

// Read with the entry, a few lookups by key for each: the trail itself holds no names of people.
const columns = `
  r.id, r.at, r.actor,
  (select s.name from staff s where s.organization_id = r.organization_id and r.actor = 'staff:' || s.id) as "actorName",
  r.action, r.client_id as "clientId",
  (select c.contact_name from clients c where c.organization_id = r.organization_id and c.id = r.client_id) as "clientName",
  r.contract_id as "contractId",
  (select k.plan_name from contracts k where k.organization_id = r.organization_id and k.id = r.contract_id) as "planName",
  r.session_id as "sessionId",
  (select t.name from sessions e join service_types t on (t.organization_id, t.id) = (e.organization_id, e.service_type_id)
   where e.organization_id = r.organization_id and e.id = r.session_id) as "sessionName",
  (select to_char(e.start, 'YYYY-MM-DD"T"HH24:MI') from sessions e
   where e.organization_id = r.organization_id and e.id = r.session_id) as "sessionStart",
  r.subject as "subjectId",
  case ${subjectName} end as "subjectName",
  r.reason, r.details, ${undoneBy} as "undoneBy"`;

/** Each filter with its condition; both ways of naming a colleague have an index. */
const FILTERS = {
  clientId: (parameter: string) => `client_id = ${parameter}::uuid`,
  contractId: (parameter: string) => `contract_id = ${parameter}::uuid`,
  sessionId: (parameter: string) => `session_id = ${parameter}::uuid`,
  staffId: (parameter: string) => `(actor = 'staff:' || ${parameter}::text or subject = ${parameter}::text)`,
};
const FILTER_NAMES = Object.keys(FILTERS) as (keyof typeof FILTERS)[];

const listStatement = byShape(
  ({ names, reach }: { readonly names: readonly (keyof typeof FILTERS)[]; readonly reach: PageReach }) => {
    const conditions = names.map((name, place) => ` and ${FILTERS[name](`$${place + 4}`)}`).join("");
    return pageStatement({
      name: ["list_recorded_writes", ...names].join("_"),
      // No version covers the trail: it is read as it is, and never kept.
      reads: ["catalog"],
      table: "audit",
      columns,
      source: ({ holds }) => `select id from audit where organization_id = $1${conditions}${holds("id")}`,
      reach,
    });
  },
);

/** The newest entries first. */
export async function listRecordedWrites(
  db: Database,
  organizationId: string,
  query: AuditQuery,
): Promise<Page<RecordedWrite>> {
  const names = FILTER_NAMES.filter((name) => query[name] !== undefined);
  const rows = await db.query<RecordedWrite & PageRow>(listStatement({ names, reach: reachOf(query) }), [
    ...pageValues(organizationId, query),
    ...names.map((name) => query[name]?.toLowerCase()),
  ]);
  return toPage(rows, query, (row) => row).content;
}

const findStatement = read(
  "find_recorded_write",
  `select ${columns} from audit r where r.organization_id = $1 and r.id = $2`,
);

export async function findRecordedWrite(
  db: Database,
  organizationId: string,
  id: string,
): Promise<RecordedWrite | undefined> {
  const [entry] = await db.query<RecordedWrite>(findStatement, [organizationId, id]);
  return entry;
}

/** An adjustment of credits, as it was recorded. */
export interface Adjustment {
  readonly id: string;
  readonly entitlementId: string;
  readonly before: number;
  readonly after: number;
  /** The entry that took it back. */
  readonly undoneBy?: string;
}

const findAdjustmentStatement = pooled(
  "find_adjustment",
  `select r.id, r.details ->> 'entitlementId' as "entitlementId", (r.details -> 'before')::int as before,
     (r.details -> 'after')::int as after, ${undoneBy} as "undoneBy"
   from audit r
   where r.organization_id = $1 and r.contract_id = $2 and r.id = $3 and r.action = 'adjustCredits'`,
);

/** An adjustment of a contract that the caller has locked, so that nobody takes it back meanwhile. */
export async function findAdjustment(
  tx: Database,
  organizationId: string,
  contractId: string,
  id: string,
): Promise<Adjustment | undefined> {
  const [adjustment] = await tx.query<Adjustment>(findAdjustmentStatement, [organizationId, contractId, id]);
  return adjustment;
}
