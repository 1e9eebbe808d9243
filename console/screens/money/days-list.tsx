import type { ComponentChildren } from "preact";
import { type Answer, useRead } from "../../api/reads.ts";
import type { IconName } from "../../parts/icon.tsx";
import { Empty } from "../../parts/notice.tsx";
import { Shown } from "../../parts/page.tsx";
import { type Column, offsetOf, PAGE_SIZE, Pager, Table } from "../../parts/table.tsx";
import { route } from "../../routing/router.ts";
import { DownloadMenu } from "./download-menu.tsx";
import { SpanFields } from "./span-fields.tsx";
import type { Span } from "./spans.ts";
import { words } from "./words.ts";

type Path = "/app/v1/invoices" | "/app/v1/payments";

/** The invoices or payments of some days: the fields that choose them, their file, and page by page what they are. */
export function DaysList<Of extends Path>({
  path,
  title,
  today,
  span,
  filter,
  filterField,
  sums,
  none,
  columns,
}: {
  readonly path: Of;
  readonly title: string;
  readonly today: string;
  readonly span: Span;
  /** What else is asked for, and the field that chooses it. */
  readonly filter: Readonly<Record<string, string | undefined>>;
  readonly filterField: ComponentChildren;
  readonly sums?: ComponentChildren;
  readonly none: { readonly icon: IconName; readonly title: string };
  readonly columns: readonly Column<Answer<Of>["data"][number]>[];
}) {
  const t = words();
  const offset = offsetOf(route.value.query);
  const asked = { ...span, ...filter };
  const list = useRead(path, { query: { ...asked, limit: PAGE_SIZE, offset } }, { keepsLast: true });
  return (
    <>
      <search class="money-filters">
        <SpanFields span={span} today={today} />
        {filterField}
        <DownloadMenu path={path} query={asked} name={t.fileOf(title, span.from, span.to)} />
      </search>
      {sums}
      <Shown reading={list} lines={6}>
        {({ data, total }) =>
          total === 0 ? (
            <Empty {...none} />
          ) : (
            <>
              <Table
                caption={title}
                columns={columns}
                rows={data}
                keyOf={({ id }) => id}
                rowClass={({ status }) => (status === "void" ? "money-void" : undefined)}
              />
              <Pager offset={offset} shown={data.length} total={total} />
            </>
          )
        }
      </Shown>
    </>
  );
}
