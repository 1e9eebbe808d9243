import type { ClientInput } from "../../src/domain/clients/schema.ts";
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
  /** Acknowledgements that an earlier try of the same write had earned. */
  replays = 0;
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
      if (outcome.headers["idempotent-replayed"] === "true") this.replays++;
      return;
    }
    this.lastFailureAt = performance.now();
    if (outcome.kind !== "answered") return;
    const isBusy = outcome.status === 503 || outcome.body?.code === "in_progress";
    const isExcused = isBusy && /^\d+$/.test(outcome.headers["retry-after"] ?? "");
    if (!isExcused) this.faults.push(`${outcome.status} ${JSON.stringify(outcome.body)}`);
  }
}

/** A new mark, which is also the Idempotency-Key of its write if there is to be one. */
function newMark(isKeyed: boolean): string {
  return `${isKeyed ? KEYED : ""}${newId()}`;
}

const KEYED = "key-";

function keyOf(mark: string): string | undefined {
  return mark.startsWith(KEYED) ? mark : undefined;
}

/** The content of a client with this mark. One with a key has no id document, which would keep it from being made twice. */
export function contentFor(mark: string, locationIds: readonly string[]): ClientInput {
  // Which locations depends on the mark too: one, several or all of them.
  const chosen = Number.parseInt(mark.slice(-1), 16) % (2 ** locationIds.length - 1);
  return {
    contactName: `Ana ${mark}`,
    contactEmail: `${mark}@example.com`,
    address: { city: mark },
    ...(keyOf(mark) === undefined && { idDocument: { type: "other", value: mark } as const }),
    locationIds: locationIds.filter((_, index) => (((chosen + 1) >> index) & 1) === 1),
    notes: `Since ${mark}.`,
  };
}

const PAUSE_AFTER_FAILURE_MS = 40;

/** How hard callers press. */
export interface Pressure {
  /** Between two writes of a caller, none unless given: a short test has enough of them with the processor half idle. */
  readonly pauseMs?: number | undefined;
}

interface Writer {
  readonly caller: Caller;
  readonly journal: Journal;
  readonly locationIds: readonly string[];
  readonly goesOn: () => boolean;
}

/**
 * Creates, replaces and archives clients of its own, one write after the other, until it is told to stop. Half of the
 * writes have a key: such a write is sent until it is answered.
 */
export async function keepWriting(
  caller: Caller,
  journal: Journal,
  locationIds: readonly string[],
  draw: () => number,
  goesOn: () => boolean,
  { pauseMs = 0 }: Pressure = {},
): Promise<void> {
  const writer: Writer = { caller, journal, locationIds, goesOn };
  const mine: string[] = [];
  while (goesOn()) {
    const chance = draw();
    const mark = newMark(draw() < 0.5);
    const id = chance < 0.4 ? undefined : pick(mine, draw);
    const isDone =
      id === undefined
        ? await create(writer, mark, mine)
        : chance < 0.8
          ? await replace(writer, mark, id, chance < 0.5)
          : await archive(writer, mark, id);
    if (isDone && pauseMs > 0) await pause(pauseMs);
    if (isDone) continue;
    // A write that was not answered may still be on its way to the database: it could overtake the next.
    if (id !== undefined) mine.splice(mine.indexOf(id), 1);
    await pause(PAUSE_AFTER_FAILURE_MS);
  }
}

/** Sends a write; one with a key again and again, until it is acknowledged or the time is over. */
async function send(
  { caller, journal, goesOn }: Writer,
  expected: number,
  mark: string,
  method: string,
  path: string,
  body?: object,
): Promise<{ readonly answer?: Acknowledged; readonly isInDoubt: boolean }> {
  const key = keyOf(mark);
  for (let isInDoubt = false; ; ) {
    const outcome = await caller.send(method, path, body, key);
    journal.note(outcome, [expected]);
    if (outcome.kind === "answered" && outcome.status === expected) return { answer: outcome, isInDoubt };
    isInDoubt ||= outcome.kind !== "refused";
    if (key === undefined || !goesOn()) return { isInDoubt };
    await pause(PAUSE_AFTER_FAILURE_MS);
  }
}

type Acknowledged = Extract<Outcome, { kind: "answered" }>;

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function create(writer: Writer, mark: string, mine: string[]): Promise<boolean> {
  const { journal, locationIds } = writer;
  const body = contentFor(mark, locationIds);
  const { answer, isInDoubt } = await send(writer, 201, mark, "POST", "/v1/clients", body);
  if (answer) {
    const { id, updatedAt } = answer.body;
    acknowledge(journal, id, { mark, status: "active", updatedAt }, true);
    mine.push(id);
    return true;
  }
  if (isInDoubt) journal.creationsInDoubt.add(mark);
  return false;
}

async function replace(writer: Writer, mark: string, id: string, revives: boolean): Promise<boolean> {
  const { journal, locationIds } = writer;
  const before = stateOf(journal, id);
  const content = contentFor(mark, locationIds);
  const after: State = { mark, status: revives ? "active" : before.status };
  const body = revives ? { ...content, status: "active" } : content;
  const { answer, isInDoubt } = await send(writer, 200, mark, "PUT", `/v1/clients/${id}`, body);
  if (answer) {
    acknowledge(journal, id, { ...after, updatedAt: answer.body.updatedAt }, true);
    return true;
  }
  if (isInDoubt) journal.clients.set(id, { acknowledged: before, inDoubt: after });
  return false;
}

async function archive(writer: Writer, mark: string, id: string): Promise<boolean> {
  const { journal } = writer;
  const before = stateOf(journal, id);
  const after: State = { mark: before.mark, status: "archived" };
  const { answer, isInDoubt } = await send(writer, 204, mark, "DELETE", `/v1/clients/${id}`);
  if (answer) {
    const isChange = before.status === "active";
    acknowledge(journal, id, isChange ? after : before, isChange);
    return true;
  }
  if (isInDoubt) journal.clients.set(id, { acknowledged: before, inDoubt: after });
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
