import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { replanned } from "../../src/db/statements.ts";
import { startApi, type TestApi, type TestOrganization } from "../support/api.ts";
import { addSchedule, addSession } from "../support/calendar.ts";
import { loadCrowd } from "../support/crowd.ts";
import { until } from "../support/poll.ts";
import { addContract, addLocation, addPlan, addServiceGroup, addServiceType } from "../support/records.ts";

const api = await startApi({ isIsolated: true });
const CSV = { accept: "text/csv" };
const NDJSON = { accept: "application/x-ndjson" };

/** An organization with records of every kind, enough of them for several batches of clients. */
async function newStudio() {
  const studio = await api.newOrganization();
  const { db } = api;
  const [saoPaulo, lisbon] = [
    await addLocation(db, studio.id, { name: "Vila Madalena" }),
    await addLocation(db, studio.id, { name: "Chiado", timezone: "Europe/Lisbon" }),
  ];
  const { clientIds } = await loadCrowd(db, studio.id, {
    clients: 1_500,
    contracts: 40,
    locationIds: [saoPaulo, lisbon],
  });
  const serviceTypeId = await addServiceType(db, studio.id, { name: "Pilates, solo", description: "=1+1" });
  await addServiceType(db, studio.id, { name: "Yoga", status: "archived" });
  await addServiceGroup(db, studio.id);
  const planId = await addPlan(db, studio.id, { locationIds: [saoPaulo, lisbon] });
  await addPlan(db, studio.id, { status: "archived" });
  for (const clientId of clientIds.slice(0, 3)) await addContract(db, studio.id, { clientId, planId });
  const place = { serviceTypeId, locationId: lisbon, timezone: "Europe/Lisbon" };
  const scheduleId = await addSchedule(db, studio.id, {
    ...place,
    start: "2026-03-01T09:00",
    rrule: "FREQ=DAILY",
    resourceIds: ["room 1", "=coach"],
  });
  await addSession(db, studio.id, {
    ...place,
    scheduleId,
    originalStart: "2026-03-02T09:00",
    start: "2026-03-02T10:30",
  });
  await addSession(db, studio.id, {
    ...place,
    locationId: saoPaulo,
    timezone: "America/Sao_Paulo",
    start: "2026-03-03T07:00",
  });
  return { ...studio, saoPaulo, lisbon, serviceTypeId, clientIds };
}

const studio = await newStudio();
const WINDOW = "from=2026-03-01T00:00:00Z&to=2026-04-15T00:00:00Z";

const as = (headers: Record<string, string>, path: string, who: TestOrganization = studio) =>
  who.call("GET", path, { headers });

const linesOf = (text: string) => text.split("\n").slice(0, -1);

/** All items of a list, as the text that the list has for each. */
async function itemsOf(path: string): Promise<string[]> {
  const { text } = await studio.get(path);
  const { data } = JSON.parse(text);
  return (data as object[]).map((item) => JSON.stringify(item));
}

