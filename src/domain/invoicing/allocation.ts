/** Which part of which payment pays which invoice. Pure: both are given in the order in which they are used. */

export interface RestOfPayment {
  readonly paymentId: string;
  readonly restCents: number;
}

export interface OpenInvoice {
  readonly invoiceId: string;
  readonly openCents: number;
}

export interface Allocation {
  readonly paymentId: string;
  readonly invoiceId: string;
  readonly amountCents: number;
}

/** Pays invoices one after the other, each from the first payments that have something left. */
export function allocatePayments(
  rests: readonly RestOfPayment[],
  invoices: readonly OpenInvoice[],
): Allocation[] {
  const allocations: Allocation[] = [];
  let place = 0;
  let rest = rests[0]?.restCents ?? 0;
  for (const { invoiceId, openCents } of invoices) {
    let open = openCents;
    for (let payment = rests[place]; payment && open > 0; payment = rests[place]) {
      const amountCents = Math.min(open, rest);
      if (amountCents > 0) allocations.push({ paymentId: payment.paymentId, invoiceId, amountCents });
      open -= amountCents;
      rest -= amountCents;
      if (rest === 0) rest = rests[++place]?.restCents ?? 0;
    }
  }
  return allocations;
}

/** Takes an amount back from allocations, the last of them first: what each loses. */
export function takeFromLast(allocations: readonly Allocation[], amountCents: number): Allocation[] {
  const taken: Allocation[] = [];
  let left = amountCents;
  for (const allocation of [...allocations].reverse()) {
    const part = Math.min(left, allocation.amountCents);
    if (part > 0) taken.push({ ...allocation, amountCents: part });
    left -= part;
  }
  return taken;
}
