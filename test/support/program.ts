import { fileURLToPath } from "node:url";

/**
 * The main file of the program, for tests that run it as a process. A whole test run gives another: the same program in
 * few files (`scripts/few-files.mjs`), which starts in half the time.
 */
export const PROGRAM =
  process.env.ROLLBOOK_TEST_PROGRAM ?? fileURLToPath(new URL("../../src/main.js", import.meta.url));
