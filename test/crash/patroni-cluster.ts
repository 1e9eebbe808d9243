import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readdir, readFile, readlink, realpath } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import type { ConnectionSettings } from "../../src/db/servers.ts";
import { until } from "../support/poll.ts";
import { type CuttableLine, openLine } from "./cuttable-line.ts";
import { pause } from "./load.ts";

export type Member = "pg1" | "pg2";
export const MEMBERS: readonly Member[] = ["pg1", "pg2"];

/** What a member is reached by, or reaches: each by a line that can be cut. */
export type Line = "etcd" | "standby" | "rest" | "nodes";
const LINES: readonly Line[] = ["etcd", "standby", "rest", "nodes"];

/** etcd, two PostgreSQL under Patroni, two nodes and HAProxy, by scripts/cluster.sh as an operator starts them. */
export interface PatroniCluster {
  /** Of the nodes, and of HAProxy before them. */
  readonly ports: { readonly nodes: readonly [number, number]; readonly balancer: number };
  readonly databaseUrl: string;
  readonly keySecret: string;
  /** Straight to one member, whoever leads and whatever is cut. */
  connection(member: Member): ConnectionSettings;
  /** Waits until one leads and the other has every commit, and says which leads. */
  leader(): Promise<Member>;
  /** How long after now the member takes writes. */
  promoted(member: Member): Promise<number>;
  line(member: Member, line: Line): CuttableLine;
  /** The processes of PostgreSQL, of Patroni or of both. */
  signal(signal: NodeJS.Signals, member: Member, part: Part): Promise<void>;
  /** As a service manager does with what has ended. */
  start(member: Member): Promise<void>;
  /** Ends everything and removes its data. */
  remove(): Promise<void>;
}

export type Part = "postgres" | "patroni" | "both";

const SCRIPT = fileURLToPath(new URL("../../../scripts/cluster.sh", import.meta.url));
const PROGRAMS = [
  "/usr/bin/etcd",
  "/usr/bin/patroni",
  "/usr/sbin/haproxy",
  "/usr/lib/postgresql/15/bin/postgres",
];
const START_MS = 180_000;
const LOOK_MS = 50;
const ANSWER_MS = 1_000;

/** Why it cannot be run here, if it cannot. */
export async function whyNoCluster(): Promise<string | false> {
  const missing = PROGRAMS.filter((program) => spawnSync(program, ["--version"]).error !== undefined);
  return missing.length > 0 && `${missing.join(", ")} not installed`;
}

