import assert from "node:assert/strict";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import type { Database } from "../../src/db/database.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import { pooled } from "../../src/db/statements.ts";
import { KeyUsage } from "../../src/domain/keys/key-usage.ts";
import { RequestRecorder } from "../../src/domain/keys/request-recorder.ts";
import { insertRequests, listRequests, trimRequests } from "../../src/domain/keys/request-rows.ts";
import type { KeyRequest } from "../../src/domain/keys/schema.ts";
import { startApi, type TestOrganization } from "../support/api.ts";
import { newId } from "../support/ids.ts";
import { until } from "../support/poll.ts";
import { databaseUrl } from "../support/processes.ts";
import { newStaff } from "../support/staff.ts";
import { assertEnded, jsonIn, runIn } from "../support/terminal.ts";

const api = await startApi();
const beside = await startApi({ beside: api });
const limited = await startApi({ beside: api, rate: { perMinute: 1, burst: 1 } });
const environment = { DATABASE_URL: databaseUrl(api.store.connection), KEY_SECRET: api.keySecret };

/** What is kept of an organization's keys, as soon as it is so much. */
async function kept({ id, keyId }: TestOrganization, count: number): Promise<KeyRequest[]> {
  return until(`${count} requests are stored`, async () => {
    const { data } = await listRequests(api.db, id, { now: Date.now(), keyId });
    return data.length >= count && data;
  });
}

const brief = ({ operation, status, code, reason, errors }: KeyRequest) =>
  [
    operation,
    status,
    code,
    reason,
    ...(errors ?? []).map((fault) => `${fault.location} ${fault.code}`),
  ].filter((part) => part !== undefined);

test("a request with a key is kept with its operation, its status and what was wrong where, and with no value", async () => {
  const studio = await api.newOrganization();
  const secret = "joao.secreto@example.com";
  await studio.get("/v1/organization");
  await studio.get(`/v1/clients/${newId()}`);
  await studio.get(`/v1/clients?query=${secret}&${secret}=1`);
  const body = {
    contactName: "João Secreto",
    contactEmail: `${secret}@@`,
    [secret]: 1,
    idDocument: { type: "cpf", value: "11111111111" },
  };
  const refused = await studio.call("POST", "/v1/clients", { body });
  assert.equal(refused.status, 422);
  const data = await kept(studio, 4);
  assert.deepEqual(
    data.map(brief).sort(),
    [
      ["createClient", 422, "invalid", "values_invalid", ...errorsOf(data, "createClient")],
      ["getClient", 404, "not_found", "no_client"],
      ["getOrganization", 200],
      ["listClients", 422, "invalid", "values_invalid", "query unknown_parameter"],
    ].sort(),
  );
  const places = errorsOf(data, "createClient");
  for (const place of [
    "body unknown_member",
    "body.contactEmail email_invalid",
    "body.idDocument.value cpf_invalid",
  ])
    assert.ok(places.includes(place), `${place} is one of ${places}`);
  const failed = data.find(({ operation }) => operation === "createClient");
  assert.equal(failed?.requestId, refused.headers.get("x-request-id"));
  assert.ok(Math.abs(Date.parse(failed?.at ?? "") - (await api.db.now())) < 600_000);
  const [stored] = await api.db.query<{ text: string }>(
    pooled(
      "test_all_requests",
      "select string_agg(entries::text, ' ') as text from key_requests where organization_id = $1",
    ),
    [studio.id],
  );
  assert.match(stored?.text ?? "", /createClient/);
  assert.doesNotMatch(stored?.text ?? "", /secret|João|111/i);
});

const errorsOf = (data: readonly KeyRequest[], name: string) =>
  (data.find(({ operation }) => operation === name)?.errors ?? []).map(
    ({ location, code }) => `${location} ${code}`,
  );

