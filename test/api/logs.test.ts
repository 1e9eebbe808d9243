import assert from "node:assert/strict";
import { test } from "node:test";
import { pooled } from "../../src/db/database.ts";
import { createLogger } from "../../src/process/logs.ts";
import { startApi } from "../support/api.ts";

const lines: string[] = [];
const api = await startApi({
  logger: createLogger({ logLevel: "debug" }, { write: (line) => void lines.push(line) }),
  disturb: (db) => ({
    transaction: (work) => db.transaction(work),
    query: (statement, values) =>
      statement.name === "find_plan"
        ? // A failure as PostgreSQL reports it, with the value at fault in its message.
          db.query(pooled("test_quoting_error", "select $1::text::int as number"), ["maria@secret.example"])
        : db.query(statement, values),
  }),
});

const FIELDS = new Set(["level", "time", "msg", "reqId", "method", "route", "status", "ms", "err"]);

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
  assert.equal(record.err.message, "database error 22P02");
  assert.ok(!JSON.stringify(record).includes("maria"));
});
