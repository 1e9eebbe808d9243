import assert from "node:assert/strict";
import fc from "fast-check";
import { STAFF_WRITES } from "../../src/app/all-writes.ts";
import { daysAfter } from "../../src/core/dates.ts";
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
const OPERATIONS = Object.entries(WEIGHTS).flatMap(([name, weight]) =>
  Array.from({ length: weight }, () => name),
);
const ZONE = "America/Sao_Paulo";

const step = fc.noBias(
  fc.record({
    operation: fc.nat({ max: OPERATIONS.length - 1 }),
    /** Now and then a day passes, or a month. */
    waits: fc.nat({ max: 9 }),
    draws: fc.array(fc.nat({ max: 9_999 }), { minLength: 16, maxLength: 16 }),
  }),
);

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** As `walkBookings`; what must hold of money is asked after each handful. */
export async function walkMoney(
  api: TestApi,
  { walks, steps, seed, abreast = 1 }: WalkOptions & { readonly abreast?: number },
): Promise<WalkTally> {
  const tally: WalkTally = new Map();
  const other = await openApi({ beside: api });
  try {
    const property = fc.asyncProperty(
      fc.array(step, { minLength: steps, maxLength: steps, size: "max" }),
      (taken) => takeSteps([api, other], taken, abreast, tally),
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

async function takeSteps(
  nodes: readonly [TestApi, TestApi],
  steps: readonly Step[],
  abreast: number,
  tally: WalkTally,
): Promise<void> {
  const [api] = nodes;
  const { id } = await api.newOrganization({ timezone: ZONE });
  await addLocation(api.db, id);
  const plan = { billingKind: "recurring" as const, entitlements: [{ type: "access" }] };
  await addPlan(api.db, id, { ...plan, billingInterval: "week", priceCents: 9_900 });
  await addPlan(api.db, id, { ...plan, billingInterval: "month", priceCents: 28_900 });
  await addPlan(api.db, id, { ...plan, billingKind: "one_time", priceCents: 5_000 });
  let day = "2026-01-05";
  const done: string[] = [];
  const perform = async (operation: string, input: object, place: number): Promise<void> => {
    const write = STAFF_WRITES.find(({ name }) => name === operation);
    assert.ok(write, operation);
    const { served, keySecret } = nodes[place % 2] as TestApi;
    // A minute for each step, so that later ones have later ids.
    const at = new Date(Date.parse(`${day}T15:00:00Z`) + place * 60_000).toISOString();
    const call = { db: atInstant(served, at), organizationId: id, keySecret, actor: OWNER };
    done.push(`${at} ${operation} ${JSON.stringify(input)}`);
    const outcome = await refusalOf(performWrite(write, call, input));
    const counted = tally.get(operation) ?? { done: 0, refusals: new Map<string, number>() };
    tally.set(operation, counted);
    if (outcome === "done") counted.done++;
    else counted.refusals.set(outcome, (counted.refusals.get(outcome) ?? 0) + 1);
  };
  for (let count = 0; count < 3; count++)
    await perform("addClient", { contactName: "Ana", locationIds: [] }, count);
  await perform("editSettings", { changes: { invoicesFrom: day } }, 3);
  for (let first = 0; first < steps.length; first += abreast) {
    const handful = steps.slice(first, first + abreast);
    for (const { waits } of handful) if (waits >= 7) day = daysAfter(day, waits === 9 ? 31 : 1);
    const stored = await readStored(api.db, id);
    const studio = new Studio(stored, Date.parse(`${day}T15:00:00Z`), ZONE);
    await Promise.all(
      handful.map(({ operation: drawn, draws }, place) => {
        const operation = OPERATIONS[drawn] ?? "";
        const input = INPUTS[operation]?.(new Draws(draws), studio) ?? {};
        return perform(operation, input, 4 + first + place);
      }),
    );
    assert.deepEqual(await findMoneyDeviations(api, id), [], `after\n${done.join("\n")}`);
  }
  await applyDueChanges(atInstant(api.db, `${daysAfter(day, 400)}T15:00:00Z`), id);
  assert.deepEqual(await findMoneyDeviations(api, id), [], `a year after\n${done.join("\n")}`);
}