test("owners read it under the key, all of it or what failed; nobody else does, and no other organization", async () => {
  const [studio, other] = [await api.newOrganization(), await api.newOrganization()];
  const [owner, manager, stranger] = [
    await newStaff(api, studio.id),
    await newStaff(api, studio.id, { role: "manager" }),
    await newStaff(api, other.id),
  ];
  await studio.get("/v1/organization");
  await studio.get("/v1/organization?nothing=1");
  await kept(studio, 2);
  const path = `keys/${studio.keyId}/requests`;
  const all = await owner.read(path);
  assert.deepEqual(all.body.data.map(({ status }: KeyRequest) => status).sort(), [200, 422]);
  assert.equal(all.body.leftOut, 0);
  const failed = await owner.read(`${path}?show=failed`);
  assert.deepEqual(
    failed.body.data.map(({ status }: KeyRequest) => status),
    [422],
  );
  assert.equal((await manager.read(path)).status, 403);
  assert.equal((await stranger.read(path)).status, 404);
});

test("a known key that is refused for its rate is told of, one that nobody knows is not", async () => {
  const studio = await api.newOrganization();
  const get = (key: string) =>
    fetch(`${limited.url}/v1/organization`, { headers: { authorization: `Bearer ${key}` } });
  assert.deepEqual([(await get(studio.key)).status, (await get(studio.key)).status], [200, 429]);
  assert.equal((await get("rbk_unknown")).status, 401);
  const data = await kept(studio, 2);
  assert.deepEqual(data.map(brief).sort(), [
    ["getOrganization", 200],
    ["getOrganization", 429, "rate_limited", "rate_exceeded"],
  ]);
});

test("pages lead to every request once, whatever several servers have stored, and newer ones move nothing", async () => {
  const studio = await api.newOrganization();
  const ids = Array.from({ length: 230 }, (_, number) => `page-${number}`);
  const ask = async (requestId: string, url: string) =>
    void (await fetch(`${url}/v1/organization${requestId.endsWith("0") ? "?nothing=1" : ""}`, {
      headers: { authorization: `Bearer ${studio.key}`, "x-request-id": requestId },
    }).then((answer) => answer.text()));
  for (let from = 0; from < ids.length; from += 46) {
    const some = ids.slice(from, from + 46);
    await Promise.all(some.map((id, place) => ask(id, (place % 2 === 0 ? api : beside).url)));
    await until("they are stored", async () => (await readAll(studio)).length === from + 46);
  }
  const seen = await readAll(studio, async (page) => {
    if (page === 1) await studio.get("/v1/locations");
  });
  assert.deepEqual(seen.map(({ requestId }) => requestId).sort(), [...ids].sort());
  const failures = await readAll(studio, async () => {}, true);
  assert.equal(failures.length, ids.filter((id) => id.endsWith("0")).length);
});

async function readAll(
  { id, keyId }: TestOrganization,
  between: (page: number) => Promise<void> = async () => {},
  failed?: true,
): Promise<KeyRequest[]> {
  const found: KeyRequest[] = [];
  let cursor: string | undefined;
  for (let page = 1; ; page++) {
    const { data, nextCursor } = await listRequests(api.db, id, { now: Date.now(), keyId, cursor, failed });
    found.push(...data);
    if (nextCursor === undefined) return found;
    cursor = nextCursor;
    await between(page);
  }
}

const NEVER_MS = 86_400_000;
const packed = (requestId: string) => [Date.now(), "getOrganization", 200, 1, requestId] as const;

test("of a busy key not all requests are kept in one second, what failed is kept beside, and what is left out is counted", async () => {
  const studio = await api.newOrganization();
  const recorder = new RequestRecorder(api.db, assert.ifError, NEVER_MS);
  const owner = { keyId: studio.keyId, organizationId: studio.id };
  for (let number = 0; number < 350; number++)
    recorder.add(owner, number % 100 === 99, () => packed(`busy-${number}`));
  await recorder.stop();
  assert.equal((await readAll(studio)).length, 103);
  assert.equal(
    (await listRequests(api.db, studio.id, { now: Date.now(), keyId: studio.keyId, failed: false })).leftOut,
    247,
  );
  assert.equal(
    (await listRequests(api.db, studio.id, { now: Date.now(), keyId: studio.keyId, failed: true })).data
      .length,
    3,
  );
});

