import assert from "node:assert/strict";
import { test } from "node:test";
import { mintKey } from "../../src/domain/keys/operations.ts";
import { type Answer, type CallOptions, PUBLIC_URL, startApi, type TestApi } from "../support/api.ts";
import { addSchedule } from "../support/calendar.ts";
import { newId } from "../support/ids.ts";
import { addContract, addLocation, addPlan, addServiceType } from "../support/records.ts";

// Two servers on one database.
const one = await startApi();
const other = await startApi({ beside: one });

const TAG = /^"[A-Za-z0-9_-]{22}"$/;
const WINDOW = "from=2026-03-02T00:00:00Z&to=2026-03-09T00:00:00Z";

async function newStudio(api: TestApi = one) {
  const studio = await api.newOrganization();
  const locationId = await addLocation(api.db, studio.id);
  const create = async (body: object = {}) =>
    (await studio.call("POST", "/v1/clients", { body: { contactName: "Ana", ...body } })).body;
  const withTag = (method: string, path: string, header: string, tag: string, options: CallOptions = {}) =>
    studio.call(method, path, { ...options, headers: { ...options.headers, [header]: tag } });
  return {
    ...studio,
    locationId,
    create,
    withTag,
    put: (id: string, body: object, headers = {}) =>
      studio.call("PUT", `/v1/clients/${id}`, { body, headers }),
    /** The same organization, asked at another server. */
    at: (there: TestApi, method: string, path: string, options: CallOptions = {}, key = studio.key) =>
      there.call(method, path, {
        ...options,
        headers: { authorization: `Bearer ${key}`, ...options.headers },
      }),
  };
}

/** One address of every read. */
async function everyRead(api: TestApi = one) {
  const studio = await newStudio(api);
  const { db } = api;
  const serviceTypeId = await addServiceType(db, studio.id);
  const planId = await addPlan(db, studio.id);
  const client = await studio.create();
  const contractId = await addContract(db, studio.id, { clientId: client.id, planId });
  await addSchedule(db, studio.id, {
    serviceTypeId,
    locationId: studio.locationId,
    timezone: "America/Sao_Paulo",
    start: "2026-01-01T09:00",
    rrule: "FREQ=DAILY",
  });
  const lists = [
    "/v1/clients",
    "/v1/clients?query=ana&status=active",
    `/v1/clients?locationId=${studio.locationId}&limit=1`,
    "/v1/contracts",
    `/v1/contracts?clientId=${client.id}`,
    "/v1/plans",
    "/v1/plans?query=month",
    "/v1/service-types",
    "/v1/locations",
    `/v1/calendar?${WINDOW}`,
  ];
  const records = [
    "/v1/organization",
    `/v1/clients/${client.id}`,
    `/v1/contracts/${contractId}`,
    `/v1/plans/${planId}`,
    `/v1/service-types/${serviceTypeId}`,
  ];
  return { studio, client, lists, records, paths: [...lists, ...records] };
}

function tagOf({ headers }: Answer): string {
  const tag = headers.get("etag") ?? "";
  assert.match(tag, TAG);
  return tag;
}

function assertNotModified(answer: Answer, tag: string, path: string): void {
  assert.equal(answer.status, 304, path);
  assert.equal(answer.text, "", path);
  assert.equal(answer.headers.get("etag"), tag, path);
  assert.equal(answer.headers.get("cache-control"), "private, no-cache", path);
  assert.equal(answer.headers.get("vary"), "Authorization, Accept, Accept-Encoding", path);
  assert.ok(answer.headers.get("x-request-id"), path);
  for (const name of ["content-type", "content-length", "transfer-encoding", "link"])
    assert.equal(answer.headers.get(name), null, `${path}: ${name}`);
}

