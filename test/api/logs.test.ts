import assert from "node:assert/strict";
import { test } from "node:test";
import fastify from "fastify";
import { RequestLog } from "../../src/api/request-log.ts";
import { pooled } from "../../src/db/statements.ts";
import { Sender } from "../../src/http/sending.ts";
import { createLogger } from "../../src/process/logs.ts";
import { startApi } from "../support/api.ts";

const lines: string[] = [];
const api = await startApi({
  logger: createLogger({ logLevel: "debug" }, { write: (line) => void lines.push(line) }),
  disturb: (db) => ({
    transaction: (work) => db.transaction(work),
    snapshot: (work) => db.snapshot(work),
    now: () => db.now(),
    clockOffsetMs: db.clockOffsetMs,
    query: (statement, values) =>
      statement.name === "find_plan"
        ? // A failure as PostgreSQL reports it, with the value at fault in its message.
          db.query(pooled("test_quoting_error", "select $1::text::int as number"), ["maria@secret.example"])
        : db.query(statement, values),
  }),
});

const FIELDS = new Set([
  ...["level", "time", "msg", "reqId", "method", "route", "status", "ms", "err"],
  ...["organizationId", "keyId", "faults"],
]);

test("a log line carries only fields of the list, and nothing that a caller sent but the request id", async () => {
  const studio = await api.newOrganization({ name: "Secret Studio" });
  const id = "019a8f2e-7c3b-7d10-9f44-2b6a1c0e5d31";
  const secrets = [
    "maria@secret.example",
    "Maria Secreta",
    "52998224725",
    studio.key,
    "Secret Studio",
    id,
    "s3cret",
  ];
  await studio.get(`/v1/clients?query=maria%40secret.example&key=${studio.key}&s3cret=1`);
  await studio.call("POST", "/v1/clients", {
    body: { contactName: "Maria Secreta", contactEmail: "maria@secret.example", s3cret: 1 },
    headers: { "user-agent": "s3cret", cookie: "s3cret", "x-forwarded-for": "s3cret", referer: "s3cret" },
  });
  await studio.call("POST", "/v1/clients", { raw: '{"contactName":"Maria Secreta"' });
  await studio.get(`/v1/clients/${id}`);
  await studio.get(`/v1/s3cret/${studio.key}`);
  await studio.get("/v1/clients/s3cret%zz");
  await api.call("GET", "/v1/organization", { headers: { authorization: `Bearer ${studio.key}x` } });
  await studio.call("PUT", "/v1/organization", { raw: "s3cret", headers: { "x-request-id": "s3cret id" } });
  const failed = await studio.call("GET", `/v1/plans/${id}`, { headers: { "x-request-id": "request-500" } });
  assert.equal(failed.status, 500);

  const text = lines.join("");
  for (const secret of secrets) assert.ok(!text.includes(secret), `${secret} was logged: ${text}`);
  const records = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  for (const record of records) {
    for (const name of Object.keys(record)) assert.ok(FIELDS.has(name), `field ${name}`);
  }
  const refused = records.filter(({ msg }) => msg === "request refused");
  assert.deepEqual(
    refused.map(({ method, route, status }) => `${method} ${route} ${status}`),
    [
      "GET /v1/clients 422",
      "POST /v1/clients 422",
      "POST /v1/clients 400",
      "GET /v1/clients/:id 404",
      "GET unknown 404",
      "GET unknown 400",
      "GET /v1/organization 401",
      "PUT unknown 405",
      "GET /v1/plans/:id 500",
    ],
  );
});

test("the cause of a 500 is in the log, under the request's id, without the values PostgreSQL quotes", async () => {
  const studio = await api.newOrganization();
  const failed = await studio.call("GET", "/v1/plans/019a8f2e-7c3b-7d10-9f44-2b6a1c0e5d31", {
    headers: { "x-request-id": "request-501" },
  });
  assert.equal(failed.status, 500);
  const record = lines
    .map((line) => JSON.parse(line))
    .find(({ msg, reqId }) => msg && reqId === "request-501");
  assert.equal(record.level, "error");
  assert.equal(record.err.code, "22P02");
  assert.equal(record.err.message, "the database says that a value does not fit its column (SQLSTATE 22P02)");
  assert.ok(!JSON.stringify(record).includes("maria"));
});

