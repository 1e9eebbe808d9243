import assert from "node:assert/strict";
import { test } from "node:test";
import { daysAfter } from "../../src/core/dates.ts";
import type { ShortReads } from "../../src/db/database.ts";
import { mintKey } from "../../src/domain/keys/operations.ts";
import { VersionWatch } from "../../src/domain/organizations/version-watch.ts";
import { dateIn } from "../../src/domain/recurrence/zones.ts";
import { Passwords } from "../../src/domain/staff/passwords.ts";
import { openApi, PUBLIC_URL, startApi } from "../support/api.ts";
import { newBookingStudio, ZONE } from "../support/booking-studio.ts";
import { until } from "../support/poll.ts";
import { CHEAP, newStaff, type TestStaff } from "../support/staff.ts";

const api = await startApi({ passwords: new Passwords(CHEAP) });
const other = await startApi({ beside: api });
const tomorrow = daysAfter(dateIn(ZONE, Date.now()), 1);

async function versionsOf(staff: TestStaff): Promise<string> {
  const { status, body } = await staff.read("versions");
  assert.equal(status, 200);
  return body.versions;
}

test("the versions are others after every kind of write, and the same while nothing is written", async () => {
  const studio = await newBookingStudio(api);
  const owner = await newStaff(api, studio.id);
  const sessionId = await studio.session(`${tomorrow}T07:00`, { capacity: 1 });
  const clientId = await studio.member();
  let bookingId = "";
  let link = "";
  const writes: Readonly<Record<string, () => Promise<{ status: number; body: unknown }>>> = {
    "a client over the public API": () =>
      studio.call("POST", "/v1/clients", {
        body: { contactName: "Ana", locationIds: [studio.place.locationId] },
      }),
    "a booking": async () => {
      const answer = await owner.write("book", { clientId, session: { sessionId } });
      bookingId = answer.body.result.id;
      return answer;
    },
    "somebody in line": async () =>
      owner.write("joinWaiting", { clientId: await studio.member(), session: { sessionId } }),
    "a booking that is told of": () => owner.write("markTold", { bookingIds: [bookingId] }),
    settings: () => owner.write("editSettings", { changes: { cancelWindowMinutes: 60 } }),
    "a resource": () => owner.write("addResource", { name: "Room 1", kind: "room" }),
    "a colleague": async () => {
      const email = `${clientId}@example.com`;
      const answer = await owner.write("addStaff", {
        name: "Bia",
        email,
        role: "front_desk",
        allLocations: true,
      });
      link = answer.body.result.link;
      return answer;
    },
    "a colleague who uses the link": () =>
      api.call("POST", "/app/v1/acceptLink", {
        body: { token: link.split("#link=")[1], password: "a long sentence of hers" },
        headers: { origin: PUBLIC_URL },
      }),
    "a key, by the operator": async () => {
      await mintKey(api.db, api.keySecret, "operator:test", { organizationId: studio.id });
      return { status: 200, body: {} };
    },
  };
  let before = await versionsOf(owner);
  for (const [what, write] of Object.entries(writes)) {
    const { status, body } = await write();
    assert.ok(status < 300, `${what}: ${JSON.stringify(body)}`);
    const after = await versionsOf(owner);
    assert.notEqual(after, before, what);
    assert.equal(await versionsOf(owner), after, `nothing was written after ${what}`);
    before = after;
  }
  const dry = await owner.write("editSettings", { changes: { cancelWindowMinutes: 90 }, dryRun: true });
  assert.equal(dry.status, 200);
  assert.equal(await versionsOf(owner), before, "a dry run changes nothing");
});

test("whoever waits at one node is answered when another one writes, and not by other organizations", async () => {
  const [studio, elsewhere] = [await api.newOrganization(), await api.newOrganization()];
  const [owner, stranger] = [await newStaff(api, studio.id), await newStaff(api, elsewhere.id)];
  const [after, known] = [await versionsOf(owner), await versionsOf(stranger)];
  const waiting = owner.read(`versions?after=${after}&wait=30`, { through: other });
  const unmoved = stranger.read(`versions?after=${known}&wait=2`, { through: other });
  await owner.write("addResource", { name: "Room 1", kind: "room" });
  const { status, body } = await waiting;
  assert.equal(status, 200);
  assert.equal(body.versions, await versionsOf(owner));
  assert.notEqual(body.versions, after);
  assert.equal((await unmoved).body.versions, known);
});

