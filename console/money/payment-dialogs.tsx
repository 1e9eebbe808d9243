import { useState } from "preact/hooks";
import { useMe } from "../frame/me.ts";
import { money } from "../languages/format.ts";
import { amountText, centsOf } from "../languages/money.ts";
import { language } from "../languages/words.ts";
import { ActionDialog, ReasonField } from "../parts/action-dialog.tsx";
import { AmountField } from "./amount-field.tsx";
import { dialogWords } from "./dialog-words.ts";
import { MethodField } from "./method-field.tsx";
import { nameOfInvoice, nameOfPayment, type Payment, type PaymentMethod } from "./records.tsx";
import { type Account, invoicesOf, useAccount } from "./use-account.ts";

interface AccountDialogProps {
  readonly account: Account;
  readonly onClose: () => void;
}

/** Pays open invoices from what is left of payments. */
export function UseBalanceDialog({ account, onClose }: AccountDialogProps) {
  const t = dialogWords();
  const { currency } = useMe().organization;
  return (
    <ActionDialog
      title={t.useTitle}
      name="useBalance"
      input={{ clientId: account.clientId }}
      effects={({ result }) =>
        result
          ? [
              t.usesOpen(money(result.openCents, currency), money(account.openCents, currency)),
              t.usesBalance(money(result.balanceCents, currency), money(account.balanceCents, currency)),
            ]
          : []
      }
      said={t.used}
      confirm={t.use}
      onClose={onClose}
    />
  );
}

/** Money that goes back, at most the balance. */
export function RefundDialog({ account, onClose }: AccountDialogProps) {
  const t = dialogWords();
  const { currency } = useMe().organization;
  const [amount, setAmount] = useState(amountText(account.balanceCents, currency, language.value));
  const [method, setMethod] = useState<PaymentMethod>();
  const [reason, setReason] = useState("");
  const amountCents = centsOf(amount, currency);
  const left = account.balanceCents - (amountCents ?? 0);
  const most = t.refundHint(money(account.balanceCents, currency));
  return (
    <ActionDialog
      title={t.refundTitle}
      name="refund"
      input={
        amountCents === undefined || left < 0 || method === undefined
          ? undefined
          : { clientId: account.clientId, amountCents, method, reason }
      }
      shown={["amountCents", "reason"]}
      effects={() => [t.usesBalance(money(left, currency), money(account.balanceCents, currency))]}
      said={t.refunded(money(amountCents ?? 0, currency))}
      confirm={t.refund}
      onClose={onClose}
    >
      {(faultAt) => (
        <>
          <AmountField
            currency={currency}
            hint={left < 0 ? undefined : most}
            value={amount}
            onInput={setAmount}
            // The server counts in the smallest units.
            fault={left < 0 ? most : faultAt("amountCents")}
            hasFocus
          />
          <MethodField label={t.refundMethod} value={method} onChoose={setMethod} />
          <ReasonField value={reason} onInput={setReason} fault={faultAt("reason")} />
        </>
      )}
    </ActionDialog>
  );
}

/** Takes a payment or a refund back. */
export function VoidPaymentDialog({
  payment,
  onClose,
}: {
  readonly payment: Payment;
  readonly onClose: () => void;
}) {
  const t = dialogWords();
  const { currency } = useMe().organization;
  const account = useAccount(payment.clientId).data;
  const [reason, setReason] = useState("");
  const { id: paymentId, type, amountCents, restCents, allocations } = payment;
  const invoices = account && invoicesOf(account);
  const lines =
    type === "refund"
      ? [t.balanceAgain(money(amountCents, currency))]
      : [
          ...allocations.flatMap((part) => {
            const invoice = invoices?.get(part.invoiceId);
            return invoice ? [t.opensAgain(nameOfInvoice(invoice), money(part.amountCents, currency))] : [];
          }),
          ...(restCents > 0 ? [t.balanceLess(money(restCents, currency))] : []),
        ];
  return (
    <ActionDialog
      title={t.voidTitle(nameOfPayment(payment))}
      name="voidPayment"
      input={{ paymentId, reason }}
      shown={["reason"]}
      effects={() => [...lines, t.staysListed]}
      said={t.voided(nameOfPayment(payment))}
      confirm={t.void}
      isDangerous
      onClose={onClose}
    >
      {(faultAt) => <ReasonField value={reason} onInput={setReason} fault={faultAt("reason")} />}
    </ActionDialog>
  );
}
