import assert from "node:assert/strict";
import { mkdir, readdir, readFile, rename, rm, rmdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import pg from "pg";
import { MOST_WAITING_BYTES } from "../../src/db/embedded/archive-state.ts";
import { archivePath } from "../../src/db/embedded/archiving.ts";
import { until } from "../support/poll.ts";
import { later, rollbook, serve, startProgram } from "../support/processes.ts";
import { fill, mount, unmount, whyNoDisk } from "../support/small-disk.ts";
import { freePort } from "../support/target.ts";
import { newPlace, onlyArchive, openArchived, postmasterOf, storedFiles } from "./archive-support.ts";

test("while the archive is gone requests go on, metrics and the doctor tell it, and nothing is lost when it is back", async (t) => {
  const place = await newPlace(t);
  const environment = { DATA_DIR: place.dataDir, BACKUP_DIR: place.backupDir, BACKUP_SECONDS: "1" };
  const ADMIN_PORT = await freePort();
  const server = await serve(t, { ...environment, ADMIN_PORT });
  await until("there is a base copy", async () => (await onlyArchive(place)).bases.length > 0);
  const metric = async (name: string) => {
    const text = await (await fetch(`${server.adminUrl}/metrics`)).text();
    return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1] ?? Number.NaN);
  };
  const doctor = async () => (await rollbook(["doctor"], environment)).stdout;
  assert.ok((await metric("rollbook_base_copy_age_seconds")) < 60);
  assert.match(await doctor(), /^ok {5}Archive: .* has everything until 20\S+Z\.$/m);
  assert.match(await doctor(), /^note {3}Drill: The archive has never been tried/m);

  const aside = `${place.backupDir} aside`;
  await rename(place.backupDir, aside);
  // What a disk leaves that is not mounted.
  await mkdir(place.backupDir);
  const writer = await openArchived(t, place, { seconds: 1 });
  await writer.query("create table notes (n int primary key)");
  let written = 0;
  await until("the log waits and the archive grows older", async () => {
    await writer.query("insert into notes values ($1)", [written++]);
    const [age, waiting] = [
      await metric("rollbook_archive_age_seconds"),
      await metric("rollbook_archive_waiting_bytes"),
    ];
    return age > 3 && waiting >= 16 * 1024 * 1024;
  });
  assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
  assert.match(
    await doctor(),
    /^WRONG {2}Archive: BACKUP_DIR .* has none of it \(is its disk mounted\?\), and \d+ MB of the log wait/m,
  );
  assert.deepEqual(await readdir(place.backupDir), [], "nothing is written where the archive is not");

  await rmdir(place.backupDir);
  await rename(aside, place.backupDir);
  await until("the archive is up to date again", async () => {
    await writer.query("insert into notes values ($1)", [written++]);
    return (
      (await metric("rollbook_archive_waiting_bytes")) === 0 &&
      (await metric("rollbook_archive_age_seconds")) < 3
    );
  });
  await writer.close();
  server.child.kill("SIGTERM");
  await server.ended;
  const restored = { ...place, dataDir: join(place.folder, "restored") };
  const ended = await rollbook(["restore", "--at", "latest"], { ...environment, DATA_DIR: restored.dataDir });
  assert.equal(ended.code, 0, ended.stderr);
  const copy = await openArchived(t, restored, "none");
  assert.deepEqual(await copy.query("select count(*)::int as n from notes"), [{ n: written }]);
});

test("a base copy that is killed does not count, and its draft goes with the next", async (t) => {
  const place = await newPlace(t);
  const server = await openArchived(t, place);
  const { archiving } = server.embedded;
  assert.ok(archiving);
  const bases = join(archivePath(archiving), "bases");
  const killed = new AbortController();
  const slow = server.embedded.copyBase({ days: 14, bytesPerSecond: 1_000_000 }, killed.signal);
  slow.catch(() => {});
  await until("a draft is written", async () =>
    (await readdir(bases)).some((name) => name.endsWith(".part")),
  );
  await assert.rejects(server.copyBase(), /Another base copy is being made/);
  killed.abort();
  await assert.rejects(slow);
  await until("PostgreSQL has noticed", async () =>
    server.copyBase().then(
      () => true,
      () => false,
    ),
  );
  const names = await readdir(bases);
  assert.deepEqual(names.map((name) => name.replace(/^\w+/, "")).sort(), [".json", ".tar.gz"]);
});

