import assert from "node:assert/strict";
import { copyFile, readdir, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import pg from "pg";
import { pino } from "pino";
import { buildServer } from "../../src/api/server.ts";
import { migrate } from "../../src/db/migrate.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import { exists } from "../../src/db/paths.ts";
import { acceptSecret, mintKey } from "../../src/domain/keys/operations.ts";
import { createOrganization } from "../../src/domain/organizations/operations.ts";
import { createMetrics } from "../../src/process/metrics.ts";
import { openStore, type Store } from "../../src/process/store.ts";
import { newDatabase, newMigratedDatabase, type OwnDatabase } from "../support/databases.ts";
import { until } from "../support/poll.ts";
import { openTestStore } from "../support/store.ts";
import { backUp, check, checksums, contents, newFolder, rollbook, seal } from "./support.ts";

const SECRET = "the secret of the old server";

const store = await openTestStore();
const folder = await newFolder();
/** A small server with one organization and its key. */
const source = await newMigratedDatabase(store);
const key = await addOrganization(source);
after(() => store.close());

async function addOrganization(database: OwnDatabase): Promise<string> {
  const db = openDatabase({ connection: database.connection, applicationName: "test" });
  const details = { name: "Studio", timezone: "America/Sao_Paulo", currency: "BRL", plan: "Pro" } as const;
  const { id } = await createOrganization(db, "test", details);
  await acceptSecret(db, SECRET);
  const minted = await mintKey(db, SECRET, "test", { organizationId: id });
  await db.close();
  return minted.key;
}

test("a backup of a server's database is restored into the built-in one, and keys need their secret", async () => {
  const file = join(folder, "to-embedded.backup");
  const dataDir = join(folder, "data");
  const backup = await rollbook(["backup", file, "--json"], { DATABASE_URL: source.url });
  assert.equal(backup.code, 0, backup.stderr);
  const summary = JSON.parse(backup.stdout.toString());
  assert.equal(summary.file, file);
  assert.equal(summary.bytes, (await stat(file)).size);
  assert.equal(summary.rows.keys, 1);
  assert.equal(summary.totalRows, 24);
  assert.match(summary.sha256, /^[0-9a-f]{64}$/);

  const restored = await rollbook(["restore", file], { DATA_DIR: dataDir });
  assert.equal(restored.code, 0, restored.stderr);
  assert.match(restored.stdout.toString(), /^Restored 24 rows \(0\.\d+ MB, schema version \d+\), taken 20/m);
  assert.match(
    restored.stderr,
    new RegExp(`copy the file key-secret of the old DATA_DIR to ${join(dataDir, "key-secret")} `),
  );
  assert.ok(!(await exists(join(dataDir, "key-secret"))), "no new secret stands where the old one belongs");

  const own = await openStore({ dataDir, databaseUrl: undefined, keySecret: undefined });
  try {
    const bring = "put the file key-secret of the old DATA_DIR there, or set KEY_SECRET to the old value";
    await assert.rejects(own.keySecret(), new RegExp(`There is no file .*key-secret, .*: ${bring}`));
    await writeFile(join(dataDir, "key-secret"), "a secret of another server");
    await assert.rejects(own.keySecret(), new RegExp(`The file .*key-secret is not the secret .*: ${bring}`));
    await writeFile(join(dataDir, "key-secret"), SECRET);
    assert.equal(await statusOf(own, key), 200, "the secret of the old server");
  } finally {
    await own.close();
  }
});

test("restore asks for the key secret only if the one that is set is not that of the keys", async () => {
  const file = join(folder, "with-secret.backup");
  assert.equal((await rollbook(["backup", file], { DATABASE_URL: source.url })).code, 0);
  for (const [KEY_SECRET, isTold] of [
    [SECRET, false],
    ["a secret of another server", true],
  ] as const) {
    const { url: DATABASE_URL } = await newDatabase(store);
    const { code, stderr } = await rollbook(["restore", file], { DATABASE_URL, KEY_SECRET });
    assert.deepEqual(
      [code, /The key secret is not in a backup: set KEY_SECRET/.test(stderr)],
      [0, isTold],
      stderr,
    );
  }
});

async function statusOf(own: Store, bearer: string): Promise<number> {
  const db = own.open({ applicationName: "test" });
  const app = buildServer({
    db,
    keySecret: await own.keySecret(),
    rate: undefined,
    publicUrl: "https://api.rollbook.test",
    version: "0.0.0",
    cacheBytes: 0,
    downloads: { atOnce: 1 },
    logger: pino({ level: "silent" }),
    metrics: createMetrics({ version: "0.0.0" }),
    isReady: async () => true,
    isDraining: () => false,
  });
  try {
    const url = await app.listen({ host: "127.0.0.1", port: 0 });
    const answer = await fetch(`${url}/v1/organization`, { headers: { authorization: `Bearer ${bearer}` } });
    return answer.status;
  } finally {
    await app.close();
  }
}

test("a backup goes through pipes, and all that is said goes beside it", async () => {
  const backup = await rollbook(["backup", "-"], { DATABASE_URL: source.url });
  assert.equal(backup.code, 0, backup.stderr);
  assert.match(backup.stderr, /^Backed up \d+ rows/);
  const target = await newDatabase(store);
  const environment = { DATABASE_URL: target.url, TMPDIR: await newFolder() };
  const restored = await rollbook(["restore", "-", "--json"], environment, { input: backup.stdout });
  assert.equal(restored.code, 0, restored.stderr);
  assert.equal(JSON.parse(restored.stdout.toString()).rows.organizations, 1);
  assert.deepEqual(await checksums(target), await checksums(source));
  assert.deepEqual(await readdir(environment.TMPDIR), [], "nothing of it stays in the temporary folder");
});

test("a file that is refused leaves no trace, not even a data directory", async () => {
  const file = join(folder, "whole.backup");
  const broken = join(folder, "broken.backup");
  await backUp(source.connection, file);
  await copyFile(file, broken);
  await truncate(broken, 1000);
  const dataDir = join(folder, "none");
  const refused = async (path: string, sentence: RegExp) => {
    const ended = await rollbook(["restore", path], { DATA_DIR: dataDir });
    assert.equal(ended.code, 1);
    assert.match(ended.stderr, sentence);
    assert.equal(ended.stderr.trim().split("\n").length, 1);
    assert.ok(!(await exists(dataDir)));
  };
  await refused(broken, /^rollbook: The backup is damaged or incomplete/);
  await refused(join(folder, "missing"), /missing cannot be used: there is no such file\.\n$/);
  await refused("-", /^rollbook: This file is not a Rollbook backup\.\n$/);
});

test("backup --verify reads a file as a restore would, needs no database, and fails for what cannot be restored", async () => {
  const file = join(folder, "verified.backup");
  const { rows } = await backUp(source.connection, file);
  const nowhere = { DATA_DIR: join(folder, "none") };
  const verified = await rollbook(["backup", "--verify", file, "--json"], nowhere);
  assert.equal(verified.code, 0, verified.stderr);
  const told = JSON.parse(verified.stdout.toString());
  assert.deepEqual([told.rows, told.programVersion], [rows, "1.2.3"]);
  const piped = await rollbook(["backup", "--verify", "-"], nowhere, { input: await readFile(file) });
  assert.match(
    piped.stdout.toString(),
    /^The backup is whole: \d+ rows \(.*\), taken .* by rollbook 1\.2\.3\.$/m,
  );

  const fails = async (path: string, sentence: RegExp) => {
    const ended = await rollbook(["backup", "--verify", path], nowhere);
    assert.deepEqual([ended.code, ended.stdout.length], [1, 0]);
    assert.match(ended.stderr, sentence);
  };
  const bytes = await readFile(file);
  const damaged = join(folder, "damaged.backup");
  bytes.writeUInt8((bytes.at(700) ?? 0) ^ 1, 700);
  await writeFile(damaged, bytes);
  await fails(damaged, /^rollbook: The backup is damaged or incomplete/);
  // Sealed rightly, but not what it says that it is.
  const header = { ...(await check(file)).header, tables: [{ name: "facts", columns: ["name", "value"] }] };
  const text = `-- rollbook-backup ${JSON.stringify(header)}\ncopy "facts" ("name", "value") from stdin;\na\tb\n\\.\n-- rows {"facts":2}\n`;
  await seal(damaged, text);
  await fails(damaged, /^rollbook: The backup has 1 rows of facts where it says 2\./);
  assert.ok(!(await exists(nowhere.DATA_DIR)));
});

test("with BACKUP_RECIPIENT a backup is encrypted, and read with its private key and no other", async () => {
  const keys = [join(folder, "one.key"), join(folder, "other.key")] as const;
  const [made] = await Promise.all(keys.map((path) => rollbook(["backup-key", path], {})));
  const recipient = made?.stdout.toString().trim() ?? "";
  const backups = await newFolder();
  const file = join(backups, "encrypted.backup");
  const environment = { DATABASE_URL: source.url, BACKUP_RECIPIENT: recipient };
  const backup = await rollbook(["backup", file, "--json"], environment);
  assert.equal(backup.code, 0, backup.stderr);
  const told = JSON.parse(backup.stdout.toString());
  const content = await readFile(file);
  assert.deepEqual([told.recipient, told.bytes], [recipient, content.length]);
  assert.equal(content.subarray(0, 21).toString(), "age-encryption.org/v1");
  const piped = await rollbook(["backup", "-"], environment);
  assert.match(piped.stderr, new RegExp(`^Backed up \\d+ rows \\(.*\\), encrypted for ${recipient}\\.`));

  const target = await newDatabase(store);
  const restoring = { DATABASE_URL: target.url };
  for (const [flags, sentence] of [
    [[], /^rollbook: The backup is encrypted: .* with --identity and the file of its private key\.\n$/],
    [["--identity", keys[1]], /cannot be decrypted: it was encrypted for another key\.\n$/],
    [["--identity", file], /cannot be decrypted: it has no private key/],
  ] as const)
    for (const command of [
      ["restore", file],
      ["backup", "--verify", file],
    ]) {
      const refused = await rollbook([...command, ...flags], restoring);
      assert.deepEqual([refused.code, refused.stdout.length], [1, 0]);
      assert.match(refused.stderr, sentence);
    }
  const verified = await rollbook(
    ["backup", "--verify", "-", "--identity", keys[0]],
    {},
    { input: piped.stdout },
  );
  assert.match(verified.stdout.toString(), /^The backup is whole: /m, verified.stderr);
  const restored = await rollbook(["restore", file, "--identity", keys[0], "--json"], restoring);
  assert.equal(restored.code, 0, restored.stderr);
  assert.equal(JSON.parse(restored.stdout.toString()).sha256, told.sha256);
  assert.deepEqual(await checksums(target), await checksums(source));
  assert.match(
    (await rollbook(["doctor", "--backups", backups], restoring)).stdout.toString(),
    /^ok {5}Backups: The newest, .*, is encrypted \(.*\) and was taken 0 h ago\.$/m,
  );

  // Half a file, and one of which a byte has changed.
  const damaged = join(folder, "damaged.encrypted");
  content.writeUInt8((content.at(-100) ?? 0) ^ 1, content.length - 100);
  for (const bytes of [content, content.subarray(0, content.length / 2)]) {
    await writeFile(damaged, bytes);
    const refused = await rollbook(["backup", "--verify", damaged, "--identity", keys[0]], {});
    assert.match(refused.stderr, /^rollbook: The backup cannot be decrypted: it is damaged\.\n$/);
  }
});

test("standard output is either a backup or a summary", async () => {
  const ended = await rollbook(["backup", "-", "--json"], { DATABASE_URL: source.url });
  assert.equal(ended.code, 2);
  assert.equal(ended.stdout.length, 0);
});

test("60 MB of clients are backed up and restored in little memory, after a restore that was killed", async (t) => {
  const file = join(folder, "big.backup");
  const big = await newDatabase(store);
  const target = await newDatabase(store);
  await addClients(big, 30_000);
  const backup = await rollbook(["backup", file], { DATABASE_URL: big.url });
  assert.equal(backup.code, 0, backup.stderr);
  assert.ok(backup.peakMegabytes < 150, `backup took ${backup.peakMegabytes} MB`);

  const killed = await rollbook(["restore", file], { DATABASE_URL: target.url }, signalAtCopy("SIGKILL"));
  assert.equal(killed.code, null);
  await until("the killed restore is undone", async () => (await copying()).length === 0);
  assert.deepEqual(await contents(target), []);

  const stopped = await rollbook(["restore", file], { DATABASE_URL: target.url }, signalAtCopy("SIGTERM"));
  assert.equal(stopped.code, 143);
  assert.match(stopped.stderr, /^rollbook: Interrupted\. Nothing was restored\.$/m);
  await until("the stopped restore is undone", async () => (await copying()).length === 0);
  assert.deepEqual(await contents(target), []);

  const restored = await rollbook(["restore", file], { DATABASE_URL: target.url });
  assert.equal(restored.code, 0, restored.stderr);
  assert.ok(restored.peakMegabytes < 150, `restore took ${restored.peakMegabytes} MB`);
  t.diagnostic(`peak memory: backup ${backup.peakMegabytes} MB, restore ${restored.peakMegabytes} MB`);
  assert.deepEqual(await checksums(target), await checksums(big));

  function signalAtCopy(signal: NodeJS.Signals) {
    return { started: (pid: number) => void signalWhen(pid, signal, copying) };
  }

  function copying(): Promise<object[]> {
    return target.query(
      `select 1 from pg_stat_activity
       where datname = current_database() and application_name = 'rollbook restore' and query like 'copy "clients"%'`,
    );
  }
});

test("a backup that is stopped leaves the old file, and no half one", async () => {
  const place = await newFolder();
  const file = join(place, "a.backup");
  await writeFile(file, "old");
  const migration = new pg.Client(source.connection);
  await migration.connect();
  await migration.query("begin; lock table sessions");
  const stopped = await rollbook(
    ["backup", file],
    { DATABASE_URL: source.url },
    { started: (pid) => void signalWhen(pid, "SIGINT", waiting) },
  );
  await migration.end();
  assert.equal(stopped.code, 130);
  assert.equal(stopped.stderr, "rollbook: Interrupted. No backup was written.\n");
  assert.equal(await readFile(file, "utf8"), "old");
  assert.deepEqual(await readdir(place), ["a.backup"]);

  function waiting(): Promise<object[]> {
    return source.query(
      `select 1 from pg_stat_activity
       where datname = current_database() and application_name = 'rollbook backup' and wait_event_type = 'Lock'`,
    );
  }
});

async function signalWhen(pid: number, signal: NodeJS.Signals, ask: () => Promise<object[]>): Promise<void> {
  await until("it is under way", async () => (await ask()).length > 0);
  process.kill(pid, signal);
}

/** Each has two kilobytes, nearly all notes: what is in question is how much there is, and rows take PostgreSQL longer than words. */
async function addClients(database: OwnDatabase, count: number): Promise<void> {
  await migrate(database.connection);
  await addOrganization(database);
  // Kept up row by row, it would take most of the time.
  await database.query("drop index clients_search");
  await database.query(
    `insert into clients (organization_id, id, status, contact_name, contact_email, notes, search)
     select o.id, gen_random_uuid(), 'active', 'Maria ' || md5(i::text), md5(i::text) || '@example.com',
            repeat(md5((i * 7)::text), 56), 'maria ' || i
     from organizations o, generate_series(1, $1::int) i`,
    [count],
  );
  await database.query("update organization_counters set clients_active = $1 where slot = 0", [count]);
}
