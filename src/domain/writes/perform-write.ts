import { trimTexts } from "../../core/trim-texts.ts";
import type { ChangeCounts, Written } from "../../core/written.ts";
import type { StaffCall, StaffWrite } from "./staff-write.ts";

/** Thrown to end a transaction without its commit. */
class DryRunEnded extends Error {
  readonly written: Written<unknown>;

  constructor(written: Written<unknown>) {
    super("a dry run is not committed");
    this.written = written;
  }
}

/** A raw input in the form in which it is checked, at either door. */
export function tidyInput({ input, tidy }: StaffWrite, raw: unknown): unknown {
  return tidy ? tidy(raw) : trimTexts(input, raw);
}

/** What a write would do: it is carried out whole, and rolled back. */
export async function performDryRun(
  write: StaffWrite,
  call: StaffCall,
  input: unknown,
): Promise<{ readonly changes: ChangeCounts; readonly result?: unknown }> {
  try {
    return await call.db.transaction(async (tx) => {
      throw new DryRunEnded(await write.perform({ ...call, db: tx }, input as never));
    });
  } catch (error) {
    if (!(error instanceof DryRunEnded)) throw error;
    const { changes, result } = error.written;
    return write.isGivenOut ? { changes } : { changes, result: withoutSecrets(write, result) };
  }
}

/** What was made for the moment and is nowhere now, such as a link, is not shown. */
function withoutSecrets({ secrets = [] }: StaffWrite, result: unknown): unknown {
  if (secrets.length === 0) return result;
  return Object.fromEntries(Object.entries(result as object).filter(([name]) => !secrets.includes(name)));
}
