import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chown, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { COMMANDS } from "../../src/cli/run.ts";
import { latestVersion, listMigrations, migrate } from "../../src/db/migrate.ts";
import { secretCheck } from "../../src/domain/keys/rules.ts";
import { makeSecretFile } from "../../src/process/key-secret.ts";
import { openStore } from "../../src/process/store.ts";
import { contents } from "../backup/support.ts";
import { newDatabase } from "../support/databases.ts";
import { newId } from "../support/ids.ts";
import { newDirectory, rollbook, takePort } from "../support/processes.ts";
import { openTestStore } from "../support/store.ts";
import { assertEnded, jsonIn, runIn } from "../support/terminal.ts";

const store = await openTestStore();
after(() => store.close());

function exampleValue(form: string): string {
  if (form.endsWith("ID")) return newId();
  if (form.startsWith("JSON")) return "{}";
  if (form === "ZONE") return "UTC";
  if (form === "CODE") return "BRL";
  if (form === "FILE") return "-";
  return form === "ADDRESS" || form === "EMAIL" ? "ana@example.com" : form;
}

/** A call of the command that is right, but for the ids and files that it names. */
function callOf({ name, arguments: names = [], flags = {} }: (typeof COMMANDS)[number]): string[] {
  const needed = Object.entries(flags).filter(([, flag]) => flag.needed || flag.value === "ID");
  const given = needed.flatMap(([flag, { value }]) =>
    value === undefined ? [`--${flag}`] : [`--${flag}`, exampleValue(value)],
  );
  const optional = / (set|edit)$/.test(name) && "name" in flags ? ["--name", "A"] : [];
  return [
    ...name.split(" "),
    ...names.map((argument) =>
      /ID$/.test(argument) ? newId() : argument === "OPERATION" ? "addResource" : "-",
    ),
    ...given,
    ...optional,
    // The form of a move that needs neither a target nor its address.
    ...(name === "org move" ? ["--remove-copy"] : []),
  ];
}

const CREATING = ["serve", "org create", "restore", "demo"];
const ASKING_A_SERVER = ["listen", "mcp", "conformance"];
// The doctor reports what it finds on standard output, missing data too, instead of failing.
const WITHOUT_DATA = ["backup-key"];
const others = COMMANDS.filter(
  ({ name }) => ![...CREATING, ...ASKING_A_SERVER, ...WITHOUT_DATA, "doctor"].includes(name),
);

test("only serve, org create, restore and demo may make a database", () => {
  assert.deepEqual(
    COMMANDS.filter(({ createsDatabase }) => createsDatabase).map(({ name }) => name),
    ["serve", "org create", "restore", "demo"],
  );
});

test("the other commands make no data directory, and say where they looked", async (t) => {
  const folder = await newDirectory(t);
  const DATA_DIR = join(folder, "typing-error");
  for (const command of others) {
    const ended = await runIn({ DATA_DIR }, ...callOf(command));
    assertEnded(ended, 1, new RegExp(`There is no database in ${DATA_DIR}: set DATA_DIR or DATABASE_URL`));
  }
  assert.match(
    (await runIn({ DATA_DIR }, "doctor")).stdout,
    new RegExp(`There is no database in ${DATA_DIR}`),
  );
  assert.ok(others.length > 10);
  assert.deepEqual(await readdir(folder), []);
});

test("the other commands leave an empty database of DATABASE_URL empty, but for migrate, and say its name", async () => {
  const empty = await newDatabase(store);
  const environment = { DATABASE_URL: empty.url, KEY_SECRET: "a secret for nobody at all" };
  for (const command of others.filter(({ name }) => name !== "migrate")) {
    const { code, stderr } = await runIn(environment, ...callOf(command));
    assert.equal(code, 1, command.name);
    assert.match(
      stderr,
      /^rollbook: (The database own_\w+ of DATABASE_URL has no data|There is nothing to back up)/,
    );
  }
  await runIn(environment, "doctor");
  assert.deepEqual(await contents(empty), []);
  assert.equal((await runIn(environment, "migrate")).code, 0);
});

test("a built-in database that was made and not set up, as after an early kill, is named by its directory", async (t) => {
  const dataDir = join(await newDirectory(t), "data");
  const made = await openStore({ dataDir, databaseUrl: undefined, keySecret: undefined }, { create: true });
  await made.close();
  assertEnded(
    await runIn({ DATA_DIR: dataDir }, "org", "list"),
    1,
    new RegExp(
      `^rollbook: The database in ${dataDir} has no data of Rollbook yet: set DATA_DIR to the directory`,
    ),
  );
});

test("only serve and migrate migrate: the other commands leave a database of another schema as it is, and say what to do", async () => {
  const own = await newDatabase(store);
  const environment = { DATABASE_URL: own.url, KEY_SECRET: "a secret for nobody at all" };
  const latest = await latestVersion();
  await migrate(own.connection, { upTo: latest - 1 });
  const before = await contents(own);
  // A backup is of any schema that the program knows, a restore needs an empty database, and the doctor only reports.
  const others = COMMANDS.filter(
    ({ name }) =>
      !["serve", "migrate", "backup", "restore", "doctor", ...WITHOUT_DATA, ...ASKING_A_SERVER].includes(
        name,
      ),
  );
  const refuse = async (sentence: RegExp) => {
    for (const command of others) assertEnded(await runIn(environment, ...callOf(command)), 1, sentence);
  };
  await refuse(
    new RegExp(
      `schema version ${latest - 1}, and this program needs version ${latest}: run "rollbook migrate"`,
    ),
  );
  assert.equal((await runIn(environment, "doctor")).code, 0);
  const planned = await jsonIn(environment, "migrate", "--dry-run");
  assert.deepEqual(
    planned.data.map(({ version }: { version: number }) => version),
    [latest],
  );
  assert.deepEqual(await contents(own), before);

  const applied = await jsonIn(environment, "migrate");
  assert.deepEqual(
    applied.data.map(({ version, seconds }: { version: number; seconds: number }) => [version, seconds >= 0]),
    [[latest, true]],
  );
  await own.query("insert into schema_migrations (version, name) values (9999, 'future')");
  await refuse(/schema version 9999, but this program knows versions up to \d+: run a newer rollbook/);
});

