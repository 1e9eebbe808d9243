import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  type ContractGrant,
  type ContractGrants,
  type PlanGrant,
  type PlanGrants,
  propagate,
} from "./propagation.ts";

const [PILATES, YOGA, MASSAGE] = ["pilates", "yoga", "massage"];
const pilates = (maxVisitsPerPeriod: number): PlanGrant => ({
  type: "access",
  period: "week",
  maxVisitsPerPeriod,
  serviceTypeId: PILATES,
});
const massage = (creditQuantity: number): PlanGrant => ({
  type: "credits",
  creditQuantity,
  serviceTypeId: MASSAGE,
});
const yoga: PlanGrant = { type: "access", serviceTypeId: YOGA };

function plan(entitlements: readonly PlanGrant[], locationIds: string[] = []): PlanGrants {
  return { entitlements, allLocations: locationIds.length === 0, locationIds };
}

/** A contract as it is sold from the plan. */
function sold(from: PlanGrants): ContractGrants {
  const entitlements = from.entitlements.map(({ creditQuantity, ...grant }, place) => ({
    id: String(place),
    ...grant,
    ...(creditQuantity !== undefined && { remainingCredits: creditQuantity }),
  }));
  return { ...from, entitlements };
}

const NOW = "2026-11-16T12:00:00.000Z";

/** The contract as the edit leaves it. */
function follow(before: PlanGrants, after: PlanGrants, contract: ContractGrants): ContractGrants {
  const writes = propagate(before, after, contract);
  if (!writes) return contract;
  const changed = contract.entitlements.map((grant): ContractGrant => {
    const change = writes.changed.find(({ id }) => id === grant.id);
    if (change) {
      const { period, maxVisitsPerPeriod, revokedAt, ...rest } = grant;
      assert.equal(change.isRestored, revokedAt !== undefined);
      return { ...rest, ...change.cap };
    }
    return writes.revoked.includes(grant.id) ? { ...grant, revokedAt: NOW } : grant;
  });
  const added = writes.added.map(({ creditQuantity, ...grant }, place) => ({
    id: `new${contract.entitlements.length + place}`,
    ...grant,
    ...(creditQuantity !== undefined && { remainingCredits: creditQuantity }),
  }));
  return { ...contract, ...writes.locations, entitlements: [...changed, ...added] };
}

test("caps follow, what is taken away is revoked with its balance, what is added comes last", () => {
  const before = plan([pilates(3), massage(10)]);
  const after = plan([pilates(2), yoga]);
  const contract = sold(before);
  const drawn = {
    ...contract,
    entitlements: contract.entitlements.map((grant) =>
      grant.type === "credits" ? { ...grant, remainingCredits: 7 } : grant,
    ),
  };
  const followed = follow(before, after, drawn);
  assert.deepEqual(followed.entitlements, [
    { id: "0", ...pilates(2) },
    { id: "1", type: "credits", serviceTypeId: MASSAGE, remainingCredits: 7, revokedAt: NOW },
    { id: "new2", ...yoga },
  ]);
  // Put back with other credits: the old grant is in force again, with the balance that it has by then.
  const returned = {
    ...followed,
    entitlements: followed.entitlements.map((grant) =>
      grant.id === "1" ? { ...grant, remainingCredits: 8 } : grant,
    ),
  };
  const restored = follow(after, plan([pilates(2), yoga, massage(5)]), returned);
  assert.deepEqual(restored.entitlements[1], {
    id: "1",
    type: "credits",
    serviceTypeId: MASSAGE,
    remainingCredits: 8,
  });
  assert.equal(restored.entitlements.length, 3);
});

test("the credits of a plan, its name, price and terms change nothing on a contract", () => {
  const before = plan([massage(10)]);
  assert.equal(propagate(before, plan([massage(5)]), sold(before)), undefined);
  assert.equal(propagate(before, before, sold(before)), undefined);
});

test("another scope is another grant: the old one is revoked, the new one added", () => {
  const before = plan([pilates(3)]);
  const after = plan([{ ...pilates(3), serviceTypeId: YOGA }]);
  const { added, revoked, changed } = propagate(before, after, sold(before)) ?? assert.fail();
  assert.deepEqual([added, revoked, changed], [after.entitlements, ["0"], []]);
});

