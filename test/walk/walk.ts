import assert from "node:assert/strict";
import fc from "fast-check";
import { STAFF_WRITES } from "../../src/app/all-writes.ts";
import type { Actor } from "../../src/core/actor.ts";
import { MS_PER_DAY } from "../../src/core/dates.ts";
import { ONLY_PUBLIC } from "../../src/core/network-addresses.ts";
import type { OpenDatabase } from "../../src/db/database.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import { applyDueChanges, zoneOf } from "../../src/domain/due-changes/due-changes.ts";
import { performDryRun } from "../../src/domain/writes/perform-write.ts";
import type { TestApi } from "../support/api.ts";
import { findMoneyDeviations } from "../support/money-deviations.ts";
import { addLocation } from "../support/records.ts";
import { newStaff } from "../support/staff.ts";
import { OWNER, performWrite, refusalOf } from "../support/staff-writes.ts";
import { Draws, INPUTS } from "./inputs.ts";
import { checkStep } from "./invariants.ts";
import { readStored, Studio } from "./studio.ts";

/** How far the days of a walk lie ahead, in order. */
const DAYS = [0, 1, 4, 19, 47, 90, 200];
const ZONE = "America/Sao_Paulo";

/** How often an operation is drawn, if not once. */
const WEIGHTS: Readonly<Record<string, number>> = {
  addClient: 4,
  addPlan: 3,
  editPlan: 4,
  sellContract: 10,
  adjustCredits: 3,
  pauseContract: 4,
  endPause: 3,
  cancelContract: 3,
  reinstateContract: 3,
  setEndDate: 2,
  answerTerms: 2,
  eraseClient: 2,
};

export const OPERATIONS = Object.keys(INPUTS);
const WEIGHTED = OPERATIONS.flatMap((name) => Array.from({ length: WEIGHTS[name] ?? 1 }, () => name));

export interface WalkOptions {
  readonly walks: number;
  readonly steps: number;
  readonly seed?: number | undefined;
}

/** How often each operation was carried out, and how often it was refused with what. */
export type WalkTally = Map<string, { done: number; readonly refusals: Map<string, number> }>;

const step = fc.noBias(
  fc.record({
    /** Now and then some days pass. */
    waits: fc.nat({ max: 24 }),
    operation: fc.nat({ max: WEIGHTED.length - 1 }),
    draws: fc.array(fc.nat({ max: 9_999 }), { minLength: 24, maxLength: 24 }),
  }),
);

/**
 * Random writes to a studio, one after the other and over many days, as a door would carry them out. After each of them
 * the invariants are checked on everything that is stored.
 */
export async function walk(api: TestApi, { walks, steps, seed }: WalkOptions): Promise<WalkTally> {
  const tally: WalkTally = new Map(OPERATIONS.map((name) => [name, { done: 0, refusals: new Map() }]));
  const days = DAYS.map((ahead) => openDay(api, ahead));
  try {
    const property = fc.asyncProperty(
      fc.array(step, { minLength: steps, maxLength: steps, size: "max" }),
      (taken) => takeSteps(api, days, taken, tally),
    );
    const ran = await fc.check(property, {
      numRuns: walks,
      ...(seed !== undefined && { seed }),
      endOnFailure: true,
    });
    // The steps are long and say little; the seed brings them back.
    if (ran.failed) throw new Error(`a walk with seed ${ran.seed} failed`, { cause: ran.errorInstance });
  } finally {
    await Promise.all(days.map((db) => db.close()));
  }
  return tally;
}

/** The program's connections at noon of a day: whatever the hour, no day ends while it is walked. */
function openDay({ store }: TestApi, ahead: number): OpenDatabase {
  const noon = Math.floor(Date.now() / MS_PER_DAY) * MS_PER_DAY + MS_PER_DAY * 0.625;
  const connection = { ...store.connection, clockOffsetMs: noon - Date.now() + ahead * MS_PER_DAY };
  return openDatabase({ connection, applicationName: "rollbook program", poolSize: 1 });
}

/** So that there is something to act on from the start. */
const FIRST_STEPS: readonly Step[] = (
  [
    ["addServiceType", 39],
    ["addPlan", 39],
    ["addPlan", 23],
    ["addResource", 39],
    ["addClient", 39],
    ["addClient", 4],
    ["sellContract", 39],
    ["sellContract", 4],
    ["sellContract", 21],
  ] as const
).map(([name, number]) => ({
  waits: 0,
  operation: WEIGHTED.indexOf(name),
  draws: Array.from({ length: 24 }, () => number),
}));

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

async function takeSteps(
  api: TestApi,
  days: readonly OpenDatabase[],
  taken: readonly Step[],
  tally: WalkTally,
): Promise<void> {
  const { id: organizationId } = await api.newOrganization({ timezone: ZONE });
  await newStaff(api, organizationId);
  const home = await addLocation(api.db, organizationId);
  const elsewhere: Actor = { name: "staff:elsewhere", role: "owner", locationIds: [home] };
  const zone = zoneOf(ZONE);
  let day = 0;
  for (const { waits, operation: drawn, draws: numbers } of [...FIRST_STEPS, ...taken]) {
    if (waits === 24 && day < days.length - 1) day++;
    const db = days[day] as OpenDatabase;
    await applyDueChanges(db, organizationId);
    const now = await db.now();
    const before = await readStored(db, organizationId);
    const studio = new Studio(before, now, ZONE);
    const draws = new Draws(numbers);
    const operation = WEIGHTED[drawn] ?? "";
    const write = STAFF_WRITES.find(({ name }) => name === operation);
    const input = INPUTS[operation]?.(draws, studio);
    assert.ok(write && input, operation);
    const call = { db, organizationId, keySecret: api.keySecret, actor: draws.once(12) ? elsewhere : OWNER };
    const isDryRun = draws.once(12);
    const work = isDryRun
      ? performDryRun(
          write,
          { ...call, publicUrl: "https://studio.example.com", callRules: ONLY_PUBLIC },
          input,
        )
      : performWrite(write, call, input);
    const outcome = await refusalOf(work);
    const after = await readStored(db, organizationId);
    try {
      assert.deepEqual(await findMoneyDeviations(api, organizationId), []);
      checkStep(
        {
          operation,
          input: input as Record<string, unknown>,
          outcome: outcome === "done" && isDryRun ? "dry run" : outcome,
          before,
          after,
        },
        { zone, now: await db.now(), today: studio.today },
      );
    } catch (cause) {
      const sentence = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`${operation} ${JSON.stringify(input)} on ${studio.today} (${outcome}): ${sentence}`, {
        cause,
      });
    }
    const counted = tally.get(operation);
    if (!counted) continue;
    if (outcome === "done") counted.done++;
    else counted.refusals.set(outcome, (counted.refusals.get(outcome) ?? 0) + 1);
  }
}
