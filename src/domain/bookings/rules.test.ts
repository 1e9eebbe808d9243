import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseReturning, type Visitor } from "./rules.ts";

const active: Visitor = { status: "active", isErased: false };

test("who comes back: the first booked, as far as there are seats, each on what covers it now", () => {
  const draw = { contractId: "k", entitlementId: "pack", type: "credits" } as const;
  const ended = [
    { clientId: "ana", entitlementId: "pack" },
    { clientId: "bia", entitlementId: "pack" },
    { clientId: "caio", entitlementId: "pack" },
    { clientId: "duda" },
    { clientId: "elsa", entitlementId: "pack" },
    { clientId: "fabio" },
  ];
  const visitors = new Map<string, Visitor>([
    ["ana", active],
    ["bia", { ...active, status: "archived" }],
    ["caio", active],
    ["duda", active],
    ["elsa", active],
    ["fabio", { status: "archived", isErased: true }],
  ]);
  // Another entitlement of the client is not drawn on in place of the one that was.
  const coverages = new Map([
    ["ana", { draws: [draw], reasons: [] }],
    ["caio", { draws: [{ ...draw, entitlementId: "other" }], reasons: [] }],
  ]);
  for (const [seats, expected] of [
    [3, "booked archived uncovered booked full erased"],
    [1, "booked archived full full full erased"],
    [0, "full archived full full full erased"],
  ] as const) {
    const returning = chooseReturning(ended, { seats, visitors, coverages });
    assert.equal(returning.map(({ outcome }) => outcome).join(" "), expected);
    assert.deepEqual(
      returning.flatMap((each) => each.draw ?? []),
      seats > 0 ? [draw] : [],
    );
  }
});
