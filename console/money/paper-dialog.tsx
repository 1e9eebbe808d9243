import { useMe } from "../frame/me.ts";
import { nameOfClient } from "../languages/client-name.ts";
import { Button } from "../parts/button.tsx";
import { Actions, Dialog } from "../parts/dialog.tsx";
import { Shown } from "../parts/page.tsx";
import { usePrintSheet } from "../parts/print-sheet.ts";
import { InvoicePaper, type Letterhead, nameOfReceipt, ReceiptPaper } from "./paper.tsx";
import { paperWords } from "./paper-words.ts";
import { type Invoice, nameOfInvoice, type Payment } from "./records.tsx";
import { type Account, invoicesOf, useAccount } from "./use-account.ts";

interface PaperProps {
  readonly clientName: string;
  /** One of the two. */
  readonly invoice?: Invoice;
  readonly payment?: Payment;
}

/** An invoice or a receipt as it is printed. */
export function PaperDialog({ onClose, ...paper }: PaperProps & { readonly onClose: () => void }) {
  const { invoice, payment } = paper;
  const account = useAccount((invoice ?? payment)?.clientId ?? "");
  const title = invoice ? nameOfInvoice(invoice) : payment ? nameOfReceipt(payment) : "";
  return (
    <Dialog title={title} onClose={onClose}>
      <Shown reading={account}>{(data) => <PrintedPaper {...paper} account={data} />}</Shown>
    </Dialog>
  );
}

function PrintedPaper({ clientName, invoice, payment, account }: PaperProps & { readonly account: Account }) {
  const { organization } = useMe();
  const head: Letterhead = {
    organization: organization.name,
    client: nameOfClient(clientName),
    currency: organization.currency,
  };
  const draw = () => (
    <>
      {invoice && <InvoicePaper {...head} invoice={invoice} />}
      {payment && <ReceiptPaper {...head} payment={payment} invoices={invoicesOf(account)} />}
    </>
  );
  usePrintSheet(draw);
  return (
    <div class="stack">
      {draw()}
      <Actions>
        <Button kind="main" icon="print" hasFocus onClick={() => print()}>
          {paperWords().print}
        </Button>
      </Actions>
    </div>
  );
}
