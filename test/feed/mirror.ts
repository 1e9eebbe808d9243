import type { ChangePage, ShownChange } from "../../src/sync/changes/schema.ts";
import { Caller } from "../crash/caller.ts";
import { pause } from "../crash/load.ts";

/** A copy of an organization's records by name, `kind id`. */
export class RecordCopy {
  readonly records = new Map<string, object>();
  /** Every change in the order in which it came for the first time. */
  readonly order: string[] = [];
  readonly faults: string[] = [];
  #last = 0;

  /** The number of the last change. */
  get last(): number {
    return this.#last;
  }

  /** Numbers have no holes: nothing of a test's organization is old enough to be compacted. */
  apply({ sequence, kind, id, type, record }: ShownChange): void {
    if (sequence !== this.#last + 1) this.faults.push(`number ${sequence} came after ${this.#last}`);
    this.#last = sequence;
    this.order.push(`${sequence} ${kind} ${id} ${type}`);
    if (type === "deleted") this.records.delete(`${kind} ${id}`);
    else if (record) this.records.set(`${kind} ${id}`, record);
  }
}

export interface MirrorPlan {
  readonly port: number;
  readonly key: string;
  readonly draw: () => number;
}

const WAIT_SECONDS = 5;
const PAUSE_MS = 100;
/** How often it loses a page that it was given, as a mirror does that is killed before its commit. */
const LOST_PAGES = 0.05;

/** Follows the feed of one node, whatever happens to it, from the beginning. */
export class FeedMirror {
  readonly copy = new RecordCopy();
  readonly #plan: MirrorPlan;
  readonly #following: Promise<void>;
  #isFinishing = false;
  #isStopped = false;
  #cursor: string | undefined;

  constructor(plan: MirrorPlan) {
    this.#plan = plan;
    this.#following = this.#follow();
  }

  /** Reads to the end of the feed. */
  async finish(): Promise<RecordCopy> {
    this.#isFinishing = true;
    await this.#following;
    return this.copy;
  }

  /** Leaves it as it is. */
  stop(): void {
    this.#isStopped = true;
  }

  async #follow(): Promise<void> {
    const { port, key, draw } = this.#plan;
    const caller = new Caller({ port, key, connections: 1 });
    for (let isDone = false; !isDone && !this.#isStopped && this.copy.faults.length === 0; ) {
      const isLast = this.#isFinishing;
      const page = await this.#ask(caller, isLast ? 0 : WAIT_SECONDS);
      if (!page) await pause(PAUSE_MS);
      if (!page || draw() < LOST_PAGES) continue;
      for (const change of page.data) this.copy.apply(change);
      this.#cursor = page.nextCursor;
      isDone = isLast && !page.hasMore && page.data.length === 0;
    }
    caller.close();
  }

  async #ask(caller: Caller, wait: number): Promise<ChangePage | undefined> {
    const after = this.#cursor === undefined ? "" : `&after=${this.#cursor}`;
    const path = `/v1/changes?limit=200&include=record&wait=${wait}${after}`;
    const outcome = await caller.send("GET", path);
    if (outcome.kind !== "answered") return undefined;
    if (outcome.status === 200) return outcome.body;
    if (outcome.status !== 503) this.copy.faults.push(`${outcome.status} ${JSON.stringify(outcome.body)}`);
    return undefined;
  }
}
