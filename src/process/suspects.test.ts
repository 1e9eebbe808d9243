import assert from "node:assert/strict";
import { test } from "node:test";
import { type RequestUnderWay, StallGuard, StallReader } from "../http/stalls.ts";
import { Suspects } from "./suspects.ts";

const caller = { organizationId: "org", keyId: "key" } as never;
const request = (id: string) => ({ id }) as never;

test("requests are read from the shared memory as they are under way, the last one first", () => {
  const guard = new StallGuard(() => 0);
  const reader = new StallReader(guard.shared);
  const first = guard.begin("listClients", request("a b"), caller, false);
  const second = guard.begin("readVersions", request("x".repeat(500)), caller, true);
  const { requests, isAll } = reader.underWay();
  assert.deepEqual(
    requests.map(({ operation, waits }) => [operation, waits]),
    [
      ["readVersions", true],
      ["listClients", false],
    ],
  );
  assert.deepEqual(requests[1], {
    operation: "listClients",
    organizationId: "org",
    callerId: "key",
    requestId: "a b",
    waits: false,
  });
  assert.ok(isAll);
  guard.end(second);
  guard.end(first);
  assert.deepEqual(reader.underWay(), { requests: [], isAll: true });

  const many = Array.from({ length: 100 }, () => guard.begin("listClients", request("r"), caller, false));
  assert.ok(!reader.underWay().isAll, "more than can be noted down");
  for (const slot of many) guard.end(slot);
  assert.deepEqual(reader.underWay(), { requests: [], isAll: true });
});

test("an operation is refused to its caller for a minute, and to nobody on a guess", () => {
  const hung = underWay("listClients", "ana");
  const cases: [string, RequestUnderWay[], boolean, string | undefined][] = [
    ["one request", [hung], true, "listClients ana"],
    [
      "one that works, others that wait",
      [underWay("readVersions", "bia", true), hung],
      true,
      "listClients ana",
    ],
    ["two that work", [hung, underWay("listPlans", "bia")], true, undefined],
    ["more than can be noted down", [hung], false, undefined],
    ["somebody who signs in", [underWay("signIn", "")], true, undefined],
    ["none", [], true, undefined],
  ];
  for (const [name, requests, isAll, refused] of cases) {
    const suspects = new Suspects();
    const { suspension } = suspects.judge({ requests, isAll }, 1_000);
    assert.equal(suspension && `${suspension.operation} ${suspension.callerId}`, refused, name);
    assert.equal(suspects.suspensions(60_999).length, refused === undefined ? 0 : 1, name);
    assert.deepEqual(suspects.suspensions(61_000), [], name);
  }
  const { fields } = new Suspects().judge({ requests: [hung, underWay("listPlans", "bia")], isAll: true }, 0);
  assert.deepEqual(fields, {
    operation: "listClients",
    reqId: "r-ana",
    organizationId: "org",
    underWay: ["listPlans org r-bia"],
  });
});

function underWay(operation: string, callerId: string, waits = false): RequestUnderWay {
  return { operation, organizationId: "org", callerId, requestId: `r-${callerId}`, waits };
}
