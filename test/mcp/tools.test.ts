import assert from "node:assert/strict";
import { test } from "node:test";
import { revokeKey } from "../../src/domain/keys/operations.ts";
import { startApi, type TestOrganization } from "../support/api.ts";
import { addSchedule } from "../support/calendar.ts";
import { newId } from "../support/ids.ts";
import { addContract, addLocation, addPlan, addServiceGroup, addServiceType } from "../support/records.ts";
import { newStaff } from "../support/staff.ts";
import { Assistant, MODERN, modern, post } from "./assistant.ts";

const api = await startApi({ rate: { perMinute: 60_000, burst: 10_000 } });
const READ = `${api.url}/mcp`;
const WRITE = `${api.url}/mcp/write`;

const READING = [
  ...["getOrganization", "listLocations", "listPlans", "getPlan", "listServiceTypes", "getServiceType"],
  ...[
    "listContracts",
    "getContract",
    "listChanges",
    "listSessions",
    "listClients",
    "getClient",
    "searchDocs",
  ],
];
const WRITING = ["createClient", "updateClient", "archiveClient"];

async function newStudio() {
  const studio = await api.newOrganization({ name: "Studio Aurora" });
  const locationId = await addLocation(api.db, studio.id, { name: "Vila Madalena" });
  const serviceTypeId = await addServiceType(api.db, studio.id, { name: "Pilates solo" });
  const serviceGroupId = await addServiceGroup(api.db, studio.id);
  const clientId = await newClient(studio, {
    contactName: "Beatriz Nogueira",
    contactEmail: "beatriz@example.com",
    contactPhone: "+55 11 90210-4471",
    birthdate: "1990-04-23",
    address: { city: "São Paulo" },
    idDocument: { type: "cpf", value: "52998224725" },
    notes: "Prefers mornings",
  });
  const entitlements = [
    { type: "access", serviceTypeId },
    { type: "access", serviceGroupId },
  ];
  const planId = await addPlan(api.db, studio.id, { locationIds: [locationId], entitlements });
  const contractId = await addContract(api.db, studio.id, {
    clientId,
    planId,
    locationIds: [locationId],
    entitlements: entitlements.map((entitlement) => ({ id: newId(), ...entitlement })),
  });
  return { ...studio, locationId, serviceTypeId, serviceGroupId, clientId, planId, contractId };
}

function addDailySchedule({ id, locationId, serviceTypeId }: Awaited<ReturnType<typeof newStudio>>) {
  const slots = { timezone: "America/Sao_Paulo", start: "2026-10-01T07:00", rrule: "FREQ=DAILY" };
  return addSchedule(api.db, id, { locationId, serviceTypeId, ...slots });
}

async function newClient(studio: TestOrganization, body: object): Promise<string> {
  const made = await studio.call("POST", "/v1/clients", { body });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}

/** What each tool is called with to give something. */
function callsFor(studio: Awaited<ReturnType<typeof newStudio>>): Record<string, Record<string, unknown>> {
  return {
    getOrganization: {},
    listLocations: {},
    listPlans: { limit: 5 },
    getPlan: { id: studio.planId },
    listServiceTypes: { query: "pilates" },
    getServiceType: { id: studio.serviceTypeId },
    listContracts: { clientId: studio.clientId },
    getContract: { id: studio.contractId },
    listChanges: { kinds: ["client"], limit: 10 },
    listSessions: { from: "2026-11-16T00:00:00-03:00", to: "2026-11-23T00:00:00-03:00" },
    listClients: { query: "nogueira", include: ["contact", "locationIds"] },
    getClient: { id: studio.clientId, include: ["address", "idDocument", "notes", "birthdate"] },
    searchDocs: { query: "webhook signature" },
    createClient: { client: { contactName: "Ana Souza" } },
    updateClient: { id: studio.clientId, set: { contactPhone: "+55 11 98765-4321" }, clear: ["notes"] },
    archiveClient: { id: studio.clientId },
  };
}

