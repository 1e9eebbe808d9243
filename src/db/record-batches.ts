import type { Database } from "./database.ts";
import { replanned } from "./statements.ts";

/** As many rows as are asked for at a time, few while it is not known how large they are. */
const STEPS = [20, 80, 250] as const;
/** A batch of rows with more text than this is followed by a smaller one. */
const LARGE_BATCH = 1 << 20;

const fetches = STEPS.map((rows) => replanned(`fetch ${rows} from records`));

/**
 * The rows of a query, batch after batch, by a cursor of the transaction. One batch is asked for while the one before
 * is worked on, and not more: whoever takes them slowly holds two in memory, however many there are. A batch is emptied
 * when the next one is asked for.
 */
export async function* recordBatches<Row extends object>(
  tx: Database,
  query: string,
  values: readonly unknown[],
): AsyncGenerator<Row[]> {
  // By default a cursor is planned for who reads only the first rows of it, and takes longer for all of them. To
  // compile the plan would take longer than it saves.
  tx.query(replanned("set local cursor_tuple_fraction = 1")).catch(() => {});
  tx.query(replanned("set local jit = off")).catch(() => {});
  tx.query(replanned(`declare records no scroll cursor for ${query}`), values).catch(() => {});
  let step = 0;
  const ask = () => {
    const rows = tx.query<Row>(fetches[step] as (typeof fetches)[number]);
    // It may fail before anybody waits for it.
    rows.catch(() => {});
    return { rows, wanted: STEPS[step] as number };
  };
  for (let next = ask(); ; ) {
    const { wanted } = next;
    const rows = await next.rows;
    const isLast = rows.length < wanted;
    step = textOf(rows) > LARGE_BATCH ? Math.max(step - 1, 0) : Math.min(step + 1, STEPS.length - 1);
    if (!isLast) next = ask();
    if (rows.length > 0) {
      yield rows;
      // Something of its query outlives it until the garbage collector makes a whole round, and would hold every row
      // until then: 70 MB in a download of 200,000 clients, instead of 2.
      rows.length = 0;
    }
    if (isLast) return;
  }
}

/** About how many characters they have, by some of them. */
function textOf(rows: readonly object[]): number {
  let length = 0;
  for (let i = 0; i < rows.length; i += SAMPLED)
    for (const value of Object.values(rows[i] as object))
      if (typeof value === "string") length += value.length;
  return length * SAMPLED;
}

const SAMPLED = 10;
