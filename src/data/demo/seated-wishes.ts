import { daysBefore } from "../../core/dates.ts";
import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import { type CoveringContract, findCoverage } from "../../domain/bookings/coverage.ts";
import type { Plan } from "../../domain/plans/schema.ts";
import type { DemoContract } from "./agreements.ts";
import type { Catalog } from "./catalog.ts";
import type { Chance } from "./chance.ts";
import type { DemoClient } from "./people.ts";
import type { StagedSession } from "./staging.ts";
import type { Wish } from "./wishes.ts";

/** A wish with its person. */
export interface SeatedWish extends Wish {
  readonly clientId: string;
  readonly contractId?: string;
  readonly entitlementId?: string;
}

/** As long as the organization's settings do not say otherwise. */
const MONDAY = 1;

/**
 * Gives the wishes to people. Asked in the order in which they were booked, so that every draw is the one that the
 * operations would have made at that moment.
 */
export class Seating {
  readonly #chance: Chance;
  /** By location. */
  readonly #people = new Map<string, { readonly id: string; readonly createdMs: number }[]>();
  /** By client: those that may cover a day of the fortnight. */
  readonly #contracts = new Map<string, (CoveringContract & { readonly createdMs: number })[]>();
  readonly #groups = new Map<string, string[]>();
  /** By entitlement: the days of the bookings that hold a draw on it. */
  readonly #held = new Map<string, string[]>();
  /** By entitlement with credits: how many draws there can have been, given what is left of it. */
  readonly #spent = new Map<string, number>();
  /** By day: who is booked somewhere. */
  readonly #busy = new Map<string, Set<string>>();
  /** By session: who was asked already and is not covered. */
  readonly #refused = new Map<string, Set<string>>();
  /** What was cancelled in time holds its draw until then. */
  #returns: { readonly atMs: number; readonly entitlementId: string; readonly day: string }[] = [];

