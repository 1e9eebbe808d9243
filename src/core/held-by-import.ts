import { AppError } from "./errors.ts";
import { REFUSALS } from "./refusals.ts";

interface ImportInTheWay {
  readonly cause: unknown;
  /** When the import will have ended, if it says so. */
  readonly retryAfterSeconds?: number;
  /** Resolves when it has ended, or when the caller has waited long enough. Given if it is worth waiting for. */
  readonly ended?: () => Promise<void>;
}

/** A write met a record that an import has replaced, and holds until it ends. Nothing of the write was stored. */
export class HeldByImport extends AppError {
  readonly ended: (() => Promise<void>) | undefined;

  constructor({ cause, retryAfterSeconds, ended }: ImportInTheWay) {
    super(REFUSALS.record_imported, "record_imported", {
      detail: { code: "record_imported" },
      cause,
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    });
    this.ended = ended;
  }
}
