import { open, readFile, rename } from "node:fs/promises";
import type { CursorStore } from "./changes.ts";

/** The place in the feed as a file of its own, which is replaced whole: a crash leaves the old one or the new one. */
export function fileStore(path: string): CursorStore {
  return {
    async load() {
      try {
        return (await readFile(path, "utf8")).trim() || undefined;
      } catch (error) {
        if ((error as { code?: string }).code === "ENOENT") return undefined;
        throw error;
      }
    },
    async save(cursor) {
      const written = `${path}.new`;
      const file = await open(written, "w");
      try {
        await file.writeFile(`${cursor}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(written, path);
    },
  };
}
