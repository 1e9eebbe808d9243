import { type DataClass, Snapshot } from "../core/data-snapshot.ts";
import { versionSum } from "./data-version.ts";
import { expensive, read, replanned, type Statement } from "./statements.ts";

/** What a page is asked for with; the first three parameters of every page statement. */
export interface PageRequest {
  readonly limit: number;
  readonly offset: number;
}

export interface Page<Item> extends PageRequest {
  readonly data: Item[];
  readonly total: number;
}

interface PageText {
  readonly name: string;
  readonly table: string;
  /** Columns of the record, from a row called `r`. */
  readonly columns: string;
  /** Selects the ids of all matching records; `$1` is the organization. */
  readonly source: string;
  /** The classes of data it reads. */
  readonly reads: readonly DataClass[];
  /** How many there are, if that is known without counting: an expression of the counters' columns. */
  readonly total?: string;
  /** Whether many records are skipped before the page. */
  readonly isDeep?: boolean;
  /** For a source that is expensive to run: it is run once, and its result is counted and paged. */
  readonly isSearch?: boolean;
}

/**
 * One statement, and so one snapshot, for a page of records, newest first, the exact total and the version of the data.
 * Only the ids are sorted and skipped over; the records of the page are looked up afterwards. Total and version stand
 * apart from the rows, as a page past the end has none.
 */
export function pageStatement(text: PageText): Statement {
  const found = text.isSearch ? "found" : `(${text.source}) found`;
  const total =
    text.total === undefined ? `(select count(*) from ${found})` : `coalesce(sum(${text.total}), 0)::bigint`;
  const statement = `
    with ${text.isSearch ? `found as materialized (${text.source}), ` : ""}page as materialized (
      select id from ${found} order by id desc limit $2 offset $3
    )
    select t.total, t.version, r.* from (
      select ${total} as total, ${versionSum(text.reads)} as version
      from organization_counters where organization_id = $1
    ) t
    left join lateral (
      select ${text.columns} from page join ${text.table} r on r.organization_id = $1 and r.id = page.id
    ) r on true
    order by r.id desc`;
  if (text.isSearch) return replanned(statement);
  // Only a page from the front of a list that need not be counted costs the same whatever is stored.
  return text.total !== undefined && !text.isDeep
    ? read(text.name, statement)
    : expensive(text.name, statement);
}

const DEEP_OFFSET = 1_000;

export function isDeep({ offset }: PageRequest): boolean {
  return offset > DEEP_OFFSET;
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
  const data = first.id === undefined ? [] : rows.map(toItem);
  const { total, version } = first;
  return new Snapshot({ data, limit: request.limit, offset: request.offset, total }, version);
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