test("every read has a strong tag, and is not sent again to who names it: computed, cached, or asked for with HEAD", async () => {
  const { studio, paths } = await everyRead();
  for (const path of paths) {
    const first = await studio.get(path);
    const tag = tagOf(first);
    assert.equal(first.headers.get("cache-control"), "private, no-cache", path);
    assert.equal(first.headers.get("vary"), "Authorization, Accept, Accept-Encoding", path);
    assert.equal(first.headers.get("last-modified"), null, path);
    // Before it is cached, and after.
    for (let round = 0; round < 2; round++) {
      assertNotModified(await studio.withTag("GET", path, "if-none-match", tag), tag, path);
      const again = await studio.get(path);
      assert.equal(again.text, first.text, path);
      assert.equal(tagOf(again), tag, path);
    }
    const head = await studio.call("HEAD", path);
    assert.equal(head.status, 200, path);
    assert.equal(tagOf(head), tag, path);
    for (const [method, named] of [
      ["HEAD", tag],
      ["GET", `W/${tag}`],
      ["HEAD", `"x", ${tag}`],
      ["GET", "*"],
    ] as const) {
      assertNotModified(await studio.withTag(method, path, "if-none-match", named), tag, path);
    }
    assert.equal((await studio.withTag("GET", path, "if-none-match", '"x"')).text, first.text, path);
  }
});

test("a tag that one server gave to one key holds at another server, and for another key of the organization", async () => {
  const { studio, paths } = await everyRead();
  const { key } = await mintKey(one.db, one.keySecret, "test", { organizationId: studio.id });
  for (const path of paths) {
    const tag = tagOf(await studio.get(path));
    const answer = await studio.at(other, "GET", path, { headers: { "if-none-match": tag } }, key);
    assertNotModified(answer, tag, path);
  }
});

test("a tag of one organization's list is none of another's, though both have written as often", async () => {
  const [mine, theirs] = [await newStudio(), await newStudio()];
  for (const path of ["/v1/clients", "/v1/plans", "/v1/locations", `/v1/calendar?${WINDOW}`]) {
    const tag = tagOf(await mine.get(path));
    const answer = await theirs.withTag("GET", path, "if-none-match", tag);
    assert.equal(answer.status, 200, path);
    assert.notEqual(tagOf(answer), tag, path);
  }
});

test("a tag of one list is none of another list, nor of the same one with other parameters", async () => {
  const { studio, lists } = await everyRead();
  const tags = await Promise.all(lists.map(async (path) => tagOf(await studio.get(path))));
  assert.equal(new Set(tags).size, lists.length);
  for (const [index, tag] of tags.entries()) {
    const next = lists[(index + 1) % lists.length] as string;
    assert.equal((await studio.withTag("GET", next, "if-none-match", tag)).status, 200, next);
  }
});

test("a new client moves the tag of the clients' lists and of no other list", async () => {
  const { studio, lists } = await everyRead();
  const tags = new Map<string, string>();
  for (const path of lists) tags.set(path, tagOf(await studio.get(path)));
  await studio.create({ contactName: "Bia" });
  for (const [path, tag] of tags) {
    const answer = await studio.at(other, "GET", path, { headers: { "if-none-match": tag } });
    if (!path.startsWith("/v1/clients")) assertNotModified(answer, tag, path);
    else {
      assert.equal(answer.status, 200, path);
      assert.notEqual(tagOf(answer), tag, path);
    }
  }
});

test("a change of one client leaves the tag of another as it is, and its own comes back with its content", async () => {
  const studio = await newStudio();
  const [x, y] = [await studio.create(), await studio.create({ contactName: "Bia" })];
  const tag = tagOf(await studio.get(`/v1/clients/${y.id}`));
  await studio.put(x.id, { contactName: "Ana Maria" });
  const answer = await studio.withTag("GET", `/v1/clients/${y.id}`, "if-none-match", tag);
  assertNotModified(answer, tag, "the other client");
});

