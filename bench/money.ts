/** Invoices and payments: what they add to a sale, what an account costs, and how long a month's beginning holds others. */
import type { Actor } from "../src/core/actor.ts";
import { newId } from "../src/core/ids.ts";
import { searchText } from "../src/core/search.ts";
import type { OpenDatabase } from "../src/db/database.ts";
import { pooled } from "../src/db/statements.ts";
import { sellContract } from "../src/domain/contracts/operations.ts";
import { applyDueChanges } from "../src/domain/due-changes/due-changes.ts";
import { readAccount, recordPayment } from "../src/domain/money/operations.ts";
import { addPlan } from "../test/support/records.ts";
import { addOrganization, copy, type OpenDataset } from "./data.ts";
import { median } from "./measure.ts";
import type { Row } from "./row.ts";
import { timed } from "./timed-database.ts";

/** Data of its own. */
const CLIENTS_BESIDE = 2_000;
const BUYERS = 200;
const LINES = 200;
const CONTRACTS = 10_000;
const TIMES = 50;
const ROUNDS = 7;
const SALE_ROUNDS = 15;
const BY: Actor = { name: "operator:bench", role: undefined, locationIds: undefined };

interface Shop {
  readonly db: OpenDatabase;
  readonly id: string;
  readonly planId: string;
  readonly clientIds: readonly string[];
}

const setDay = pooled("bench_invoices_from", "update organizations set invoices_from = $2 where id = $1");
const today = () => new Date().toISOString().slice(0, 10);

async function withShop<Result>(
  { store, connect }: OpenDataset,
  invoicesFrom: string | undefined,
  work: (shop: Shop) => Promise<Result>,
): Promise<Result> {
  const db = store.open({ applicationName: "rollbook bench", poolSize: 2 });
  const client = await connect();
  try {
    const { id } = await addOrganization(client, db, await store.keySecret(), "Money", 1);
    const clientIds = Array.from({ length: BUYERS }, () => newId(Date.now()));
    await copy(
      client,
      "clients (organization_id, id, status, contact_name, search)",
      clientIds.map((buyer, n) => [id, buyer, "active", `Buyer ${n}`, searchText([`Buyer ${n}`])]),
    );
    const plan = { billingKind: "recurring" as const, billingInterval: "month", priceCents: 28_900 };
    const planId = await addPlan(db, id, { ...plan, entitlements: [{ type: "access" }] });
    await db.query(setDay, [id, invoicesFrom ?? null]);
    return await work({ db, id, planId, clientIds });
  } finally {
    await client.end();
    await db.close();
  }
}

async function millisecondsOf(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

function sell({ db, id, planId, clientIds }: Shop, n: number, isPaid: boolean): Promise<unknown> {
  const sale = { clientId: clientIds[n % BUYERS] ?? "", planId };
  const call = { db, actor: BY, organizationId: id };
  return sellContract(call, isPaid ? { ...sale, payment: { method: "pix" } } : sale);
}

const insertContracts = pooled(
  "bench_monthly_contracts",
  `insert into contracts (organization_id, id, client_id, plan_id, plan_name, price_cents, currency, is_trial, billing_kind,
     billing_interval, start_date, status, access_blocked, all_locations, created_at, updated_at, next_change_at)
   select $1, gen_random_uuid(), ($2::uuid[])[1 + n % cardinality($2::uuid[])], $3, 'Mensal', 28900, 'BRL', false, 'recurring',
     'month', $4::date, 'active', false, true, now(), now(), null
   from generate_series(1, $5::int) as n`,
);
const makeDue = pooled("bench_due_now", "update organizations set due_at = 'epoch' where id = $1");

const workload: Row["workload"] = async ({ studio }) => ({
  key: studio.key,
  targets: ["GET /v1/organization"],
});

export const moneyRows: readonly Row[] = [
  {
    name: "money-sale",
    title: "a sale with its invoice and payment against a sale alone",
    target: "≤ 1.5 ×",
    workload,
    measure: async (bench, { title, target }) => {
      const dataset = await bench.dataset(CLIENTS_BESIDE);
      const [alone, paid]: [number[], number[]] = [[], []];
      // In turns, so that whatever else the machine does is beside both.
      await withShop(dataset, undefined, (plain) =>
        withShop(dataset, today(), async (invoicing) => {
          for (let round = 0; round <= SALE_ROUNDS; round++) {
            const times: number[] = [];
            for (const shop of [plain, invoicing])
              times.push(
                await millisecondsOf(async () => {
                  for (let n = 0; n < TIMES; n++) await sell(shop, round * TIMES + n, shop === invoicing);
                }),
              );
            // The first round is for warming up.
            if (round === 0) continue;
            alone.push(times[0] ?? Number.NaN);
            paid.push(times[1] ?? Number.NaN);
          }
        }),
      );
      const values = paid.map((whole, round) => whole / (alone[round] ?? Number.NaN));
      const note = `${(median(paid) / TIMES).toFixed(1)} ms against ${(median(alone) / TIMES).toFixed(1)} ms`;
      return [{ title, values, unit: "×", target, reached: median(values) <= 1.5, note }];
    },
  },
  {
    name: "money-account",
    title: `the account of a client with ${LINES} lines`,
    target: "< 3 ms CPU",
    workload,
    measure: async (bench, { title, target }) =>
      withShop(await bench.dataset(CLIENTS_BESIDE), today(), async (shop) => {
        const [clientId = ""] = shop.clientIds;
        const call = { db: shop.db, actor: BY, organizationId: shop.id };
        for (let n = 0; n < LINES / 2; n++) {
          await sellContract(call, { clientId, planId: shop.planId });
          await recordPayment(call, { clientId, amountCents: 28_900, method: "pix" });
        }
        const values: number[] = [];
        for (let round = 0; round < ROUNDS; round++) {
          const begun = process.cpuUsage();
          for (let n = 0; n < TIMES; n++) await readAccount(shop.db, shop.id, clientId, today());
          const { user, system } = process.cpuUsage(begun);
          values.push((user + system) / 1000 / TIMES);
        }
        return [{ title, values: values.slice(1), unit: "ms", target, reached: median(values) < 3 }];
      }),
  },
  {
    name: "money-month",
    title: `${CONTRACTS.toLocaleString("en")} contracts whose month begins today: the longest that others wait`,
    target: "< 100 ms",
    workload,
    measure: async (bench, { title, target }) =>
      withShop(await bench.dataset(CLIENTS_BESIDE), today(), async (shop) => {
        await shop.db.query(insertContracts, [shop.id, shop.clientIds, shop.planId, today(), CONTRACTS]);
        await shop.db.query(makeDue, [shop.id]);
        const transactions: number[] = [];
        const whole = await millisecondsOf(() => applyDueChanges(timed(shop.db, transactions), shop.id));
        const longest = Math.max(...transactions);
        const note = `${transactions.length} transactions, ${(whole / 1000).toFixed(1)} s in all`;
        return [{ title, values: [longest], unit: "ms", target, reached: longest < 100, note }];
      }),
  },
];
