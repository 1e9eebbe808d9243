import { daysAfter } from "../../core/dates.ts";
import { refusal } from "../../core/errors.ts";
import type { SharedDatabase } from "../../db/database.ts";
import { countUpload, findUploaded, hasUploadRoom } from "../organizations/limit-queries.ts";
import { dateIn, dayStart, findZone } from "../recurrence/zones.ts";

/** Who uploads, and when. */
export interface Uploader {
  readonly organizationId: string;
  readonly timezone: string;
  readonly clock: { now(): number };
}

/** Counts what organizations upload, by days of their own, and refuses what is more than they may. */
export class UploadQuota {
  readonly #db: SharedDatabase;
  readonly #megabytes: number;

  /** So many megabytes a day may be uploaded by an organization that has no limit of its own; 0 for any number. */
  constructor(db: SharedDatabase, megabytes: number) {
    this.#db = db;
    this.#megabytes = megabytes;
  }

  /** Refuses a file of at least so many bytes before it is sent, if there is no room for it. */
  async require(uploader: Uploader, bytes: number): Promise<void> {
    const { organizationId } = uploader;
    const use = await findUploaded(
      this.#db.for(organizationId),
      organizationId,
      dayOf(uploader),
      this.#megabytes,
    );
    if (!hasUploadRoom(use, bytes)) throw usedUp(use.megabytes, uploader);
  }

  /** Counts a file that has arrived, whatever becomes of it. */
  async count(uploader: Uploader, bytes: number): Promise<void> {
    const { organizationId } = uploader;
    const db = this.#db.for(organizationId);
    const day = dayOf(uploader);
    if (await countUpload(db, organizationId, { day, bytes, general: this.#megabytes })) return;
    const { megabytes } = await findUploaded(db, organizationId, day, this.#megabytes);
    throw usedUp(megabytes, uploader);
  }
}

function dayOf({ timezone, clock }: Uploader): string {
  return dateIn(timezone, clock.now());
}

function usedUp(megabytes: number, uploader: Uploader) {
  const zone = findZone(uploader.timezone) ?? findZone("UTC");
  const now = uploader.clock.now();
  const tomorrow = zone ? dayStart(zone, daysAfter(dayOf(uploader), 1)) : now;
  const retryAfterSeconds = Math.max(1, Math.ceil((tomorrow - now) / 1000));
  return refusal("uploads_used_up", { params: { megabytes }, retryAfterSeconds });
}
