import type { ShortReads } from "./database.ts";
import type { ConnectionSettings } from "./servers.ts";
import { read } from "./statements.ts";

/** The time of PostgreSQL at which the transaction began, in whole milliseconds. */
export const TRANSACTION_TIME = "floor(date_part('epoch', now()) * 1000)::bigint";

const clockStatement = read("read_clock", `select ${TRANSACTION_TIME} as now`);

/** The clock of the data, as whoever runs statements can read it. */
export async function readClock(
  query: ShortReads["query"],
  { clockOffsetMs = 0 }: Pick<ConnectionSettings, "clockOffsetMs">,
): Promise<number> {
  const [row] = await query<{ now: number }>(clockStatement);
  if (!row) throw new Error("the clock gave no time");
  // A driver without a parser for bigint gives its digits.
  return Number(row.now) + clockOffsetMs;
}
