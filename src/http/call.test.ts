import assert from "node:assert/strict";
import { test } from "node:test";
import type { FastifyRequest } from "fastify";
import Type from "typebox";
import { ClockReading } from "../core/clock.ts";
import type { AppError } from "../core/errors.ts";
import { compileCall } from "./call.ts";
import type { Caller } from "./caller.ts";

const caller: Caller = {
  organizationId: "a",
  actor: { name: "key:a" },
  timezone: "UTC",
  clock: new ClockReading(0),
  history: "h",
  versions: { catalog: 1, clients: 1, contracts: 1, sessions: 1 },
};

function post(body: string): FastifyRequest {
  const headers = { "content-type": "application/json" };
  return { url: "/", params: {}, headers, body: Buffer.from(body) } as unknown as FastifyRequest;
}

const context = {
  caller,
  get db(): never {
    throw new Error("nothing is asked of a database");
  },
  shared: undefined,
  precondition: { isGiven: false, check: () => {} },
};

test("a request is carried out by the very facts that its rules went by", async () => {
  let lookups = 0;
  const { receive, read } = compileCall({
    body: {
      schema: Type.Object({ name: Type.String() }),
      description: "",
      example: { name: "a" },
      rules: async () => ({ faults: [], facts: { lookup: ++lookups } }),
    },
  });
  const request = post('{"name":"a"}');
  const { facts } = await read(request, receive(request), context);
  assert.deepEqual(facts, { lookup: 1 });
  assert.equal(lookups, 1);
});

test("faults of shape and of rules come together, but one place is not named twice", async () => {
  const { receive, read } = compileCall({
    body: {
      schema: Type.Object({ name: Type.String(), age: Type.Integer() }),
      description: "",
      example: { name: "a", age: 1 },
      rules: async () => ({
        faults: [
          { location: "body.name", code: "given_twice" as const },
          { location: "body.age", code: "invalid" as const },
        ],
        facts: undefined,
      }),
    },
  });
  const request = post('{"name":5,"age":1}');
  await assert.rejects(Promise.resolve(read(request, receive(request), context)), (error: unknown) => {
    const { faults } = error as AppError;
    assert.deepEqual(
      faults.map(({ location, code }) => `${location} ${code}`),
      ["body.name wrong_type", "body.age invalid"],
    );
    return true;
  });
});