for (const era of ["modern", "legacy"] as const)
  test(`${era}: the official client lists and calls every tool, in a fixed order, each with all hints`, async (t) => {
    const studio = await newStudio();
    await addDailySchedule(studio);
    const assistant = await Assistant.connect(t, WRITE, studio.key, era);
    const { tools } = await assistant.client.listTools();
    assert.deepEqual(
      tools.map(({ name }) => name),
      [...READING, ...WRITING],
    );
    for (const { name, title, annotations, inputSchema, outputSchema } of tools) {
      assert.ok(title, name);
      assert.deepEqual(Object.keys(annotations ?? {}).sort(), [
        ...["destructiveHint", "idempotentHint", "openWorldHint", "readOnlyHint", "title"],
      ]);
      assert.equal(annotations?.openWorldHint, false);
      assert.equal(annotations?.readOnlyHint, READING.includes(name), name);
      assert.equal(annotations?.destructiveHint, ["updateClient", "archiveClient"].includes(name), name);
      assert.doesNotMatch(JSON.stringify([inputSchema, outputSchema]), /\$ref|https?:/);
    }
    for (const [name, args] of Object.entries(callsFor(studio))) {
      const { isError, text, data } = await assistant.call(name, args);
      assert.ok(!isError, `${name}: ${text}`);
      assert.deepEqual(JSON.parse(text), data);
      assert.ok(!("$schema" in data), name);
    }
  });

test("discover: the revision of 2026 is offered, the instructions name the organization, and what may be kept is said", async () => {
  const studio = await newStudio();
  const { message, headers } = modern("server/discover");
  const { body } = await post(READ, studio.key, message, headers);
  assert.ok(body.result.supportedVersions.includes(MODERN));
  assert.match(body.result.instructions, /"Studio Aurora"[\s\S]*never instructions[\s\S]*BRL/);
  assert.equal(body.result.cacheScope, "private");
  for (const [method, params] of [
    ["tools/list", {}],
    ["resources/list", {}],
    ["resources/templates/list", {}],
  ] as const) {
    const listed = modern(method, params);
    const { result } = (await post(READ, studio.key, listed.message, listed.headers)).body;
    assert.deepEqual(
      [result.ttlMs, result.cacheScope, result.resultType],
      [3_600_000, "public", "complete"],
      method,
    );
  }
});

test("no_state: consecutive calls to two nodes work", async (t) => {
  const other = await startApi({ beside: api });
  const studio = await newStudio();
  for (const era of ["modern", "legacy"] as const) {
    const first = await Assistant.connect(t, READ, studio.key, era);
    const { data } = await first.call("listClients", { query: "nogueira" });
    const second = await Assistant.connect(t, `${other.url}/mcp`, studio.key, era);
    const { text, isError } = await second.call("getClient", { id: data.data[0].id });
    assert.ok(!isError, text);
    assert.ok((await first.call("getOrganization")).data.localNow);
  }
  const { headers } = await post(
    READ,
    studio.key,
    modern("tools/list").message,
    modern("tools/list").headers,
  );
  assert.equal(headers.get("mcp-session-id"), null);
  assert.equal(headers.get("cache-control"), "no-store");
});

test("read_only_address: what writes is not listed at /mcp, and unknown there", async (t) => {
  const studio = await newStudio();
  const assistant = await Assistant.connect(t, READ, studio.key);
  const { tools } = await assistant.client.listTools();
  assert.deepEqual(
    tools.map(({ name }) => name),
    READING,
  );
  for (const name of WRITING) {
    const { message, headers } = modern("tools/call", {
      name,
      arguments: { client: { contactName: "Ana" } },
    });
    const { body } = await post(READ, studio.key, message, headers);
    assert.equal(body.error.code, -32602, name);
  }
  assert.equal((await studio.get("/v1/clients")).body.total, 1);
});

test("minimal: a list of clients shows nothing of a person but the name unless it is asked for", async (t) => {
  const studio = await newStudio();
  const assistant = await Assistant.connect(t, READ, studio.key);
  for (const [name, args] of [
    ["listClients", {}],
    ["getClient", { id: studio.clientId }],
    ["listChanges", {}],
    ["listContracts", {}],
  ] as const) {
    const { text, isError } = await assistant.call(name, args);
    assert.ok(!isError, text);
    assert.match(text, /Beatriz Nogueira/, name);
    assert.doesNotMatch(text, /@example|90210|52998224725|1990-04-23|S\\u00e3o|São Paulo|mornings/, name);
  }
  const { data } = await assistant.call("getClient", { id: studio.clientId, include: ["contact"] });
  assert.deepEqual([data.contactEmail, data.notes], ["beatriz@example.com", undefined]);
});

