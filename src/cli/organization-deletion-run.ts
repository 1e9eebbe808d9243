import { operator } from "../domain/audit/queries.ts";
import { listDeletions } from "../domain/organizations/deletion-queries.ts";
import { deleteOrganization, keepOrganization } from "../domain/organizations/deletions.ts";
import { GRACE_DAYS } from "../domain/organizations/values.ts";
import { type CommandCall, showRecord, showRecords, textFlag, UsageError } from "./command.ts";
import { readId } from "./flag-values.ts";
import { showCommitted } from "./shown-once.ts";

/** A deletion that could be taken back for longer would be a way to keep data that nobody looks after. */
const MOST_DAYS = 365;

export async function deleteWhole(call: CommandCall): Promise<void> {
  const id = readId(call.arguments[0] ?? "", "ID");
  const name = textFlag(call, "confirm") ?? "";
  const days = readDays(textFlag(call, "days"));
  const db = (await call.store()).open({ applicationName: "rollbook org" });
  const { deleteAfter } = await deleteOrganization(db, operator().name, id, { name, days });
  await showCommitted(call.out, () =>
    call.out.result(
      { id, name, deleteAfter },
      `${name} is closed. A server deletes all that it has within the hour after ${deleteAfter}.`,
    ),
  );
  if (days > 0) call.out.say(`Until then it can be kept:  rollbook org restore ${id}`);
  call.out.say("Backups that were taken before still have it, until they are removed.");
}

export async function keepWhole(call: CommandCall): Promise<void> {
  const id = readId(call.arguments[0] ?? "", "ID");
  const db = (await call.store()).open({ applicationName: "rollbook org" });
  const organization = await keepOrganization(db, operator().name, id);
  await showCommitted(call.out, () => showRecord(call, organization));
}

/** Those that are to be deleted, and the evidence of those that were. */
export async function listDeleted(call: CommandCall): Promise<void> {
  const db = (await call.store()).open({ applicationName: "rollbook org" });
  showRecords(call, await listDeletions(db), {
    header: ["ID", "ASKED", "BY", "DELETE AFTER", "DELETED", "ROWS"],
    row: ({ id, askedAt, actor, deleteAfter, begunAt, deletedAt, rows }) => [
      id,
      askedAt,
      actor,
      deleteAfter,
      deletedAt ?? (begunAt ? "under way" : "not yet"),
      String(Object.values(rows).reduce((sum, count) => sum + count, 0)),
    ],
    none: "No organization was deleted, and none is to be.",
  });
}

function readDays(text: string | undefined): number {
  if (text === undefined) return GRACE_DAYS;
  const days = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (!(days <= MOST_DAYS)) throw new UsageError(`--days is a whole number from 0 to ${MOST_DAYS}.`);
  return days;
}