export async function startCluster(environment: Readonly<Record<string, string>>): Promise<PatroniCluster> {
  const data = await realpath(await mkdtemp(join(tmpdir(), "rollbook-patroni-")));
  await chmod(data, 0o755);
  const port = await freePorts();
  const guard = startGuard(data, port);
  const lines = new Map<string, CuttableLine>();
  const remove = async () => {
    guard.stdin?.end();
    await once(guard, "exit");
    await Promise.all([...lines.values()].map((line) => line.close()));
  };
  try {
    for (const [n, member] of MEMBERS.entries()) {
      const targets = { etcd: port + 10, standby: port + 31 + n, rest: port + 21 + n, nodes: port + 31 + n };
      for (const line of LINES) lines.set(`${member} ${line}`, await openLine(targets[line]));
    }
    const address = (member: Member, line: Line) => lines.get(`${member} ${line}`)?.address ?? "";
    const settings: Record<string, string> = {
      ...environment,
      CLUSTER_DATA: data,
      CLUSTER_PORT: String(port),
      CLUSTER_HOSTS: MEMBERS.map((member) => address(member, "nodes")).join(","),
    };
    for (const [n, member] of MEMBERS.entries()) {
      settings[`CLUSTER_PG${n + 1}_ETCD`] = address(member, "etcd");
      settings[`CLUSTER_PG${n + 1}_ADDRESS`] = address(member, "standby");
      settings[`CLUSTER_PG${n + 1}_REST`] = address(member, "rest");
    }
    const script = (...words: string[]) => run(words, settings);
    await script("up");
    const secrets = Object.fromEntries(
      (await readFile(join(data, "passwords"), "utf8"))
        .trim()
        .split("\n")
        .map((line) => line.split("=")),
    );
    const connection = (member: Member) => ({
      host: "127.0.0.1",
      port: port + 31 + MEMBERS.indexOf(member),
      user: "rollbook",
      password: secrets.rollbook_password,
      database: "rollbook",
    });
    return {
      ports: { nodes: [port + 1, port + 2], balancer: port },
      databaseUrl: `postgres://rollbook:${secrets.rollbook_password}@${settings.CLUSTER_HOSTS}/rollbook`,
      keySecret: secrets.key_secret,
      connection,
      leader: () =>
        until("one leads and the other has every commit", async () => {
          const found = await Promise.all(MEMBERS.map((_, n) => readMembers(port + 21 + n)));
          return found.map(wholeLeader).find((leader) => leader !== undefined);
        }),
      async promoted(member) {
        const begun = performance.now();
        await until(`${member} is promoted`, () => takesWrites(connection(member)));
        return performance.now() - begun;
      },
      line: (member, line) => lines.get(`${member} ${line}`) as CuttableLine,
      async signal(signal, member, part) {
        const folders = { postgres: [`${member}/data`], patroni: [member], both: [member, `${member}/data`] };
        const pids = await processesIn(folders[part].map((folder) => join(data, folder)));
        if (pids.length === 0) throw new Error(`nothing of ${member} runs that could be sent ${signal}`);
        for (const pid of pids) sendSignal(pid, signal);
      },
      async start(member) {
        await script("up", member);
      },
      remove,
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Ends the cluster and removes its data as soon as this process has ended, however it does. */
function startGuard(data: string, port: number): ChildProcess {
  const work = 'cat >/dev/null; "$0" down --data "$1" --port "$2"; rm -rf "$1"';
  return spawn("bash", ["-c", work, SCRIPT, data, String(port)], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
}

async function run(words: readonly string[], environment: Readonly<Record<string, string>>): Promise<string> {
  const child = spawn(SCRIPT, words, {
    env: { PATH: process.env.PATH ?? "", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: START_MS,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`cluster.sh ${words.join(" ")}: ${output}`);
  return output;
}

interface MemberState {
  readonly name: Member;
  readonly role: string;
  readonly state: string;
}

/** As one Patroni sees them; nobody if it does not answer. */
async function readMembers(port: number): Promise<MemberState[]> {
  const signal = AbortSignal.timeout(ANSWER_MS);
  return fetch(`http://127.0.0.1:${port}/cluster`, { signal, headers: { connection: "close" } }).then(
    async (response) => ((await response.json()) as { members: MemberState[] }).members,
    () => [],
  );
}

function wholeLeader(members: readonly MemberState[]): Member | undefined {
  const running = members.filter(({ state }) => state === "running" || state === "streaming");
  if (!running.some(({ role }) => role === "sync_standby")) return undefined;
  return running.find(({ role }) => role === "leader")?.name;
}

async function takesWrites(connection: ConnectionSettings): Promise<boolean> {
  const client = new pg.Client({
    ...connection,
    connectionTimeoutMillis: ANSWER_MS,
    query_timeout: ANSWER_MS,
  });
  client.on("error", () => {});
  try {
    await client.connect();
    const { rows } = await client.query("select not pg_is_in_recovery() as yes");
    return rows[0]?.yes === true;
  } catch {
    await pause(LOOK_MS);
    return false;
  } finally {
    client.end().catch(() => {});
  }
}

async function processesIn(folders: readonly string[]): Promise<number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const places = await Promise.all(pids.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => "")));
  return pids.filter((_, n) => folders.includes(places[n] ?? "")).map(Number);
}

/** It may have ended meanwhile. */
function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** The first of those that scripts/cluster.sh uses, none of which is taken. */
async function freePorts(): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const first = 20_000 + 50 * Math.floor(Math.random() * 200);
    const offsets = [0, 1, 2, 10, 11, 21, 22, 31, 32, 41, 42];
    const free = await Promise.all(offsets.map((offset) => isFree(first + offset)));
    if (free.every(Boolean)) return first;
  }
  throw new Error("there are no free ports");
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
