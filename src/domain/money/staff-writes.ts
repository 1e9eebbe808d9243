import { refusal } from "../../core/errors.ts";
import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import { type FindUndo, UNDO_REASON, undoneByEdit } from "../../core/undo.ts";
import { type StaffCall, staffWrite } from "../writes/staff-write.ts";
import * as operations from "./operations.ts";
import { findPayment } from "./queries.ts";
import * as schema from "./schema.ts";

const tag = "Money";
const { client: clientId, invoice: invoiceId, payment: paymentId } = EXAMPLE_IDS;
const unknownClient = refusal("no_client");
const unknownInvoice = refusal("no_invoice");
const unknownPayment = refusal("no_payment");

const invoiceRepeat = {
  idOf: ({ id }: schema.Invoice) => id,
  read: ({ db, organizationId }: StaffCall, id: string) => operations.findInvoiceNow(db, organizationId, id),
};
const paymentRepeat = {
  idOf: ({ id }: schema.Payment) => id,
  read: ({ db, organizationId }: StaffCall, id: string) => findPayment(db, organizationId, id),
};

const byVoidingPayment: FindUndo = ({ subjectId }) =>
  subjectId === undefined
    ? undefined
    : { operation: "voidPayment", input: { paymentId: subjectId, reason: UNDO_REASON } };
const byVoidingInvoice: FindUndo = ({ subjectId }) =>
  subjectId === undefined
    ? undefined
    : { operation: "voidInvoice", input: { invoiceId: subjectId, reason: UNDO_REASON } };

export const moneyWrites = [
  staffWrite({
    name: "recordPayment",
    role: "front_desk",
    tag,
    summary: "Record a payment",
    description:
      "Money that came in. It pays the named invoices in their order, or the open ones with the oldest `dueOn` first; the rest " +
      "is the client's balance.",
    input: schema.RecordPayment,
    example: { clientId, amountCents: 28_900, method: "pix" },
    result: schema.Payment,
    refusals: [unknownClient, refusal("erased_client"), unknownInvoice, refusal("not_open")],
    perform: operations.recordPayment,
    undo: byVoidingPayment,
    repeat: paymentRepeat,
  }),
  staffWrite({
    name: "useBalance",
    role: "front_desk",
    tag,
    summary: "Pay from the balance",
    description: "Pays open invoices from what is left of payments, in the same order as a payment does.",
    input: schema.UseBalance,
    example: { clientId },
    result: schema.AccountSums,
    refusals: [unknownClient, refusal("erased_client"), unknownInvoice, refusal("not_open")],
    perform: operations.spendBalance,
  }),
  staffWrite({
    name: "voidPayment",
    role: "front_desk",
    ownBelow: "manager",
    tag,
    summary: "Take a payment back",
    description:
      "Its invoices are open again; the rests that a refund took are back. The front desk voids what it recorded itself, " +
      "within 15 minutes.",
    input: schema.VoidPayment,
    example: { paymentId, reason: "Counted twice." },
    result: schema.Payment,
    refusals: [unknownPayment, refusal("not_allowed"), refusal("payment_refunded")],
    perform: operations.voidPayment,
    repeat: paymentRepeat,
  }),
  staffWrite({
    name: "refund",
    role: "manager",
    tag,
    summary: "Give money back",
    description: "Takes from the client's balance, the oldest payments first.",
    input: schema.Refund,
    example: { clientId, amountCents: 2_200, method: "cash", reason: "Paid too much." },
    result: schema.Payment,
    refusals: [unknownClient],
    perform: operations.refund,
    undo: byVoidingPayment,
    repeat: paymentRepeat,
  }),
  staffWrite({
    name: "addInvoice",
    role: "front_desk",
    tag,
    summary: "Add an invoice",
    description: "A bottle of water, a late fee. The client's balance pays first.",
    input: schema.AddInvoice,
    example: { clientId, description: "Água 500 ml", amountCents: 600 },
    result: schema.Invoice,
    refusals: [unknownClient, refusal("erased_client")],
    perform: operations.addInvoice,
    undo: byVoidingInvoice,
    repeat: invoiceRepeat,
  }),
  staffWrite({
    name: "editInvoice",
    role: "manager",
    tag,
    summary: "Change an open invoice",
    description: "Another amount or another `dueOn`. What was paid beyond the amount becomes balance.",
    input: schema.EditInvoice,
    example: { invoiceId, changes: { amountCents: 14_450 }, reason: "Half a month was agreed." },
    result: schema.Invoice,
    refusals: [unknownInvoice, refusal("not_open")],
    perform: operations.editInvoice,
    undo: undoneByEdit("editInvoice", { member: "invoiceId", changes: ["amountCents", "dueOn"] }, () => ({
      reason: UNDO_REASON,
    })),
    repeat: invoiceRepeat,
  }),
  staffWrite({
    name: "voidInvoice",
    role: "manager",
    tag,
    summary: "Void an invoice",
    description: "Nothing is owed by it any more. What was paid becomes balance; the number stays used.",
    input: schema.VoidInvoice,
    example: { invoiceId, reason: "The class was cancelled." },
    result: schema.Invoice,
    refusals: [unknownInvoice],
    perform: operations.voidInvoice,
    repeat: invoiceRepeat,
  }),
];