const sumsStatement = pooled(
  "test_sum_requests",
  `select count(*) as rows, coalesce(sum(kept), 0) as kept, coalesce(sum(left_out), 0) as "leftOut"
   from key_requests where organization_id = $1`,
);
const sums = async (id: string) => (await api.db.query<object>(sumsStatement, [id]))[0];
const newOwners = (organizationId: string, count: number) =>
  Array.from({ length: count }, () => ({ keyId: newId(), organizationId }));

test("of very many keys each has its turn within seconds, and a stop stores them all", async () => {
  const { id: organizationId } = await api.newOrganization();
  const recorder = new RequestRecorder(api.db, assert.ifError, NEVER_MS);
  const owners = newOwners(organizationId, 700);
  for (const round of [1, 2]) {
    for (const owner of owners) recorder.add(owner, false, () => packed(newId()));
    await recorder.store();
    assert.deepEqual(await sums(organizationId), {
      rows: 100 * round,
      // The first of the second round had waited for the first.
      kept: round === 1 ? 100 : 100 + 200,
      leftOut: 0,
    });
  }
  await recorder.stop();
  assert.deepEqual(await sums(organizationId), { rows: 800, kept: 1_400, leftOut: 0 });
});

test("what cannot be stored is kept for later within bounds, and stored once", async () => {
  const { id: organizationId } = await api.newOrganization();
  let isBroken = true;
  const disturbed: Database = {
    ...api.db,
    query: async (statement, values) => {
      // The statement is carried out, and nobody hears of it.
      const rows = await api.db.query(statement, values);
      if (isBroken) throw new Error("cut off");
      return rows as never;
    },
  };
  const failures: unknown[] = [];
  const recorder = new RequestRecorder(disturbed, (error) => failures.push(error), NEVER_MS);
  const owners = newOwners(organizationId, 250);
  for (let round = 0; round < 2; round++) {
    for (const owner of owners)
      for (let number = 0; number < 100; number++) recorder.add(owner, false, () => packed(newId()));
    await recorder.store();
  }
  assert.equal(failures.length, 2);
  isBroken = false;
  await recorder.stop();
  assert.deepEqual(await sums(organizationId), { rows: 350, kept: 2_000, leftOut: 48_000 });
});

test("an organization that has used up its share of the connections keeps nothing of the others from being stored", async (t) => {
  const db = openDatabase({
    ...{
      connection: api.store.connection,
      applicationName: "test saturated",
      poolSize: 4,
      queueTimeoutMs: 500,
    },
  });
  t.after(() => db.close());
  const [busy, other] = [await api.newOrganization(), await api.newOrganization()];
  const recorder = new RequestRecorder(db, assert.ifError, NEVER_MS);
  const usage = new KeyUsage(db, assert.ifError, NEVER_MS);
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  // Two of three connections are its share.
  let held = 0;
  const work = Array.from({ length: 2 }, () =>
    db.for(busy.id).transaction(async (tx) => {
      await tx.now();
      held++;
      await ended;
    }),
  );
  await until("its share is used up", async () => held === 2);
  try {
    await assert.rejects(db.for(busy.id).query(sumsStatement, [busy.id]), { kind: "unavailable" });
    for (const { id: organizationId, keyId } of [busy, other]) {
      recorder.add({ keyId, organizationId }, false, () => packed(newId()));
      usage.count({ keyId, organizationId, timezone: "UTC", now: Date.now() }, 1, 0);
    }
    await Promise.all([recorder.stop(), usage.stop()]);
    for (const { id } of [busy, other]) {
      assert.deepEqual(await sums(id), { rows: 1, kept: 1, leftOut: 0 });
      assert.deepEqual(await api.db.query(usedStatement, [id]), [{ requests: 1 }]);
    }
  } finally {
    end();
    await Promise.all(work);
  }
});

