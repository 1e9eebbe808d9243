import assert from "node:assert/strict";
import { test } from "node:test";
import { runningBefore } from "../../console/screens/clients/renewal.ts";

const today = "2026-11-18";
const groups = [{ id: "mat", serviceTypeIds: ["pilates", "yoga"] }];
const contract = (planName: string, grant: object, more: object = {}) => ({
  id: planName,
  planName,
  status: "active" as const,
  endDate: "2026-11-30" as string | undefined,
  entitlements: [{ type: "access" as const, ...grant }],
  ...more,
});
const plan = (...entitlements: object[]) => ({ id: "sold", entitlements });

test("a plan follows the running contract that covers some of the same and ends last", () => {
  const cases: [string, ReturnType<typeof contract>[], ReturnType<typeof plan>, string | undefined][] = [
    ["nothing runs", [], plan({}), undefined],
    [
      "the same service",
      [contract("a", { serviceTypeId: "yoga" })],
      plan({ serviceTypeId: "yoga" }),
      "a 2026-12-01",
    ],
    [
      "another service",
      [contract("a", { serviceTypeId: "massage" })],
      plan({ serviceTypeId: "yoga" }),
      undefined,
    ],
    [
      "a service of the group",
      [contract("a", { serviceGroupId: "mat" })],
      plan({ serviceTypeId: "yoga" }),
      "a 2026-12-01",
    ],
    [
      "none of the group",
      [contract("a", { serviceGroupId: "mat" })],
      plan({ serviceTypeId: "massage" }),
      undefined,
    ],
    ["everything", [contract("a", {})], plan({ serviceTypeId: "massage" }), "a 2026-12-01"],
    ["no credit left", [contract("a", { type: "credits", remainingCredits: 0 })], plan({}), undefined],
    ["a credit left", [contract("a", { type: "credits", remainingCredits: 1 })], plan({}), "a 2026-12-01"],
    ["withdrawn", [contract("a", { revokedAt: "2026-11-01T00:00:00Z" })], plan({}), undefined],
    ["cancelled", [contract("a", {}, { status: "cancelled" })], plan({}), undefined],
    [
      "over, though it was imported as active",
      [contract("a", {}, { endDate: "2026-11-17" })],
      plan({}),
      undefined,
    ],
    ["its last day", [contract("a", {}, { endDate: today })], plan({}), "a 2026-11-19"],
    ["paused", [contract("a", {}, { status: "paused" })], plan({}), "a 2026-12-01"],
    ["without end", [contract("a", {}, { endDate: undefined }), contract("b", {})], plan({}), "a"],
    [
      "the later of two",
      [contract("a", {}), contract("b", {}, { endDate: "2026-12-31" })],
      plan({}),
      "b 2027-01-01",
    ],
    ["further than sales go", [contract("a", {}, { endDate: "2027-11-19" })], plan({}), undefined],
  ];
  for (const [name, contracts, sold, expected] of cases) {
    const found = runningBefore(contracts, sold, groups, today);
    const said = found && [found.contract.id, found.nextDay].filter(Boolean).join(" ");
    assert.equal(said, expected, name);
  }
});
