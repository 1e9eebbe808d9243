import { daysAfter } from "../../core/dates.ts";
import { refusal } from "../../core/errors.ts";
import type { SharedDatabase } from "../../db/database.ts";
import { countUpload, exceedsUploads } from "../organizations/limit-queries.ts";
import { dateIn, dayStart, findZone } from "../recurrence/zones.ts";

/** Who uploads, and when. */
export interface Uploader {
  readonly organizationId: string;
  readonly timezone: string;
  readonly clock: { now(): number };
}

/** Counts what organizations upload, by days of their own, and knows what is more than they may. */
export class UploadQuota {
  readonly #db: SharedDatabase;
  readonly #megabytes: number;

  /** So many megabytes a day may be uploaded by an organization that has no limit of its own; 0 for any number. */
  constructor(db: SharedDatabase, megabytes: number) {
    this.#db = db;
    this.#megabytes = megabytes;
  }

  /** Counts what has arrived, whatever becomes of it. Returns what it is refused with, if that is more than there was room for. */
  async count(uploader: Uploader, bytes: number): Promise<Error | undefined> {
    const { organizationId, timezone, clock } = uploader;
    const now = clock.now();
    const day = dateIn(timezone, now);
    const use = await countUpload(this.#db.for(organizationId), organizationId, {
      ...{ day, bytes, general: this.#megabytes },
    });
    if (!exceedsUploads(use)) return undefined;
    const zone = findZone(timezone) ?? findZone("UTC");
    const next = zone ? dayStart(zone, daysAfter(use.day, 1)) : now;
    const retryAfterSeconds = Math.max(1, Math.ceil((next - now) / 1000));
    return refusal("uploads_used_up", { params: { megabytes: use.megabytes }, retryAfterSeconds });
  }
}
