import { MS_PER_DAY } from "../../src/core/dates.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import { pooled } from "../../src/db/statements.ts";
import { newId } from "../support/ids.ts";
import { findMoneyDeviations } from "../support/money-deviations.ts";
import { startPostgres } from "../support/postgres.ts";
import { addPlan } from "../support/records.ts";
import { signInOwner } from "../support/staff.ts";
import { Draws, INPUTS } from "../walk/inputs.ts";
import { MONEY_OPERATIONS } from "../walk/money-walk.ts";
import { readStored, Studio } from "../walk/studio.ts";
import { Caller } from "./caller.ts";
import { drawer, pick } from "./chance.ts";
import { killServer } from "./kills.ts";
import { pause } from "./load.ts";
import { openExternalSite, type Site } from "./site.ts";

export interface MoneyKillReport {
  readonly steps: number;
  readonly kills: number;
  /** What was carried out, and how much of it was answered only when it was sent again. */
  readonly acknowledged: number;
  readonly repeated: number;
  readonly invoices: number;
  readonly payments: number;
  /** How many days the clock was moved on. */
  readonly days: number;
  readonly faults: string[];
}

const ZONE = "America/Sao_Paulo";
const KEY_SECRET = "a secret for nobody but this test";
/** What comes at once while a node is killed. */
const ABREAST = 4;
/** After so many kills, days pass. */
const KILLS_A_JUMP = 3;

/**
 * Random operations on contracts, invoices and payments, sent to two nodes in turns. Now and then one of them is killed
 * while writes are under way, or both are; now and then days pass. Every write is sent again under its key, to the other
 * node, until it is answered. After each step, what must hold of money is asked.
 */
