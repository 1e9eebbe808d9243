import { instantText } from "../../core/clock.ts";
import { MS_PER_DAY } from "../../core/dates.ts";
import type { Database } from "../../db/database.ts";
import { isHere } from "../../db/elsewhere.ts";
import { pooled, read } from "../../db/statements.ts";
import type { KeyRequest } from "./schema.ts";

/** How long requests are kept, in days. */
export const REQUEST_DAYS = 7;

/** A request as it is stored: without what it asked for. */
export type PackedRequest = readonly [
  at: number,
  operation: string,
  status: number,
  milliseconds: number,
  requestId: string,
  ...failure:
    | []
    | [
        code: string,
        reason: string | null,
        faults: readonly (readonly [string, string])[],
        faultCount: number,
      ],
];

/** What came with one key in about a second: what failed, or what did not. */
export interface RequestRow {
  readonly organizationId: string;
  readonly keyId: string;
  readonly failed: boolean;
  readonly id: string;
  readonly kept: number;
  readonly leftOut: number;
  readonly entries: readonly PackedRequest[];
}

// Whoever does not know whether a statement was carried out sends it again. Of an organization that has gone since nothing is kept.
const insertStatement = pooled(
  "insert_key_requests",
  `insert into key_requests (organization_id, key_id, failed, id, at, kept, left_out, entries)
   select n."organizationId", n."keyId", n.failed, n.id, $2::timestamptz, n.kept, n."leftOut", n.entries
   from jsonb_to_recordset($1::jsonb) as n
     ("organizationId" uuid, "keyId" uuid, failed boolean, id uuid, kept integer, "leftOut" integer, entries jsonb)
   where exists (select from organizations o where o.id = n."organizationId") and ${isHere('n."organizationId"')}
   on conflict do nothing`,
);

export async function insertRequests(
  db: Pick<Database, "query">,
  rows: readonly RequestRow[],
  now: number,
): Promise<void> {
  await db.query(insertStatement, [JSON.stringify(rows), instantText(now)]);
}

/** From when on requests are shown: rows that are older wait for the sweep. */
export function oldestRequest(now: number): string {
  return instantText(now - REQUEST_DAYS * MS_PER_DAY);
}

/** Which requests are listed. */
export interface RequestFilter {
  readonly now: number;
  /** Of all keys if absent. */
  readonly keyId?: string | undefined;
  readonly failed?: boolean | undefined;
  /** The row that the page begins after. */
  readonly cursor?: string | undefined;
}

export interface RequestPage {
  /** The newest first. */
  readonly data: KeyRequest[];
  /** How many more requests came in the seconds of this page, of which nothing else is known. */
  readonly leftOut: number;
  readonly nextCursor?: string;
}

/** A page has the rows that together have so many requests, the last of them whole, and at most so many rows. */
const PAGE_REQUESTS = 100;

// What failed and what did not are read in their own order, and put together; texts are unpacked of the page alone. One row
// more than a page can have is found, so that rows without requests do not look like the last ones.
const listStatement = read(
  "list_key_requests",
  `with newest as materialized (
     select r.* from keys k
     cross join unnest($3::boolean[]) f (failed)
     cross join lateral (
       select r.organization_id, r.key_id, r.failed, r.id, r.kept, r.left_out from key_requests r
       where r.organization_id = k.organization_id and r.key_id = k.id and r.failed = f.failed
         and r.id < coalesce($4::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff') and r.at >= $6::timestamptz
       order by r.id desc limit $5::bigint + 1
     ) r
     where k.organization_id = $1 and ($2::uuid is null or k.id = $2)
     order by r.id desc limit $5::bigint + 1
   ), page as (
     select n.*, sum(n.kept) over (order by n.id desc) - n.kept as before, count(*) over () as found from newest n
   )
   select p.id, p.key_id as "keyId", p.left_out as "leftOut", p.found, r.entries
   from page p
   join key_requests r on r.organization_id = p.organization_id and r.key_id = p.key_id and r.failed = p.failed and r.id = p.id
   where r.organization_id = $1 and p.before < $5::bigint
   order by p.id desc limit $5::bigint`,
);

interface ListedRow {
  readonly id: string;
  readonly keyId: string;
  readonly leftOut: number;
  readonly found: number;
  readonly entries: readonly PackedRequest[];
}

/** What is kept of one key and about a second. */
export interface UnpackedRow {
  readonly id: string;
  readonly leftOut: number;
  /** The newest first. */
  readonly requests: readonly KeyRequest[];
}

