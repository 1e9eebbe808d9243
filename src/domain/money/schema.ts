import type { TProperties } from "typebox";
import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import {
  Body,
  CalendarDate,
  Cents,
  Id,
  Int32,
  Int64,
  Line,
  MAX_SAFE,
  OneOf,
  PageQuery,
  page,
  type Static,
  Text,
} from "../../core/fields.ts";
import Type from "../../core/schema-type.ts";
import { INVOICE_STATUSES, PAYMENT_METHODS, PAYMENT_STATUSES, PAYMENT_TYPES } from "../invoicing/values.ts";

const MinorUnits = (description?: string) =>
  Cents(`${description ?? ""} Minor units of the currency.`.trim());
const SomeCents = (description?: string) =>
  Type.Integer({
    format: "int64",
    minimum: 1,
    maximum: MAX_SAFE,
    description: `${description ?? ""} Minor units of the currency.`.trim(),
    examples: [28_900],
  });
const clientName = Line(200, { description: "Of the client.", examples: ["Ana Souza"] });

const invoiceFields = {
  id: Id(),
  number: Int32("Of the organization: 1, 2, 3 … without a gap.", 1),
  clientId: Id(),
  contractId: Type.Optional(
    Id("The contract that it is for; absent if it was added by hand, or its sale was undone."),
  ),
  description: Line(200, { minLength: 1, examples: ["Mensal 2x por semana"] }),
  periodFirst: Type.Optional(CalendarDate("The first day of the period that it is for.")),
  periodLast: Type.Optional(CalendarDate("The last day of that period.")),
  issuedOn: CalendarDate(),
  dueOn: CalendarDate(),
  amountCents: MinorUnits(),
  paidCents: MinorUnits("What payments have paid of it."),
  status: OneOf(INVOICE_STATUSES),
  isOverdue: Type.Boolean({ description: "Open, and due before today." }),
};

export const exampleInvoice = {
  id: EXAMPLE_IDS.invoice,
  number: 214,
  clientId: EXAMPLE_IDS.client,
  contractId: EXAMPLE_IDS.contract,
  description: "Mensal 2x por semana",
  periodFirst: "2026-11-13",
  periodLast: "2026-12-12",
  issuedOn: "2026-11-13",
  dueOn: "2026-11-13",
  amountCents: 28_900,
  paidCents: 28_900,
  status: "paid" as const,
  isOverdue: false,
};

/** What a client owes: for one period of one contract, or for something named by hand. */
export const Invoice = Body("Invoice", invoiceFields, { examples: [exampleInvoice] });

const Allocation = Type.Object(
  { invoiceId: Id(), amountCents: SomeCents() },
  { $id: "PaymentAllocation", description: "The part of a payment that pays an invoice." },
);

const paymentFields = {
  id: Id(),
  number: Int32("Of the organization: 1, 2, 3 … without a gap; refunds count among them.", 1),
  clientId: Id(),
  type: OneOf(PAYMENT_TYPES, { description: "A `refund` went out." }),
  amountCents: SomeCents(),
  restCents: MinorUnits("What of it pays nothing yet and was not refunded: it is balance."),
  method: OneOf(PAYMENT_METHODS),
  paidOn: CalendarDate(),
  note: Type.Optional(Text(500, { minLength: 1 })),
  status: OneOf(PAYMENT_STATUSES),
  allocations: Type.Array(Allocation, {
    description: "What it pays; a void payment and a refund have none.",
  }),
};

export const examplePayment = {
  id: EXAMPLE_IDS.payment,
  number: 187,
  clientId: EXAMPLE_IDS.client,
  type: "payment" as const,
  amountCents: 28_900,
  restCents: 0,
  method: "pix" as const,
  paidOn: "2026-11-13",
  status: "done" as const,
  allocations: [{ invoiceId: EXAMPLE_IDS.invoice, amountCents: 28_900 }],
};

/** Money that came in, or with `refund` went out. */
export const Payment = Body("Payment", paymentFields, { examples: [examplePayment] });

export const ListedInvoice = Type.Object({ ...invoiceFields, clientName }, { $id: "ListedInvoice" });
export const ListedPayment = Type.Object({ ...paymentFields, clientName }, { $id: "ListedPayment" });
const listedInvoice = { ...exampleInvoice, clientName: "Ana Souza" };
const listedPayment = { ...examplePayment, clientName: "Ana Souza" };
export const InvoicePage = page("InvoicePage", ListedInvoice, listedInvoice);
export const PaymentPage = page("PaymentPage", ListedPayment, listedPayment);