const usedStatement = pooled("test_key_use", "select requests from key_usage where organization_id = $1");

test("rows of which nothing is kept do not end the list while there are older ones", async () => {
  const now = Date.now();
  for (const { shape, requests } of [
    // As the bound on all keys of a round leaves them: one row in three has a request.
    { shape: (place: number) => (place % 3 === 0 ? 1 : 0), requests: 100 },
    // Nothing at all in the newest ones.
    { shape: (place: number) => (place < 40 ? 1 : 0), requests: 40 },
    // A page ends with its hundredth request, and what comes after it is empty.
    { shape: (place: number) => (place >= 200 ? 1 : 0), requests: 100 },
  ]) {
    const studio = await api.newOrganization();
    const rows = Array.from({ length: 300 }, (_, place) => {
      const kept = shape(place);
      return {
        ...{ organizationId: studio.id, keyId: studio.keyId, failed: place % 2 === 0, kept, leftOut: 1 },
        id: `01900000-0000-7000-8000-000000000${String(place).padStart(3, "0")}`,
        entries: kept === 0 ? [] : [packed(`row-${place}`)],
      };
    });
    await insertRequests(api.db, rows, now);
    const found = await readAll(studio);
    assert.equal(found.length, requests);
    assert.equal(new Set(found.map(({ requestId }) => requestId)).size, requests);
  }
});

test("the newest requests of a key are kept, and its failures apart from the others", async () => {
  const studio = await api.newOrganization();
  const now = Date.now();
  const row = (failed: boolean, place: number) => ({
    ...{ organizationId: studio.id, keyId: studio.keyId, failed, kept: 2, leftOut: 0 },
    id: `0190000${place}-0000-7000-8000-00000000000${failed ? 1 : 2}`,
    entries: [0, 1].map((number) => packed(`${failed ? "failed" : "other"}-${place}-${number}`)),
  });
  const rows = [0, 1, 2, 3].flatMap((place) => [row(true, place), row(false, place)]);
  await insertRequests(api.db, rows, now);
  await trimRequests(api.db, { organizationId: studio.id, keyId: studio.keyId, failed: false }, 5);
  const { data } = await listRequests(api.db, studio.id, { now: Date.now(), keyId: studio.keyId });
  assert.deepEqual(
    data
      .map(({ requestId }) => requestId)
      .filter((id) => id.startsWith("other"))
      .sort(),
    ["other-2-0", "other-2-1", "other-3-0", "other-3-1"],
  );
  assert.equal(data.length, 4 + 8);
});

test("the command line lists at most as many as are wanted, and its cursors lead to each request once", async () => {
  const studio = await api.newOrganization();
  const now = Date.now();
  const row = (failed: boolean, place: number) => ({
    ...{ organizationId: studio.id, keyId: studio.keyId, failed, kept: 60, leftOut: 1 },
    id: `0190000${place}-0000-7000-8000-00000000000${failed ? 1 : 2}`,
    entries: Array.from({ length: 60 }, (_, number) => {
      const requestId = `${failed}-${place}-${number}`;
      return [now - 9_000 + place * 1_000 + number, "getPlan", number % 2 ? 404 : 200, 1, requestId] as const;
    }),
  });
  await insertRequests(api.db, [row(true, 1), row(false, 1), row(false, 2)], now);
  const list = (...flags: string[]) => runIn(environment, "requests", "--org", studio.id, "--json", ...flags);
  for (const { flags, limit, pages } of [
    { flags: [], limit: 53, pages: [53, 53, 53, 21] },
    { flags: ["--status", "200"], limit: 45, pages: [45, 45] },
    { flags: ["--failed"], limit: 60, pages: [60] },
  ]) {
    const counts: number[] = [];
    const seen: string[] = [];
    let leftOut = 0;
    for (let after: string[] = []; counts.length < 9; ) {
      const { code, stdout, stderr } = await list("--limit", String(limit), ...flags, ...after);
      assert.equal(code, 0, stderr);
      const page = JSON.parse(stdout);
      counts.push(page.data.length);
      seen.push(...page.data.map(({ requestId }: KeyRequest) => requestId));
      leftOut += page.leftOut;
      if (page.nextCursor === undefined) break;
      after = ["--after", page.nextCursor];
    }
    assert.deepEqual(counts, pages);
    assert.equal(new Set(seen).size, seen.length);
    assert.equal(leftOut, flags[0] === "--failed" ? 1 : 3);
  }
  const { stdout } = await list("--limit", "1");
  assert.equal(JSON.parse(stdout).data[0].requestId, "false-2-59");
  const { stderr } = await runIn(environment, "requests", "--org", studio.id, "--limit", "1");
  assert.match(stderr, /There are more: --after 01900002-0000-7000-8000-000000000002\.1\n/);
  assertEnded(await list("--after", newId()), 2, /--after must be a nextCursor/);
  assertEnded(await list("--since", "tomorrow"), 2, /--since must be an age such as 2h, a date/);
});

