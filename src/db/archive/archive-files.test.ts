import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import {
  type ArchiveFacts,
  type BaseCopy,
  hasArchived,
  listArchives,
  listSegments,
  nextSegment,
  pruneArchive,
  readArchive,
  removeEndedArchives,
} from "./archive-files.ts";

const [BEFORE, OWN, OTHER] = [
  "20261101T000000Z-aaaaaa",
  "20261102T000000Z-bbbbbb",
  "20261103T000000Z-cccccc",
] as const;

test("segments follow each other over the ends of PostgreSQL's logs", () => {
  for (const [name, next] of [
    ["000000010000000000000001", "000000010000000000000002"],
    ["0000000100000000000000FF", "000000010000000100000000"],
    ["00000001000000FF000000FF", "000000010000010000000000"],
  ] as const)
    assert.equal(nextSegment(name), next);
});

test("pruning keeps the newest base copy from before the window, all since, and the log from it on", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "rollbook-prune-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const path = await makeArchive(folder, OWN, {
    days: [1, 2, 3, 4],
    segments: [
      "0000000100000000000000FE",
      "0000000100000000000000FF",
      "000000010000000100000000",
      "000000010000000100000001",
    ],
  });
  await writeFile(join(path, "bases", "20261100T030000Z.tar.gz"), "a copy whose time was never written down");
  const removed = await pruneArchive(await archiveOf(path), Date.parse("2026-11-03T12:00:00Z"));
  assert.equal(removed, 7);
  const kept = await archiveOf(path);
  assert.deepEqual(
    kept.bases.map(({ name }) => name),
    ["20261103T030000Z", "20261104T030000Z"],
  );
  assert.deepEqual(await listSegments(path), ["000000010000000100000000", "000000010000000100000001"]);
  assert.deepEqual((await readdir(join(path, "bases"))).length, 4);
  assert.equal(await pruneArchive(kept, Date.parse("2026-11-03T12:00:00Z")), 0);
  assert.equal(await pruneArchive(kept, Date.parse("2027-11-03T12:00:00Z")), 3, "the newest always stays");
});

test("a segment counts as archived once it or a later one is there, also if it was removed since", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "rollbook-reached-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const path = await makeArchive(folder, OWN, {
    days: [],
    segments: ["0000000100000000000000FE", "000000010000000100000001"],
  });
  const draft = join(path, "log", "0000000100000001", "000000010000000100000002-0123.gz.7.part");
  await writeFile(draft, "");
  for (const [segment, isArchived] of [
    ["000000010000000000000002", true],
    ["0000000100000000000000FE", true],
    ["0000000100000000000000FF", true],
    ["000000010000000100000001", true],
    ["000000010000000100000002", false],
    ["000000010000000200000000", false],
  ] as const)
    assert.equal(await hasArchived(path, segment), isArchived, segment);
});

test("a base copy that was finished at the very moment is enough for it", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "rollbook-prune-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const path = await makeArchive(folder, OWN, { days: [1, 2] });
  const finished = Date.parse("2026-11-02T03:00:00.000Z");
  assert.equal(await pruneArchive(await archiveOf(path), finished - 1), 0);
  assert.equal(await pruneArchive(await archiveOf(path), finished), 2);
  assert.deepEqual(
    (await archiveOf(path)).bases.map(({ name }) => name),
    ["20261102T030000Z"],
  );
});

test("an ended archive of the same cluster goes when its time is over; another cluster's never", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "rollbook-prune-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const own = await makeArchive(folder, OWN, { days: [9] });
  await makeArchive(folder, BEFORE, { days: [1] });
  await makeArchive(folder, OTHER, { days: [1], systemIdentifier: "2" });
  const archive = await archiveOf(own);
  const written = new Date("2026-11-03T12:00:00Z");
  await utimes(join(folder, BEFORE, "log"), written, written);
  for (const [before, gone] of [
    ["2026-11-01T00:00:00Z", []],
    ["2026-11-02T00:00:00Z", []],
    ["2026-11-04T00:00:00Z", [BEFORE]],
  ] as const)
    assert.deepEqual(await removeEndedArchives(archive, Date.parse(before)), gone);
  assert.deepEqual((await readdir(folder)).sort(), [OWN, OTHER]);
});

test("what is not an archive is passed over, and one that cannot be read is named and hides no other", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "rollbook-list-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await makeArchive(folder, OWN, { days: [1] });
  for (const name of ["lost+found", OTHER]) {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, "archive.json"), "{ half");
  }
  const { archives, unreadable } = await listArchives(folder);
  assert.deepEqual(
    archives.map(({ name }) => name),
    [OWN],
  );
  assert.deepEqual(unreadable, [OTHER]);
  assert.deepEqual(await removeEndedArchives(await archiveOf(join(folder, OWN)), Date.now()), []);
});

test("base copies are in the order of the log, whatever a clock said, and one that names files elsewhere is none", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "rollbook-list-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const secret = join(folder, "secret");
  await writeFile(secret, "of somebody else");
  for (const wrong of [
    { name: "20261101T030000Z", file: "../../secret" },
    { name: "../../secret", file: "20261101T030000Z.tar.gz" },
    { name: "20261101T030000Z", startSegment: "..", file: "20261101T030000Z.tar.gz" },
  ]) {
    const path = await makeArchive(folder, OWN, {
      days: [5, 2, 3],
      segments: ["000000010000000000000001", "000000010000000000000002", "000000010000000000000003"],
    });
    const [last] = (await archiveOf(path)).bases;
    await writeFile(join(path, "bases", "20261101T030000Z.json"), JSON.stringify({ ...last, ...wrong }));
    const archive = await archiveOf(path);
    assert.deepEqual(
      archive.bases.map(({ name }) => name),
      ["20261105T030000Z", "20261102T030000Z", "20261103T030000Z"],
    );
    await pruneArchive(archive, Date.parse("2027-01-01T00:00:00Z"));
    assert.equal(await readFile(secret, "utf8"), "of somebody else");
    await rm(path, { recursive: true });
  }
});

/** A base copy at three in the morning of each day, which needs the segment of its place in the list. */
async function makeArchive(
  folder: string,
  name: string,
  {
    days,
    segments = [],
    systemIdentifier = "1",
  }: { days: number[]; segments?: string[]; systemIdentifier?: string },
): Promise<string> {
  const path = join(folder, name);
  for (const part of ["bases", "log"]) await mkdir(join(path, part), { recursive: true });
  const facts: ArchiveFacts = { systemIdentifier, createdAt: "2026-11-01T00:00:00.000Z" };
  await writeFile(join(path, "archive.json"), JSON.stringify(facts));
  for (const [place, day] of days.entries()) {
    const at = `2026-11-0${day}T03:00:00.000Z`;
    const base: BaseCopy = {
      name: `2026110${day}T030000Z`,
      startedAt: at,
      finishedAt: at,
      startSegment: segments[place] ?? `00000001000000000000000${place}`,
      bytes: 1,
      file: `2026110${day}T030000Z.tar.gz`,
    };
    await writeFile(join(path, "bases", base.file), "");
    await writeFile(join(path, "bases", `${base.name}.json`), JSON.stringify(base));
  }
  for (const segment of segments) {
    await mkdir(join(path, "log", segment.slice(0, 16)), { recursive: true });
    await writeFile(join(path, "log", segment.slice(0, 16), `${segment}-0123.gz`), "");
  }
  return path;
}

async function archiveOf(path: string) {
  const archive = await readArchive(path);
  assert.ok(archive);
  return archive;
}
