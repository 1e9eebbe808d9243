import { newId } from "../support/ids.ts";
import { Caller, type Outcome } from "./caller.ts";
import { pick } from "./chance.ts";
import { checkRecord, type RecordAction } from "./histories.ts";
import type { Operation } from "./linearizability.ts";
import { pause } from "./load.ts";
import type { Studio } from "./site.ts";

/** Clients that many read and write at once, and all that was answered. */
export interface Records {
  readonly all: readonly SharedRecord[];
  check(): { readonly explained: number; readonly faults: string[] };
}

interface SharedRecord {
  readonly id: string;
  readonly firstMark: string;
  readonly operations: Operation<RecordAction>[];
  /** The tag of each mark that was read. */
  readonly tags: Map<string, string>;
  /** The mark that was read last. */
  last?: string;
  readonly faults: string[];
}

/** A way in, and when a write was acknowledged there. */
export interface CallerDoor {
  readonly port: number;
  readonly acknowledgedAt: number[];
}

const RECORDS = 4;
const PAUSE_AFTER_FAILURE_MS = 40;

export async function openRecords(port: number, studio: Studio, draw: () => number): Promise<Records> {
  const caller = new Caller({ port, key: studio.key, connections: 1 });
  const all: SharedRecord[] = [];
  while (all.length < RECORDS) {
    const firstMark = newId();
    const outcome = await caller.send("POST", "/v1/clients", contentFor(firstMark, studio, draw), firstMark);
    if (outcome.kind !== "answered" || outcome.status !== 201) await pause(PAUSE_AFTER_FAILURE_MS);
    else all.push({ id: outcome.body.id, firstMark, operations: [], tags: new Map(), faults: [] });
  }
  caller.close();
  return {
    all,
    check() {
      return {
        explained: all.reduce((sum, { operations }) => sum + operations.length, 0),
        faults: all.flatMap(({ id, firstMark, operations, faults }) => [
          ...faults,
          ...checkRecord(`client ${id}`, firstMark, operations),
        ]),
      };
    },
  };
}

export interface RecordUse {
  readonly studio: Studio;
  readonly draw: () => number;
  readonly goesOn: () => boolean;
  readonly pauseMs: number;
}

/** Reads and writes through one door, one request after the other. */
export async function useUntil(records: Records, door: CallerDoor, use: RecordUse): Promise<void> {
  const { draw, goesOn, pauseMs } = use;
  const caller = new Caller({ port: door.port, key: use.studio.key, connections: 1 });
  while (goesOn()) {
    const record = pick(records.all, draw) as SharedRecord;
    const chance = draw();
    const isAnswered =
      chance < 0.5 ? await read(caller, record) : await write(caller, record, { door, use, chance });
    await pause(isAnswered ? pauseMs : PAUSE_AFTER_FAILURE_MS);
  }
  caller.close();
}

async function read(caller: Caller, record: SharedRecord): Promise<boolean> {
  const calledAt = performance.now();
  const outcome = await caller.send("GET", pathOf(record));
  if (!hasStatus(outcome, 200)) return false;
  const mark = markOf(outcome.body.contactName);
  note(record, calledAt, { kind: "read", mark });
  const tag = outcome.headers.etag ?? "";
  if ((record.tags.get(mark) ?? tag) !== tag) record.faults.push(`${mark} was read with two tags`);
  record.tags.set(mark, tag);
  record.last = mark;
  return true;
}

/** A third as they are, a third with a key until they are answered, a third under the tag of what was last read. */
async function write(
  caller: Caller,
  record: SharedRecord,
  { door, use, chance }: { door: CallerDoor; use: RecordUse; chance: number },
): Promise<boolean> {
  const mark = newId();
  const expected = chance < 0.67 ? record.last : undefined;
  const tag = record.tags.get(expected ?? "");
  const key = chance > 0.83 ? mark : undefined;
  const calledAt = performance.now();
  const action: RecordAction =
    expected === undefined ? { kind: "write", mark } : { kind: "swap", expected, mark };
  const body = contentFor(mark, use.studio, use.draw);
  for (;;) {
    const headers = tag === undefined ? {} : { "if-match": tag };
    const outcome = await caller.send("PUT", pathOf(record), body, key, headers);
    if (hasStatus(outcome, 200)) {
      note(record, calledAt, action);
      door.acknowledgedAt.push(performance.now());
      return true;
    }
    if (expected !== undefined && hasStatus(outcome, 412)) {
      note(record, calledAt, { kind: "differs", expected });
      return true;
    }
    if (key !== undefined && use.goesOn()) {
      await pause(PAUSE_AFTER_FAILURE_MS);
      continue;
    }
    if (outcome.kind !== "refused" || key !== undefined) note(record, calledAt, action, Infinity);
    return false;
  }
}

function note(
  { operations }: SharedRecord,
  calledAt: number,
  action: RecordAction,
  returnedAt = performance.now(),
): void {
  operations.push({ action, calledAt, returnedAt });
}

function hasStatus(outcome: Outcome, status: number): outcome is Extract<Outcome, { kind: "answered" }> {
  return outcome.kind === "answered" && outcome.status === status;
}

function pathOf({ id }: SharedRecord): string {
  return `/v1/clients/${id}`;
}

function contentFor(mark: string, { locationIds }: Studio, draw: () => number): object {
  return { contactName: `Shared ${mark}`, locationIds: [pick(locationIds, draw)] };
}

function markOf(contactName: string): string {
  return contactName.replace("Shared ", "");
}
