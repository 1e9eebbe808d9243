import { type Answer, useRead } from "../../api/reads.ts";
import { count, money, monthOf, shortMoney, shortMonth } from "../../languages/format.ts";
import { Figures } from "../../money/figures.tsx";
import { moneyWords } from "../../money/words.ts";
import { SelectField } from "../../parts/field.tsx";
import { Empty } from "../../parts/notice.tsx";
import { Section, Shown } from "../../parts/page.tsx";
import { Plot } from "../../parts/plot.tsx";
import { Table } from "../../parts/table.tsx";
import { route, setQuery } from "../../routing/router.ts";
import type { PartProps } from "./owed.tsx";
import { firstOfMonth } from "./spans.ts";
import { words } from "./words.ts";

type Income = Answer<"/app/v1/income">;

const SPANS = ["3", "6", "12", "24"] as const;

/** What came in, was invoiced and is open: by month as a picture and a table, by method, and by what it was for. */
export function IncomePart({ today, currency }: PartProps) {
  const t = words();
  const asked = route.value.query.get("months");
  const months = SPANS.find((span) => span === asked) ?? "6";
  const query = { from: firstOfMonth(today, 1 - Number(months)), to: today };
  const income = useRead("/app/v1/income", { query }, { keepsLast: true });
  return (
    <>
      <search class="money-filters">
        <SelectField
          label={t.months}
          value={months}
          choices={SPANS.map((value) => ({ value, label: t.lastMonths(Number(value)) }))}
          onChoose={(value) => setQuery({ months: value })}
        />
      </search>
      <Shown reading={income} lines={8}>
        {(data) =>
          data.plans.length === 0 && data.methods.length === 0 ? (
            <Empty icon="chart" title={t.noIncome} />
          ) : (
            <>
              <Figures
                label={t.tabs.income}
                figures={[
                  { name: t.received, value: money(data.receivedCents, currency), isMain: true },
                  { name: t.invoiced, value: money(data.invoicedCents, currency) },
                  { name: t.openOfThese, value: money(data.openCents, currency) },
                ]}
              />
              <ByMonth income={data} currency={currency} />
              <div class="money-tables">
                <ByMethod income={data} currency={currency} />
                <ByPlan income={data} currency={currency} />
              </div>
            </>
          )
        }
      </Shown>
    </>
  );
}

function ByMonth({ income, currency }: { readonly income: Income; readonly currency: string }) {
  const t = words();
  return (
    <Section title={t.byMonth}>
      <div class="card">
        <Plot
          kind="bars"
          title={t.byMonth}
          rowTitle={t.month}
          series={[
            { name: t.received, tone: "accent" },
            { name: t.invoiced, tone: "warning" },
          ]}
          inTable={[t.open]}
          rows={income.months.map(({ month, receivedCents, invoicedCents, openCents }) => ({
            key: month,
            label: shortMonth(`${month}-01`),
            title: monthOf(`${month}-01`),
            values: [receivedCents, invoicedCents, openCents],
          }))}
          format={(cents) => money(cents, currency)}
          scaleFormat={(cents) => shortMoney(cents, currency)}
          summary={t.incomeSummary(
            money(income.receivedCents, currency),
            money(income.invoicedCents, currency),
          )}
        />
      </div>
    </Section>
  );
}

function ByMethod({ income, currency }: { readonly income: Income; readonly currency: string }) {
  const t = words();
  return (
    <Section title={t.byMethod}>
      <Table
        caption={t.byMethod}
        rows={income.methods}
        keyOf={({ method }) => method}
        columns={[
          { title: t.method, cell: ({ method }) => moneyWords().methods[method] },
          { title: t.paymentsTitle, isNumber: true, isExtra: true, cell: ({ payments }) => count(payments) },
          { title: t.received, isNumber: true, cell: ({ receivedCents }) => money(receivedCents, currency) },
        ]}
      />
    </Section>
  );
}

function ByPlan({ income, currency }: { readonly income: Income; readonly currency: string }) {
  const t = words();
  return (
    <Section title={t.byPlan}>
      <Table
        caption={t.byPlan}
        rows={income.plans}
        keyOf={({ description }) => description}
        columns={[
          { title: t.plan, cell: ({ description }) => description || t.byHand },
          {
            title: t.invoiced,
            isNumber: true,
            cell: ({ invoicedCents, openCents }) => (
              <>
                {money(invoicedCents, currency)}
                {openCents > 0 && (
                  <p class="soft money-narrow">{moneyWords().open(money(openCents, currency))}</p>
                )}
              </>
            ),
          },
          {
            title: t.paidOfIt,
            isNumber: true,
            isExtra: true,
            cell: ({ receivedCents }) => money(receivedCents, currency),
          },
          {
            title: t.open,
            isNumber: true,
            isExtra: true,
            cell: ({ openCents }) => money(openCents, currency),
          },
        ]}
      />
    </Section>
  );
}
