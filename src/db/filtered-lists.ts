import type { DataClass, Snapshot } from "../core/data-snapshot.ts";
import type { TakeRecords } from "../core/record-stream.ts";
import { searchTerms } from "../core/search.ts";
import type { Database } from "./database.ts";
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
} from "./pages.ts";
import { instantParameter } from "./timestamps.ts";

/** A filter of a list: a condition on the columns of its table with one value, which is undefined if it is not asked for. */
export interface TableFilter<Filter> {
  readonly holds: (parameter: string) => string;
  readonly value: (filter: Filter) => unknown;
}

interface UsualFilter {
  readonly status?: string;
  readonly query?: string;
  readonly updatedSince?: string;
}

export const byStatus: TableFilter<UsualFilter> = {
  holds: (parameter) => `status = ${parameter}`,
  value: ({ status }) => status,
};
/** Of words that the records were stored with as `search`. */
export const bySearch: TableFilter<UsualFilter> = {
  holds: (parameter) => `search like all(${parameter}::text[])`,
  value: ({ query = "" }) => {
    const patterns = searchTerms(query).map(({ pattern }) => pattern);
    return patterns.length > 0 ? patterns : undefined;
  },
};
export const byUpdate: TableFilter<UsualFilter> = {
  holds: (parameter) => `updated_at >= ${parameter}::timestamptz`,
  value: ({ updatedSince }) => (updatedSince === undefined ? undefined : instantParameter(updatedSince)),
};

interface FilteredListText<Filter> {
  readonly table: string;
  /** Columns of the record, from a row called `r`. */
  readonly columns: string;
  /** The classes of data it reads. */
  readonly reads: readonly DataClass[];
  /** By the names that their statements have. `status` is the first. */
  readonly filters: { readonly status: TableFilter<Filter> } & Readonly<Record<string, TableFilter<Filter>>>;
  /** The statuses that are counted, each in a column `{table}_{status}` of the counters. */
  readonly statuses: readonly string[];
}

/** A list of one table, newest first: pages of it, and all of it. */
export function filteredList<Filter extends object, Item extends object>({
  table,
  columns,
  reads,
  filters,
  statuses,
}: FilteredListText<Filter>) {
  const counters = statuses.map((status) => `${table}_${status}`);
  const ofStatus = statuses.map((status) => `when '${status}' then ${table}_${status}`).join(" ");
  const statement = byShape(
    ({ names, reach }: { readonly names: readonly string[]; readonly reach: PageReach }) => {
      const conditions = names.map((name, place) => ` and ${filters[name]?.holds(`$${place + 4}`)}`).join("");
      const isCounted = names.every((name) => name === "status");
      return pageStatement({
        name: [`list_${table}`, ...names].join("_"),
        reads,
        table,
        columns,
        source: ({ holds }) =>
          `select id from ${table} where organization_id = $1${conditions}${holds("id")}`,
        reach,
        // Plans have up to 100,000 characters of terms, service types 10,000 of description.
        isLong: true,
        ...(isCounted && {
          total: names.length > 0 ? `case $4::text ${ofStatus} end` : counters.join(" + "),
        }),
      });
    },
  );

  const queryOf = (filter: Filter, reach: PageReach): ListQuery => {
    const given = Object.entries(filters)
      .map(([name, { value }]) => ({ name, value: value(filter) }))
      .filter(({ value }) => value !== undefined);
    return {
      statement: statement({ names: given.map(({ name }) => name), reach }),
      values: given.map(({ value }) => value),
    };
  };

  return {
    page: async (
      db: Database,
      organizationId: string,
      request: Filter & PageRequest,
    ): Promise<Snapshot<Page<Item>>> => {
      const { statement: page, values } = queryOf(request, reachOf(request));
      const rows = await db.query<Item & PageRow>(page, [...pageValues(organizationId, request), ...values]);
      return toPage(rows, request, (row) => row);
    },
    whole: (db: Database, organizationId: string, filter: Filter, take: TakeRecords<Item>): Promise<void> =>
      readWhole(
        db,
        organizationId,
        (reach) => queryOf(filter, reach),
        (row: Item) => row,
        take,
      ),
  };
}
