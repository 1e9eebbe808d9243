import assert from "node:assert/strict";
import { test } from "node:test";
import { importRecords } from "../../src/data/bundle/import.ts";
import { pooled } from "../../src/db/statements.ts";
import { applyDueChanges } from "../../src/domain/due-changes/due-changes.ts";
import { atInstant } from "../support/booking-studio.ts";
import { newId } from "../support/ids.ts";
import { newStudioWithMoney, startMoneyClock } from "../support/money-studio.ts";

/** Invoices and payments by the clock: what a studio sees on which day. */

const clock = await startMoneyClock();

const MONTHLY = 28_900;

test("a month is counted from the start each time, and what lies before the first day of invoicing is not issued", async () => {
  const studio = await newStudioWithMoney(clock, "2026-01-31T12:00:00Z", { invoicesFrom: "2026-01-01" });
  const { clientId } = await studio.sell({ startDate: "2026-01-31" });
  assert.deepEqual(await studio.days(clientId, "2026-04-30T12:00:00Z"), [
    "2026-01-31",
    "2026-02-28",
    "2026-03-31",
    "2026-04-30",
  ]);
});

test("a pause that extends the term moves what lies ahead, and one that does not moves nothing", async () => {
  for (const [pause, expected] of [
    [{ lastDay: "2026-02-14" }, ["2026-01-10", "2026-02-20", "2026-03-20"]],
    [{ lastDay: "2026-02-14", extendsTerm: false }, ["2026-01-10", "2026-02-10", "2026-03-10"]],
  ] as const) {
    const studio = await newStudioWithMoney(clock, "2026-01-10T12:00:00Z");
    const { clientId, contractId } = await studio.sell();
    await studio.done("pauseContract", { contractId, firstDay: "2026-02-05", ...pause });
    assert.deepEqual(await studio.days(clientId, "2026-03-31T12:00:00Z"), expected);
  }
});

test("while a pause is open nothing is issued, and then by the days that it lasted", async () => {
  const studio = await newStudioWithMoney(clock, "2026-01-10T12:00:00Z");
  const { clientId, contractId } = await studio.sell();
  await studio.done("pauseContract", { contractId, firstDay: "2026-02-05" });
  assert.deepEqual(await studio.days(clientId, "2026-03-01T12:00:00Z"), ["2026-01-10"]);
  await studio.done("endPause", { contractId, firstDayBack: "2026-03-01" }, "2026-03-01T12:00:00Z");
  assert.deepEqual(await studio.days(clientId, "2026-04-05T12:00:00Z"), [
    "2026-01-10",
    "2026-03-06",
    "2026-04-03",
  ]);
});

test("an invoice that was issued stands, and a pause entered later moves the next", async () => {
  const studio = await newStudioWithMoney(clock, "2026-01-10T12:00:00Z");
  const { clientId, contractId } = await studio.sell();
  const pause = { contractId, firstDay: "2026-02-05", lastDay: "2026-02-14" };
  await studio.done("pauseContract", pause, "2026-02-12T12:00:00Z");
  assert.deepEqual(await studio.days(clientId, "2026-03-31T12:00:00Z"), [
    "2026-01-10",
    "2026-02-10",
    "2026-03-20",
  ]);
});

test("a contract that is cancelled owes until its last day, and one that is reinstated what passed meanwhile", async () => {
  const studio = await newStudioWithMoney(clock, "2026-01-10T12:00:00Z");
  const { clientId, contractId } = await studio.sell();
  const other = await studio.sell();
  await studio.done("cancelContract", { contractId, lastDay: "2026-03-15", reason: "moves" });
  const now = { contractId: other.contractId, now: true, reason: "moves" };
  await studio.done("cancelContract", now, "2026-02-01T12:00:00Z");
  const until = ["2026-01-10", "2026-02-10", "2026-03-10"];
  assert.deepEqual(await studio.days(clientId, "2026-06-01T12:00:00Z"), until);
  assert.deepEqual(await studio.days(other.clientId, "2026-03-31T12:00:00Z"), ["2026-01-10"]);
  await studio.done("reinstateContract", { contractId: other.contractId }, "2026-03-31T12:00:00Z");
  assert.deepEqual(await studio.days(other.clientId, "2026-03-31T12:00:00Z"), until);
});

test("an invoice is there from the first instant of its day on every node, and in the totals", async () => {
  const studio = await newStudioWithMoney(clock, "2026-10-18T12:00:00Z");
  const { clientId } = await studio.sell();
  const seen = async (instant: string) => {
    const { total, data } = await studio.read(`invoices?clientId=${clientId}`, instant);
    assert.equal(data.length, total);
    assert.equal((await studio.account(clientId, instant)).openCents, total * MONTHLY);
    return total;
  };
  assert.equal(await seen("2026-11-18T02:50:00Z"), 1);
  await applyDueChanges(atInstant(clock.api.db, "2026-11-18T02:59:59.999Z"), studio.id);
  assert.equal(await seen("2026-11-18T02:50:00Z"), 1);
  await applyDueChanges(atInstant(clock.api.db, "2026-11-18T03:00:00.000Z"), studio.id);
  assert.equal(await seen("2026-11-18T02:50:00Z"), 2);
  assert.equal(await seen("2026-11-18T03:00:10Z"), 2);
  const other = await newStudioWithMoney(clock, "2026-10-18T12:00:00Z");
  const sold = await other.sell();
  assert.deepEqual(await other.days(sold.clientId, "2026-11-18T03:00:10Z"), ["2026-10-18", "2026-11-18"]);
});

test("a sale with its first day in the past issues what is due since then, and a price of 0 nothing", async () => {
  const studio = await newStudioWithMoney(clock, "2026-11-18T12:00:00Z", { invoicesFrom: "2026-01-01" });
  const earlier = await studio.sell({ startDate: "2026-10-18" });
  assert.deepEqual(await studio.days(earlier.clientId), ["2026-10-18", "2026-11-18"]);
  const later = await studio.sell({ startDate: "2026-10-19" });
  assert.deepEqual(await studio.days(later.clientId), ["2026-10-19"]);
  const free = await studio.sell({ priceCents: 0 });
  assert.deepEqual(await studio.days(free.clientId, "2027-11-18T12:00:00Z"), []);
});