test("a new base copy removes the old ones and their log, and keeps what the window needs", async (t) => {
  const place = await newPlace(t);
  const server = await openArchived(t, place);
  await server.copyBase();
  await server.query("create table notes (n int primary key); insert into notes values (1)");
  await server.archiveAll();
  await server.copyBase();
  const { path, bases } = await onlyArchive(place);
  assert.equal(bases.length, 2, "both are of this window");
  const before = (await storedFiles(path)).length;
  // Of a window that has passed the newest copy is enough.
  await server.copyBase(0);
  const { bases: kept } = await onlyArchive(place);
  assert.equal(kept.length, 1);
  assert.ok((await storedFiles(path)).length < before);
  const restored = join(place.folder, "restored");
  const ended = await rollbook(["restore", "--at", "latest"], {
    DATA_DIR: restored,
    BACKUP_DIR: place.backupDir,
  });
  assert.equal(ended.code, 0, ended.stderr);
});

test("a drill restores what is here beside the server that is written to, and fails for an archive that does not", async (t) => {
  const place = await newPlace(t);
  const environment = { DATA_DIR: place.dataDir, TMPDIR: join(place.folder, "temporary") };
  // Left by a drill that was killed: no process has the highest number.
  const left = join(environment.TMPDIR, `rollbook-drill-${2 ** 22}-abcdef`);
  await mkdir(join(left, "data", `postgres.restored-${2 ** 22}-abcdef`), { recursive: true });
  // What somebody else has put there is followed by nobody.
  const link = `rollbook-drill-${2 ** 22}-ghijkl`;
  await symlink(place.folder, join(environment.TMPDIR, link));
  const nothing = await rollbook(["backup", "--drill"], environment);
  assert.equal(nothing.code, 1);
  assert.match(nothing.stderr, /^rollbook: Nothing is archived: start the server with BACKUP_DIR\./);

  const server = await openArchived(t, place);
  await server.copyBase();
  const flags = ["--name", "Studio", "--timezone", "America/Sao_Paulo", "--currency", "BRL"];
  assert.equal((await rollbook(["org", "create", ...flags], environment)).code, 0);
  const pid = await postmasterOf(place.dataDir);
  let writes = 0;
  const stopped = new AbortController();
  const writing = (async () => {
    for (; !stopped.signal.aborted; writes++)
      await server.query("insert into facts (name, value) values ($1, 'x')", [`drill ${writes}`]);
  })();
  const done = await rollbook(["backup", "--drill", "--json"], environment);
  stopped.abort();
  await writing;
  assert.equal(done.code, 0, done.stderr);
  const { rows, totalRows } = JSON.parse(done.stdout) as { rows: Record<string, number>; totalRows: number };
  assert.equal(rows.organizations, 1);
  assert.deepEqual(
    await readdir(environment.TMPDIR),
    [link],
    "nothing stays of this drill, nor of the one before",
  );
  assert.ok((rows.facts ?? 0) > 1 && totalRows > 1 && writes > 0);
  assert.equal(await postmasterOf(place.dataDir), pid);
  assert.match(
    (await rollbook(["doctor"], environment)).stdout,
    /^ok {5}Drill: The archive was last tried 0 days ago/m,
  );

  const running = startProgram(["backup", "--drill"], environment);
  await until("it restores", async () => (await readdir(environment.TMPDIR)).length > 1);
  running.child.kill("SIGINT");
  const interrupted = await running.ended;
  assert.equal(interrupted.code, 130);
  assert.match(
    interrupted.stderr,
    /^rollbook: Interrupted\. The drill did not come to its end: it says nothing/m,
  );
  assert.deepEqual(await readdir(environment.TMPDIR), [link], "nothing stays of it");

  // Such a table is empty after a recovery: as good as a log that has not got what is here.
  await server.query("alter table facts set unlogged");
  const failed = await rollbook(["backup", "--drill"], environment);
  assert.equal(failed.code, 1);
  assert.match(failed.stderr, /does not bring back what is here: facts has \d+ rows here and 0 there\.\n$/);
});

