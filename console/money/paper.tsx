import { count, fullDate, money } from "../languages/format.ts";
import { paperWords } from "./paper-words.ts";
import { type Invoice, nameOfInvoice, nameOfPayment, type Payment, periodOf } from "./records.tsx";
import { moneyWords } from "./words.ts";
import "./paper.css";

/** What every paper of the organization has. */
export interface Letterhead {
  readonly organization: string;
  readonly client: string;
  readonly currency: string;
}

interface Line {
  readonly text: string;
  readonly note?: string | undefined;
  readonly cents: number;
}

/** An invoice as it is handed out. */
export function InvoicePaper({ invoice, ...head }: Letterhead & { readonly invoice: Invoice }) {
  const t = paperWords();
  const { description, amountCents, paidCents, issuedOn, dueOn, status } = invoice;
  return (
    <Paper
      {...head}
      title={nameOfInvoice(invoice)}
      isVoid={status === "void"}
      facts={[
        [t.issuedOn, fullDate(issuedOn)],
        [t.dueOn, fullDate(dueOn)],
      ]}
      lines={[{ text: description, note: periodOf(invoice), cents: amountCents }]}
      sums={[
        [t.total, amountCents],
        ...(status === "void"
          ? []
          : ([
              [t.paid, paidCents],
              [t.stillOpen, amountCents - paidCents],
            ] as const)),
      ]}
    />
  );
}

/** "Receipt 187", "Refund 188". */
export function nameOfReceipt(payment: Payment): string {
  return payment.type === "refund" ? nameOfPayment(payment) : paperWords().receipt(count(payment.number));
}

/** What somebody is given for a payment: what it paid, and what of it is balance. */
export function ReceiptPaper({
  payment,
  invoices,
  ...head
}: Letterhead & { readonly payment: Payment; readonly invoices: ReadonlyMap<string, Invoice> }) {
  const t = paperWords();
  const { type, amountCents, restCents, allocations, paidOn, method, status } = payment;
  const isRefund = type === "refund";
  const paidLines = allocations.flatMap(({ invoiceId, amountCents: cents }): Line[] => {
    const invoice = invoices.get(invoiceId);
    if (!invoice) return [];
    const note = [invoice.description, periodOf(invoice)].filter(Boolean).join(", ");
    return [{ text: nameOfInvoice(invoice), note, cents }];
  });
  const paidCents = paidLines.reduce((sum, { cents }) => sum + cents, 0);
  // A rest may have been refunded since: the receipt is for the whole.
  const balanceCents = status === "void" ? 0 : Math.max(restCents, amountCents - paidCents);
  const lines: Line[] = isRefund
    ? [{ text: t.givenBack, cents: amountCents }]
    : [...paidLines, ...(balanceCents > 0 ? [{ text: t.balance, cents: balanceCents }] : [])];
  return (
    <Paper
      {...head}
      title={nameOfReceipt(payment)}
      isVoid={status === "void"}
      facts={[
        [isRefund ? t.refundedOn : t.paidOn, fullDate(paidOn)],
        [t.method, moneyWords().methods[method]],
      ]}
      lines={lines}
      sums={[[t.total, amountCents]]}
    />
  );
}

function Paper({
  organization,
  client,
  currency,
  title,
  isVoid,
  facts,
  lines,
  sums,
}: Letterhead & {
  readonly title: string;
  readonly isVoid: boolean;
  readonly facts: readonly (readonly [string, string])[];
  readonly lines: readonly Line[];
  readonly sums: readonly (readonly [string, number])[];
}) {
  const t = paperWords();
  return (
    <article class="paper">
      <header class="paper-head">
        <strong>{organization}</strong>
        <h3>
          {title} {isVoid && `(${t.void})`}
        </h3>
      </header>
      <dl class="paper-facts">
        {[[t.client, client] as const, ...facts].map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <table class="paper-lines">
        <thead>
          <tr>
            <th scope="col">{t.what}</th>
            <th scope="col" class="number">
              {t.amount}
            </th>
          </tr>
        </thead>
        <tbody>
          {lines.map(({ text, note, cents }) => (
            <tr key={text}>
              <td>
                {text}
                {note && <div class="soft">{note}</div>}
              </td>
              <td class="number">{money(cents, currency)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          {sums.map(([name, cents], place) => (
            <tr key={name} class={place === 0 ? "paper-total" : undefined}>
              <th scope="row">{name}</th>
              <td class="number">{money(cents, currency)}</td>
            </tr>
          ))}
        </tfoot>
      </table>
      {isVoid && <p>{t.countsNothing}</p>}
      <p class="soft">{t.noTax}</p>
    </article>
  );
}
