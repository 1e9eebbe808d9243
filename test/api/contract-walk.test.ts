import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Actor } from "../../src/core/actor.ts";
import { daysAfter, MS_PER_DAY } from "../../src/core/dates.ts";
import { AppError } from "../../src/core/errors.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import { read } from "../../src/db/statements.ts";
import { advanceTimeline, nextChangeAt, statusOn } from "../../src/domain/contract-status/status-timeline.ts";
import {
  type ContractTerm,
  cancelAfter,
  cancelNow,
  endPauseOfTerm,
  pauseTerm,
  reinstateTerm,
  setEndOfTerm,
  type TermChange,
} from "../../src/domain/contracts/changes.ts";
import * as contracts from "../../src/domain/contracts/operations.ts";
import { endOfTerm } from "../../src/domain/contracts/term.ts";
import { applyDueChanges, zoneOf } from "../../src/domain/due-changes/due-changes.ts";
import { addPlan } from "../../src/domain/plans/operations.ts";
import { dateIn } from "../../src/domain/recurrence/zones.ts";
import { startApi } from "../support/api.ts";
import { addLocation } from "../support/records.ts";

const api = await startApi();
const ZONE = "America/Sao_Paulo";
const BY: Actor = { name: "staff:test", role: "owner", locationIds: undefined };

/** The days of a walk, each with the program's connections on that day. */
const DAYS = [0, 4, 19, 47].map((days) => {
  const connection = { ...api.store.connection, clockOffsetMs: days * MS_PER_DAY };
  return openDatabase({ connection, applicationName: "rollbook do", poolSize: 2 });
});
test.after(() => Promise.all(DAYS.map((db) => db.close())));

const which = fc.nat({ max: 5 });
const offset = fc.integer({ min: -3, max: 60 });
const step = fc.oneof(
  fc.record({
    kind: fc.constant("sell" as const),
    start: fc.integer({ min: -20, max: 20 }),
    days: fc.option(fc.integer({ min: 1, max: 60 })),
  }),
  fc.record({
    kind: fc.constant("pause" as const),
    which,
    first: offset,
    length: fc.option(fc.integer({ min: 1, max: 15 })),
    extendsTerm: fc.boolean(),
  }),
  fc.record({ kind: fc.constant("endPause" as const), which, back: offset }),
  fc.record({ kind: fc.constant("cancelNow" as const), which }),
  fc.record({ kind: fc.constant("cancelAfter" as const), which, lastDay: offset }),
  fc.record({ kind: fc.constant("reinstate" as const), which }),
  fc.record({ kind: fc.constant("setEnd" as const), which, endDate: fc.option(offset) }),
  fc.record({
    kind: fc.constant("credits" as const),
    which,
    by: fc.integer({ min: -6, max: 6 }).filter((by) => by !== 0),
  }),
  fc.record({ kind: fc.constant("nextDay" as const) }),
);

const stored = read(
  "test_walk_contracts",
  `select c.id, c.status, c.end_date as "endDate", c.agreed_end_date as "agreedEndDate", c.cancelled_at as "cancelledAt",
     c.next_change_at as "nextChangeAt",
     (select e.remaining_credits from contract_entitlements e where e.organization_id = c.organization_id and e.contract_id = c.id) as credits,
     (select coalesce(json_agg(json_build_array(p.first_day, p.last_day, p.extends_term) order by p.first_day), '[]')
      from contract_pauses p where p.organization_id = c.organization_id and p.contract_id = c.id) as pauses
   from contracts c where c.organization_id = $1`,
);

const organization = read(
  "test_walk_organization",
  `select o.due_at as "dueAt", (select min(next_change_at) from contracts where organization_id = $1) as earliest,
     (select jsonb_object_agg(status, count) from (
        select status, count(*) as count from contracts where organization_id = $1 group by 1) s) as counted,
     (select jsonb_build_object('active', sum(contracts_active), 'paused', sum(contracts_paused),
        'cancelled', sum(contracts_cancelled), 'expired', sum(contracts_expired))
      from organization_counters where organization_id = $1) as counters
   from organizations o where o.id = $1`,
);

interface Held {
  readonly id: string;
  readonly entitlementId: string;
  term: ContractTerm;
  credits: number;
}

const reasonOf = (error: unknown) => {
  assert.ok(error instanceof AppError, String(error));
  return error.faults.length > 0 ? "invalid" : String(error.facts.reason);
};

