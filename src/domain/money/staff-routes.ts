import { invalid, refusal } from "../../core/errors.ts";
import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import { Id } from "../../core/fields.ts";
import Type from "../../core/schema-type.ts";
import { operation } from "../../http/operation.ts";
import type { StaffMember, StaffScope } from "../../http/staff-scope.ts";
import { dateAt, readAccount } from "./operations.ts";
import { invoiceList, listDebtors, paymentList, sumIncome } from "./queries.ts";
import { checkDaySpan, checkIncomeDays, toIncome } from "./rules.ts";
import {
  ClientAccount,
  DebtorPage,
  DebtorQuery,
  Income,
  IncomeQuery,
  InvoicePage,
  InvoiceQuery,
  ListedInvoice,
  ListedPayment,
  PaymentPage,
  PaymentQuery,
} from "./schema.ts";

const tag = "Money";
const reversed = invalid([{ location: "query.to", code: "window_reversed" }]);

export function moneyStaffRoutes(scope: StaffScope): void {
  operation(scope, {
    operationId: "listInvoices",
    method: "GET",
    path: "/app/v1/invoices",
    tag,
    summary: "List invoices",
    description: "What was invoiced, the newest first; `from` and `to` are days of `issuedOn`.",
    query: InvoiceQuery,
    queryRules: checkDaySpan,
    pages: true,
    answer: { status: 200, description: "A page of invoices.", schema: InvoicePage },
    errors: [reversed],
    download: {
      name: "invoices",
      record: ListedInvoice,
      read: ({ caller, db, query }, take) =>
        invoiceList.whole(db, caller.organizationId, query, todayOf(caller), take),
    },
    handle: ({ caller, db, query }) => invoiceList.page(db, caller.organizationId, query, todayOf(caller)),
  });

  operation(scope, {
    operationId: "listPayments",
    method: "GET",
    path: "/app/v1/payments",
    tag,
    summary: "List payments",
    description: "What was paid and refunded, the newest first; `from` and `to` are days of `paidOn`.",
    query: PaymentQuery,
    queryRules: checkDaySpan,
    pages: true,
    answer: { status: 200, description: "A page of payments.", schema: PaymentPage },
    errors: [reversed],
    download: {
      name: "payments",
      record: ListedPayment,
      read: ({ caller, db, query }, take) =>
        paymentList.whole(db, caller.organizationId, query, todayOf(caller), take),
    },
    handle: ({ caller, db, query }) => paymentList.page(db, caller.organizationId, query, todayOf(caller)),
  });

  operation(scope, {
    operationId: "listDebtors",
    method: "GET",
    path: "/app/v1/debtors",
    tag,
    summary: "Who owes something",
    description: "What is open, by client: what is due longest first.",
    query: DebtorQuery,
    answer: { status: 200, description: "A page of clients.", schema: DebtorPage },
    handle: ({ caller, db, query }) => listDebtors(db, caller.organizationId, query, todayOf(caller)),
  });

  operation(scope, {
    operationId: "getAccount",
    method: "GET",
    path: "/app/v1/clients/{id}/account",
    tag,
    summary: "The account of a client",
    description: "What the client owes and has, with every invoice and payment in the order of their days.",
    params: Type.Object({ id: Id("The client.", EXAMPLE_IDS.client) }),
    answer: { status: 200, description: "The account.", schema: ClientAccount },
    errors: [refusal("no_client")],
    handle: async ({ caller, db, params }) => {
      const account = await readAccount(db, caller.organizationId, params.id, todayOf(caller));
      if (!account) throw refusal("no_client");
      return account;
    },
  });

  operation(scope, {
    operationId: "getIncome",
    method: "GET",
    path: "/app/v1/income",
    tag,
    summary: "What came in",
    description: "What was received, invoiced and is open, by months, methods of payment, and plans.",
    query: IncomeQuery,
    queryRules: checkIncomeDays,
    answer: { status: 200, description: "The sums.", schema: Income },
    errors: [reversed],
    handle: async ({ caller, db, query }) => {
      const { invoiced, received } = await sumIncome(db, caller.organizationId, query);
      return toIncome(query, invoiced, received);
    },
  });
}

function todayOf({ timezone, clock }: StaffMember): string {
  return dateAt(timezone, clock.now());
}
