import assert from "node:assert/strict";
import fc from "fast-check";
import { STAFF_WRITES } from "../../src/app/all-writes.ts";
import { daysAfter } from "../../src/core/dates.ts";
import { pooled } from "../../src/db/statements.ts";
import { applyDueChanges } from "../../src/domain/due-changes/due-changes.ts";
import { openApi, type TestApi } from "../support/api.ts";
import { atInstant } from "../support/booking-studio.ts";
import { findMoneyDeviations } from "../support/money-deviations.ts";
import { addLocation, addPlan } from "../support/records.ts";
import { OWNER, performWrite, refusalOf } from "../support/staff-writes.ts";
import { Draws, INPUTS } from "./inputs.ts";
import { readStored, Studio } from "./studio.ts";
import type { WalkOptions, WalkTally } from "./walk.ts";

/** Random operations on contracts, invoices and payments over some years, each on one of two servers. */

const WEIGHTS: Readonly<Record<string, number>> = {
  addClient: 1,
  sellContract: 4,
  voidSale: 2,
  pauseContract: 2,
  endPause: 2,
  cancelContract: 2,
  reinstateContract: 2,
  setEndDate: 1,
  editSettings: 1,
  recordPayment: 6,
  useBalance: 3,
  voidPayment: 3,
  refund: 3,
  addInvoice: 3,
  editInvoice: 3,
  voidInvoice: 2,
};
/** Each as often as it is drawn. */
export const MONEY_OPERATIONS = Object.entries(WEIGHTS).flatMap(([name, weight]) =>
  Array.from({ length: weight }, () => name),
);
const ZONE = "America/Sao_Paulo";

const step = fc.noBias(
  fc.record({
    operation: fc.nat({ max: MONEY_OPERATIONS.length - 1 }),
    /** Now and then a day passes, or a month. */
    waits: fc.nat({ max: 9 }),
    draws: fc.array(fc.nat({ max: 9_999 }), { minLength: 16, maxLength: 16 }),
  }),
);

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** As `walkBookings`; what must hold of money is asked after each handful. */
export async function walkMoney(
  api: TestApi,
  { abreast = 1, ...options }: WalkOptions & { readonly abreast?: number },
): Promise<WalkTally> {
  return walkOnTwo(api, options, (nodes, steps, tally) => takeSteps(nodes, steps, abreast, tally));
}

/**
 * Two studios in which the same is done at the same instants. Into one of them somebody looks on every day, into the
 * other nobody does in between: what is invoiced and paid is the same.
 */
export async function walkMoneyTwice(api: TestApi, options: WalkOptions): Promise<WalkTally> {
  return walkOnTwo(api, options, takeStepsTwice);
}

type Nodes = readonly [TestApi, TestApi];

async function walkOnTwo(
  api: TestApi,
  { walks, steps, seed }: WalkOptions,
  take: (nodes: Nodes, steps: readonly Step[], tally: WalkTally) => Promise<void>,
): Promise<WalkTally> {
  const tally: WalkTally = new Map();
  const other = await openApi({ beside: api });
  try {
    const property = fc.asyncProperty(
      fc.array(step, { minLength: steps, maxLength: steps, size: "max" }),
      (taken) => take([api, other], taken, tally),
    );
    const ran = await fc.check(property, {
      numRuns: walks,
      ...(seed !== undefined && { seed }),
      endOnFailure: true,
    });
    if (ran.failed) throw new Error(`a walk with seed ${ran.seed} failed`, { cause: ran.errorInstance });
  } finally {
    await other.close();
  }
  return tally;
}

const FIRST_DAY = "2026-01-05";

/** A studio that sells by the week, by the month and once, with three clients, and invoices from its first day. */
async function openStudio(nodes: Nodes, tally: WalkTally) {
  const [api] = nodes;
  const { id } = await api.newOrganization({ timezone: ZONE });
  await addLocation(api.db, id);
  const plan = { billingKind: "recurring" as const, entitlements: [{ type: "access" }] };
  await addPlan(api.db, id, { ...plan, billingInterval: "week", priceCents: 9_900 });
  await addPlan(api.db, id, { ...plan, billingInterval: "month", priceCents: 28_900 });
  await addPlan(api.db, id, { ...plan, billingKind: "one_time", priceCents: 5_000 });
  const done: string[] = [];
  /** What was done, and when. */
  const perform = async (operation: string, input: object, day: string, place: number): Promise<void> => {
    const write = STAFF_WRITES.find(({ name }) => name === operation);
    assert.ok(write, operation);
    const { served, keySecret } = nodes[place % 2] as TestApi;
    // A minute for each step, so that later ones have later ids.
    const at = new Date(noonOf(day) + place * 60_000).toISOString();
    const call = { db: atInstant(served, at), organizationId: id, keySecret, actor: OWNER };
    done.push(`${at} ${operation} ${JSON.stringify(input)}`);
    const outcome = await refusalOf(performWrite(write, call, input));
    const counted = tally.get(operation) ?? { done: 0, refusals: new Map<string, number>() };
    tally.set(operation, counted);
    if (outcome === "done") counted.done++;
    else counted.refusals.set(outcome, (counted.refusals.get(outcome) ?? 0) + 1);
  };
  for (let count = 0; count < 3; count++)
    await perform("addClient", { contactName: "Ana", locationIds: [] }, FIRST_DAY, count);
  await perform("editSettings", { changes: { invoicesFrom: FIRST_DAY } }, FIRST_DAY, 3);
  return {
    id,
    done,
    perform,
    /** What a step does, by what is stored now. */
    async draw({ operation: drawn, draws }: Step, day: string): Promise<readonly [string, object]> {
      const studio = new Studio(await readStored(api.db, id), noonOf(day), ZONE);
      const operation = MONEY_OPERATIONS[drawn] ?? "";
      return [operation, INPUTS[operation]?.(new Draws(draws), studio) ?? {}];
    },
    look: (day: string, minutes = 0) =>
      applyDueChanges(atInstant(api.db, new Date(noonOf(day) + minutes * 60_000).toISOString()), id),
  };
}

