import { execFile } from "node:child_process";
import { mkdtemp, open, rm, stat, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Why a disk cannot be made full here; nothing if it can. */
export async function whyNoDisk(): Promise<string | undefined> {
  if (process.platform !== "linux") return "needs Linux, to mount a disk of limited size";
  if (process.getuid?.() !== 0) return "needs root, to mount a disk of limited size";
  const place = await mkdtemp(join(tmpdir(), "rollbook-disk-"));
  try {
    await mount(place, 1);
    await run("umount", [place]);
    return undefined;
  } catch {
    return "this system lets nobody mount a disk";
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

/** A disk of so many megabytes, in memory. */
export async function mount(place: string, megabytes: number): Promise<void> {
  await run("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=0755`, "tmpfs", place]);
}

export async function unmount(place: string): Promise<void> {
  await run("umount", ["--lazy", place]);
}

/** Takes all the space there is, but for so many bytes. */
export async function fill(path: string, { leaving = 0 } = {}): Promise<void> {
  const file = await open(path, "a");
  try {
    for (const size of [1 << 20, 1 << 12]) {
      const piece = Buffer.alloc(size, 1);
      for (;;) {
        const written = await file.write(piece).catch((error: NodeJS.ErrnoException) => {
          if (error.code === "ENOSPC") return undefined;
          throw error;
        });
        if (written === undefined) break;
      }
    }
  } finally {
    await file.close();
  }
  const { size } = await stat(path);
  await truncate(path, Math.max(0, size - leaving));
}