test("names stand beside ids, and local times beside instants", async (t) => {
  const studio = await newStudio();
  await addDailySchedule(studio);
  const assistant = await Assistant.connect(t, READ, studio.key);
  const { data: contract } = await assistant.call("getContract", { id: studio.contractId });
  assert.equal(contract.clientName, "Beatriz Nogueira");
  assert.deepEqual(contract.locationNames, ["Vila Madalena"]);
  assert.deepEqual(
    contract.entitlements.map(({ serviceTypeName }: { serviceTypeName?: string }) => serviceTypeName),
    ["Pilates solo", undefined],
  );
  assert.ok(contract.entitlements[1].serviceGroupName);
  const { data: sessions } = await assistant.call("listSessions", callsFor(studio).listSessions);
  const [session] = sessions.data;
  assert.equal(session.serviceTypeName, "Pilates solo");
  assert.equal(session.locationName, "Vila Madalena");
  assert.equal(session.timezone, "America/Sao_Paulo");
  const local = new Date(Date.parse(session.startAt) - 3 * 3_600_000).toISOString().slice(0, 16);
  assert.equal(session.localStart, local.replace("T", " "));
  const { data: changes } = await assistant.call("listChanges", { kinds: ["client"] });
  assert.equal(changes.data[0].name, "Beatriz Nogueira");
});

test("update_keeps_rest: a new phone leaves all else as it was, and is audited as any write", async (t) => {
  const studio = await newStudio();
  const assistant = await Assistant.connect(t, WRITE, studio.key);
  const before = (await studio.get(`/v1/clients/${studio.clientId}`)).body;
  const { data } = await assistant.call("updateClient", {
    id: studio.clientId,
    set: { contactPhone: "+55 11 98765-4321" },
  });
  assert.equal(data.client.contactPhone, "+55 11 98765-4321");
  const after = (await studio.get(`/v1/clients/${studio.clientId}`)).body;
  assert.deepEqual(after, { ...before, contactPhone: "+55 11 98765-4321", updatedAt: after.updatedAt });
  const { data: changes } = (await studio.get("/v1/changes?kinds=client")).body;
  const { by, keyId } = changes.at(-1).reason;
  assert.deepEqual([changes.at(-1).type, by, keyId], ["updated", "key", studio.keyId]);
  const owner = await newStaff(api, studio.id);
  const [entry] = (await owner.read(`audit?actor=key:${studio.keyId}`)).body.data;
  assert.deepEqual(
    [entry.action, entry.subjectId, entry.details.members],
    ["editClient", studio.clientId, ["contactPhone"]],
  );
  const both = await assistant.call("updateClient", {
    id: studio.clientId,
    set: { notes: "x" },
    clear: ["notes"],
  });
  assert.match(
    both.text,
    /^422 invalid: arguments\.clear\.notes .*\(given_twice\)\nNext: name each member once/,
  );
  const nulled = await assistant.call("updateClient", { id: studio.clientId, set: { notes: null } });
  assert.match(nulled.text, /arguments\.set\.notes/);
  const cleared = await assistant.call("updateClient", { id: studio.clientId, set: {}, clear: ["notes"] });
  assert.equal(cleared.data.client.notes, undefined);
  assert.equal((await studio.get(`/v1/clients/${studio.clientId}`)).body.notes, undefined);
});

test("fix: a CPF with a wrong digit is a result that names field, code and what to do", async (t) => {
  const studio = await newStudio();
  const assistant = await Assistant.connect(t, WRITE, studio.key);
  const idDocument = { type: "cpf", value: "52998224726" };
  const { isError, text, data } = await assistant.call("createClient", {
    client: { contactName: "Ana", contactEmail: "nonsense", idDocument },
  });
  assert.ok(isError);
  const lines = text.split("\n");
  assert.match(lines[0] ?? "", /^422 invalid: body\.\S+ .+ \(\w+\)$/);
  assert.ok(
    lines.some((line) => /body\.idDocument\.value is not a valid CPF \(cpf_invalid\)$/.test(line)),
    text,
  );
  assert.ok(
    lines.some((line) => /body\.contactEmail .*\(email_invalid\)$/.test(line)),
    text,
  );
  assert.ok(
    lines.some((line) => /^Next: ask the person for the document again/.test(line)),
    text,
  );
  assert.deepEqual([data.status, data.code, data.errors.length], [422, "invalid", 2]);
  assert.doesNotMatch(text, /52998224726|nonsense/);
});

