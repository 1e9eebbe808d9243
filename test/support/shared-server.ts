import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { chooseAccount, spawnAs } from "../../src/db/embedded/account.ts";
import { findBinaries } from "../../src/db/embedded/binaries.ts";
import { findPostmaster, settingArguments } from "../../src/db/embedded/postmaster.ts";
import { until } from "./poll.ts";

/** What the shared database holds goes with the test run: nothing in it need survive a crash, so nothing waits for the disk. */
const FOR_A_TEST_RUN = {
  fsync: "off",
  full_page_writes: "off",
  synchronous_commit: "off",
  // A checkpoint is work for nothing.
  checkpoint_timeout: "1d",
  max_wal_size: "2GB",
  wal_init_zero: "off",
  // Of the hundred databases that tests make, one would be looked at twice a second. Tests that need statistics gather them.
  autovacuum_naptime: "10min",
};

/**
 * Starts PostgreSQL on the data directory of a test run, set as the program sets it but for what makes it durable.
 * Whoever opens the directory then finds it running; it stops with the last of them, as ever.
 */
export async function startSharedServer(dataDir: string): Promise<void> {
  const cluster = join(dataDir, "postgres");
  const binaries = await findBinaries(dataDir);
  const account = await chooseAccount({ dataDir, cluster }, binaries);
  const log = openSync(join(dataDir, "postgres.log"), "a");
  const command = [binaries.postgres, "-D", cluster, ...settingArguments(FOR_A_TEST_RUN)];
  spawnAs(account, command, { env: binaries.env, detached: true, stdio: ["ignore", log, log] }).unref();
  closeSync(log);
  await until("the shared PostgreSQL runs", () => findPostmaster(cluster));
}
