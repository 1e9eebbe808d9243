import { daysAfter, daysBefore, daysBetween } from "../../core/dates.ts";
import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import type { Contract } from "../../domain/contracts/schema.ts";
import type { Plan } from "../../domain/plans/schema.ts";
import type { RecordOf } from "../bundle/schema.ts";
import { TERMS } from "./catalog.ts";
import { type Chance, newChance } from "./chance.ts";

/** A contract with what the application keeps of it beside what the API shows. */
export type DemoContract = Contract & Pick<RecordOf<"contract">, "terms" | "pauses">;

type DemoPause = NonNullable<DemoContract["pauses"]>[number];

/** Adds the agreements and the pauses of the contracts. Drawn apart, so that the rest of the studio stays as it was. */
export function withTermsAndPauses(
  seed: string,
  today: string,
  plans: readonly Plan[],
  contracts: readonly Contract[],
): DemoContract[] {
  const chance = newChance(`${seed} pauses`);
  const terms = new Map(plans.map((plan) => [plan.id, plan.terms]));
  return contracts.map((contract) => {
    // What was agreed outlives the plan.
    const agreed = terms.get(contract.planId ?? "") ?? (contract.termsResponse && TERMS);
    const paused = contract.id === EXAMPLE_IDS.contract ? contract : withPauses(chance, today, contract);
    return { ...paused, ...(agreed !== undefined && { terms: agreed }) };
  });
}

/** Of those that run: one that is paused has a pause now, and of the others some had one or will have one. */
function withPauses(chance: Chance, today: string, contract: Contract): DemoContract {
  const { status, startDate, endDate, isTrial, cancelledAt } = contract;
  const drawn = () => chance.id(Date.parse(contract.createdAt));
  if (status === "paused") {
    const began = daysBefore(today, chance.between(1, 14));
    const firstDay = began < startDate ? startDate : began;
    const extendsTerm = chance.odds(0.8);
    // An open one that does not extend the term would end with it, whatever comes.
    const isOpen = extendsTerm && chance.odds(0.4);
    const back = daysAfter(today, chance.between(2, 40));
    const lastDay = !extendsTerm && endDate !== undefined && endDate < back ? endDate : back;
    return extended(contract, { id: drawn(), firstDay, ...(!isOpen && { lastDay }), extendsTerm });
  }
  if (status !== "active" || isTrial || cancelledAt !== undefined) return contract;
  const age = daysBetween(startDate, today);
  if (age > 40 && chance.odds(0.12)) {
    const firstDay = daysAfter(startDate, chance.between(5, age - 25));
    const lastDay = daysAfter(firstDay, chance.between(6, 20));
    return extended(contract, { id: drawn(), firstDay, lastDay, extendsTerm: true });
  }
  if (chance.odds(0.06)) {
    const firstDay = daysAfter(today, chance.between(3, 30));
    const lastDay = daysAfter(firstDay, chance.between(6, 27));
    if (endDate === undefined || firstDay <= endDate)
      return extended(contract, { id: drawn(), firstDay, lastDay, extendsTerm: true });
  }
  return contract;
}

/** The days of a pause are added to the term; those of an open one when it ends. */
function extended(contract: Contract, pause: DemoPause): DemoContract {
  const { endDate } = contract;
  const { firstDay, lastDay, extendsTerm } = pause;
  const isLonger = extendsTerm && endDate !== undefined && lastDay !== undefined;
  return {
    ...contract,
    ...(isLonger && { endDate: daysAfter(endDate, daysBetween(firstDay, lastDay) + 1) }),
    pauses: [pause],
  };
}
