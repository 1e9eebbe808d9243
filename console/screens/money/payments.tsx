import { type Answer, useRead } from "../../api/reads.ts";
import { nameOfClient } from "../../languages/client-name.ts";
import { fullDate, money } from "../../languages/format.ts";
import { Figures } from "../../money/figures.tsx";
import { PaymentMenu } from "../../money/line-menus.tsx";
import {
  addressOfAccount,
  nameOfPayment,
  PAYMENT_METHODS,
  type PaymentMethod,
  VoidBadge,
} from "../../money/records.tsx";
import { moneyWords } from "../../money/words.ts";
import { SelectField } from "../../parts/field.tsx";
import { Shown } from "../../parts/page.tsx";
import type { Column } from "../../parts/table.tsx";
import { route, setQuery } from "../../routing/router.ts";
import { DaysList } from "./days-list.tsx";
import type { PartProps } from "./owed.tsx";
import { useSpan } from "./span-fields.tsx";
import type { Span } from "./spans.ts";
import { words } from "./words.ts";

type Row = Answer<"/app/v1/payments">["data"][number];

/** What came in and went out on some days; today's, with the cash to count, to close the day. */
export function PaymentsPart({ today, currency }: PartProps) {
  const t = words();
  const span = useSpan(today, "today");
  const asked = route.value.query.get("method");
  const method = PAYMENT_METHODS.find((name) => name === asked);
  return (
    <DaysList
      path="/app/v1/payments"
      title={t.tabs.payments}
      today={today}
      span={span}
      filter={{ method }}
      filterField={
        <SelectField
          label={t.method}
          value={method ?? "all"}
          choices={[
            { value: "all", label: t.allMethods },
            ...PAYMENT_METHODS.map((value) => ({ value, label: moneyWords().methods[value] })),
          ]}
          onChoose={(chosen) => setQuery({ method: chosen === "all" ? undefined : chosen, page: undefined })}
        />
      }
      sums={<Received span={span} currency={currency} />}
      none={{ icon: "banknote", title: t.noPayments }}
      columns={columnsOf(t, currency)}
    />
  );
}

/** What came in less what went out, by method. Cash stands first: it is counted. */
function Received({ span, currency }: { readonly span: Span; readonly currency: string }) {
  const t = words();
  const names = moneyWords().methods;
  const income = useRead("/app/v1/income", { query: { ...span } }, { keepsLast: true });
  // A drawer is counted for a day.
  const isDay = span.from === span.to;
  const order: readonly PaymentMethod[] = ["cash", "pix", "card", "transfer", "other"];
  return (
    <Shown reading={income} lines={2}>
      {({ methods, receivedCents }) => {
        const of = (method: PaymentMethod) => methods.find((sum) => sum.method === method);
        return (
          <Figures
            label={t.received}
            figures={[
              ...order.flatMap((method) => {
                const sum = of(method);
                return sum || method === "cash"
                  ? [
                      {
                        name: method === "cash" && isDay ? t.inCash : names[method],
                        value: money(sum?.receivedCents ?? 0, currency),
                        note: sum && t.payments(sum.payments),
                        isMain: method === "cash",
                      },
                    ]
                  : [];
              }),
              { name: t.receivedAll, value: money(receivedCents, currency) },
            ]}
          />
        );
      }}
    </Shown>
  );
}

function columnsOf(t: ReturnType<typeof words>, currency: string): readonly Column<Row>[] {
  const names = moneyWords().methods;
  return [
    {
      title: t.client,
      cell: (payment) => (
        <>
          <a class="money-client" href={addressOfAccount(payment.clientId)}>
            {nameOfClient(payment.clientName)}
          </a>{" "}
          <VoidBadge status={payment.status} />
          <div class="soft">
            {nameOfPayment(payment)}
            <span class="money-narrow">
              {" "}
              · {fullDate(payment.paidOn)} · {names[payment.method]}
            </span>
          </div>
          {payment.note && <div class="soft">{payment.note}</div>}
        </>
      ),
    },
    { title: t.paidOn, isExtra: true, cell: ({ paidOn }) => fullDate(paidOn) },
    { title: t.method, isExtra: true, cell: ({ method }) => names[method] },
    {
      title: t.amount,
      isNumber: true,
      cell: ({ amountCents, type, status }) => {
        const text = money(type === "refund" ? -amountCents : amountCents, currency);
        return status === "void" ? <s>{text}</s> : text;
      },
    },
    {
      title: t.actions,
      isTitleHidden: true,
      cell: ({ clientName, ...payment }) => <PaymentMenu payment={payment} clientName={clientName} />,
    },
  ];
}
