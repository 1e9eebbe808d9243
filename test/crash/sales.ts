import { openDatabase } from "../../src/db/open-database.ts";
import { pooled } from "../../src/db/statements.ts";
import { newId } from "../support/ids.ts";
import { findMoneyDeviations } from "../support/money-deviations.ts";
import { until } from "../support/poll.ts";
import { addPlan } from "../support/records.ts";
import { type BookingKillReport, insertClients } from "./bookings.ts";
import { Caller } from "./caller.ts";
import { drawer } from "./chance.ts";
import { kill, type Victim } from "./kills.ts";
import { pause } from "./load.ts";
import { type EmbeddedSite, openEmbeddedSite, readiness } from "./site.ts";

const WRITERS = 8;

/**
 * Kills one victim after the other while a front desk sells contracts that are paid at once, and looks after each whether
 * every sale that was answered has its paid invoice, and the numbers of invoices and payments have no gap. Every write is
 * sent again under its key until it is answered.
 */
export async function killUnderSales(plan: {
  readonly seed: number;
  readonly workers: number;
  readonly victims: readonly Victim[];
}): Promise<BookingKillReport> {
  const draw = drawer(plan.seed);
  const site = await openEmbeddedSite({ workers: plan.workers, environment: { DRAIN_MS: "0" } });
  const report = { kills: 0, acknowledged: 0, repeated: 0, faults: [] as string[] };
  let isLost = false;
  try {
    await site.start();
    const { planId, clientIds } = await prepare(site);
    const sold = new Set<string>();
    const credentials = { cookie: site.studio.cookie, origin: `http://localhost:${site.port}` };
    for (const victim of plan.victims) {
      const caller = new Caller({ port: site.port, credentials, connections: WRITERS });
      let goesOn = true;
      const answeredBefore = report.acknowledged;
      const selling = clientIds.map(async (clientId) => {
        while (goesOn) {
          const sale = { clientId, planId, payment: { method: "pix" } };
          const contractId = await sendUntilAnswered(caller, sale);
          if (contractId !== undefined) sold.add(contractId);
        }
      });
      try {
        await until("something is sold", async () => report.acknowledged > answeredBefore + WRITERS);
        await pause(draw() * 300);
        await kill(site, victim, draw);
        report.kills++;
        await until("the server is ready", async () => (await readiness(site.port)) === "ready");
        const sinceKill = report.acknowledged;
        await until("sales go on", async () => report.acknowledged > sinceKill + WRITERS);
      } catch (error) {
        isLost = true;
        report.faults.push(
          `after the kill of a ${victim}: ${error instanceof Error ? error.message : error}`,
        );
      }
      goesOn = false;
      await Promise.all(selling);
      caller.close();
      if (isLost) break;
      report.faults.push(...(await disagreements(site, sold)));
      if (report.faults.length > 0) break;
    }
  } finally {
    await site.remove();
  }
  return report;

  async function sendUntilAnswered(caller: Caller, sale: object): Promise<string | undefined> {
    const key = newId();
    for (let tries = 1; !isLost; tries++) {
      const outcome = await caller.send("POST", "/app/v1/sellContract", sale, key);
      if (outcome.kind === "answered" && outcome.status < 500) {
        report.acknowledged++;
        if (tries > 1) report.repeated++;
        if (outcome.status !== 200) report.faults.push(JSON.stringify(outcome.body));
        return outcome.body?.result?.id;
      }
      await pause(20);
    }
    return undefined;
  }
}

const invoice = pooled(
  "crash_invoice_from_yesterday",
  "update organizations set invoices_from = current_date - 1 where id = $1",
);

async function prepare(site: EmbeddedSite) {
  const db = openDatabase({ connection: site.connection, applicationName: "crash test", poolSize: 1 });
  try {
    const { organizationId } = site.studio;
    const clientIds = Array.from({ length: WRITERS }, () => newId());
    await db.query(insertClients, [organizationId, clientIds]);
    await db.query(invoice, [organizationId]);
    const monthly = { billingKind: "recurring" as const, billingInterval: "month", priceCents: 28_900 };
    const planId = await addPlan(db, organizationId, { ...monthly, entitlements: [{ type: "access" }] });
    return { clientIds, planId };
  } finally {
    await db.close();
  }
}

const salesStatement = pooled(
  "crash_look_at_sales",
  `select c.id, count(i.id) filter (where i.status = 'paid' and i.paid_cents = 28900) as paid, count(i.id) as invoices
   from contracts c left join invoices i on i.organization_id = $1 and i.contract_id = c.id
   where c.organization_id = $1 and c.price_cents = 28900 group by c.id`,
);

/** What does not agree, with each other or with the answers. */
async function disagreements(site: EmbeddedSite, sold: ReadonlySet<string>): Promise<string[]> {
  const db = openDatabase({ connection: site.connection, applicationName: "crash test", poolSize: 1 });
  try {
    const { organizationId } = site.studio;
    const stored = await db.query<{ id: string; paid: number; invoices: number }>(salesStatement, [
      organizationId,
    ]);
    const ids = new Set(stored.map(({ id }) => id));
    return [
      ...(await findMoneyDeviations({ db }, organizationId)),
      ...stored
        .filter(({ paid, invoices }) => paid !== 1 || invoices !== 1)
        .map(({ id, invoices, paid }) => `contract ${id} has ${invoices} invoices, ${paid} of them paid`),
      ...[...sold].filter((id) => !ids.has(id)).map((id) => `contract ${id} was answered and is gone`),
      ...[...ids].filter((id) => !sold.has(id)).map((id) => `contract ${id} was never answered`),
    ];
  } finally {
    await db.close();
  }
}
