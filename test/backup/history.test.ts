import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { newDatabase, newMigratedDatabase } from "../support/databases.ts";
import { addLocation } from "../support/records.ts";
import { openTestStore } from "../support/store.ts";
import { backUp, newFolder, restore } from "./support.ts";

const store = await openTestStore();
after(() => store.close());

/** A server on a database of its own. */
async function serverOn(database: Awaited<ReturnType<typeof newDatabase>>) {
  const api = await openApi({ beside: { store } as TestApi, database: { connection: database.connection } });
  after(() => api.close());
  return api;
}

test("after a restore no tag and no body in memory is taken for other data that has the same version", async () => {
  const file = join(await newFolder(), "older.backup");
  const source = await newMigratedDatabase(store);
  const api = await serverOn(source);
  const studio = await api.newOrganization();
  await addLocation(api.db, studio.id);
  const headers = { authorization: `Bearer ${studio.key}` };
  const create = async (at: TestApi, contactName: string) =>
    assert.equal((await at.call("POST", "/v1/clients", { body: { contactName }, headers })).status, 201);
  const list = (at: TestApi, conditions = {}) =>
    at.call("GET", "/v1/clients", { headers: { ...headers, ...conditions } });
  const namesOf = ({ body }: { body: { data: { contactName: string }[] } }) =>
    body.data.map(({ contactName }) => contactName);

  await create(api, "Before");
  await backUp(source.connection, file);
  await create(api, "Lost");
  const lost = await list(api);
  const tag = lost.headers.get("etag") ?? "";
  assert.deepEqual(namesOf(lost), ["Lost", "Before"]);
  // At the second request the body is cached.
  assert.equal((await list(api)).text, lost.text);
  assert.equal((await list(api, { "if-none-match": tag })).status, 304);

  // Once into another database, with a server of its own, and once under the server that has seen the lost data.
  const target = await newDatabase(store);
  await restore(target.connection, file);
  const other = await serverOn(target);
  await source.query("drop schema public cascade");
  await source.query("create schema public");
  await restore(source.connection, file);
  const [one, two] = await Promise.all(
    [source, target].map(({ query }) =>
      query<{ value: string }>("select value from facts where name = 'history'"),
    ),
  );
  assert.notEqual(one?.[0]?.value, two?.[0]?.value);
  for (const at of [other, api]) {
    await create(at, "New");
    const answer = await list(at, { "if-none-match": tag });
    assert.equal(answer.status, 200);
    assert.deepEqual(namesOf(answer), ["New", "Before"]);
    assert.notEqual(answer.headers.get("etag"), tag);
    assert.deepEqual(namesOf(await list(at)), ["New", "Before"]);
  }
});

test("after a restore older cursors are gone, the feed is complete from its beginning, and all numbers are higher", async () => {
  const file = join(await newFolder(), "feed.backup");
  const source = await newMigratedDatabase(store);
  const api = await serverOn(source);
  const studio = await api.newOrganization();
  const locationId = await addLocation(api.db, studio.id);
  const headers = { authorization: `Bearer ${studio.key}` };
  const create = async (at: TestApi) =>
    at.call("POST", "/v1/clients", { body: { contactName: "Ana", locationIds: [locationId] }, headers });
  const feed = async (at: TestApi, query = "") =>
    (await at.call("GET", `/v1/changes?limit=1000${query}`, { headers })).body;
  const named = (page: { data: { kind: string; id: string }[] }) =>
    page.data.map(({ kind, id }) => `${kind} ${id}`);

  await create(api);
  const before = await feed(api);
  // Noted, and without a number yet.
  await create(api);
  await backUp(source.connection, file);
  const lost = await create(api);
  const seen = await feed(api, `&after=${before.nextCursor}`);

  const target = await newDatabase(store);
  await restore(target.connection, file);
  const restored = await serverOn(target);
  for (const { nextCursor } of [before, seen]) {
    const answer = await restored.call("GET", `/v1/changes?after=${nextCursor}`, { headers });
    assert.equal(answer.status, 410);
  }
  const made = await create(restored);
  const after = await feed(restored);
  const kept = [...named(before), ...named(seen)].filter((name) => name !== `client ${lost.body.id}`);
  assert.deepEqual(named(after), [...kept, `client ${made.body.id}`]);
  const highest = Math.max(...seen.data.map(({ sequence }: { sequence: number }) => sequence));
  assert.ok(
    after.data.slice(before.data.length).every(({ sequence }: { sequence: number }) => sequence > highest),
  );
});
