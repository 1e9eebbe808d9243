import type { Actor } from "../../core/actor.ts";
import type { UndoableEntry } from "../../core/undo.ts";
import type { Database } from "../../db/database.ts";
import {
  byShape,
  type Page,
  type PageReach,
  type PageRow,
  pageStatement,
  pageValues,
  reachOf,
  toPage,
} from "../../db/pages.ts";
import { pooled, read } from "../../db/statements.ts";
import { instantParameter } from "../../db/timestamps.ts";
import { entryValues, INSERTED_WITH_REQUEST, type NewAuditEntry } from "./queries.ts";
import { type KeptResult, resultText } from "./request-queries.ts";
import type { AuditQuery, RecordedWrite } from "./schema.ts";
import type { AuditAction } from "./values.ts";

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
  Link: nameOf("staff"),
  Passkey: nameOf("staff"),
  signIn: nameOf("staff"),
  "signIn.failed": nameOf("staff"),
  Key: nameOf("keys"),
  Webhook: `(select coalesce(n.name, split_part(n.url, '?', 1)) from webhook_endpoints n
    where n.organization_id = r.organization_id and n.id = ${subjectUuid})`,
  Schedule: seriesName,
  bookMany: seriesName,
};

const subjectName = Object.entries(NAMED_SUBJECTS)
  .map(([ending, name]) => `when r.action like '%${ending}' then ${name}`)
  .join("\n    ");

/** The entry that took an adjustment of credits or an import back. Among those of its contract, or about it, which are few. */
const undoneBy = `coalesce(
    (select u.id from audit u
     where r.action = 'adjustCredits' and u.action = r.action
       and u.organization_id = r.organization_id and u.contract_id = r.contract_id
       and u.details ->> 'undoes' = r.id::text
     limit 1),
    (select u.id from audit u
     where r.action = 'import' and u.action = 'undoImport'
       and u.organization_id = r.organization_id and u.subject = r.id::text
     limit 1))`;

/** Where what an entry is about takes place or can be used; null: of no location, or of all. */
const placeIds = `coalesce(
    (select array[e.location_id] from sessions e where e.organization_id = r.organization_id and e.id = r.session_id),
    (select array[e.location_id] from schedules e
     where r.action like '%Schedule' and e.organization_id = r.organization_id and e.id = ${subjectUuid}),
    (select array(select l.location_id from contract_locations l where (l.organization_id, l.contract_id) = (k.organization_id, k.id))
     from contracts k where k.organization_id = r.organization_id and k.id = r.contract_id and not k.all_locations),
    (select array(select l.location_id from plan_locations l where (l.organization_id, l.plan_id) = (p.organization_id, p.id))
     from plans p
     where r.action like '%Plan' and p.organization_id = r.organization_id and p.id = ${subjectUuid} and not p.all_locations))`;

const isErased = `exists (
    select from erasures e where e.organization_id = r.organization_id and e.client_id = r.client_id)`;

/** An entry with what decides whether its undo is offered, which is not shown. */
export type UndoableWrite = RecordedWrite & UndoableEntry;

/** The name of the colleague or API key of an entry; null of others. */
export const actorName = (entry: string) => `coalesce(
    (select s.name from staff s where s.organization_id = ${entry}.organization_id and ${entry}.actor = 'staff:' || s.id),
    (select k.name from keys k where k.organization_id = ${entry}.organization_id and ${entry}.actor = 'key:' || k.id)
  )`;

// Read with the entry, a few lookups by key for each: the trail itself holds no names of people.
const columns = `
  r.id, r.at, r.actor,
  ${actorName("r")} as "actorName",
  r.action, r.client_id as "clientId",
  (select c.contact_name from clients c where c.organization_id = r.organization_id and c.id = r.client_id) as "clientName",
  r.contract_id as "contractId",
  (select k.plan_name from contracts k where k.organization_id = r.organization_id and k.id = r.contract_id) as "planName",
  r.session_id as "sessionId",
  (select t.name from sessions e join service_types t on (t.organization_id, t.id) = (e.organization_id, e.service_type_id)
   where e.organization_id = r.organization_id and e.id = r.session_id) as "sessionName",
  (select to_char(e.start, 'YYYY-MM-DD"T"HH24:MI') from sessions e
   where e.organization_id = r.organization_id and e.id = r.session_id) as "sessionStart",
  coalesce(r.subject, r.client_id::text) as "subjectId",
  case ${subjectName} end as "subjectName",
  r.request_id as "requestId", r.reason, r.details, ${undoneBy} as "undoneBy",
  ${placeIds} as "placeIds", ${isErased} as "isErased"`;

