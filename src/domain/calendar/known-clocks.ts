import { isTurnOver, nextTurn } from "../../core/event-loop-turns.ts";
import type { Database } from "../../db/database.ts";
import { pooled } from "../../db/statements.ts";
import { digestClocks } from "../recurrence/zones.ts";

/** What a work keeps of the data that it took in last, as the older tables are gone when newer ones come. */
export interface KnownClocks {
  /** By the name of the zone. */
  readonly digests: Readonly<Record<string, string>>;
  /** The zones whose clocks are others now, until all that is tied to them has been looked at again. */
  readonly moved: readonly string[];
}

/**
 * No server took data in before this and a year, so it lies before whatever may still change, whenever that is; what newer
 * data says of the past is left out.
 */
const CLOCKS_FROM_MS = Date.UTC(2025, 0, 1);

const findStatement = pooled("find_known_clocks", "select value::jsonb as known from facts where name = $1");

/** Undefined where none were kept: by the first start, and by releases that kept none. */
export async function findKnownClocks(tx: Database, fact: string): Promise<KnownClocks | undefined> {
  const [row] = await tx.query<{ known: KnownClocks }>(findStatement, [fact]);
  return row?.known;
}

/** The clocks of this program's data, and the zones where they differ: all of them where none are known. */
export async function compareClocks(known: KnownClocks | undefined): Promise<KnownClocks> {
  const digests: Record<string, string> = {};
  for (const [name, digest] of digestClocks(CLOCKS_FROM_MS)) {
    digests[name] = digest;
    if (isTurnOver()) await nextTurn();
  }
  const names = Object.keys({ ...known?.digests, ...digests });
  // Zones of data that was not taken in to the end are looked at again, also if this one takes their change back.
  const moved = new Set(known?.moved);
  for (const name of names) if (known?.digests[name] !== digests[name]) moved.add(name);
  return { digests, moved: [...moved] };
}

const storeStatement = pooled(
  "store_known_clocks",
  "insert into facts (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value",
);

export async function storeKnownClocks(tx: Database, fact: string, clocks: KnownClocks): Promise<void> {
  await tx.query(storeStatement, [fact, JSON.stringify(clocks)]);
}
