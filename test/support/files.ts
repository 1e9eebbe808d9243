import { after, describe } from "node:test";

/**
 * Runs test files one after the other in this process. Each is a suite: what it starts with `startApi` or closes with
 * `after` is gone before the next is loaded.
 */
export async function runFiles(files: readonly string[]): Promise<void> {
  for (const file of files) {
    await new Promise<void>((resolve) => {
      describe(file, async () => {
        try {
          await import(new URL(`../../../${file}`, import.meta.url).href);
        } catch (error) {
          // Then the suite fails, and its hooks are not run.
          resolve();
          throw error;
        }
        after(() => resolve());
      });
    });
  }
}