test("bounded: too many records, too long a window and too long a result are errors with advice", async (t) => {
  const studio = await newStudio();
  const assistant = await Assistant.connect(t, READ, studio.key);
  const cases = [
    ["listClients", { limit: 51 }, /^422 invalid: arguments\.limit must be at most 50 \(above_maximum\)/],
    [
      "listClients",
      { offset: 3 },
      /arguments\.offset .*\(unknown_member\)\nNext: leave that argument|member/,
    ],
    [
      "listSessions",
      { from: "2026-11-01T00:00:00Z", to: "2026-12-03T00:00:00Z" },
      /window_too_long\)\nNext: .*31 days/,
    ],
    ["getClient", { id: newId() }, /^404 not_found: .*\nNext: find the record by the tool that lists/],
    ["getClient", { id: "../locations" }, /arguments\.id .*\(uuid_invalid\)/],
    ["listClients", { query: { nested: true } }, /arguments\.query .*\(wrong_type\)/],
  ] as const;
  for (const [name, args, expected] of cases) {
    const { isError, text } = await assistant.call(name, args);
    assert.ok(isError, name);
    assert.match(text, expected);
  }
  for (let i = 0; i < 8; i++)
    await newClient(studio, { contactName: `Noted ${i}`, notes: "n".repeat(10_000) });
  const long = await assistant.call("listClients", { include: ["notes"] });
  assert.match(
    long.text,
    /^413 too_large: The result has \d+ KiB; at most 64 KiB are told\.\nNext: .*smaller limit/,
  );
  assert.ok(!(await assistant.call("listClients", { include: ["notes"], limit: 2 })).isError);
});

test("bounded: more sessions than can be told are not gathered, however many there are", async (t) => {
  const studio = await newStudio();
  for (let i = 0; i < 10; i++) await addDailySchedule(studio);
  const assistant = await Assistant.connect(t, READ, studio.key);
  const window = { from: "2026-11-01T00:00:00Z", to: "2026-12-01T00:00:00Z" };
  const { isError, text } = await assistant.call("listSessions", window);
  assert.ok(isError);
  assert.match(
    text,
    /^413 too_large: There are \d{3} sessions in this window; at most 200 are told\.\nNext: /,
  );
});

test("gate: keys, plans, organizations and the rate limit are asked as at every door", async () => {
  const limited = await startApi({ rate: { perMinute: 60, burst: 3 } });
  const address = `${limited.url}/mcp`;
  const list = modern("tools/list");
  const none = await post(address, undefined, list.message, list.headers);
  assert.equal(none.status, 401);
  assert.equal(none.body.code, "unauthorized");
  assert.equal(none.headers.get("www-authenticate"), "Bearer");
  const studio = await limited.newOrganization();
  const good = await post(address, studio.key, list.message, list.headers);
  assert.equal(good.status, 200);
  assert.match(good.headers.get("ratelimit") ?? "", /^"default";r=2;/);
  assert.ok(good.headers.get("x-request-id"));
  // A call that asks several operations is one request.
  const call = modern("tools/call", { name: "listPlans", arguments: {} });
  assert.match(
    (await post(address, studio.key, call.message, call.headers)).headers.get("ratelimit") ?? "",
    /r=1;/,
  );
  await post(address, studio.key, list.message, list.headers);
  const over = await post(address, studio.key, list.message, list.headers);
  assert.equal(over.status, 429);
  assert.ok(Number(over.headers.get("retry-after")) >= 1);
  const free = await limited.newOrganization({ plan: "Free" });
  assert.equal((await post(address, free.key, list.message, list.headers)).status, 402);
  const revoked = await limited.newOrganization();
  await revokeKey(limited.db, "test", revoked.keyId);
  const refused = await post(address, revoked.key, list.message, list.headers);
  assert.deepEqual([refused.status, refused.text], [401, none.text]);
});

