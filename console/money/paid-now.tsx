import { useState } from "preact/hooks";
import type { Input } from "../api/writes.ts";
import { useMe } from "../frame/me.ts";
import { money } from "../languages/format.ts";
import { amountText, centsOf } from "../languages/money.ts";
import { dictionary, language } from "../languages/words.ts";
import { CheckField, TextField } from "../parts/field.tsx";
import { MethodField } from "./method-field.tsx";
import type { PaymentMethod } from "./records.tsx";
import { useAccount } from "./use-account.ts";

const words = dictionary(
  {
    paidNow: "Paid now",
    hint: "Records the payment together with the sale.",
    method: "How it was paid",
    amount: "Amount",
    amountHint: (balance: string) => `The price less the balance of ${balance}.`,
    amountFault: (example: string) => `Please give an amount, such as ${example}.`,
    balancePays: (balance: string) => `The balance of ${balance} pays it.`,
  },
  {
    paidNow: "Pago agora",
    hint: "Registra o pagamento junto com a venda.",
    method: "Como foi pago",
    amount: "Valor",
    amountHint: (balance: string) => `O preço menos o saldo de ${balance}.`,
    amountFault: (example: string) => `Informe um valor, como ${example}.`,
    balancePays: (balance: string) => `O saldo de ${balance} paga tudo.`,
  },
  {
    paidNow: "Pagado ahora",
    hint: "Registra el pago junto con la venta.",
    method: "Cómo se pagó",
    amount: "Importe",
    amountHint: (balance: string) => `El precio menos el saldo de ${balance}.`,
    amountFault: (example: string) => `Indique un importe, como ${example}.`,
    balancePays: (balance: string) => `El saldo de ${balance} la paga entera.`,
  },
);

/** What is paid at once with a sale, as far as it is filled in. */
interface Draft {
  readonly method?: PaymentMethod;
  /** As it was typed; without it the server takes what is open. */
  readonly amount?: string;
}

/**
 * The payment of a sale in its form: `payment` is sent with it, and `isMissing` says that something is left to fill in. A price
 * of nothing is not paid, nor one in another currency than the organization's, which is not invoiced.
 */
export function usePaidNow(sold: { readonly priceCents: number; readonly currency: string } | undefined) {
  const { currency } = useMe().organization;
  const [filled, setDraft] = useState<Draft>();
  const isPossible = sold !== undefined && sold.priceCents > 0 && sold.currency === currency;
  const draft = isPossible ? filled : undefined;
  const amountCents = draft?.amount === undefined ? undefined : centsOf(draft.amount, currency);
  const isMissing =
    draft !== undefined &&
    (draft.method === undefined || (draft.amount !== undefined && amountCents === undefined));
  const payment: Input<"sellContract">["payment"] =
    draft?.method === undefined || isMissing
      ? undefined
      : { method: draft.method, ...(amountCents !== undefined && { amountCents }) };
  return { isPossible, draft, setDraft, payment, isMissing, forget: () => setDraft(undefined) };
}

/** "Paid now", and then how and how much. */
export function PaidNow({
  paidNow: { isPossible, draft, setDraft },
  clientId,
  priceCents,
  currency,
  faultAt,
}: {
  readonly paidNow: ReturnType<typeof usePaidNow>;
  readonly clientId: string;
  readonly priceCents: number;
  readonly currency: string;
  readonly faultAt: (member: string) => string | undefined;
}) {
  const t = words();
  const { balanceCents = 0 } = useAccount(clientId).data ?? {};
  if (!isPossible) return null;
  const openCents = Math.max(0, priceCents - balanceCents);
  const balance = money(balanceCents, currency);
  if (openCents === 0) return <p class="soft">{t.balancePays(balance)}</p>;
  const amount = draft?.amount ?? amountText(openCents, currency, language.value);
  return (
    <div class="stack">
      <CheckField
        label={t.paidNow}
        hint={t.hint}
        isChecked={draft !== undefined}
        onChange={(isPaid) => setDraft(isPaid ? {} : undefined)}
      />
      {draft && (
        <>
          <MethodField
            label={t.method}
            value={draft.method}
            onChoose={(method) => setDraft({ ...draft, method })}
          />
          <TextField
            label={`${t.amount} (${currency})`}
            hint={balanceCents > 0 ? t.amountHint(balance) : undefined}
            value={amount}
            onInput={(text) => setDraft({ ...draft, amount: text })}
            fault={
              centsOf(amount, currency) === undefined
                ? t.amountFault(amountText(priceCents, currency, language.value))
                : faultAt("payment.amountCents")
            }
          />
        </>
      )}
    </div>
  );
}
