import { useState } from "preact/hooks";
import { useRead } from "../../api/reads.ts";
import { useMay, useMe } from "../../frame/me.ts";
import { count, fullDate, money } from "../../languages/format.ts";
import { Figures } from "../../money/figures.tsx";
import { InvoiceMenu, PaymentMenu } from "../../money/line-menus.tsx";
import { InvoiceBadge, nameOfInvoice, nameOfPayment, periodOf, VoidBadge } from "../../money/records.tsx";
import { type Account, useAccount } from "../../money/use-account.ts";
import { moneyWords } from "../../money/words.ts";
import { Button } from "../../parts/button.tsx";
import { lazyDialog } from "../../parts/lazy-dialog.tsx";
import { Menu, type MenuItem } from "../../parts/menu.tsx";
import { Empty } from "../../parts/notice.tsx";
import { Shown } from "../../parts/page.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { accountWords } from "./account-words.ts";
import type { Client } from "./records.ts";

const [RecordPaymentDialog] = lazyDialog(
  async () => (await import("../../money/record-payment-dialog.tsx")).RecordPaymentDialog,
);
const [AddInvoiceDialog] = lazyDialog(
  async () => (await import("../../money/invoice-dialogs.tsx")).AddInvoiceDialog,
);
const [RefundDialog] = lazyDialog(async () => (await import("../../money/payment-dialogs.tsx")).RefundDialog);
const [UseBalanceDialog] = lazyDialog(
  async () => (await import("../../money/payment-dialogs.tsx")).UseBalanceDialog,
);

interface AccountTabProps {
  readonly client: Client;
  readonly isErased: boolean;
}

/** What a client owes and has paid: every invoice and payment, and what is done to them. */
export function AccountTab({ client, isErased }: AccountTabProps) {
  const account = useAccount(client.id);
  return (
    <Shown reading={account}>
      {(data) => (
        <div class="stack">
          <Sums account={data} />
          <AccountActions account={data} client={client} isErased={isErased} />
          {data.lines.length === 0 ? <NothingYet /> : <Lines account={data} client={client} />}
        </div>
      )}
    </Shown>
  );
}

function Sums({ account }: { readonly account: Account }) {
  const t = accountWords();
  const { currency } = useMe().organization;
  const { openCents, overdueCents, balanceCents, owesSince } = account;
  return (
    <Figures
      label={t.account}
      figures={[
        {
          name: t.open,
          value: money(openCents, currency),
          note:
            owesSince === undefined
              ? undefined
              : t.overdueSince(money(overdueCents, currency), fullDate(owesSince)),
          isMain: true,
        },
        { name: t.balance, value: money(balanceCents, currency) },
      ]}
    />
  );
}

function AccountActions({
  account,
  client: { id: clientId, contactName },
  isErased,
}: {
  readonly account: Account;
  readonly client: Client;
  readonly isErased: boolean;
}) {
  const t = accountWords();
  const isManager = useMay("manager");
  const [opened, setOpened] = useState<"record" | "add" | "use" | "refund">();
  const onClose = () => setOpened(undefined);
  const { openCents, balanceCents } = account;
  const items: MenuItem[] = [
    ...(openCents > 0 && balanceCents > 0 && !isErased
      ? [{ label: t.useBalance, icon: "check" as const, onChoose: () => setOpened("use") }]
      : []),
    ...(isManager && balanceCents > 0
      ? [{ label: t.refund, icon: "undo" as const, onChoose: () => setOpened("refund") }]
      : []),
  ];
  if (isErased && items.length === 0) return null;
  return (
    <div class="row no-print">
      {!isErased && (
        <>
          <Button kind="main" icon="banknote" onClick={() => setOpened("record")}>
            {t.record}
          </Button>
          <Button icon="plus" onClick={() => setOpened("add")}>
            {t.addInvoice}
          </Button>
        </>
      )}
      {items.length > 0 && <Menu label={t.more} items={items} />}
      {opened === "record" && (
        <RecordPaymentDialog clientId={clientId} clientName={contactName} onClose={onClose} />
      )}
      {opened === "add" && (
        <AddInvoiceDialog clientId={clientId} clientName={contactName} onClose={onClose} />
      )}
      {opened === "use" && <UseBalanceDialog account={account} onClose={onClose} />}
      {opened === "refund" && <RefundDialog account={account} onClose={onClose} />}
    </div>
  );
}