const { updatedSince: _, ...pages } = PageQuery;
const days = {
  from: Type.Optional(CalendarDate("The first day.")),
  to: Type.Optional(CalendarDate("The last day, included.")),
};
const ofClient = Type.Optional(Id("One client's.", EXAMPLE_IDS.client));

export const InvoiceQuery = Type.Object({
  clientId: ofClient,
  status: Type.Optional(
    OneOf([...INVOICE_STATUSES, "overdue"], { description: "`overdue`: open, and due before today." }),
  ),
  ...days,
  ...pages,
});
export const PaymentQuery = Type.Object({
  clientId: ofClient,
  status: Type.Optional(OneOf(PAYMENT_STATUSES)),
  method: Type.Optional(OneOf(PAYMENT_METHODS)),
  ...days,
  ...pages,
});

const Debtor = Type.Object(
  {
    clientId: Id(),
    clientName,
    clientEmail: Type.Optional(Line(254, { examples: ["ana@example.com"] })),
    clientPhone: Type.Optional(Line(40, { examples: ["+55 11 91234-5678"] })),
    dueOn: CalendarDate("The earliest day on which something that is open is due."),
    openCents: MinorUnits("What is open of all invoices."),
    overdueCents: MinorUnits("What of it was due before today."),
  },
  { $id: "Debtor" },
);
const exampleDebtor = {
  clientId: EXAMPLE_IDS.client,
  clientName: "Ana Souza",
  clientPhone: "+55 11 91234-5678",
  dueOn: "2026-11-13",
  openCents: 57_800,
  overdueCents: 28_900,
};

export const DebtorQuery = Type.Object({ limit: pages.limit, offset: pages.offset });
export const DebtorPage = Body(
  "DebtorPage",
  {
    data: Type.Array(Debtor),
    limit: Int64("The page size that was applied."),
    offset: Int64("How many clients were skipped."),
    total: Int64("How many clients owe something."),
    openCents: MinorUnits("What all of them owe."),
    overdueCents: MinorUnits("What of it was due before today."),
  },
  {
    examples: [
      { data: [exampleDebtor], limit: 50, offset: 0, total: 1, openCents: 57_800, overdueCents: 28_900 },
    ],
  },
);

/** What an invoice or a payment is in the account of its client. */
const AccountLine = Type.Object(
  {
    day: CalendarDate("`issuedOn` of the invoice, or `paidOn` of the payment."),
    invoice: Type.Optional(Type.Object(invoiceFields, { $id: "AccountInvoice" })),
    payment: Type.Optional(Type.Object(paymentFields, { $id: "AccountPayment" })),
  },
  { $id: "AccountLine", description: "One invoice or one payment." },
);

const sums = {
  openCents: MinorUnits("What is open of all invoices."),
  overdueCents: MinorUnits("What of it was due before today."),
  balanceCents: MinorUnits("What is left of payments."),
};

export const ClientAccount = Body(
  "ClientAccount",
  {
    clientId: Id(),
    ...sums,
    owesSince: Type.Optional(CalendarDate("The earliest day on which something was due that is overdue.")),
    lines: Type.Array(AccountLine, { description: "Every invoice and payment, in the order of their days." }),
  },
  {
    examples: [
      {
        clientId: EXAMPLE_IDS.client,
        openCents: 0,
        overdueCents: 0,
        balanceCents: 0,
        lines: [
          { day: "2026-11-13", invoice: exampleInvoice },
          { day: "2026-11-13", payment: examplePayment },
        ],
      },
    ],
  },
);

/** The same without its lines: what `useBalance` answers. */
export const AccountSums = Body(
  "AccountSums",
  { clientId: Id(), ...sums },
  { examples: [{ clientId: EXAMPLE_IDS.client, openCents: 26_700, overdueCents: 0, balanceCents: 0 }] },
);

export const IncomeQuery = Type.Object({
  from: CalendarDate("The first day."),
  to: CalendarDate("The last day, at most 1100 days after the first."),
});

const received = Type.Integer({
  format: "int64",
  minimum: -MAX_SAFE,
  maximum: MAX_SAFE,
  description: "Payments less refunds, by the days on which they were paid. Minor units of the currency.",
  examples: [1_284_300],
});
const income = {
  receivedCents: received,
  invoicedCents: MinorUnits("Invoices that are not void, by the days on which they were issued."),
  openCents: MinorUnits("What is open of these invoices now."),
};
const exampleIncome = { receivedCents: 1_284_300, invoicedCents: 1_342_100, openCents: 57_800 };

