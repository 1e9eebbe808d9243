import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import type { Database } from "../../src/db/database.ts";
import { pooled } from "../../src/db/statements.ts";

/**
 * Operations at once whose statements are released one by one, in an order that is given beforehand. The database is a real
 * one: a statement that waits for a lock of another operation stays with it, and the others go on. A statement is released
 * when every operation has come as far as it can: it waits for its turn or, in PostgreSQL, for a lock.
 */

const pidStatement = pooled("interleave_pid", "select pg_backend_pid() as pid");
const blockedStatement = pooled(
  "interleave_blocked",
  "select p as pid from unnest($1::int[]) p where cardinality(pg_blocking_pids(p)) > 0",
);

/** How long an answer is waited for before PostgreSQL is asked whether it can come. */
const ANSWER_MS = 2;
/** Longer than any statement takes, and than PostgreSQL needs to find a deadlock. */
const HANGS_MS = 30_000;

interface Turn {
  readonly label: string;
  readonly release: () => void;
  readonly refuse: (error: unknown) => void;
}

/** A connection while an operation has it: its statements come one after the other. */
interface Lane {
  readonly task: number;
  readonly number: number;
  pid: number | undefined;
  /** Statements that wait for their turn, the first one first. */
  readonly waiting: Turn[];
  /** What PostgreSQL has not answered yet. */
  running: string | undefined;
  /** It waited for a lock, and no lock was given back since. */
  isBlocked: boolean;
}

export interface InterleavedStep {
  readonly task: number;
  readonly label: string;
}

export class Turns {
  /** In which order statements were released. */
  readonly steps: InterleavedStep[] = [];
  /** How often all operations waited for each other, and PostgreSQL had to refuse one. */
  deadlocks = 0;
  readonly #db: Database;
  readonly #choices: readonly number[];
  readonly #lanes: Lane[] = [];
  readonly #finished = new Set<number>();
  /** Why nothing is released any more. */
  #failure: unknown;
  #answered: () => void = () => {};

  /** `db` is a pool with a connection for each operation and one more. */
  constructor(db: Database, choices: readonly number[]) {
    this.#db = db;
    this.#choices = choices;
  }

  /**
   * Runs all to their end. Of the operations that could go on, sorted, each choice takes one; when there are no more choices
   * the first goes on, so fewer choices are a simpler order.
   */
  async run<Result>(
    tasks: readonly ((db: Database) => Promise<Result>)[],
  ): Promise<PromiseSettledResult<Result>[]> {
    const results = tasks.map((task, number) =>
      task(this.#databaseOf(number)).finally(() => {
        this.#finished.add(number);
        this.#answered();
      }),
    );
    const all = Promise.allSettled(results);
    try {
      for (let turn = 0; await this.#settle(tasks.length); turn++) this.#release(this.#choices[turn] ?? 0);
    } catch (error) {
      // They give their connections back.
      this.#failure = error;
      for (const { waiting } of this.#lanes) for (const { refuse } of waiting.splice(0)) refuse(error);
      await all;
      throw error;
    }
    return all;
  }

  #release(choice: number): void {
    const ready = this.#lanes
      .filter(({ waiting, running }) => waiting.length > 0 && running === undefined)
      .sort((a, b) => a.task - b.task || a.number - b.number);
    const lane = ready[choice % ready.length];
    const next = lane?.waiting.shift();
    if (lane === undefined || next === undefined) throw new Error("nobody can go on");
    lane.running = next.label;
    this.steps.push({ task: lane.task, label: next.label });
    next.release();
  }