function noonOf(day: string): number {
  return Date.parse(`${day}T15:00:00Z`);
}

/** The day of the next step: the same, the next one, or a month later. */
function dayAfter(day: string, { waits }: Step): string {
  return waits < 7 ? day : daysAfter(day, waits === 9 ? 31 : 1);
}

async function takeSteps(
  nodes: Nodes,
  steps: readonly Step[],
  abreast: number,
  tally: WalkTally,
): Promise<void> {
  const [api] = nodes;
  const studio = await openStudio(nodes, tally);
  let day = FIRST_DAY;
  for (let first = 0; first < steps.length; first += abreast) {
    const handful = steps.slice(first, first + abreast);
    for (const each of handful) day = dayAfter(day, each);
    const drawn = await Promise.all(handful.map((each) => studio.draw(each, day)));
    await Promise.all(drawn.map((taken, place) => studio.perform(...taken, day, 4 + first + place)));
    const deviations = await findMoneyDeviations(api, studio.id);
    assert.deepEqual(deviations, [], `after\n${studio.done.join("\n")}`);
  }
  await studio.look(daysAfter(day, 400));
  assert.deepEqual(await findMoneyDeviations(api, studio.id), [], `a year after\n${studio.done.join("\n")}`);
}

async function takeStepsTwice(nodes: Nodes, steps: readonly Step[], tally: WalkTally): Promise<void> {
  const [api] = nodes;
  const [watched, unwatched] = [await openStudio(nodes, tally), await openStudio(nodes, tally)];
  let day = FIRST_DAY;
  for (const [place, each] of steps.entries()) {
    const next = dayAfter(day, each);
    while (day < next) {
      day = daysAfter(day, 1);
      await watched.look(day);
    }
    for (const studio of [watched, unwatched]) {
      let taken = await studio.draw(each, day);
      if (JSON.stringify(taken).includes("invoiceId")) {
        // Nobody can name an invoice that nobody has seen.
        await studio.look(day, 4 + place);
        taken = await studio.draw(each, day);
      }
      await studio.perform(...taken, day, 4 + place);
      // What a refused write would have found due it has left so.
      await studio.look(day, 4 + place);
    }
    const [one, other] = [await readMoney(api, watched.id), await readMoney(api, unwatched.id)];
    assert.deepEqual(other, one, `after\n${unwatched.done.join("\n")}`);
  }
}

const moneyStatement = pooled(
  "walk_read_money",
  `select
     (select coalesce(json_agg(json_build_array(i.number, i.issued_on, i.due_on, i.amount_cents, i.paid_cents, i.status, i.period_number,
        i.period_first, i.period_last,
        (select count(*) from clients c where c.organization_id = $1 and c.id < i.client_id),
        (select count(*) from contracts c where c.organization_id = $1 and c.id < i.contract_id)) order by i.number), '[]')
      from invoices i where i.organization_id = $1) as invoices,
     (select coalesce(json_agg(json_build_array(p.number, p.type, p.amount_cents, p.rest_cents, p.status, (
        select json_agg(json_build_array(i.number, a.amount_cents) order by i.number)
        from payment_allocations a join invoices i on i.organization_id = $1 and i.id = a.invoice_id
        where a.organization_id = $1 and a.payment_id = p.id)) order by p.number), '[]')
      from payments p where p.organization_id = $1) as payments`,
);

/** Invoices and payments without their ids. */
async function readMoney({ db }: TestApi, organizationId: string): Promise<object | undefined> {
  const [money] = await db.query<{ invoices: unknown[]; payments: unknown[] }>(moneyStatement, [
    organizationId,
  ]);
  return money;
}
