import assert from "node:assert/strict";
import { test } from "node:test";
import { routeHosts } from "./proxy-map.ts";

test("the hosts of an organization are led to another backend, and every other line stays as it is", () => {
  const cases: [map: string, hosts: string[], expected: string][] = [
    ["", ["a.example.com"], "a.example.com cell2\n"],
    ["a.example.com cell1\n", ["a.example.com"], "a.example.com cell2\n"],
    ["# hosts\n\nA.example.com\tcell1", ["a.example.com"], "# hosts\n\nA.example.com cell2\n"],
    [
      "a.example.com cell1\nba.example.com cell1\n",
      ["a.example.com", "c.example.com"],
      "a.example.com cell2\nba.example.com cell1\nc.example.com cell2\n",
    ],
  ];
  for (const [map, hosts, expected] of cases) assert.equal(routeHosts(map, hosts, "cell2"), expected);
});