test("200 changes in a row have 200 tags, and PUT, PATCH and GET show the same one", async () => {
  const studio = await newStudio();
  const { id } = await studio.create();
  const tags = new Set<string>();
  for (let round = 0; round < 200; round++) {
    const contactName = round % 2 === 0 ? "Ana" : "Bia";
    const answer =
      round % 3 === 0
        ? await studio.call("PATCH", `/v1/clients/${id}`, { body: { contactName: `${contactName} P` } })
        : await studio.put(id, { contactName });
    assert.equal(answer.status, 200);
    tags.add(tagOf(answer));
    if (round % 20 === 0) assert.equal(tagOf(await studio.get(`/v1/clients/${id}`)), tagOf(answer));
  }
  assert.equal(tags.size, 200);
});

test("the tag of a record moves with its content though its time does not, as an import may leave it", async () => {
  const studio = await newStudio();
  const { id } = await studio.create();
  const before = await studio.get(`/v1/clients/${id}`);
  await one.db.query(
    {
      name: "",
      lane: "pooled",
      text: `with changed as (
               update clients set notes = 'changed' where organization_id = $1 and id = $2 returning 1
             ) update organization_counters set clients_version = clients_version + 1
               where organization_id = $1 and slot = 3 and exists (select from changed)`,
    },
    [studio.id, id],
  );
  const after = await studio.withTag("GET", `/v1/clients/${id}`, "if-none-match", tagOf(before));
  assert.equal(after.status, 200);
  assert.equal(after.body.updatedAt, before.body.updatedAt);
  assert.notEqual(tagOf(after), tagOf(before));
});

test("of 20 PUTs at once with one tag, at two servers, one is carried out and 19 are refused", async () => {
  const studio = await newStudio();
  const { id } = await studio.create();
  const tag = tagOf(await studio.get(`/v1/clients/${id}`));
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      studio.at(n % 2 ? one : other, "PUT", `/v1/clients/${id}`, {
        body: { contactName: `Ana ${n}` },
        headers: { "if-match": tag },
      }),
    ),
  );
  const [winner, ...more] = answers.filter(({ status }) => status === 200);
  assert.ok(winner);
  assert.deepEqual(more, []);
  assert.equal(answers.filter(({ status }) => status === 412).length, 19);
  const stored = await studio.get(`/v1/clients/${id}`);
  assert.equal(stored.text, winner.text);
  assert.equal(tagOf(stored), tagOf(winner));
});

test("a refused precondition says so in a problem document that nobody keeps, and changes nothing", async () => {
  const studio = await newStudio();
  const { id } = await studio.create();
  const before = await studio.get(`/v1/clients/${id}`);
  const answer = await studio.put(id, { contactName: "Bia" }, { "if-match": '"x"' });
  assert.equal(answer.status, 412);
  const { $schema, type, requestId, ...problem } = answer.body;
  assert.deepEqual(problem, {
    title: "Precondition Failed",
    status: 412,
    code: "precondition_failed",
    detail: "The record is not as you read it. Read it again and repeat your change.",
  });
  assert.equal(answer.headers.get("cache-control"), "no-store");
  assert.equal(answer.headers.get("etag"), null);
  assert.equal((await studio.get(`/v1/clients/${id}`)).text, before.text);
});

test("If-Match compares strongly and If-None-Match weakly, on PUT, PATCH and DELETE", async () => {
  const studio = await newStudio();
  const writes: [method: string, body: object | undefined][] = [
    ["PUT", { contactName: "Bia" }],
    ["PATCH", { contactName: "Bia" }],
    ["DELETE", undefined],
  ];
  for (const [method, body] of writes) {
    const cases: [header: string, value: (tag: string) => string, status: number][] = [
      ["if-match", (tag) => `W/${tag}`, 412],
      ["if-match", () => '"x"', 412],
      ["if-match", (tag) => `"x", ${tag}`, 200],
      ["if-match", () => "*", 200],
      ["if-none-match", (tag) => tag, 412],
      ["if-none-match", (tag) => `W/${tag}`, 412],
      ["if-none-match", () => "*", 412],
      ["if-none-match", () => '"x"', 200],
    ];
    for (const [header, value, status] of cases) {
      const { id } = await studio.create();
      const path = `/v1/clients/${id}`;
      const before = await studio.get(path);
      const headers = { [header]: value(tagOf(before)) };
      const answer = await studio.call(method, path, { headers, ...(body && { body }) });
      const expected = status === 200 && method === "DELETE" ? 204 : status;
      assert.equal(answer.status, expected, `${method} ${JSON.stringify(headers)}`);
      const isChanged = (await studio.get(path)).text !== before.text;
      assert.equal(isChanged, status === 200, `${method} ${JSON.stringify(headers)}`);
    }
  }
});

