import type { ComponentChildren } from "preact";
import { count } from "../languages/format.ts";
import { dictionary } from "../languages/words.ts";
import { setQuery } from "../routing/router.ts";
import { Button } from "./button.tsx";

export interface Column<Row> {
  readonly title: string;
  /** Said to readers of screens alone: a column of buttons needs no heading for the eye. */
  readonly isTitleHidden?: boolean;
  readonly cell: (row: Row) => ComponentChildren;
  /** Numbers stand under each other. */
  readonly isNumber?: boolean;
  /** Not shown where there is little room. */
  readonly isExtra?: boolean;
}

const words = dictionary(
  {
    page: (from: string, to: string, total: string) => `${from}–${to} of ${total}`,
    before: "Previous",
    next: "Next",
    pages: "Pages",
  },
  {
    page: (from: string, to: string, total: string) => `${from}–${to} de ${total}`,
    before: "Anterior",
    next: "Próxima",
    pages: "Páginas",
  },
  {
    page: (from: string, to: string, total: string) => `${from}–${to} de ${total}`,
    before: "Anterior",
    next: "Siguiente",
    pages: "Páginas",
  },
);

/** What is wider than its room is scrolled, by the keyboard too. */
function letKeysScroll(frame: HTMLElement | null): void {
  if (frame && frame.scrollWidth > frame.clientWidth) frame.tabIndex = 0;
}

/** A plain table; what it is of stands in `caption` for readers of screens. */
export function Table<Row>({
  caption,
  columns,
  rows,
  keyOf,
  rowClass,
}: {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly rowClass?: (row: Row) => string | undefined;
}) {
  const classOf = ({ isNumber, isExtra, isTitleHidden }: Column<Row>) =>
    [isNumber && "number", isExtra && "extra", isTitleHidden && "tight"].filter(Boolean).join(" ") ||
    undefined;
  return (
    <div class="table-frame" ref={letKeysScroll}>
      <table class="table">
        <caption class="for-readers">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.title} scope="col" class={classOf(column)}>
                {column.isTitleHidden ? <span class="for-readers">{column.title}</span> : column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} class={rowClass?.(row)}>
              {columns.map((column) => (
                <td key={column.title} class={classOf(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export const PAGE_SIZE = 50;

/** Which page of a list the address names, counted from 0. */
export function offsetOf(query: URLSearchParams): number {
  const page = Number(query.get("page") ?? "1");
  return Number.isInteger(page) && page > 1 ? (page - 1) * PAGE_SIZE : 0;
}

/** From which to which of how many, with the pages before and after; the address has the page. */
export function Pager({
  offset,
  shown,
  total,
}: {
  readonly offset: number;
  readonly shown: number;
  readonly total: number;
}) {
  const t = words();
  if (total <= PAGE_SIZE && offset === 0) return null;
  const page = Math.floor(offset / PAGE_SIZE) + 1;
  const goTo = (next: number) => setQuery({ page: next > 1 ? String(next) : undefined }, { replace: false });
  return (
    <nav class="pager" aria-label={t.pages}>
      <span>{t.page(count(Math.min(offset + 1, total)), count(offset + shown), count(total))}</span>
      <Button isSmall icon="left" isDisabled={page === 1} onClick={() => goTo(page - 1)}>
        {t.before}
      </Button>
      <Button isSmall icon="right" isDisabled={offset + shown >= total} onClick={() => goTo(page + 1)}>
        {t.next}
      </Button>
    </nav>
  );
}
