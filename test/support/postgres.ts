import { chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { chooseAccount, runAs } from "../../src/db/embedded/account.ts";
import { findBinaries } from "../../src/db/embedded/binaries.ts";
import { DATABASE, openDataDirectory } from "../../src/db/embedded/data-directory.ts";
import { findPostmaster } from "../../src/db/embedded/postmaster.ts";
import type { ConnectionSettings } from "../../src/db/servers.ts";
import { databaseUrl } from "./processes.ts";
import { copyData, templateData } from "./template.ts";

/** A PostgreSQL that an operator runs, apart from the program: started, restarted and stopped with pg_ctl. */
export interface OperatorsPostgres {
  readonly connection: ConnectionSettings;
  /** Its data, for tests that copy it or write its configuration. */
  readonly cluster: string;
  readonly url: string;
  readonly logs: string;
  restart(mode: "smart" | "fast" | "immediate"): Promise<void>;
  stop(mode: "fast" | "immediate"): Promise<void>;
  /** Makes a standby the primary. */
  promote(): Promise<void>;
  /** What a service manager does. */
  startIfGone(): Promise<void>;
  /** Stops it and removes its data. */
  remove(): Promise<void>;
}

export async function startPostgres(
  options: {
    environment?: Readonly<Record<string, string>>;
    settings?: string;
    /** The stopped cluster that it begins as a copy of, unless it is the empty one of the test run. */
    copyOf?: string;
    /** Files beside its data: certificates, pg_hba.conf. */
    files?: Readonly<Record<string, string>>;
  } = {},
): Promise<OperatorsPostgres> {
  const dataDir = await openDataDirectory(join(await mkdtemp(join(tmpdir(), "rollbook-postgres-")), "data"));
  const cluster = join(dataDir, "cluster");
  const binaries = await findBinaries(dataDir);
  const account = await chooseAccount({ dataDir, cluster }, binaries);
  await copyData(options.copyOf ?? join(await templateData(), "postgres"), cluster);
  for (const [name, text] of Object.entries(options.files ?? {})) {
    const path = join(cluster, name);
    await writeFile(path, text, { mode: 0o600 });
    if (account.owner) await chown(path, account.owner.uid, account.owner.gid);
  }
  // What an operator's server has and the built-in one has not: room for many connections, a log of its own.
  const settings =
    "-c listen_addresses='' -c unix_socket_directories=. -c max_connections=100 -c logging_collector=on";
  const program = join(dirname(binaries.postgres), "pg_ctl");
  const control = async (...command: string[]) => {
    const { code, output } = await runAs(account, [program, "-D", cluster, "-w", "-t", "60", ...command], {
      env: { ...binaries.env, ...options.environment },
    });
    if (code !== 0) throw new Error(`pg_ctl ${command.join(" ")}: ${output}`);
  };
  const given = `${settings} ${options.settings ?? ""}`;
  const start = () => control("-l", join(cluster, "start.log"), "-o", given, "start");
  await start();
  const connection = { host: cluster, port: 5432, user: DATABASE, database: DATABASE };
  return {
    connection,
    cluster,
    url: databaseUrl(connection),
    logs: join(cluster, "log"),
    restart: (mode) => control("-l", join(cluster, "start.log"), "-m", mode, "restart"),
    stop: (mode) => control("-m", mode, "stop"),
    promote: () => control("promote"),
    async startIfGone() {
      if ((await findPostmaster(cluster)) === undefined) await start();
    },
    async remove() {
      await control("-m", "immediate", "stop").catch(() => {});
      await rm(dirname(dataDir), { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
