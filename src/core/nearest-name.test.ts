import assert from "node:assert/strict";
import { test } from "node:test";
import { nearestName } from "./nearest-name.ts";

const KNOWN = ["limit", "offset", "clientId", "locationId", "status", "contactName", "contactEmail", "id"];

test("a misspelt name finds the known one that it stands for, and any other finds none", () => {
  const cases: [given: string, nearest: string | undefined][] = [
    ["clientID", "clientId"],
    ["client_id", "clientId"],
    ["CLIENTID", "clientId"],
    ["statsu", "status"],
    ["state", undefined],
    ["stauts", "status"],
    ["limits", "limit"],
    ["locationid", "locationId"],
    ["locationIds", "locationId"],
    ["conctactName", "contactName"],
    ["email", "contactEmail"],
    ["client", "clientId"],
    ["ID", "id"],
    ["ab", undefined],
    ["nickname", undefined],
    ["", undefined],
    ["é", undefined],
    ["__proto__", undefined],
    ["clientId".repeat(9), undefined],
  ];
  for (const [given, nearest] of cases) assert.equal(nearestName(given, KNOWN), nearest, given);
});