export const Income = Body(
  "Income",
  {
    ...income,
    months: Type.Array(
      Type.Object(
        { month: Line(7, { description: "Such as 2026-10." }), ...income },
        { $id: "IncomeOfMonth" },
      ),
      { description: "Every month of the days, the first one first." },
    ),
    methods: Type.Array(
      Type.Object(
        { method: OneOf(PAYMENT_METHODS), receivedCents: received, payments: Int64("How many there are.") },
        { $id: "IncomeByMethod" },
      ),
      { description: "Those with a payment, by how money came in." },
    ),
    plans: Type.Array(
      Type.Object(
        {
          description: Line(200, { description: "What the invoices are for: the name of a plan." }),
          ...income,
        },
        { $id: "IncomeByPlan" },
      ),
      {
        description:
          "By what the invoices are for, those with the most first; what was added by hand has an empty description. " +
          "`receivedCents` is what was paid of these invoices, whenever that was.",
      },
    ),
  },
  {
    examples: [
      {
        ...exampleIncome,
        months: [{ month: "2026-10", ...exampleIncome }],
        methods: [{ method: "pix", receivedCents: 1_284_300, payments: 44 }],
        plans: [{ description: "Mensal 2x por semana", ...exampleIncome }],
      },
    ],
  },
);

/** What the operations take. */

const input = <Properties extends TProperties>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: false });
const Reason = () => Text(500, { minLength: 1, description: "For the audit trail." });
const clientId = Id("The client.", EXAMPLE_IDS.client);
const invoiceId = Id("The invoice.", EXAMPLE_IDS.invoice);
const invoiceIds = Type.Optional(
  Type.Array(Id(), {
    minItems: 1,
    maxItems: 200,
    description: "What it pays, in this order; the oldest `dueOn` first if absent.",
  }),
);
const paidOn = Type.Optional(CalendarDate("Today if absent; at most 365 days ago."));

export const RecordPayment = input({
  clientId,
  amountCents: SomeCents("What is left after the invoices is the client's balance."),
  method: OneOf(PAYMENT_METHODS),
  paidOn,
  invoiceIds,
  note: Type.Optional(Text(500, { minLength: 1 })),
});
export const UseBalance = input({ clientId, invoiceIds });
export const VoidPayment = input({ paymentId: Id("The payment.", EXAMPLE_IDS.payment), reason: Reason() });
export const Refund = input({
  clientId,
  amountCents: SomeCents("At most the client's balance."),
  method: OneOf(PAYMENT_METHODS),
  reason: Reason(),
});
export const AddInvoice = input({
  clientId,
  description: Line(200, { minLength: 1, examples: ["Água 500 ml"] }),
  amountCents: SomeCents(),
  dueOn: Type.Optional(CalendarDate("Today and `paymentDays` if absent.")),
});
export const EditInvoice = input({
  invoiceId,
  changes: Type.Object(
    {
      amountCents: Type.Optional(MinorUnits("What was paid beyond it becomes balance; 0 is paid.")),
      dueOn: Type.Optional(CalendarDate()),
    },
    { additionalProperties: false, description: "Members that are not named stay." },
  ),
  reason: Reason(),
});
export const VoidInvoice = input({ invoiceId, reason: Reason() });

/** What is paid at once with a sale. */
export const SalePayment = input({
  method: OneOf(PAYMENT_METHODS),
  amountCents: Type.Optional(
    SomeCents(
      "What the balance leaves open of the first invoice, or of the price while nothing is issued, if absent.",
    ),
  ),
  paidOn,
});

export type Invoice = Static<typeof Invoice>;
export type Payment = Static<typeof Payment>;
export type ListedInvoice = Static<typeof ListedInvoice>;
export type ListedPayment = Static<typeof ListedPayment>;
export type ClientAccount = Static<typeof ClientAccount>;
export type AccountSums = Static<typeof AccountSums>;
export type Income = Static<typeof Income>;
export type DebtorQuery = Static<typeof DebtorQuery>;
export type DebtorPage = Static<typeof DebtorPage>;
export type InvoiceQuery = Static<typeof InvoiceQuery>;
export type PaymentQuery = Static<typeof PaymentQuery>;
export type SalePayment = Static<typeof SalePayment>;