/** What came with the keys of an organization lately, as it is stored, the newest rows first. */
export async function listRequestRows(
  db: Database,
  organizationId: string,
  { now, keyId, failed, cursor }: RequestFilter,
): Promise<{ readonly rows: UnpackedRow[]; readonly nextCursor?: string }> {
  const kinds = failed === undefined ? [true, false] : [failed];
  const values = [organizationId, keyId ?? null, kinds, cursor ?? null, PAGE_REQUESTS, oldestRequest(now)];
  const rows = await db.query<ListedRow>(listStatement, values);
  const last = rows.at(-1);
  return {
    rows: rows.map((row) => ({ id: row.id, leftOut: row.leftOut, requests: newestFirst(unpack(row)) })),
    ...(last && last.found > rows.length && { nextCursor: last.id }),
  };
}

/** What came with the keys of an organization lately. */
export async function listRequests(
  db: Database,
  organizationId: string,
  filter: RequestFilter,
): Promise<RequestPage> {
  const { rows, nextCursor } = await listRequestRows(db, organizationId, filter);
  return {
    data: newestFirst(rows.flatMap(({ requests }) => requests)),
    leftOut: rows.reduce((sum, { leftOut }) => sum + leftOut, 0),
    ...(nextCursor !== undefined && { nextCursor }),
  };
}

export function newestFirst(requests: readonly KeyRequest[]): KeyRequest[] {
  return requests.toSorted((one, other) => (one.at < other.at ? 1 : one.at > other.at ? -1 : 0));
}

const findStatement = pooled(
  "find_key_requests",
  `select r.organization_id as "organizationId", r.key_id as "keyId", r.entries from key_requests r
   where r.entries @> jsonb_build_array(jsonb_build_array($1::text)) and r.at >= $2::timestamptz
   order by r.id desc limit $3`,
);
/** Whoever sends one id again and again is told of the last ones. */
const MOST_OF_ONE_ID = 20;

/** A request, and whose it was. */
export type FoundRequest = KeyRequest & { readonly organizationId: string };

/** What came with an `X-Request-Id`, the newest first: its caller may have sent it more than once. */
export async function findRequests(db: Database, requestId: string, now: number): Promise<FoundRequest[]> {
  const rows = await db.query<Pick<ListedRow, "keyId" | "entries"> & { organizationId: string }>(
    findStatement,
    [requestId, oldestRequest(now), MOST_OF_ONE_ID],
  );
  return rows
    .flatMap((row) => unpack(row).map((request) => ({ ...request, organizationId: row.organizationId })))
    .filter((request) => request.requestId === requestId)
    .sort((one, other) => (one.at < other.at ? 1 : -1))
    .slice(0, MOST_OF_ONE_ID);
}

function unpack({ keyId, entries }: Pick<ListedRow, "keyId" | "entries">): KeyRequest[] {
  return entries.map(
    ([at, operation, status, milliseconds, requestId, code, reason, faults = [], faultCount = 0]) => ({
      at: instantText(at),
      keyId,
      operation,
      status,
      milliseconds,
      requestId,
      ...(code !== undefined && { code }),
      ...(reason && { reason }),
      ...(faults.length > 0 && { errors: faults.map(([location, fault]) => ({ location, code: fault })) }),
      ...(faultCount > faults.length && { errorCount: faultCount }),
    }),
  );
}

// Rows that another process is removing are passed over.
const trimStatement = pooled(
  "trim_key_requests",
  `with old as (
     select id from key_requests
     where organization_id = $1 and key_id = $2 and failed = $3 and id <= (
       select id from (
         select id, sum(kept) over (order by id desc) as newer from key_requests
         where organization_id = $1 and key_id = $2 and failed = $3
       ) counted
       where newer > $4 order by id desc limit 1
     )
     order by id for update skip locked
   )
   delete from key_requests r using old
   where r.organization_id = $1 and r.key_id = $2 and r.failed = $3 and r.id = old.id`,
);

/** Keeps at most so many of the newest requests of a key. */
export async function trimRequests(
  db: Pick<Database, "query">,
  { organizationId, keyId, failed }: Pick<RequestRow, "organizationId" | "keyId" | "failed">,
  most: number,
): Promise<void> {
  await db.query(trimStatement, [organizationId, keyId, failed, most]);
}

const sweepStatement = pooled(
  "sweep_key_requests",
  `with old as (
     select organization_id, key_id, failed, id from key_requests
     where at < $1 and ${isHere("organization_id")} order by at limit $2 for update skip locked
   ), removed as (
     delete from key_requests r using old
     where r.organization_id = old.organization_id and r.key_id = old.key_id and r.failed = old.failed and r.id = old.id
     returning r.id
   )
   select count(*) as count from removed`,
);

/** Removes some of the rows from before an instant and returns how many. */
export async function sweepRequests(db: Database, before: string, limit: number): Promise<number> {
  const [row] = await db.query<{ count: number }>(sweepStatement, [before, limit]);
  return row?.count ?? 0;
}