test("If-Match on a read: 200 for who names what is there, 412 for another, and it is looked at first", async () => {
  const { studio, paths } = await everyRead();
  for (const path of paths) {
    const first = await studio.get(path);
    const tag = tagOf(first);
    for (let round = 0; round < 2; round++) {
      for (const named of [tag, "*"])
        assert.equal((await studio.withTag("GET", path, "if-match", named)).text, first.text, path);
      for (const named of ['"x"', `W/${tag}`])
        assert.equal((await studio.withTag("GET", path, "if-match", named)).status, 412, path);
      const both = { "if-match": '"x"', "if-none-match": tag };
      assert.equal((await studio.call("GET", path, { headers: both })).status, 412, path);
      const agreed = { "if-match": tag, "if-none-match": tag };
      assertNotModified(await studio.call("GET", path, { headers: agreed }), tag, path);
    }
  }
});

test("content that is stored already is answered whatever If-Match says, and an archived client stays archived", async () => {
  const studio = await newStudio();
  const { id } = await studio.create();
  const path = `/v1/clients/${id}`;
  const old = tagOf(await studio.get(path));
  const changed = await studio.put(id, { contactName: "Bia" }, { "if-match": old });
  assert.equal(changed.status, 200);
  const again = await studio.put(id, { contactName: "Bia" }, { "if-match": old });
  assert.equal(again.status, 200);
  assert.equal(again.text, changed.text);
  assert.equal(tagOf(again), tagOf(changed));
  const patched = await studio.call("PATCH", path, {
    body: { contactName: "Bia" },
    headers: { "if-match": old },
  });
  assert.equal(patched.text, changed.text);

  assert.equal((await studio.withTag("DELETE", path, "if-match", tagOf(changed))).status, 204);
  const archived = await studio.get(path);
  assert.equal((await studio.withTag("DELETE", path, "if-match", tagOf(changed))).status, 204);
  assert.equal((await studio.get(path)).text, archived.text);
  // Who demands that there be nothing is told that there is something, changed or not.
  assert.equal((await studio.withTag("DELETE", path, "if-none-match", "*")).status, 412);
  assert.equal((await studio.put(id, { contactName: "Bia" }, { "if-none-match": "*" })).status, 412);
});

test("a condition counts only where the answer without it would be good", async () => {
  const studio = await newStudio();
  const { id } = await studio.create();
  const tag = tagOf(await studio.get("/v1/clients"));
  const unknown = `/v1/clients/${newId()}`;
  const cases: [
    method: string,
    path: string,
    headers: Record<string, string>,
    status: number,
    body?: object,
  ][] = [
    ["GET", "/v1/clients?limit=0", { "if-none-match": "*" }, 422],
    ["GET", "/v1/clients?limit=0", { "if-none-match": tag }, 422],
    ["GET", "/v1/clients?limit=0", { "if-match": '"x"' }, 422],
    ["GET", "/v1/clients/x", { "if-none-match": "*" }, 422],
    ["GET", unknown, { "if-none-match": "*" }, 404],
    ["GET", unknown, { "if-match": "*" }, 404],
    ["PUT", unknown, { "if-match": tag }, 404, { contactName: "Ana" }],
    ["PATCH", unknown, { "if-match": tag }, 404, { contactName: "Ana" }],
    ["DELETE", unknown, { "if-match": tag }, 404],
    ["DELETE", unknown, { "if-none-match": "*" }, 404],
    ["PUT", `/v1/clients/${id}`, { "if-match": '"x"' }, 422, { contactName: 5 }],
    ["PATCH", `/v1/clients/${id}`, { "if-match": '"x"' }, 422, { contactName: 5 }],
    // Found only when the record is there to be merged with: it has no document whose value this could be.
    ["PATCH", `/v1/clients/${id}`, { "if-match": '"x"' }, 422, { idDocument: { value: "1" } }],
    ["GET", "/v1/nothing", { "if-none-match": "*" }, 404],
  ];
  for (const [method, path, headers, status, body] of cases) {
    const answer = await studio.call(method, path, { headers, ...(body && { body }) });
    assert.equal(answer.status, status, `${method} ${path} ${JSON.stringify(headers)}`);
  }
});

