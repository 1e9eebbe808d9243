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
import { read } from "../db/statements.ts";
import type { AuditQuery, RecordedWrite } from "./schema.ts";

/** What an organization's staff reads of its audit trail. */

const columns = `
  r.id, r.at, r.actor,
  (select s.name from staff s where s.organization_id = r.organization_id and r.actor = 'staff:' || s.id) as "actorName",
  r.action, r.client_id as "clientId", r.contract_id as "contractId", r.session_id as "sessionId",
  r.subject as "subjectId", r.reason, r.details`;

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
