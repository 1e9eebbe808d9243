import assert from "node:assert/strict";
import { test } from "node:test";
import { withStandIn } from "../../console/booking/stand-in.ts";

const PEOPLE = ["carla", "dora", "bruno"];

test("whoever is chosen stands in for the one who was there; with several, or chosen again, they run it together", () => {
  for (const [before, chosen, id, expected] of [
    [["carla", "room"], ["carla", "room"], "dora", ["room", "dora"]],
    [["carla"], ["dora"], "bruno", ["dora", "bruno"]],
    [["carla"], ["dora"], "carla", ["dora", "carla"]],
    [["carla"], ["dora", "carla"], "bruno", ["dora", "carla", "bruno"]],
    [["carla", "bruno"], ["carla", "bruno"], "dora", ["carla", "bruno", "dora"]],
    [["room"], ["room"], "dora", ["room", "dora"]],
    [[], [], "dora", ["dora"]],
    [[], ["dora"], "carla", ["dora", "carla"]],
  ] as const)
    assert.deepEqual(withStandIn(chosen, id, { before, ofKind: PEOPLE }), expected, `${chosen} and ${id}`);
});