test("a precondition is looked at before a conflict", async () => {
  const studio = await newStudio();
  const idDocument = { type: "other", value: "A-1" };
  await studio.create({ idDocument });
  const { id } = await studio.create();
  for (const [method, body] of [
    ["PUT", { contactName: "Bia", idDocument }],
    ["PATCH", { idDocument }],
  ] as const) {
    const path = `/v1/clients/${id}`;
    assert.equal((await studio.call(method, path, { body, headers: { "if-match": '"x"' } })).status, 412);
    assert.equal((await studio.call(method, path, { body, headers: { "if-match": "*" } })).status, 409);
  }
});

test("a header that is no list of tags is 422 at its place, with all other faults, and nothing is done", async () => {
  const studio = await newStudio();
  const { id } = await studio.create();
  const path = `/v1/clients/${id}`;
  const before = await studio.get(path);
  const expected = [{ location: "header.If-Match", message: "must be * or a list of entity tags" }];
  const calls: [method: string, body?: object][] = [
    ["GET"],
    ["PUT", { contactName: "Bia" }],
    ["PATCH", { contactName: "Bia" }],
    ["DELETE"],
  ];
  for (const [method, body] of calls) {
    for (const value of ["x", '"a" "b"', 'w/"a"', "*, *", ""]) {
      // Twice, so that the body is cached.
      for (let round = 0; round < 2; round++) {
        const answer = await studio.call(method, path, {
          headers: { "if-match": value },
          ...(body && { body }),
        });
        assert.equal(answer.status, 422, `${method} ${value}`);
        assert.deepEqual(
          answer.body.errors.map(({ location, message }: Record<string, string>) => ({ location, message })),
          expected,
        );
      }
    }
  }
  assert.equal((await studio.get(path)).text, before.text);
  const answer = await studio.call("GET", "/v1/clients?limit=0", {
    headers: { "if-none-match": "x", "if-match": "y" },
  });
  assert.deepEqual(answer.body.errors.map(({ location }: { location: string }) => location).sort(), [
    "header.If-Match",
    "header.If-None-Match",
    "query.limit",
  ]);
});

test("POST takes no conditions, and answers with tag, Location and Content-Location", async () => {
  const studio = await newStudio();
  for (const headers of [{ "if-none-match": "*" }, { "if-match": '"x"' }, { "if-none-match": "x" }]) {
    const answer = await studio.call("POST", "/v1/clients", { body: { contactName: "Ana" }, headers });
    assert.equal(answer.status, 201);
    const address = `${PUBLIC_URL}/v1/clients/${answer.body.id}`;
    assert.equal(answer.headers.get("location"), address);
    assert.equal(answer.headers.get("content-location"), address);
    assert.equal(answer.headers.get("cache-control"), "no-store");
    const read = await studio.get(`/v1/clients/${answer.body.id}`);
    assert.equal(read.text, answer.text);
    assert.equal(tagOf(read), tagOf(answer));
  }
});