/** Each filter with its condition; both ways of naming a colleague have an index. */
const FILTERS = {
  clientId: (parameter: string) => `client_id = ${parameter}::uuid`,
  contractId: (parameter: string) => `contract_id = ${parameter}::uuid`,
  sessionId: (parameter: string) => `session_id = ${parameter}::uuid`,
  staffId: (parameter: string) =>
    `(actor = 'staff:' || lower(${parameter}::text) or subject = lower(${parameter}::text))`,
  actor: (parameter: string) => `actor = ${parameter}::text`,
  action: (parameter: string) => `action = ${parameter}::text`,
  from: (parameter: string) => `at >= ${parameter}::timestamptz`,
  to: (parameter: string) => `at < ${parameter}::timestamptz`,
  readable: (parameter: string) => `action = any(${parameter}::text[])`,
};
type FilterName = keyof typeof FILTERS;
const FILTER_NAMES = Object.keys(FILTERS) as FilterName[];

const listStatement = byShape(
  ({ names, reach }: { readonly names: readonly FilterName[]; readonly reach: PageReach }) => {
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

/** The newest entries first, of those actions alone that the reader may see; undefined: of all. */
export async function listRecordedWrites(
  db: Database,
  organizationId: string,
  query: AuditQuery,
  readable: readonly AuditAction[] | undefined,
): Promise<Page<UndoableWrite>> {
  const { from, to } = query;
  const filters = {
    ...query,
    from: from && instantParameter(from),
    to: to && instantParameter(to),
    readable,
  };
  const names = FILTER_NAMES.filter((name) => filters[name] !== undefined);
  const rows = await db.query<UndoableWrite & PageRow>(listStatement({ names, reach: reachOf(query) }), [
    ...pageValues(organizationId, query),
    ...names.map((name) => filters[name]),
  ]);
  return toPage(rows, query, (row) => row).content;
}

// With `$13`, an entry just written says also where it is of.
const writeStatement = pooled(
  "record_write",
  `insert into audit as r ${INSERTED_WITH_REQUEST}
   returning r.id, r.at, r.actor, r.action, coalesce(r.subject, r.client_id::text) as "subjectId", r.session_id as "sessionId", r.details,
     case when $13 then ${placeIds} end as "placeIds", ${isErased} as "isErased"`,
);

/** Writes the entry of an operation and returns what decides how it is undone, and by whom. */
export async function recordWrite(
  tx: Database,
  { name, locationIds }: Actor,
  entry: NewAuditEntry,
  now: number,
  request?: KeptResult,
): Promise<UndoableEntry> {
  const kept = request ? [request.key, request.fingerprint, resultText(request.result)] : [null, null, null];
  const values = [...entryValues(now, name, entry), locationIds !== undefined, ...kept];
  const [recorded] = await tx.query<UndoableEntry>(writeStatement, values);
  if (!recorded) throw new Error("an audit entry that was just written is gone");
  return recorded;
}

const findStatement = read(
  "find_recorded_write",
  `select ${columns} from audit r where r.organization_id = $1 and r.id = $2`,
);

export async function findRecordedWrite(
  db: Database,
  organizationId: string,
  id: string,
): Promise<UndoableWrite | undefined> {
  const [entry] = await db.query<UndoableWrite>(findStatement, [organizationId, id]);
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

const findSaleStatement = pooled(
  "find_sale",
  `select r.actor, r.at, r.details->>'paymentId' as "paymentId" from audit r
   where r.organization_id = $1 and r.contract_id = $2 and r.action = 'sellContract' order by r.id limit 1`,
);

/** The sale of a contract. */
interface RecordedSale {
  readonly actor: string;
  readonly at: string;
  /** What was paid with it. */
  readonly paymentId?: string;
}

/** Who sold a contract, and when; undefined if it was imported. */
export async function findSale(
  tx: Database,
  organizationId: string,
  contractId: string,
): Promise<RecordedSale | undefined> {
  const [sale] = await tx.query<RecordedSale>(findSaleStatement, [organizationId, contractId]);
  return sale;
}
