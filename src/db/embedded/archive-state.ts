import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { readArchive, SEGMENT_BYTES } from "../archive/archive-files.ts";
import { errorCode } from "../paths.ts";
import { type Archiving, archivePath, readArchiving } from "./archiving.ts";

/** Some segments may wait their turn; so many say that PostgreSQL cannot archive them. */
export const MOST_WAITING_BYTES = 8 * SEGMENT_BYTES;

/** How an archive stands, as metrics and the doctor tell it. */
export interface ArchiveState {
  readonly archiving: Archiving;
  /** Everything that was committed until then is archived. */
  readonly reachedAt: string;
  /** When the newest base copy was finished. */
  readonly baseAt?: string | undefined;
  /** Of `readWaitingBytes`. */
  readonly waitingBytes: number;
  /** Why the archive cannot be read, as the system's code; `ENOENT` if it is not there. */
  readonly obstacle?: string | undefined;
}

/** Undefined if nothing is archived. */
export async function readArchiveState(dataDir: string): Promise<ArchiveState | undefined> {
  const archiving = await readArchiving(dataDir);
  if (archiving === undefined) return undefined;
  const common = { archiving, reachedAt: archiving.since, waitingBytes: await readWaitingBytes(dataDir) };
  try {
    const archive = await readArchive(archivePath(archiving));
    if (archive === undefined) return { ...common, obstacle: "ENOENT" };
    return {
      ...common,
      reachedAt: archive.reached?.at ?? archiving.since,
      baseAt: archive.bases.at(-1)?.finishedAt,
    };
  } catch (error) {
    return { ...common, obstacle: errorCode(error) ?? "unreadable" };
  }
}

/** What PostgreSQL keeps in the data directory until it can be archived. */
export async function readWaitingBytes(dataDir: string): Promise<number> {
  const status = join(dataDir, "postgres", "pg_wal", "archive_status");
  const waiting = (await readdir(status).catch(() => [])).filter((name) => name.endsWith(".ready"));
  return waiting.length * SEGMENT_BYTES;
}