test("PUT and PATCH say where the stored form can be read, DELETE has no tag, and none of them may be kept", async () => {
  const studio = await newStudio();
  const { id } = await studio.create();
  const address = `${PUBLIC_URL}/v1/clients/${id}`;
  for (const method of ["PUT", "PATCH"]) {
    const answer = await studio.call(method, `/v1/clients/${id.toUpperCase()}`, {
      body: { contactName: ` ${method} ` },
    });
    assert.equal(answer.headers.get("content-location"), address);
    assert.equal(answer.headers.get("location"), null);
    assert.equal(answer.headers.get("cache-control"), "no-store");
    assert.equal(answer.headers.get("vary"), null);
    assert.equal(tagOf(await studio.get(`/v1/clients/${id}`)), tagOf(answer));
  }
  const gone = await studio.call("DELETE", `/v1/clients/${id}`);
  assert.equal(gone.headers.get("etag"), null);
  assert.equal(gone.headers.get("cache-control"), "no-store");
});

test("failures have no tag and nobody keeps them", async () => {
  const studio = await newStudio();
  for (const answer of [
    await studio.get("/v1/clients?limit=0"),
    await studio.get(`/v1/clients/${newId()}`),
    await studio.get("/v1/nothing"),
    await studio.call("PATCH", "/v1/clients"),
    await one.call("GET", "/v1/clients"),
    await one.call("GET", "/nothing"),
  ]) {
    assert.ok(answer.status >= 400);
    assert.equal(answer.headers.get("etag"), null);
    assert.equal(answer.headers.get("cache-control"), "no-store");
  }
});

test("times and ranges are no conditions: they are passed over", async () => {
  const { studio, paths } = await everyRead();
  const headers = {
    "if-modified-since": new Date(Date.now() + 3_600_000).toUTCString(),
    "if-unmodified-since": new Date(0).toUTCString(),
    "if-range": '"x"',
    range: "bytes=0-1",
  };
  for (const path of paths) {
    const plain = await studio.get(path);
    const answer = await studio.call("GET", path, { headers });
    assert.equal(answer.status, 200, path);
    assert.equal(answer.text, plain.text, path);
    assert.equal(answer.headers.get("accept-ranges"), null, path);
  }
});

test("equal tags are equal bytes: readers at both servers while others write, at every kind of list", async () => {
  const studio = await newStudio();
  const { id } = await studio.create();
  const bodies = new Map<string, string>();
  const paths = ["/v1/clients", "/v1/clients?status=active", "/v1/clients?query=ana", "/v1/clients?limit=1"];
  let isWriting = true;
  const read = async (api: TestApi, path: string) => {
    let tag = '"none"';
    while (isWriting) {
      const answer = await studio.at(api, "GET", path, { headers: { "if-none-match": tag } });
      if (answer.status === 304) continue;
      tag = tagOf(answer);
      assert.equal(bodies.get(path + tag) ?? answer.text, answer.text, `${path} ${tag}`);
      bodies.set(path + tag, answer.text);
    }
    // What it has last is what is there.
    const last = await studio.at(api, "GET", path, { headers: { "if-none-match": tag } });
    if (last.status === 304) assert.equal(bodies.get(path + tag), (await studio.get(path)).text);
  };
  const write = async () => {
    for (let round = 0; round < 30; round++) await studio.put(id, { contactName: `Ana ${round}` });
    isWriting = false;
  };
  await Promise.all([write(), ...paths.flatMap((path) => [read(one, path), read(other, path)])]);
  assert.ok(bodies.size > paths.length * 3, `${bodies.size} states were seen`);
});

test("304 and 412 have the headers of the rate limit, and count", async () => {
  const api = await startApi({ beside: one, rate: { perMinute: 1, burst: 4 } });
  const studio = await newStudio(api);
  const first = await studio.get("/v1/locations");
  const tag = tagOf(first);
  const second = await studio.withTag("GET", "/v1/locations", "if-none-match", tag);
  assert.equal(second.status, 304);
  assert.equal(second.headers.get("ratelimit-policy"), '"default";q=1;w=60');
  assert.match(second.headers.get("ratelimit") ?? "", /^"default";r=2;t=\d+$/);
  const third = await studio.withTag("GET", "/v1/locations", "if-match", '"x"');
  assert.equal(third.status, 412);
  assert.match(third.headers.get("ratelimit") ?? "", /^"default";r=1;t=\d+$/);
  assert.equal((await studio.withTag("GET", "/v1/locations", "if-none-match", tag)).status, 304);
  const refused = await studio.withTag("GET", "/v1/locations", "if-none-match", tag);
  assert.equal(refused.status, 429);
});

