import assert from "node:assert/strict";
import { test } from "node:test";
import { migrate } from "../../src/db/migrate.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import { pooled } from "../../src/db/statements.ts";
import { applyDueChanges } from "../../src/domain/due-changes/due-changes.ts";
import { addRecords } from "../backup/records.ts";
import { newDatabase } from "../support/databases.ts";
import { newId } from "../support/ids.ts";
import { findMoneyDeviations } from "../support/money-deviations.ts";
import { newStudioWithMoney, startMoneyClock } from "../support/money-studio.ts";
import { refusalOf } from "../support/staff-writes.ts";
import { openTestStore } from "../support/store.ts";
import { exportText, importLines, type Line } from "./support.ts";

const clock = await startMoneyClock();
const DAY = "2026-11-18T12:00:00Z";

async function linesOf(organizationId: string, instant = DAY): Promise<Line[]> {
  const text = await exportText((await clock.at(instant)).db, organizationId);
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
}

/** A studio with an invoice that is paid, one in part, one that is void, a refund and a balance. */
async function paidStudio() {
  const studio = await newStudioWithMoney(clock, DAY, { invoicesFrom: "2026-10-01", paymentDays: 7 });
  const { clientId } = await studio.sell({ startDate: "2026-10-18" });
  const payment = { clientId, amountCents: 30_000, method: "pix", note: "Two months" };
  const { id: paymentId } = await studio.done("recordPayment", payment);
  const water = { clientId, description: "Água", amountCents: 600 };
  const { id: invoiceId } = await studio.done("addInvoice", water);
  await studio.done("voidInvoice", { invoiceId, reason: "gift" });
  await studio.done("recordPayment", { ...payment, amountCents: 40_000, method: "cash" });
  await studio.done("refund", { clientId, amountCents: 2_000, method: "cash", reason: "too much" });
  return { studio, clientId, paymentId, lines: await linesOf(studio.id) };
}

/** The same records under other ids, as on another server. */
function elsewhere(lines: readonly Line[]): Line[] {
  const ids = new Map<string, string>();
  const swap = (_: string, id: string) => {
    const other = ids.get(id) ?? newId();
    ids.set(id, other);
    return `"${other}"`;
  };
  return lines.map(
    (line) => JSON.parse(JSON.stringify(line).replaceAll(/"([0-9a-f]{8}-[0-9a-f-]{27})"/g, swap)) as Line,
  );
}

test("invoices and payments are exported last, and come back byte by byte", async () => {
  const { lines } = await paidStudio();
  const kinds = lines.map(({ kind }) => kind);
  assert.deepEqual(kinds.slice(kinds.indexOf("invoice")), [
    "invoice",
    "invoice",
    "invoice",
    "payment",
    "payment",
    "payment",
  ]);
  const [organization] = lines;
  assert.equal(organization?.invoicesFrom, "2026-10-01");
  assert.equal(organization?.paymentDays, 7);
  const again = elsewhere(lines);
  const node = await clock.at(DAY);
  await importLines(node.served, again);
  const [{ id = "" } = {}] = again;
  // In the order of the new ids.
  const sorted = (all: readonly Line[]) => all.map((line) => JSON.stringify(line)).sort();
  const first = await linesOf(String(id));
  assert.deepEqual(sorted(first), sorted(again));
  assert.deepEqual(await findMoneyDeviations(node, String(id)), []);
  const twice = await importLines(node.served, again);
  for (const counts of Object.values(twice.kinds))
    assert.equal((counts?.created ?? 0) + (counts?.replaced ?? 0), 0);
  // What was refunded is still known, and the next numbers are above all.
  assert.deepEqual(await linesOf(String(id)), first);
});

test("an organization that does not invoice has the bundle that it had", async () => {
  const studio = await newStudioWithMoney(clock, DAY, { invoicesFrom: null });
  await studio.sell();
  const lines = await linesOf(studio.id);
  assert.doesNotMatch(JSON.stringify(lines), /invoice|payment/i);
});

/** The last schema without invoices. */
const BEFORE_MONEY = 19;