test("what is charged once is issued on its first day, or on the day of a later sale, once", async () => {
  const studio = await newStudioWithMoney(clock, "2026-11-18T12:00:00Z");
  const pack = { planId: studio.packPlanId };
  const ahead = await studio.sell({ ...pack, startDate: "2026-12-01" });
  const ago = await studio.sell({ ...pack, startDate: "2026-11-01" });
  assert.deepEqual(await studio.days(ahead.clientId), []);
  assert.deepEqual(await studio.days(ago.clientId), ["2026-11-18"]);
  assert.deepEqual(await studio.days(ahead.clientId, "2027-12-01T12:00:00Z"), ["2026-12-01"]);
  assert.deepEqual(await studio.days(ago.clientId, "2027-12-01T12:00:00Z"), ["2026-11-18"]);
});

test("imported contracts owe from the day on which invoicing began, and paused ones when they are active again", async () => {
  const studio = await newStudioWithMoney(clock, "2026-11-01T12:00:00Z", { invoicesFrom: null });
  const contract = { startDate: "2024-03-10", createdAt: "2024-03-10T12:00:00Z" };
  const running = await studio.importContract(contract);
  const paused = await studio.importContract({ ...contract, status: "paused" });
  await studio.done("editSettings", { changes: { invoicesFrom: "2026-11-01", paymentDays: 5 } });
  assert.deepEqual(await studio.days(running.clientId), []);
  const at = "2027-01-20T12:00:00Z";
  assert.deepEqual(await studio.days(running.clientId, at), ["2026-11-10", "2026-12-10", "2027-01-10"]);
  assert.deepEqual(await studio.days(paused.clientId, at), []);
  await studio.done("endPause", { contractId: paused.contractId, firstDayBack: "2027-01-20" }, at);
  assert.deepEqual(await studio.days(paused.clientId, "2027-02-28T12:00:00Z"), ["2027-02-10"]);
  const [first] = await studio.invoices(running.clientId, at);
  assert.deepEqual(first, {
    ...first,
    number: 1,
    description: "Mensal",
    periodFirst: "2026-11-10",
    periodLast: "2026-12-09",
    dueOn: "2026-11-15",
    status: "open",
    isOverdue: true,
  });
});

test("a contract that was brought in as paused owes from the day on which its pause was over, whoever looks when", async () => {
  const told = async (looks: readonly string[]) => {
    const studio = await newStudioWithMoney(clock, "2026-01-10T12:00:00Z", { invoicesFrom: "2025-12-01" });
    const { clientId, contractId } = await studio.importContract({
      startDate: "2025-06-10",
      status: "paused",
    });
    await studio.done("pauseContract", {
      ...{ contractId, firstDay: "2026-02-01", lastDay: "2026-02-14" },
      extendsTerm: false,
    });
    for (const look of looks) await studio.read("invoices", look);
    return studio.days(clientId, "2026-04-20T12:00:00Z");
  };
  const expected = ["2026-03-10", "2026-04-10"];
  assert.deepEqual(await told(["2026-02-20T12:00:00Z"]), expected);
  assert.deepEqual(await told([]), expected);
});

test("the first day of invoicing set to an earlier one issues what was passed over, and nothing twice", async () => {
  const studio = await newStudioWithMoney(clock, "2026-11-18T12:00:00Z", { invoicesFrom: "2026-11-01" });
  const { clientId } = await studio.importContract({ startDate: "2026-07-10" });
  assert.deepEqual(await studio.days(clientId), ["2026-11-10"]);
  await studio.done("editSettings", { changes: { invoicesFrom: "2026-09-01" } });
  const issued = await studio.invoices(clientId);
  assert.deepEqual(
    issued.map(({ number, issuedOn }) => [number, issuedOn]),
    [
      [1, "2026-11-10"],
      [2, "2026-09-10"],
      [3, "2026-10-10"],
    ],
  );
  await studio.done("editSettings", { changes: { invoicesFrom: "2026-12-01" } });
  await studio.done("editSettings", { changes: { invoicesFrom: "2026-09-01" } });
  const december = ["2026-11-10", "2026-09-10", "2026-10-10", "2026-12-10"];
  assert.deepEqual(await studio.days(clientId, "2026-12-20T12:00:00Z"), december);
});

test("setting the first day of invoicing issues what is due since then, and clearing it ends that", async () => {
  const studio = await newStudioWithMoney(clock, "2026-11-18T12:00:00Z", { invoicesFrom: null });
  const { clientId } = await studio.sell({ startDate: "2026-10-20" });
  assert.deepEqual(await studio.days(clientId, "2026-12-25T12:00:00Z"), []);
  const late = "2026-12-25T12:00:00Z";
  await studio.done("editSettings", { changes: { invoicesFrom: "2026-11-01" } }, late);
  assert.deepEqual(await studio.days(clientId, late), ["2026-11-20", "2026-12-20"]);
  await studio.done("editSettings", { changes: { invoicesFrom: null } }, late);
  assert.deepEqual(await studio.days(clientId, "2027-06-25T12:00:00Z"), ["2026-11-20", "2026-12-20"]);
  assert.equal("invoicesFrom" in (await studio.read("settings", late)), false);
});

test("days that passed unasked are issued in their order, and use the balance as if somebody had asked", async () => {
  const told = async (looks: readonly string[]) => {
    const studio = await newStudioWithMoney(clock, "2026-01-05T12:00:00Z");
    const a = await studio.sell({ startDate: "2026-01-20" });
    const b = await studio.sell({ startDate: "2026-01-10", clientId: a.clientId });
    await studio.done("recordPayment", { clientId: a.clientId, amountCents: 70_000, method: "cash" });
    for (const look of looks) await studio.read("invoices", look);
    const invoices = await studio.invoices(a.clientId, "2026-03-25T12:00:00Z");
    return invoices.map(({ number, issuedOn, paidCents, status, contractId }) => [
      number,
      issuedOn,
      paidCents,
      status,
      contractId === a.contractId ? "a" : contractId === b.contractId ? "b" : "?",
    ]);
  };
  const atOnce = await told([]);
  assert.deepEqual(atOnce, [
    [1, "2026-01-10", MONTHLY, "paid", "b"],
    [2, "2026-01-20", MONTHLY, "paid", "a"],
    [3, "2026-02-10", 70_000 - 2 * MONTHLY, "open", "b"],
    [4, "2026-02-20", 0, "open", "a"],
    [5, "2026-03-10", 0, "open", "b"],
    [6, "2026-03-20", 0, "open", "a"],
  ]);
  const dayByDay = ["2026-01-15", "2026-01-25", "2026-02-15", "2026-03-01"].map((day) => `${day}T12:00:00Z`);
  assert.deepEqual(await told(dayByDay), atOnce);
});

