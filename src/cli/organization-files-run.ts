import { openForReading, writeWholeFile } from "../data/backup/file.ts";
import type { RowCounts } from "../data/backup/format.ts";
import { importOrganization } from "../data/backup/import-organization.ts";
import { checkBackup } from "../data/backup/read.ts";
import { writeBackup } from "../data/backup/write.ts";
import { operator, recordAudit } from "../domain/audit/queries.ts";
import { programVersion, publicUrl } from "../process/config.ts";
import { listUnnumbered, numberCommitted } from "../sync/changes/numbering.ts";
import { type CommandCall, textFlag, UsageError } from "./command.ts";
import { readId } from "./flag-values.ts";

export async function exportWhole(call: CommandCall): Promise<void> {
  const { out, config, signal } = call;
  const id = readId(call.arguments[0] ?? "", "ID");
  const path = textFlag(call, "complete") ?? "";
  const piped = path === "-";
  if (piped && process.stdout.isTTY)
    throw new UsageError("The file is not for a terminal: name one, or send the output to one.");
  if (piped && out.json)
    throw new UsageError("--json needs a file: standard output carries the rows themselves.");
  const store = await call.store();
  const db = store.open({ applicationName: "rollbook org" });
  // Or a server would number them between two exports, and the sum of the rows would differ.
  if ((await listUnnumbered(db)).includes(id)) await numberCommitted(db, id);
  const options = {
    programVersion: programVersion(),
    signal,
    organization: { id, publicUrl: config.publicUrl },
  };
  const written = piped
    ? await writeBackup(store.connection, process.stdout, options)
    : await writeWholeFile(path, (destination) => writeBackup(store.connection, destination, options));
  const { header, rows, bytes, sha256, rowsSha256 } = written;
  await recordAudit(db, operator().name, {
    action: "organization.export",
    subject: id,
    details: { sha256, rows },
  });
  const name = header.organization?.name;
  const sentence = `Exported ${name}: ${total(rows)} rows (${megabytes(bytes)} MB)${piped ? "" : ` to ${path}`}.`;
  const sum = `Sum of its rows: ${rowsSha256}`;
  if (piped) {
    out.say(sentence);
    out.say(sum);
  } else
    out.result(
      {
        file: path,
        organizationId: id,
        name,
        bytes,
        sha256,
        rowsSha256,
        createdAt: header.createdAt,
        totalRows: total(rows),
        rows,
      },
      `${sentence}\n${sum}`,
    );
  if (header.organization?.status === "active")
    out.say(
      `It is in use: what is written from now on is not in the file. To move it, first: rollbook org set ${id} --status suspended`,
    );
  out.say("The file has personal data, and the hashes of passwords and keys: keep it as you keep a backup.");
}

export async function importWhole(call: CommandCall): Promise<void> {
  const { out, config, signal, flags } = call;
  const path = textFlag(call, "complete") ?? "";
  // Before standard input is waited for: if there is no database, nobody should have to send the file first.
  if (path === "-") await call.store();
  const file = await openForReading(path, process.stdin);
  try {
    // Before the database is opened: a file that is refused leaves no trace.
    const backup = await checkBackup(file);
    const store = await call.store();
    const { organization, rows, hasSameSecret } = await importOrganization(store.connection, backup, {
      actor: operator().name,
      allowsOtherSecret: flags["other-secret"] === true,
      signal,
    });
    const { id, name, status } = organization;
    out.result(
      { organizationId: id, name, status, hasSameSecret, totalRows: total(rows), rows },
      `Imported ${name} (${id}), as it was at ${backup.header.createdAt}: ${total(rows)} rows.`,
    );
    if (status === "active")
      out.say(
        "It was in use when it was exported: both servers send its webhooks and issue its invoices until one has it suspended.",
      );
    else
      out.say(
        `It is ${status} here too. Once requests reach this server: rollbook org set ${id} --status active`,
      );
    if (!hasSameSecret)
      out.say(
        "The key secret is another one. Make again: API keys (rollbook key mint), calendar links, links for staff, secrets of webhooks (an endpoint is disabled at its next message). Readers of the feed begin again. Staff sign in again with their passwords.",
      );
    const secretIsSet = await store.checkKeySecret().then(
      () => true,
      () => false,
    );
    if (!secretIsSet)
      out.say(
        "This server has no key secret of its own yet, so it takes that of the file: set KEY_SECRET to the value it has there (with the built-in database, copy its file key-secret into DATA_DIR), or keys will not work.",
      );
    const here = publicUrl(config);
    if (organization.publicUrl && hostOf(organization.publicUrl) !== hostOf(here))
      out.say(
        `Passkeys are bound to the host name of ${organization.publicUrl}, and this server is ${here}: staff sign in with their passwords there, and add passkeys again.`,
      );
  } finally {
    await file.close();
  }
}

function hostOf(url: string): string {
  return new URL(url).hostname;
}

function total(rows: RowCounts): number {
  return Object.values(rows).reduce((sum, count) => sum + count, 0);
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(bytes < 1e6 ? 3 : 1);
}
