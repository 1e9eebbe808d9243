import assert from "node:assert/strict";
import { test } from "node:test";
import { locationSessionWrites } from "../../src/domain/sessions/location-writes.ts";
import { serviceTypeSessionWrites } from "../../src/domain/sessions/service-type-writes.ts";
import { type Answer, startApi } from "../support/api.ts";
import { addSchedule, addServiceType, addSession } from "../support/calendar.ts";
import { addContract, addLocation } from "../support/records.ts";
import { performWrite } from "../support/staff-writes.ts";

const api = await startApi();

const ZONE = "America/Sao_Paulo";
const CALENDAR = "/v1/calendar?from=2026-03-02T00:00:00Z&to=2026-03-04T00:00:00Z";
const NAMES = ["serviceTypeName", "locationName", "localStart", "localEnd"];

async function newTimetable() {
  const studio = await api.newOrganization();
  const locationId = await addLocation(api.db, studio.id);
  const serviceTypeId = await addServiceType(api.db, studio.id);
  const place = { serviceTypeId, locationId, timezone: ZONE };
  await addSchedule(api.db, studio.id, { ...place, start: "2026-01-01T07:00", rrule: "FREQ=DAILY" });
  await addSession(api.db, studio.id, { ...place, start: "2026-03-02T18:30" });
  const call = { db: api.served, organizationId: studio.id, keySecret: api.keySecret };
  const writes = new Map(
    [...locationSessionWrites, ...serviceTypeSessionWrites].map((write) => [write.name, write]),
  );
  return {
    ...studio,
    locationId,
    serviceTypeId,
    rename: async (write: "editLocation" | "editServiceType", name: string) => {
      const declared = writes.get(write);
      assert.ok(declared);
      const subject = write === "editLocation" ? { locationId } : { serviceTypeId };
      await performWrite(declared, call, { ...subject, changes: { name } });
    },
  };
}

const tagOf = ({ headers }: Answer) => headers.get("etag");

test("with include=names sessions have what their CSV calls them and their local times, and nothing else changes", async () => {
  const studio = await newTimetable();
  await studio.rename("editLocation", 'Vila "Sol"');
  await studio.rename("editServiceType", "Pilates 😀");
  const plain = (await studio.get(CALENDAR)).body;
  const named = (await studio.get(`${CALENDAR}&include=names`)).body;
  const withoutNames = named.data.map((session: object) =>
    Object.fromEntries(Object.entries(session).filter(([name]) => !NAMES.includes(name))),
  );
  assert.deepEqual({ data: withoutNames, total: named.total }, { data: plain.data, total: plain.total });
  assert.deepEqual(
    named.data.map(({ localStart, localEnd }: Record<string, string>) => [localStart, localEnd]),
    [
      ["2026-03-02 07:00", "2026-03-02 08:00"],
      ["2026-03-02 18:30", "2026-03-02 19:30"],
      ["2026-03-03 07:00", "2026-03-03 08:00"],
    ],
  );
  for (const { serviceTypeName, locationName } of named.data)
    assert.deepEqual([serviceTypeName, locationName], ["Pilates 😀", 'Vila "Sol"']);
  assert.deepEqual(Object.keys(named.data[0]).slice(-4), NAMES);
  // Read again, now from what was kept of the catalog.
  const later = `${CALENDAR.replace("from=2026-03-02", "from=2026-03-03")}&include=names`;
  assert.deepEqual((await studio.get(later)).body.data, named.data.slice(2));
});

test("the calendar as CSV always has names, as NDJSON with include=names alone", async () => {
  const studio = await newTimetable();
  const read = async (type: string, query: string) => {
    const headers = { authorization: `Bearer ${studio.key}`, accept: type };
    return (await fetch(`${api.url}${CALENDAR}${query}`, { headers })).text();
  };
  assert.equal(await read("text/csv", "&include=names"), await read("text/csv", ""));
  const lines = async (query: string) =>
    (await read("application/x-ndjson", query))
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
  assert.deepEqual(await lines(""), (await studio.get(CALENDAR)).body.data);
  assert.deepEqual(await lines("&include=names"), (await studio.get(`${CALENDAR}&include=names`)).body.data);
});

test("the tag of a calendar with names moves when a service type or a location gets another name", async () => {
  const studio = await newTimetable();
  const read = () => studio.get(`${CALENDAR}&include=names`);
  let before = await read();
  for (const write of ["editServiceType", "editLocation"] as const) {
    await studio.rename(write, `New ${write}`);
    const after = await read();
    assert.notEqual(tagOf(after), tagOf(before));
    const headers = { "if-none-match": tagOf(after) ?? "" };
    assert.equal((await studio.call("GET", `${CALENDAR}&include=names`, { headers })).status, 304);
    assert.ok(after.text.includes(`New ${write}`));
    before = after;
  }
});