test("a tool of an assistant is told of as the operations that it has called", async () => {
  const studio = await api.newOrganization();
  const message = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "listClients", arguments: { status: "active" } },
  };
  const answer = await studio.call("POST", "/mcp", {
    body: message,
    headers: { accept: "application/json, text/event-stream", "x-request-id": "asked-by-tool" },
  });
  assert.equal(answer.status, 200, answer.text);
  const data = (await kept(studio, 2)).filter(({ requestId }) => requestId === "asked-by-tool");
  assert.deepEqual(data.map(({ operation, status }) => [operation, status]).sort(), [
    ["listClients", 200],
    ["mcp", 200],
  ]);
});

test("a tool that is refused for its arguments is kept with what was wrong where, and so is a dry run that is", async () => {
  const studio = await api.newOrganization();
  const call = async (door: string, name: string, args: object) => {
    const answer = await studio.call("POST", door, {
      body: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } },
      headers: { accept: "application/json, text/event-stream" },
    });
    return answer.body.result.structuredContent.requestId as string;
  };
  const asked = [
    await call("/mcp", "listClients", { query: "x", limit: 999, foo: 1 }),
    await call("/mcp/write", "updateClient", { id: newId(), set: { contactName: null }, dryRun: true }),
    await call("/mcp/write", "updateClient", { id: newId(), set: { contactName: "Ana" }, dryRun: true }),
  ];
  const data = await kept(studio, 6);
  assert.deepEqual(
    asked.map((id) => data.filter(({ requestId, status }) => requestId === id && status >= 400).map(brief)),
    [
      [
        [
          "listClients",
          422,
          "invalid",
          "values_invalid",
          "arguments unknown_member",
          "arguments.limit above_maximum",
        ],
      ],
      [["updateClient", 422, "invalid", "values_invalid", "arguments.set.contactName required"]],
      [["patchClient", 404, "not_found", "no_client"]],
    ],
  );
});

