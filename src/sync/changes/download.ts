import type { RecordStream } from "../../core/record-stream.ts";
import type { Database } from "../../db/database.ts";
import { recordBatches } from "../../db/record-batches.ts";
import { numberCommitted } from "./numbering.ts";
import { type FeedReader, type FeedStart, showInParts } from "./operations.ts";
import { countChanges, type FeedEntry, WHOLE_FEED } from "./queries.ts";
import { CHANGE_KINDS, type ChangeKind } from "./values.ts";

export interface FeedDownload {
  readonly start: FeedStart;
  readonly kinds: readonly ChangeKind[] | undefined;
  readonly hasRecords: boolean;
}

/** All numbered changes after a place in one snapshot, entry by entry. */
export async function downloadFeed(
  reader: FeedReader,
  db: Database,
  organizationId: string,
  { start, kinds, hasRecords }: FeedDownload,
  take: (entries: RecordStream<object>) => Promise<void>,
): Promise<void> {
  // Nobody asks again for what is left out of a file.
  await numberCommitted(db, organizationId);
  // Says where it begins and ends; all up to there is in a snapshot that is taken later.
  const { state, after, cursorOf } = await reader.read(db, organizationId, start, { limit: 0 });
  await db.snapshot(async (tx) => {
    const values = [organizationId, after, state.sequence, kinds ?? CHANGE_KINDS];
    const total = await countChanges(tx, values);
    const batches = shown(recordBatches<FeedEntry>(tx, WHOLE_FEED, values));
    await take({ total, version: 0, cursor: cursorOf(state.sequence), batches });

    async function* shown(rows: AsyncIterable<readonly FeedEntry[]>): AsyncGenerator<object[]> {
      for await (const entries of rows)
        yield* showInParts(tx, organizationId, { entries, cursorOf, hasRecords });
    }
  });
}
