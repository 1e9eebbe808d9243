import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Finding,
  judgeBackup,
  judgeCache,
  judgeClock,
  judgeConnections,
  judgeSchema,
  judgeSpace,
  movedClock,
  nodeVersion,
  publicAddress,
} from "./examination.ts";

test("each thing that is looked at is good, worth a note, or wrong at its own bound", () => {
  const hour = 3_600_000;
  const cases: [Finding, Finding["state"]][] = [
    [nodeVersion("18.20.0"), "wrong"],
    [nodeVersion("20.18.9"), "wrong"],
    [nodeVersion("20.19.0"), "good"],
    [nodeVersion("24.0.0"), "good"],
    [publicAddress({ publicUrl: undefined, host: "127.0.0.1" }), "warning"],
    [publicAddress({ publicUrl: "http://api.example.com", host: "127.0.0.1" }), "warning"],
    [publicAddress({ publicUrl: "http://localhost:8080", host: "0.0.0.0" }), "warning"],
    [publicAddress({ publicUrl: "https://api.example.com", host: "0.0.0.0" }), "good"],
    [judgeSpace(50 * 1024 ** 2, "/srv"), "wrong"],
    [judgeSpace(500 * 1024 ** 2, "/srv"), "warning"],
    [judgeSpace(5 * 1024 ** 3, "/srv"), "good"],
    [judgeClock(0), "good"],
    [judgeClock(-5_000), "warning"],
    [judgeClock(60_000), "wrong"],
    [judgeSchema(3, 3), "good"],
    [judgeSchema(0, 3), "warning"],
    [judgeSchema(4, 3), "wrong"],
    [
      judgeConnections({ workers: 1, poolSize: 16, downloads: 4 }, { maxConnections: 100, reserved: 3 }),
      "good",
    ],
    [
      judgeConnections({ workers: 8, poolSize: 16, downloads: 4 }, { maxConnections: 100, reserved: 3 }),
      "wrong",
    ],
    [judgeCache({ cacheMegabytes: "auto", workers: 2 }, 2 * 1024 ** 3), "good"],
    [judgeCache({ cacheMegabytes: 16, workers: 1 }, 2 * 1024 ** 3), "warning"],
    [judgeCache({ cacheMegabytes: 300, workers: 2 }, 2 * 1024 ** 3), "warning"],
    [judgeBackup(90 * hour, 100 * hour, "The last"), "good"],
    [judgeBackup(10 * hour, 100 * hour, "The last"), "wrong"],
  ];
  for (const [finding, state] of cases) {
    assert.equal(finding.state, state, finding.sentence);
    assert.match(finding.sentence, /^[^\n]+\.$/);
  }
});

test("a moved clock is noted, one that is not is no matter", () => {
  const sentences = [0, 36 * 3_600_000, -90_000].map((clockOffsetMs) =>
    movedClock({ clockOffsetMs }).map(({ state, sentence }) => `${state}: ${sentence.slice(0, 40)}`),
  );
  assert.deepEqual(sentences, [
    [],
    ["warning: The clock is 36h ahead because of CLOCK_"],
    ["warning: The clock is 90s behind because of CLOCK"],
  ]);
});
