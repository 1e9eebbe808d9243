import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { startApi } from "../support/api.ts";
import { addLocation } from "../support/records.ts";

const api = await startApi();
const guide = await readFile(new URL("../../../docs/guides/sync.md", import.meta.url), "utf8");

interface SyncedRecord {
  readonly id: string;
  readonly contactName: string;
  readonly contactPhone?: string;
  readonly notes?: string;
}

interface Guide {
  everyRecord(list: string, key: string): AsyncGenerator<SyncedRecord>;
  poll(list: string, key: string, copy: Map<string, SyncedRecord>, state: object): Promise<number>;
  createClient(url: string, key: string, client: object): Promise<string>;
  editClient(
    url: string,
    key: string,
    id: string,
    change: (client: SyncedRecord) => object,
  ): Promise<SyncedRecord>;
}

/** The guide's code as it is printed, with the `fetch` that it is to use. */
function load(fetchOf: typeof fetch): Guide {
  const code = [...guide.matchAll(/^```js\n(.*?)^```$/gms)].map(([, block]) => block).join("\n");
  const names = "everyRecord, poll, createClient, editClient";
  return new Function("fetch", `"use strict";\n${code}\nreturn { ${names} };`)(fetchOf) as Guide;
}

async function newStudio() {
  const studio = await api.newOrganization();
  await addLocation(api.db, studio.id);
  return studio;
}

test("the guide's walk shows every client once while others are created", async () => {
  const studio = await newStudio();
  const { everyRecord, createClient } = load(fetch);
  const ids = await Promise.all(
    Array.from({ length: 210 }, (_, n) => createClient(api.url, studio.key, { contactName: `Client ${n}` })),
  );
  const seen: string[] = [];
  for await (const { id } of everyRecord(`${api.url}/v1/clients`, studio.key)) {
    if (seen.length === 10) await createClient(api.url, studio.key, { contactName: "Latecomer" });
    seen.push(id);
  }
  assert.deepEqual(seen.toSorted(), ids.toSorted());
});

test("the guide's poll takes what changed, and one answer of 304 tells that nothing did", async () => {
  const studio = await newStudio();
  const statuses: number[] = [];
  const { poll, createClient, editClient } = load(async (...request) => {
    const response = await fetch(...request);
    statuses.push(response.status);
    return response;
  });
  const id = await createClient(api.url, studio.key, { contactName: "Ana" });
  await createClient(api.url, studio.key, { contactName: "Bia" });
  const list = `${api.url}/v1/clients`;
  const [copy, state] = [new Map<string, SyncedRecord>(), {}];
  assert.equal(await poll(list, studio.key, copy, state), 2);
  statuses.length = 0;
  assert.equal(await poll(list, studio.key, copy, state), 0);
  assert.deepEqual(statuses, [304]);
  await editClient(api.url, studio.key, id, () => ({ notes: "Mornings" }));
  copy.set("gone", { id: "gone", contactName: "Gone" });
  assert.equal(await poll(list, studio.key, copy, state), 1);
  assert.equal(copy.get(id)?.notes, "Mornings");
  assert.equal(copy.size, 2);
});

test("the guide's create makes one client, though the answers get lost, and finds the one that is there", async () => {
  const studio = await newStudio();
  let lost = 0;
  const { createClient } = load(async (...request) => {
    const response = await fetch(...request);
    if (++lost <= 2) throw new TypeError("fetch failed");
    return response;
  });
  const client = { contactName: "Ana", idDocument: { type: "cpf", value: "52998224725" } };
  const id = await createClient(api.url, studio.key, client);
  assert.equal(lost, 3);
  assert.equal((await studio.get("/v1/clients")).body.total, 1);
  assert.equal(await createClient(api.url, studio.key, client), id);
  await assert.rejects(createClient(api.url, studio.key, { contactName: "" }), /answered 422, request /);
});

test("the guide's edits by several at once all stand", async () => {
  const studio = await newStudio();
  const { createClient, editClient } = load(fetch);
  const id = await createClient(api.url, studio.key, { contactName: "Ana" });
  const changes = [
    { contactPhone: "11 98765-4321" },
    { contactEmail: "ana@example.com" },
    { notes: "Mornings" },
    { birthdate: "1990-04-23" },
    { address: { city: "São Paulo" } },
  ];
  await Promise.all(changes.map((change) => editClient(api.url, studio.key, id, () => change)));
  const { body } = await studio.get(`/v1/clients/${id}`);
  assert.deepEqual({ ...body, ...Object.assign({}, ...changes) }, body);
});
