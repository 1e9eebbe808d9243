/** One call of one caller, and what was answered. Times are those of one clock. */
export interface Operation<Action> {
  readonly action: Action;
  readonly calledAt: number;
  /** Infinity if nothing was answered: then it may have been carried out at any time since, or not at all. */
  readonly returnedAt: number;
}

/** What an action makes of a state; undefined if it cannot have been answered so in that state. */
export type Apply<State, Action> = (state: State, action: Action) => State | undefined;

export type Verdict<Action> =
  | { readonly isLinearizable: true }
  | {
      readonly isLinearizable: false;
      /** How many operations have an order at the most. */
      readonly explained: number;
      /** Of which one must come next, and none can. */
      readonly stuckAt: readonly Operation<Action>[];
    };

/**
 * Whether there is one order of the operations that explains every answer, in which none comes before one that was answered
 * before it was called: the search of Wing and Gong, that remembers where it has been (Lowe).
 *
 * Example: a write of 1 from 0 to 10 ms and a read from 12 to 14 ms that sees 0: the write must come first, so there is none.
 */
export function checkLinearizable<State, Action>(
  operations: readonly Operation<Action>[],
  initial: State,
  apply: Apply<State, Action>,
): Verdict<Action> {
  const byCall = [...operations].sort((a, b) => a.calledAt - b.calledAt);
  const answered = byCall.filter(({ returnedAt }) => returnedAt !== Infinity);
  const open = byCall.filter(({ returnedAt }) => returnedAt === Infinity);
  const seen = new Set<string>();
  let best: { explained: number; stuckAt: Operation<Action>[] } = { explained: -1, stuckAt: [] };

  interface Place {
    readonly state: State;
    /** All of the answered before it are in order, and of those after it these. */
    readonly first: number;
    readonly ahead: ReadonlySet<number>;
    readonly used: ReadonlySet<number>;
  }
  const stack: Place[] = [{ state: initial, first: 0, ahead: new Set(), used: new Set() }];
  for (let place = stack.pop(); place; place = stack.pop()) {
    const { state, first, ahead, used } = place;
    if (first === answered.length) return { isLinearizable: true };
    const key = `${first} ${[...ahead].sort()} ${[...used].sort()} ${JSON.stringify(state)}`;
    if (seen.has(key)) continue;
    seen.add(key);
    // Nothing that was called after the answer of one that is still to come can be before that one.
    let limit = Infinity;
    for (let n = first; n < answered.length; n++) {
      const { calledAt, returnedAt } = answered[n] as Operation<Action>;
      if (calledAt > limit) break;
      if (!ahead.has(n)) limit = Math.min(limit, returnedAt);
    }
    const stuckAt: Operation<Action>[] = [];
    // Pushed first and so tried last: what was never answered was most often not carried out.
    for (const [n, operation] of open.entries()) {
      if (used.has(n) || operation.calledAt > limit) continue;
      const next = apply(state, operation.action);
      if (next !== undefined) stack.push({ state: next, first, ahead, used: new Set(used).add(n) });
    }
    for (let n = first; n < answered.length; n++) {
      const operation = answered[n] as Operation<Action>;
      if (operation.calledAt > limit) break;
      if (ahead.has(n)) continue;
      const next = apply(state, operation.action);
      if (next === undefined) stuckAt.push(operation);
      else stack.push({ state: next, used, ...advance(first, ahead, n) });
    }
    const explained = first + ahead.size;
    if (explained > best.explained) best = { explained, stuckAt };
  }
  return { isLinearizable: false, ...best };
}

function advance(first: number, ahead: ReadonlySet<number>, done: number) {
  const next = new Set(ahead).add(done);
  let from = first;
  for (; next.has(from); from++) next.delete(from);
  return { first: from, ahead: next };
}
