import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { allocatePayments, takeFromLast } from "./allocation.ts";

const cents = fc.array(fc.nat({ max: 30 }), { maxLength: 6 });

test("rests pay in their order until they or what is open is used up", () => {
  fc.assert(
    fc.property(cents, cents, (rests, opens) => {
      const payments = rests.map((restCents, place) => ({ paymentId: `p${place}`, restCents }));
      const invoices = opens.map((openCents, place) => ({ invoiceId: `i${place}`, openCents }));
      const allocations = allocatePayments(payments, invoices);
      const sum = (given: readonly number[]) => given.reduce((total, one) => total + one, 0);
      const paid = (member: "paymentId" | "invoiceId", id: string) =>
        sum(allocations.filter((one) => one[member] === id).map(({ amountCents }) => amountCents));
      assert.equal(sum(allocations.map(({ amountCents }) => amountCents)), Math.min(sum(rests), sum(opens)));
      for (const { amountCents } of allocations) assert.ok(amountCents > 0);
      const pairs = allocations.map(({ paymentId, invoiceId }) => `${paymentId} ${invoiceId}`);
      assert.equal(new Set(pairs).size, pairs.length, "a payment pays an invoice once");
      // Only the last one that is used may be used in part.
      const used = payments.map(({ paymentId, restCents }) => restCents - paid("paymentId", paymentId));
      const firstLeft = used.findIndex((left) => left > 0);
      if (firstLeft >= 0) assert.deepEqual(used.slice(firstLeft + 1), rests.slice(firstLeft + 1));
      const open = invoices.map(({ invoiceId, openCents }) => openCents - paid("invoiceId", invoiceId));
      const firstOpen = open.findIndex((left) => left > 0);
      if (firstOpen >= 0) assert.deepEqual(open.slice(firstOpen + 1), opens.slice(firstOpen + 1));
    }),
  );
});

/** What payments, in their order, pay of invoices. */
function paid(payments: readonly number[], invoices: readonly number[]): number[] {
  const rests = payments.map((restCents, place) => ({ paymentId: `p${place}`, restCents }));
  const open = invoices.map((openCents, place) => ({ invoiceId: `i${place}`, openCents }));
  const allocations = allocatePayments(rests, open);
  return open.map(({ invoiceId }) =>
    allocations.reduce((sum, one) => sum + (one.invoiceId === invoiceId ? one.amountCents : 0), 0),
  );
}

for (const [what, payments, invoices, expected] of [
  ["a payment pays the oldest first", [50_000], [28_900, 28_900], [28_900, 21_100]],
  ["what is left of it pays the next", [60_000], [28_900, 28_900, 28_900], [28_900, 28_900, 2_200]],
  ["what is paid already takes nothing", [500], [0, 300], [0, 300]],
] as const)
  test(what, () => assert.deepEqual(paid(payments, invoices), expected));

test("what is taken back comes from the last allocations first", () => {
  const allocations = [
    { paymentId: "a", invoiceId: "i", amountCents: 10 },
    { paymentId: "b", invoiceId: "i", amountCents: 5 },
  ];
  assert.deepEqual(takeFromLast(allocations, 7), [
    { paymentId: "b", invoiceId: "i", amountCents: 5 },
    { paymentId: "a", invoiceId: "i", amountCents: 2 },
  ]);
  assert.deepEqual(takeFromLast(allocations, 0), []);
});