  /** Returns when each operation is at its end, waits for its turn or for a lock; whether one can go on. */
  async #settle(tasks: number): Promise<boolean> {
    const begunAt = performance.now();
    for (let wasBlocked = false; ; ) {
      // What an answer leads to at once comes before the next choice.
      await nextTurn();
      const running = this.#lanes.filter(({ running, isBlocked }) => running !== undefined && !isBlocked);
      const busy = new Set([...this.#finished, ...this.#lanes.filter(isUnderWay).map(({ task }) => task)]);
      // Who is not busy works on what it was answered.
      if (busy.size === tasks) {
        const canGoOn = this.#lanes.some(({ waiting, running }) => waiting.length > 0 && !running);
        if (running.length === 0 && (canGoOn || this.#finished.size === tasks)) return canGoOn;
        // All wait for each other: PostgreSQL finds that out in a moment.
        if (running.length === 0 && !wasBlocked) this.deadlocks++;
        wasBlocked ||= running.length === 0;
        await Promise.race([this.#nextAnswer(), delay(ANSWER_MS)]);
        if (running.every((lane) => lane.running !== undefined)) await this.#findBlocked();
      }
      if (performance.now() - begunAt > HANGS_MS) throw new Error(`hangs at ${this.#describe()}`);
    }
  }

  /** Asks PostgreSQL which statements wait for a lock. One that is answered meanwhile does not. */
  async #findBlocked(): Promise<void> {
    const asked = this.#lanes.filter(({ running }) => running !== undefined);
    const blocked = await this.#db.query<{ pid: number }>(blockedStatement, [asked.map(({ pid }) => pid)]);
    const pids = new Set(blocked.map(({ pid }) => pid));
    for (const lane of asked) lane.isBlocked = lane.running !== undefined && pids.has(lane.pid ?? 0);
  }

  #nextAnswer(): Promise<void> {
    return new Promise((resolve) => {
      this.#answered = resolve;
    });
  }

  #describe(): string {
    return this.#lanes.map((lane) => `${lane.task}: ${lane.running ?? lane.waiting[0]?.label}`).join("; ");
  }

  #databaseOf(task: number): Database {
    const within = async <Result>(work: (tx: Database) => Promise<Result>): Promise<Result> => {
      const lane: Lane = {
        task,
        number: this.#lanes.length,
        pid: undefined,
        waiting: [],
        running: undefined,
        isBlocked: false,
      };
      this.#lanes.push(lane);
      try {
        await this.#turn(lane, "begin");
        return await this.#db.transaction(async (tx) => {
          const [session] = await tx.query<{ pid: number }>(pidStatement);
          lane.pid = session?.pid;
          this.#answer(lane);
          const result = await work(this.#inLane(lane, tx)).catch((error: unknown) => {
            lane.waiting.length = 0;
            throw error;
          });
          // What was sent and not waited for comes before the commit.
          await this.#turn(lane, "commit");
          return result;
        });
      } finally {
        this.#answer(lane);
        this.#lanes.splice(this.#lanes.indexOf(lane), 1);
        this.#locksGivenBack();
      }
    };
    return {
      query: (statement, values) => within((tx) => tx.query(statement, values)),
      transaction: within,
      snapshot: within,
      now: () => this.#db.now(),
      clockOffsetMs: 0,
    };
  }

  #inLane(lane: Lane, tx: Database): Database {
    const query: Database["query"] = async (statement, values) => {
      await this.#turn(lane, statement.name || statement.text.trim().slice(0, 40));
      try {
        return await tx.query(statement, values);
      } finally {
        this.#answer(lane);
      }
    };
    return {
      query,
      // Its savepoint is sent behind what was sent before.
      transaction: async (work) => {
        await this.#turn(lane, "savepoint");
        this.#answer(lane);
        return tx
          .transaction((inner) => work(this.#inLane(lane, inner)))
          .finally(() => this.#locksGivenBack());
      },
      snapshot: (work) => work(this.#inLane(lane, tx)),
      now: () => tx.now(),
      clockOffsetMs: 0,
    };
  }

  /** Waits until it is released, behind what the lane has before. */
  #turn(lane: Lane, label: string): Promise<void> {
    return new Promise((release, refuse) => {
      if (this.#failure === undefined) lane.waiting.push({ label, release, refuse });
      else refuse(this.#failure);
    });
  }

  #answer(lane: Lane): void {
    lane.running = undefined;
    lane.isBlocked = false;
    this.#answered();
  }

  #locksGivenBack(): void {
    for (const lane of this.#lanes) lane.isBlocked = false;
  }
}

function isUnderWay({ waiting, running }: Lane): boolean {
  return waiting.length > 0 || running !== undefined;
}
