import assert from "node:assert/strict";
import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Actor } from "../../src/core/actor.ts";
import { importRecords } from "../../src/data/bundle/import.ts";
import type { OpenDatabase } from "../../src/db/database.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import { listClientsById } from "../../src/domain/clients/queries.ts";
import * as contracts from "../../src/domain/contracts/operations.ts";
import { acceptSecret } from "../../src/domain/keys/operations.ts";
import { eraseClient } from "../../src/domain/privacy/operations.ts";
import { listErasures } from "../../src/domain/privacy/queries.ts";
import { newFolder } from "../backup/support.ts";
import { smallStudio } from "../bundle/support.ts";
import { newDatabase, newMigratedDatabase, type OwnDatabase } from "../support/databases.ts";
import { newId } from "../support/ids.ts";
import { addPlan } from "../support/records.ts";
import { openTestStore } from "../support/store.ts";
import { jsonIn, runIn } from "../support/terminal.ts";

const SECRET = "the secret of this server, long enough";
const OWNER: Actor = { name: "staff:owner", role: "owner", locationIds: undefined };
const guide = await readFile(new URL("../../../docs/guides/privacy.md", import.meta.url), "utf8");
const blocks = [...guide.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = ""]) => block.trim().split("\n"));
const store = await openTestStore();
const folder = await newFolder();
const opened: OpenDatabase[] = [];
after(async () => {
  // After a test that has failed too: an open connection would keep the process.
  for (const database of opened) await database.close();
  await store.close();
});

/** Runs a line of the guide in the folder of this test; the text goes where the line sends it. */
async function run(database: OwnDatabase, line: string): Promise<string> {
  const [command = "", target] = line.split(" > ");
  const [program, ...words] = command.split(" ");
  assert.equal(program, "rollbook");
  const inFolder = words.map((word) => (/^\w+\.(backup|ndjson)$/.test(word) ? join(folder, word) : word));
  const environment = { DATABASE_URL: database.url, KEY_SECRET: SECRET };
  const { code, stdout, stderr } = await runIn(environment, ...inFolder);
  assert.equal(code, 0, stderr);
  if (target !== undefined) await writeFile(join(folder, target), stdout);
  return stdout;
}

function openAs({ connection }: OwnDatabase): OpenDatabase {
  const database = openDatabase({ connection, applicationName: "rollbook program", poolSize: 2 });
  opened.push(database);
  return database;
}

test("the guide's commands bring nobody back: what was erased is erased again after an older backup was restored", async () => {
  const [[keep = ""] = [], [restore = "", reapply = ""] = [], questions = []] = blocks;
  const [before, restored] = [await newMigratedDatabase(store), await newDatabase(store)];
  const { ids, lines } = smallStudio();
  const person = {
    kind: "client",
    contactName: "Ana Souza",
    contactEmail: "ana@example.com",
    locationIds: [ids.centro],
  };
  const [ana, bia, unknown] = [newId(), newId(), newId()];
  const old = openAs(before);
  await acceptSecret(old, SECRET);
  const people = [
    { ...person, id: ana, idDocument: { type: "cpf", value: "52998224725" } },
    { ...person, id: bia, contactName: "Bia", contactEmail: "bia@example.com" },
  ];
  const others = lines.filter(({ kind }) => kind === "organization" || kind === "location");
  const { organizationId } = await importRecords(old, [...others, ...people], { actor: "test" });
  const planId = await addPlan(old, organizationId, { entitlements: [{ type: "access" }] });
  const by = { db: old, actor: OWNER, organizationId };
  const { result: contract } = await contracts.sellContract(by, { clientId: ana, planId });
  await run(before, "rollbook backup rollbook.backup");
  // What happens after the backup.
  const reason = "She moves away";
  await contracts.cancelContract(by, { contractId: contract.id, now: true, reason });
  for (const clientId of [ana, bia])
    await eraseClient({ ...by, keySecret: SECRET }, { clientId, basis: "request" });
  const evidence = await listErasures(old, organizationId);
  await run(before, keep);
  const file = join(folder, "erased.ndjson");
  const written = (await readFile(file, "utf8")).trimEnd().split("\n");
  assert.deepEqual(
    written.map((line) => JSON.parse(line)),
    JSON.parse(JSON.stringify(evidence)),
  );
  // Without the ids and marks, in which any digits may stand.
  assert.doesNotMatch(written.join().replace(/"[0-9a-f-]{36,64}"/g, ""), /Ana|ana@|5299/);
  // Somebody whom this backup never had.
  await appendFile(file, `\n${JSON.stringify({ ...evidence[0], clientId: unknown })}\n`);
  await old.close();

  await run(restored, restore);
  const db = openAs(restored);
  const names = async () =>
    (await listClientsById(db, organizationId, [ana, bia])).map(({ contactName }) => contactName).sort();
  assert.deepEqual(await names(), ["Ana Souza", "Bia"]);
  const said = await run(restored, reapply);
  assert.match(said, /^Erased again: 2\. Erased already: 0\. Not in this database: 1\.$/m);
  assert.match(said, new RegExp(`which the backup brought back; cancel it: ${ana}$`, "m"));
  assert.deepEqual(await names(), ["Erased client", "Erased client"]);
  // With the evidence of the first time: when, who, why.
  assert.deepEqual(await listErasures(db, organizationId), evidence);
  assert.match(
    await run(restored, reapply),
    /^Erased again: 0\. Erased already: 2\. Not in this database: 1\.$/m,
  );

  assert.equal(questions.length, 2);
  for (const question of questions) assert.equal(JSON.parse(await run(restored, question)).clientId, ana);
  await db.close();
});

test("a file that is no list of erasures erases nobody", async () => {
  const database = await newMigratedDatabase(store);
  const environment = { DATABASE_URL: database.url, KEY_SECRET: SECRET };
  const good = {
    organizationId: newId(),
    clientId: newId(),
    at: "2026-11-16T12:00:00.000Z",
    actor: "staff:x",
    basis: "request",
  };
  const file = join(folder, "broken.ndjson");
  for (const bad of [
    "{",
    "[]",
    '"x"',
    JSON.stringify({ ...good, clientId: "x" }),
    JSON.stringify({ ...good, name: "Ana" }),
  ]) {
    await writeFile(file, `${JSON.stringify(good)}\n${bad}\n`);
    const { code, stderr, stdout } = await runIn(environment, "privacy", "reapply", file);
    assert.deepEqual([code, stdout], [1, ""]);
    assert.equal(
      stderr,
      'rollbook: Line 2 is no erasure as "rollbook privacy list" writes them; nobody was erased.\n',
    );
  }
  await writeFile(file, `${JSON.stringify(good)}\n`);
  assert.deepEqual(await jsonIn(environment, "privacy", "reapply", file), {
    erased: [],
    stillMembers: [],
    erasedBefore: [],
    missing: [good.clientId],
  });
  assert.deepEqual(await jsonIn(environment, "privacy", "list"), { data: [], total: 0 });
  const { stdout, stderr } = await runIn(environment, "privacy", "list");
  assert.deepEqual([stdout, stderr], ["", "Nobody was erased.\n"]);
});