test("each line of NDJSON is what reading the record by its id shows, to the byte, in the order of the list", async () => {
  for (const list of ["clients", "contracts", "plans", "service-types"]) {
    const { text, headers } = await as(NDJSON, `/v1/${list}`);
    const lines = linesOf(text);
    assert.equal(lines.length, Number(headers.get("x-total-count")), list);
    assert.equal(lines.length, (await studio.get(`/v1/${list}?limit=1`)).body.total);
    const ids = lines.map((line) => JSON.parse(line).id as string);
    for (let offset = 0; offset < ids.length; offset += 200) {
      const { body } = await studio.get(`/v1/${list}?limit=200&offset=${offset}`);
      const page = (body.data as { id: string }[]).map(({ id }) => id);
      assert.deepEqual(ids.slice(offset, offset + 200), page, list);
    }
    // Every record of the short lists, some of the long one.
    const step = Math.ceil(lines.length / 60);
    for (let n = 0; n < lines.length; n += step) {
      const { text: record } = await studio.get(`/v1/${list}/${ids[n]}`);
      assert.equal(lines[n], record.replace(/^\{"\$schema":"[^"]+",/, "{"), list);
    }
  }
});

test("lists that are returned whole have the same records as NDJSON, to the byte", async () => {
  for (const path of ["/v1/locations", "/v1/service-groups", "/v1/resources", `/v1/calendar?${WINDOW}`]) {
    const { text, headers } = await as(NDJSON, path);
    assert.deepEqual(linesOf(text), await itemsOf(path), path);
    assert.equal(headers.get("x-total-count"), String(linesOf(text).length));
  }
});

test("a download has exactly what its filters match", async () => {
  const { lisbon, clientIds } = studio;
  const since = (await studio.get(`/v1/clients/${clientIds[700]}`)).body.updatedAt;
  for (const path of [
    "/v1/clients?status=archived",
    `/v1/clients?locationId=${lisbon}`,
    "/v1/clients?query=silva",
    "/v1/clients?query=silva+ana&status=active",
    `/v1/clients?updatedSince=${since}&status=active`,
    "/v1/clients?query=nobody-has-this-name",
    `/v1/contracts?clientId=${clientIds[0]}`,
    `/v1/contracts?locationId=${lisbon}&status=active`,
    "/v1/plans?billingKind=recurring&status=archived",
    "/v1/service-types?query=yoga",
    `/v1/calendar?${WINDOW}&locationId=${lisbon}`,
  ]) {
    const { body } = await studio.get(path);
    for (const headers of [CSV, NDJSON]) {
      const answer = await as(headers, path);
      assert.equal(answer.headers.get("x-total-count"), String(body.total), path);
      const rows = headers === CSV ? answer.text.split("\r\n").length - 2 : linesOf(answer.text).length;
      assert.equal(rows, body.total, path);
    }
    const ids = linesOf((await as(NDJSON, path)).text).map((line) => JSON.parse(line).id);
    const listed = (body.data as { id?: string }[]).map(({ id }) => id);
    assert.deepEqual(ids.slice(0, listed.length), listed, path);
  }
});

test("the columns of each CSV file", async () => {
  const expected = {
    "/v1/clients":
      "id,status,contactName,contactEmail,contactPhone,birthdate,idDocument.type,idDocument.value,address.line1," +
      "address.line2,address.city,address.state,address.postalCode,address.country,locationIds,notes,createdAt,updatedAt",
    "/v1/contracts":
      "id,clientId,planId,planName,priceCents,currency,isTrial,billingKind,billingInterval,startDate,endDate,status," +
      "accessBlocked,allLocations,locationIds,cancelledAt,termsResponse,termsRespondedAt,createdAt,updatedAt",
    "/v1/plans":
      "id,name,status,billingKind,billingInterval,durationCount,durationUnit,priceCents,currency,isTrial,allLocations," +
      "locationIds,terms,createdAt,updatedAt",
    "/v1/service-types": "id,name,description,holdsResource,status,createdAt,updatedAt",
    "/v1/locations": "id,name,address,status,timezone",
    [`/v1/calendar?${WINDOW}`]:
      "id,scheduleId,serviceTypeId,serviceTypeName,locationId,locationName,resourceIds,startAt,endAt,originalStart," +
      "localStart,localEnd,timezone,capacity,bookedCount,status",
  };
  for (const [path, columns] of Object.entries(expected))
    assert.equal((await as(CSV, path)).text.split("\r\n", 1)[0], columns, path);
});

test("a client in CSV has every member in its column, and the ids of its locations", async () => {
  const { body } = await studio.call("POST", "/v1/clients", {
    body: {
      contactName: "=cmd|' /C calc'!A0",
      contactPhone: "+55 11 9",
      idDocument: { type: "other", value: "@x" },
      address: { city: 'São "Paulo"' },
      notes: "one\r\ntwo, three",
      locationIds: [studio.saoPaulo, studio.lisbon],
    },
  });
  const { text } = await as(CSV, `/v1/clients?query=${encodeURIComponent("=cmd|'")}`);
  const locations = [studio.saoPaulo, studio.lisbon].sort().join(" ");
  assert.equal(
    text.slice(text.indexOf("\r\n") + 2),
    `${body.id},active,'=cmd|' /C calc'!A0,,+55 11 9,,other,'@x,,,"São ""Paulo""",,,,${locations},` +
      `"one\r\ntwo, three",${body.createdAt},${body.updatedAt}\r\n`,
  );
});

test("the calendar in CSV has names, and the times of the location's own clock across its change", async () => {
  const { text } = await as(CSV, `/v1/calendar?${WINDOW}`);
  const rows = text.split("\r\n").slice(1, -1);
  const { body } = await studio.get(`/v1/calendar?${WINDOW}`);
  assert.equal(rows.length, body.total);
  const at = (instant: string) => rows.find((row) => row.includes(`,${instant},`)) ?? "";
  const { serviceTypeId, lisbon, saoPaulo } = studio;
  const { scheduleId } = body.data[0];
  // Clocks in Lisbon go forward on 29 March: nine o'clock is an hour earlier in UTC from then on.
  for (const [date, hour] of [
    ["2026-03-28", "09"],
    ["2026-03-29", "08"],
  ])
    assert.equal(
      at(`${date}T${hour}:00:00.000Z`),
      `,${scheduleId},${serviceTypeId},"Pilates, solo",${lisbon},Chiado,room 1 =coach,${date}T${hour}:00:00.000Z,` +
        `${date}T${Number(hour) === 9 ? "10" : "09"}:00:00.000Z,${date}T09:00,${date} 09:00,${date} 10:00,Europe/Lisbon,10,0,scheduled`,
    );
  const moved = body.data.find(({ startAt }: { startAt: string }) => startAt === "2026-03-02T10:30:00.000Z");
  assert.match(
    at("2026-03-02T10:30:00.000Z"),
    new RegExp(`^${moved.id},${scheduleId},.*,2026-03-02T09:00,2026-03-02 10:30,`),
  );
  const single = (rows.find((row) => row.includes(saoPaulo)) ?? "").split(",");
  assert.deepEqual(single.slice(-7, -2), [
    "",
    "2026-03-03 07:00",
    "2026-03-03 08:00",
    "America/Sao_Paulo",
    "10",
  ]);
  assert.equal(single[5], saoPaulo);
});

const swapStatement = replanned(
  `update clients set contact_name = case id when $2 then $4 else $5 end
   where organization_id = $1 and id in ($2::uuid, $3::uuid)`,
);

test("a download is of one moment: of two clients that exchange their names all the time, both are there", async () => {
  const other = await api.newOrganization();
  const locationId = await addLocation(api.db, other.id);
  const { clientIds } = await loadCrowd(api.db, other.id, {
    clients: 2_500,
    contracts: 0,
    locationIds: [locationId],
  });
  // Far apart, so that they come in different batches.
  const pair = [clientIds[0], clientIds.at(-1)];
  let isDone = false;
  let swaps = 0;
  const swapping = (async () => {
    for (; !isDone; swaps++)
      await api.db.query(swapStatement, [
        other.id,
        ...pair,
        ...(swaps % 2 ? ["Um", "Dois"] : ["Dois", "Um"]),
      ]);
  })();
  await until("the names were exchanged once", async () => swaps > 0);
  try {
    for (let round = 0; round < 5; round++) {
      const names = linesOf((await as(NDJSON, "/v1/clients", other)).text)
        .map((line) => JSON.parse(line))
        .filter(({ id }) => pair.includes(id))
        .map(({ contactName }) => contactName);
      assert.deepEqual(names.sort(), ["Dois", "Um"]);
    }
  } finally {
    isDone = true;
    await swapping;
  }
});

const fattenStatement = replanned("update clients set notes = repeat('😀', 9000) where organization_id = $1");

/** So much that it does not fit into the buffers between a server and a caller that does not read. */
const heavy = await (async () => {
  const organization = await api.newOrganization();
  const locationId = await addLocation(api.db, organization.id);
  await loadCrowd(api.db, organization.id, { clients: 800, contracts: 0, locationIds: [locationId] });
  await api.db.query(fattenStatement, [organization.id]);
  return organization;
})();

/** Asks for all clients and then reads nothing, until it is told to. */
async function askAndWait(on: TestApi, { key }: TestOrganization): Promise<Socket> {
  const { hostname, port } = new URL(on.url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.pause();
  socket.write(
    `GET /v1/clients HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nAccept: application/x-ndjson\r\n\r\n`,
  );
  return socket;
}

/** All that the server still sends. */
async function readToEnd(socket: Socket): Promise<string> {
  const pieces: Buffer[] = [];
  socket.on("data", (piece) => pieces.push(piece));
  socket.resume();
  if (!socket.closed) await new Promise((resolve) => socket.once("close", resolve));
  return Buffer.concat(pieces).toString("latin1");
}

function garbageCollector(): () => void {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
}

/** Whether the last chunk is there, by which a caller knows that nothing is missing. */
function isComplete(text: string): boolean {
  return text.endsWith("\r\n0\r\n\r\n");
}

const SNAPSHOTS = `from pg_stat_activity
   where datname = current_database() and xact_start is not null and query like 'fetch % from records'`;
const snapshotsStatement = replanned(`select pid ${SNAPSHOTS}`);
const endStatement = replanned(`select pg_terminate_backend(pid) ${SNAPSHOTS}`);

test("if the database goes away half-way, the connection is cut and the file does not look complete", async () => {
  const socket = await askAndWait(api, heavy);
  await until(
    "the download holds a snapshot",
    async () => (await api.db.query(snapshotsStatement)).length > 0,
  );
  socket.resume();
  const [head] = (await once(socket, "data")) as [Buffer];
  socket.pause();
  await api.db.query(endStatement);
  const text = head.toString("latin1") + (await readToEnd(socket));
  assert.match(text.slice(0, 1_000), /^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\nx-total-count: 800\r\n/i);
  assert.ok(!isComplete(text));
  // The server itself is as well as before.
  assert.equal((await as(NDJSON, "/v1/plans", heavy)).status, 200);
});

test("however slowly a caller takes a list, only a small part of it is in memory", async () => {
  const collectGarbage = garbageCollector();
  const kept = () => {
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const before = kept();
  const socket = await askAndWait(api, heavy);
  let taken = 0;
  let sinceLooked = 0;
  let most = 0;
  let end = "";
  for await (const piece of socket as AsyncIterable<Buffer>) {
    taken += piece.length;
    sinceLooked += piece.length;
    end = (end + piece.toString("latin1")).slice(-10);
    if (isComplete(end)) break;
    if (sinceLooked < 2 << 20) continue;
    sinceLooked = 0;
    most = Math.max(most, kept() - before);
  }
  assert.ok(taken > 28e6, `${taken} bytes were taken`);
  assert.ok(most < taken / 3, `${most} bytes were in memory, of ${taken}`);
});

test("who takes nothing for too long, or too long in all, is cut off and makes room", async () => {
  // Long enough for a busy machine to send the first byte.
  for (const limits of [
    { stall: 2_000, whole: 60_000 },
    { stall: 60_000, whole: 2_000 },
  ]) {
    const hasty = await startApi({ beside: api, downloads: { atOnce: 1, ...limits } });
    const socket = await askAndWait(hasty, heavy);
    const isHeld = async () => (await api.db.query(snapshotsStatement)).length > 0;
    await until("the download holds a snapshot", isHeld);
    await until("it has let the snapshot go", async () => !(await isHeld()));
    const text = await readToEnd(socket);
    assert.equal(text.slice(0, 15), "HTTP/1.1 200 OK");
    assert.ok(!isComplete(text));
    const headers = { ...CSV, authorization: `Bearer ${heavy.key}` };
    assert.equal((await hasty.call("HEAD", "/v1/clients", { headers })).status, 200);
  }
});

test("slow readers of one key hold half of the places, and make room for each other; others are not concerned", async () => {
  const few = await startApi({ beside: api, downloads: { lagMs: 300 } });
  const other = await few.newOrganization();
  const read = (who: TestOrganization) =>
    few.call("GET", "/v1/plans", { headers: { ...NDJSON, authorization: `Bearer ${who.key}` } });
  const slow = [await askAndWait(few, heavy), await askAndWait(few, heavy)];
  const held = async () => (await api.db.query(snapshotsStatement)).length;
  await until("both hold a snapshot", async () => (await held()) === 2);
  const [theirs, own] = await Promise.all([read(other), read(heavy)]);
  assert.deepEqual([theirs.status, own.status], [200, 200]);
  const cutOff = await Promise.race(slow.map(readToEnd));
  assert.ok(!isComplete(cutOff));
  for (const socket of slow) socket.destroy();
  await until("none is held", async () => (await held()) === 0);
});

test("when all places are taken, a download is refused with the time to wait, and nothing else is", async () => {
  const full = await startApi({ beside: api, downloads: { atOnce: 0, patienceMs: 0 } });
  const other = await full.newOrganization();
  const { status, headers, body } = await other.call("GET", "/v1/plans", { headers: NDJSON });
  assert.deepEqual(
    [status, headers.get("retry-after"), body.code, body.detail],
    [503, "5", "unavailable", "Too many lists are being downloaded right now. Try again later."],
  );
  assert.equal((await other.get("/v1/plans")).status, 200);
});

test("a connection that a download came over serves the next request", async () => {
  const { hostname, port } = new URL(api.url);
  const socket = connect(Number(port), hostname);
  const head = `Host: a\r\nAuthorization: Bearer ${studio.key}\r\n`;
  socket.write(`GET /v1/plans HTTP/1.1\r\n${head}Accept: text/csv\r\n\r\n`);
  socket.write(`GET /v1/organization HTTP/1.1\r\n${head}Connection: close\r\n\r\n`);
  const text = await readToEnd(socket);
  assert.deepEqual(text.match(/HTTP\/1\.1 \d+/g), ["HTTP/1.1 200", "HTTP/1.1 200"]);
  assert.match(text, /content-type: text\/csv; charset=utf-8; header=present\r\n/i);
});

test("a download is never answered from the cache, nor is a page from a download", async () => {
  for (let round = 0; round < 3; round++) {
    const { body } = await studio.get("/v1/plans");
    const { text } = await as(CSV, "/v1/plans");
    assert.equal(body.total, 2);
    assert.match(text, /^id,name,/);
  }
});
