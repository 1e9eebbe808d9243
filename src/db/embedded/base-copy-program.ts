import { constants, setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import { type BaseCopyJob, copyBase } from "./base-copy.ts";

// A base copy in a process of its own, as PostgreSQL's account: the server answers requests meanwhile, and comes first.
if (process.argv[1] === fileURLToPath(import.meta.url)) await run();

async function run(): Promise<void> {
  setPriority(constants.priority.PRIORITY_LOW);
  try {
    const job = JSON.parse(process.argv[2] ?? "") as BaseCopyJob;
    process.stdout.write(JSON.stringify(await copyBase(job)));
  } catch (error) {
    process.stderr.write(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}
