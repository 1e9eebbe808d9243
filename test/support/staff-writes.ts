import type { Actor } from "../../src/core/actor.ts";
import { AppError, invalid } from "../../src/core/errors.ts";
import { ONLY_PUBLIC } from "../../src/core/network-addresses.ts";
import { compileCheck } from "../../src/core/validation.ts";
import type { Written } from "../../src/core/written.ts";
import type { Database } from "../../src/db/database.ts";
import type { StaffWrite } from "../../src/domain/writes/staff-write.ts";

/** Somebody who may do everything everywhere. */
export const OWNER: Actor = { name: "staff:test", role: "owner", locationIds: undefined };

export interface TestCall {
  readonly db: Database;
  readonly organizationId: string;
  readonly keySecret: string;
  readonly actor?: Actor;
}

/** Carries a declared write out as a door does, after its input was judged whole. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came, and asserts on it
export async function performWrite(write: StaffWrite, call: TestCall, raw: object): Promise<Written<any>> {
  const { tidy = (given: unknown) => given, faults = async () => [] } = write;
  const staffCall = {
    actor: OWNER,
    publicUrl: "https://studio.example.com",
    callRules: ONLY_PUBLIC,
    ...call,
  };
  const input = tidy(raw);
  const found = [...compileCheck(write.input, "body")(input), ...(await faults(staffCall, input))];
  if (found.length > 0) throw invalid(found);
  return write.perform(staffCall, input as object as never);
}

/** The word of a refusal, or the places and codes of the faults of an invalid input; `done` if it was carried out. */
export async function refusalOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const faults = error.faults.map(({ location, code }) => `${location} ${code}`);
    return faults.length > 0 ? faults.sort().join("; ") : (error.detail?.code ?? error.message);
  }
  return "done";
}
