import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "../../console/api/problem.ts";
import type { Fault } from "../../src/core/faults.ts";
import { DICTIONARIES } from "../../src/languages/dictionaries.ts";
import { describeFault } from "../../src/languages/wording.ts";

test("whatever fault names a member names the field instead, in every language", () => {
  const member = "firstDay";
  const faults: Fault[] = [
    ...(["before_member", "after_member", "required_with", "not_together_with"] as const).map((code) => ({
      location: `body.${code}`,
      code,
      params: { member },
    })),
    { location: "body.span_too_long", code: "span_too_long", params: { member, maxDays: 92 } },
  ];
  for (const dictionary of Object.values(DICTIONARIES)) {
    const errors = JSON.parse(JSON.stringify(faults.map((fault) => describeFault(fault, dictionary))));
    const problem = new Problem({ title: "", status: 422, errors });
    for (const { code } of faults) {
      assert.match(problem.faultAt(code) ?? "", / firstDay$/);
      assert.match(problem.named({ firstDay: "First day" }).faultAt(code) ?? "", / “First day”$/);
      assert.equal(problem.named({ lastDay: "Last day" }).faultAt(code), problem.faultAt(code));
    }
  }
});

test("what is wrong with an item of a list is shown at the list, unless the item has a field of its own", () => {
  const faultOf = (location: string) => ({ location: `body.${location}`, code: "x", message: location });
  const errors = ["locationIds[1]", "entitlements[0]", "entitlements[0].period"].map(faultOf);
  const problem = new Problem({ title: "", status: 422, errors });
  assert.equal(problem.faultAt("locationIds"), "locationIds[1]");
  assert.equal(problem.faultAt("entitlements[0]"), "entitlements[0]");
  assert.equal(problem.faultAt("entitlements[0].period"), "entitlements[0].period");
  assert.deepEqual(problem.faultsBeside(["locationIds", "entitlements[0]", "entitlements[0].period"]), []);
  assert.equal(problem.faultsBeside(["entitlements"]).length, 2);
});
