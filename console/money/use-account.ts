import type { Answer, Reading } from "../api/reads.ts";
import { useRead } from "../api/reads.ts";
import type { Invoice } from "./records.tsx";

export type Account = Answer<"/app/v1/clients/{id}/account">;

/** What a client owes and has, with every invoice and payment. */
export function useAccount(clientId: string): Reading<Account> {
  return useRead("/app/v1/clients/{id}/account", { params: { id: clientId } });
}

/** The invoices of an account by their ids. */
export function invoicesOf({ lines }: Account): ReadonlyMap<string, Invoice> {
  return new Map(lines.flatMap(({ invoice }) => (invoice ? [[invoice.id, invoice] as const] : [])));
}

/** Those that are open, what is due longest first: in this order they are paid. */
export function openInvoicesOf(account: Account): readonly Invoice[] {
  const open = [...invoicesOf(account).values()].filter(({ status }) => status === "open");
  return open.sort((one, other) =>
    one.dueOn === other.dueOn ? one.number - other.number : one.dueOn < other.dueOn ? -1 : 1,
  );
}
