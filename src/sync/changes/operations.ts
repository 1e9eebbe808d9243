import { charactersOf } from "../../core/text-size.ts";
import type { Database } from "../../db/database.ts";
import { type ChangeCursor, cursorWriter } from "./cursors.ts";
import { numberSome } from "./numbering.ts";
import { type FeedEntry, type FeedPage, findLastOfTimeline, readChanges } from "./queries.ts";
import { listRecords, type NamedRecord } from "./record-queries.ts";
import { checkPlace } from "./rules.ts";
import type { ShownChange } from "./schema.ts";
import { type ChangeKind, FROM_NOW } from "./values.ts";

/** Where a reader begins: after a cursor, at the beginning, or at the end. */
export type FeedStart = ChangeCursor | typeof FROM_NOW | undefined;

export interface FeedRequest {
  readonly limit: number;
  readonly kinds?: readonly ChangeKind[] | undefined;
}

/** A page, with what is needed to read on. */
export interface ReadPage extends FeedPage {
  /** The number that it begins after. */
  readonly after: number;
  readonly cursorOf: (sequence: number) => string;
}

/** Reads the feed of an organization, once all that is committed has its number, or as much as one request numbers. */
export class FeedReader {
  readonly #key: Buffer;

  constructor(cursorKey: Buffer) {
    this.#key = cursorKey;
  }

  /** The page that follows; refuses a cursor that is of no use any more. */
  async read(
    db: Database,
    organizationId: string,
    start: FeedStart,
    request: FeedRequest,
  ): Promise<ReadPage> {
    if (start === undefined) return this.readAfter(db, organizationId, 0, request);
    if (start === FROM_NOW) {
      const { state } = await readNumbered(db, organizationId, { after: 0, limit: 0 });
      return this.readAfter(db, organizationId, state.sequence, request);
    }
    const page = await this.readAfter(db, organizationId, start.sequence, request);
    const { state } = page;
    const lastOfTimeline =
      start.mark === state.mark ? undefined : await findLastOfTimeline(db, organizationId, start.mark);
    checkPlace(start, { ...state, organizationId, lastOfTimeline });
    return page;
  }

  /** The page after a number that is known to be one of this feed. */
  async readAfter(
    db: Database,
    organizationId: string,
    after: number,
    request: FeedRequest,
  ): Promise<ReadPage> {
    const page = await readNumbered(db, organizationId, { after, ...request });
    const { restoreId, mark } = page.state;
    return { ...page, after, cursorOf: cursorWriter(this.#key, { organizationId, restoreId, mark }) };
  }

  /** The cursor of the highest number at this moment. Whatever is read from now on has all up to there. */
  async currentCursor(db: Database, organizationId: string): Promise<string> {
    const { state } = await readNumbered(db, organizationId, { after: 0, limit: 0 });
    const { restoreId, mark, sequence } = state;
    return cursorWriter(this.#key, { organizationId, restoreId, mark })(sequence);
  }
}

interface NumberedRange extends FeedRequest {
  readonly after: number;
}

async function readNumbered(db: Database, organizationId: string, range: NumberedRange): Promise<FeedPage> {
  const page = await readChanges(db, organizationId, range);
  if (!page.state.isBehind) return page;
  const mayBeMore = await numberSome(db, organizationId);
  const numbered = await readChanges(db, organizationId, range);
  // What others write meanwhile is for the next request: who follows busy writers would never be answered.
  return mayBeMore && numbered.state.isBehind ? { ...numbered, hasMore: true } : numbered;
}

export interface ShownEntries {
  readonly entries: readonly FeedEntry[];
  readonly cursorOf: (sequence: number) => string;
  readonly hasRecords: boolean;
}

/** Entries as callers get them. Their records are read now: none is older than its entry. */
export async function showEntries(
  db: Database,
  organizationId: string,
  { entries, cursorOf, hasRecords }: ShownEntries,
): Promise<ShownChange[]> {
  const records = hasRecords
    ? await readRecords(db, organizationId, entries)
    : new Map<string, NamedRecord>();
  return entries.map((entry) => {
    const record = entry.type === "deleted" ? undefined : records.get(nameOf(entry));
    return { ...entry, cursor: cursorOf(entry.sequence), ...(record && { record }) };
  });
}

/** How many records are read at first, and by how much more or fewer then. */
const FIRST_PART = 50;
const PART_STEP = 4;
/** A part with more characters than this is followed by a smaller one. */
const LARGE_PART = 1 << 20;

/**
 * Entries with their records in parts: a plan has up to 100,000 characters of terms, and a thousand of them at once would be
 * more than a process has memory for.
 */
export async function* showInParts(
  db: Database,
  organizationId: string,
  { entries, cursorOf, hasRecords }: ShownEntries,
): AsyncGenerator<ShownChange[]> {
  let size = hasRecords ? FIRST_PART : entries.length;
  for (let from = 0; from < entries.length; ) {
    const part = entries.slice(from, from + size);
    const shown = await showEntries(db, organizationId, { entries: part, cursorOf, hasRecords });
    yield shown;
    from += part.length;
    size = charactersOf(shown) > LARGE_PART ? Math.max(1, Math.floor(size / PART_STEP)) : size * PART_STEP;
  }
}

/** What a page may have of records; the one that goes beyond it is the last. */
const MOST_OF_PAGE = 2 << 20;

/** The entries of a page with their records: fewer than there are if these are large, and more follow then. */
export async function showPage(
  db: Database,
  organizationId: string,
  { entries, cursorOf, reached, hasMore }: ReadPage,
  hasRecords: boolean,
): Promise<Pick<ReadPage, "reached" | "hasMore"> & { readonly data: ShownChange[] }> {
  const data: ShownChange[] = [];
  let characters = 0;
  for await (const part of showInParts(db, organizationId, { entries, cursorOf, hasRecords })) {
    data.push(...part);
    characters += charactersOf(part);
    const last = data.at(-1);
    if (last && data.length < entries.length && characters > MOST_OF_PAGE)
      return { data, reached: last.sequence, hasMore: true };
  }
  return { data, reached, hasMore };
}

async function readRecords(
  db: Database,
  organizationId: string,
  entries: readonly FeedEntry[],
): Promise<ReadonlyMap<string, NamedRecord>> {
  const wanted = new Map<ChangeKind, Set<string>>();
  for (const { kind, id, type } of entries)
    if (type !== "deleted") wanted.set(kind, (wanted.get(kind) ?? new Set()).add(id));
  const found = new Map<string, NamedRecord>();
  for (const [kind, ids] of wanted)
    for (const record of await listRecords(db, organizationId, kind, [...ids]))
      found.set(nameOf({ kind, id: record.id }), record);
  return found;
}

function nameOf({ kind, id }: Pick<FeedEntry, "kind" | "id">): string {
  return `${kind} ${id}`;
}