test("origin: pages of other websites are refused before their key is looked at", async () => {
  const studio = await newStudio();
  const { message, headers } = modern("tools/list");
  const foreign = await post(READ, studio.key, message, { ...headers, origin: "https://evil.example" });
  assert.equal(foreign.status, 403);
  assert.equal(foreign.body.code, "forbidden");
  assert.equal(foreign.headers.get("ratelimit"), null);
  const own = await post(READ, studio.key, message, { ...headers, origin: "https://api.rollbook.test" });
  assert.equal(own.status, 200);
  const named = await startApi({ beside: api, mcpOrigins: ["https://assistant.example"] });
  const other = await post(`${named.url}/mcp`, studio.key, message, {
    ...headers,
    origin: "https://assistant.example",
  });
  assert.equal(other.status, 200);
});

test("no_oauth: the addresses at which a client would begin an OAuth dance are unknown; other methods are 405", async () => {
  const addresses = [
    ...["/.well-known/oauth-authorization-server", "/.well-known/oauth-protected-resource/mcp"],
    ...["/.well-known/openid-configuration", "/authorize", "/register", "/token"],
  ];
  for (const address of addresses) {
    assert.equal((await fetch(api.url + address)).status, 404, address);
    assert.equal((await fetch(api.url + address, { method: "POST" })).status, 404, address);
  }
  for (const method of ["GET", "DELETE", "PUT"]) {
    const response = await fetch(READ, { method });
    assert.deepEqual([response.status, response.headers.get("allow")], [405, "POST"], method);
  }
  const off = await startApi({ beside: api, mcpOrigins: false });
  for (const path of ["/mcp", "/mcp/write"])
    assert.equal((await fetch(off.url + path, { method: "POST" })).status, 404);
});

test("dry_run: each write says what would be stored, and what is wrong, and stores nothing", async (t) => {
  const studio = await newStudio();
  const assistant = await Assistant.connect(t, WRITE, studio.key);
  const before = (await studio.get("/v1/clients")).text;
  const one = (await studio.get(`/v1/clients/${studio.clientId}`)).text;
  const audited = (await studio.get("/v1/changes")).body.data.length;
  const idDocument = { type: "cpf", value: "111.444.777-35" };
  const created = await assistant.call("createClient", {
    client: { contactName: " Ana Souza ", idDocument },
    dryRun: true,
    idempotencyKey: "once",
  });
  assert.equal(created.data.dryRun, true);
  assert.deepEqual(
    [created.data.client.contactName, created.data.client.idDocument.value],
    ["Ana Souza", "11144477735"],
  );
  const set = { contactPhone: "1" };
  const updated = await assistant.call("updateClient", { id: studio.clientId, set, dryRun: true });
  assert.deepEqual([updated.data.dryRun, updated.data.client.contactPhone], [true, "1"]);
  const archived = await assistant.call("archiveClient", { id: studio.clientId, dryRun: true });
  assert.deepEqual([archived.data.dryRun, archived.data.client.status], [true, "archived"]);
  const held = await assistant.call("createClient", {
    client: { contactName: "Eva", idDocument: { type: "cpf", value: "52998224725" } },
    dryRun: true,
  });
  assert.match(held.text, /^409 conflict: /);
  const unknown = await assistant.call("archiveClient", { id: newId(), dryRun: true });
  assert.match(unknown.text, /^404 not_found/);
  assert.equal((await studio.get("/v1/clients")).text, before);
  assert.equal((await studio.get(`/v1/clients/${studio.clientId}`)).text, one);
  assert.equal((await studio.get("/v1/changes")).body.data.length, audited);
  // The key of the dry run is still free.
  const real = await assistant.call("createClient", {
    client: { contactName: "Ana" },
    idempotencyKey: "once",
  });
  assert.ok(!real.isError, real.text);
});

