import assert from "node:assert/strict";
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { exists } from "../../src/db/paths.ts";
import { until } from "../support/poll.ts";
import { rollbook, serve } from "../support/processes.ts";
import {
  momentNow,
  newPlace,
  onlyArchive,
  openArchived,
  type Place,
  postmasterOf,
  storedFiles,
} from "./archive-support.ts";

test("each moment comes back with exactly what had been acknowledged by then", async (t) => {
  const place = await newPlace(t);
  const server = await openArchived(t, place);
  await server.query("create table notes (n int primary key)");
  const early = await momentNow();
  await server.copyBase();
  const moments: { at: string; rows: number }[] = [];
  for (let n = 1; n <= 6; n++) {
    await server.query("insert into notes values ($1)", [n]);
    if (n === 4) await server.query("delete from notes where n = 1");
    moments.push({ at: await momentNow(), rows: n < 4 ? n : n - 1 });
    if (n % 2 === 0) await server.archiveAll();
    if (n === 3) await server.copyBase();
  }
  await server.archiveAll();
  await server.close();

  for (const { at, rows } of [moments[0], moments[3], moments[4]].filter((moment) => moment !== undefined)) {
    const { count } = await restored(t, place, at);
    assert.equal(count, rows, at);
  }
  const latest = await restored(t, place, "latest");
  assert.equal(latest.count, 5);

  const refused = await restore(place, "early", early);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /cannot be restored from .*\. It has: 20\S+Z to 20\S+Z \(\S+\)\.\n$/);
  const tooLate = await restore(place, "late", new Date(Date.now() + 3_600_000).toISOString());
  assert.equal(tooLate.code, 1);
  assert.match(tooLate.stderr, /can bring back moments from 20\S+ to 20\S+\.\n$/);
  assert.doesNotMatch(tooLate.stderr, /Unpacking/);
  for (const name of ["early", "late"])
    assert.ok(!(await exists(join(place.folder, name, "postgres"))), "nothing is left of a refused restore");
});

test("of a machine that is lost with everything on it, at most the time of one segment is missing", async (t) => {
  const place = await newPlace(t);
  const seconds = 2;
  const environment = {
    DATA_DIR: place.dataDir,
    BACKUP_DIR: place.backupDir,
    BACKUP_SECONDS: String(seconds),
  };
  const server = await serve(t, environment);
  await until("there is a base copy", async () => (await onlyArchive(place)).bases.length > 0);
  const writer = await openArchived(t, place, { seconds });
  await writer.query("create table notes (n int primary key, at bigint)");
  const written: number[] = [];
  const begun = Date.now();
  while (Date.now() < begun + 6_000) {
    await writer.query("insert into notes values ($1, $2)", [written.length, Date.now()]);
    written.push(Date.now());
  }
  const lostAt = Date.now();
  server.child.kill("SIGKILL");
  process.kill(await postmasterOf(place.dataDir), "SIGKILL");
  await server.ended;
  await rm(place.dataDir, { recursive: true, force: true, maxRetries: 5 });

  const { count } = await restored(t, place, "latest");
  const safe = written.filter((at) => at < lostAt - seconds * 1000 - 1_000).length;
  t.diagnostic(`${written.length} written, ${count} restored, ${safe} had to be`);
  assert.ok(safe > 100 && count >= safe, `${count} of ${written.length}, at least ${safe}`);
});

test("a quiet moment comes back, though nothing was written after it", async (t) => {
  const place = await newPlace(t);
  const server = await serve(t, {
    DATA_DIR: place.dataDir,
    BACKUP_DIR: place.backupDir,
    BACKUP_SECONDS: "1",
  });
  const archive = await until("there is a base copy", async () => {
    const found = await onlyArchive(place);
    return found.bases.length > 0 && found;
  });
  const files = await storedFiles(archive.path);
  const reached = await until("the archive has reached a later moment", async () => {
    const { reached, bases } = await onlyArchive(place);
    return reached !== undefined && reached.at > (bases[0]?.finishedAt ?? "") && reached.at;
  });
  const begun = Date.now();
  const quiet = await until("five seconds have passed", async () => {
    const { at = "" } = (await onlyArchive(place)).reached ?? {};
    return Date.now() > begun + 5_000 && at > reached && at;
  });
  assert.ok(Date.parse(quiet) > Date.now() - 5_000, "an idle server's archive does not fall behind");
  t.diagnostic(`${(await storedFiles(archive.path)).length - files.length} segments in 5 s without requests`);
  server.child.kill("SIGTERM");
  await server.ended;
  await restored(t, place, quiet);
  // Another process goes on from what this one has written down.
  const again = await serve(t, {
    DATA_DIR: place.dataDir,
    BACKUP_DIR: place.backupDir,
    BACKUP_SECONDS: "1",
  });
  await until("the archive has reached a moment after the start", async () => {
    const { at = "" } = (await onlyArchive(place)).reached ?? {};
    return Date.parse(at) > Date.now() - 3_000 && at > quiet;
  });
  again.child.kill("SIGTERM");
  await again.ended;
});

