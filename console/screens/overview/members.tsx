import type { Schemas } from "../../api/operations.ts";
import { useRead } from "../../api/reads.ts";
import { count, monthOf, shortMonth } from "../../languages/format.ts";
import { Section, Shown } from "../../parts/page.tsx";
import { Plot } from "../../parts/plot.tsx";
import { words } from "./words.ts";

type Month = Schemas["MonthOfMembers"];

/** How many members there are and were, and what began and ended. */
export function Members({ today, months }: { readonly today: string; readonly months: number }) {
  const t = words();
  const reading = useRead(
    "/app/v1/overview/members",
    { query: { from: firstOfMonth(today, 1 - months), until: today } },
    { keepsLast: true },
  );
  return (
    <>
      <Section title={t.members}>
        <Shown reading={reading}>
          {({ data }) =>
            data.some(({ members }) => members > 0) ? (
              <>
                <Now data={data} />
                <p class="soft overview-note">{t.membersNote}</p>
                <Plot
                  kind="line"
                  title={t.members}
                  rowTitle={t.month}
                  series={[{ name: t.members, tone: "accent" }]}
                  rows={data.map((month) => rowOf(month, [month.members]))}
                  summary={t.membersSummary(
                    count(data.at(-1)?.members ?? 0),
                    monthOf(`${data[0]?.month}-01`),
                    count(data[0]?.members ?? 0),
                  )}
                />
              </>
            ) : (
              <p class="soft">{t.noContracts}</p>
            )
          }
        </Shown>
      </Section>
      <Section title={t.sales}>
        <Shown reading={reading}>
          {({ data }) =>
            data.some(({ began, ended }) => began + ended > 0) ? (
              <Plot
                kind="bars"
                title={t.sales}
                rowTitle={t.month}
                series={[
                  { name: t.begun, tone: "accent" },
                  { name: t.ended, tone: "warning" },
                ]}
                rows={data.map((month) => rowOf(month, [month.began, month.ended]))}
                summary={t.salesSummary(
                  count(data.reduce((sum, { began }) => sum + began, 0)),
                  count(data.reduce((sum, { ended }) => sum + ended, 0)),
                )}
              />
            ) : (
              <p class="soft">{t.noContracts}</p>
            )
          }
        </Shown>
      </Section>
    </>
  );
}

/** The number of today, large, and what became of it since the month before. */
function Now({ data }: { readonly data: readonly Month[] }) {
  const t = words();
  const now = data.at(-1)?.members ?? 0;
  const before = data.at(-2)?.members;
  const change = before === undefined ? undefined : now - before;
  return (
    <p class="overview-now">
      <strong>{count(now)}</strong> <span>{t.now}</span>
      {change !== undefined && (
        <span class="soft">
          {change === 0 ? t.same : change > 0 ? t.more(count(change)) : t.fewer(count(-change))}
        </span>
      )}
    </p>
  );
}

function rowOf({ month }: Month, values: readonly number[]) {
  const day = `${month}-01`;
  return { key: month, label: shortMonth(day), title: monthOf(day), values };
}

/** The first of the month of a date, some months later or earlier. */
export function firstOfMonth(date: string, months: number): string {
  const [year = 0, month = 0] = date.split("-").map(Number);
  return new Date(Date.UTC(year, month - 1 + months, 1)).toISOString().slice(0, 10);
}
