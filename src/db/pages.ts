import { type DataClass, Snapshot } from "../core/data-snapshot.ts";
import type { TakeRecords } from "../core/record-stream.ts";
import { versionSum } from "./data-version.ts";
import type { Database } from "./database.ts";
import { recordBatches } from "./record-batches.ts";
import { expensive, isRecord, read, replanned, type Statement } from "./statements.ts";

/** What a page is asked for with. */
export interface PageRequest {
  readonly limit: number;
  readonly offset: number;
  /** The id of the record that the page begins after, instead of an offset. */
  readonly cursor?: string;
}

export interface Page<Item> {
  readonly data: Item[];
  readonly limit: number;
  readonly offset: number;
  readonly total: number;
  /** The id of the last record, if there is another page after this one. */
  readonly nextCursor?: string;
}

/**
 * How a page is reached: few records are skipped, or many, or it is the range of an index that a cursor begins. `whole` is
 * no page, but all records of the list.
 */
export type PageReach = "near" | "far" | "after" | "whole";

const FAR_OFFSET = 1_000;

export function reachOf({ offset, cursor }: PageRequest): PageReach {
  if (cursor !== undefined) return "after";
  return offset > FAR_OFFSET ? "far" : "near";
}

/** Which of the matching records a source selects: all of them, or no more than a page needs. */
export interface IdRange {
  /** A condition that these columns, which all hold the id, lie in the range; begins with ` and`, unless it is empty. */
  readonly holds: (...columns: string[]) => string;
  /** The end of a select that is part of a source: as many of its ids as the page may need, by this column. */
  readonly newest: (column: string) => string;
}

const ALL: IdRange = { holds: () => "", newest: () => "" };
/** PostgreSQL does not see by itself that a condition on one column of a join holds for the other one too. */
const AFTER: IdRange = {
  holds: (...columns) => columns.map((column) => ` and ${column} < $3::uuid`).join(""),
  newest: (column) => ` order by ${column} desc limit $2`,
};
const SKIPPING: IdRange = {
  ...ALL,
  newest: (column) => ` order by ${column} desc limit $2::bigint + $3::bigint`,
};

interface PageText {
  readonly name: string;
  readonly table: string;
  /** Columns of the record, from a row called `r`. */
  readonly columns: string;
  /** The same for a record that is read by itself, if lists show less of it. */
  readonly wholeColumns?: string;
  /** Selects the ids of matching records; `$1` is the organization. */
  readonly source: (range: IdRange) => string;
  /** The same without a range, if there is a better way to find all or many of them. */
  readonly all?: string;
  /** The classes of data it reads. */
  readonly reads: readonly DataClass[];
  /** How many there are, if that is known without counting: an expression of the counters' columns. */
  readonly total?: string;
  readonly reach: PageReach;
  /** For a source that is expensive to run: it is run once, and its result is counted and paged. */
  readonly isSearch?: boolean;
  /** For records with texts of which a page may have millions of characters. */
  readonly isLong?: boolean;
  /** For a source whose best plan depends on its values. */
  readonly isReplanned?: boolean;
}

/**
 * One statement, and so one snapshot, for a page of records, newest first, the exact total and the version of the data.
 * Only the ids are sorted and skipped over; the records of the page are looked up afterwards, each by its id before its
 * columns are worked out (`offset 0` keeps PostgreSQL from joining first, which without statistics it does by reading all
 * records for each id). Total and version stand apart from the rows, as a page past the end has none. Its first three
 * parameters are those of `pageValues`.
 */
export function pageStatement(text: PageText): Statement {
  if (text.reach === "whole") return wholeStatement(text);
  const isAfter = text.reach === "after";
  const range = isAfter ? AFTER : SKIPPING;
  const whole = text.all ?? text.source(ALL);
  const all = text.isSearch ? "found" : `(${whole}) found`;
  const skipsAll = text.reach === "far" && text.all !== undefined;
  const matching = skipsAll ? whole : text.source(range);
  const ids = text.isSearch ? `found where true${range.holds("id")}` : `(${matching}) found`;
  const total =
    text.total === undefined ? `(select count(*) from ${all})` : `coalesce(sum(${text.total}), 0)::bigint`;
  const statement = `
    with ${text.isSearch ? `found as materialized (${whole}), ` : ""}page as materialized (
      select id from ${ids} order by id desc limit $2${isAfter ? "" : " offset $3"}
    )
    select t.total, t.version, r.* from (
      select ${total} as total, ${versionSum(text.reads)} as version
      from organization_counters where organization_id = $1
    ) t
    left join (page cross join lateral (
      select ${text.columns} from ${text.table} r where ${isRecord("r", "page.id")} offset 0
    ) r) on true
    order by r.id desc`;
  if (text.isReplanned || text.isSearch) return replanned(statement);
  const name = `${text.name}${isAfter ? "_after" : skipsAll ? "_far" : ""}`;
  // A page costs the same whatever is stored if nothing has to be counted, few records are skipped and none is long.
  return text.total !== undefined && text.reach !== "far" && !text.isLong
    ? read(name, statement)
    : expensive(name, statement);
}

