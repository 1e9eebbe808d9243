import type { Schemas } from "../api/operations.ts";
import { count, fullDate } from "../languages/format.ts";
import { Badge } from "../parts/notice.tsx";
import { moneyWords } from "./words.ts";

export type Invoice = Omit<Schemas["Invoice"], "$schema">;
export type Payment = Omit<Schemas["Payment"], "$schema">;
export type PaymentMethod = Payment["method"];

export const PAYMENT_METHODS = [
  "pix",
  "card",
  "cash",
  "transfer",
  "other",
] as const satisfies readonly PaymentMethod[];

/** "Invoice 214". */
export const nameOfInvoice = ({ number }: Pick<Invoice, "number">) => moneyWords().invoice(count(number));

/** "Payment 187", "Refund 188". */
export function nameOfPayment({ number, type }: Pick<Payment, "number" | "type">): string {
  const t = moneyWords();
  return type === "refund" ? t.refund(count(number)) : t.payment(count(number));
}

/** "13 Nov 2026 to 12 Dec 2026"; nothing of what was added by hand. */
export function periodOf({ periodFirst, periodLast }: Invoice): string | undefined {
  return periodFirst === undefined || periodLast === undefined
    ? undefined
    : moneyWords().period(fullDate(periodFirst), fullDate(periodLast));
}

export function InvoiceBadge({ status, isOverdue }: Pick<Invoice, "status" | "isOverdue">) {
  const t = moneyWords();
  if (isOverdue) return <Badge tone="bad">{t.overdue}</Badge>;
  return (
    <Badge tone={status === "paid" ? "good" : status === "open" ? "warning" : "plain"}>
      {t.statuses[status]}
    </Badge>
  );
}

/** Of a payment only that it is void has to be said. */
export function VoidBadge({ status }: Pick<Payment, "status">) {
  return status === "void" ? <Badge>{moneyWords().voided}</Badge> : null;
}

export const addressOfAccount = (clientId: string) => `/console/clients/${clientId}/account`;
