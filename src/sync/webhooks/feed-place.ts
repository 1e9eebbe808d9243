import { AppError, invalid } from "../../core/errors.ts";
import type { Database } from "../../db/database.ts";
import { cursorKey, readCursor } from "../changes/cursors.ts";
import { FeedReader } from "../changes/operations.ts";
import { FROM_NOW } from "../changes/values.ts";

/** The number that a place of the feed is after: of a cursor, `start` or `now`. */
export async function findPlace(
  tx: Database,
  keySecret: string,
  organizationId: string,
  from: string,
): Promise<number> {
  if (from === "start") return 0;
  const key = cursorKey(keySecret);
  const start = from === FROM_NOW ? FROM_NOW : readCursor(key, from);
  if (start === undefined) throw invalidPlace();
  try {
    return (await new FeedReader(key).read(tx, organizationId, start, { limit: 1 })).after;
  } catch (error) {
    // The feed says where a reader of its own would have given it.
    if (error instanceof AppError && error.faults.length > 0) throw invalidPlace();
    throw error;
  }
}

function invalidPlace(): AppError {
  return invalid([{ location: "body.from", code: "cursor_invalid" }]);
}