test("an upgrade issues nothing and changes nothing for organizations that have not said from when they invoice", async (t) => {
  const store = await openTestStore();
  t.after(() => store.close());
  const database = await newDatabase(store);
  await migrate(database.connection, { upTo: BEFORE_MONEY });
  await addRecords(database, BEFORE_MONEY);
  const stand = () =>
    database.query<object>(
      `select o.id, o.due_at, c.id as contract, c.status, c.updated_at, c.next_change_at
       from organizations o left join contracts c on c.organization_id = o.id order by 1, 3`,
    );
  const before = await stand();
  await migrate(database.connection);
  assert.deepEqual(await stand(), before);
  const db = openDatabase({ connection: database.connection, applicationName: "rollbook test", poolSize: 1 });
  t.after(() => db.close());
  const priced = await database.query("select id from contracts where price_cents > 0");
  assert.ok(priced.length > 0);
  for (const { id } of await database.query<{ id: string }>("select id from organizations")) {
    await applyDueChanges(db, id);
    for (const line of (await exportText(db, id)).trimEnd().split("\n")) {
      const { kind, invoicesFrom, paymentDays } = JSON.parse(line);
      assert.ok(kind !== "invoice" && kind !== "payment", line);
      assert.deepEqual([invoicesFrom, paymentDays], [undefined, undefined]);
    }
  }
  const issued = await database.query(
    `select id from invoices union all select id from payments
     union all select id from contracts where next_invoice_at is not null`,
  );
  assert.deepEqual(issued, []);
});

test("a file in which invoices and payments do not agree is refused with its lines", async () => {
  const { lines } = await paidStudio();
  const node = await clock.at(DAY);
  const again = elsewhere(lines);
  const at = (kind: string, place = 0) => again.findIndex((line) => line.kind === kind) + place;
  const changed = (index: number, change: object) =>
    again.map((line, place) => (place === index ? { ...line, ...change } : line));
  const told = (records: readonly Line[]) => refusalOf(importLines(node.served, records));
  const allocations = (again[at("payment")]?.allocations ?? []) as {
    invoiceId: string;
    amountCents: number;
  }[];
  for (const [records, expected] of [
    [changed(at("invoice"), { paidCents: 1 }), /paidCents sum_differs/],
    [changed(at("payment"), { restCents: 5 }), /restCents sum_differs/],
    [changed(at("payment"), { allocations: allocations.slice(1) }), /sum_differs/],
    [changed(at("payment", 2), { refunds: [] }), /refunds sum_differs/],
    [changed(at("invoice", 1), { number: again[at("invoice")]?.number }), /number number_repeated/],
    // There is always a next one.
    [changed(at("invoice"), { number: 2_147_483_647 }), /number above_maximum/],
    [changed(at("payment"), { number: 2_147_483_647 }), /number above_maximum/],
    [
      changed(at("payment"), { allocations: [{ invoiceId: newId(), amountCents: 30_000 }] }),
      /invoice_unknown/,
    ],
    [again.filter((_, place) => place !== at("payment")), /sum_differs|payment_unknown/],
  ] as const)
    assert.match(String(await told(records)), expected);
});

const left = pooled(
  "test_words_of_money",
  `select (select array_agg(description order by number) from invoices where organization_id = $1 and client_id = $2) as invoices,
     (select array_agg(note order by number) from payments where organization_id = $1 and client_id = $2) as payments`,
);

test("an erased client keeps invoices and payments without a word that somebody wrote, and an export has them all", async () => {
  const { studio, clientId, paymentId } = await paidStudio();
  const [contract] = (await studio.read(`clients/${clientId}/contracts`)).data;
  const exported = await studio.done("exportClient", { clientId });
  assert.deepEqual([exported.invoices.length, exported.payments.length], [3, 3]);
  await studio.done("cancelContract", { contractId: contract.id, now: true, reason: "moves" });
  await studio.done("eraseClient", { clientId, basis: "asked for it" });
  const [words] = await clock.api.db.query<{ invoices: string[]; payments: (string | null)[] }>(left, [
    studio.id,
    clientId,
  ]);
  assert.deepEqual(words?.invoices, ["Mensal", "Mensal", "erased"]);
  assert.deepEqual(words?.payments, ["erased", "erased", null]);
  const pay = { clientId, amountCents: 100, method: "cash" };
  assert.equal((await studio.refused("recordPayment", pay)).reason, "erased_client");
  const undo = { paymentId, reason: "typed wrong" };
  await studio.done("voidPayment", undo);
  assert.deepEqual(await studio.deviations(), []);
});
