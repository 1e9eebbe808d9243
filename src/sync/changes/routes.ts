import { refusal } from "../../core/errors.ts";
import type { Caller } from "../../http/caller.ts";
import type { OperationScope } from "../../http/declaration.ts";
import { operation } from "../../http/operation.ts";
import type { ChangeWatch } from "./change-watch.ts";
import { readCursor } from "./cursors.ts";
import { downloadFeed } from "./download.ts";
import { type FeedReader, type FeedStart, showPage } from "./operations.ts";
import { CURSOR_FAULT, checkKinds, readKinds } from "./rules.ts";
import { Change, ChangePage, ChangeQuery, LONGEST_WAIT_SECONDS } from "./schema.ts";
import { FROM_NOW } from "./values.ts";

interface KeyedCaller extends Caller {
  readonly keyId: string;
}

export interface ChangeRoutesOptions<Who extends KeyedCaller> {
  readonly reader: FeedReader;
  /** What cursors are signed with. */
  readonly cursorKey: Buffer;
  readonly watch: ChangeWatch;
  /** Refuses a caller who would not be let in now. */
  readonly recheck: (caller: Who) => Promise<void>;
}

export function changeRoutes<Who extends KeyedCaller>(
  scope: OperationScope<Who>,
  { reader, cursorKey, watch, recheck }: ChangeRoutesOptions<Who>,
): void {
  const startOf = (after: string | undefined): FeedStart =>
    after === undefined || after === FROM_NOW ? after : readCursor(cursorKey, after);

  operation(scope, {
    operationId: "listChanges",
    method: "GET",
    path: "/v1/changes",
    tag: "Changes",
    summary: "What has changed",
    description:
      "Every change of every record that the API shows, in one order, without gaps, from the beginning or after a cursor. " +
      "From the beginning it lists every record there is, so a mirror needs nothing else: start without `after`, apply each " +
      "entry, store `nextCursor` after each page, and ask with it again, for ever. A write that was answered before a read " +
      "began is there by the time `hasMore` is false. Of a record that has changed again, older entries are removed after " +
      "some time (30 days unless the operator says otherwise); the last one stays.",
    query: ChangeQuery,
    queryRules: ({ after, kinds }) => [
      ...(after !== undefined && startOf(after) === undefined ? [CURSOR_FAULT] : []),
      ...checkKinds(kinds),
    ],
    answer: { status: 200, description: "The entries that come next.", schema: ChangePage },
    errors: [refusal("cursor_gone")],
    longestWaitMs: LONGEST_WAIT_SECONDS * 1000,
    download: {
      name: "changes",
      record: Change,
      types: ["application/x-ndjson"],
      read: ({ caller, db, query }, take) =>
        downloadFeed(
          reader,
          db,
          caller.organizationId,
          {
            start: startOf(query.after),
            kinds: readKinds(query.kinds),
            hasRecords: query.include === "record",
          },
          take,
        ),
    },
    handle: async ({ caller, db, query, left }) => {
      const { organizationId, keyId } = caller;
      const request = { limit: query.limit, kinds: readKinds(query.kinds) };
      const until = performance.now() + query.wait * 1000;
      let page = await reader.read(db, organizationId, startOf(query.after), request);
      for (let isWaiting = true; isWaiting && page.entries.length === 0 && !page.hasMore; ) {
        const waitMs = until - performance.now();
        if (waitMs <= 0) break;
        const { sequence } = page.state;
        isWaiting = await watch.next({ organizationId, keyId, sequence, waitMs, left });
        await recheck(caller);
        if (isWaiting) page = await reader.readAfter(db, organizationId, page.reached, request);
      }
      const shown = await showPage(db, organizationId, page, query.include === "record");
      const { data, reached, hasMore } = shown;
      return { data, nextCursor: page.cursorOf(reached), hasMore };
    },
  });
}
