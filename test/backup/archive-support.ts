import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { type Archive, listArchives } from "../../src/db/archive/archive-files.ts";
import { type ArchiveRequest, archivePath } from "../../src/db/embedded/archiving.ts";
import { openEmbedded } from "../../src/db/embedded/supervisor.ts";
import { until } from "../support/poll.ts";
import { later, type Scope } from "../support/processes.ts";
import { copyData, templateData } from "../support/template.ts";

export interface Place {
  readonly folder: string;
  readonly dataDir: string;
  readonly backupDir: string;
}

/** A migrated, empty data directory with a folder for its archive beside it. Their path has what a shell would take apart. */
export async function newPlace(t: Scope): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), "rollbook-pitr it's 100% "));
  later(t, () => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const dataDir = join(folder, "data");
  await copyData(await templateData(), dataDir);
  return { folder, dataDir, backupDir: join(folder, "the archive") };
}

/** The server of a data directory, which archives its log unless told otherwise. */
export async function openArchived(t: Scope, place: Place, request: Partial<ArchiveRequest> | "none" = {}) {
  const archive = request === "none" ? request : { folder: place.backupDir, seconds: 1, ...request };
  const embedded = await openEmbedded({ dataDir: place.dataDir, archive });
  const client = new pg.Client(embedded.connection);
  client.on("error", () => {});
  await client.connect();
  later(t, async () => {
    await client.end().catch(() => {});
    await embedded.close();
  });
  return {
    embedded,
    async close() {
      await client.end();
      await embedded.close();
    },
    query: async (text: string, values: unknown[] = []) => (await client.query(text, values)).rows,
    copyBase: (days = 14) => copyBase(embedded, days),
    /** Waits until everything so far is in the archive. */
    async archiveAll() {
      const { archiving } = embedded;
      if (archiving === undefined) throw new Error("nothing is archived");
      const [{ segment }] = (
        await client.query<{ segment: string }>(
          "select pg_walfile_name(pg_current_wal_insert_lsn()) as segment",
        )
      ).rows as [{ segment: string }];
      // So that there is something to archive.
      await client.query("create table if not exists beats (n int); insert into beats values (1)");
      await until("the segment is archived", async () =>
        (await storedFiles(archivePath(archiving))).some((name) => name.startsWith(segment)),
      );
    },
  };
}

function copyBase(embedded: Awaited<ReturnType<typeof openEmbedded>>, days: number) {
  return embedded.copyBase({ days, bytesPerSecond: 1e9 }, new AbortController().signal);
}

/** The files of an archive's log, without the digests in their names. */
export async function storedFiles(archive: string): Promise<string[]> {
  const names = await readdir(join(archive, "log"), { recursive: true });
  return names.map((name) => name.slice(name.lastIndexOf("/") + 1));
}

export async function onlyArchive(place: Place): Promise<Archive> {
  const { archives } = await listArchives(place.backupDir);
  const [only] = archives;
  if (only === undefined || archives.length > 1) throw new Error(`there are ${archives.length} archives`);
  return only;
}

/** A second later, so that moments are told apart by their milliseconds. */
export async function momentNow(): Promise<string> {
  const begun = Date.now();
  await until("some milliseconds have passed", async () => Date.now() > begun + 5);
  const moment = new Date(Date.now() - 2).toISOString();
  await until("some milliseconds have passed", async () => Date.now() > begun + 15);
  return moment;
}

export async function postmasterOf(dataDir: string): Promise<number> {
  return Number.parseInt(await readFile(join(dataDir, "postgres", "postmaster.pid"), "utf8"), 10);
}
