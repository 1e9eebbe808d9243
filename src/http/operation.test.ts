import assert from "node:assert/strict";
import { test } from "node:test";
import { validate } from "@scalar/openapi-parser";
import fastify from "fastify";
import Type from "typebox";
import { ClockReading } from "../core/clock.ts";
import type { DataClass } from "../core/data-snapshot.ts";
import { AppError, type Fault, invalid, refusal } from "../core/errors.ts";
import { Body } from "../core/fields.ts";
import type { KeyedAnswer } from "../core/stored-answer.ts";
import type { Database } from "../db/database.ts";
import type { AboutApi } from "./about-api.ts";
import { ResponseCache } from "./cache.ts";
import { type Caller, versionOf } from "./caller.ts";
import type { OperationScope } from "./declaration.ts";
import { DownloadLimiter } from "./downloads.ts";
import { Idempotency, type IdempotencyPolicy } from "./idempotency.ts";
import { KEY_REUSED } from "./idempotency-key.ts";
import { LongAnswers } from "./long-answers.ts";
import { newDocument } from "./openapi.ts";
import { operation } from "./operation.ts";
import { problemReply } from "./problem.ts";
import { registerDocument } from "./publishing.ts";
import { Sender } from "./sending.ts";
import { StallGuard } from "./stalls.ts";
import { UploadLimiter } from "./uploads.ts";

/** A second kind of caller, whom another gate lets in. */
interface Colleague extends Caller {
  readonly name: string;
}

const HOST = "https://studio.example";
const Greeting = Body("Greeting", { text: Type.String() }, { examples: [{ text: "Welcome." }] });

const GUESTS: AboutApi = {
  title: "Greetings for guests",
  version: "1.2.3",
  summary: "Greets guests.",
  description: "Whoever has a key is greeted.",
  page: "/docs",
  security: {
    name: "key",
    scheme: { type: "http", scheme: "bearer" },
    header: "Authorization",
    challenge: "Bearer",
  },
  tags: { Greetings: "What guests read." },
  errors: ["unauthorized", "rate_limited"],
  faults: ["shape"],
  facts: {},
  causes: { unauthorized: "There is no such key." },
};

const STAFF: AboutApi = {
  title: "Greetings for the staff",
  version: "4.5.6",
  summary: "Greets the staff.",
  description: "Whoever has signed in is greeted.",
  page: "/app",
  security: { name: "signIn", scheme: { type: "apiKey", in: "cookie", name: "sign-in" }, header: "Cookie" },
  tags: { Greetings: "What the staff read." },
  errors: ["unauthorized", "forbidden"],
  faults: ["shape"],
  facts: {},
  causes: { unauthorized: "Nobody has signed in." },
};

test("operations of two scopes on one server have each their own gate, callers and document", async () => {
  const { app, open } = newServer();
  const guests = open("", GUESTS, () => caller());
  const staff = open("/app", STAFF, (cookie): Colleague | undefined =>
    cookie === "ana" ? { ...caller(), name: "Ana" } : undefined,
  );
  operation(guests, {
    ...described("greet", "/v1/greeting"),
    handle: async () => ({ text: "Welcome." }),
  });
  operation(staff, {
    ...described("greetColleague", "/app/v1/greeting"),
    handle: async ({ caller: { name } }) => ({ text: `Good morning, ${name}.` }),
  });

  const asGuest = await app.inject({ url: "/v1/greeting" });
  assert.deepEqual(asGuest.json(), { $schema: `${HOST}/schemas/Greeting.json`, text: "Welcome." });
  const asColleague = await app.inject({ url: "/app/v1/greeting", headers: { cookie: "ana" } });
  assert.deepEqual(asColleague.json(), {
    $schema: `${HOST}/app/schemas/Greeting.json`,
    text: "Good morning, Ana.",
  });
  assert.equal((await app.inject({ url: "/app/v1/greeting" })).statusCode, 401);
  assert.deepEqual(
    [guests, staff].map(({ document }) => document.operations.map(({ operationId }) => operationId)),
    [["greet"], ["greetColleague"]],
  );
});