const issuedInOrder = pooled(
  "test_issued_in_order",
  `select issued_on as day, contract_id as "contractId" from invoices where organization_id = $1 order by number`,
);

test("what many contracts owe is issued part by part, in the order of the days and then of the contracts", async () => {
  const begun = "2026-03-25T12:00:00Z";
  const studio = await newStudioWithMoney(clock, begun, { invoicesFrom: null });
  const { clientId } = await studio.newClient();
  const contracts = Array.from({ length: 130 }, (_, place) => ({
    ...{ kind: "contract", id: newId(), clientId, planName: "Mensal", priceCents: MONTHLY, currency: "BRL" },
    ...{ isTrial: false, billingKind: "recurring", billingInterval: "month", status: "active" },
    ...{ startDate: place % 3 === 0 ? "2026-01-20" : "2026-01-10", accessBlocked: false },
    ...{ allLocations: true, locationIds: [], entitlements: [] },
  }));
  await importRecords((await clock.at(begun)).db, contracts, { organizationId: studio.id, actor: "test" });
  await studio.done("editSettings", { changes: { invoicesFrom: "2026-01-01" } });
  assert.equal((await studio.read("invoices")).total, 390);
  const issued = await clock.api.db.query<{ day: string; contractId: string }>(issuedInOrder, [studio.id]);
  const lines = issued.map(({ day, contractId }) => `${day} ${contractId}`);
  assert.deepEqual(lines, [...lines].sort());
  assert.deepEqual(await studio.deviations(), []);
});

test("a payment pays the oldest first, and the rest pays what is issued next", async () => {
  const pay = async (amountCents: number) => {
    const studio = await newStudioWithMoney(clock, "2026-02-10T12:00:00Z", { invoicesFrom: "2026-01-01" });
    const { clientId } = await studio.sell({ startDate: "2026-01-10" });
    const payment = await studio.done("recordPayment", { clientId, amountCents, method: "pix" });
    return { studio, clientId, payment };
  };
  const less = await pay(50_000);
  assert.deepEqual(await less.studio.paid(less.clientId), [
    [MONTHLY, "paid"],
    [21_100, "open"],
  ]);
  assert.equal((await less.studio.account(less.clientId)).balanceCents, 0);

  const march = "2026-03-10T12:00:00Z";
  const { studio, clientId, payment } = await pay(60_000);
  assert.equal((await studio.account(clientId)).balanceCents, 2_200);
  assert.deepEqual(await studio.paid(clientId, march), [
    [MONTHLY, "paid"],
    [MONTHLY, "paid"],
    [2_200, "open"],
  ]);
  assert.equal((await studio.account(clientId, march)).balanceCents, 0);
  const voided = await studio.done("voidPayment", { paymentId: payment.id, reason: "typed wrong" }, march);
  assert.deepEqual([voided.status, voided.allocations, voided.restCents], ["void", [], 0]);
  assert.deepEqual(await studio.paid(clientId, march), [
    [0, "open"],
    [0, "open"],
    [0, "open"],
  ]);
  assert.equal((await studio.account(clientId, march)).balanceCents, 0);
  const again = await studio.done("voidPayment", { paymentId: payment.id, reason: "typed wrong" }, march);
  assert.equal(again.status, "void");

  const refunded = await pay(60_000);
  const refund = { clientId: refunded.clientId, amountCents: 2_200, method: "cash", reason: "asked for it" };
  const given = await refunded.studio.done("refund", refund);
  const more = { ...refund, amountCents: 1 };
  assert.equal((await refunded.studio.refused("refund", more)).status, 422, "the balance is spent");
  const undo = { paymentId: refunded.payment.id, reason: "typed wrong" };
  assert.equal((await refunded.studio.refused("voidPayment", undo)).reason, "payment_refunded");
  await refunded.studio.done("voidPayment", { paymentId: given.id, reason: "kept it" });
  assert.equal((await refunded.studio.account(refunded.clientId)).balanceCents, 2_200);
  await refunded.studio.done("voidPayment", undo);
});

test("named invoices are paid in their order, and only those; what is paid or void is refused", async () => {
  const studio = await newStudioWithMoney(clock, "2026-11-18T12:00:00Z");
  const { clientId } = await studio.newClient();
  const add = (amountCents: number) =>
    studio.done("addInvoice", { clientId, description: "Água", amountCents });
  const [a, b, c] = [await add(100), await add(200), await add(300)];
  const invoiceIds = [c.id, a.id, c.id];
  const payment = { clientId, method: "cash", invoiceIds };
  const result = await studio.done("recordPayment", { ...payment, amountCents: 500 });
  assert.deepEqual(
    new Map(
      result.allocations.map((one: { invoiceId: string; amountCents: number }) => [
        one.invoiceId,
        one.amountCents,
      ]),
    ),
    new Map([
      [a.id, 100],
      [c.id, 300],
    ]),
  );
  assert.equal(result.restCents, 100);
  assert.equal((await studio.refused("recordPayment", { ...payment, amountCents: 1 })).reason, "not_open");
  const other = await studio.newClient();
  const foreign = { clientId: other.clientId, amountCents: 1, method: "cash", invoiceIds: [b.id] };
  assert.equal((await studio.refused("recordPayment", foreign)).reason, "no_invoice");
  const sums = await studio.done("useBalance", { clientId, invoiceIds: [b.id] });
  assert.deepEqual(sums, { ...sums, clientId, openCents: 100, balanceCents: 0 });
  for (const paidOn of ["2025-11-17", "2026-11-19"]) {
    const outside = { clientId, amountCents: 1, method: "cash", paidOn };
    assert.equal((await studio.refused("recordPayment", outside)).status, 422, paidOn);
  }
});

