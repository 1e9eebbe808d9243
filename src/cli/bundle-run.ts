import type { Writable } from "node:stream";
import { conflict } from "../core/errors.ts";
import { writeText, writeWholeFile } from "../data/backup/file.ts";
import { isBackup } from "../data/backup/format.ts";
import { exportBundle } from "../data/bundle/export.ts";
import { importBundle } from "../data/bundle/import.ts";
import { KINDS } from "../data/bundle/schema.ts";
import type { ImportSummary } from "../data/bundle/summary.ts";
import { isBundle } from "../data/spreadsheet/recognize.ts";
import { operator } from "../domain/audit/queries.ts";
import { type CommandCall, table, textFlag, UsageError } from "./command.ts";
import { readId, readOrganization } from "./flag-values.ts";
import { type InputFile, openInput } from "./input-file.ts";
import { ProgressLine } from "./progress.ts";
import { SHEET_FLAGS } from "./sheet-flags.ts";
import { checkSheetFlags, importSheetFile } from "./sheet-run.ts";
import { showCommitted } from "./shown-once.ts";

/** Brings a file in, whole or not at all: a bundle or a spreadsheet, whatever its name. */
export async function importFile(call: CommandCall): Promise<void> {
  const path = call.arguments[0] ?? "";
  const org = textFlag(call, "org");
  const organizationId = org === undefined ? undefined : readId(org, "--org");
  checkSheetFlags(call);
  // Before standard input is waited for: if there is no database, nobody should have to send the file first.
  if (path === "-") await call.store();
  const input = await openInput(path, call.signal);
  try {
    if (isBackup(input.head))
      throw conflict(
        'The file has rows as a server stores them. Of one organization, "rollbook org import --complete" takes it; of a whole server, "rollbook restore".',
      );
    if (isBundle(input.head)) await importBundleFile(call, input, organizationId);
    else await importSheetFile(call, input, organizationId);
  } finally {
    await input.close();
  }
}

async function importBundleFile(
  call: CommandCall,
  input: InputFile,
  organizationId: string | undefined,
): Promise<void> {
  const stray = Object.keys(SHEET_FLAGS).find((flag) => call.flags[flag] !== undefined);
  if (stray) throw new UsageError(`--${stray} is for spreadsheets, and the file is a bundle.`);
  const db = (await call.store()).open({ applicationName: "rollbook import", poolSize: 1 });
  const line = new ProgressLine(!call.out.json);
  const summary = await importBundle(db, input.chunks(), {
    organizationId,
    maxRecords: call.config.orgRecords,
    dryRun: call.flags["dry-run"] === true,
    actor: operator().name,
    onProgress: ({ stage, records }) => {
      if (stage === "reading") line.show("Reading", records, input.share());
      else line.say(stage === "checking" ? "Checking" : "Writing", records);
    },
  }).finally(() => line.clear());
  const show = () => call.out.result(summary, describe(summary));
  if (summary.dryRun) show();
  else await showCommitted(call.out, show);
}

/** Writes a bundle to standard output or to a file. */
export async function exportFile(call: CommandCall): Promise<void> {
  const organizationId = readOrganization(call);
  const path = textFlag(call, "out");
  const db = (await call.store()).open({ applicationName: "rollbook export", poolSize: 1 });
  const write = (destination: Writable, lines: string) => {
    call.signal.throwIfAborted();
    return writeText(destination, lines);
  };
  if (path === undefined) {
    await exportBundle(db, organizationId, (lines) => write(process.stdout, lines));
    return;
  }
  const line = new ProgressLine(!call.out.json);
  let total = 0;
  const kinds = await writeWholeFile(path, (file) =>
    exportBundle(db, organizationId, (lines, records) => {
      total = records;
      line.show("Writing", records);
      return write(file, lines);
    }),
  ).finally(() => line.clear());
  call.out.result(
    { organizationId, records: total, kinds },
    `Wrote ${total.toLocaleString("en-US")} records to ${path}.`,
  );
}

function describe({ kinds, dryRun, organizationId, withoutResource = [] }: ImportSummary): string {
  const rows = KINDS.flatMap((kind) => {
    const counts = kinds[kind];
    if (!counts) return [];
    return [[kind, ...[counts.created, counts.replaced, counts.unchanged].map((count) => String(count))]];
  });
  const end = dryRun ? "A dry run: nothing was written." : `Imported into organization ${organizationId}.`;
  const count = withoutResource.length;
  const busy =
    count === 0
      ? ""
      : `\n${count === 1 ? "1 session" : `${count} sessions`} to come cannot hold a resource, because another session has it: ${withoutResource.slice(0, 10).join(", ")}${count > 10 ? ", …" : ""}`;
  return `${table(["KIND", "CREATED", "REPLACED", "UNCHANGED"], rows)}${busy}\n${end}`;
}