test("each scope publishes a valid OpenAPI document with its own operations, security and failures", async () => {
  const { app, open } = newServer();
  const guests = open("", GUESTS, () => caller());
  const staff = open("/app", STAFF, () => undefined);
  const handle = async () => ({ text: "Welcome." });
  operation(guests, { ...described("greet", "/v1/greeting"), handle });
  operation(staff, { ...described("greetColleague", "/app/v1/greeting"), handle });
  for (const { document } of [guests, staff]) registerDocument(app, document);

  const published = async (address: string) => {
    const document = (await app.inject({ url: address })).json();
    const { valid, errors } = await validate(structuredClone(document));
    assert.ok(valid, JSON.stringify(errors));
    return document;
  };
  const forGuests = await published("/openapi.json");
  const forStaff = await published("/app/openapi.json");
  const expected = [
    {
      document: forGuests,
      about: GUESTS,
      path: "/v1/greeting",
      statuses: ["200", "401", "406", "422", "429"],
    },
    {
      document: forStaff,
      about: STAFF,
      path: "/app/v1/greeting",
      statuses: ["200", "401", "403", "406", "422"],
    },
  ];
  for (const { document, about, path, statuses } of expected) {
    const { title, version, summary, description, contact } = document.info;
    assert.deepEqual(
      { title, version, summary, description, url: contact.url },
      {
        title: about.title,
        version: about.version,
        summary: about.summary,
        description: about.description,
        url: HOST + about.page,
      },
    );
    assert.deepEqual(document.security, [{ [about.security.name]: [] }]);
    assert.deepEqual(document.components.securitySchemes, { [about.security.name]: about.security.scheme });
    assert.deepEqual(document.tags, [{ name: "Greetings", description: about.tags.Greetings }]);
    assert.deepEqual(Object.keys(document.paths), [path]);
    const { responses } = document.paths[path].get;
    assert.deepEqual(Object.keys(responses), statuses);
    assert.equal(responses[401].description, about.causes.unauthorized);
    assert.equal("WWW-Authenticate" in responses[401].headers, about.security.challenge !== undefined);
    assert.equal("RateLimit" in responses[200].headers, about.errors.includes("rate_limited"));
  }
  const schema = (await app.inject({ url: "/app/schemas/Greeting.json" })).json();
  assert.equal(schema.$id, `${HOST}/app/schemas/Greeting.json`);
  assert.equal((await app.inject({ url: "/app/openapi.yaml" })).statusCode, 200);
});

const freshness: { reads: DataClass[] | undefined; moved: DataClass; computed: number }[] = [
  { reads: ["catalog"], moved: "catalog", computed: 3 },
  { reads: ["catalog"], moved: "clients", computed: 2 },
  { reads: ["clients"], moved: "clients", computed: 3 },
  { reads: ["catalog", "clients"], moved: "catalog", computed: 3 },
  { reads: ["catalog", "clients"], moved: "clients", computed: 3 },
  { reads: undefined, moved: "catalog", computed: 6 },
];
for (const { reads, moved, computed } of freshness) {
  test(`an answer made of ${reads?.join(" and ") ?? "nothing named"} when ${moved} moves is computed ${computed} of 6 times`, async () => {
    const { app, open } = newServer();
    const versions = { catalog: 1, clients: 1, contracts: 1, sessions: 1 };
    const scope = open("", GUESTS, () => caller(versions));
    let count = 0;
    operation(scope, {
      ...described("greet", "/greeting"),
      ...(reads && { reads }),
      handle: async () => ({ text: `${++count}` }),
    });
    // An address is remembered when it is asked for first, its answer kept from the second time on.
    for (let n = 0; n < 3; n++) await app.inject({ url: "/greeting" });
    versions[moved]++;
    for (let n = 0; n < 3; n++) await app.inject({ url: "/greeting" });
    assert.equal(count, computed);
  });
}

test("the version of several classes moves when any of them does", () => {
  const before = versionOf(caller({ catalog: 3, clients: 4 }), ["catalog", "clients"]);
  assert.notEqual(versionOf(caller({ catalog: 4, clients: 4 }), ["catalog", "clients"]), before);
  assert.notEqual(versionOf(caller({ catalog: 3, clients: 5 }), ["catalog", "clients"]), before);
  assert.equal(
    versionOf(caller({ catalog: 3, clients: 5 }), ["catalog"]),
    versionOf(caller({ catalog: 3, clients: 4 }), ["catalog"]),
  );
});

