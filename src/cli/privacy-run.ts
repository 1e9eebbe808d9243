import { AppError } from "../core/errors.ts";
import { compileCheck } from "../core/validation.ts";
import { operator } from "../domain/audit/queries.ts";
import { findPerson, type Reapplied, reapplyErasures } from "../domain/privacy/operations.ts";
import { listErasures } from "../domain/privacy/queries.ts";
import { ErasureRecord } from "../domain/privacy/schema.ts";
import { type CommandCall, textFlag } from "./command.ts";
import { readId } from "./flag-values.ts";
import { readInputText } from "./input-file.ts";
import { showCommitted } from "./shown-once.ts";

/** Writes the evidence of erasures, of all or of those that concern one person. */
export async function listEvidence(call: CommandCall): Promise<void> {
  const org = textFlag(call, "org");
  const organizationId = org === undefined ? undefined : readId(org, "--org");
  const person = { document: textFlag(call, "document"), email: textFlag(call, "email") };
  const store = await call.store();
  const db = store.open({ applicationName: "rollbook privacy" });
  const all = await listErasures(db, organizationId);
  const isAsked = person.document !== undefined || person.email !== undefined;
  const data = isAsked ? findPerson(all, person, await store.keySecret()) : all;
  if (data.length === 0) call.out.say("Nobody was erased.");
  if (data.length > 0 || call.out.json)
    call.out.result({ data, total: data.length }, data.map((record) => JSON.stringify(record)).join("\n"));
}

/** Carries out the erasures of a file again. The whole file is read and checked before anybody is erased. */
export async function reapplyFile(call: CommandCall): Promise<void> {
  const path = call.arguments[0] ?? "";
  if (path === "-") await call.store();
  const records = readRecords(await readInputText(path, call.signal));
  const db = (await call.store()).open({ applicationName: "rollbook privacy", poolSize: 1 });
  const done = await reapplyErasures(db, operator(), records);
  await showCommitted(call.out, () => call.out.result(done, describe(done)));
}

function readRecords(text: string): ErasureRecord[] {
  const check = compileCheck(ErasureRecord, "");
  return text.split("\n").flatMap((line, index) => {
    if (line.trim() === "") return [];
    const value = parse(line);
    if (value === undefined || check(value).length > 0) throw noErasure(index + 1);
    return [value as ErasureRecord];
  });
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function noErasure(line: number): AppError {
  return new AppError(
    "invalid",
    `Line ${line} is no erasure as "rollbook privacy list" writes them; nobody was erased.`,
  );
}

function describe({ erased, erasedBefore, missing, stillMembers }: Reapplied): string {
  const sentences = [
    `Erased again: ${erased.length}. Erased already: ${erasedBefore.length}. Not in this database: ${missing.length}.`,
  ];
  if (stillMembers.length > 0)
    sentences.push(
      `These have a contract that runs or a booking to come, which the backup brought back; cancel it: ${stillMembers.join(", ")}`,
    );
  return sentences.join("\n");
}
