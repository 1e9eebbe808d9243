import { useState } from "preact/hooks";
import type { DryRun } from "../api/writes.ts";
import { useMe } from "../frame/me.ts";
import { addDays } from "../languages/days.ts";
import { localIn, money } from "../languages/format.ts";
import { amountText, centsOf } from "../languages/money.ts";
import { language } from "../languages/words.ts";
import { ActionDialog } from "../parts/action-dialog.tsx";
import { DateField } from "../parts/date-field.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { ChecksField, ChoiceField, TextField } from "../parts/field.tsx";
import { Shown } from "../parts/page.tsx";
import { AmountField } from "./amount-field.tsx";
import { dialogWords } from "./dialog-words.ts";
import { MethodField } from "./method-field.tsx";
import { nameOfInvoice, type PaymentMethod } from "./records.tsx";
import { type Account, invoicesOf, openInvoicesOf, useAccount } from "./use-account.ts";

/** How far back a payment may lie. */
const MOST_DAYS_AGO = 365;
/** So many invoices are named that a payment pays; the others are counted. */
const MOST_NAMED = 6;

interface RecordPaymentProps {
  readonly clientId: string;
  readonly clientName: string;
  readonly onClose: () => void;
}

/** Money that came in: how much, how, and what it pays. */
export function RecordPaymentDialog(props: RecordPaymentProps) {
  const account = useAccount(props.clientId);
  if (account.data) return <RecordPayment {...props} account={account.data} />;
  return (
    <Dialog title={dialogWords().recordTitle(props.clientName)} onClose={props.onClose}>
      <Shown reading={account}>{() => null}</Shown>
    </Dialog>
  );
}

function RecordPayment({
  clientId,
  clientName,
  account,
  onClose,
}: RecordPaymentProps & { readonly account: Account }) {
  const t = dialogWords();
  const { currency, timezone } = useMe().organization;
  const today = localIn(Date.now(), timezone).slice(0, 10);
  const open = openInvoicesOf(account);
  const [amount, setAmount] = useState(
    account.openCents > 0 ? amountText(account.openCents, currency, language.value) : "",
  );
  const [method, setMethod] = useState(lastMethodOf(account));
  const [paidOn, setPaidOn] = useState(today);
  const [note, setNote] = useState("");
  const [kind, setKind] = useState<"oldest" | "chosen">("oldest");
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const amountCents = centsOf(amount, currency);
  const invoiceIds = open.map(({ id }) => id).filter((id) => chosen.includes(id));
  const lacksInvoice = kind === "chosen" && invoiceIds.length === 0;
  const input =
    amountCents === undefined || method === undefined || paidOn === "" || lacksInvoice
      ? undefined
      : {
          clientId,
          amountCents,
          method,
          paidOn,
          ...(kind === "chosen" && { invoiceIds }),
          ...(note.trim() !== "" && { note: note.trim() }),
        };
  return (
    <ActionDialog
      title={t.recordTitle(clientName)}
      name="recordPayment"
      input={input}
      shown={["amountCents", "paidOn", "note", "invoiceIds"]}
      effects={(run) => paysLines(run, account, currency)}
      said={t.recorded(money(amountCents ?? 0, currency), clientName)}
      confirm={t.record}
      onClose={onClose}
    >
      {(faultAt) => (
        <>
          <div class="columns">
            <AmountField
              currency={currency}
              value={amount}
              onInput={setAmount}
              fault={faultAt("amountCents")}
              hasFocus
            />
            <DateField
              label={t.paidOn}
              min={addDays(today, -MOST_DAYS_AGO)}
              max={today}
              value={paidOn}
              onInput={setPaidOn}
              fault={faultAt("paidOn")}
            />
          </div>
          <MethodField label={t.method} value={method} onChoose={setMethod} />
          {open.length > 1 && (
            <ChoiceField
              label={t.pays}
              value={kind}
              choices={[
                { value: "oldest", label: t.paysOldest },
                { value: "chosen", label: t.paysChosen },
              ]}
              onChoose={setKind}
            />
          )}
          {kind === "chosen" && (
            <ChecksField
              label={t.paysChosen}
              values={chosen}
              choices={open.map((invoice) => ({
                value: invoice.id,
                label: `${nameOfInvoice(invoice)} · ${invoice.description} · ${money(invoice.amountCents - invoice.paidCents, currency)}`,
              }))}
              onChange={setChosen}
              fault={lacksInvoice ? t.chooseInvoice : faultAt("invoiceIds")}
            />
          )}
          <TextField label={t.note} value={note} onInput={setNote} fault={faultAt("note")} maxLength={500} />
        </>
      )}
    </ActionDialog>
  );
}

/** How somebody paid last is how they are likely to pay; of somebody new nothing is supposed. */
function lastMethodOf({ lines }: Account): PaymentMethod | undefined {
  return lines.findLast(({ payment }) => payment?.type === "payment" && payment.status === "done")?.payment
    ?.method;
}

function paysLines({ result }: DryRun<"recordPayment">, account: Account, currency: string): string[] {
  const t = dialogWords();
  if (!result) return [];
  const invoices = invoicesOf(account);
  const lines = result.allocations.slice(0, MOST_NAMED).flatMap(({ invoiceId, amountCents }) => {
    const invoice = invoices.get(invoiceId);
    if (!invoice) return [];
    const left = invoice.amountCents - invoice.paidCents - amountCents;
    const name = `${nameOfInvoice(invoice)} (${invoice.description})`;
    return left > 0
      ? t.isPaidInPart(money(amountCents, currency), name, money(left, currency))
      : t.isPaid(name);
  });
  const others = result.allocations.length - lines.length;
  return [
    ...lines,
    ...(others > 0 ? [t.further(others)] : []),
    ...(result.restCents > 0 ? [t.becomesBalance(money(result.restCents, currency))] : []),
  ];
}
