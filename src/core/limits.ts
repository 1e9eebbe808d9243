/** A size that is checked in bytes and shown in words. */
export interface SizeLimit {
  readonly bytes: number;
  readonly text: string;
}

/** The body of a request. */
export const BODY_LIMIT: SizeLimit = { bytes: 1024 * 1024, text: "1 MiB" };
/** A file that comes with a request. */
export const FILE_LIMIT: SizeLimit = { bytes: 20 * 1024 * 1024, text: "20 MiB" };
/** What is said beside it. */
export const FORM_INPUT_LIMIT: SizeLimit = { bytes: 256 * 1024, text: "256 KiB" };
/** The request line and the headers together. */
export const HEAD_LIMIT: SizeLimit = { bytes: 16 * 1024, text: "16 KiB" };
/** One line of a bundle. */
export const LINE_LIMIT: SizeLimit = { bytes: 4 * 1024 * 1024, text: "4 MiB" };

/** How many faults of one input are reported at once. */
export const MAX_FAULTS = 100;
/** The longest window of the calendar. */
export const MAX_WINDOW_DAYS = 366;
/** The longest recurrence rule, in characters: more than any sensible one needs, and quick to read. */
export const MAX_RULE_LENGTH = 2_000;
/** Longer than any class: a larger number was meant in another unit. */
export const MAX_DURATION_MINUTES = 366 * 24 * 60;
/** How many exception dates, and as many extra dates, a schedule may have. */
export const MAX_SCHEDULE_DATES = 10_000;
/** How many different terms a search may have: each makes it cost more, and no name, address or phone has so many. */
export const MAX_TERMS = 10;