test("after any walk of operations and days, what is stored is what the rules say, and the totals are true", async () => {
  let done = 0;
  const zone = zoneOf(ZONE);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 45 }), async (steps) => {
      const studio = await api.newOrganization();
      const locationId = await addLocation(api.db, studio.id);
      const body = { contactName: "Ana", locationIds: [locationId] };
      const clientId = (await studio.call("POST", "/v1/clients", { body })).body.id as string;
      const plan = { name: "Pacote", billingKind: "one_time" as const, priceCents: 1 };
      const newPlan = async (days: number | null) =>
        (
          await addPlan(
            { db: DAYS[0] as (typeof DAYS)[number], actor: BY, organizationId: studio.id },
            {
              ...plan,
              ...(days !== null && { durationCount: days, durationUnit: "day" as const }),
              entitlements: [{ type: "credits", creditQuantity: 5 }],
            },
          )
        ).result.id;
      const held: Held[] = [];
      let day = 0;
      let settledAt = Date.now();
      for (const one of steps) {
        const db = DAYS[day] as (typeof DAYS)[number];
        const today = dateIn(ZONE, Date.now() + db.clockOffsetMs);
        const date = (days: number) => daysAfter(today, days);
        const input = { db, actor: BY, organizationId: studio.id };
        const reason = "walk";
        if (one.kind === "nextDay") {
          if (day === DAYS.length - 1) continue;
          day++;
          const now = Date.now() + (DAYS[day]?.clockOffsetMs ?? 0);
          for (const contract of held) {
            const { status } = advanceTimeline(contract.term, zone, settledAt, now);
            contract.term = { ...contract.term, status };
          }
          settledAt = now;
          continue;
        }
        if (one.kind === "sell") {
          const planId = await newPlan(one.days);
          const startDate = date(one.start);
          const { result } = await contracts.sellContract(input, { clientId, planId, startDate });
          const endDate = endOfTerm(
            startDate,
            one.days === null ? {} : { durationCount: one.days, durationUnit: "day" },
          );
          const term: ContractTerm = {
            status: "active",
            startDate,
            endDate,
            agreedEndDate: endDate,
            pauses: [],
          };
          const { id, entitlements } = result;
          const entitlementId = entitlements[0]?.id ?? "";
          held.push({ id, entitlementId, term: { ...term, status: statusOn(term, today) }, credits: 5 });
          done++;
          continue;
        }
        const contract = held[one.which % Math.max(held.length, 1)];
        if (!contract) continue;
        const { id: contractId, term } = contract;
        if (one.kind === "credits") {
          const { entitlementId } = contract;
          const isPossible =
            (term.status === "active" || term.status === "paused") && contract.credits + one.by >= 0;
          const work = contracts.adjustCredits(input, { entitlementId, by: one.by, reason });
          if (isPossible) contract.credits = (await work).result.entitlements[0]?.remainingCredits ?? -1;
          else await assert.rejects(work, AppError);
          done++;
          continue;
        }
        const at = new Date(Date.now() + db.clockOffsetMs).toISOString();
        const [rule, operation]: [() => TermChange, () => Promise<unknown>] = (() => {
          switch (one.kind) {
            case "pause": {
              const firstDay = date(one.first);
              const { extendsTerm } = one;
              const lastDay = one.length === null ? undefined : daysAfter(firstDay, one.length - 1);
              const pause = { id: String(done), firstDay, lastDay, extendsTerm };
              const given = { contractId, firstDay, extendsTerm, ...(lastDay !== undefined && { lastDay }) };
              return [() => pauseTerm(term, pause, { today }), () => contracts.pauseContract(input, given)];
            }
            case "endPause": {
              const firstDayBack = date(one.back);
              return [
                () => endPauseOfTerm(term, { firstDayBack, today }),
                () => contracts.endPause(input, { contractId, firstDayBack }),
              ];
            }
            case "cancelNow":
              return [
                () => cancelNow(term, { today, at }),
                () => contracts.cancelContract(input, { contractId, now: true, reason }),
              ];
            case "cancelAfter": {
              const lastDay = date(one.lastDay);
              return [
                () => cancelAfter(term, lastDay, { today, at }),
                () => contracts.cancelContract(input, { contractId, lastDay, reason }),
              ];
            }
            case "reinstate":
              return [
                () => reinstateTerm(term, today),
                () => contracts.reinstateContract(input, { contractId }),
              ];
            case "setEnd": {
              const endDate = one.endDate === null ? null : date(one.endDate);
              return [
                () => setEndOfTerm(term, endDate ?? undefined, today),
                () => contracts.setEndDate(input, { contractId, endDate, reason }),
              ];
            }
          }
        })();
        let expected: ContractTerm | string;
        try {
          expected = rule().term;
        } catch (error) {
          expected = reasonOf(error);
        }
        const answered = await operation().then(() => "done", reasonOf);
        assert.equal(answered, typeof expected === "string" ? expected : "done", one.kind);
        if (typeof expected !== "string") contract.term = expected;
        done++;
      }
      const db = DAYS[day] as (typeof DAYS)[number];
      await applyDueChanges(db, studio.id);
      const now = Date.now() + db.clockOffsetMs;
      const rows = new Map(
        (await api.db.query<{ id: string }>(stored, [studio.id])).map((row) => [row.id, row]),
      );
      assert.equal(rows.size, held.length);
      for (const { id, term, credits } of held) {
        const { cancelledAt, nextChangeAt: next, ...row } = rows.get(id) as Record<string, unknown>;
        const change = nextChangeAt(term, zone, now);
        assert.deepEqual(
          row,
          JSON.parse(
            JSON.stringify({
              id,
              status: term.status,
              endDate: term.endDate,
              agreedEndDate: term.agreedEndDate,
              credits,
              pauses: term.pauses.map(({ firstDay, lastDay, extendsTerm }) => [
                firstDay,
                lastDay ?? null,
                extendsTerm,
              ]),
            }),
          ),
        );
        assert.equal(cancelledAt === undefined, term.cancelledAt === undefined);
        assert.equal(next, change === undefined ? undefined : new Date(change).toISOString());
      }
      const [whole] = await api.db.query<Record<string, Record<string, number> | string>>(organization, [
        studio.id,
      ]);
      assert.equal(whole?.dueAt, whole?.earliest);
      assert.deepEqual(whole?.counters, {
        active: 0,
        paused: 0,
        cancelled: 0,
        expired: 0,
        ...(whole?.counted as object),
      });
    }),
    { numRuns: Number(process.env.WALKS ?? 6) },
  );
  assert.ok(done > 30, `only ${done} operations`);
});