test("whether a write must have a key, and what is said to a key that is used for another one, is the scope's to say", async () => {
  const { app, open } = newServer();
  const staff = open("/app", STAFF, () => caller(), {
    ...publicPolicy(),
    isRequired: true,
    reused: () => refusal("key_reused"),
  });
  const guests = open("", GUESTS, () => caller(), publicPolicy());
  let count = 0;
  for (const [scope, path] of [
    [guests, "/v1/greeting"],
    [staff, "/app/v1/greeting"],
  ] as const) {
    operation(scope, {
      ...described("write", path),
      method: "POST",
      body: { schema: Type.Object({ n: Type.Integer() }), description: "", example: { n: 1 } },
      handle: async ({ body: { n } }) => ({ text: `${n} ${++count}` }),
    });
  }
  const post = (url: string, n: number, key?: string) =>
    app.inject({
      method: "POST",
      url,
      headers: { "content-type": "application/json", ...(key !== undefined && { "idempotency-key": key }) },
      payload: JSON.stringify({ n }),
    });
  const texts = async (url: string, key: string | undefined) => [
    (await post(url, 1, key)).json().text,
    (await post(url, 1, key)).json().text,
  ];
  assert.deepEqual(await texts("/v1/greeting", undefined), ["1 1", "1 2"]);
  assert.deepEqual(await texts("/v1/greeting", "a"), ["1 3", "1 3"]);
  assert.deepEqual(await texts("/app/v1/greeting", "a"), ["1 4", "1 4"]);
  assert.equal((await post("/v1/greeting", 2, "a")).statusCode, 422);
  const reused = await post("/app/v1/greeting", 2, "a");
  assert.deepEqual(
    [reused.statusCode, reused.json().code, reused.json().reason],
    [409, "conflict", "key_reused"],
  );
  const without = await post("/app/v1/greeting", 2);
  assert.equal(without.statusCode, 422);
  assert.deepEqual(
    without.json().errors.map(({ location, code }: Fault) => [location, code]),
    [["header.Idempotency-Key", "required"]],
  );
  assert.equal(count, 4);
});

test("the long answer of a write whose text is not stored is sent in pieces, and the same again", async () => {
  const { app, open } = newServer();
  const staff = open("/app", STAFF, (cookie) => (cookie ? { ...caller(), name: "Carla" } : undefined));
  const Words = Body("Words", { words: Type.Array(Type.String()) }, { examples: [{ words: ["a"] }] });
  const words = Array.from({ length: 300 }, (_, index) => `${index} ${"w".repeat(1_000)}`);
  operation(staff, {
    ...described("sayMuch", "/app/v1/words"),
    method: "POST",
    body: { schema: Type.Object({ count: Type.Integer() }), description: "", example: { count: 1 } },
    answer: { status: 200, description: "", schema: Words },
    repeat: {
      sourceOf: ({ words: { length } }) => ({ auditId: "", result: length }),
      answer: async ({ result }) => ({ words: words.slice(0, result as number) }),
    },
    handle: async ({ body: { count } }) => ({ words: words.slice(0, count) }),
  });
  const post = (count: number) =>
    app.inject({
      method: "POST",
      url: "/app/v1/words",
      headers: { cookie: "a", "content-type": "application/json", "idempotency-key": `key-${count}` },
      payload: JSON.stringify({ count }),
    });
  for (const count of [1, 300]) {
    for (const time of ["first", "again"]) {
      const { statusCode, headers, json } = await post(count);
      assert.deepEqual([statusCode, json().words.join() === words.slice(0, count).join()], [200, true], time);
      assert.equal(headers["content-length"] === undefined, count === 300, time);
    }
  }
});

/** Keeps answers as a database would, for one process. */
function publicPolicy(): IdempotencyPolicy {
  const stored = new Map<string, KeyedAnswer>();
  return {
    isRequired: false,
    isPersonal: false,
    patienceMs: 1_000,
    reused: () => invalid([KEY_REUSED]),
    answers: {
      claim: async (_tx, { key }) => (stored.has(key) ? "taken" : "claimed"),
      store: async (_tx, answer) => void stored.set(answer.claim.key, answer),
      find: async (_db, { key }) => {
        const answer = stored.get(key);
        return answer && { ...answer, fingerprint: answer.claim.fingerprint };
      },
    },
  };
}

