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
  /** Selects how many there are, if that is known without counting. */
  readonly total?: string;
  /** Whether many records are skipped before the page. */
  readonly isDeep?: boolean;
  /** For a source that is expensive to run: it is run once, and its result is counted and paged. */
  readonly isSearch?: boolean;
}

/**
 * One statement, and so one snapshot, for a page of records, newest first, and the exact total. Only the ids
 * are sorted and skipped over; the records of the page are looked up afterwards. The total stands apart from
 * the rows, as a page past the end has none.
 */
export function pageStatement(text: PageText): Statement {
  const found = text.isSearch ? "found" : `(${text.source}) found`;
  const total = text.total ?? `select count(*) as total from ${found}`;
  const statement = `
    with ${text.isSearch ? `found as materialized (${text.source}), ` : ""}page as materialized (
      select id from ${found} order by id desc limit $2 offset $3
    )
    select t.total, r.* from (${total}) t
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

/** The page in the rows of a page statement; every row carries the total, the only row of an empty page no id. */
export function toPage<Row extends { total: number; id?: string }, Item>(
  rows: readonly Row[],
  request: PageRequest,
  toItem: (row: Row) => Item,
): Page<Item> {
  const [first] = rows;
  if (first === undefined) throw new Error("a page statement returned no row");
  const data = first.id === undefined ? [] : rows.map(toItem);
  return { data, limit: request.limit, offset: request.offset, total: first.total };
}

/** A total kept in the counters: the sum of this expression of their columns over the slots. */
export function countedTotal(expression: string): string {
  return `select coalesce(sum(${expression}), 0)::bigint as total from organization_counters where organization_id = $1`;
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
