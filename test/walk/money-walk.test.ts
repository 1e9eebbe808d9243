import assert from "node:assert/strict";
import { test } from "node:test";
import { startApi } from "../support/api.ts";
import { walkMoney, walkMoneyTwice } from "./money-walk.ts";

const api = await startApi();

test("what is invoiced, paid, refunded and left agrees after every operation, on two servers", async () => {
  const tally = await walkMoney(api, { walks: 2, steps: 60 });
  const done = [...tally.values()].filter((counted) => counted.done > 0).length;
  assert.ok(done >= 8, `only ${done} kinds of operations were carried out`);
});

test("it agrees when three callers meet at once", async () => {
  await walkMoney(api, { walks: 2, steps: 45, abreast: 3 });
});

test("what is invoiced and paid is the same whether somebody looks on every day or nobody does", async () => {
  const tally = await walkMoneyTwice(api, { walks: 2, steps: 40 });
  assert.ok((tally.get("sellContract")?.done ?? 0) > 0);
});