test("who is archived may pay, and who is erased may not", async () => {
  const studio = await newStudioWithMoney(clock, "2026-11-18T12:00:00Z");
  const { clientId } = await studio.newClient();
  const water = { clientId, description: "Água", amountCents: 600 };
  const payment = { clientId, amountCents: 300, method: "cash" };
  await studio.done("addInvoice", water);
  await studio.done("archiveClient", { clientId });
  const { allocations } = await studio.done("recordPayment", payment);
  assert.deepEqual(
    allocations.map((one: { amountCents: number }) => one.amountCents),
    [300],
  );
  await studio.done("eraseClient", { clientId, basis: "asked for it" });
  for (const [operation, input] of [
    ["recordPayment", payment],
    ["useBalance", { clientId }],
    ["addInvoice", water],
  ] as const)
    assert.equal((await studio.refused(operation, input)).reason, "erased_client", operation);
});

test("amounts as large as there are add up to no more than can be told exactly", async () => {
  const studio = await newStudioWithMoney(clock, "2026-11-01T12:00:00Z");
  const { clientId } = await studio.newClient();
  const most = Number.MAX_SAFE_INTEGER;
  for (const description of ["One", "Two"])
    await studio.done("addInvoice", { clientId, description, amountCents: most });
  const day = "2026-11-18T12:00:00Z";
  const account = await studio.account(clientId, day);
  assert.deepEqual([account.openCents, account.overdueCents, account.balanceCents], [most, most, 0]);
  assert.equal((await studio.read("todo", day)).owes.data[0].openCents, most);
  const other = await studio.newClient();
  for (const paidTo of [clientId, clientId, other.clientId])
    await studio.done("recordPayment", { clientId: paidTo, amountCents: most, method: "cash" });
  const paid = await studio.account(clientId, day);
  assert.deepEqual([paid.openCents, paid.balanceCents], [0, 0]);
  const { receivedCents, invoicedCents } = await studio.read("income?from=2026-11-01&to=2026-11-30", day);
  assert.deepEqual([receivedCents, invoicedCents], [most, most]);
});

test("an edited invoice gives back what was paid beyond it, and one for nothing is paid", async () => {
  const studio = await newStudioWithMoney(clock, "2026-11-18T12:00:00Z");
  const { clientId } = await studio.newClient();
  const { id } = await studio.done("addInvoice", { clientId, description: "Multa", amountCents: 1_000 });
  await studio.done("recordPayment", { clientId, amountCents: 600, method: "card" });
  const edit = (changes: object) => ({ invoiceId: id, changes, reason: "agreed" });
  const later = await studio.done("editInvoice", edit({ dueOn: "2026-12-24", amountCents: 900 }));
  assert.deepEqual(
    [later.dueOn, later.amountCents, later.paidCents, later.status],
    ["2026-12-24", 900, 600, "open"],
  );
  const early = await studio.refused("editInvoice", edit({ dueOn: "2026-11-17" }));
  assert.equal(early.status, 422, "due before it was issued");
  assert.equal((await studio.done("editInvoice", edit({ dueOn: "2026-11-18" }))).dueOn, "2026-11-18");
  const less = await studio.done("editInvoice", edit({ amountCents: 400 }));
  assert.deepEqual([less.paidCents, less.status], [400, "paid"]);
  assert.equal((await studio.account(clientId)).balanceCents, 200);
  assert.equal((await studio.refused("editInvoice", edit({ amountCents: 0 }))).reason, "not_open");
  const other = await studio.done("addInvoice", { clientId, description: "Toalha", amountCents: 500 });
  assert.equal(other.paidCents, 200, "the balance pays first");
  const free = await studio.done("editInvoice", {
    invoiceId: other.id,
    changes: { amountCents: 0 },
    reason: "gift",
  });
  assert.deepEqual([free.amountCents, free.status], [0, "paid"]);
  const voided = await studio.done("voidInvoice", { invoiceId: id, reason: "waived" });
  assert.deepEqual([voided.status, voided.paidCents, voided.number], ["void", 0, 1]);
  assert.equal((await studio.done("voidInvoice", { invoiceId: id, reason: "waived" })).status, "void");
  assert.equal((await studio.account(clientId)).balanceCents, 600);
});

test("a sale that is paid at once pays its first invoice, or is balance while nothing is issued", async () => {
  const studio = await newStudioWithMoney(clock, "2026-11-18T12:00:00Z");
  const paid = await studio.sell({ payment: { method: "pix" } });
  assert.deepEqual(await studio.paid(paid.clientId), [[MONTHLY, "paid"]]);
  const { clientId } = await studio.newClient();
  await studio.done("recordPayment", { clientId, amountCents: 900, method: "cash" });
  await studio.sell({ clientId, payment: { method: "card", paidOn: "2026-11-17" } });
  const { lines, balanceCents } = await studio.account(clientId);
  const payments = lines.flatMap(
    (line: { payment?: { amountCents: number } }) => line.payment?.amountCents ?? [],
  );
  assert.deepEqual([payments, balanceCents], [[MONTHLY - 900, 900], 0]);
  const ahead = await studio.sell({ startDate: "2026-12-01", payment: { method: "pix" } });
  assert.equal((await studio.account(ahead.clientId)).balanceCents, MONTHLY);
  assert.deepEqual(await studio.paid(ahead.clientId, "2026-12-01T12:00:00Z"), [[MONTHLY, "paid"]]);
  const part = await studio.sell({ payment: { method: "pix", amountCents: 10_000 } });
  assert.deepEqual(await studio.paid(part.clientId), [[10_000, "open"]]);
});

