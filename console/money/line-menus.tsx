import { useState } from "preact/hooks";
import { useMay } from "../frame/me.ts";
import { lazyDialog } from "../parts/lazy-dialog.tsx";
import { Menu, type MenuItem } from "../parts/menu.tsx";
import { type Invoice, nameOfInvoice, nameOfPayment, type Payment } from "./records.tsx";
import { moneyWords } from "./words.ts";

const [PaperDialog] = lazyDialog(async () => (await import("./paper-dialog.tsx")).PaperDialog);
const [EditInvoiceDialog] = lazyDialog(async () => (await import("./invoice-dialogs.tsx")).EditInvoiceDialog);
const [VoidInvoiceDialog] = lazyDialog(async () => (await import("./invoice-dialogs.tsx")).VoidInvoiceDialog);
const [VoidPaymentDialog] = lazyDialog(async () => (await import("./payment-dialogs.tsx")).VoidPaymentDialog);

/** What can be done with an invoice. The server decides again. */
export function InvoiceMenu({
  invoice,
  clientName,
}: {
  readonly invoice: Invoice;
  readonly clientName: string;
}) {
  const t = moneyWords();
  const isManager = useMay("manager");
  const [opened, setOpened] = useState<"paper" | "edit" | "void">();
  const onClose = () => setOpened(undefined);
  const items: MenuItem[] = [
    { label: t.print, icon: "print", onChoose: () => setOpened("paper") },
    ...(isManager && invoice.status === "open"
      ? [{ label: t.change, icon: "edit" as const, onChoose: () => setOpened("edit") }]
      : []),
    ...(isManager && invoice.status !== "void"
      ? [{ label: t.void, icon: "block" as const, isDangerous: true, onChoose: () => setOpened("void") }]
      : []),
  ];
  return (
    <>
      <Menu label={t.actionsOf(nameOfInvoice(invoice))} items={items} />
      {opened === "paper" && <PaperDialog clientName={clientName} invoice={invoice} onClose={onClose} />}
      {opened === "edit" && <EditInvoiceDialog invoice={invoice} onClose={onClose} />}
      {opened === "void" && <VoidInvoiceDialog invoice={invoice} onClose={onClose} />}
    </>
  );
}

/** What can be done with a payment. The front desk takes back its own, for a while: the dialog says if it cannot. */
export function PaymentMenu({
  payment,
  clientName,
}: {
  readonly payment: Payment;
  readonly clientName: string;
}) {
  const t = moneyWords();
  const [opened, setOpened] = useState<"paper" | "void">();
  const onClose = () => setOpened(undefined);
  const items: MenuItem[] = [
    { label: t.printReceipt, icon: "print", onChoose: () => setOpened("paper") },
    ...(payment.status === "done"
      ? [{ label: t.void, icon: "block" as const, isDangerous: true, onChoose: () => setOpened("void") }]
      : []),
  ];
  return (
    <>
      <Menu label={t.actionsOf(nameOfPayment(payment))} items={items} />
      {opened === "paper" && <PaperDialog clientName={clientName} payment={payment} onClose={onClose} />}
      {opened === "void" && <VoidPaymentDialog payment={payment} onClose={onClose} />}
    </>
  );
}