test("what is written after a start is archived in time, although no checkpoint is due for minutes", async (t) => {
  const place = await newPlace(t);
  const first = await openArchived(t, place);
  await first.query("create table notes (n int primary key)");
  await first.close();
  const again = await openArchived(t, place);
  const begunAt = await momentNow();
  await again.query("insert into notes values (1)");
  await again.archiveAll();
  const seconds = (Date.now() - Date.parse(begunAt)) / 1000;
  t.diagnostic(`after ${seconds.toFixed(1)} s`);
  assert.ok(seconds < 30);
});

test("a segment that is missing is named, and what comes before it can be restored", async (t) => {
  const place = await newPlace(t);
  const server = await openArchived(t, place);
  await server.copyBase();
  await server.query("create table notes (n int primary key); insert into notes values (1)");
  const before = await momentNow();
  await server.query("insert into notes values (2)");
  await server.archiveAll();
  const [{ segment }] = (await server.query(
    "select pg_walfile_name(pg_current_wal_insert_lsn()) as segment",
  )) as [{ segment: string }];
  await server.query("insert into notes values (3)");
  await server.archiveAll();
  await server.query("insert into notes values (4)");
  const after = await momentNow();
  await server.query("insert into notes values (5)");
  await server.archiveAll();
  await server.close();

  const { path } = await onlyArchive(place);
  const folder = join(path, "log", segment.slice(0, 16));
  const [file = ""] = (await readdir(folder)).filter((name) => name.startsWith(`${segment}-`));
  await rm(join(folder, file));
  for (const at of ["latest", after]) {
    const refused = await restore(place, `gap-${at}`, at);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, new RegExp(`lacks the segment ${segment} of the log`));
  }
  assert.equal((await restored(t, place, before)).count, 1);
});

test("an archive whose end is missing is not taken for all that there was", async (t) => {
  const place = await newPlace(t);
  const server = await serve(t, {
    DATA_DIR: place.dataDir,
    BACKUP_DIR: place.backupDir,
    BACKUP_SECONDS: "1",
  });
  await until("there is a base copy", async () => (await onlyArchive(place)).bases.length > 0);
  const writer = await openArchived(t, place, { seconds: 1 });
  await writer.query("create table notes (n int primary key); insert into notes values (1)");
  await writer.archiveAll();
  await writer.query("insert into notes values (2)");
  const writtenAt = new Date().toISOString();
  const { at, segment } = await until("the archive has the last note", async () => {
    const { reached } = await onlyArchive(place);
    return reached && reached.at > writtenAt && reached;
  });
  server.child.kill("SIGKILL");
  process.kill(await postmasterOf(place.dataDir), "SIGKILL");
  await server.ended;
  assert.equal((await restored(t, place, at)).count, 2);

  // As of a copy of the archive that was begun before its last segments came, and ended after it was said that they have.
  const { path } = await onlyArchive(place);
  const folder = join(path, "log", segment.slice(0, 16));
  for (const file of await readdir(folder)) if (file.slice(0, 24) >= segment) await rm(join(folder, file));
  const refused = await restore(place, "short", at);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, new RegExp(`lacks the segment ${segment} of the log`));
  const rest = await restore(place, "rest", "latest");
  assert.equal(rest.code, 0, rest.stderr);
  assert.match(
    rest.stderr + rest.stdout,
    new RegExp(`The segment ${segment} of the log is missing, with which`),
  );
});

test("a restored server archives into an archive of its own, and leaves the old one as it was", async (t) => {
  const place = await newPlace(t);
  const server = await openArchived(t, place);
  await server.query("create table notes (n int primary key); insert into notes values (1)");
  await server.copyBase();
  await server.archiveAll();
  await server.close();
  const old = await onlyArchive(place);
  const files = (await storedFiles(old.path)).sort();
  const { place: second } = await restored(t, place, "latest");
  const copy = await openArchived(t, second);
  await copy.query("insert into notes values (2)");
  await copy.copyBase();
  const at = await momentNow();
  await copy.query("insert into notes values (3)");
  await copy.archiveAll();
  await copy.close();
  assert.deepEqual((await storedFiles(old.path)).sort(), files);
  const { count } = await restored(t, place, at, ["--archive", copy.embedded.archiving?.archive ?? ""]);
  assert.equal(count, 2);

  const which = await restore(place, "which", "latest");
  assert.equal(which.code, 1);
  const range = String.raw`20\S+Z to 20\S+Z \(\S+\)`;
  assert.match(which.stderr, new RegExp(`name one by --archive\\. They have: ${range}, ${range}\\.\n$`));
  assert.ok(which.stderr.includes(`(${old.name})`), which.stderr);
  // Neither says that it has it, and each may: nobody wants the history of the other server without a word.
  const either = await restore(place, "either", at);
  assert.equal(either.code, 1);
  assert.match(
    either.stderr,
    /There are several archives in .*, each of its own server's life: name one by --archive/,
  );
  const named = await restore(place, "named", "latest", ["--archive", old.name]);
  assert.equal(named.code, 0, named.stderr);
  assert.ok(named.stdout.startsWith(`Restored all from ${old.path} into `), named.stdout);
  assert.match(named.stdout, / of 20\S+Z\.\n$/, "it says the moment");
});