const unasked = () => Promise.reject(new Error("nothing is asked of a database"));

const database: Database = {
  query: unasked,
  now: unasked,
  clockOffsetMs: 0,
  transaction: (work) => work(database),
  snapshot: (work) => work(database),
};

function newServer() {
  const app = fastify({ logger: false });
  app.decorateRequest("caller", null);
  app.decorateRequest("rate", null);
  app.decorateRequest("answerType", "application/json");
  app.decorateRequest("arrivedAt", 0);
  app.decorateRequest("isLong", false);
  app.decorateRequest("times", null);
  app.decorateRequest("isRecorded", false);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  app.setErrorHandler((error, _request, reply) => {
    const { status, headers, body } = problemReply(error, {
      publicUrl: HOST,
      schemaUrl: (name) => `/schemas/${name}.json`,
    });
    return reply.code(status).headers(headers).send(Buffer.from(body));
  });
  const sender = new Sender({
    policy: undefined,
    isDraining: () => false,
    recordResponse: () => undefined,
    onError: (_request, error) => assert.fail(error as Error),
  });
  const open = <Who extends Caller>(
    folder: string,
    about: AboutApi,
    find: (cookie: string | undefined) => Who | undefined,
    policy = publicPolicy(),
  ): OperationScope<Who> => ({
    app,
    admit: (request, decide) => {
      const found = find(request.headers.cookie);
      if (found) decide({ caller: found, rate: undefined });
      else decide({ refusal: new AppError("unauthorized", "Sign in."), rate: undefined });
    },
    document: newDocument(HOST, folder, about),
    cache: new ResponseCache(1024 * 1024),
    sender,
    db: { query: unasked, clockOffsetMs: 0, for: () => database },
    release: "r",
    idempotency: new Idempotency(policy),
    requiresIfMatch: false,
    downloads: new DownloadLimiter({ today: () => "2026-11-15" }),
    recordDownload: async () => {},
    uploads: new UploadLimiter(),
    longAnswers: new LongAnswers(),
    stalls: new StallGuard(() => 0),
  });
  return { app, open };
}

test("an operation that is superseded goes on to work, and says so in its answers and in the document", async () => {
  const { app, open } = newServer();
  const guests = open("", GUESTS, () => caller());
  const handle = async () => ({ text: "Welcome." });
  const deprecated = { since: "2026-01-01T00:00:00Z", page: "/docs#greeting" };
  operation(guests, { ...described("greet", "/v1/greeting"), deprecated, handle });
  operation(guests, { ...described("greetBetter", "/v1/better-greeting"), handle });
  registerDocument(app, guests.document);

  const { headers, statusCode } = await app.inject({ url: "/v1/greeting" });
  assert.deepEqual([statusCode, headers.deprecation], [200, "@1767225600"]);
  assert.equal(
    headers.link,
    `<${HOST}/schemas/Greeting.json>; rel="describedBy", <${HOST}/docs#greeting>; rel="deprecation"; type="text/html"`,
  );
  assert.equal((await app.inject({ url: "/v1/better-greeting" })).headers.deprecation, undefined);
  const document = (await app.inject({ url: "/openapi.json" })).json();
  const { valid, errors } = await validate(structuredClone(document));
  assert.ok(valid, JSON.stringify(errors));
  assert.equal(document.paths["/v1/greeting"].get.deprecated, true);
  assert.ok("Deprecation" in document.paths["/v1/greeting"].get.responses[200].headers);
  assert.equal("deprecated" in document.paths["/v1/better-greeting"].get, false);
});

function described(operationId: string, path: string) {
  return {
    operationId,
    path,
    method: "GET",
    tag: "Greetings",
    summary: "Greets",
    description: "Greets whoever calls.",
    answer: { status: 200, description: "A greeting.", schema: Greeting },
  } as const;
}

function caller(versions: Partial<Caller["versions"]> = {}): Caller {
  return {
    organizationId: "o",
    actor: { name: "key:a" },
    timezone: "UTC",
    clock: new ClockReading(0),
    history: "h",
    versions: { catalog: 1, clients: 1, contracts: 1, sessions: 1, ...versions },
  };
}
