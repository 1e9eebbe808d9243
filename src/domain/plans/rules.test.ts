import assert from "node:assert/strict";
import { test } from "node:test";
import { checkSoldPlan } from "./rules.ts";

const access = { type: "access" as const };
const credits = { type: "credits" as const, creditQuantity: 10 };
const good = {
  billingKind: "recurring" as const,
  billingInterval: "month" as const,
  currency: "BRL",
  allLocations: true,
  locationIds: [],
  entitlements: [access],
};

test("a plan that is sold is clear in every point, and all its faults are found at once", () => {
  const cases: readonly [object, readonly string[]][] = [
    [{}, []],
    [{ billingKind: "one_time", billingInterval: undefined }, []],
    [{ currency: "EUR" }, ["currency"]],
    [{ billingInterval: undefined }, ["billingInterval"]],
    [{ billingKind: "one_time" }, ["billingInterval"]],
    [{ entitlements: [] }, ["entitlements"]],
    [{ entitlements: [{ ...access, period: "week", maxVisitsPerPeriod: 3 }] }, []],
    [{ entitlements: [{ ...access, period: "week" }] }, ["entitlements[0].maxVisitsPerPeriod"]],
    [{ entitlements: [{ ...access, maxVisitsPerPeriod: 3 }] }, ["entitlements[0].period"]],
    [{ entitlements: [credits] }, []],
    [{ entitlements: [{ type: "credits" }] }, ["entitlements[0].creditQuantity"]],
    [{ entitlements: [{ ...credits, creditQuantity: 0 }] }, ["entitlements[0].creditQuantity"]],
    [{ entitlements: [{ ...credits, period: "week" }] }, ["entitlements[0].period"]],
    [{ entitlements: [{ ...credits, maxVisitsPerPeriod: 3 }] }, ["entitlements[0].maxVisitsPerPeriod"]],
    [{ entitlements: [{ ...access, creditQuantity: 3 }] }, ["entitlements[0].creditQuantity"]],
    [
      { entitlements: [{ ...access, serviceTypeId: "a", serviceGroupId: "b" }] },
      ["entitlements[0].serviceGroupId"],
    ],
    [{ entitlements: [access, credits, access] }, ["entitlements[2]"]],
    [{ entitlements: [{ ...access, serviceTypeId: "a" }, { ...access, serviceTypeId: "b" }, access] }, []],
    [
      {
        entitlements: [
          { ...access, serviceTypeId: "a" },
          { ...access, serviceGroupId: "a" },
        ],
      },
      [],
    ],
    [{ durationCount: 1 }, ["durationUnit"]],
    [{ locationIds: ["a"] }, ["locationIds"]],
    [
      { currency: "EUR", billingInterval: undefined, entitlements: [{ type: "credits", period: "day" }] },
      ["currency", "billingInterval", "entitlements[0].creditQuantity", "entitlements[0].period"],
    ],
  ];
  for (const [given, locations] of cases)
    assert.deepEqual(
      checkSoldPlan({ ...good, ...given }, { currency: "BRL" }).map(({ location }) => location),
      locations,
      JSON.stringify(given),
    );
});
