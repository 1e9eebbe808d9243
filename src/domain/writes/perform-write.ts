import { trimTexts } from "../../core/trim-texts.ts";
import type { ChangeCounts } from "../../core/written.ts";
import { undone } from "../../db/dry-run.ts";
import type { StaffCall, StaffWrite } from "./staff-write.ts";

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
  const { changes, result } = await undone(call.db, (tx) =>
    write.perform({ ...call, db: tx }, input as never),
  );
  return write.isGivenOut ? { changes } : { changes, result: withoutSecrets(write, result) };
}

/** What was made for the moment and is nowhere now, such as a link, is not shown. */
function withoutSecrets({ secrets = [] }: StaffWrite, result: unknown): unknown {
  if (secrets.length === 0) return result;
  return Object.fromEntries(Object.entries(result as object).filter(([name]) => !secrets.includes(name)));
}