test("a caller who leaves in the middle of a body is told apart from one whose HTTP cannot be read", async () => {
  const studio = await api.newOrganization();
  const { hostname, port } = new URL(api.url);
  const socket = connect(Number(port), hostname);
  const headers = `Host: a\r\nAuthorization: Bearer ${studio.key}\r\nContent-Type: application/json`;
  const answered = text(socket);
  socket.end(`POST /v1/clients HTTP/1.1\r\n${headers}\r\nContent-Length: 100\r\n\r\n{`);
  assert.match(await answered, /^HTTP\/1\.1 400 .*"detail":"The connection was closed/s);
  const [left] = await kept(studio, 1);
  assert.deepEqual(left && brief(left), ["createClient", 400, "malformed", "caller_left"]);
});

test("what is older than seven days is not shown, whether or not it has been removed yet", async () => {
  const studio = await api.newOrganization();
  const requestId = `old-${studio.id}`;
  const before = Date.now() - 8 * 86_400_000;
  const row = {
    ...{ organizationId: studio.id, keyId: studio.keyId, failed: false, kept: 25, leftOut: 0, id: newId() },
    entries: Array.from({ length: 25 }, () => packed(requestId)),
  };
  await insertRequests(api.db, [row], before);
  assert.deepEqual(
    (await listRequests(api.db, studio.id, { now: Date.now(), keyId: studio.keyId })).data,
    [],
  );
  assert.equal((await runIn(environment, "explain", requestId)).code, 1);
  // Of one id that was sent again and again the last ones.
  await insertRequests(api.db, [{ ...row, id: newId() }], Date.now());
  assert.equal((await jsonIn(environment, "explain", requestId)).data.length, 20);
});

test("the command line lists them, and explains one by its id in plain words", async () => {
  const studio = await api.newOrganization({ name: "Studio Norte" });
  const headers = { "x-request-id": `wrong-${studio.id}` };
  await studio.call("POST", "/v1/clients", { body: { contactEmail: "nobody" }, headers });
  const body = { contactName: 5, locationIds: "x", nmae: 1 };
  await studio.call("POST", "/v1/clients", { body, headers });
  await studio.get("/v1/organization");
  const requests = await until("they are stored", async () => {
    const listed = await jsonIn(environment, "requests", "--org", studio.id);
    return listed.data.length === 3 && listed.data;
  });
  const listed = async (...flags: string[]) =>
    (await jsonIn(environment, "requests", "--org", studio.id, ...flags)).data.length;
  assert.deepEqual(
    [
      await listed("--failed"),
      await listed("--status", "422"),
      await listed("--status", "200"),
      await listed("--key", studio.keyId),
      await listed("--key", newId()),
      await listed("--since", "1h"),
      await listed("--since", "2999-01-01"),
    ],
    [2, 2, 1, 3, 0, 3, 0],
  );
  const { stdout } = await runIn(environment, "requests", "--org", studio.id, "--failed");
  assert.match(stdout, /^AT +KEY +OPERATION +STATUS +WHAT WAS WRONG +MS +REQUEST ID\n/);
  assert.match(stdout, /createClient +422 +invalid, .*body\.contactEmail email_invalid/);

  const explained = await runIn(environment, "explain", headers["x-request-id"]);
  assert.equal(explained.code, 0);
  const paragraphs = explained.stdout.trimEnd().split("\n\n");
  assert.equal(paragraphs.length, 2);
  const paragraph =
    paragraphs.find((one) => one.includes("contactEmail email")) ??
    paragraphs.find((one) => one.includes("email_invalid")) ??
    "";
  assert.match(
    paragraph,
    /^On \d{4}-\d\d-\d\d at \d\d:\d\d:\d\d\.\d{3} UTC, createClient was called with the key [0-9a-f-]{36} of Studio Norte\. It was refused with 422 Unprocessable Entity \(invalid\) after \d+ ms\. /,
  );
  assert.match(paragraph, /body\.contactEmail .+ \(email_invalid\)\./);
  assert.match(paragraph, /What to do: /);
  const other = paragraphs.find((one) => one !== paragraph) ?? "";
  for (const place of ["body.contactName", "body.locationIds"])
    assert.ok(other.includes(`${place} is of another type than the schema asks for (wrong_type).`), other);
  assert.match(other, /body has a member that is not known \(its name is not kept\) \(unknown_member\)\./);
  const found = requests.find(({ status }: KeyRequest) => status === 200);
  assert.match(
    (await runIn(environment, "explain", found.requestId)).stdout,
    /It was answered with 200 after \d+ ms\.\n$/,
  );
  assertEnded(await runIn(environment, "explain", newId()), 1, /No request of the last 7 days has this id/);
  assertEnded(await runIn(environment, "requests", "--org", newId()), 1, /organization/);
});