test("a plan in another currency, which is not invoiced, is not paid with its sale either", async () => {
  const begun = "2026-11-18T12:00:00Z";
  const studio = await newStudioWithMoney(clock, begun);
  const planId = newId();
  const plan = {
    kind: "plan",
    id: planId,
    name: "Online",
    priceCents: 5_000,
    currency: "USD",
    isTrial: false,
  };
  const terms = { billingKind: "one_time", allLocations: true, locationIds: [], status: "active" };
  const brought = [{ ...plan, ...terms, entitlements: [] }];
  await importRecords((await clock.at(begun)).db, brought, { organizationId: studio.id, actor: "test" });
  const { clientId } = await studio.newClient();
  const sale = { clientId, planId };
  const paid = { ...sale, payment: { method: "cash" } };
  assert.equal((await studio.refused("sellContract", paid)).status, 422);
  await studio.done("sellContract", sale);
  const { openCents, balanceCents, lines } = await studio.account(clientId);
  assert.deepEqual([openCents, balanceCents, lines], [0, 0, []]);
});

test("a sale that is undone voids its invoices, and what paid them only if that is said", async () => {
  const studio = await newStudioWithMoney(clock, "2026-11-18T12:00:00Z");
  const [a, b, c] = [
    await studio.sell({ payment: { method: "pix" } }),
    await studio.sell({ payment: { method: "pix" } }),
    await studio.sell(),
  ];
  assert.equal((await studio.refused("voidSale", { contractId: a.contractId })).reason, "has_payments");
  await studio.done("voidSale", { contractId: a.contractId, voidPayments: true });
  await studio.done("voidSale", { contractId: b.contractId, voidPayments: false });
  await studio.done("voidSale", { contractId: c.contractId });
  for (const [{ clientId }, balanceCents] of [
    [a, 0],
    [b, MONTHLY],
    [c, 0],
  ] as const) {
    const account = await studio.account(clientId);
    assert.deepEqual([account.openCents, account.balanceCents], [0, balanceCents]);
    const [invoice] = await studio.invoices(clientId);
    assert.deepEqual([invoice?.status, invoice?.contractId], ["void", undefined]);
  }
  const { number } = await studio.done("addInvoice", {
    clientId: a.clientId,
    description: "x",
    amountCents: 1,
  });
  assert.equal(number, 4, "numbers stay used");
});

test("what was paid with a sale is taken back with it although it pays nothing yet", async () => {
  const studio = await newStudioWithMoney(clock, "2026-11-18T12:00:00Z");
  const sellAhead = () => studio.sell({ startDate: "2026-12-01", payment: { method: "pix" } });
  const [undone, kept, paid, refunded] = [
    await sellAhead(),
    await sellAhead(),
    await sellAhead(),
    await sellAhead(),
  ];
  const saleOf = async ({ contractId }: { readonly contractId: string }) =>
    (await studio.read(`audit?contractId=${contractId}`)).data[0];
  const { undo } = await saleOf(undone);
  const { id, paymentIds } = await studio.done(undo.operation, undo.input);
  assert.deepEqual([id, paymentIds.length], [undone.contractId, 1]);
  const { balanceCents, lines } = await studio.account(undone.clientId);
  assert.deepEqual([balanceCents, lines[0].payment.id, lines[0].payment.status], [0, paymentIds[0], "void"]);
  assert.deepEqual((await saleOf(undone)).details.paymentIds, paymentIds);

  assert.equal((await studio.refused("voidSale", { contractId: kept.contractId })).reason, "has_payments");
  await studio.done("voidSale", { contractId: kept.contractId, voidPayments: false });
  assert.equal((await studio.account(kept.clientId)).balanceCents, MONTHLY);

  // The balance has paid something else meanwhile, which is open again.
  const water = { clientId: paid.clientId, description: "Água", amountCents: 600 };
  await studio.done("addInvoice", water);
  await studio.done("voidSale", { contractId: paid.contractId, voidPayments: true });
  assert.deepEqual(await studio.paid(paid.clientId), [[0, "open"]]);

  const refund = { clientId: refunded.clientId, amountCents: MONTHLY, method: "pix", reason: "asked for it" };
  await studio.done("refund", refund);
  const withPayments = { contractId: refunded.contractId, voidPayments: true };
  assert.equal((await studio.refused("voidSale", withPayments)).reason, "payment_refunded");
  await studio.done("voidSale", { ...withPayments, voidPayments: false });

  const again = await sellAhead();
  const [line] = (await studio.account(again.clientId)).lines;
  await studio.done("voidPayment", { paymentId: line.payment.id, reason: "typed wrong" });
  assert.deepEqual((await studio.done("voidSale", { contractId: again.contractId })).paymentIds, []);
  assert.deepEqual(await studio.deviations(), []);
});

test("the front desk takes back what it recorded itself, for a quarter of an hour", async () => {
  const studio = await newStudioWithMoney(clock, "2026-11-18T12:00:00Z");
  const { clientId } = await studio.newClient();
  const payment = { clientId, amountCents: 100, method: "cash" };
  const { id } = await studio.done("recordPayment", payment);
  const desk = await studio.colleague("front_desk");
  const byOther = await desk.write("voidPayment", { paymentId: id, reason: "typed wrong" });
  assert.deepEqual([byOther.status, byOther.body.reason], [403, "not_allowed"]);
  const own = await desk.write("recordPayment", payment);
  const late = await desk.write("recordPayment", payment);
  const undo = (paymentId: string) => ({ paymentId, reason: "typed wrong" });
  assert.equal((await desk.write("voidPayment", undo(own.body.result.id))).status, 200);
  const after = await desk.write("voidPayment", undo(late.body.result.id), "2026-11-18T12:20:00Z");
  assert.deepEqual([after.status, after.body.reason], [403, "not_allowed"]);
  await studio.done("voidPayment", undo(late.body.result.id));
});

