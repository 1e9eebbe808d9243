import type { Answer } from "../../api/reads.ts";
import { nameOfClient } from "../../languages/client-name.ts";
import { fullDate, money } from "../../languages/format.ts";
import { InvoiceMenu } from "../../money/line-menus.tsx";
import { addressOfAccount, InvoiceBadge, nameOfInvoice, periodOf } from "../../money/records.tsx";
import { moneyWords } from "../../money/words.ts";
import { SelectField } from "../../parts/field.tsx";
import type { Column } from "../../parts/table.tsx";
import { route, setQuery } from "../../routing/router.ts";
import { DaysList } from "./days-list.tsx";
import type { PartProps } from "./owed.tsx";
import { useSpan } from "./span-fields.tsx";
import { words } from "./words.ts";

type Row = Answer<"/app/v1/invoices">["data"][number];

const STATUSES = ["open", "overdue", "paid", "void"] as const;

/** What was invoiced on some days. */
export function InvoicesPart({ today, currency }: PartProps) {
  const t = words();
  const asked = route.value.query.get("status");
  const status = STATUSES.find((name) => name === asked);
  return (
    <DaysList
      path="/app/v1/invoices"
      title={t.tabs.invoices}
      today={today}
      span={useSpan(today, "month")}
      filter={{ status }}
      filterField={
        <SelectField
          label={t.status}
          value={status ?? "all"}
          choices={[
            { value: "all", label: t.allInvoices },
            ...STATUSES.map((value) => ({ value, label: t.statuses[value] })),
          ]}
          onChoose={(chosen) => setQuery({ status: chosen === "all" ? undefined : chosen, page: undefined })}
        />
      }
      none={{ icon: "receipt", title: t.noInvoices }}
      columns={columnsOf(t, currency)}
    />
  );
}

function columnsOf(t: ReturnType<typeof words>, currency: string): readonly Column<Row>[] {
  return [
    {
      title: t.client,
      cell: (invoice) => (
        <>
          <a class="money-client" href={addressOfAccount(invoice.clientId)}>
            {nameOfClient(invoice.clientName)}
          </a>
          <div class="soft">
            {nameOfInvoice(invoice)}
            <span class="money-narrow"> · {fullDate(invoice.issuedOn)}</span>
          </div>
          <div>{invoice.description}</div>
          {periodOf(invoice) && <div class="soft">{periodOf(invoice)}</div>}
        </>
      ),
    },
    { title: t.issuedOn, isExtra: true, cell: ({ issuedOn }) => fullDate(issuedOn) },
    { title: t.due, isExtra: true, cell: ({ dueOn }) => fullDate(dueOn) },
    {
      title: t.amount,
      isNumber: true,
      cell: ({ amountCents, paidCents, status, isOverdue }) => (
        <>
          <div>
            {status === "void" ? <s>{money(amountCents, currency)}</s> : money(amountCents, currency)}
          </div>
          <InvoiceBadge status={status} isOverdue={isOverdue} />
          {status === "open" && paidCents > 0 && (
            <div class="soft">{moneyWords().open(money(amountCents - paidCents, currency))}</div>
          )}
        </>
      ),
    },
    {
      title: t.actions,
      isTitleHidden: true,
      cell: ({ clientName, ...invoice }) => <InvoiceMenu invoice={invoice} clientName={clientName} />,
    },
  ];
}
