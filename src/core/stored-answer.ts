/** A write that bears an Idempotency-Key: whose key it is, and which request it stands for. */
export interface KeyClaim {
  readonly organizationId: string;
  /** Who sent it, as the audit trail names them, where a key belongs to one person; else empty: to the organization. */
  readonly owner: string;
  readonly key: string;
  /** A hash of the request, in hex: the same key with another one is a mistake of the caller's. */
  readonly fingerprint: string;
  /** When the request was read. A key is new again 24 hours after its first request. */
  readonly now: number;
}

/** A success as it is answered again to a repeated request. */
export interface StoredAnswer {
  readonly status: number;
  readonly etag?: string | undefined;
  readonly location?: string | undefined;
  /** Absent for 204; in pieces if it is long, and then not stored. */
  readonly body?: string | Iterable<string> | undefined;
  /** What the answer is made of again, where its text is not what is stored. */
  readonly source?: RecordedAnswer | undefined;
}

/** What is stored of an answer instead of its text. */
export interface RecordedAnswer {
  /** Whether it was stored with the audit entry already. */
  readonly isStored?: boolean | undefined;
  /** The audit entry of the write. */
  readonly auditId: string;
  /** The id of the record that was written, or a result without anything secret or personal. */
  readonly result: unknown;
}

/** An answer as it is stored under its key. */
export interface KeyedAnswer extends StoredAnswer {
  readonly claim: KeyClaim;
  /** The record that it shows: when that is erased, so is the answer. */
  readonly recordId: string | undefined;
}

/** A request that an operation stores with its audit entry. */
export interface KeptRequest extends Pick<KeyClaim, "key" | "fingerprint"> {
  /** What is stored of the operation's result: see `RecordedAnswer`. */
  readonly resultOf: (result: never) => unknown;
}

/** Given to a write that may be stored in one statement with those of other requests. */
export interface SharedWrite {
  /** What must then be stored in that statement as well, for the record that is stored; absent without a key. */
  readonly answerOf?: (record: object) => KeyedAnswer;
}

/**
 * A write could not be stored in one statement with those of other requests, and nothing of it was: its key is taken, or
 * one of them met another write. It is to be tried in a transaction of its own.
 */
export class NotStoredTogether extends Error {
  constructor(cause?: unknown) {
    super("the write was not stored together with others", cause === undefined ? undefined : { cause });
    this.name = "NotStoredTogether";
  }
}
