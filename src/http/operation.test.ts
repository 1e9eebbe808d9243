import assert from "node:assert/strict";
import { test } from "node:test";
import fastify from "fastify";
import Type from "typebox";
import { ClockReading } from "../core/clock.ts";
import { AppError } from "../core/errors.ts";
import { Body } from "../core/fields.ts";
import { ResponseCache } from "./cache.ts";
import { type Caller, type DataClass, versionOf } from "./caller.ts";
import { type ApiDocument, type OperationScope, operation } from "./operation.ts";
import { problemReply } from "./problem.ts";
import { Sender } from "./sending.ts";

/** A second kind of caller, whom another gate lets in. */
interface Colleague extends Caller {
  readonly name: string;
}

const Greeting = Body("Greeting", { text: Type.String() });

test("operations of two scopes on one server have each their own gate, callers and document", async () => {
  const { app, open } = newServer();
  const guests = open("/schemas", () => caller(1, 1));
  const staff = open("/app/schemas", (cookie): Colleague | undefined =>
    cookie === "ana" ? { ...caller(1, 1), name: "Ana" } : undefined,
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
  assert.deepEqual(asGuest.json(), { $schema: "/schemas/Greeting.json", text: "Welcome." });
  const asColleague = await app.inject({ url: "/app/v1/greeting", headers: { cookie: "ana" } });
  assert.deepEqual(asColleague.json(), { $schema: "/app/schemas/Greeting.json", text: "Good morning, Ana." });
  assert.equal((await app.inject({ url: "/app/v1/greeting" })).statusCode, 401);
  assert.deepEqual(
    [guests, staff].map(({ document }) => document.operations.map(({ operationId }) => operationId)),
    [["greet"], ["greetColleague"]],
  );
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
    const versions = { catalog: 1, clients: 1 };
    const scope = open("/schemas", () => caller(versions.catalog, versions.clients));
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
  const before = versionOf(caller(3, 4), ["catalog", "clients"]);
  assert.notEqual(versionOf(caller(4, 4), ["catalog", "clients"]), before);
  assert.notEqual(versionOf(caller(3, 5), ["catalog", "clients"]), before);
  assert.equal(versionOf(caller(3, 5), ["catalog"]), versionOf(caller(3, 4), ["catalog"]));
});

function newServer() {
  const app = fastify({ logger: false });
  app.decorateRequest("caller", null);
  app.decorateRequest("rate", null);
  app.decorateRequest("arrivedAt", 0);
  app.decorateRequest("isRecorded", false);
  app.setErrorHandler((error, _request, reply) => {
    const { status, headers, body } = problemReply(error, "/schemas/Problem.json");
    return reply.code(status).headers(headers).send(Buffer.from(body));
  });
  const sender = new Sender({
    policy: undefined,
    isDraining: () => false,
    recordResponse: () => undefined,
    onError: (_request, error) => assert.fail(error as Error),
  });
  const open = <Who extends Caller>(
    schemas: string,
    find: (cookie: string | undefined) => Who | undefined,
  ): OperationScope<Who> => {
    const document: ApiDocument = {
      operations: [],
      publicUrl: "",
      schemaUrl: (name) => `${schemas}/${name}.json`,
    };
    return {
      app,
      admit: (request, decide) => {
        const found = find(request.headers.cookie);
        if (found) decide({ caller: found, rate: undefined });
        else decide({ refusal: new AppError("unauthorized", "Sign in."), rate: undefined });
      },
      document,
      cache: new ResponseCache(1024 * 1024),
      sender,
    };
  };
  return { app, open };
}

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

function caller(catalog: number, clients: number): Caller {
  return {
    organizationId: "o",
    timezone: "UTC",
    clock: new ClockReading(0),
    versions: { catalog, clients },
  };
}
