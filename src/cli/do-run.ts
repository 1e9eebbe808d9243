import { STAFF_WRITES } from "../app/all-writes.ts";
import { AppError, invalid, refuseFaults } from "../core/errors.ts";
import { repeatedMembers } from "../core/json.ts";
import { compileCheck } from "../core/validation.ts";
import type { Database } from "../db/database.ts";
import { operator } from "../domain/audit/queries.ts";
import { limitOf } from "../domain/organizations/organization-limits.ts";
import { findOrganization } from "../domain/organizations/queries.ts";
import { performDryRun, tidyInput } from "../domain/writes/perform-write.ts";
import type { StaffCall, StaffWrite } from "../domain/writes/staff-write.ts";
import { callRules, publicUrl } from "../process/config.ts";
import { type CommandCall, textFlag, UsageError } from "./command.ts";
import { readOrganization } from "./flag-values.ts";
import { readInputText } from "./input-file.ts";
import { commitWhenShown, showCommitted } from "./shown-once.ts";

/** Carries out an operation of the application by its declaration, as the door of the staff does. */
export async function carryOut(call: CommandCall): Promise<void> {
  const { name } = findWrite(call.arguments[0] ?? "");
  const organizationId = readOrganization(call);
  const raw = await readJsonFlag(textFlag(call, "data") ?? "", call.signal);
  try {
    await carryOutNamed(call, name, organizationId, raw, (done) =>
      call.out.result(done, JSON.stringify(done, null, 2)),
    );
  } catch (error) {
    throw inData(error);
  }
}

/** The same for an input that was read otherwise; `show` is given what `rollbook do` prints. */
export async function carryOutNamed(
  call: CommandCall,
  name: string,
  organizationId: string,
  raw: unknown,
  show: (done: object) => void,
): Promise<void> {
  const write = findWrite(name);
  const store = await call.store();
  const db = store.open({ applicationName: "rollbook do", poolSize: 2 });
  const organization = await findOrganization(db, organizationId);
  const staffCall: StaffCall = {
    db,
    actor: operator(),
    organizationId,
    maxRecords: limitOf(organization?.maxRecords, call.config.orgRecords),
    keySecret: await store.keySecret(),
    publicUrl: publicUrl(call.config),
    callRules: callRules(call.config),
  };
  const input = await readInput(write, staffCall, raw);
  if (call.flags["dry-run"]) show({ dryRun: true, ...(await performDryRun(write, staffCall, input)) });
  else if (write.secrets === undefined) {
    const done = await perform(write, staffCall, input);
    await showCommitted(call.out, () => show(done));
  } else {
    const make = (db: Database) => perform(write, { ...staffCall, db }, input);
    await commitWhenShown(staffCall.db, call.out, make, show);
  }
}

function findWrite(name: string): StaffWrite {
  const write = STAFF_WRITES.find((one) => one.name === name);
  if (write) return write;
  const names = STAFF_WRITES.map((one) => one.name).sort();
  throw new UsageError(`There is no operation "${name.slice(0, 40)}". There are: ${names.join(", ")}.`);
}

/** What a flag gives as JSON, or in a file. */
export async function readJsonFlag(data: string, stop: AbortSignal): Promise<unknown> {
  const text = data.startsWith("@") ? await readInputText(data.slice(1), stop) : data;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UsageError("--data must be JSON, or @ and the name of a file that has it.");
  }
  refuseFaults(repeatedMembers(text, "data"));
  return value;
}

/** The input, brought into its form, with all its faults at once. Nothing is open yet. */
async function readInput(write: StaffWrite, call: StaffCall, raw: unknown): Promise<unknown> {
  const input = tidyInput(write, raw);
  const shape = compileCheck(write.input, "body")(input);
  const further = (await write.faults?.(call, input)) ?? [];
  const faulty = new Set(shape.map(({ location }) => location));
  const faults = [...shape, ...further.filter(({ location }) => !faulty.has(location))];
  refuseFaults(faults);
  await write.prepare?.(call, input as never);
  return input;
}

async function perform(write: StaffWrite, call: StaffCall, input: unknown): Promise<object> {
  const { entry, result } = await write.perform(call, input as never);
  return { auditId: entry.id, result };
}

/** Faults are located in a body; here it is what `--data` has. */
function inData(error: unknown): unknown {
  if (!(error instanceof AppError) || error.faults.length === 0) return error;
  return invalid(
    error.faults.map((fault) => ({ ...fault, location: fault.location.replace(/^body\b/, "data") })),
  );
}