test("who owes is listed to be told, the longest first, and shown on the roster and at check-in", async () => {
  const studio = await newStudioWithMoney(clock, "2026-11-01T12:00:00Z", { paymentDays: 10 });
  const early = await studio.sell();
  const late = await studio.sell({ startDate: "2026-11-03" });
  const never = await studio.sell({ payment: { method: "cash" } });
  const day = "2026-11-18T12:00:00Z";
  const owes = async (instant: string) => {
    const todo = await studio.read("todo", instant);
    assert.equal(todo.owes.total, todo.owes.data.length);
    return todo.owes.data.map(({ clientId, since, openCents }: Record<string, unknown>) => [
      clientId,
      since,
      openCents,
    ]);
  };
  assert.deepEqual(await owes("2026-11-11T12:00:00Z"), []);
  const both = [
    [early.clientId, "2026-11-11", MONTHLY],
    [late.clientId, "2026-11-13", MONTHLY],
  ];
  assert.deepEqual(await owes("2026-11-12T12:00:00Z"), both.slice(0, 1));
  assert.deepEqual(await owes(day), both);
  const sessionId = await studio.session("2026-11-18T09:30");
  const checked = await studio.done("checkIn", { clientId: early.clientId, session: { sessionId } }, day);
  assert.equal(checked.owesSince, "2026-11-11");
  const other = await studio.done("checkIn", { clientId: never.clientId, session: { sessionId } }, day);
  assert.equal("owesSince" in other, false);
  const { bookings } = await studio.read(`roster?sessionId=${sessionId}`, day);
  const since = bookings.map((one: { clientId: string; owesSince?: string }) => [
    one.clientId,
    one.owesSince,
  ]);
  assert.deepEqual(
    new Map(since),
    new Map([
      [early.clientId, "2026-11-11"],
      [never.clientId, undefined],
    ]),
  );
});

test("who owes is added up by client, what is due longest first, page by page with the sums of all", async () => {
  const studio = await newStudioWithMoney(clock, "2026-11-01T12:00:00Z", { paymentDays: 10 });
  const early = await studio.sell();
  const late = await studio.sell({ startDate: "2026-11-03" });
  await studio.sell({ payment: { method: "cash" } });
  const day = "2026-11-12T12:00:00Z";
  const water = { clientId: late.clientId, description: "Água", amountCents: 600, dueOn: "2026-12-01" };
  const { id: invoiceId } = await studio.done("addInvoice", water, day);
  await studio.done(
    "recordPayment",
    {
      ...{ clientId: late.clientId, amountCents: 100, method: "pix", invoiceIds: [invoiceId] },
    },
    day,
  );
  const sums = { total: 2, openCents: 2 * MONTHLY + 500, overdueCents: MONTHLY };
  const shown = async (query: string, instant = day) => {
    const { data, total, openCents, overdueCents } = await studio.read(`debtors${query}`, instant);
    assert.deepEqual({ total, openCents, overdueCents }, sums);
    return data;
  };
  const both = [
    { clientId: early.clientId, dueOn: "2026-11-11", openCents: MONTHLY, overdueCents: MONTHLY },
    { clientId: late.clientId, dueOn: "2026-11-13", openCents: MONTHLY + 500, overdueCents: 0 },
  ].map((debtor) => ({ clientName: "Ana", ...debtor }));
  assert.deepEqual(await shown(""), both);
  assert.deepEqual(await shown("?limit=1&offset=1"), both.slice(1));
  assert.deepEqual(await shown("?offset=2"), []);
  const other = await newStudioWithMoney(clock, "2026-11-01T12:00:00Z");
  const { $schema: _, ...none } = await other.read("debtors");
  assert.deepEqual(none, { data: [], limit: 50, offset: 0, total: 0, openCents: 0, overdueCents: 0 });
});

test("income is payments less refunds, and what is void counts nowhere", async () => {
  const studio = await newStudioWithMoney(clock, "2026-10-31T12:00:00Z");
  const { clientId } = await studio.sell();
  const pay = (amountCents: number, method: string, at?: string) =>
    studio.done("recordPayment", { clientId, amountCents, method }, at);
  await pay(20_000, "pix");
  const day = "2026-11-18T12:00:00Z";
  await pay(10_000, "cash", day);
  const wrong = await pay(77, "cash", day);
  await studio.done("voidPayment", { paymentId: wrong.id, reason: "typed wrong" }, day);
  await studio.done("refund", { clientId, amountCents: 1_000, method: "cash", reason: "too much" }, day);
  await studio.done("addInvoice", { clientId, description: "Água", amountCents: 600 }, day);
  const income = await studio.read("income?from=2026-10-01&to=2026-11-30", day);
  const { $schema: _, ...shown } = income;
  assert.deepEqual(shown, {
    receivedCents: 29_000,
    invoicedCents: MONTHLY + 600,
    openCents: 500,
    months: [
      { month: "2026-10", receivedCents: 20_000, invoicedCents: MONTHLY, openCents: 0 },
      { month: "2026-11", receivedCents: 9_000, invoicedCents: 600, openCents: 500 },
    ],
    methods: [
      { method: "pix", receivedCents: 20_000, payments: 1 },
      { method: "cash", receivedCents: 9_000, payments: 2 },
    ],
    plans: [
      { description: "Mensal", receivedCents: MONTHLY, invoicedCents: MONTHLY, openCents: 0 },
      { description: "", receivedCents: 100, invoicedCents: 600, openCents: 500 },
    ],
  });
  assert.equal((await studio.readStatus("income?from=2026-10-01&to=2026-09-30", day)).status, 422);
});

test("invoices and payments are listed by what is asked for, page by page, and taken as files", async () => {
  const studio = await newStudioWithMoney(clock, "2026-10-18T12:00:00Z");
  const [a, b] = [await studio.sell({ payment: { method: "pix" } }), await studio.sell()];
  const day = "2026-11-18T12:00:00Z";
  const numbers = async (query: string) =>
    (await studio.read(`invoices?${query}`, day)).data.map(({ number }: { number: number }) => number);
  assert.deepEqual(await numbers(""), [4, 3, 2, 1]);
  assert.deepEqual(await numbers("status=paid"), [1]);
  assert.deepEqual(await numbers("status=overdue"), [2]);
  assert.deepEqual(await numbers(`clientId=${b.clientId}&status=open`), [4, 2]);
  assert.deepEqual(await numbers("from=2026-11-18&to=2026-11-18"), [4, 3]);
  assert.deepEqual(await numbers("to=2026-11-17"), [2, 1]);
  const first = await studio.read("invoices?limit=3", day);
  assert.deepEqual([first.total, first.data.length], [4, 3]);
  const second = await studio.read(`invoices?limit=3&cursor=${first.nextCursor}`, day);
  assert.deepEqual(
    second.data.map(({ number }: { number: number }) => number),
    [1],
  );
  const payments = await studio.read(`payments?method=pix&clientId=${a.clientId}&status=done`, day);
  assert.deepEqual([payments.total, payments.data[0].clientName], [1, "Ana"]);
  assert.equal((await studio.read("payments?method=cash", day)).total, 0);
  assert.equal((await studio.readStatus("invoices?from=2026-11-18&to=2026-11-17", day)).status, 422);

  const ndjson = await studio.readStatus("invoices?status=overdue", day, "application/x-ndjson");
  const lines = ndjson.text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    lines.map(({ number }) => number),
    [2],
  );
  const csv = await studio.readStatus("payments", day, "text/csv");
  const [head = "", row = ""] = csv.text.trim().split(/\r?\n/);
  assert.match(head, /^id,number,clientId,type,amountCents,/);
  assert.match(row, /,28900,/);
});