test("a start that is refused has written nothing: a secret is missing or wrong, or a port is taken", async (t) => {
  const taken = await takePort(t);
  const serve = ["serve", "--no-demo", "--port"];
  const missing = /^rollbook: KEY_SECRET must be set together with DATABASE_URL/;
  const empty = await newDatabase(store);
  assertEnded(await rollbook([...serve, "0"], { DATABASE_URL: empty.url }), 1, missing);
  assertEnded(await runIn({ DATABASE_URL: empty.url }, "demo"), 1, missing);
  assert.deepEqual(await contents(empty), []);

  const { connection, url: DATABASE_URL, query } = await newDatabase(store);
  await migrate(connection, { upTo: (await latestVersion()) - 1 });
  const KEY_SECRET = "the secret of the first node";
  await query("insert into facts (name, value) values ('key-secret', $1)", [secretCheck(KEY_SECRET)]);
  const stored = () => query("select max(version), (select count(*) from facts) from schema_migrations");
  const before = await stored();
  const refusals: [Record<string, string>, string[], RegExp][] = [
    [{}, ["0"], missing],
    [{ KEY_SECRET: "the secret of a second node" }, ["0"], /KEY_SECRET is not the secret that the keys/],
    [{ KEY_SECRET }, [taken], /in use already: choose another with --port/],
    [{ KEY_SECRET }, ["0", "--admin-port", taken], /in use already: choose another with --admin-port/],
  ];
  for (const [environment, args, sentence] of refusals) {
    assertEnded(await rollbook([...serve, ...args], { DATABASE_URL, ...environment }), 1, sentence);
    assert.deepEqual(await stored(), before, String(sentence));
  }
});

test("a dry run of migrate in an empty database leaves it empty", async () => {
  const empty = await newDatabase(store);
  const { data } = await jsonIn({ DATABASE_URL: empty.url }, "migrate", "--dry-run");
  assert.equal(data.length, (await listMigrations()).length);
  assert.deepEqual(await contents(empty), []);
});

test("a node with another key secret is refused, until all keys are given up for it", async () => {
  const DATABASE_URL = (await newDatabase(store)).url;
  const first = { DATABASE_URL, KEY_SECRET: "the secret of the first node" };
  const second = { DATABASE_URL, KEY_SECRET: "the secret of a second node" };
  const { id } = await jsonIn(
    first,
    ...["org", "create", "--name", "A", "--timezone", "UTC", "--currency", "BRL"],
  );
  const key = await jsonIn(first, "key", "mint", "--org", id);
  const refusal =
    /KEY_SECRET is not the secret that the keys in this database were made with: set it to the value .* "rollbook key replace-secret --revoke-all" ends all keys/;
  assertEnded(await runIn(second, "key", "mint", "--org", id), 1, refusal);
  assertEnded(await runIn(second, "key", "rotate", key.id), 1, refusal);
  const serving = await rollbook(["serve", "--port", "0", "--no-demo"], second);
  assert.equal(serving.code, 1);
  assert.match(serving.stderr, refusal);
  assert.equal((await runIn(second, "org", "list")).code, 0, "what needs no secret goes on");

  assert.deepEqual(await jsonIn(second, "key", "replace-secret", "--revoke-all"), { revokedKeys: 1 });
  const { data } = await jsonIn(second, "key", "list", "--org", id);
  assert.deepEqual(
    data.map(({ status }: { status: string }) => status),
    ["revoked"],
  );
  await jsonIn(second, "key", "mint", "--org", id);
  assertEnded(await runIn(first, "key", "mint", "--org", id), 1, refusal);
  const [entry] = (await jsonIn(second, "audit")).data.filter(
    ({ action }: { action: string }) => action === "key.replace-secret",
  );
  assert.deepEqual(entry.details, { revokedKeys: 1 });
});

test("a key secret that is made many times at once is one secret for all, and leaves one file", async (t) => {
  for (let round = 0; round < 5; round++) {
    const folder = await newDirectory(t);
    const path = join(folder, "key-secret");
    // Each comes a little later, so that they meet the first at every step.
    const make = async (place: number) => {
      for (let turn = 0; turn < place * 3; turn++) await nextTurn();
      return makeSecretFile(path);
    };
    const secrets = await Promise.all(Array.from({ length: 20 }, (_, place) => make(place)));
    assert.equal(new Set([...secrets, await makeSecretFile(path)]).size, 1);
    assert.deepEqual(await readdir(folder), ["key-secret"]);
  }
});

test("a key secret that root makes belongs to the owner of the directory", {
  skip: process.getuid?.() === 0 ? false : "only root can make files for others",
}, async (t) => {
  const folder = await newDirectory(t);
  await chown(folder, 65534, 65533);
  const path = join(folder, "key-secret");
  const secret = await makeSecretFile(path);
  assert.equal(await makeSecretFile(path), secret, "and is made once");
  const { uid, gid, mode } = await stat(path);
  assert.deepEqual([uid, gid, mode & 0o777], [65534, 65533, 0o600]);
  assert.ok(existsSync(path));
  assert.deepEqual(await readdir(folder), ["key-secret"]);
});
