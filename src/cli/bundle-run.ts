import { createReadStream } from "node:fs";
import { open, rename, rm, stat } from "node:fs/promises";
import { extname } from "node:path";
import { operatingSystemUser } from "../audit/queries.ts";
import { exportBundle } from "../bundle/export.ts";
import { type ImportOptions, importBundle } from "../bundle/import.ts";
import { KINDS } from "../bundle/schema.ts";
import type { ImportSummary } from "../bundle/summary.ts";
import { AppError } from "../core/errors.ts";
import type { Database } from "../db/database.ts";
import { importSpreadsheet } from "../spreadsheet/operations.ts";
import { type CommandCall, table, textFlag } from "./command.ts";
import { ProgressLine } from "./progress.ts";
import { readId } from "./values.ts";

type Importer = (
  db: Database,
  chunks: AsyncIterable<Uint8Array>,
  options: ImportOptions,
) => Promise<ImportSummary>;

/** How files are read, by the ending of their names; any other is a bundle. */
const FORMATS: Readonly<Record<string, Importer>> = { ".csv": importSpreadsheet };

/** Brings a file in, whole or not at all. */
export async function importFile(call: CommandCall): Promise<void> {
  const path = call.arguments[0] ?? "";
  const org = textFlag(call, "org");
  const organizationId = org === undefined ? undefined : readId(org, "--org");
  const importer = FORMATS[extname(path).toLowerCase()] ?? importBundle;
  const source = await openSource(path);
  const db = (await call.store()).open({ applicationName: "rollbook import", poolSize: 1 });
  const line = new ProgressLine(!call.out.json);
  let summary: ImportSummary;
  try {
    summary = await importer(db, source.chunks, {
      organizationId,
      dryRun: call.flags["dry-run"] === true,
      actor: operatingSystemUser(),
      onProgress: ({ stage, records }) => {
        if (stage === "reading") line.show("Reading", records, source.share());
        else line.say(stage === "checking" ? "Checking" : "Writing", records);
      },
    });
  } finally {
    line.clear();
    source.close();
  }
  for (const remark of summary.remarks ?? []) call.out.say(remark);
  call.out.result(summary, describe(summary));
}

/** Writes a bundle to standard output or to a file. */
export async function exportFile(call: CommandCall): Promise<void> {
  const organizationId = readId(textFlag(call, "org") ?? "", "--org");
  const path = textFlag(call, "out");
  const db = (await call.store()).open({ applicationName: "rollbook export", poolSize: 1 });
  if (path === undefined) {
    await exportBundle(db, organizationId, writeToStandardOutput).catch(exitOnBrokenPipe);
    return;
  }
  const line = new ProgressLine(!call.out.json);
  let total = 0;
  const kinds = await writeFileWhole(path, (write) =>
    exportBundle(db, organizationId, (lines, records) => {
      total = records;
      line.show("Writing", records);
      return write(lines);
    }),
  ).finally(() => line.clear());
  call.out.result(
    { organizationId, records: total, kinds },
    `Wrote ${total.toLocaleString("en-US")} records to ${path}.`,
  );
}

function describe({ kinds, dryRun, organizationId }: ImportSummary): string {
  const rows = KINDS.flatMap((kind) => {
    const counts = kinds[kind];
    if (!counts) return [];
    return [[kind, ...[counts.created, counts.replaced, counts.unchanged].map((count) => String(count))]];
  });
  const end = dryRun ? "A dry run: nothing was written." : `Imported into organization ${organizationId}.`;
  return `${table(["KIND", "CREATED", "REPLACED", "UNCHANGED"], rows)}\n${end}`;
}

interface Source {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** How much of it has been read, if that can be told. */
  share(): number | undefined;
  close(): void;
}

async function openSource(path: string): Promise<Source> {
  if (path === "-")
    return { chunks: process.stdin, share: () => undefined, close: () => process.stdin.destroy() };
  const size = await stat(path).then(
    (found) => {
      if (found.isDirectory()) throw new AppError("invalid", `${path} is a directory, not a file.`);
      return found.size;
    },
    (error: NodeJS.ErrnoException) => {
      throw unreadable(path, error);
    },
  );
  const stream = createReadStream(path, { highWaterMark: 256 * 1024 });
  async function* chunks(): AsyncGenerator<Uint8Array> {
    try {
      yield* stream as AsyncIterable<Uint8Array>;
    } catch (error) {
      throw (error as NodeJS.ErrnoException).syscall === undefined ? error : unreadable(path, error);
    }
  }
  return {
    chunks: chunks(),
    share: () => (size > 0 ? stream.bytesRead / size : undefined),
    close: () => stream.destroy(),
  };
}

function unreadable(path: string, error: unknown): AppError {
  const { code } = error as NodeJS.ErrnoException;
  const reason =
    code === "ENOENT" ? "there is no such file" : code === "EACCES" ? "this user may not read it" : code;
  return new AppError("invalid", `${path} cannot be read: ${reason}.`, { cause: error });
}

/** Resolves when the text has been taken, so that a slow reader is waited for. */
function writeToStandardOutput(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => {
      if (!error) resolve();
      else reject((error as NodeJS.ErrnoException).code === "EPIPE" ? new BrokenPipe() : error);
    });
  });
}

/** `rollbook export … | head -3`: whoever read has what they wanted. */
class BrokenPipe extends Error {}

function exitOnBrokenPipe(error: unknown): void {
  if (!(error instanceof BrokenPipe)) throw error;
  process.exitCode = 1;
}

/** The file appears when it is complete; it holds personal data, so it is for its owner alone. */
async function writeFileWhole<Result>(
  path: string,
  work: (write: (text: string) => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const draft = `${path}.${process.pid}.part`;
  try {
    const file = await open(draft, "wx", 0o600);
    let result: Result;
    try {
      result = await work(async (text) => {
        await file.writeFile(text);
      });
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
    return result;
  } catch (error) {
    await rm(draft, { force: true });
    if ((error as NodeJS.ErrnoException).syscall === undefined || error instanceof AppError) throw error;
    throw new AppError("invalid", `${path} cannot be written: ${(error as NodeJS.ErrnoException).code}.`, {
      cause: error,
    });
  }
}
