import { setReason } from "../../db/change-reason.ts";
import type { Database } from "../../db/database.ts";
import { pooled, read } from "../../db/statements.ts";
import { tzdataVersion } from "../recurrence/zones.ts";

/** Which data the works have taken in. */
export const TZDATA_FACTS = ["tzdata", "tzdata of schedules", "tzdata of contracts"] as const;
type TzdataFact = (typeof TZDATA_FACTS)[number];

/** Something that is computed again for all stored records when the time-zone data is newer than it was. */
export interface TzdataWork {
  /** The fact that says by which data it was done last; the one that says how far it is begins with the same words. */
  readonly fact: TzdataFact;
  /** Does one part, after the place where the part before ended; without a place to go on from it was the last. */
  readonly part: (
    tx: Database,
    after: string | undefined,
  ) => Promise<{ moved: number; next?: string | undefined }>;
}

export interface TzdataOptions {
  readonly version?: string;
  /** Asked between two parts. */
  readonly isStopped?: () => boolean;
}

/**
 * Takes newer time-zone data in, part by part. Each part commits together with how far it got, so whoever is ended on the
 * way is continued by the next process to start, and several that run at once share the parts. A release with older data
 * than the database has seen does nothing: while two releases share a database, each start of the older one would undo
 * what the newer one has set right. Returns how many records changed.
 */
export async function takeInTzdata(
  db: Database,
  { fact, part }: TzdataWork,
  { version = tzdataVersion(), isStopped = () => false }: TzdataOptions = {},
): Promise<number> {
  const isDone = async (on: Database) => {
    const [done] = await on.query<{ value: string }>(findFact, [fact]);
    return !isNewerTzdata(version, done?.value);
  };
  if (await isDone(db)) return 0;
  let total = 0;
  for (let isOver = false; !isOver && !isStopped(); ) {
    isOver = await db.transaction(async (tx) => {
      const [position] = await tx.query<{ value: string }>(lockFact, [`${fact} position`]);
      const [by = "", after] = position?.value.split(": ", 2) ?? [];
      // Done meanwhile, or another process is at it by still newer data.
      if ((await isDone(tx)) || by > version) return true;
      await setReason(tx, { by: "clock" });
      const { moved, next } = await part(tx, by === version ? after : undefined);
      total += moved;
      if (next === undefined) await tx.query(storeFact, [fact, version]);
      await tx.query(storeFact, [`${fact} position`, next === undefined ? "" : `${version}: ${next}`]);
      return next === undefined;
    });
  }
  return total;
}

/**
 * Whether a release of the IANA database is newer than the one that was used last: 2026a < 2026b < 2026z < 2026za <
 * 2027a. What is stored and is no such name (nothing as yet) is older than any.
 */
export function isNewerTzdata(version: string, stored = ""): boolean {
  return !TZDATA_VERSION.test(stored) || version > stored;
}

/** Four digits and letters that only ever grow longer after z, so that names compare as texts. */
const TZDATA_VERSION = /^\d{4}[a-z]{1,3}$/;

/** By which data everything stored was computed, and how far still newer data has been taken in; empty before a server has run. */
export const TZDATA_STATE = `(
  select coalesce(string_agg(name || ' ' || value, ', ' order by name), '')
  from facts where name like 'tzdata%' and value <> '')`;

const stateStatement = pooled("find_tzdata_state", `select ${TZDATA_STATE} as state`);

export async function findTzdataState(db: Database): Promise<string> {
  const [row] = await db.query<{ state: string }>(stateStatement);
  return row?.state ?? "";
}

// What has not begun yet has no row to lock.
const beginStatement = pooled(
  "begin_tzdata_positions",
  `insert into facts (name, value) select name || ' position', '' from unnest($1::text[]) name on conflict (name) do nothing`,
);
const holdStatement = pooled(
  "hold_tzdata_state",
  "select name from facts where name like 'tzdata%' order by name for share",
);

/** The same, and until the transaction ends nobody takes newer data in: that would pass over what it writes. */
export async function holdTzdataState(tx: Database): Promise<string> {
  await tx.query(beginStatement, [TZDATA_FACTS]);
  await tx.query(holdStatement);
  return findTzdataState(tx);
}

const findFact = read("find_tzdata_fact", "select value from facts where name = $1");

const lockFact = pooled(
  "lock_tzdata_position",
  `insert into facts (name, value) values ($1, '') on conflict (name) do update set value = facts.value
   returning value`,
);

const storeFact = pooled(
  "store_tzdata_fact",
  "insert into facts (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value",
);