test("of an archive whose first base copy was not finished, restore says that", async (t) => {
  const place = await newPlace(t);
  await (await openArchived(t, place)).close();
  const { path } = await onlyArchive(place);
  const refused = await restore(place, "refused", "latest");
  assert.equal(refused.code, 1);
  assert.ok(
    refused.stderr.endsWith(
      `Nothing can be restored from ${path}: the first base copy there has not been finished.\n`,
    ),
    refused.stderr,
  );
  const bare = await rollbook(["restore"]);
  assert.equal(bare.code, 2);
  assert.match(bare.stderr, /FILE or --at must be given/);
});

test("an encrypted archive is read with its private key, and with no other", async (t) => {
  const place = await newPlace(t);
  const keys = [join(place.folder, "one.key"), join(place.folder, "other.key")];
  const recipients: string[] = [];
  for (const key of keys) {
    const made = await rollbook(["backup-key", key]);
    assert.equal(made.code, 0, made.stderr);
    assert.equal((await stat(key)).mode & 0o777, 0o600);
    recipients.push(made.stdout.trim());
  }
  assert.equal((await rollbook(["backup-key", keys[0] ?? ""])).code, 1, "a key is never written over");

  const [recipient = ""] = recipients;
  const server = await openArchived(t, place, { recipient });
  await server.query("create table notes (n int primary key); insert into notes values (1)");
  await server.copyBase();
  await server.query("insert into notes values (2)");
  await server.archiveAll();
  await server.close();
  const { path } = await onlyArchive(place);
  for (const name of await storedFiles(path)) assert.match(name, /^[0-9A-F]{16}$|\.age$/);
  assert.match((await readdir(join(path, "bases"))).join(" "), /\.tar\.gz\.age( |$)/);

  const { count, place: copy } = await restored(t, place, "latest", ["--identity", keys[0] ?? ""]);
  assert.equal(count, 2);
  for (const [flags, sentence] of [
    [[], /The archive is encrypted: give the file with the private key by --identity FILE\.\n$/],
    [["--identity", keys[1] ?? ""], /cannot be decrypted: it was encrypted for another key\.\n$/],
    [["--identity", join(path, "archive.json")], /cannot be decrypted: it has no private key/],
  ] as const) {
    const refused = await restore(place, "refused", "latest", flags);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, sentence);
    assert.doesNotMatch(refused.stderr, /Unpacking/);
  }
  for (const { dataDir } of [place, copy]) {
    const environment = { DATA_DIR: dataDir, BACKUP_DIR: place.backupDir, PORT: "0" };
    const refused = await rollbook(["serve", "--no-demo"], environment);
    assert.notEqual(refused.code, 0);
    assert.match(refused.stderr, /without BACKUP_RECIPIENT personal data would be written unencrypted/);
  }
  assert.equal((await onlyArchive(place)).recipient, recipient, "no other archive was begun");
  const file = join(place.folder, "by-hand.backup");
  assert.equal((await rollbook(["backup", file], { DATA_DIR: place.dataDir })).code, 0);
  assert.match(
    await readFile(file, "latin1"),
    /^age-encryption\.org/,
    "whoever calls it without the settings",
  );
  const next = await openArchived(t, place, { recipient: recipients[1] });
  assert.notEqual(
    next.embedded.archiving?.archive,
    server.embedded.archiving?.archive,
    "another key, another archive",
  );
  await next.close();
  const meant = await serve(t, {
    DATA_DIR: place.dataDir,
    BACKUP_DIR: place.backupDir,
    BACKUP_RECIPIENT: "none",
  });
  meant.child.kill("SIGTERM");
  await meant.ended;
  const plain = await openArchived(t, place);
  assert.equal(plain.embedded.archiving?.recipient, undefined, "what was meant once needs no word again");
  assert.notEqual(plain.embedded.archiving?.archive, next.embedded.archiving?.archive);
});

