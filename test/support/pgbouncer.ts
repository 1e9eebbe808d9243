import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NOBODY } from "../../src/db/embedded/account.ts";
import { until } from "./poll.ts";
import { later, type Scope } from "./processes.ts";
import { canConnect } from "./wire.ts";

const PROGRAM = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "pgbouncer"].find(
  (path) => spawnSync(path, ["--version"]).status === 0,
);

/** Why tests with PgBouncer are left out, if they are. */
export const withoutPgBouncer = PROGRAM === undefined && "pgbouncer is not installed";

/** Runs the real PgBouncer before a server, and returns the address that callers use. Ended with the test. */
export async function startPgBouncer(
  t: Scope,
  options: {
    mode: "session" | "transaction";
    port: number;
    server: { host: string; port: number; user: string };
  },
): Promise<string> {
  const { host, port, user } = options.server;
  const directory = await mkdtemp(join(tmpdir(), "rollbook-pgbouncer-"));
  await chmod(directory, 0o755);
  const settings = join(directory, "pgbouncer.ini");
  await writeFile(
    settings,
    `[databases]
rollbook = host=${host} port=${port} user=${user} dbname=rollbook
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${options.port}
unix_socket_dir =
auth_type = any
pool_mode = ${options.mode}
default_pool_size = ${options.mode === "session" ? 40 : 4}
`,
  );
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await chown(directory, NOBODY, NOBODY);
  const child = spawn(PROGRAM ?? "", [settings], {
    stdio: "ignore",
    ...(isRoot && { uid: NOBODY, gid: NOBODY }),
  });
  const ended = once(child, "exit");
  later(t, async () => {
    child.kill("SIGKILL");
    await ended;
    await rm(directory, { recursive: true, force: true });
  });
  await until("PgBouncer listens", () => canConnect(options.port));
  return `postgres://${user}@127.0.0.1:${options.port}/rollbook`;
}
