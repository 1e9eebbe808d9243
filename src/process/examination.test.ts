import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Finding,
  judgeArchive,
  judgeBackup,
  judgeBase,
  judgeCache,
  judgeClock,
  judgeConnections,
  judgeDrill,
  judgeSchema,
  judgeSpace,
  judgeStorage,
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
    ...judgeStorage([{ id: "0181", records: "9500", limit: "10000" }]).map(
      (finding): [Finding, "warning"] => [finding, "warning"],
    ),
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

test("an archive is wrong when it is gone or the log piles up, and a drill is asked for once a month", () => {
  const archiving = { folder: "/mnt/backup", archive: "one", seconds: 60, since: "2026-11-18T00:00:00.000Z" };
  const now = Date.parse("2026-11-18T09:30:00Z");
  const state = { archiving, reachedAt: "2026-11-18T09:29:00.000Z", waitingBytes: 0 };
  for (const [change, expected, words] of [
    [{}, "good", /everything until 2026-11-18T09:29/],
    [{ reachedAt: "2026-11-18T09:20:00.000Z" }, "warning", /until 2026-11-18T09:20/],
    [{ waitingBytes: 2 ** 30 }, "wrong", /1024 MB of the log wait/],
    [{ obstacle: "ENOENT" }, "wrong", /is its disk mounted/],
    [{ obstacle: "EIO" }, "wrong", /cannot be read \(EIO\)/],
  ] as const) {
    const { state: judged, sentence } = judgeArchive({ ...state, ...change }, now);
    assert.equal(judged, expected, sentence);
    assert.match(sentence, words);
  }
  const day = 86_400_000;
  assert.equal(judgeBase({}, now).state, "warning");
  assert.equal(judgeBase({ baseAt: "2026-11-17T09:00:00Z" }, now).state, "good");
  assert.equal(judgeBase({ baseAt: "2026-11-17T03:00:00Z" }, now).state, "wrong");
  const ahead = judgeBase({ baseAt: "2027-11-17T09:00:00Z" }, now);
  assert.equal(ahead.state, "wrong");
  assert.match(ahead.sentence, /which is to come: set the clock/);
  assert.equal(judgeDrill(undefined, now).state, "warning");
  assert.equal(judgeDrill(now - 30 * day, now).state, "good");
  assert.equal(judgeDrill(now - 40 * day, now).state, "warning");
});