/** All records, newest first. Its parameters are those of a page, so that the filters are written once. */
function wholeStatement({
  source,
  all = source(ALL),
  table,
  columns,
  wholeColumns = columns,
}: PageText): Statement {
  return replanned(`
    select ${wholeColumns} from (${all}) found
    join ${table} r on ${isRecord("r", "found.id")}
    order by r.id desc limit $2 offset $3`);
}

/** The statement of a list, and its parameters after the first three. */
export interface ListQuery {
  readonly statement: Statement;
  readonly values: readonly unknown[];
}

/** Reads all records that a list's filters match, with their number and the version of the data in the same snapshot. */
export function readWhole<Row extends object, Item>(
  db: Database,
  organizationId: string,
  query: (reach: PageReach) => ListQuery,
  toItem: (row: Row) => Item,
  take: TakeRecords<Item>,
): Promise<void> {
  return db.snapshot(async (tx) => {
    // A page without records has the total and the version.
    const head = query("near");
    const [first] = await tx.query<PageRow>(head.statement, [organizationId, 0, 0, ...head.values]);
    if (first === undefined) throw new Error("a page statement returned no row");
    const all = query("whole");
    const rows = recordBatches<Row>(tx, all.statement.text, [organizationId, null, 0, ...all.values]);
    await take({ total: first.total, version: first.version, batches: itemsOf(rows, toItem) });
  });
}

const ITEMS_AT_ONCE = 100;

async function* itemsOf<Row, Item>(
  batches: AsyncIterable<readonly Row[]>,
  toItem: (row: Row) => Item,
): AsyncGenerator<Item[]> {
  // In small pieces: a record that is written soon after it was made is cheap for the garbage collector.
  for await (const rows of batches)
    for (let next = 0; next < rows.length; next += ITEMS_AT_ONCE)
      yield rows.slice(next, next + ITEMS_AT_ONCE).map(toItem);
}

/** The first three parameters of a page statement. */
export function pageValues(
  organizationId: string,
  { limit, offset, cursor }: PageRequest,
): [string, number, number | string] {
  // One more than the page has: only so it is known whether another page follows.
  return cursor === undefined ? [organizationId, limit, offset] : [organizationId, limit + 1, cursor];
}

/** What every row of a page statement carries; the only row of an empty page has nothing else. */
export interface PageRow {
  readonly total: number;
  readonly version: number;
  readonly id?: string;
}

/** The page in the rows of a page statement. */
export function toPage<Row extends PageRow, Item>(
  rows: readonly Row[],
  request: PageRequest,
  toItem: (row: Row) => Item,
): Snapshot<Page<Item>> {
  const [first] = rows;
  if (first === undefined) throw new Error("a page statement returned no row");
  const { total, version } = first;
  const { limit, offset, cursor } = request;
  const found = first.id === undefined ? [] : rows;
  const page = found.length > limit ? found.slice(0, limit) : found;
  const isFollowed = cursor === undefined ? offset + page.length < total : found.length > limit;
  const nextCursor = isFollowed ? page.at(-1)?.id : undefined;
  return new Snapshot(
    { data: page.map(toItem), limit, offset, total, ...(nextCursor !== undefined && { nextCursor }) },
    version,
  );
}

/** Statements that depend on which filters are given: each shape is written once and then found again. */
export function byShape<Shape>(write: (shape: Shape) => Statement): (shape: Shape) => Statement {
  const known = new Map<string, Statement>();
  return (shape) => {
    const name = JSON.stringify(shape);
    const statement = known.get(name) ?? write(shape);
    known.set(name, statement);
    return statement;
  };
}