test("20 sales and 20 payments at once on two nodes leave no gap and nothing twice", async () => {
  const studio = await newStudioWithMoney(clock, "2026-11-18T12:00:00Z");
  const clients = await Promise.all(Array.from({ length: 20 }, () => studio.newClient()));
  await studio.read("me", "2026-11-18T12:00:05Z");
  const atOneNode = (place: number) => (place % 2 === 0 ? "2026-11-18T12:00:00Z" : "2026-11-18T12:00:05Z");
  const [sold] = await Promise.all([
    Promise.all(
      clients.map(({ clientId }, place) =>
        studio.sell({ clientId, payment: { method: "pix" } }, atOneNode(place)),
      ),
    ),
    ...clients.map(({ clientId }, place) =>
      studio.done("recordPayment", { clientId, amountCents: 500, method: "cash" }, atOneNode(place + 1)),
    ),
  ]);
  assert.equal(new Set(sold.map(({ contractId }) => contractId)).size, 20);
  assert.deepEqual(await studio.deviations(), []);
  for (const { clientId } of clients) assert.deepEqual(await studio.paid(clientId), [[MONTHLY, "paid"]]);
  const { total } = await studio.read("payments", "2026-11-18T12:00:00Z");
  assert.equal(total, 40);
});

test("a dry run of any write shows what would come and stores nothing", async () => {
  const studio = await newStudioWithMoney(clock, "2026-11-18T12:00:00Z");
  const { clientId, contractId } = await studio.sell({ payment: { method: "pix", amountCents: 10_000 } });
  const [{ id: invoiceId = "" } = {}] = await studio.invoices(clientId);
  const extra = { clientId, amountCents: 500, method: "cash" };
  const { id: paymentId } = await studio.done("recordPayment", { ...extra, invoiceIds: [invoiceId] });
  await studio.done("voidPayment", { paymentId, reason: "typed wrong" });
  const water = await studio.done("addInvoice", { clientId, description: "Água", amountCents: 600 });
  await studio.done("recordPayment", { ...extra, amountCents: 700, invoiceIds: [water.id] });
  const owner = await studio.ownerAt("2026-11-18T12:00:00Z");
  const before = await studio.account(clientId);
  const { total } = await studio.read("audit");
  const reason = "as agreed";
  for (const [operation, input, shows] of [
    ["recordPayment", { ...extra, amountCents: 18_900 }, (result) => result.allocations.length === 1],
    ["useBalance", { clientId }, (result) => result.balanceCents === 0],
    [
      "voidPayment",
      { paymentId: before.lines.at(-1).payment.id, reason },
      (result) => result.status === "void",
    ],
    ["refund", { ...extra, amountCents: 100, reason }, (result) => result.type === "refund"],
    [
      "addInvoice",
      { clientId, description: "Toalha", amountCents: 300 },
      (result) => result.paidCents === 100,
    ],
    ["editInvoice", { invoiceId, changes: { amountCents: 0 }, reason }, (result) => result.status === "paid"],
    ["voidInvoice", { invoiceId, reason }, (result) => result.status === "void"],
    [
      "sellContract",
      { clientId, planId: studio.packPlanId, payment: { method: "pix" } },
      (result) => result.id !== "",
    ],
    ["voidSale", { contractId, voidPayments: true }, (result) => result.id === contractId],
    // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came, and asserts on it
  ] as [string, object, (result: any) => boolean][]) {
    const { body, status } = await owner.write(operation, { ...input, dryRun: true });
    assert.equal(status, 200, operation);
    assert.equal(body.dryRun, true, operation);
    assert.ok(shows(body.result), `${operation} ${JSON.stringify(body.result)}`);
  }
  assert.deepEqual(await studio.account(clientId), before);
  assert.equal((await studio.read("audit")).total, total);
});

test("a repeated request pays once", async () => {
  const studio = await newStudioWithMoney(clock, "2026-11-18T12:00:00Z");
  const { clientId } = await studio.sell();
  const payment = { clientId, amountCents: MONTHLY, method: "pix" };
  const owner = await studio.ownerAt("2026-11-18T12:00:00Z");
  const headers = { "idempotency-key": "pay-once" };
  const once = await owner.write("recordPayment", payment, { headers });
  const again = await owner.write("recordPayment", payment, { headers });
  assert.deepEqual(again.body, once.body);
  assert.equal((await studio.account(clientId)).balanceCents, 0);
});

