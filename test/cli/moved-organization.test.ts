import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import pg from "pg";
import { putGuards } from "../../src/data/move/guards.ts";
import { beginAtSource, expectAtTarget, leave, type Move, stayAtSource } from "../../src/data/move/moves.ts";
import { publish, unpublish } from "../../src/data/move/replication.ts";
import { newMigratedDatabase, type OwnDatabase } from "../support/databases.ts";
import { newDirectory } from "../support/processes.ts";
import { openTestStore } from "../support/store.ts";
import { assertEnded, jsonIn, runIn } from "../support/terminal.ts";

/** What an operator is told of an organization that moves, by the server that it moves from and by the one that it moves to. */

const store = await openTestStore();
after(() => store.close());
const url = "https://cell2.example.com";
let database: OwnDatabase;
let environment: NodeJS.ProcessEnv;
let client: pg.Client;

before(async () => {
  database = await newMigratedDatabase(store);
  environment = { DATABASE_URL: database.url, KEY_SECRET: "a secret of more than sixteen letters" };
  client = new pg.Client(database.connection);
  await client.connect();
});
after(() => client.end());

async function newMove(): Promise<Move> {
  const details = ["--name", "Studio", "--timezone", "UTC", "--currency", "BRL"];
  const { id } = await jsonIn(environment, "org", "create", ...details);
  return { id: randomUUID(), organizationId: id, url, target: "another" };
}

const row = async ({ organizationId }: Move) =>
  (await runIn(environment, "org", "list")).stdout
    .split("\n")
    .find((line) => line.startsWith(organizationId));

const listed = async ({ organizationId }: Move) =>
  (await jsonIn(environment, "org", "list")).data.find(({ id }: { id: string }) => id === organizationId);

const notes = async ({ organizationId }: Move) =>
  (await runIn(environment, "doctor")).stdout
    .split("\n")
    .filter((line) => line.startsWith("note   Moves:") && line.includes(organizationId));

const remove = ({ organizationId }: Move) =>
  runIn(environment, "org", "delete", organizationId, "--confirm", "Studio");

test("the source says of an organization that has moved where it is, refuses with its address, and exports no old copy", async (t) => {
  const move = await newMove();
  const { organizationId: id } = move;
  await beginAtSource(client, move);
  await putGuards(client, move);
  assert.equal((await listed(move)).movedTo, undefined, "it has not left");
  await leave(client, move, async () => {});

  assert.equal((await jsonIn(environment, "org", "show", id)).movedTo, url);
  assert.match((await runIn(environment, "org", "show", id)).stdout, /^movedTo {4}https:\/\/cell2/m);
  assert.equal((await listed(move)).movedTo, url);
  assert.match((await row(move)) ?? "", /moved to https:\/\/cell2\.example\.com/);

  const told = new RegExp(`^rollbook: The organization ${id} has moved to ${url}: .*--remove-copy`);
  assertEnded(await runIn(environment, "key", "mint", "--org", id), 1, told);
  assertEnded(await runIn(environment, "org", "set", id, "--status", "suspended"), 1, told);
  assertEnded(await remove(move), 1, told);
  const path = join(await newDirectory(t), "studio.organization");
  assertEnded(await runIn(environment, "org", "export", id, "--complete", path), 1, told);
  assert.equal(existsSync(path), false);
});

test("the target says of an organization that it is on its way, and exports no part of it", async (t) => {
  const move = await newMove();
  const { organizationId: id } = move;
  await expectAtTarget(client, move);
  await database.query("update organizations set moving = $2 where id = $1", [id, move.id]);

  assert.equal((await jsonIn(environment, "org", "show", id)).arriving, true);
  assert.equal((await listed(move)).arriving, true);
  assert.match((await row(move)) ?? "", /arriving/);
  const path = join(await newDirectory(t), "studio.organization");
  const told = new RegExp(`^rollbook: The organization ${id} is on its way to this server`);
  assertEnded(await runIn(environment, "org", "export", id, "--complete", path), 1, told);
  assert.match((await notes(move)).join(), /on the server that it comes from as before, or .*--back-out/);
});

test("a file of a whole organization is told from a bundle, and a name is the same however its letters are written", async (t) => {
  const details = ["--name", "Estúdio", "--timezone", "UTC", "--currency", "BRL"];
  const { id } = await jsonIn(environment, "org", "create", ...details);
  const path = join(await newDirectory(t), "studio.organization");
  const exported = await runIn(environment, "org", "export", id, "--complete", path);
  assert.equal(exported.code, 0, exported.stderr);
  const sentence = /"rollbook org import --complete" takes it; of a whole server, "rollbook restore"/;
  assertEnded(await runIn(environment, "import", path, "--org", id), 1, sentence);
  const deleted = await runIn(environment, "org", "delete", id, "--confirm", "Estúdio".normalize("NFD"));
  assert.equal(deleted.code, 0, deleted.stderr);
  const { deleteAfter } = await jsonIn(environment, "org", "show", id);
  assert.ok(Date.parse(deleteAfter) > Date.now());
});

test("a limit that is none says so", async () => {
  const { organizationId: id } = await newMove();
  const set = await runIn(environment, "org", "set", id, "--records", "none");
  assert.match(set.stdout, /^maxRecords +none$/m);
  assert.equal((await jsonIn(environment, "org", "set", id, "--records", "none")).maxRecords, 0);
});

test("an organization cannot be deleted while a move of it is under way", async () => {
  const move = await newMove();
  await beginAtSource(client, move);
  assertEnded(await remove(move), 1, /^rollbook: A move of this organization .*--back-out/);
  assert.equal((await listed(move)).status, "active");
  await stayAtSource(client, move);
  assert.equal((await remove(move)).code, 0);
});

test("the doctor names a move until it is done, with its age", async () => {
  const move = await newMove();
  await beginAtSource(client, move);
  await database.query(
    "update organization_moves set begun_at = now() - interval '50 hours' where organization_id = $1",
    [move.organizationId],
  );
  await publish(client, move);
  assert.match(
    (await notes(move)).join(),
    /begun 50 h ago and is not done.* here as before, or .*--back-out/,
  );
  await leave(client, move, async () => {});
  assert.match((await notes(move)).join(), /here as before\.$/);
  await unpublish(client, move);
  assert.deepEqual(await notes(move), []);
});
