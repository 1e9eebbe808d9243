import assert from "node:assert/strict";
import { test } from "node:test";
import type { KeyClaim, KeyedAnswer } from "../core/stored-answer.ts";
import type { Database } from "../db/database.ts";
import { Idempotency, type KeyedWrite } from "./idempotency.ts";

const claim: KeyClaim = { organizationId: "a", owner: "", key: "k", fingerprint: "f", now: 0 };
const answer: KeyedAnswer = {
  status: 201,
  body: "{}",
  etag: undefined,
  location: undefined,
  claim,
  recordId: undefined,
};
const unasked = () => Promise.reject(new Error("nothing is asked of a database"));
const db: Database = {
  query: unasked,
  now: unasked,
  clockOffsetMs: 0,
  transaction: (work) => work(db),
  snapshot: (work) => work(db),
};

test("a request that has waited for another one with its key does not wait again together with others", async () => {
  const idempotency = new Idempotency({
    isRequired: false,
    isPersonal: false,
    patienceMs: 60_000,
    reused: () => new Error("reused"),
    answers: { claim: async () => "claimed", store: async () => {}, find: async () => undefined },
  });
  const done: string[] = [];
  let fail = (_error: Error): void => {};
  const write = (name: string, together: () => Promise<KeyedAnswer>) => async (): Promise<KeyedWrite> => ({
    together: () => {
      done.push(`${name} together`);
      return together();
    },
    hasFile: false,
    alone: async () => {
      done.push(`${name} alone`);
      return answer;
    },
  });
  const hanging = new Promise<KeyedAnswer>((_resolve, reject) => {
    fail = reject;
  });
  const first = idempotency.once(
    claim,
    db,
    write("first", () => hanging),
  );
  const second = idempotency.once(
    claim,
    db,
    write("second", async () => answer),
  );
  fail(new Error("the first one failed"));
  await assert.rejects(first, /the first one failed/);
  assert.deepEqual(await second, { answer, isReplay: false });
  assert.deepEqual(done, ["first together", "second alone"]);
});
