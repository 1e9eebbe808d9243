import { useState } from "preact/hooks";
import { useRead } from "../api/reads.ts";
import { useMe } from "../frame/me.ts";
import { addDays } from "../languages/days.ts";
import { fullDate, localIn, money } from "../languages/format.ts";
import { amountText, centsOf } from "../languages/money.ts";
import { language } from "../languages/words.ts";
import { ActionDialog, ReasonField } from "../parts/action-dialog.tsx";
import { DateField } from "../parts/date-field.tsx";
import { TextField } from "../parts/field.tsx";
import { AmountField } from "./amount-field.tsx";
import { dialogWords } from "./dialog-words.ts";
import { type Invoice, nameOfInvoice } from "./records.tsx";

/** Something that a client owes beside contracts. */
export function AddInvoiceDialog({
  clientId,
  clientName,
  onClose,
}: {
  readonly clientId: string;
  readonly clientName: string;
  readonly onClose: () => void;
}) {
  const t = dialogWords();
  const { currency, timezone } = useMe().organization;
  const today = localIn(Date.now(), timezone).slice(0, 10);
  const { paymentDays = 0 } = useRead("/app/v1/settings").data ?? {};
  const [description, setDescription] = useState("");
  const [amount, setAmount] = useState("");
  // Until somebody gives another day, it is the one of the settings.
  const [chosenDay, setDay] = useState<string>();
  const dueOn = chosenDay ?? addDays(today, paymentDays);
  const amountCents = centsOf(amount, currency);
  const input =
    description.trim() === "" || amountCents === undefined || dueOn === ""
      ? undefined
      : {
          clientId,
          description: description.trim(),
          amountCents,
          ...(chosenDay !== undefined && { dueOn: chosenDay }),
        };
  return (
    <ActionDialog
      title={t.addTitle(clientName)}
      name="addInvoice"
      input={input}
      shown={["description", "amountCents", "dueOn"]}
      effects={({ result }) =>
        result
          ? [
              t.addsDue(money(result.amountCents, currency), fullDate(result.dueOn)),
              ...balanceLines(result.paidCents, result.amountCents, currency),
            ]
          : []
      }
      said={t.added(description.trim(), money(amountCents ?? 0, currency))}
      confirm={t.add}
      onClose={onClose}
    >
      {(faultAt) => (
        <>
          <TextField
            label={t.description}
            hint={t.descriptionHint}
            value={description}
            onInput={setDescription}
            fault={faultAt("description")}
            maxLength={200}
            hasFocus
          />
          <div class="columns">
            <AmountField
              currency={currency}
              value={amount}
              onInput={setAmount}
              fault={faultAt("amountCents")}
            />
            <DateField label={t.dueOn} min={today} value={dueOn} onInput={setDay} fault={faultAt("dueOn")} />
          </div>
        </>
      )}
    </ActionDialog>
  );
}

function balanceLines(paidCents: number, amountCents: number, currency: string): string[] {
  const t = dialogWords();
  if (paidCents === 0) return [];
  return [paidCents === amountCents ? t.balancePaysAll : t.balancePays(money(paidCents, currency))];
}

interface InvoiceDialogProps {
  readonly invoice: Invoice;
  readonly onClose: () => void;
}

/** Another amount or day of an open invoice, this once. */
export function EditInvoiceDialog({ invoice, onClose }: InvoiceDialogProps) {
  const t = dialogWords();
  const { currency } = useMe().organization;
  const [amount, setAmount] = useState(amountText(invoice.amountCents, currency, language.value));
  const [dueOn, setDay] = useState(invoice.dueOn);
  const [reason, setReason] = useState("");
  const amountCents = centsOf(amount, currency);
  const changes = {
    ...(amountCents !== undefined && amountCents !== invoice.amountCents && { amountCents }),
    ...(dueOn !== invoice.dueOn && { dueOn }),
  };
  const isChanged = Object.keys(changes).length > 0;
  return (
    <ActionDialog
      title={t.editTitle(nameOfInvoice(invoice))}
      name="editInvoice"
      input={
        !isChanged || amountCents === undefined || dueOn === ""
          ? undefined
          : { invoiceId: invoice.id, changes, reason }
      }
      shown={["changes.amountCents", "changes.dueOn", "reason"]}
      labels={{ issuedOn: t.issuedOn }}
      effects={({ result }) => (result ? editLines(invoice, result, currency) : [])}
      said={t.edited(nameOfInvoice(invoice))}
      confirm={t.edit}
      onClose={onClose}
    >
      {(faultAt) => (
        <>
          <div class="columns">
            <AmountField
              currency={currency}
              value={amount}
              onInput={setAmount}
              fault={faultAt("changes.amountCents")}
              isRequired
              hasFocus
            />
            <DateField
              label={t.dueOn}
              min={invoice.issuedOn}
              value={dueOn}
              onInput={setDay}
              fault={faultAt("changes.dueOn")}
            />
          </div>
          <ReasonField value={reason} onInput={setReason} fault={faultAt("reason")} />
        </>
      )}
    </ActionDialog>
  );
}

function editLines(before: Invoice, after: Invoice, currency: string): string[] {
  const t = dialogWords();
  const returned = before.paidCents - after.paidCents;
  return [
    ...(after.amountCents === before.amountCents
      ? []
      : [t.becomesAmount(money(after.amountCents, currency), money(before.amountCents, currency))]),
    ...(after.dueOn === before.dueOn ? [] : [t.becomesDue(fullDate(after.dueOn), fullDate(before.dueOn))]),
    ...(returned > 0 ? [t.paidBecomesBalance(money(returned, currency))] : []),
    ...(after.status === "paid" ? [t.becomesPaid] : []),
    ...(before.contractId === undefined ? [] : [t.nextOnes]),
  ];
}

/** Nothing is owed by it any more. */
export function VoidInvoiceDialog({ invoice, onClose }: InvoiceDialogProps) {
  const t = dialogWords();
  const { currency } = useMe().organization;
  const [reason, setReason] = useState("");
  return (
    <ActionDialog
      title={t.voidTitle(nameOfInvoice(invoice))}
      name="voidInvoice"
      input={{ invoiceId: invoice.id, reason }}
      shown={["reason"]}
      effects={() => [
        t.owesNothing,
        ...(invoice.paidCents > 0 ? [t.paidBecomesBalance(money(invoice.paidCents, currency))] : []),
        ...(invoice.contractId === undefined ? [] : [t.nextOnes]),
      ]}
      said={t.voided(nameOfInvoice(invoice))}
      confirm={t.void}
      isDangerous
      onClose={onClose}
    >
      {(faultAt) => <ReasonField value={reason} onInput={setReason} fault={faultAt("reason")} />}
    </ActionDialog>
  );
}