test("a full disk of the archive stops nobody, leaves no half file, is told, and is caught up with when there is room", {
  skip: await whyNoDisk(),
}, async (t) => {
  const place = await newPlace(t);
  await mkdir(place.backupDir);
  await mount(place.backupDir, 48);
  later(t, () => unmount(place.backupDir));
  const environment = { DATA_DIR: place.dataDir, BACKUP_DIR: place.backupDir, BACKUP_SECONDS: "1" };
  const ADMIN_PORT = await freePort();
  const server = await serve(t, { ...environment, ADMIN_PORT });
  await until("there is a base copy", async () => (await onlyArchive(place)).bases.length > 0);
  const writer = await openArchived(t, place, { seconds: 1 });
  await writer.query("create table notes (n int primary key, text text)");
  const superuser = new pg.Client({ ...writer.embedded.connection, user: "postgres" });
  await superuser.connect();
  let written = 0;
  // What cannot be compressed, and a new segment for the next.
  const write = async () => {
    await writer.query(
      `insert into notes select $1, string_agg(sha256(random()::text::bytea)::text, '') from generate_series(1, 50000)`,
      [written++],
    );
    await superuser.query("select pg_switch_wal()");
  };
  const waitingBytes = async () => {
    const text = await (await fetch(`${server.adminUrl}/metrics`)).text();
    return Number(/^rollbook_archive_waiting_bytes (\S+)$/m.exec(text)?.[1]);
  };
  const ballast = join(place.backupDir, "ballast");
  await fill(ballast, { leaving: 512 * 1024 });

  await until("more waits than may wait its turn", async () => {
    await write();
    return (await waitingBytes()) > MOST_WAITING_BYTES;
  });
  const { path } = await onlyArchive(place);
  assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
  await assert.rejects(writer.copyBase(), /The base copy could not be made: the disk of .* is full\.$/);
  assert.equal((await onlyArchive(place)).bases.length, 1);
  await until("the server tells it", async () =>
    /"level":"error".*the archive of the log is \d+ minutes behind: \d+ MB wait in the data directory, whose disk has \d+ MB left/.test(
      server.output(),
    ),
  );
  assert.match(
    await readFile(join(place.dataDir, "postgres.log"), "utf8"),
    /rollbook: The disk of .* is full\./,
  );
  const { stdout } = await rollbook(["doctor"], environment);
  assert.match(stdout, /^WRONG {2}Archive: .* and \d+ MB of the log wait in the data directory/m);
  assert.match(stdout, /^WRONG {2}Disk: 0\.0 GB are free on the disk of .*the archive: make room/m);

  await rm(ballast);
  // PostgreSQL tries again after a minute, or when the next segment is full.
  await write();
  await until("all of it is archived", async () => (await waitingBytes()) === 0);
  await until("the server tells that too", async () =>
    server.output().includes("the archive of the log is up to date again"),
  );
  await superuser.end();
  await writer.close();
  server.child.kill("SIGTERM");
  await server.ended;
  const left = [...(await storedFiles(path)), ...(await readdir(join(path, "bases")))];
  assert.deepEqual(
    left.filter((name) => name.endsWith(".part")),
    [],
  );
  const restored = { ...place, dataDir: join(place.folder, "restored") };
  const ended = await rollbook(["restore", "--at", "latest"], { ...environment, DATA_DIR: restored.dataDir });
  assert.equal(ended.code, 0, ended.stderr);
  const copy = await openArchived(t, restored, "none");
  assert.deepEqual(await copy.query("select count(*)::int as n from notes"), [{ n: written }]);
});

test("what no moment needs any more makes room for the next base copy", {
  skip: await whyNoDisk(),
}, async (t) => {
  const place = await newPlace(t);
  await mkdir(place.backupDir);
  await mount(place.backupDir, 48);
  later(t, () => unmount(place.backupDir));
  const server = await openArchived(t, place);
  await server.copyBase();
  await server.archiveAll();
  await server.copyBase();
  const [, second] = (await onlyArchive(place)).bases;
  await fill(join(place.backupDir, "ballast"), { leaving: Math.floor((second?.bytes ?? 0) / 2) });
  await assert.rejects(server.copyBase(), /is full\.$/);
  assert.equal((await onlyArchive(place)).bases.length, 2);
  // Of a window that has passed only the newer one is needed until there is another.
  const { base } = await server.copyBase(0);
  assert.deepEqual((await onlyArchive(place)).bases, [base]);
});
