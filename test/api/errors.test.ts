import assert from "node:assert/strict";
import { METHODS } from "node:http";
import { connect, type Socket } from "node:net";
import { before, describe, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { errorCodes } from "fastify";
import { CALLER_TIME_LIMITS } from "../../src/api/server.ts";
import type { Database } from "../../src/db/database.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import { pooled } from "../../src/db/statements.ts";
import { toKnownError } from "../../src/http/problem.ts";
import { createLogger } from "../../src/process/logs.ts";
import { type Answer, PUBLIC_URL, startApi } from "../support/api.ts";
import { newId } from "../support/ids.ts";
import { until } from "../support/poll.ts";
import { addLocation } from "../support/records.ts";
import { exchange, type Parsed, parseAnswer, parseAnswers } from "../support/wire.ts";

const api = await startApi();
/** A server that loses its patience soon, so that a test need not wait for as long as a caller may. */
const HASTE = { headers: 300, request: 500, silence: 5_000, checkEvery: 50 };
const hasty = await startApi({ beside: api, timeLimits: HASTE });
/** Far beyond those limits: only a connection that is never closed takes as long. */
const PATIENCE_MS = 30_000;
const PROBLEM = `${PUBLIC_URL}/schemas/Problem.json`;
const HOST = "Host: a\r\nConnection: close\r\n\r\n";

test("every failure is a problem document of one shape", async () => {
  const studio = await api.newOrganization();
  const client = `/v1/clients/${newId()}`;
  const failures: [string, string, number, string][] = [
    ["GET", "/v1/nothing", 404, "not_found"],
    ["GET", "/", 404, "not_found"],
    ["DELETE", "/v1/organization", 405, "method_not_allowed"],
    ["GET", client, 404, "not_found"],
    ["GET", "/v1/clients/1", 422, "invalid"],
    ["GET", "/v1/clients?limit=201&offset=-1", 422, "invalid"],
    ["GET", "/v1/clients/%zz", 400, "malformed"],
  ];
  for (const [method, path, status, code] of failures) {
    const answer = await studio.call(method, path);
    assertProblem(answer, status, code);
  }
  assertProblem(await api.call("GET", "/v1/organization"), 401, "unauthorized");
});

test("whoever waits longer than a connection may be silent is told, and the connection goes on", async () => {
  const impatient = await startApi({ beside: api, timeLimits: { ...HASTE, silence: 300 } });
  // Made where there is time for it.
  const studio = await api.newOrganization();
  await addLocation(api.db, studio.id);
  const { body } = await studio.call("POST", "/v1/clients", { body: { contactName: "Ana" } });
  const path = `/v1/clients/${body.id}`;
  const headers = { authorization: `Bearer ${studio.key}` };
  await api.db.transaction(async (tx) => {
    await tx.query(lockClientStatement, [body.id]);
    const late = await impatient.call("PATCH", path, { body: { contactName: "Bia" }, headers });
    assertProblem(late, 503, "unavailable");
    assert.match(late.body.detail, /took too long/);
    assert.equal(late.headers.get("retry-after"), "30");
    assert.equal((await impatient.call("GET", path, { headers })).status, 200);
  });
});

const lockClientStatement = pooled(
  "test_lock_client",
  "select 1 as locked from clients where id = $1 for update",
);

test("all faults of a request are reported at once, each with its place, none with its value", async () => {
  const studio = await api.newOrganization();
  const answer = await studio.call("PUT", "/v1/clients/SECRET-1", {
    body: { contactName: 5, idDocument: { type: "SECRET-2" }, locationIds: ["SECRET-3"], "se cret": 1 },
  });
  assertProblem(answer, 422, "invalid");
  const places = answer.body.errors.map(({ location }: { location: string }) => location).sort();
  assert.deepEqual(places, [
    "body",
    "body.contactName",
    "body.idDocument.type",
    "body.idDocument.value",
    "body.locationIds[0]",
    "path.id",
  ]);
  assert.doesNotMatch(answer.text, /SECRET|se cret/);
});

test("broken JSON is refused with the line and column where it breaks, and nothing of what it says", async () => {
  const studio = await api.newOrganization();
  const broken = '{\n  "contactName": "Ana",\n  "notes": SECRET\n}';
  const answer = await studio.call("POST", "/v1/clients", {
    headers: { "content-type": "application/json" },
    raw: broken,
  });
  assertProblem(answer, 400, "malformed");
  assert.equal(
    answer.body.detail,
    "The body is not valid JSON: it cannot be read from line 3, column 12 on.",
  );
  assert.doesNotMatch(answer.text, /SECRET|Ana/);
  const deep = await studio.call("POST", "/v1/clients", {
    headers: { "content-type": "application/json" },
    raw: "[".repeat(100_000),
  });
  assert.match(deep.body.detail, /line 1, column 33 on\.$/, "deeper than is read");
});

test("an unknown member is refused with the known one that was meant, at any depth", async () => {
  const studio = await api.newOrganization();
  await addLocation(api.db, studio.id);
  const refused = await studio.call("POST", "/v1/clients", {
    body: { contactName: "Ana", phone: "1", address: { citty: "x" }, nickname: "A" },
  });
  assertProblem(refused, 422, "invalid");
  assert.deepEqual(refused.body.errors, [
    {
      location: "body.phone",
      code: "unknown_member",
      params: { nearest: "contactPhone" },
      message: "is not a known member; did you mean contactPhone?",
    },
    { location: "body.nickname", code: "unknown_member", message: "is not a known member" },
    {
      location: "body.address.citty",
      code: "unknown_member",
      params: { nearest: "city" },
      message: "is not a known member; did you mean city?",
    },
  ]);
});

test("who must name a location is told where they are listed", async () => {
  const studio = await api.newOrganization();
  const { body } = await studio.call("POST", "/v1/clients", { body: { contactName: "Ana" } });
  assert.equal(
    body.errors[0].message,
    "must name at least one of the organization's locations, which GET /v1/locations lists",
  );
});

test("type of every problem is an address that exists, where the code is explained", async () => {
  const page = await api.call("GET", "/docs/errors");
  assert.equal(page.status, 200);
  assert.equal(page.headers.get("content-type"), "text/html; charset=utf-8");
  assert.match(
    page.headers.get("content-security-policy") ?? "",
    /^default-src 'none'; script-src 'self'; style-src 'sha256-/,
  );
  assert.doesNotMatch(page.text, /<script(?! defer src="\/docs\/)|undefined|\[object/);
  const anchors = [...page.text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  assert.equal(new Set(anchors).size, anchors.length);
  for (const path of ["/openapi.json", "/app/openapi.json"]) {
    const { Problem } = (await api.call("GET", path)).body.components.schemas;
    const faults = Problem.properties.errors.items.properties.code.anyOf[0].enum;
    assert.ok(faults.length > 35);
    for (const code of [...Problem.properties.code.enum, ...faults]) assert.ok(anchors.includes(code), code);
  }
  const known = await api.call("GET", "/docs/errors", {
    headers: { "if-none-match": page.headers.get("etag") ?? "" },
  });
  assert.equal(known.status, 304);
});

test("an unknown address is 404 with any method, and its text is not echoed", async () => {
  for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
    for (const path of [
      "/v2/clients",
      "/v1",
      "/v1/",
      "/v1/clients/",
      "/v1/organization/",
      "//v1/organization",
    ]) {
      const answer = await api.call(method, `${path}?secret=1`);
      assertProblem(answer, 404, "not_found");
      assert.doesNotMatch(answer.text, /secret/);
    }
  }
  assertProblem(await api.call("GET", `/v1/clients/${newId()}/`), 404, "not_found");
  assertProblem(await api.call("GET", `/v1/clients/${newId()}/contracts`), 404, "not_found");
});

test("a method that an address does not have is 405, and Allow lists those it has", async () => {
  const document = (await api.call("GET", "/openapi.json")).body;
  const addresses = new Map<string, string>(
    Object.entries(document.paths as Record<string, object>).map(([template, item]) => {
      const methods = Object.keys(item).map((method) => method.toUpperCase());
      if (methods.includes("GET")) methods.push("HEAD");
      return [template.replace(/\{\w+\}/g, newId()), methods.sort().join(", ")];
    }),
  );
  for (const path of [
    "/",
    "/livez",
    "/readyz",
    "/openapi.json",
    "/openapi.yaml",
    "/docs",
    "/docs/errors",
    "/schemas/Problem.json",
  ]) {
    addresses.set(path, "GET, HEAD");
  }
  for (const [path, allow] of addresses) {
    for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"]) {
      if (allow.split(", ").includes(method)) continue;
      const answer = parseAnswer(await exchange(api.url, `${method} ${path}?a=b HTTP/1.1\r\n${HOST}`));
      assertRawProblem(answer, 405, "method_not_allowed");
      assert.equal(answer.headers.allow, allow, `${method} ${path}`);
      if (answer.content !== "")
        assert.equal(answer.body.detail, `This address does not have this method; it has ${allow}.`);
    }
  }
  const encoded = parseAnswer(await exchange(api.url, `PATCH /v1/%6Frganization HTTP/1.1\r\n${HOST}`));
  assert.equal(encoded.headers.allow, "GET, HEAD");
});

test("no method that Node knows fails at any address, with whatever body: it is missing, or served as declared", async () => {
  const bodies = [
    HOST,
    `Content-Type: application/json\r\n${HOST}`,
    `Content-Type: text\r\n${HOST}`,
    `Content-Length: 2\r\n${HOST}{}`,
    `Content-Length: 2\r\nContent-Type: application/json\r\n${HOST}{}`,
    `Content-Length: 2\r\nContent-Type: ;\r\n${HOST}{}`,
    `Transfer-Encoding: chunked\r\n${HOST}2\r\n{}\r\n0\r\n\r\n`,
  ];
  const declared = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];
  const addresses: [string, number][] = [
    ["/", 405],
    ["/livez", 405],
    ["/docs", 405],
    ["/console/", 405],
    ["/v1/organization", 405],
    ["/v1/clients", 405],
    [`/v1/clients/${newId()}`, 405],
    ["/app/v1/addClient", 405],
    ["/nothing", 404],
    ["*", 404],
    ["/v1/clients/%zz", 400],
  ];
  assert.ok(METHODS.includes("QUERY") && METHODS.length > 30);
  for (const method of METHODS) {
    // Without a key or a sign-in: what is declared is refused for that at the latest.
    const served = declared.includes(method) ? [200, 302, 400, 401, 404, 405, 415] : undefined;
    const calls = addresses.flatMap(([path, missing]) =>
      bodies.map(async (body) => {
        const request = `${method} ${path} HTTP/1.1\r\n${body}`;
        const { status } = parseAnswer(await exchange(api.url, request));
        assert.ok(
          (served ?? [method === "CONNECT" ? 405 : missing]).includes(status),
          `${status} ${request}`,
        );
      }),
    );
    await Promise.all(calls);
  }
});

test("what Fastify blames the caller for is no failure of ours, whichever error it has for it", () => {
  const blamed = Object.entries(errorCodes).filter(([, Made]) => {
    const { statusCode = 500 } = new Made();
    return statusCode < 500;
  });
  assert.ok(blamed.length > 8);
  for (const [name, Made] of blamed) {
    const { kind } = toKnownError(new Made());
    assert.notEqual(kind, "internal", name);
  }
});

test("what is not HTTP is refused as a problem, before any route", async () => {
  const refusals: [string, string, number, string][] = [
    ["garbage", "\x00\x01 garbage\r\n\r\n", 400, "malformed"],
    ["bare line feeds", "GET /livez HTTP/1.1\nHost: a\n\n", 400, "malformed"],
    ["a method in lower case", `get /livez HTTP/1.1\r\n${HOST}`, 400, "malformed"],
    ["a method that does not exist", `FETCH /livez HTTP/1.1\r\n${HOST}`, 400, "malformed"],
    ["another version", `GET /livez HTTP/1.2\r\n${HOST}`, 400, "malformed"],
    ["HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, "malformed"],
    ["no Host", "GET /livez HTTP/1.1\r\nConnection: close\r\n\r\n", 400, "malformed"],
    ["two Hosts", `GET /livez HTTP/1.1\r\nHost: b\r\n${HOST}`, 400, "malformed"],
    ["a NUL in a header", `GET /livez HTTP/1.1\r\nX: a\x00b\r\n${HOST}`, 400, "malformed"],
    ["a folded header", `GET /livez HTTP/1.1\r\nX: a\r\n b\r\n${HOST}`, 400, "malformed"],
    ["half an escape", `GET /v1/clients/%c3 HTTP/1.1\r\n${HOST}`, 400, "malformed"],
    ["no escape", `GET /%zz HTTP/1.1\r\n${HOST}`, 400, "malformed"],
    [
      "two lengths",
      `POST /v1/clients HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n${HOST}ab`,
      400,
      "malformed",
    ],
    [
      "a length and chunks",
      `POST /v1/clients HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n${HOST}0\r\n\r\n`,
      400,
      "malformed",
    ],
    [
      "a broken chunk",
      `POST /v1/clients HTTP/1.1\r\nTransfer-Encoding: chunked\r\n${HOST}zz\r\n`,
      400,
      "malformed",
    ],
    [
      "an encoding under the chunks",
      `POST /v1/clients HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n${HOST}0\r\n\r\n`,
      501,
      "not_implemented",
    ],
    [
      "chunks in HTTP/1.0",
      "POST /v1/clients HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      400,
      "malformed",
    ],
    ["a tunnel", "CONNECT example.com:443 HTTP/1.1\r\nHost: a\r\n\r\n", 405, "method_not_allowed"],
    [
      "a large header",
      `GET /livez HTTP/1.1\r\nX: ${"a".repeat(17_000)}\r\n${HOST}`,
      431,
      "headers_too_large",
    ],
    ["a long address", `GET /${"a".repeat(17_000)} HTTP/1.1\r\n${HOST}`, 431, "headers_too_large"],
  ];
  for (const [name, sent, status, code] of refusals) {
    assertRawProblem(parseAnswer(await exchange(api.url, sent)), status, code, name);
  }
});

test("the rarer forms of HTTP are understood", async () => {
  const forms: [string, number][] = [
    [`GET http://example.com/livez HTTP/1.1\r\n${HOST}`, 200],
    ["GET /livez HTTP/1.0\r\n\r\n", 200],
    [`GET /livez HTTP/1.1\r\nExpect: something\r\n${HOST}`, 200],
    [`GET /livez?a=%zz HTTP/1.1\r\n${HOST}`, 200],
    [`GET /livez HTTP/1.1\r\nContent-Length: 3\r\n${HOST}abc`, 200],
    [`OPTIONS * HTTP/1.1\r\n${HOST}`, 404],
    [`GET http://example.com?a HTTP/1.1\r\n${HOST}`, 404],
    [`GET /v1/clients/${"a".repeat(15_000)} HTTP/1.1\r\n${HOST}`, 401],
  ];
  for (const [sent, status] of forms) {
    assert.equal(parseAnswer(await exchange(api.url, sent)).status, status, sent.slice(0, 60));
  }
});

// Connected to the database beforehand, which can take longer than its patience lasts.
before(() => hasty.call("GET", "/v1/organization"));

describe("callers that do not send to the end are cut off", { concurrency: true }, () => {
  test("within ten seconds, by the limits that the program has", () => {
    const { headers, request, checkEvery } = CALLER_TIME_LIMITS;
    assert.ok(Math.max(headers, request) + checkEvery < 10_000);
  });

  test("silent from the start", async () => {
    await exchange(hasty.url, "", { deadlineMs: PATIENCE_MS });
  });

  test("in the headers", async () => {
    const sent = "GET /livez HTTP/1.1\r\nHost: a\r\nX: ";
    const answer = await exchange(hasty.url, sent, { deadlineMs: PATIENCE_MS });
    assertRawProblem(parseAnswer(answer), 408, "timeout");
  });

  test("in the body", async () => {
    const { key } = await hasty.newOrganization();
    const head = `POST /v1/clients HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n`;
    const sent = `${head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{`;
    const answer = await exchange(hasty.url, sent, { deadlineMs: PATIENCE_MS });
    assertRawProblem(parseAnswer(answer), 408, "timeout");
  });

  test("in a body that nobody waits for any more, with no second answer", async () => {
    const head = "POST /v1/clients HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n";
    const sent = `${head}Content-Length: 100\r\n\r\n{`;
    const answer = await exchange(hasty.url, sent, { deadlineMs: PATIENCE_MS });
    assertRawProblem(parseAnswer(answer), 401, "unauthorized");
  });

  test("byte by byte, however long they go on", { timeout: PATIENCE_MS }, async (t) => {
    const { hostname, port } = new URL(hasty.url);
    const socket = connect(Number(port), hostname);
    socket.on("error", () => {});
    socket.write("GET /livez HTTP/1.1\r\nHost: a\r\nX: ");
    const drip = setInterval(() => socket.write("a"), HASTE.headers / 10);
    t.after(() => {
      clearInterval(drip);
      socket.destroy();
    });
    await new Promise((resolve) => socket.on("data", () => socket.end()).on("close", resolve));
  });
});

test("a caller who is too slow in the body is recorded as the 408 that was answered, under its own id", async () => {
  const lines: string[] = [];
  const watched = await startApi({
    beside: api,
    timeLimits: HASTE,
    logger: createLogger({ logLevel: "info" }, { write: (line) => void lines.push(line) }),
  });
  const { key } = await api.newOrganization();
  const head = `POST /v1/clients HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nX-Request-Id: slow-1\r\n`;
  const sent = `${head}Accept-Language: es\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`;
  const answer = parseAnswer(await exchange(watched.url, sent, { deadlineMs: PATIENCE_MS }));
  assertRawProblem(answer, 408, "timeout");
  // Its headers had arrived.
  assert.equal(answer.headers["x-request-id"], "slow-1");
  assert.equal(answer.headers["content-language"], "es");
  await until("the request is logged", async () => lines.length > 0);
  const records = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual(
    records.map(({ level, msg, status, reqId }) => ({ level, msg, status, reqId })),
    [{ level: "info", msg: "request refused", status: 408, reqId: "slow-1" }],
  );
});

test("after an early 401 the rest of the body is passed over and the connection serves the next request", async () => {
  const { key } = await api.newOrganization();
  const head = "POST /v1/clients HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n";
  const next = `GET /v1/organization HTTP/1.1\r\nAuthorization: Bearer ${key}\r\n${HOST}`;
  const bodies: [string, string, string, number[]][] = [
    ["the rest", "Content-Length: 10\r\n\r\n{", `        }${next}`, [401, 200]],
    [
      "the rest in chunks",
      "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n",
      `1\r\n}\r\n0\r\n\r\n${next}`,
      [401, 200],
    ],
    ["no chunk", "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n", `zz\r\n${next}`, [401]],
  ];
  for (const [name, body, rest, statuses] of bodies) {
    const { text } = await exchange(api.url, head + body, { afterAnswer: rest });
    assert.deepEqual(
      parseAnswers(text).map(({ status }) => status),
      statuses,
      name,
    );
  }
});

test("a caller who leaves in the middle of a body is recorded once, as a bad request and not as our failure", async () => {
  const lines: string[] = [];
  let admitted = 0;
  const watched = await startApi({
    beside: api,
    logger: createLogger({ logLevel: "info" }, { write: (line) => void lines.push(line) }),
    disturb: (db) => ({
      transaction: (work) => db.transaction(work),
      snapshot: (work) => db.snapshot(work),
      now: () => db.now(),
      clockOffsetMs: db.clockOffsetMs,
      query: (statement, values) =>
        db.query<never>(statement, values).finally(() => {
          // That the key was used is stored while the next request comes.
          if (statement.name.startsWith("admit")) admitted++;
        }),
    }),
  });
  const { hostname, port } = new URL(watched.url);
  const { key } = await api.newOrganization();
  const head = `POST /v1/clients HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`;
  const leaving: [string, (socket: Socket) => void][] = [
    ["Content-Length: 100\r\n\r\n{", (socket) => socket.end()],
    ["Content-Length: 100\r\n\r\n{", (socket) => socket.resetAndDestroy()],
    ["Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n", (socket) => socket.destroy()],
  ];
  for (const [body, leave] of leaving) {
    [lines.length, admitted] = [0, 0];
    const socket = connect(Number(port), hostname);
    socket.on("error", () => {}).write(head + body);
    await until("the gate has asked", async () => admitted > 0);
    // Then the body is read.
    for (let turn = 0; turn < 3; turn++) await nextTurn();
    leave(socket);
    await until("the request is logged", async () => lines.length > 0);
    const records = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    assert.deepEqual(
      records.map(({ level, msg, status }) => ({ level, msg, status })),
      [{ level: "info", msg: "request refused", status: 400 }],
    );
  }
});

test("a body over 1 MiB is 413, whether its length was declared or not; 1 MiB is read", async () => {
  const { key, call } = await api.newOrganization();
  const head = `POST /v1/clients HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`;
  const declared = await exchange(api.url, `${head}Content-Length: 1048577\r\n\r\n`);
  assertRawProblem(parseAnswer(declared), 413, "too_large");
  const piece = `10000\r\n${" ".repeat(0x10000)}\r\n`;
  const chunked = await exchange(
    api.url,
    `${head}Transfer-Encoding: chunked\r\n\r\n${piece.repeat(17)}0\r\n\r\n`,
  );
  assertRawProblem(parseAnswer(chunked), 413, "too_large");

  const body = JSON.stringify({ contactName: "" }).padEnd(1_048_576);
  assertProblem(await call("POST", "/v1/clients", { raw: body }), 422, "invalid");
});

test("a body must be JSON in UTF-8, and say so", async () => {
  const { call } = await api.newOrganization();
  const bodies: [string, Uint8Array | string, string, number, string][] = [
    ["empty", "", "application/json", 400, "malformed"],
    ["not JSON", "{", "application/json", 400, "malformed"],
    ["half a JSON text", '{"contactName":', "application/json", 400, "malformed"],
    ["not UTF-8", Buffer.from('{"contactName":"\xff"}', "latin1"), "application/json", 400, "malformed"],
    ["UTF-16", Buffer.from('{"contactName":"a"}', "utf16le"), "application/json", 400, "malformed"],
    ["a form", "contactName=a", "application/x-www-form-urlencoded", 415, "unsupported_media_type"],
    ["text", '{"contactName":"a"}', "text/plain", 415, "unsupported_media_type"],
    [
      "another charset",
      '{"contactName":"a"}',
      "application/json; charset=latin1",
      415,
      "unsupported_media_type",
    ],
    ["no type at all", '{"contactName":"a"}', "", 415, "unsupported_media_type"],
    ["not a type", '{"contactName":"a"}', "json", 415, "unsupported_media_type"],
    ["an array", "[]", "application/json", 422, "invalid"],
    ["null", "null", "application/json", 422, "invalid"],
    ["a number", "5", "application/json; charset=utf-8", 422, "invalid"],
    ["a member twice", '{"contactName":"a","contactName":"b"}', "application/json", 422, "invalid"],
    ["too deep", `{"contactName":${"[".repeat(500)}${"]".repeat(500)}}`, "application/json", 422, "invalid"],
  ];
  for (const [name, raw, type, status, code] of bodies) {
    const answer = await call("POST", "/v1/clients", {
      raw: Buffer.from(raw),
      headers: { "content-type": type },
    });
    assertProblem(answer, status, code, name);
  }
  const none = await call("POST", "/v1/clients");
  assertProblem(none, 400, "malformed", "no body");
});

test("only application/json is a JSON body: a merge patch or any other type erases nothing", async () => {
  const studio = await api.newOrganization();
  await addLocation(api.db, studio.id);
  const { body: client } = await studio.call("POST", "/v1/clients", {
    body: { contactName: "Ana", notes: "Allergic to dust" },
  });
  const path = `/v1/clients/${client.id}`;
  for (const type of [
    "application/merge-patch+json",
    "application/json-patch+json",
    "application/vnd.api+json",
    "application/problem+json",
    "application/jsonp",
    "application/json5",
    "text/json",
    "application/json; charset=utf-16",
    "application/json; charset=utf-8; charset=latin1",
    "application/json; profile=x",
    "application/json charset=utf-8",
  ]) {
    const answer = await studio.call("PUT", path, {
      body: { contactName: "Bia" },
      headers: { "content-type": type },
    });
    assertProblem(answer, 415, "unsupported_media_type", type);
  }
  const packed = { raw: gzipSync('{"contactName":"Bia"}'), headers: { "content-encoding": "gzip" } };
  assertProblem(await studio.call("PUT", path, packed), 415, "unsupported_media_type", "gzip");
  assert.deepEqual((await studio.get(path)).body, client);

  for (const type of [
    "application/json",
    "APPLICATION/JSON",
    "application/json;",
    "application/json;charset=utf-8",
    "application/json; charset=UTF-8",
    'application/json ; charset="utf-8"',
  ]) {
    const answer = await studio.call("PUT", path, {
      body: { contactName: "Ana", notes: "Allergic to dust" },
      headers: { "content-type": type, "content-encoding": "identity" },
    });
    assert.equal(answer.status, 200, type);
  }
});

test("DELETE with a body is 415 and archives nobody; without one it needs no type, and may name one", async () => {
  const studio = await api.newOrganization();
  await addLocation(api.db, studio.id);
  const { body: client } = await studio.call("POST", "/v1/clients", { body: { contactName: "Ana" } });
  const path = `/v1/clients/${client.id}`;
  for (const type of ["application/json", "application/merge-patch+json", "text/plain", ""]) {
    const answer = await studio.call("DELETE", path, { raw: "{}", headers: { "content-type": type } });
    assertProblem(answer, 415, "unsupported_media_type", type);
  }
  const head = `DELETE ${path} HTTP/1.1\r\nAuthorization: Bearer ${studio.key}\r\n`;
  const chunked = await exchange(api.url, `${head}Transfer-Encoding: chunked\r\n${HOST}1\r\nx\r\n0\r\n\r\n`);
  assertRawProblem(parseAnswer(chunked), 415, "unsupported_media_type", "chunked");
  assert.equal((await studio.get(path)).body.status, "active");

  for (const headers of [
    "",
    "Content-Type: application/json\r\n",
    "Content-Length: 0\r\n",
    "Content-Type: application/json\r\nContent-Length: 0\r\n",
  ]) {
    assert.equal(parseAnswer(await exchange(api.url, head + headers + HOST)).status, 204, headers);
  }
});

test("a body on GET is passed over, and the connection goes on with the next request", async () => {
  const { key } = await api.newOrganization();
  const get = `GET /v1/organization HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n`;
  for (const body of [
    "Content-Type: application/json\r\nContent-Length: 5\r\n\r\n{oops",
    "Content-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello",
    "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
  ]) {
    const { text } = await exchange(api.url, `${get}${body}${get}Connection: close\r\n\r\n`);
    assert.deepEqual(
      parseAnswers(text).map(({ status }) => status),
      [200, 200],
      body,
    );
  }
});

test("a 500 shows nothing of its cause", async () => {
  const broken = await startApi({
    beside: api,
    disturb: (db) => failing(db, "find_organization", () => new Error("SECRET cause")),
  });
  const studio = await api.newOrganization();
  const answer = await broken.call("GET", "/v1/organization", {
    headers: { authorization: `Bearer ${studio.key}` },
  });
  assertProblem(answer, 500, "internal");
  assert.equal(answer.body.detail, "Something went wrong on our side.");
  assert.doesNotMatch(answer.text, /SECRET/);
});

test("a failure of the gate itself is a 500 for all who waited, and the next request is served", async () => {
  let isBroken = true;
  const broken = await startApi({
    beside: api,
    disturb: (db) => failing(db, "admit", () => (isBroken ? new Error("SECRET") : undefined)),
  });
  const { key } = await api.newOrganization();
  const call = () => broken.call("GET", "/v1/organization", { headers: { authorization: `Bearer ${key}` } });
  for (const answer of await Promise.all([call(), call(), call()])) assertProblem(answer, 500, "internal");
  isBroken = false;
  assert.equal((await call()).status, 200);
});

test("with the database away, keyed requests are 503 with Retry-After and the open ones still answer", async () => {
  const gone = openDatabase({ connection: { host: "/nonexistent" }, applicationName: "test" });
  const cut = await startApi({ beside: api, disturb: () => gone });
  const answer = await cut.call("GET", "/v1/organization", { headers: { authorization: "Bearer x" } });
  assertProblem(answer, 503, "unavailable");
  assert.match(answer.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
  assert.equal((await cut.call("GET", "/livez")).status, 200);
  await gone.close();
});

test("a statement that PostgreSQL gives up on is 503, a lost connection too, and both recover", async () => {
  const kill = pooled(
    "test_end_pipelines",
    "select pg_terminate_backend(pid) from pg_stat_activity where pid = any($1)",
  );
  const studio = await api.newOrganization();
  const before = openDatabase({ connection: api.store.connection, applicationName: "victim" });
  const pid = { name: "test_pid", text: "select pg_backend_pid() as pid", lane: "pipelined" } as const;
  const [{ pid: first } = { pid: 0 }] = await before.query<{ pid: number }>(pid);
  const waiting = before.query({ name: "test_wait", text: "select pg_sleep(30)", lane: "pipelined" });
  const refused = assert.rejects(waiting, { kind: "unavailable" });
  const [{ pid: second } = { pid: 0 }] = await before.query<{ pid: number }>(pid);
  await api.db.query(kill, [[first, second]]);
  await refused;
  await until("a new connection answers", () => before.query(pid).catch(() => undefined));
  await before.close();

  const impatient = openDatabase({
    connection: api.store.connection,
    applicationName: "impatient",
    statementTimeoutMs: 50,
  });
  await assert.rejects(impatient.query(pooled("test_slow", "select pg_sleep(30)")), { kind: "unavailable" });
  assert.equal((await impatient.query(pid)).length, 1);
  await impatient.close();
  assert.equal((await studio.get("/v1/organization")).status, 200);
});

test("a transaction that failed unnoticed is not reported as committed", async () => {
  const fail = pooled("test_fail", "select 1 / 0");
  await assert.rejects(
    api.db.transaction(async (tx) => {
      await tx.query(fail).catch(() => {});
      return "done";
    }),
    /failed before its commit/,
  );
});

test("X-Request-Id is the caller's own if it is a plain one, else a new one; on every kind of answer", async () => {
  const studio = await api.newOrganization();
  for (const path of [
    "/v1/organization",
    "/v1/nothing",
    "/livez",
    "/openapi.json",
    "/v1/clients/x",
    "/%zz",
  ]) {
    const answer = await studio.call("GET", path, { headers: { "x-request-id": "My.id_1-2" } });
    assert.equal(answer.headers.get("x-request-id"), "My.id_1-2", path);
  }
  const longest = "a".repeat(128);
  const own = await api.call("GET", "/livez", { headers: { "x-request-id": longest } });
  assert.equal(own.headers.get("x-request-id"), longest);
  const seen = new Set<string>();
  for (const id of ["", "a".repeat(129), "a b", "a;b", "é", 'a"b', "<script>"]) {
    const answer = await api.call("GET", "/livez", { headers: { "x-request-id": id } });
    assert.match(answer.headers.get("x-request-id") ?? "", /^[0-9a-f-]{36}$/, id);
    seen.add(answer.headers.get("x-request-id") ?? "");
  }
  assert.equal(seen.size, 7);
  const twice = parseAnswer(
    await exchange(api.url, `GET /livez HTTP/1.1\r\nX-Request-Id: a\r\nX-Request-Id: b\r\n${HOST}`),
  );
  assert.match(twice.headers["x-request-id"] ?? "", /^[0-9a-f-]{36}$/);
});

test("HEAD answers as GET does, without the body", async () => {
  const { key } = await api.newOrganization();
  const paths = [
    "/v1/organization",
    "/v1/clients",
    `/v1/clients/${newId()}`,
    "/v1/plans?limit=0",
    "/v1/nothing",
    "/livez",
    "/readyz",
    "/openapi.json",
    "/openapi.yaml",
    "/schemas/Problem.json",
    "/docs",
  ];
  for (const path of paths) {
    const rest = `${path} HTTP/1.1\r\nAuthorization: Bearer ${key}\r\n${HOST}`;
    const get = parseAnswer(await exchange(api.url, `GET ${rest}`));
    const { text } = await exchange(api.url, `HEAD ${rest}`);
    const end = text.indexOf("\r\n\r\n");
    assert.equal(text.length, end + 4, `${path}: a body`);
    const head = parseAnswer({ text: text.replace(/content-length: \d+/i, "x: y"), elapsedMs: 0 });
    assert.equal(head.status, get.status, path);
    const headLength = /content-length: (\d+)/i.exec(text)?.[1];
    assert.equal(headLength, get.headers["content-length"], `${path}: content-length`);
    assert.equal(head.headers["content-type"], get.headers["content-type"], path);
    assert.equal(head.headers.link, get.headers.link, path);
  }
});

test("no answer has a CORS header", async () => {
  const studio = await api.newOrganization();
  const headers = { origin: "https://example.com", "access-control-request-method": "GET" };
  for (const [method, path] of [
    ["GET", "/v1/organization"],
    ["OPTIONS", "/v1/organization"],
    ["GET", "/openapi.json"],
    ["GET", "/docs"],
    ["GET", "/v1/nothing"],
  ] as const) {
    const answer = await studio.call(method, path, { headers });
    for (const [name] of answer.headers) assert.doesNotMatch(name, /^access-control/, `${method} ${path}`);
  }
});

test("/livez and /readyz are plain text", async () => {
  for (const [path, text] of [
    ["/livez", "ok\n"],
    ["/readyz", "ready\n"],
  ] as const) {
    const answer = await api.call("GET", path);
    assert.equal(answer.status, 200);
    assert.equal(answer.text, text);
    assert.match(answer.headers.get("content-type") ?? "", /^text\/plain/);
  }
});

function failing(db: Database, name: string, cause: () => Error | undefined): Database {
  return {
    transaction: (work) => db.transaction(work),
    snapshot: (work) => db.snapshot(work),
    now: () => db.now(),
    clockOffsetMs: db.clockOffsetMs,
    query: (statement, values) => {
      const error = statement.name === name ? cause() : undefined;
      return error ? Promise.reject(error) : db.query(statement, values);
    },
  };
}

function assertProblem(answer: Answer, status: number, code: string, name = ""): void {
  const headers = Object.fromEntries(answer.headers);
  assertRawProblem(
    { status: answer.status, headers, content: answer.text, body: answer.body },
    status,
    code,
    name,
  );
}

function assertRawProblem(answer: Parsed, status: number, code: string, name = ""): void {
  assert.equal(answer.status, status, name);
  assert.equal(answer.headers["content-type"], "application/problem+json", name);
  assert.equal(answer.headers.link, `<${PROBLEM}>; rel="describedBy"`, name);
  assert.match(answer.headers["x-request-id"] ?? "", /^.+$/, name);
  assert.ok(answer.headers.date, name);
  if (answer.content === "") return;
  const type = `${PUBLIC_URL}/docs/errors#${code}`;
  assert.ok(answer.content.startsWith(`{"$schema":"${PROBLEM}","type":"${type}","title":"`), name);
  const { title, detail, errors, requestId } = answer.body;
  assert.equal(requestId, code === "unauthorized" ? undefined : answer.headers["x-request-id"], name);
  assert.equal(answer.body.status, status, name);
  assert.equal(answer.body.code, code, name);
  assert.equal(typeof title, "string", name);
  assert.match(detail, /^[A-Z].*\.$/, name);
  assert.equal(Array.isArray(errors), code === "invalid", name);
}
