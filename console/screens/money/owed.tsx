import { useState } from "preact/hooks";
import { type Answer, useRead } from "../../api/reads.ts";
import { useMay } from "../../frame/me.ts";
import { nameOfClient } from "../../languages/client-name.ts";
import { count, fullDate, money } from "../../languages/format.ts";
import { callLink, mailLink } from "../../languages/given-text.ts";
import { Figures } from "../../money/figures.tsx";
import { addressOfAccount } from "../../money/records.tsx";
import { Button, IconButton } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { lazyDialog } from "../../parts/lazy-dialog.tsx";
import { Badge, Empty } from "../../parts/notice.tsx";
import { Shown } from "../../parts/page.tsx";
import { type Column, offsetOf, PAGE_SIZE, Pager, Table } from "../../parts/table.tsx";
import { route } from "../../routing/router.ts";
import { words } from "./words.ts";

const [RecordPaymentDialog] = lazyDialog(
  async () => (await import("../../money/record-payment-dialog.tsx")).RecordPaymentDialog,
);

type Debtor = Answer<"/app/v1/debtors">["data"][number];

export interface PartProps {
  readonly today: string;
  readonly currency: string;
}

/** What is owed, by client: what is due longest first. */
export function OwedPart({ today, currency }: PartProps) {
  const t = words();
  const offset = offsetOf(route.value.query);
  const [paying, setPaying] = useState<Debtor>();
  const debtors = useRead("/app/v1/debtors", { query: { limit: PAGE_SIZE, offset } }, { keepsLast: true });
  return (
    <>
      <Shown reading={debtors} lines={6}>
        {({ data, total, openCents, overdueCents }) =>
          total === 0 ? (
            <NobodyOwes />
          ) : (
            <>
              <Figures
                label={t.tabs.owed}
                figures={[
                  { name: t.overdue, value: money(overdueCents, currency), isMain: true },
                  { name: t.open, value: money(openCents, currency) },
                  { name: t.debtors, value: count(total) },
                ]}
              />
              <Table
                caption={t.tabs.owed}
                columns={columnsOf(t, today, currency, setPaying)}
                rows={data}
                keyOf={({ clientId }) => clientId}
              />
              <Pager offset={offset} shown={data.length} total={total} />
            </>
          )
        }
      </Shown>
      {paying && (
        <RecordPaymentDialog
          clientId={paying.clientId}
          clientName={nameOfClient(paying.clientName)}
          onClose={() => setPaying(undefined)}
        />
      )}
    </>
  );
}

function columnsOf(
  t: ReturnType<typeof words>,
  today: string,
  currency: string,
  onPay: (debtor: Debtor) => void,
): readonly Column<Debtor>[] {
  return [
    {
      title: t.client,
      cell: ({ clientId, clientName, clientPhone, clientEmail, dueOn }) => (
        <>
          <a class="money-client" href={addressOfAccount(clientId)}>
            {nameOfClient(clientName)}
          </a>
          <div class="money-narrow">
            <Due dueOn={dueOn} today={today} />
          </div>
          <div class="money-contacts">
            {clientPhone && (
              <a {...callLink(clientPhone)}>
                <Icon name="phone" size={16} /> {clientPhone}
              </a>
            )}
            {clientEmail && (
              <a class="extra" href={mailLink(clientEmail)}>
                <Icon name="mail" size={16} /> {clientEmail}
              </a>
            )}
          </div>
        </>
      ),
    },
    { title: t.due, isExtra: true, cell: ({ dueOn }) => <Due dueOn={dueOn} today={today} /> },
    {
      title: t.overdue,
      isNumber: true,
      isExtra: true,
      cell: ({ overdueCents }) => (overdueCents > 0 ? money(overdueCents, currency) : "–"),
    },
    { title: t.open, isNumber: true, cell: ({ openCents }) => money(openCents, currency) },
    {
      title: t.actions,
      isTitleHidden: true,
      cell: (debtor) => (
        <IconButton
          icon="banknote"
          label={t.recordFor(nameOfClient(debtor.clientName))}
          onClick={() => onPay(debtor)}
        />
      ),
    },
  ];
}

function Due({ dueOn, today }: { readonly dueOn: string; readonly today: string }) {
  const t = words();
  return (
    <>
      {fullDate(dueOn)} {dueOn < today && <Badge tone="bad">{t.overdueOne}</Badge>}
    </>
  );
}

/** Nothing is open, or nothing was ever invoiced. */
function NobodyOwes() {
  const t = words();
  const isOwner = useMay("owner");
  const settings = useRead("/app/v1/settings").data;
  if (settings && settings.invoicesFrom === undefined)
    return (
      <Empty
        icon="receipt"
        title={t.noInvoicing}
        action={
          isOwner && (
            <Button kind="main" href="/console/settings/organization">
              {t.toSettings}
            </Button>
          )
        }
      >
        {t.noInvoicingText}
      </Empty>
    );
  return (
    <Empty icon="check" title={t.nobodyOwes}>
      {t.nobodyOwesText}
    </Empty>
  );
}