test("a write with a key is carried out once, and its key belongs to that write", async (t) => {
  const studio = await newStudio();
  const assistant = await Assistant.connect(t, WRITE, studio.key);
  const args = { client: { contactName: "Ana Souza" }, idempotencyKey: "ana-1" };
  const made = await Promise.all([1, 2, 3].map(() => assistant.call("createClient", args)));
  assert.equal(new Set(made.map(({ data }) => data.client.id)).size, 1);
  assert.equal((await studio.get("/v1/clients?query=ana%20souza")).body.total, 1);
  const other = await assistant.call("createClient", {
    client: { contactName: "Eva" },
    idempotencyKey: "ana-1",
  });
  assert.match(other.text, /\(idempotency_key_reused\)\nNext: use a new idempotencyKey/);
});

test("a conversation: find a client by a misspelt name, correct a phone, hit a held CPF and recover by what the error says", async (t) => {
  const studio = await newStudio();
  const assistant = await Assistant.connect(t, WRITE, studio.key);
  const { tools } = await assistant.client.listTools();
  assert.ok(tools.some(({ name }) => name === "updateClient"));

  // "Change the phone of Beatris Nogeira."
  const search = await assistant.call("listClients", { query: "Beatris Nogeira" });
  assert.equal(search.data.total, 0);
  const [meant] = search.data.similar;
  assert.equal(meant.contactName, "Beatriz Nogueira");
  const changed = await assistant.call("updateClient", {
    id: meant.id,
    set: { contactPhone: "+55 11 91111-2222" },
  });
  assert.equal(changed.data.client.contactPhone, "+55 11 91111-2222");

  // "Add Bia Nogueira, CPF 529.982.247-25."
  const client = { contactName: "Bia Nogueira", idDocument: { type: "cpf", value: "529.982.247-25" } };
  const held = await assistant.call("createClient", { client });
  assert.ok(held.isError);
  // What to do next is read off the text alone.
  const [, tool = "", args = ""] =
    /Next: call (\w+) (\{[^}]+\}): it holds this document/.exec(held.text) ?? [];
  const holder = await assistant.call(tool, JSON.parse(args));
  assert.equal(holder.data.id, meant.id);
  assert.match(held.text, /change that client by updateClient/);
  const renamed = await assistant.call("updateClient", {
    id: holder.data.id,
    set: { contactName: "Bia Nogueira" },
  });
  assert.equal(renamed.data.client.contactName, "Bia Nogueira");
  assert.equal((await studio.get("/v1/clients")).body.total, 1);
});

test("other organizations are out of reach: their ids are as unknown as any", async (t) => {
  const [ours, theirs] = [await newStudio(), await newStudio()];
  const assistant = await Assistant.connect(t, WRITE, ours.key);
  const text = async (name: string, args: Record<string, unknown>) =>
    (await assistant.call(name, args)).text.replace(/"requestId":"[^"]+"/, "");
  for (const [name, id, more] of [
    ["getClient", theirs.clientId, {}],
    ["getPlan", theirs.planId, {}],
    ["getContract", theirs.contractId, {}],
    ["getServiceType", theirs.serviceTypeId, {}],
    ["updateClient", theirs.clientId, { set: { notes: "ours" } }],
    ["archiveClient", theirs.clientId, {}],
  ] as const)
    assert.equal(await text(name, { id, ...more }), await text(name, { id: newId(), ...more }), name);
  const { data } = await assistant.call("listContracts", { clientId: theirs.clientId });
  assert.equal(data.total, 0);
  const unchanged = (await theirs.get(`/v1/clients/${theirs.clientId}`)).body;
  assert.deepEqual([unchanged.notes, unchanged.status], ["Prefers mornings", "active"]);
});

