import type { ChangeReason } from "../../core/reasons.ts";
import type { Database, ShortReads } from "../../db/database.ts";
import { RESTORE_ID, TIMELINE } from "../../db/history.ts";
import { pooled, read } from "../../db/statements.ts";
import { CHANGE_KINDS, type ChangeKind, type ChangeType } from "./values.ts";

/** Where the feed of an organization is, at the moment of a statement. */
export interface FeedState {
  /** The highest number that was given. */
  readonly sequence: number;
  /** A random name for PostgreSQL's timeline, base64. */
  readonly mark: string;
  /** The id that the last restore made. */
  readonly restoreId: string;
  /** Whether somebody must number first: there are changes without a number, or this is another timeline. */
  readonly isBehind: boolean;
}

export interface FeedEntry {
  readonly sequence: number;
  readonly kind: ChangeKind;
  readonly id: string;
  readonly type: ChangeType;
  readonly changedAt: string;
  readonly reason?: ChangeReason;
}

export interface FeedPage {
  readonly state: FeedState;
  readonly entries: readonly FeedEntry[];
  /** The last number that was looked at: the last entry's, or the highest one if nothing more is there. */
  readonly reached: number;
  readonly hasMore: boolean;
}

export interface FeedRange {
  /** The number that the page begins after. */
  readonly after: number;
  readonly limit: number;
  readonly kinds?: readonly ChangeKind[] | undefined;
}

/** Whether there are changes without a number. In the order of the log's key: the plan is not to read the whole log for it. */
const isLogged = (organizationParameter: string) =>
  `(select l.id from change_log l where l.organization_id = ${organizationParameter} order by l.id limit 1) is not null`;

const stateColumns = `
  h.sequence as "headSequence", encode(h.mark, 'base64') as mark, ${RESTORE_ID} as "restoreId",
  (h.timeline <> ${TIMELINE} or ${isLogged("$1")}) as "isBehind"`;

const entryColumns = `
  c.sequence, c.kind, c.record_id as id, c.type, c.at as "changedAt", c.reason`;

// One snapshot for the head and the page: what is at or below the head is all there, and never changes its number.
const pageStatement = read(
  "read_changes",
  `select ${stateColumns}, e.* from change_heads h left join lateral (
     select ${entryColumns} from changes c
     where c.organization_id = $1 and c.sequence > $2 order by c.sequence limit $3
   ) e on true
   where h.organization_id = $1 order by e.sequence`,
);

// Each kind is a range of an index, however rare it is.
const kindsStatement = read(
  "read_changes_of_kinds",
  `select ${stateColumns}, e.* from change_heads h left join lateral (
     select c.* from unnest($4::text[]) as k (kind) cross join lateral (
       select ${entryColumns} from changes c
       where c.organization_id = $1 and c.kind = k.kind and c.sequence > $2 order by c.sequence limit $3
     ) c order by c.sequence limit $3
   ) e on true
   where h.organization_id = $1 order by e.sequence`,
);

/** Without an entry if there is none. */
type FeedPageRow = Omit<FeedState, "sequence"> & { readonly headSequence: number } & (
    | FeedEntry
    | { readonly sequence?: undefined }
  );

/** A page of the numbered changes. What has no number yet is not in it: `state.isBehind` says that there may be some. */
export async function readChanges(
  db: Pick<ShortReads, "query">,
  organizationId: string,
  { after, limit, kinds }: FeedRange,
): Promise<FeedPage> {
  // One more than asked for tells whether there are more.
  const isFiltered = kinds !== undefined && kinds.length < CHANGE_KINDS.length;
  const rows = await db.query<FeedPageRow>(isFiltered ? kindsStatement : pageStatement, [
    organizationId,
    after,
    limit + 1,
    ...(isFiltered ? [kinds] : []),
  ]);
  const [first] = rows;
  if (!first) throw new Error("a feed has a state");
  const { headSequence, mark, restoreId, isBehind } = first;
  const found = rows.flatMap((row) => (row.sequence === undefined ? [] : [entryOf(row)]));
  const entries = found.slice(0, limit);
  const hasMore = found.length > limit;
  return {
    state: { sequence: headSequence, mark, restoreId, isBehind },
    entries,
    reached: hasMore ? (entries.at(-1)?.sequence ?? after) : Math.max(after, headSequence),
    hasMore,
  };
}

function entryOf({ sequence, kind, id, type, changedAt, reason }: FeedEntry): FeedEntry {
  return { sequence, kind, id, type, changedAt, ...(reason && { reason }) };
}

const grownStatement = read(
  "find_grown_feeds",
  `select w.id from unnest($1::uuid[], $2::bigint[]) as w (id, sequence)
   where ${isLogged("w.id")}
     or exists (select from change_heads h where h.organization_id = w.id and h.sequence > w.sequence)`,
);
/** So that no statement takes long that others of its connection wait for. */
const ORGANIZATIONS_AT_ONCE = 500;

/** The organizations whose feeds may have more than these numbers. */
export async function findGrown(
  db: ShortReads,
  known: ReadonlyMap<string, number>,
): Promise<ReadonlySet<string>> {
  const grown = new Set<string>();
  const all = [...known];
  for (let from = 0; from < all.length; from += ORGANIZATIONS_AT_ONCE) {
    const some = all.slice(from, from + ORGANIZATIONS_AT_ONCE);
    const rows = await db.query<{ id: string }>(grownStatement, [
      some.map(([id]) => id),
      some.map(([, sequence]) => sequence),
    ]);
    for (const { id } of rows) grown.add(id);
  }
  return grown;
}

const timelineStatement = read(
  "find_change_timeline",
  `select last_sequence as "lastSequence" from change_timelines
   where organization_id = $1 and mark = decode($2, 'base64')`,
);

/** The last number that was given on a timeline before the present one, and is still known. */
export async function findLastOfTimeline(
  db: Pick<ShortReads, "query">,
  organizationId: string,
  mark: string,
): Promise<number | undefined> {
  const [row] = await db.query<{ lastSequence: number }>(timelineStatement, [organizationId, mark]);
  return row?.lastSequence;
}

const markStatement = read(
  "find_change_mark",
  `select encode(coalesce((
     select t.mark from change_timelines t
     where t.organization_id = $1 and t.last_sequence >= $2 order by t.last_sequence limit 1
   ), h.mark), 'base64') as mark from change_heads h where h.organization_id = $1`,
);

/** The mark of the timeline on which a number was given. */
export async function findMarkOf(
  db: Pick<ShortReads, "query">,
  organizationId: string,
  sequence: number,
): Promise<string> {
  const [row] = await db.query<{ mark: string }>(markStatement, [organizationId, sequence]);
  if (!row) throw new Error("a feed has a mark");
  return row.mark;
}

/** The entries after one number and up to another, of some kinds, for a cursor of PostgreSQL. */
export const WHOLE_FEED = `
  select ${entryColumns} from changes c
  where c.organization_id = $1 and c.sequence > $2::bigint and c.sequence <= $3::bigint and c.kind = any ($4::text[])
  order by c.sequence`;

const countStatement = pooled(
  "count_changes",
  `select count(*) as count from changes c
   where c.organization_id = $1 and c.sequence > $2::bigint and c.sequence <= $3::bigint and c.kind = any ($4::text[])`,
);

/** How many entries `WHOLE_FEED` gives for these values. */
export async function countChanges(tx: Database, values: readonly unknown[]): Promise<number> {
  const [row] = await tx.query<{ count: number }>(countStatement, values);
  return row?.count ?? 0;
}