test("a damaged segment ends a restore, and names the file", async (t) => {
  const place = await newPlace(t);
  const server = await openArchived(t, place);
  await server.copyBase();
  await server.query("create table notes (n int primary key); insert into notes values (1)");
  await server.archiveAll();
  await server.close();
  const { path, bases } = await onlyArchive(place);
  const [group = ""] = (await readdir(join(path, "log"))).filter((name) => /^[0-9A-F]{16}$/.test(name));
  const last = (await readdir(join(path, "log", group))).sort().at(-1) ?? "";
  assert.ok(last > (bases[0]?.startSegment ?? ""));
  const file = join(path, "log", group, last);
  const bytes = await readFile(file);
  bytes.writeUInt8((bytes.at(-5) ?? 0) ^ 1, bytes.length - 5);
  await writeFile(file, bytes);
  const refused = await restore(place, "damaged", "latest");
  assert.equal(refused.code, 1);
  assert.ok(refused.stderr.includes(`${last} `), refused.stderr);
});

test("the data directory remembers its archive: who starts PostgreSQL without BACKUP_DIR archives too, until a server unsets it", async (t) => {
  const place = await newPlace(t);
  const environment = { DATA_DIR: place.dataDir };
  const archived = { ...environment, BACKUP_DIR: place.backupDir, BACKUP_SECONDS: "1" };
  const first = await serve(t, environment);
  assert.ok(!(await exists(place.backupDir)), "nothing is archived unless it is asked for");
  first.child.kill("SIGTERM");
  await first.ended;

  const second = await serve(t, archived);
  await until("there is a base copy", async () => (await onlyArchive(place)).bases.length > 0);
  second.child.kill("SIGTERM");
  await second.ended;
  const stopped = (await storedFiles((await onlyArchive(place)).path)).length;
  const created = await createOrganization(environment, "Studio");
  assert.equal(created.code, 0, created.stderr);
  const { path } = await onlyArchive(place);
  assert.ok((await storedFiles(path)).length > stopped, "the command's log is archived before it ends");

  const third = await serve(t, environment);
  third.child.kill("SIGTERM");
  await third.ended;
  const ended = (await storedFiles(path)).length;
  assert.equal((await createOrganization(environment, "Other")).code, 0);
  assert.equal((await storedFiles(path)).length, ended, "after that nothing is archived");
});

test("setting BACKUP_DIR while a command keeps PostgreSQL running starts it again, for all who use it", async (t) => {
  const place = await newPlace(t);
  const plain = await openArchived(t, place, "none");
  const pid = await postmasterOf(place.dataDir);
  const server = await serve(t, {
    DATA_DIR: place.dataDir,
    BACKUP_DIR: place.backupDir,
    BACKUP_SECONDS: "1",
  });
  await until("there is a base copy", async () => (await onlyArchive(place)).bases.length > 0);
  assert.notEqual(await postmasterOf(place.dataDir), pid);
  await plain.embedded.ensureRunning();
  assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
});

test("files of the archive are for its owner alone, and a folder in the data directory is refused", async (t) => {
  const place = await newPlace(t);
  const server = await openArchived(t, place);
  await server.copyBase();
  await server.close();
  const { path } = await onlyArchive(place);
  for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
    const { mode } = await stat(join(entry.parentPath, entry.name));
    assert.equal(mode & 0o077, 0, entry.name);
  }
  const inside = { ...place, backupDir: join(place.dataDir, "archive") };
  await assert.rejects(openArchived(t, inside), /lies in the data directory, and would be lost with it/);
});

function createOrganization(environment: Record<string, string>, name: string) {
  const flags = ["--name", name, "--timezone", "America/Sao_Paulo", "--currency", "BRL"];
  return rollbook(["org", "create", ...flags], environment);
}

/** Restores into a new data directory, and counts the notes there. */
async function restored(t: TestContext, place: Place, at: string, flags: readonly string[] = []) {
  const name = `restored-${at.replaceAll(":", "")}-${Math.random().toString(36).slice(2)}`;
  const ended = await restore(place, name, at, flags);
  assert.equal(ended.code, 0, ended.stderr);
  const own = { ...place, dataDir: join(place.folder, name) };
  const copy = await openArchived(t, own, "none");
  const present = await copy.query("select to_regclass('notes') is not null as present");
  const count = present[0]?.present ? (await copy.query("select count(*)::int as n from notes"))[0]?.n : 0;
  await copy.close();
  return { count: count as number, place: own };
}

function restore(place: Place, name: string, at: string, flags: readonly string[] = []) {
  const environment = { DATA_DIR: join(place.folder, name), BACKUP_DIR: place.backupDir };
  return rollbook(["restore", "--at", at, ...flags], environment);
}
