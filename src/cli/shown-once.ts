import { AppError } from "../core/errors.ts";
import type { Database } from "../db/database.ts";
import type { Output } from "./command.ts";

/** A result that could not be shown, and whether what it says was done all the same. */
export class NotShown extends AppError {
  constructor(sentence: string, cause: unknown) {
    super("unavailable", sentence, { cause });
  }
}

/**
 * Carries out a write whose result is shown once, such as a key, and commits it when it has been shown. Nobody would have
 * the secret of a key that was stored and could not be printed, and it would be valid all the same.
 */
export async function commitWhenShown<Result>(
  db: Database,
  out: Output,
  write: (tx: Database) => Promise<Result>,
  show: (result: Result) => void,
): Promise<void> {
  await db.transaction(async (tx) => {
    show(await write(tx));
    await out.written().catch((cause: unknown) => {
      throw new NotShown("Nothing was changed: what is shown once could not be shown.", cause);
    });
  });
}

/** Shows the result of a write that is committed. If it cannot be shown, the command has failed in that alone, and says so. */
export async function showCommitted(out: Output, show: () => void): Promise<void> {
  show();
  await out.written().catch((cause: unknown) => {
    throw new NotShown("It was done all the same: only its result could not be shown.", cause);
  });
}