test("a cap that was agreed otherwise stays as long as the plan's own does", () => {
  const before = plan([pilates(3)]);
  const contract = sold(plan([pilates(5)]));
  assert.equal(propagate(before, plan([pilates(3), yoga]), contract)?.changed.length, 0);
  assert.deepEqual(follow(before, plan([pilates(2)]), contract).entitlements, [{ id: "0", ...pilates(2) }]);
});

test("a cap that is dropped from the plan is dropped from the contract", () => {
  const before = plan([pilates(3)]);
  const after = plan([{ type: "access", serviceTypeId: PILATES }]);
  assert.deepEqual(follow(before, after, sold(before)).entitlements, [
    { id: "0", type: "access", serviceTypeId: PILATES },
  ]);
});

test("a grant that the contract already has is not added a second time", () => {
  const before = plan([pilates(3)]);
  const contract = sold(plan([pilates(3), yoga]));
  assert.equal(propagate(before, plan([pilates(3), yoga]), contract), undefined);
});

test("of two grants with one scope the first is compared with the first", () => {
  const before = plan([pilates(3), pilates(5)]);
  const after = plan([pilates(4)]);
  assert.deepEqual(propagate(before, after, sold(before)), {
    added: [],
    changed: [{ id: "0", cap: { period: "week", maxVisitsPerPeriod: 4 }, isRestored: false }],
    revoked: ["1"],
  });
});

test("locations follow if they were the plan's; agreed otherwise, they stay", () => {
  const before = plan([yoga], ["a", "b"]);
  const after = plan([yoga], ["a", "c"]);
  const contract = sold(before);
  assert.deepEqual(propagate(before, after, { ...contract, locationIds: ["b", "a"] })?.locations, {
    allLocations: false,
    locationIds: ["a", "c"],
  });
  assert.equal(propagate(before, after, { ...contract, locationIds: ["a"] }), undefined);
  assert.equal(propagate(before, after, { ...contract, allLocations: true, locationIds: [] }), undefined);
  assert.deepEqual(propagate(before, plan([yoga]), contract)?.locations, {
    allLocations: true,
    locationIds: [],
  });
});

const grant: fc.Arbitrary<PlanGrant> = fc.oneof(
  fc.record({
    type: fc.constant("access" as const),
    period: fc.constant("week" as const),
    maxVisitsPerPeriod: fc.integer({ min: 1, max: 3 }),
    serviceTypeId: fc.constantFrom(PILATES, YOGA, MASSAGE) as fc.Arbitrary<string>,
  }),
  fc.record({
    type: fc.constant("credits" as const),
    creditQuantity: fc.integer({ min: 1, max: 9 }),
    serviceTypeId: fc.constantFrom(PILATES, YOGA, MASSAGE) as fc.Arbitrary<string>,
  }),
);
const anyPlan = fc
  .uniqueArray(grant, { maxLength: 6, selector: ({ type, serviceTypeId }) => type + serviceTypeId })
  .map((grants) => plan(grants));

test("after any edits a contract has in force what the plan has, and every balance it ever had", () => {
  const inForce = ({ entitlements }: ContractGrants) =>
    entitlements
      .filter(({ revokedAt }) => revokedAt === undefined)
      .map(({ type, serviceTypeId, period, maxVisitsPerPeriod }) =>
        [type, serviceTypeId, period, maxVisitsPerPeriod].join(),
      )
      .sort();
  fc.assert(
    fc.property(anyPlan, fc.array(anyPlan, { minLength: 1, maxLength: 5 }), (first, edits) => {
      let before = first;
      let contract = sold(first);
      for (const after of edits) {
        const followed = follow(before, after, contract);
        assert.deepEqual(inForce(followed), inForce(sold(after)));
        contract.entitlements.forEach(({ id, remainingCredits }, place) => {
          assert.deepEqual(
            [id, remainingCredits],
            [followed.entitlements[place]?.id, followed.entitlements[place]?.remainingCredits],
          );
        });
        // Back again, the plan as it was: the contract is as it was, but for what was added in between.
        assert.deepEqual(inForce(follow(after, before, followed)), inForce(contract));
        before = after;
        contract = followed;
      }
    }),
  );
});
