import { checkLinearizable, type Operation } from "./linearizability.ts";

/** What callers do with one record. Every write has a mark of its own. */
export type RecordAction =
  | { readonly kind: "read"; readonly mark: string }
  | { readonly kind: "write"; readonly mark: string }
  /** A write under the tag of what it replaces. */
  | { readonly kind: "swap"; readonly expected: string; readonly mark: string }
  /** The same, refused as the record was another. */
  | { readonly kind: "differs"; readonly expected: string };

/** What callers do with the seats of one session. */
export type SeatAction =
  | { readonly kind: "book" | "cancel" | "full" }
  | { readonly kind: "seen"; readonly taken: number };

/** One sentence for each record whose answers no order explains. */
export function checkRecord(
  name: string,
  initialMark: string,
  operations: readonly Operation<RecordAction>[],
): string[] {
  const verdict = checkLinearizable(relevant(operations), initialMark, (mark, action) => {
    if (action.kind === "write") return action.mark;
    if (action.kind === "read") return action.mark === mark ? mark : undefined;
    if (action.kind === "swap") return action.expected === mark ? action.mark : undefined;
    return action.expected === mark ? undefined : mark;
  });
  return verdict.isLinearizable ? [] : [sentence(name, operations.length, verdict)];
}

/** The same for a session of so many seats. */
export function checkSeats(
  name: string,
  seats: { readonly capacity: number; readonly taken: number },
  operations: readonly Operation<SeatAction>[],
): string[] {
  const { capacity } = seats;
  const verdict = checkLinearizable(operations, seats.taken, (taken, action) => {
    if (action.kind === "seen") return action.taken === taken ? taken : undefined;
    if (action.kind === "full") return taken === capacity ? taken : undefined;
    if (action.kind === "cancel") return taken > 0 ? taken - 1 : undefined;
    return taken < capacity ? taken + 1 : undefined;
  });
  return verdict.isLinearizable ? [] : [sentence(name, operations.length, verdict)];
}

/**
 * Without the writes that were neither answered nor seen: whatever order there is with them is one without them. But one of them
 * may be why a record differed.
 */
function relevant(operations: readonly Operation<RecordAction>[]): Operation<RecordAction>[] {
  const seen = new Set(
    operations.flatMap(({ action }) =>
      action.kind === "read" ? [action.mark] : action.kind === "swap" ? [action.expected] : [],
    ),
  );
  const isUnseen = ({ action, returnedAt }: Operation<RecordAction>) =>
    returnedAt === Infinity && "mark" in action && !seen.has(action.mark);
  const firstUnseen = Math.min(...operations.filter(isUnseen).map(({ calledAt }) => calledAt));
  return operations.filter(
    (operation) =>
      !isUnseen(operation) && !(operation.action.kind === "differs" && operation.returnedAt > firstUnseen),
  );
}

function sentence(
  name: string,
  count: number,
  { explained, stuckAt }: { explained: number; stuckAt: readonly Operation<unknown>[] },
): string {
  const next = stuckAt.map(
    ({ action, calledAt, returnedAt }) =>
      `${JSON.stringify(action)} from ${Math.round(calledAt)} to ${Math.round(returnedAt)} ms`,
  );
  return `${name}: no order explains more than ${explained} of ${count} answers; next would be ${next.join(" or ")}`;
}