test("a wait is between 0 and 30 seconds, and versions that are not the present ones are not waited with", async () => {
  const studio = await api.newOrganization();
  const owner = await newStaff(api, studio.id);
  for (const wait of ["31", "-1", "1.5", "soon"])
    assert.equal((await owner.read(`versions?wait=${wait}`)).status, 422, wait);
  assert.equal((await owner.read("versions?after=a%20b")).status, 422);
  const now = await versionsOf(owner);
  for (const path of ["versions?wait=30", "versions?after=older&wait=30"])
    assert.equal((await owner.read(path)).body.versions, now);
});

test("a server that closes answers whoever waits, at once and with what they know", async () => {
  const closing = await openApi({ beside: api });
  const studio = await api.newOrganization();
  const owner = await newStaff(api, studio.id);
  const after = await versionsOf(owner);
  const waiting = owner.read(`versions?after=${after}&wait=30`, { through: closing });
  await until("it has arrived", async () => (await closing.countConnections()) > 0);
  // Answered in the order of their coming, on connections of their own: by then the first one waits.
  await owner.read("versions", { through: closing });
  const begun = performance.now();
  await closing.close();
  const { status, body } = await waiting;
  assert.deepEqual([status, body.versions], [200, after]);
  assert.ok(performance.now() - begun < 25_000, "nobody waited for the time to be over");
});

/** A watch over the real database that counts what it asks. */
function countingWatch(options: { isDraining?: () => boolean; mostWaiting?: number; everyMs?: number } = {}) {
  const asked: (readonly string[])[] = [];
  const db: ShortReads = {
    clockOffsetMs: 0,
    query: (statement, values = []) => {
      asked.push(values[0] as readonly string[]);
      return api.db.query(statement, values);
    },
  };
  const watch = new VersionWatch({
    db,
    isDraining: () => false,
    onError: (error) => assert.fail(String(error)),
    ...options,
  });
  return { watch, asked };
}

test("200 who wait for one organization cost one statement a look, and one more is answered at once", async (t) => {
  const [first, second] = [await api.newOrganization(), await api.newOrganization()];
  const { watch, asked } = countingWatch({ everyMs: 50 });
  t.after(() => watch.stop());
  const wait = (id: string, after: string | undefined) =>
    watch.next(id, { after, waitMs: 30_000, left: undefined });
  const known = await wait(first.id, undefined);
  const elsewhere = await wait(second.id, undefined);
  const waiting = Array.from({ length: 200 }, () => wait(first.id, known));
  const apart = wait(second.id, elsewhere);
  await until("all of them wait", async () => watch.waitingCount === 201);
  assert.equal(await wait(first.id, known), known);
  const before = asked.length;
  await until("it was looked ten times", async () => asked.length >= before + 10);
  for (const ids of asked.slice(before)) assert.deepEqual([...ids].sort(), [first.id, second.id].sort());
  await mintKey(api.db, api.keySecret, "test", { organizationId: first.id });
  const answers = new Set(await Promise.all(waiting));
  assert.equal(answers.size, 1);
  assert.ok(!answers.has(known));
  assert.equal(watch.waitingCount, 1);
  watch.stop();
  assert.equal(await apart, elsewhere);
});

test("nothing is left of a caller who leaves, and nothing is asked when nobody waits", async () => {
  const { id } = await api.newOrganization();
  const { watch, asked } = countingWatch({ everyMs: 5 });
  const after = await watch.next(id, { after: undefined, waitMs: 0, left: undefined });
  const leaving = new AbortController();
  const waiting = watch.next(id, { after, waitMs: 30_000, left: leaving.signal });
  await until("it waits", async () => watch.waitingCount === 1);
  leaving.abort();
  assert.equal(await waiting, after);
  assert.equal(watch.waitingCount, 0);
  const gone = await watch.next(id, { after, waitMs: 30_000, left: leaving.signal });
  assert.equal(gone, after, "who has left already is not waited with");
  const count = asked.length;
  for (let turn = 0; turn < 5; turn++) await api.db.now();
  assert.ok(asked.length <= count + 1, "the look that was due at most");
});

test("a process that is asked to stop keeps nobody waiting", async () => {
  const { id } = await api.newOrganization();
  let draining = false;
  const { watch } = countingWatch({ everyMs: 5, isDraining: () => draining });
  const after = await watch.next(id, { after: undefined, waitMs: 0, left: undefined });
  const wait = () => watch.next(id, { after, waitMs: 60_000, left: undefined });
  const waiting = wait();
  await until("it waits", async () => watch.waitingCount === 1);
  draining = true;
  assert.equal(await waiting, after);
  assert.equal(await wait(), after);
});