function NothingYet() {
  const t = accountWords();
  const isOwner = useMay("owner");
  const settings = useRead("/app/v1/settings").data;
  const invoices = settings === undefined || settings.invoicesFrom !== undefined;
  return (
    <Empty
      icon="receipt"
      title={t.none}
      action={!invoices && isOwner && <Button href="/console/settings/organization">{t.toSettings}</Button>}
    >
      {invoices ? t.noneText : t.noInvoicing}
    </Empty>
  );
}

type Line = Account["lines"][number] & {
  /** What was owed after it, less the balance. */
  readonly owedCents: number;
};

/** More lines than these are shown when they are asked for. */
const FIRST_LINES = 50;

function Lines({ account, client }: { readonly account: Account; readonly client: Client }) {
  const t = accountWords();
  const { currency } = useMe().organization;
  const [isWhole, setWhole] = useState(false);
  const lines = withOwed(account.lines).reverse();
  const shown = isWhole ? lines : lines.slice(0, FIRST_LINES);
  return (
    <>
      <Table
        caption={t.account}
        columns={columnsOf(t, client.contactName, currency)}
        rows={shown}
        keyOf={({ invoice, payment }) => (invoice ?? payment)?.id ?? ""}
        rowClass={(line) => (isVoid(line) ? "account-void" : undefined)}
      />
      {shown.length < lines.length && (
        <div>
          <Button onClick={() => setWhole(true)}>{t.earlier(count(lines.length - shown.length))}</Button>
        </div>
      )}
    </>
  );
}

function columnsOf(
  t: ReturnType<typeof accountWords>,
  clientName: string,
  currency: string,
): readonly Column<Line>[] {
  return [
    { title: t.day, isExtra: true, cell: ({ day }) => fullDate(day) },
    { title: t.what, cell: (line) => <What line={line} currency={currency} /> },
    {
      title: t.amount,
      isNumber: true,
      cell: (line) => {
        const text = money(changeOf(line), currency);
        return (
          <>
            {isVoid(line) ? <s>{text}</s> : text}
            <div class="client-narrow soft">{t.owedAfter(money(line.owedCents, currency))}</div>
          </>
        );
      },
    },
    {
      title: t.owed,
      isNumber: true,
      isExtra: true,
      cell: ({ owedCents }) => money(owedCents, currency),
    },
    {
      title: t.actions,
      isTitleHidden: true,
      cell: ({ invoice, payment }) => (
        <>
          {invoice && <InvoiceMenu invoice={invoice} clientName={clientName} />}
          {payment && <PaymentMenu payment={payment} clientName={clientName} />}
        </>
      ),
    },
  ];
}

function What({
  line: { day, invoice, payment },
  currency,
}: {
  readonly line: Line;
  readonly currency: string;
}) {
  const t = moneyWords();
  return (
    <>
      <div class="client-narrow soft">{fullDate(day)}</div>
      {invoice && (
        <>
          <div class="row">
            <strong>{nameOfInvoice(invoice)}</strong> <InvoiceBadge {...invoice} />
          </div>
          <div>{invoice.description}</div>
          {periodOf(invoice) && <div class="soft">{periodOf(invoice)}</div>}
          {invoice.status === "open" && (
            <div class="soft">
              {t.dueOn(fullDate(invoice.dueOn))}
              {invoice.paidCents > 0 &&
                ` · ${t.open(money(invoice.amountCents - invoice.paidCents, currency))}`}
            </div>
          )}
        </>
      )}
      {payment && (
        <>
          <div class="row">
            <strong>{nameOfPayment(payment)}</strong> <VoidBadge status={payment.status} />
          </div>
          <div>{t.methods[payment.method]}</div>
          {payment.note && <div class="soft">{payment.note}</div>}
        </>
      )}
    </>
  );
}

/** By how much a line changes what is owed. */
function changeOf({ invoice, payment }: Account["lines"][number]): number {
  if (invoice) return invoice.amountCents;
  if (payment) return payment.type === "refund" ? payment.amountCents : -payment.amountCents;
  return 0;
}

function isVoid({ invoice, payment }: Account["lines"][number]): boolean {
  return (invoice ?? payment)?.status === "void";
}

/** The lines with what was owed after each, less the balance; what is void counts for nothing. */
function withOwed(lines: Account["lines"]): Line[] {
  let owedCents = 0;
  return lines.map((line) => {
    if (!isVoid(line)) owedCents += changeOf(line);
    return { ...line, owedCents };
  });
}
