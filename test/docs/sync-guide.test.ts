import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { startApi } from "../support/api.ts";
import { addLocation } from "../support/records.ts";
import { type Mishap, roughProxy } from "../support/rough-proxy.ts";

const api = await startApi();
const guide = await readFile(new URL("../../../docs/guides/sync.md", import.meta.url), "utf8");

interface SyncedRecord {
  readonly id: string;
  readonly contactName: string;
  readonly contactPhone?: string;
  readonly notes?: string;
}

interface Guide {
  download(
    list: string,
    key: string,
    tag?: string,
  ): Promise<{ records: SyncedRecord[]; tag: string } | undefined>;
  everyRecord(list: string, key: string): AsyncGenerator<SyncedRecord>;
  poll(list: string, key: string, copy: Map<string, SyncedRecord>, state: object): Promise<number>;
  createClient(url: string, key: string, client: object): Promise<string>;
  editClient(
    url: string,
    key: string,
    id: string,
    change: (client: SyncedRecord) => object,
    tries?: number,
  ): Promise<SyncedRecord>;
}

/** The guide's code as it is printed, with the `fetch` that it is to use, and without its waits. */
function load(fetchOf: typeof fetch): Guide {
  const code = [...guide.matchAll(/^```js\n(.*?)^```$/gms)].map(([, block]) => block).join("\n");
  const names = "download, everyRecord, poll, createClient, editClient";
  const atOnce = (done: () => void) => setImmediate(done);
  return new Function("fetch", "setTimeout", `"use strict";\n${code}\nreturn { ${names} };`)(
    fetchOf,
    atOnce,
  ) as Guide;
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

test("the guide's download is one request and complete, also while others are created", async () => {
  const studio = await newStudio();
  let requests = 0;
  const { download, createClient } = load((...request) => {
    requests++;
    return fetch(...request);
  });
  for (let n = 0; n < 60; n++) await createClient(api.url, studio.key, { contactName: `Client ${n}` });
  requests = 0;
  const taken = await download(`${api.url}/v1/clients`, studio.key);
  assert.deepEqual([taken?.records.length, requests], [60, 1]);
  assert.equal(await download(`${api.url}/v1/clients`, studio.key, taken?.tag), undefined);
});

test("all of the guide's code does its work behind a proxy that weakens tags, loses and cuts answers and says 503", async (t) => {
  const studio = await newStudio();
  const mishaps: Mishap[] = ["busy", "none", "lost", "none", "cut", "busy", "none"];
  const { url } = await roughProxy(t, api.url, (request) => mishaps[request % mishaps.length] ?? "none");
  const { poll, everyRecord, createClient, editClient } = load(fetch);
  const ids: string[] = [];
  for (let n = 0; n < 12; n++) ids.push(await createClient(url, studio.key, { contactName: `Client ${n}` }));
  assert.equal((await studio.get("/v1/clients")).body.total, 12);
  const [copy, state] = [new Map<string, SyncedRecord>(), {}];
  assert.equal(await poll(`${url}/v1/clients`, studio.key, copy, state), 12);
  assert.deepEqual([...copy.keys()].toSorted(), ids.toSorted());
  for (let round = 0; round < 7; round++)
    assert.equal(await poll(`${url}/v1/clients`, studio.key, copy, state), 0);
  const [first = ""] = ids;
  const changes = [{ notes: "Mornings" }, { contactPhone: "11 98765-4321" }, { birthdate: "1990-04-23" }];
  for (const change of changes) await editClient(url, studio.key, first, () => change);
  const { body } = await studio.get(`/v1/clients/${first}`);
  assert.deepEqual({ ...body, ...Object.assign({}, ...changes) }, body);
  assert.equal(await poll(`${url}/v1/clients`, studio.key, copy, state), 1);
  const seen: string[] = [];
  for await (const { id } of everyRecord(`${url}/v1/clients`, studio.key)) seen.push(id);
  assert.deepEqual(seen.toSorted(), ids.toSorted());
});

test("no loop of the guide goes on for ever: not at 503 without Retry-After, not without answers, not at 412", async (t) => {
  const studio = await newStudio();
  const { poll, createClient, editClient } = load(fetch);
  const id = await createClient(api.url, studio.key, { contactName: "Ana" });
  for (const mishap of ["busy", "lost"] as const) {
    const proxy = await roughProxy(t, api.url, () => mishap);
    await assert.rejects(poll(`${proxy.url}/v1/clients`, studio.key, new Map(), {}));
    assert.equal(proxy.requests(), 6);
    await assert.rejects(editClient(proxy.url, studio.key, id, () => ({ notes: "x" })));
    assert.equal(proxy.requests(), 12);
  }
  // Somebody else is always faster.
  let writes = 0;
  const raced = load(async (address, options) => {
    if (options?.method !== "PUT") return fetch(address, options);
    const { id: _, ...body } = (await studio.get(`/v1/clients/${id}`)).body;
    await studio.call("PUT", `/v1/clients/${id}`, { body: { ...body, notes: `Change ${writes++}` } });
    return fetch(address, options);
  });
  await assert.rejects(
    raced.editClient(api.url, studio.key, id, () => ({ contactPhone: "1" })),
    /answered 412/,
  );
  assert.equal(writes, 8);
});

test("the guide's write of errors and limits is carried out once behind the same proxy, and ends where nothing answers", async (t) => {
  const text = await readFile(new URL("../../../docs/guides/errors-and-limits.md", import.meta.url), "utf8");
  const [, code = ""] = /^```js\n(async function writeOnce.*?)^```$/ms.exec(text) ?? [];
  const waits: number[] = [];
  const timer = (done: () => void, ms: number) => {
    waits.push(ms);
    setImmediate(done);
  };
  const writeOnce = new Function("setTimeout", `"use strict";\n${code}\nreturn writeOnce;`)(timer) as (
    url: string,
    method: string,
    body: object,
    key: string,
  ) => Promise<Response | undefined>;
  const studio = await newStudio();
  const rough = await roughProxy(t, api.url, (n) => (["busy", "lost", "none"] as const)[n] ?? "none");
  const answer = await writeOnce(`${rough.url}/v1/clients`, "POST", { contactName: "Ana" }, studio.key);
  assert.deepEqual([answer?.status, answer?.headers.get("idempotent-replayed")], [201, "true"]);
  assert.deepEqual(waits, [1000, 1000]);
  assert.equal((await studio.get("/v1/clients")).body.total, 1);
  const refused = await writeOnce(`${rough.url}/v1/clients`, "POST", { contactName: "" }, studio.key);
  assert.equal(refused?.status, 422);
  const dead = await roughProxy(t, api.url, () => "busy");
  assert.equal((await writeOnce(`${dead.url}/v1/clients`, "POST", {}, studio.key))?.status, 503);
  assert.equal(dead.requests(), 5);
  const [, form = ""] = /^```js\n(const own = .*?)^```$/ms.exec(text) ?? [];
  const shown: string[][] = [];
  new Function("problem", "show", form)(await refused?.json(), (...told: string[]) => shown.push(told));
  assert.deepEqual(shown, [["body.contactName", "must not be empty"]]);
});