test("resources: guides as Markdown, no personal data, an unknown one told", async (t) => {
  const studio = await newStudio();
  const assistant = await Assistant.connect(t, READ, studio.key);
  const { resources } = await assistant.client.listResources();
  assert.ok(resources.some(({ uri }) => uri === "rollbook://docs/signup-form"));
  assert.ok(resources.some(({ uri }) => uri === "https://api.rollbook.test/openapi.json"));
  const { contents } = await assistant.client.readResource({ uri: "rollbook://docs/signup-form" });
  const [guide] = contents as { text: string; mimeType: string }[];
  assert.match(guide?.text ?? "", /^# /);
  // As they are served: with the address of this server.
  assert.ok(guide?.text.includes('baseUrl: "https://api.rollbook.test"'));
  assert.equal(guide?.mimeType, "text/markdown");
  for (const uri of ["rollbook://docs/../package", "rollbook://docs/", "file:///etc/passwd"])
    await assert.rejects(assistant.client.readResource({ uri }), uri);
  const { data } = await assistant.call("searchDocs", {
    query: "how do I verify the signature of a webhook",
  });
  assert.equal(data.data[0].page, "receive-webhooks");
});

test("hostile messages are refused by the protocol's own errors, and never are a 5xx", async () => {
  const studio = await newStudio();
  const { message, headers } = modern("tools/call", { name: "listClients", arguments: {} });
  const cases: [
    body: unknown,
    headers: Record<string, string>,
    status: number,
    code: number | string | undefined,
  ][] = [
    ["not json", headers, 400, -32700],
    ["", headers, 400, -32700],
    ["null", {}, 400, -32600],
    ["[]", {}, 400, -32600],
    [[message, message], headers, 400, -32600],
    [`${"[".repeat(50_000)}${"]".repeat(50_000)}`, {}, 400, -32600],
    [`{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, {}, 400, -32600],
    [message, { ...headers, "mcp-name": "getClient" }, 400, -32020],
    [message, { ...headers, "mcp-method": "tools/list" }, 400, -32020],
    [modern("no/such").message, modern("no/such").headers, 404, -32601],
    [modern("subscriptions/listen").message, modern("subscriptions/listen").headers, 404, -32601],
    [{ ...message, params: { ...message.params, arguments: "all" } }, headers, 200, -32602],
    [message, { ...headers, "content-type": "text/plain" }, 415, "unsupported_media_type"],
    [message, { ...headers, accept: "text/csv" }, 406, "not_acceptable"],
    // As curl sends it.
    [message, { ...headers, accept: "*/*" }, 200, undefined],
  ];
  for (const [body, sent, status, code] of cases) {
    const answer = await post(WRITE, studio.key, body as string, sent);
    const found = answer.body?.error?.code ?? answer.body?.code;
    assert.deepEqual(
      [answer.status, found],
      [status, code],
      `${JSON.stringify(body).slice(0, 120)} ${answer.text.slice(0, 200)}`,
    );
  }
  const without = modern("tools/list");
  const { "io.modelcontextprotocol/clientCapabilities": _none, ...meta } = without.message.params._meta;
  const incomplete = { ...without.message, params: { _meta: meta } };
  assert.equal((await post(READ, studio.key, incomplete, without.headers)).body.error.code, -32602);
  const later = { ...meta, "io.modelcontextprotocol/protocolVersion": "2030-01-01" };
  const unknown = await post(
    READ,
    studio.key,
    { ...without.message, params: { _meta: { ...later, "io.modelcontextprotocol/clientCapabilities": {} } } },
    { ...without.headers, "mcp-protocol-version": "2030-01-01" },
  );
  assert.deepEqual([unknown.status, unknown.body.error.code], [400, -32022]);
  assert.ok(unknown.body.error.data.supported.includes(MODERN));
  const notification = { jsonrpc: "2.0", method: "notifications/initialized" };
  assert.equal((await post(READ, studio.key, notification)).status, 202);
  const huge = await post(
    READ,
    studio.key,
    { ...message, params: { filler: "x".repeat(1_100_000) } },
    headers,
  );
  assert.equal(huge.status, 413);
});

test("each revision of 2025 is served without a session, as one JSON object", async () => {
  const studio = await newStudio();
  for (const protocolVersion of ["2025-03-26", "2025-06-18", "2025-11-25"]) {
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: "old", version: "1" } };
    const begun = await post(READ, studio.key, { jsonrpc: "2.0", id: 0, method: "initialize", params });
    assert.match(begun.headers.get("content-type") ?? "", /^application\/json/);
    assert.equal(begun.body.result.protocolVersion, protocolVersion);
    assert.equal(begun.headers.get("mcp-session-id"), null);
    const headers = { "mcp-protocol-version": protocolVersion };
    const listed = await post(READ, studio.key, { jsonrpc: "2.0", id: "a", method: "tools/list" }, headers);
    assert.equal(listed.body.id, "a");
    assert.equal(listed.body.result.tools.length, READING.length);
  }
});