test("nothing of another organization is found, paid or changed", async () => {
  const [ours, theirs] = [
    await newStudioWithMoney(clock, "2026-11-18T12:00:00Z"),
    await newStudioWithMoney(clock, "2026-11-18T12:00:00Z"),
  ];
  const { clientId, contractId } = await theirs.sell({ payment: { method: "pix", amountCents: 10_000 } });
  const [{ id: invoiceId = "" } = {}] = await theirs.invoices(clientId);
  const before = await theirs.account(clientId);
  const paymentId: string = before.lines[1].payment.id;
  const own = await ours.newClient();
  const [payment, reason] = [{ amountCents: 100, method: "cash" }, "as agreed"];
  for (const [operation, input] of [
    ["recordPayment", { ...payment, clientId }],
    ["recordPayment", { ...payment, ...own, invoiceIds: [invoiceId] }],
    ["useBalance", { clientId }],
    ["useBalance", { ...own, invoiceIds: [invoiceId] }],
    ["voidPayment", { paymentId, reason }],
    ["refund", { ...payment, clientId, reason }],
    ["addInvoice", { clientId, description: "Água", amountCents: 1 }],
    ["editInvoice", { invoiceId, changes: { amountCents: 1 }, reason }],
    ["voidInvoice", { invoiceId, reason }],
    ["voidSale", { contractId, voidPayments: true }],
  ] as const)
    assert.equal((await ours.refused(operation, input)).status, 404, operation);
  for (const list of ["invoices", "payments"]) {
    assert.equal((await ours.read(`${list}?clientId=${clientId}`)).total, 0);
    assert.equal((await ours.read(list)).total, 0);
  }
  assert.equal((await ours.readStatus(`clients/${clientId}/account`)).status, 404);
  assert.equal((await ours.read("income?from=2026-11-01&to=2026-11-30")).receivedCents, 0);
  assert.deepEqual((await ours.read("todo")).owes.data, []);
  assert.deepEqual(await theirs.account(clientId), before);
});

test("what refuses a write is told in the caller's language", async () => {
  const studio = await newStudioWithMoney(clock, "2026-11-18T12:00:00Z");
  const { clientId, contractId } = await studio.sell({ payment: { method: "pix" } });
  const [{ id: invoiceId = "" } = {}] = await studio.invoices(clientId);
  const { id: paymentId } = await studio.done("recordPayment", {
    clientId,
    amountCents: 500,
    method: "cash",
  });
  await studio.done("refund", { clientId, amountCents: 200, method: "cash", reason: "too much" });
  const owner = await studio.ownerAt("2026-11-18T12:00:00Z");
  const told = async (operation: string, input: object) => {
    const details: string[] = [];
    for (const language of ["en", "pt-BR", "es"]) {
      const { status, body } = await owner.write(operation, input, {
        headers: { "accept-language": language },
      });
      assert.equal(status, 409, operation);
      details.push(body.detail);
    }
    return details;
  };
  const edit = { invoiceId, changes: { amountCents: 1 }, reason: "as agreed" };
  assert.deepEqual(await told("editInvoice", edit), [
    "This invoice is paid or void.",
    "Esta fatura está paga ou anulada.",
    "Esta factura está pagada o anulada.",
  ]);
  assert.deepEqual(await told("voidPayment", { paymentId, reason: "typed wrong" }), [
    "Part of this payment was refunded.",
    "Parte deste pagamento foi devolvida.",
    "Parte de este pago se devolvió.",
  ]);
  assert.deepEqual(await told("voidSale", { contractId }), [
    "The sale has payments; say whether to void them.",
    "A venda tem pagamentos; diga se eles devem ser anulados.",
    "La venta tiene pagos; indique si deben anularse.",
  ]);
});

const publicStand = pooled(
  "test_public_stand",
  `select
     (select json_agg(json_build_array(id, updated_at) order by id) from contracts where organization_id = $1) as contracts,
     (select json_agg(json_build_array(id, updated_at) order by id) from clients where organization_id = $1) as clients,
     (select count(*) from change_log where organization_id = $1) as changes,
     (select sum(catalog_version + clients_version + contracts_version + sessions_version)::bigint
      from organization_counters where organization_id = $1) as versions`,
);

test("nothing that is invoiced or paid moves anything that the public API shows", async () => {
  const studio = await newStudioWithMoney(clock, "2026-11-18T12:00:00Z");
  const { clientId } = await studio.sell();
  const stand = async () => (await clock.api.db.query(publicStand, [studio.id]))[0];
  const before = await stand();
  const [{ id: invoiceId = "" } = {}] = await studio.invoices(clientId);
  const reason = "as agreed";
  const payment = await studio.done("recordPayment", { clientId, amountCents: MONTHLY + 500, method: "pix" });
  await studio.done("refund", { clientId, amountCents: 100, method: "cash", reason });
  await studio.done("voidInvoice", { invoiceId, reason });
  const water = await studio.done("addInvoice", {
    clientId,
    description: "Água",
    amountCents: MONTHLY + 900,
  });
  await studio.done("editInvoice", { invoiceId: water.id, changes: { amountCents: MONTHLY }, reason });
  assert.equal(
    (await studio.refused("voidPayment", { paymentId: payment.id, reason })).reason,
    "payment_refunded",
  );
  await studio.done("editSettings", { changes: { paymentDays: 3, invoicesFrom: "2026-10-01" } });
  assert.deepEqual(await studio.days(clientId, "2026-12-18T12:00:00Z"), [
    "2026-11-18",
    "2026-11-18",
    "2026-12-18",
  ]);
  assert.deepEqual(await stand(), before);
});

test("the trail has amounts and no words, and says what undoes each write", async () => {
  const studio = await newStudioWithMoney(clock, "2026-11-18T12:00:00Z");
  const { clientId } = await studio.newClient();
  const invoice = await studio.done("addInvoice", {
    clientId,
    description: "SECRET water",
    amountCents: 600,
  });
  const note = "SECRET note";
  const payment = await studio.done("recordPayment", { clientId, amountCents: 600, method: "pix", note });
  assert.equal(payment.note, note);
  const { data } = await studio.read(`audit?clientId=${clientId}`);
  assert.doesNotMatch(JSON.stringify(data), /SECRET/);
  const [paid, added] = data;
  assert.deepEqual([paid.action, paid.undo.operation], ["recordPayment", "voidPayment"]);
  await studio.done(paid.undo.operation, paid.undo.input);
  assert.deepEqual([added.action, added.undo.operation], ["addInvoice", "voidInvoice"]);
  await studio.done(added.undo.operation, added.undo.input);
  const account = await studio.account(clientId);
  assert.deepEqual([account.openCents, account.balanceCents], [0, 0]);
  assert.equal((await studio.invoices(clientId))[0]?.id, invoice.id);
  const sold = await studio.sell({ payment: { method: "pix" } });
  const sale = (await studio.read(`audit?contractId=${sold.contractId}`)).data[0];
  assert.deepEqual(sale.undo.input, { contractId: sold.contractId, voidPayments: true });
  await studio.done(sale.undo.operation, sale.undo.input);
});