  constructor(
    chance: Chance,
    today: string,
    { plans, serviceGroups }: Catalog,
    clients: readonly DemoClient[],
    contracts: readonly DemoContract[],
  ) {
    this.#chance = chance;
    for (const { id, status, locationIds, createdAt } of clients)
      for (const locationId of status === "active" ? locationIds : [])
        push(this.#people, locationId, { id, createdMs: Date.parse(createdAt) });
    for (const { id, serviceTypeIds } of serviceGroups)
      for (const typeId of serviceTypeIds) push(this.#groups, typeId, id);
    const oldest = daysBefore(today, 7);
    for (const contract of contracts) {
      if (contract.status === "cancelled" || (contract.endDate ?? oldest) < oldest) continue;
      const pauses = (contract.pauses ?? []).map((pause) => ({ ...pause, id: pause.id ?? "" }));
      const createdMs = Date.parse(contract.createdAt);
      push(this.#contracts, contract.clientId, { ...contract, hasLastDay: false, pauses, createdMs });
      const plan = plans.find(({ id }) => id === contract.planId);
      for (const [position, { id, type, remainingCredits = 0 }] of contract.entitlements.entries())
        if (type === "credits")
          this.#spent.set(id, Math.max(0, soldCredits(plan, position) - remainingCredits));
    }
  }

  /** The wish with somebody who could have it, if there is anybody. */
  seat(wish: Wish): SeatedWish | undefined {
    this.#takeReturns(wish.bookedMs);
    const { session, uncoveredReason } = wish;
    for (const clientId of this.#candidates(wish)) {
      const [draw] = this.#drawsOf(clientId, wish);
      if (uncoveredReason !== undefined) {
        if (draw) continue;
        setOf(this.#busy, session.day).add(clientId);
        return { ...wish, clientId };
      }
      if (!draw || !this.#take(draw, wish)) {
        setOf(this.#refused, session.id).add(clientId);
        continue;
      }
      // Who cancelled in time may come on that day after all.
      if (wish.ended?.state !== "cancelled") setOf(this.#busy, session.day).add(clientId);
      return { ...wish, clientId, contractId: draw.contractId, entitlementId: draw.entitlementId };
    }
    return undefined;
  }

  /** People who would be covered in a session and are not there, for its line. */
  findWaiting(session: StagedSession, atMs: number, count: number): string[] {
    const found: string[] = [];
    const wish = { session, bookedMs: atMs };
    for (const clientId of this.#candidates(wish)) {
      if (found.length === count) break;
      if (this.#drawsOf(clientId, wish)[0]?.type === "access") found.push(clientId);
    }
    return found;
  }

  /** Everybody of that place who was known then and has nothing else on that day, from a random one on. */
  *#candidates({ session, bookedMs, clientId: only, uncoveredReason }: Wish): Generator<string> {
    const people = this.#people.get(session.locationId) ?? [];
    const busy = setOf(this.#busy, session.day);
    const refused = setOf(this.#refused, session.id);
    const first = Math.floor(this.#chance.fraction() * people.length);
    for (const { id, createdMs } of [...people.slice(first), ...people.slice(0, first)]) {
      // The client of the examples is asked by name alone.
      if (
        createdMs > bookedMs ||
        busy.has(id) ||
        (only === undefined ? id === EXAMPLE_IDS.client : id !== only)
      )
        continue;
      if (uncoveredReason !== undefined || (this.#contracts.has(id) && !refused.has(id))) yield id;
    }
  }

  #drawsOf(clientId: string, { session, bookedMs }: Pick<Wish, "session" | "bookedMs">) {
    const { day, locationId, serviceTypeId } = session;
    const contracts = (this.#contracts.get(clientId) ?? [])
      .filter(({ createdMs }) => createdMs <= bookedMs)
      .map((contract) => this.#asItWas(contract));
    const serviceGroupIds = this.#groups.get(serviceTypeId) ?? [];
    return findCoverage(contracts, this.#held, { day, locationId, serviceTypeId, serviceGroupIds }, MONDAY)
      .draws;
  }

  /** A contract with the credits it had: what is left of them now, and what is still to be spent. */
  #asItWas(contract: CoveringContract): CoveringContract {
    if (!contract.entitlements.some(({ id }) => this.#spent.has(id))) return contract;
    const entitlements = contract.entitlements.map((grant) => {
      const spent = this.#spent.get(grant.id);
      return spent === undefined
        ? grant
        : { ...grant, remainingCredits: (grant.remainingCredits ?? 0) + spent };
    });
    return { ...contract, entitlements };
  }

  #take(draw: { entitlementId: string; type: string }, { session: { day }, ended }: Wish): boolean {
    const { entitlementId, type } = draw;
    if (type === "credits") {
      const spent = this.#spent.get(entitlementId) ?? 0;
      // One more would leave less than the contract has, and one that came back would have to be there twice.
      if (spent < 1 || ended?.state === "cancelled") return false;
      this.#spent.set(entitlementId, spent - 1);
    }
    push(this.#held, entitlementId, day);
    if (ended?.state === "cancelled") this.#returns.push({ atMs: ended.atMs, entitlementId, day });
    return true;
  }

  #takeReturns(untilMs: number): void {
    for (const { entitlementId, day } of this.#returns.filter(({ atMs }) => atMs <= untilMs)) {
      const days = this.#held.get(entitlementId) ?? [];
      this.#held.set(entitlementId, days.toSpliced(days.indexOf(day), 1));
    }
    this.#returns = this.#returns.filter(({ atMs }) => atMs > untilMs);
  }
}

/** What a plan granted; of one that was deleted nobody knows any more. */
function soldCredits(plan: Plan | undefined, position: number): number {
  return plan?.entitlements[position]?.creditQuantity ?? 0;
}

function push<Value>(lists: Map<string, Value[]>, key: string, value: Value): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

function setOf(sets: Map<string, Set<string>>, key: string): Set<string> {
  const known = sets.get(key);
  if (known) return known;
  const made = new Set<string>();
  sets.set(key, made);
  return made;
}
