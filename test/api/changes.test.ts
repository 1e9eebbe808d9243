import assert from "node:assert/strict";
import { test } from "node:test";
import { MS_PER_DAY } from "../../src/core/dates.ts";
import { importRecords } from "../../src/data/bundle/import.ts";
import { demoStudio } from "../../src/data/demo/studio.ts";
import type { Database } from "../../src/db/database.ts";
import { pooled, read } from "../../src/db/statements.ts";
import { mintKey, revokeKey } from "../../src/domain/keys/operations.ts";
import { cursorKey, cursorWriter, readCursor } from "../../src/sync/changes/cursors.ts";
import type { ChangePage, ShownChange } from "../../src/sync/changes/schema.ts";
import { type Answer, openApi, startApi, type TestApi, type TestOrganization } from "../support/api.ts";
import { newId } from "../support/ids.ts";
import { until } from "../support/poll.ts";
import { addLocation } from "../support/records.ts";
import { newStaff } from "../support/staff.ts";

const api = await startApi();
const other = await startApi({ beside: api });

/** Reads page by page until nothing more is there. */
async function follow(
  { key }: Pick<TestOrganization, "key">,
  { after, query = "", through = api }: { after?: string; query?: string; through?: TestApi } = {},
) {
  const changes: ShownChange[] = [];
  for (let cursor = after; ; ) {
    const from = cursor === undefined ? "" : `&after=${cursor}`;
    const answer = await through.call("GET", `/v1/changes?limit=1000${from}${query}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    assert.equal(answer.status, 200, answer.text);
    const page: ChangePage = answer.body;
    changes.push(...page.data);
    cursor = page.nextCursor;
    if (!page.hasMore) return { changes, nextCursor: cursor };
  }
}

const told = (changes: readonly ShownChange[]) => changes.map(({ kind, type }) => `${kind} ${type}`);

/** A studio with a place to work at, and the cursor of its feed's end. */
async function newStudio(details = {}) {
  const organization = await api.newOrganization(details);
  const locationId = await addLocation(api.db, organization.id);
  const { nextCursor } = await follow(organization);
  return { ...organization, locationId, end: nextCursor };
}

async function create(studio: TestOrganization & { readonly locationId: string }): Promise<Answer> {
  const body = { contactName: "Ana Lima", locationIds: [studio.locationId] };
  const answer = await studio.call("POST", "/v1/clients", { body });
  assert.equal(answer.status, 201);
  return answer;
}

test("a create, a PUT, the same PUT and two archives are three entries, in this order", async () => {
  const studio = await newStudio();
  const { id } = (await create(studio)).body;
  const put = () => studio.call("PUT", `/v1/clients/${id}`, { body: { contactName: "Ana Souza" } });
  await put();
  await put();
  for (let times = 0; times < 2; times++) await studio.call("DELETE", `/v1/clients/${id}`);
  const { changes } = await follow(studio, { after: studio.end });
  assert.deepEqual(told(changes), ["client created", "client updated", "client updated"]);
  assert.deepEqual(
    changes.map((change) => change.id),
    [id, id, id],
  );
});

/** A studio with all kinds of records, imported once. */
const demo = await api.newOrganization();
const records = demoStudio({ today: "2026-11-16" });
const bring = (some: readonly object[], organizationId = demo.id) =>
  importRecords(api.db, some, { actor: "operator:test", organizationId });
await bring(records);

test("read from the beginning, the feed has every record of every list, as its list has it", async () => {
  const studio = demo;
  const { changes } = await follow(studio, { query: "&include=record" });
  const byKind = new Map<string, Map<string, object>>();
  for (const { kind, id, record } of changes)
    byKind.set(kind, (byKind.get(kind) ?? new Map()).set(id, record ?? {}));
  for (const [path, kind] of [
    ["clients", "client"],
    ["contracts", "contract"],
    ["plans", "plan"],
    ["service-types", "serviceType"],
    ["service-groups", "serviceGroup"],
    ["locations", "location"],
    ["resources", "resource"],
    ["calendar?from=2026-11-15T00:00:00Z&to=2026-12-01T00:00:00Z", "session"],
  ] as const) {
    const answer = await studio.call("GET", `/v1/${path}`, { headers: { accept: "application/x-ndjson" } });
    const listed = answer.text.trimEnd().split("\n");
    const stored = listed.map((line) => JSON.parse(line)).filter(({ id }) => id !== undefined);
    assert.ok(stored.length > 0, path);
    for (const record of stored) assert.deepEqual(byKind.get(kind)?.get(record.id), record, path);
    if (kind !== "session") assert.equal(byKind.get(kind)?.size, stored.length);
  }
  const { $schema, ...organization } = (await studio.get("/v1/organization")).body;
  assert.deepEqual(byKind.get("organization")?.get(studio.id), organization);
});

test("an import is told kind by kind, once again what it has changed, and never what it has not", async () => {
  const studio = demo;
  const { changes, nextCursor } = await follow(studio);
  const kinds = changes.filter(({ type }) => type === "created").map(({ kind }) => kind);
  assert.equal(kinds.filter((kind, index) => kind !== kinds[index - 1]).length, new Set(kinds).size);
  await bring(records);
  assert.deepEqual(await follow(studio, { after: nextCursor }), { changes: [], nextCursor });
  const client = records.find(({ kind }) => kind === "client");
  await bring([{ ...client, notes: "moved" }]);
  const again = await follow(studio, { after: nextCursor });
  assert.deepEqual(told(again.changes), ["client updated"]);
});

test("a write that was answered by one node is there when another is asked", async () => {
  const studio = await newStudio();
  const { id } = (await create(studio)).body;
  let { nextCursor: after } = await follow(studio);
  for (let round = 0; round < 100; round++) {
    await studio.call("PUT", `/v1/clients/${id}`, { body: { contactName: `Ana ${round}` } });
    const page = await follow(studio, { after, through: other, query: "&include=record" });
    assert.deepEqual(
      page.changes.map(({ record }) => (record as { contactName: string }).contactName),
      [`Ana ${round}`],
    );
    after = page.nextCursor;
  }
});

test("writers of two nodes are read alike by two readers, each change once and in one order", async () => {
  const studio = await newStudio();
  const write = async (writer: number) => {
    for (let round = 0; round < 8; round++)
      await (writer % 2 ? api : other).call("POST", "/v1/clients", {
        headers: { authorization: `Bearer ${studio.key}` },
        body: { contactName: `Ana ${writer} ${round}` },
      });
  };
  let isWritten = false;
  const readAll = async (through: TestApi) => {
    const seen: ShownChange[] = [];
    for (let after = studio.end, isLast = false; !isLast; ) {
      isLast = isWritten;
      const { changes, nextCursor } = await follow(studio, { after, through });
      seen.push(...changes);
      after = nextCursor;
    }
    return seen.map(({ sequence, id }) => `${sequence} ${id}`);
  };
  const writing = Promise.all(Array.from({ length: 16 }, (_, writer) => write(writer))).then(() => {
    isWritten = true;
  });
  const [one, two] = await Promise.all([readAll(api), readAll(other), writing]);
  assert.equal(new Set(one).size, 128);
  assert.deepEqual(one, two);
});

test("an import of another organization that is under way holds up nobody", async () => {
  const [studio, large] = [await newStudio(), await newStudio()];
  const { id } = (await create(studio)).body;
  const { nextCursor } = await follow(studio);
  await api.db.transaction(async (tx) => {
    await addLocation(tx, large.id);
    await studio.call("PUT", `/v1/clients/${id}`, { body: { contactName: "Ana Souza" } });
    assert.deepEqual(told((await follow(studio, { after: nextCursor })).changes), ["client updated"]);
    assert.deepEqual((await follow(large, { after: large.end })).changes, []);
  });
  assert.deepEqual(told((await follow(large, { after: large.end })).changes), ["location created"]);
});

test("whoever waits is answered as soon as another node has written", async () => {
  const studio = await newStudio();
  const begun = performance.now();
  const waiting = studio.get(`/v1/changes?after=${studio.end}&wait=30`);
  await other.call("POST", "/v1/clients", {
    headers: { authorization: `Bearer ${studio.key}` },
    body: { contactName: "Ana Lima" },
  });
  const { body } = await waiting;
  assert.deepEqual(told(body.data), ["client created"]);
  assert.ok(performance.now() - begun < 29_000);
});

test("whoever waits for other kinds waits on, and is then asked to go on behind what was not for them", async () => {
  const studio = await newStudio();
  const waiting = studio.get(`/v1/changes?after=${studio.end}&wait=2&kinds=plan`);
  await create(studio);
  const { body } = await waiting;
  assert.deepEqual(body.data, []);
  assert.notEqual(body.nextCursor, studio.end);
  assert.deepEqual((await follow(studio, { after: body.nextCursor })).changes, []);
});

const isUsed = read(
  "test_key_is_used",
  "select 1 as used from keys where id = $1 and last_used_at is not null",
);

test("whoever waits with a key that is revoked meanwhile is refused, and told nothing", async () => {
  const studio = await newStudio();
  const { key, id } = await mintKey(api.db, api.keySecret, "test", { organizationId: studio.id });
  const headers = { authorization: `Bearer ${key}` };
  const waiting = api.call("GET", `/v1/changes?after=${studio.end}&wait=30`, { headers });
  await until("the key is used", async () => (await api.db.query(isUsed, [id])).length > 0);
  await revokeKey(api.db, "test", id);
  await create(studio);
  const answer = await waiting;
  assert.equal(answer.status, 401);
  assert.doesNotMatch(answer.text, /Ana Lima|sequence/);
});

test("of the twenty-one that wait with one key, the first is answered with nothing", async () => {
  const studio = await newStudio();
  const path = `/v1/changes?after=${studio.end}&wait=30`;
  const answered: number[] = [];
  const all = Array.from({ length: 21 }, (_, index) =>
    studio.get(path).then((answer) => {
      answered.push(index);
      return answer.body as ChangePage;
    }),
  );
  await until("one is answered", async () => answered.length > 0);
  assert.equal(answered.length, 1);
  await create(studio);
  const pages = await Promise.all(all);
  assert.deepEqual(pages.map(({ data }) => data.length).sort(), [0, ...Array.from({ length: 20 }, () => 1)]);
});

test("a server that closes answers whoever waits", async () => {
  const studio = await newStudio();
  const closing = await openApi({ beside: api });
  const { key, id } = await mintKey(api.db, api.keySecret, "test", { organizationId: studio.id });
  const headers = { authorization: `Bearer ${key}` };
  const waiting = closing.call("GET", `/v1/changes?after=${studio.end}&wait=30`, { headers });
  await until("the key is used", async () => (await api.db.query(isUsed, [id])).length > 0);
  await closing.close();
  assert.equal((await waiting).status, 200);
});

test("of kinds that are not asked for nothing is shown, and the cursor moves past it", async () => {
  const studio = await newStudio();
  await addLocation(api.db, studio.id);
  const { changes, nextCursor } = await follow(studio, { after: studio.end, query: "&kinds=client,plan" });
  assert.deepEqual(changes, []);
  assert.notEqual(nextCursor, studio.end);
  await create(studio);
  await addLocation(api.db, studio.id);
  const both = await follow(studio, { after: nextCursor, query: "&kinds=client,location" });
  assert.deepEqual(told(both.changes), ["client created", "location created"]);
});

test("five reasons are told apart: two keys, the staff, an import, and a day that has passed", async () => {
  const studio = await newStudio();
  const { key, id: keyId } = await mintKey(api.db, api.keySecret, "test", { organizationId: studio.id });
  const { id } = (await create(studio)).body;
  const put = (by: string, contactName: string) =>
    api.call("PUT", `/v1/clients/${id}`, {
      headers: { authorization: `Bearer ${by}`, "x-request-id": "a-request" },
      body: { contactName },
    });
  const { nextCursor } = await follow(studio);
  await put(studio.key, "Ana Souza");
  await put(key, "Ana Dias");
  const staff = await newStaff(api, studio.id);
  await staff.write("archiveClient", { clientId: id });
  const contract = {
    kind: "contract",
    id: newId(),
    clientId: id,
    planName: "Mensal",
    priceCents: 100,
    currency: "BRL",
    isTrial: false,
    billingKind: "one_time",
    startDate: "2026-01-01",
    endDate: new Date(Date.now() + MS_PER_DAY).toISOString().slice(0, 10),
    status: "active",
    accessBlocked: false,
    allLocations: true,
    locationIds: [],
    entitlements: [],
  };
  await bring([contract], studio.id);
  const later = await startApi({ beside: api, clockOffsetMs: 5 * MS_PER_DAY });
  const { changes } = await follow(studio, { after: nextCursor, through: later });
  assert.deepEqual(
    changes.map(({ kind, reason }) => [kind, reason]),
    [
      ["client", { by: "key", keyId: studio.keyId, requestId: "a-request" }],
      ["client", { by: "key", keyId, requestId: "a-request" }],
      ["client", { by: "staff" }],
      ["contract", { by: "import" }],
      ["contract", { by: "clock" }],
    ],
  );
});

test("clients that are created at the same time each bear their own request", async () => {
  const studio = await newStudio();
  const { key, id: keyId } = await mintKey(api.db, api.keySecret, "test", { organizationId: studio.id });
  const expected = new Map<string, object>();
  await Promise.all(
    Array.from({ length: 24 }, async (_, index) => {
      const isOther = index % 2 === 0;
      const answer = await api.call("POST", "/v1/clients", {
        headers: {
          authorization: `Bearer ${isOther ? key : studio.key}`,
          "x-request-id": `request-${index}`,
          ...(index % 3 === 0 && { "idempotency-key": `key-${index}` }),
        },
        body: { contactName: "Ana Lima" },
      });
      const by = isOther ? keyId : studio.keyId;
      expected.set(answer.body.id, { by: "key", keyId: by, requestId: `request-${index}` });
    }),
  );
  const { changes } = await follow(studio, { after: studio.end });
  assert.deepEqual(new Map(changes.map(({ id, reason }) => [id, reason])), expected);
});

const CATALOG = ["location", "resource", "serviceGroup", "serviceType", "schedule"];

test("a closed location lists its schedules, and the calendar of each is empty", async () => {
  const studio = await api.newOrganization();
  const catalog = records.filter(({ kind }) => CATALOG.includes(kind));
  await bring(catalog, studio.id);
  const { nextCursor } = await follow(studio);
  const locations = (await studio.get("/v1/locations")).body.data as { id: string }[];
  const staff = await newStaff(api, studio.id);
  const schedules = catalog.filter(({ kind }) => kind === "schedule") as {
    locationId?: string;
    id?: string;
  }[];
  const [used] = locations.filter(({ id }) => schedules.some(({ locationId }) => locationId === id));
  assert.ok(used);
  const closed = await staff.write("closeLocation", { locationId: used.id });
  assert.equal(closed.status, 200, closed.text);
  const { changes } = await follow(studio, { after: nextCursor });
  const noted = changes.filter(({ kind }) => kind === "schedule").map(({ id }) => id);
  assert.deepEqual(
    [...new Set(noted)].sort(),
    schedules
      .filter(({ locationId }) => locationId === used.id)
      .map(({ id }) => id)
      .sort(),
  );
  for (const id of noted) {
    const window = "from=2026-11-15T00:00:00Z&to=2026-12-10T00:00:00Z";
    assert.equal((await studio.get(`/v1/calendar?${window}&scheduleId=${id}`)).body.total, 0);
  }
});

test("large records make a page shorter and lose nothing: what is left follows", async () => {
  const studio = await newStudio();
  const plan = { kind: "plan", status: "active", billingKind: "one_time", priceCents: 1, currency: "BRL" };
  const terms = "中".repeat(100_000);
  await importRecords(
    api.db,
    Array.from({ length: 120 }, (_, index) => ({
      ...{ ...plan, id: newId(), name: `Plan ${index}`, isTrial: false, allLocations: true },
      ...{ locationIds: [], entitlements: [], ...(index < 60 && { terms }) },
    })),
    { organizationId: studio.id, actor: "test" },
  );
  const query = "&include=record&kinds=plan";
  const first = await studio.call("GET", `/v1/changes?limit=1000${query}&after=${studio.end}`);
  const { data, hasMore }: ChangePage = first.body;
  assert.equal(hasMore, true);
  assert.ok(data.length > 0 && first.text.length < 10_000_000, `${data.length} in ${first.text.length}`);
  const { changes } = await follow(studio, { after: studio.end, query });
  const names = changes.map(({ record }) => (record as { name: string }).name);
  assert.equal(new Set(names).size, 120);
  assert.equal(names.length, 120);
  const file = await studio.call("GET", `/v1/changes?after=${studio.end}${query}`, {
    headers: { accept: "application/x-ndjson" },
  });
  const lines = file.text.trim().split("\n");
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).record.name),
    names,
  );
});

test("a file has all that is left in one answer, and says where to go on", async () => {
  const studio = await newStudio();
  for (let times = 0; times < 3; times++) await create(studio);
  const answer = await studio.call("GET", `/v1/changes?after=${studio.end}&include=record`, {
    headers: { accept: "application/x-ndjson" },
  });
  const lines = answer.text.trimEnd().split("\n");
  assert.equal(answer.headers.get("x-total-count"), "3");
  assert.equal(answer.headers.get("cache-control"), "no-store");
  const { changes, nextCursor } = await follow(studio, { after: studio.end, query: "&include=record" });
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)),
    changes,
  );
  assert.equal(answer.headers.get("changes-cursor"), nextCursor);
  for (const parameter of ["limit=5", "wait=1"]) {
    const refused = await studio.call("GET", `/v1/changes?${parameter}`, {
      headers: { accept: "application/x-ndjson" },
    });
    assert.equal(refused.body.errors[0].code, "not_with_download");
  }
  const csv = await studio.call("GET", "/v1/changes", { headers: { accept: "text/csv" } });
  assert.equal(csv.status, 406);
});

test("a download under writes, followed from its cursor, is the list as it is then", async () => {
  const studio = await newStudio();
  for (let times = 0; times < 5; times++) await create(studio);
  const [answer] = await Promise.all([
    studio.call("GET", "/v1/clients", { headers: { accept: "application/x-ndjson" } }),
    ...Array.from({ length: 10 }, () => create(studio)),
  ]);
  const after = answer.headers.get("changes-cursor") ?? "";
  const mirror = new Map<string, object>();
  for (const line of answer.text.trimEnd().split("\n")) mirror.set(JSON.parse(line).id, JSON.parse(line));
  const { changes } = await follow(studio, { after, query: "&include=record" });
  for (const { id, record } of changes) if (record) mirror.set(id, record);
  const { body } = await studio.get("/v1/clients?limit=200");
  assert.equal(mirror.size, body.total);
  for (const client of body.data)
    assert.deepEqual({ ...mirror.get(client.id), locationIds: [] }, { ...client, locationIds: [] });
});

test("the answer is kept nowhere and has no tag, and the end of the feed is `now`", async () => {
  const studio = await newStudio();
  const answer = await studio.get("/v1/changes?after=now");
  assert.equal(answer.headers.get("cache-control"), "no-store");
  assert.equal(answer.headers.get("etag"), null);
  assert.deepEqual(answer.body.data, []);
  assert.equal(answer.body.hasMore, false);
  assert.equal(answer.body.nextCursor, studio.end);
  const head = await studio.call("HEAD", "/v1/changes?after=now");
  assert.equal(head.status, 200);
});

test("what cannot be read is refused with its place", async () => {
  const studio = await newStudio();
  const changed = `${studio.end.startsWith("A") ? "B" : "A"}${studio.end.slice(1)}`;
  for (const [query, location, code] of [
    ["after=xyz", "query.after", "cursor_invalid"],
    [`after=${changed}`, "query.after", "cursor_invalid"],
    ["kinds=client,booking", "query.kinds", "not_one_of"],
    ["kinds=", "query.kinds", "empty"],
    ["limit=1001", "query.limit", "above_maximum"],
    ["wait=31", "query.wait", "above_maximum"],
    ["include=names", "query.include", "not_one_of"],
    ["offset=5", "query.offset", "unknown_parameter"],
  ] as const) {
    const { status, body } = await studio.get(`/v1/changes?${query}`);
    assert.equal(status, 422, query);
    assert.deepEqual([body.errors[0].location, body.errors[0].code], [location, code]);
  }
});

/** A cursor as the server signs it, of another place. */
function forged(
  studio: { readonly end: string; readonly id: string },
  place: { mark?: Buffer; sequence?: number; organizationId?: string; restoreId: string },
) {
  const key = cursorKey(api.keySecret);
  const real = readCursor(key, studio.end);
  assert.ok(real);
  return cursorWriter(key, {
    organizationId: place.organizationId ?? studio.id,
    restoreId: place.restoreId,
    mark: place.mark?.toString("base64") ?? real.mark,
  })(place.sequence ?? real.sequence);
}

const restoreIdOf = async (db: Database) => {
  const [fact] = await db.query<{ value: string }>(
    read("test_history", "select value from facts where name = 'history'"),
  );
  return fact?.value ?? "";
};

test("a cursor of another organization, another past or a lost timeline is gone, and one beyond the end is none", async () => {
  const studio = await newStudio();
  const stranger = await newStudio();
  const restoreId = await restoreIdOf(api.db);
  const gone = [
    stranger.end,
    forged(studio, { restoreId: "another past" }),
    forged(studio, { restoreId, mark: Buffer.alloc(8, 7) }),
  ];
  const answers = await Promise.all(gone.map((after) => studio.get(`/v1/changes?after=${after}`)));
  for (const { status, body } of answers) {
    assert.equal(status, 410);
    assert.equal(body.code, "gone");
    assert.equal(body.detail, answers[0]?.body.detail);
  }
  const beyond = await studio.get(`/v1/changes?after=${forged(studio, { restoreId, sequence: 1_000 })}`);
  assert.equal(beyond.status, 422);
  assert.equal(beyond.body.errors[0].code, "cursor_invalid");
});

test("after a promotion cursors go on up to what the standby had, and are gone above", async () => {
  const studio = await newStudio();
  await create(studio);
  const { nextCursor: seen } = await follow(studio);
  // As on a standby that had the first entry only: its head is that of another timeline.
  await api.db.query(
    pooled(
      "",
      `with lost as (delete from changes where organization_id = $1 and sequence > 2)
    update change_heads set sequence = 2, timeline = 'before' where organization_id = $1`,
    ),
    [studio.id],
  );
  const { changes } = await follow(studio, { after: studio.end });
  assert.deepEqual(changes, []);
  assert.equal((await studio.get(`/v1/changes?after=${seen}`)).status, 410);
  await create(studio);
  const next = await follow(studio, { after: studio.end });
  assert.deepEqual(told(next.changes), ["client created"]);
  assert.equal((await studio.get(`/v1/changes?after=${seen}`)).status, 410);
  assert.deepEqual((await follow(studio, { after: next.nextCursor })).changes, []);
});