export async function walkMoneyUnderKills(plan: {
  readonly seed: number;
  readonly steps: number;
  readonly stepsAKill: number;
}): Promise<MoneyKillReport> {
  const draw = drawer(plan.seed);
  const report = { steps: 0, kills: 0, acknowledged: 0, repeated: 0, invoices: 0, payments: 0, days: 0 };
  const faults: string[] = [];
  const postgres = await startPostgres();
  const nodes: Site[] = [];
  try {
    const at = { databaseUrl: postgres.url, connection: postgres.connection };
    const options = { workers: 1, environment: { DRAIN_MS: "0" }, ...at };
    const first = await openExternalSite(options);
    nodes.push(first, await openExternalSite({ ...options, studio: first.studio }));
    const { organizationId } = first.studio;
    const open = () =>
      openDatabase({
        connection: { ...at.connection, clockOffsetMs: report.days * MS_PER_DAY },
        applicationName: "crash test",
        poolSize: 1,
      });
    const startNode = (node: Site) => node.start({ CLOCK_OFFSET: `${report.days}d` });
    await Promise.all(nodes.map(startNode));
    let db = open();
    let callers = await signIn();
    /** Carried out, by operation; and the records that answers named. */
    const carriedOut = new Map<string, number>();
    const named = new Set<string>();
    try {
      await prepare();
      for (let untilKill = plan.stepsAKill; report.steps < plan.steps && faults.length === 0; ) {
        const isKill = --untilKill <= 0;
        const count = isKill ? ABREAST : 1;
        const stored = await readStored(db, organizationId);
        const studio = new Studio(stored, Date.now() + report.days * MS_PER_DAY, ZONE);
        const sent = Array.from({ length: count }, () => {
          const operation = pick(MONEY_OPERATIONS, draw) ?? "";
          const draws = new Draws(Array.from({ length: 16 }, () => Math.floor(draw() * 10_000)));
          return send(operation, INPUTS[operation]?.(draws, studio) ?? {}, report.steps++);
        });
        if (isKill) {
          await pause(draw() * 20);
          const victims = draw() < 0.25 ? nodes : [pick(nodes, draw) as Site];
          await restart(victims);
          report.kills++;
        }
        await Promise.all(sent);
        faults.push(...(await findMoneyDeviations({ db }, organizationId)));
        if (isKill) untilKill = plan.stepsAKill;
        // While nothing is under way: a key is known for a day. The next kill comes while what is due is issued.
        if (isKill && report.kills % KILLS_A_JUMP === 0) {
          await moveOn(1 + Math.floor(draw() * 31));
          untilKill = 1;
        }
      }
      faults.push(...(await disagreements()));
    } finally {
      for (const caller of callers) caller.close();
      await db.close();
    }

    async function restart(victims: readonly Site[]): Promise<void> {
      await Promise.all(victims.map((victim) => killServer(victim.running())));
      await Promise.all(victims.map(startNode));
    }

    async function moveOn(days: number): Promise<void> {
      report.days += days;
      await restart(nodes);
      await db.close();
      db = open();
      for (const caller of callers) caller.close();
      callers = await signIn();
    }

    async function signIn(): Promise<Caller[]> {
      const cookie = `rollbook=${await signInOwner(db, organizationId, KEY_SECRET)}`;
      return nodes.map(({ port }) => {
        const credentials = { cookie, origin: `http://localhost:${port}` };
        return new Caller({ port, credentials, connections: ABREAST });
      });
    }

    async function prepare(): Promise<void> {
      const monthly = { billingKind: "recurring" as const, entitlements: [{ type: "access" }] };
      await addPlan(db, organizationId, { ...monthly, billingInterval: "week", priceCents: 9_900 });
      await addPlan(db, organizationId, { ...monthly, billingInterval: "month", priceCents: 28_900 });
      await addPlan(db, organizationId, { ...monthly, billingKind: "one_time", priceCents: 5_000 });
      for (const contactName of ["Ana", "Bruno", "Caio"])
        await send("addClient", { contactName, locationIds: first.studio.locationIds }, 0);
      const invoicesFrom = new Date(Date.now() - 40 * MS_PER_DAY).toISOString().slice(0, 10);
      await send("editSettings", { changes: { invoicesFrom } }, 0);
    }

    /** Until it is answered, whoever answers. */
    async function send(operation: string, input: object, place: number): Promise<void> {
      const key = newId();
      for (let tries = 1; ; tries++) {
        const caller = callers[(place + tries) % callers.length] as Caller;
        const outcome = await caller.send("POST", `/app/v1/${operation}`, input, key);
        if (outcome.kind === "answered" && outcome.status < 500) {
          if (outcome.status === 200) {
            report.acknowledged++;
            if (tries > 1) report.repeated++;
            carriedOut.set(operation, (carriedOut.get(operation) ?? 0) + 1);
            if (RECORDED.has(operation)) named.add(outcome.body.result.id);
          } else if (![404, 409, 422].includes(outcome.status))
            faults.push(`${operation}: ${outcome.status} ${JSON.stringify(outcome.body)}`);
          return;
        }
        await pause(20);
      }
    }

    /** What does not agree with the answers. */
    async function disagreements(): Promise<string[]> {
      const entries = await db.query<{ action: string; count: number }>(entriesStatement, [organizationId]);
      const recorded = new Map(entries.map(({ action, count }) => [action, count]));
      const rows = await db.query<{ id: string; kind: "invoices" | "payments" }>(recordsStatement, [
        organizationId,
      ]);
      for (const { kind } of rows) report[kind]++;
      const ids = new Set(rows.map(({ id }) => id));
      return [
        ...[...carriedOut]
          .filter(([action, count]) => recorded.get(action) !== count)
          .map(([action, count]) => `${action} was answered ${count} times and done ${recorded.get(action)}`),
        ...[...named].filter((id) => !ids.has(id)).map((id) => `${id} was answered and is gone`),
      ];
    }
  } finally {
    await Promise.all(nodes.map((node) => node.remove()));
    await postgres.remove();
  }
  return { ...report, faults };
}

/** What answers with an invoice or a payment that it has made. */
const RECORDED = new Set(["recordPayment", "refund", "addInvoice"]);

const entriesStatement = pooled(
  "crash_count_entries",
  "select action, count(*) as count from audit where organization_id = $1 group by action",
);

const recordsStatement = pooled(
  "crash_list_money",
  `select id, 'invoices' as kind from invoices where organization_id = $1
   union all select id, 'payments' from payments where organization_id = $1`,
);