test("a list that has not changed costs the statement of the gate and no other", async () => {
  const names: string[] = [];
  // What is stored of keys once in a while, whoever asks.
  const inBackground = /^(touch_|insert_key_requests$)/;
  const counting = await startApi({
    beside: one,
    disturb: (db) => ({
      ...db,
      query: (statement, values) => {
        names.push(statement.name);
        return db.query(statement, values);
      },
    }),
  });
  const { studio, lists, records } = await everyRead(counting);
  const tags = new Map<string, string>();
  for (const path of [...lists, ...records]) tags.set(path, tagOf(await studio.get(path)));
  const statementsOf = async (work: () => Promise<unknown>) => {
    names.length = 0;
    await work();
    return names.filter((name) => !inBackground.test(name));
  };
  for (const path of lists) {
    const known = await statementsOf(() =>
      studio.withTag("GET", path, "if-none-match", tags.get(path) ?? ""),
    );
    assert.deepEqual(known, ["admit"], path);
  }
  // A record is cached with its tag at the second request.
  for (const path of records) {
    await studio.get(path);
    const known = await statementsOf(() =>
      studio.withTag("GET", path, "if-none-match", tags.get(path) ?? ""),
    );
    assert.deepEqual(known, ["admit"], path);
  }
});

test("with REQUIRE_IF_MATCH a change without If-Match is 428, after what else is wrong, but no archiving is", async () => {
  const strict = await startApi({ beside: one, requireIfMatch: true });
  const studio = await newStudio(strict);
  const { id } = await studio.create();
  const path = `/v1/clients/${id}`;
  const tag = tagOf(await studio.get(path));
  for (const method of ["PUT", "PATCH"]) {
    const call = (body: object, headers: Record<string, string> = {}, at = path) =>
      studio.call(method, at, { body, headers });
    const answer = await call({ contactName: "Bia" });
    assert.equal(answer.status, 428, method);
    assert.equal(answer.body.code, "precondition_required");
    assert.equal(answer.body.detail, "Send If-Match with the ETag that you read.");
    // Also if nothing would change, and if another condition is given.
    assert.equal((await call({ contactName: "Ana" })).status, 428, method);
    assert.equal((await call({ contactName: "Bia" }, { "if-none-match": '"x"' })).status, 428, method);
    assert.equal((await call({ contactName: 5 })).status, 422, method);
    assert.equal((await call({ contactName: "Bia" }, {}, `/v1/clients/${newId()}`)).status, 404, method);
    assert.equal((await call({ contactName: "Bia" }, { "if-match": '"x"' })).status, 412, method);
  }
  assert.equal((await studio.put(id, { contactName: "Bia" }, { "if-match": tag })).status, 200);
  assert.equal((await studio.put(id, { contactName: "Cid" }, { "if-match": "*" })).status, 200);
  assert.equal((await studio.call("DELETE", path)).status, 204);
});

test("HEAD of an open document is GET without its body: 200 has its length, 304 has none", async () => {
  const paths = ["/openapi.json", "/openapi.yaml", "/schemas/Client.json", "/docs", "/docs/docs.js"];
  for (const path of paths) {
    const whole = await one.call("GET", path);
    const head = await one.call("HEAD", path);
    const lengths = [whole, head].map(({ headers }) => headers.get("content-length"));
    assert.deepEqual([head.status, head.text, lengths[1]], [200, "", lengths[0]], path);
    const headers = { "if-none-match": whole.headers.get("etag") ?? "" };
    for (const method of ["GET", "HEAD"]) {
      const known = await one.call(method, path, { headers });
      assert.deepEqual([known.status, known.headers.get("content-length")], [304, null], path);
      assert.equal(known.headers.get("etag"), whole.headers.get("etag"));
    }
  }
});