test("each request line names key and organization, refused ones too, and a 422 the places and codes of its faults", async () => {
  const studio = await api.newOrganization();
  const free = await api.newOrganization({ plan: "Free" });
  const linesOf = async (reqId: string, call: (headers: Record<string, string>) => Promise<unknown>) => {
    await call({ "x-request-id": reqId });
    return lines.map((line) => JSON.parse(line)).filter((record) => record.reqId === reqId);
  };
  const [refused] = await linesOf("log-422", (headers) =>
    studio.call("POST", "/v1/clients", {
      raw: '{"contactEmail":"nobody","s3cret":1,"notes":"","notes":"","birthdate":"1900-13-01"}',
      headers,
    }),
  );
  assert.equal(refused.organizationId, studio.id);
  assert.equal(refused.keyId, studio.keyId);
  assert.deepEqual(refused.faults.sort(), [
    "body given_twice",
    "body unknown_member",
    "body.birthdate date_invalid",
    "body.contactEmail email_invalid",
    "body.contactName required",
    "body.locationIds location_required",
  ]);
  const [unpaid] = await linesOf("log-402", (headers) => free.call("GET", "/v1/organization", { headers }));
  assert.deepEqual([unpaid.status, unpaid.organizationId, unpaid.keyId], [402, free.id, free.keyId]);
  const [unknown] = await linesOf("log-401", (headers) => api.call("GET", "/v1/organization", { headers }));
  assert.deepEqual([unknown.status, unknown.organizationId, unknown.keyId], [401, undefined, undefined]);
});

test("answered requests are logged at info when the operator wants all of them, else not", async () => {
  for (const logsSuccesses of [true, false]) {
    const written: string[] = [];
    const logger = createLogger({ logLevel: "info" }, { write: (line) => void written.push(line) });
    const server = await startApi({ beside: api, logger, logsSuccesses });
    const studio = await server.newOrganization();
    await studio.call("GET", "/v1/organization", { headers: { "x-request-id": "log-200" } });
    const seen = written.map((line) => JSON.parse(line)).filter(({ reqId }) => reqId === "log-200");
    assert.deepEqual(
      seen.map(({ level, msg, route, organizationId, keyId }) => [level, msg, route, organizationId, keyId]),
      logsSuccesses ? [["info", "request", "/v1/organization", studio.id, studio.keyId]] : [],
    );
  }
});

test("a failure in the middle of a long answer cuts the connection, and is logged under the request's id", async () => {
  const written: string[] = [];
  const logger = createLogger({ logLevel: "info" }, { write: (line) => void written.push(line) });
  const log = new RequestLog({ logger, isReady: async () => true });
  const sender = new Sender({
    policy: undefined,
    isDraining: () => false,
    recordResponse: (...response) => log.recordResponse(...response),
    onError: (request, error) => log.recordCutOff(request, error),
  });
  async function* pieces() {
    yield Buffer.from('{"data":[');
    throw new Error("the rest cannot be read");
  }
  const app = fastify({ genReqId: () => "log-cut-off" });
  app.get("/long", (request, reply) =>
    sender.stream(
      request,
      reply,
      { status: 200, route: "/long", vary: undefined, isKept: false },
      pieces(),
      {},
    ),
  );
  try {
    const answer = await fetch(`${await app.listen({ host: "127.0.0.1", port: 0 })}/long`);
    assert.equal(answer.status, 200);
    // An answer that only ended early would look whole.
    await assert.rejects(answer.text());
    const [failed] = written.map((line) => JSON.parse(line));
    assert.deepEqual(
      [failed.level, failed.msg, failed.reqId, failed.err.message],
      ["error", "request failed while it was answered", "log-cut-off", "the rest cannot be read"],
    );
  } finally {
    await app.close();
  }
});
