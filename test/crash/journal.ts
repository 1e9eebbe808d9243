import type { ClientInput } from "../../src/clients/schema.ts";
import { newId } from "../support/ids.ts";
import type { Caller, Outcome } from "./caller.ts";
import { pick } from "./chance.ts";

/** A client as one write leaves it. All of its fields follow from the mark, so that half a write shows. */
export interface State {
  readonly mark: string;
  readonly status: "active" | "archived";
  /** As it was acknowledged. */
  readonly updatedAt?: string;
}

interface Known {
  readonly acknowledged: State;
  /** What the last write would have made of it, if that was carried out: nobody knows. */
  readonly inDoubt?: State;
}

/** The log of what was acknowledged, kept outside of everything that is killed. */
export class Journal {
  readonly clients = new Map<string, Known>();
  /** Creations without an answer, by their marks. */
  readonly creationsInDoubt = new Set<string>();
  /** Acknowledged writes, and those among them that changed something. */
  acknowledged = 0;
  changes = 0;
  /** Answers and failures, by what they were. */
  readonly tally = new Map<string, number>();
  /** Answers that no fault excuses. */
  readonly faults: string[] = [];
  lastFailureAt = 0;
  lastSuccessAt = 0;

  note(outcome: Outcome, expected: readonly number[]): void {
    const name = outcome.kind === "answered" ? String(outcome.status) : outcome.kind;
    this.tally.set(name, (this.tally.get(name) ?? 0) + 1);
    if (outcome.kind === "answered" && expected.includes(outcome.status)) {
      this.lastSuccessAt = performance.now();
      return;
    }
    this.lastFailureAt = performance.now();
    if (outcome.kind !== "answered") return;
    const isExcused = outcome.status === 503 && /^\d+$/.test(outcome.headers["retry-after"] ?? "");
    if (!isExcused) this.faults.push(`${outcome.status} ${JSON.stringify(outcome.body)}`);
  }
}

/** The content of a client with this mark. */
export function contentFor(mark: string, locationIds: readonly string[]): ClientInput {
  // Which locations depends on the mark too: one, several or all of them.
  const chosen = Number.parseInt(mark.slice(-1), 16) % (2 ** locationIds.length - 1);
  return {
    contactName: `Ana ${mark}`,
    contactEmail: `${mark}@example.com`,
    address: { city: mark },
    idDocument: { type: "other", value: mark },
    locationIds: locationIds.filter((_, index) => (((chosen + 1) >> index) & 1) === 1),
    notes: `Since ${mark}.`,
  };
}

const PAUSE_AFTER_FAILURE_MS = 40;

/** Creates, replaces and archives clients of its own, one write after the other, until it is stopped. */
export async function keepWriting(
  caller: Caller,
  journal: Journal,
  locationIds: readonly string[],
  draw: () => number,
  goesOn: () => boolean,
): Promise<void> {
  const mine: string[] = [];
  while (goesOn()) {
    const chance = draw();
    const id = chance < 0.4 ? undefined : pick(mine, draw);
    const isDone =
      id === undefined
        ? await create(caller, journal, locationIds, mine)
        : chance < 0.8
          ? await replace(caller, journal, locationIds, id, chance < 0.5)
          : await archive(caller, journal, id);
    if (isDone) continue;
    // A write that was not answered may still be on its way to the database: it could overtake the next.
    if (id !== undefined) mine.splice(mine.indexOf(id), 1);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_AFTER_FAILURE_MS));
  }
}

async function create(
  caller: Caller,
  journal: Journal,
  locationIds: readonly string[],
  mine: string[],
): Promise<boolean> {
  const mark = newId();
  const outcome = await caller.send("POST", "/v1/clients", contentFor(mark, locationIds));
  journal.note(outcome, [201]);
  if (outcome.kind === "answered" && outcome.status === 201) {
    const { id, updatedAt } = outcome.body;
    acknowledge(journal, id, { mark, status: "active", updatedAt }, true);
    mine.push(id);
    return true;
  }
  if (outcome.kind !== "refused") journal.creationsInDoubt.add(mark);
  return false;
}

async function replace(
  caller: Caller,
  journal: Journal,
  locationIds: readonly string[],
  id: string,
  revives: boolean,
): Promise<boolean> {
  const before = stateOf(journal, id);
  const mark = newId();
  const content = contentFor(mark, locationIds);
  const after: State = { mark, status: revives ? "active" : before.status };
  const body = revives ? { ...content, status: "active" } : content;
  const outcome = await caller.send("PUT", `/v1/clients/${id}`, body);
  journal.note(outcome, [200]);
  if (outcome.kind === "answered" && outcome.status === 200) {
    acknowledge(journal, id, { ...after, updatedAt: outcome.body.updatedAt }, true);
    return true;
  }
  if (outcome.kind !== "refused") journal.clients.set(id, { acknowledged: before, inDoubt: after });
  return false;
}

async function archive(caller: Caller, journal: Journal, id: string): Promise<boolean> {
  const before = stateOf(journal, id);
  const after: State = { mark: before.mark, status: "archived" };
  const outcome = await caller.send("DELETE", `/v1/clients/${id}`);
  journal.note(outcome, [204]);
  if (outcome.kind === "answered" && outcome.status === 204) {
    const isChange = before.status === "active";
    acknowledge(journal, id, isChange ? after : before, isChange);
    return true;
  }
  if (outcome.kind !== "refused") journal.clients.set(id, { acknowledged: before, inDoubt: after });
  return false;
}

function acknowledge(journal: Journal, id: string, state: State, isChange: boolean): void {
  journal.clients.set(id, { acknowledged: state });
  journal.acknowledged++;
  if (isChange) journal.changes++;
}

function stateOf(journal: Journal, id: string): State {
  const known = journal.clients.get(id);
  if (!known) throw new Error("a writer changes only what it has created");
  return known.acknowledged;
}