test("a contract has its client's name with include=names, in lists, pages, files and by itself", async () => {
  const studio = await api.newOrganization();
  await addLocation(api.db, studio.id);
  const { body: client } = await studio.call("POST", "/v1/clients", { body: { contactName: "Ana “Bê”" } });
  const id = await addContract(api.db, studio.id, { clientId: client.id });
  await addContract(api.db, studio.id, { clientId: client.id, status: "paused" });
  for (const query of ["", "status=paused&", `clientId=${client.id}&`, "limit=1&"]) {
    const { data } = (await studio.get(`/v1/contracts?${query}include=names`)).body;
    assert.ok(data.length > 0);
    for (const contract of data) assert.equal(contract.clientName, "Ana “Bê”");
  }
  const first = (await studio.get("/v1/contracts?limit=1&include=names")).body;
  const second = (await studio.get(`/v1/contracts?limit=1&include=names&cursor=${first.nextCursor}`)).body;
  assert.equal(second.data[0].clientName, "Ana “Bê”");
  const { clientName, ...rest } = (await studio.get(`/v1/contracts/${id}?include=names`)).body;
  assert.equal(clientName, "Ana “Bê”");
  assert.deepEqual((await studio.get(`/v1/contracts/${id}`)).body, rest);

  const file = async (type: string, query: string) => {
    const headers = { authorization: `Bearer ${studio.key}`, accept: type };
    return (await fetch(`${api.url}/v1/contracts${query}`, { headers })).text();
  };
  const [header = "", line = ""] = (await file("text/csv", "?include=names")).split("\r\n");
  assert.ok(header.endsWith(",clientName") && line.endsWith(",Ana “Bê”"));
  const [plainHeader = "", plainLine = ""] = (await file("text/csv", "")).split("\r\n");
  assert.deepEqual([`${plainHeader},clientName`, `${plainLine},Ana “Bê”`], [header, line]);
  assert.ok(!(await file("application/x-ndjson", "")).includes("clientName"));
  const [record = ""] = (await file("application/x-ndjson", "?include=names")).split("\n");
  assert.equal(JSON.parse(record).clientName, "Ana “Bê”");
});

test("another name of a client moves the tag of contracts with names, and of no others", async () => {
  const studio = await api.newOrganization();
  await addLocation(api.db, studio.id);
  const { body: client } = await studio.call("POST", "/v1/clients", { body: { contactName: "Ana" } });
  const id = await addContract(api.db, studio.id, { clientId: client.id });
  const named = [
    "/v1/contracts?include=names",
    `/v1/contracts/${id}?include=names`,
    "/v1/contracts?incl%75de=names",
  ];
  const plain = ["/v1/contracts", `/v1/contracts/${id}`];
  const tags = async () =>
    new Map(
      await Promise.all(
        [...named, ...plain].map(async (path) => [path, tagOf(await studio.get(path))] as const),
      ),
    );
  const before = await tags();
  const patch = { body: { contactName: "Bia" } };
  assert.equal((await studio.call("PATCH", `/v1/clients/${client.id}`, patch)).status, 200);
  for (const path of named) {
    const headers = { "if-none-match": before.get(path) ?? "" };
    const answer = await studio.call("GET", path, { headers });
    assert.equal(answer.status, 200, path);
    assert.ok(answer.text.includes('"clientName":"Bia"'), path);
  }
  const after = await tags();
  for (const path of plain) assert.equal(after.get(path), before.get(path), path);
});

test("names alone can be included, and once", async () => {
  const studio = await newTimetable();
  for (const path of [
    `${CALENDAR}&`,
    "/v1/contracts?",
    "/v1/contracts/0190a000-0000-7000-8000-00000000000b?",
  ]) {
    for (const [query, code] of [
      ["include=prices", "not_one_of"],
      ["include=", "not_one_of"],
      ["include=names&include=names", "given_twice"],
    ]) {
      const { status, body } = await studio.get(path + query);
      assert.equal(status, 422, path + query);
      assert.deepEqual(
        body.errors.map(({ location, code: found }: Record<string, string>) => [location, found]),
        [["query.include", code]],
      );
    }
  }
  const { body } = await studio.get("/v1/plans?include=names");
  assert.equal(body.errors[0].code, "unknown_parameter");
});
