/** A size that is checked in bytes and shown in words. */
export interface SizeLimit {
  readonly bytes: number;
  readonly text: string;
}

/** The body of a request. */
export const BODY_LIMIT: SizeLimit = { bytes: 1024 * 1024, text: "1 MiB" };
/** All members and items of a body together: what the longest lists of the operations need. To check a million costs seconds. */
export const MAX_BODY_VALUES = 5_000;
/** The same of what is said beside a file: many rows may have been corrected by hand. */
export const MAX_FORM_VALUES = 20_000;
/** How deep they may be nested: no record of ours is deeper than three, and past this the walk would only cost memory. */
export const MAX_DEPTH = 32;
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
/**
 * How many periods of a rule may be looked at until its COUNT is reached: a century of days. To count them takes some ten
 * milliseconds; rules with one slot every so many days or weeks need no counting.
 */
export const MAX_COUNTED_PERIODS = 40_000;
/** Longer than any class: a larger number was meant in another unit. */
export const MAX_DURATION_MINUTES = 366 * 24 * 60;
/** How many exception dates, and as many extra dates, a schedule may have: five years of days. */
export const MAX_SCHEDULE_DATES = 2_000;
/** How many different terms a search may have: each makes it cost more, and no name, address or phone has so many. */
export const MAX_TERMS = 10;
/** How many entitlements a plan or a contract may have: each is weighed whenever its client is booked. */
export const MAX_ENTITLEMENTS = 200;
