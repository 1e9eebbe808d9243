import { after, describe } from "node:test";
import { setFlagsFromString } from "node:v8";

type Close = () => Promise<void>;

/** Longer than a process takes to end when all its tests have. */
const LEFT_OPEN_MS = 30_000;

/** What the files of this process share, if several run in it. */
let shared: Close[] | undefined;

/** Whether this process runs several files, one after the other. */
export function filesShare(): boolean {
  return shared !== undefined;
}

/** Closes something that files share after the last of them, or after the file that is the only one. */
export function closeAfterFiles(close: Close): void {
  if (shared) shared.push(close);
  else after(close);
}

/**
 * Runs test files one after the other in this process. Each is a suite: what it starts with `startApi` or closes with
 * `after` is gone before the next is loaded. They are named as in the build, and may stand in another folder than its own.
 * What is measured is compiled as a server would be.
 */
export async function runFiles(
  files: readonly string[],
  folder: string,
  { isMeasured }: { readonly isMeasured: boolean },
): Promise<void> {
  shared = [];
  // Most code runs too seldom in a test to be worth the compiler's work: V8 waits five times as long as it would.
  if (!isMeasured) setFlagsFromString("--interrupt-budget=660000");
  for (const file of files) {
    await new Promise<void>((resolve) => {
      describe(file, async () => {
        try {
          const place = file.replace(/^dist\//, folder);
          await import(new URL(`../../../${place}`, import.meta.url).href);
        } catch (error) {
          // Then the suite fails, and its hooks are not run.
          resolve();
          throw error;
        }
        after(() => resolve());
      });
    });
  }
  for (const close of shared) await close();
  // What a test has left open that failed before its end keeps the process, and the run would wait for it.
  setTimeout(() => {
    process.stderr.write(`Something was left open by one of these: ${files.join(", ")}\n`);
    process.exit(1);
  }, LEFT_OPEN_MS).unref();
}
