import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chown, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { COMMANDS } from "../../src/cli/run.ts";
import { makeSecretFile } from "../../src/process/key-secret.ts";
import { contents } from "../backup/support.ts";
import { newDatabase } from "../support/databases.ts";
import { newId } from "../support/ids.ts";
import { newDirectory, rollbook } from "../support/processes.ts";
import { openTestStore } from "../support/store.ts";
import { assertEnded, jsonIn, runIn } from "../support/terminal.ts";

const store = await openTestStore();
after(() => store.close());

function exampleValue(form: string): string {
  if (form.endsWith("ID")) return newId();
  if (form.startsWith("JSON")) return "{}";
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
  ];
}

const CREATING = ["serve", "org create", "restore", "demo"];
// The doctor reports what it finds on standard output, missing data too, instead of failing.
const others = COMMANDS.filter(({ name }) => !CREATING.includes(name) && name !== "doctor");

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
