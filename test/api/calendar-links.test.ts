import assert from "node:assert/strict";
import { test } from "node:test";
import { unavailable } from "../../src/core/errors.ts";
import { pooled } from "../../src/db/statements.ts";
import { operator } from "../../src/domain/audit/queries.ts";
import { changeOrganization } from "../../src/domain/settings/operations.ts";
import { createLogger } from "../../src/process/logs.ts";
import { createMetrics } from "../../src/process/metrics.ts";
import { mintCalendarLink } from "../../src/sync/calendar-links/operations.ts";
import { startApi } from "../support/api.ts";
import { dayAfter, newLinkedStudio, readEvents } from "../support/calendar-links.ts";
import { until } from "../support/poll.ts";
import { newStaff } from "../support/staff.ts";
import { exchange } from "../support/wire.ts";

/** Noon on the studios' clocks, so that no test meets midnight. */
const NOW = Date.parse("2026-11-16T15:00:00Z");
const clockOffsetMs = NOW - Date.now();
const dayFromNow = (days: number) => dayAfter(NOW, days);

const api = await startApi({ isIsolated: true, clockOffsetMs });
const other = await startApi({ beside: api, clockOffsetMs });
const limited = await startApi({ beside: api, clockOffsetMs, rate: { perMinute: 1, burst: 2 } });

/** A class every day at seven, and the session of the day after tomorrow. */
async function withClasses() {
  const studio = await newLinkedStudio(api);
  const { locationId, serviceTypeId } = studio;
  const { schedule } = await studio
    .done("addSchedule", {
      locationId,
      serviceTypeId,
      start: `${dayFromNow(0)}T07:00`,
      durationMinutes: 50,
      capacity: 12,
      rrule: "FREQ=DAILY",
    })
    .then((made) => ({ schedule: made }));
  const originalStart = `${dayFromNow(2)}T07:00`;
  return { ...studio, scheduleId: schedule.id as string, originalStart };
}

async function withMember() {
  const studio = await withClasses();
  const { id: planId } = await studio.done("addPlan", {
    name: "Mensal",
    billingKind: "one_time",
    priceCents: 100,
    allLocations: true,
    entitlements: [{ type: "access" }],
  });
  const { id: clientId } = await studio.done("addClient", {
    contactName: "Quitéria Vasconcelos",
    contactEmail: "quiteria@example.com",
  });
  await studio.done("sellContract", { clientId, planId, startDate: dayFromNow(-20) });
  const book = async (days: number) =>
    studio.done("book", {
      clientId,
      session: { scheduleId: studio.scheduleId, originalStart: `${dayFromNow(days)}T07:00` },
    });
  return { ...studio, clientId, book };
}

const fetchEvents = async (path: string, through = api) => {
  const answer = await through.call("GET", path);
  assert.equal(answer.status, 200, answer.text);
  return readEvents(answer);
};

test("two parsers read a link, and its events are the sessions of the calendar, instant for instant", async () => {
  const studio = await withClasses();
  const { locationId, serviceTypeId } = studio;
  await studio.done("addSession", {
    locationId,
    serviceTypeId,
    start: `${dayFromNow(3)}T18:30`,
    durationMinutes: 90,
    capacity: 5,
  });
  const { path } = await studio.mint({ pastDays: 3, aheadDays: 20 });
  const answer = await api.call("GET", path);
  assert.equal(answer.headers.get("content-type"), "text/calendar; charset=utf-8");
  const shown = readEvents(answer);
  const window = new URLSearchParams({
    from: `${dayFromNow(-3)}T00:00:00-03:00`,
    to: `${dayFromNow(21)}T00:00:00-03:00`,
  });
  const { body } = await studio.get(`/v1/calendar?${window}`);
  assert.deepEqual(
    shown.map(({ startAt, endAt }) => [startAt, endAt]),
    body.data.map(({ startAt, endAt }: Record<string, string>) => [startAt, endAt]),
  );
  assert.equal(shown.length, 22);
  assert.ok(shown.every(({ summary, status }) => summary === "Pilates" && status === "CONFIRMED"));
  assert.ok(shown.every(({ location }) => location === "Vila Madalena, Rua Harmonia 100"));
  assert.ok(shown.every(({ transparency }) => transparency === "OPAQUE"));
});

test("a link says how long it may be kept, is in no search engine, and leaks to no other website", async () => {
  const studio = await withClasses();
  const { path } = await studio.mint();
  for (const extension of ["ics", "json"]) {
    const { headers, status } = await api.call("GET", path.replace(/ics$/, extension));
    assert.equal(status, 200);
    assert.equal(headers.get("cache-control"), "private, max-age=900");
    assert.equal(headers.get("x-robots-tag"), "noindex");
    assert.equal(headers.get("referrer-policy"), "no-referrer");
    assert.match(headers.get("etag") ?? "", /^"[\w-]{22}"$/);
  }
  const { headers, text } = await api.call("GET", path);
  assert.equal(headers.get("content-disposition"), 'inline; filename="calendar.ics"');
  assert.ok(!text.includes(path.slice(5, -4)), "the calendar does not hold its own address");
  assert.doesNotMatch(text, /^(URL|SOURCE)[:;]/m);
  const robots = await api.call("GET", "/robots.txt");
  assert.equal(robots.status, 200);
  assert.doesNotMatch(robots.text, /^Disallow: *\/(ics)?/m);
});

test("HEAD answers as GET, without the body", async () => {
  const studio = await withClasses();
  const { path } = await studio.mint();
  const got = await api.call("GET", path);
  const head = await api.call("HEAD", path);
  assert.equal(head.status, 200);
  assert.equal(head.text, "");
  for (const name of ["etag", "content-type", "content-length", "cache-control"])
    assert.equal(head.headers.get(name), got.headers.get(name), name);
  assert.equal((await api.call("POST", path)).status, 405);
});

test("a booked and moved session keeps its UID, and has its new time", async () => {
  const studio = await withMember();
  const { path } = await studio.mint();
  const before = await fetchEvents(path);
  const { sessionId } = await studio.book(2);
  const booked = await fetchEvents(path);
  assert.deepEqual(
    booked.map(({ uid, startAt }) => [uid, startAt]),
    before.map(({ uid, startAt }) => [uid, startAt]),
  );
  await studio.done("editSession", {
    session: { sessionId },
    changes: { start: `${dayFromNow(2)}T09:15` },
  });
  const moved = await fetchEvents(path);
  const uid = `${studio.scheduleId}-${dayFromNow(2).replaceAll("-", "")}T070000@${studio.id}`;
  const eventOf = (events: typeof moved) => events.find((event) => event.uid === uid);
  assert.equal(eventOf(before)?.startAt, `${dayFromNow(2)}T10:00:00.000Z`);
  assert.equal(eventOf(moved)?.startAt, `${dayFromNow(2)}T12:15:00.000Z`);
  assert.equal(moved.length, before.length);
  const sequences = [before, booked, moved].map((events) => eventOf(events)?.sequence ?? 0);
  assert.ok(sequences[0] && sequences[1] && sequences[2]);
  assert.ok(sequences[0] < sequences[1] && sequences[1] < sequences[2], String(sequences));
  const stamps = [before, booked, moved].map((events) => eventOf(events)?.stamp ?? "");
  assert.deepEqual([...stamps].sort(), stamps);
  const others = (events: typeof moved) => events.filter((event) => event.uid !== uid);
  assert.deepEqual(others(moved), others(before), "the other events stand still");
});

test("an unchanged link is 304 also after a client changed; a service type of another name is 200", async () => {
  const studio = await withMember();
  const { path } = await studio.mint();
  const first = await api.call("GET", path);
  const etag = first.headers.get("etag") ?? "";
  const again = (through = api) => through.call("GET", path, { headers: { "if-none-match": etag } });
  const unchanged = await again();
  assert.equal(unchanged.status, 304);
  assert.equal(unchanged.headers.get("etag"), etag);
  assert.equal(unchanged.headers.get("cache-control"), "private, max-age=900");
  await studio.done("editClient", {
    clientId: studio.clientId,
    changes: { contactPhone: "+55 11 5555 0001" },
  });
  assert.equal((await again(other)).status, 304);
  assert.equal((await api.call("GET", path)).text, first.text);
  await studio.done("editServiceType", { serviceTypeId: studio.serviceTypeId, changes: { name: "Yoga" } });
  const renamed = await again();
  assert.equal(renamed.status, 200);
  const [before, after] = [readEvents(first), readEvents(renamed)];
  assert.ok(after.every(({ summary }) => summary === "Yoga"));
  assert.ok(after.every(({ sequence }, place) => sequence > (before[place]?.sequence ?? 0)));
});

test("a cancelled session says so by its status, its time and its words", async () => {
  const studio = await withClasses();
  const { path } = await studio.mint({ language: "pt-BR" });
  const { scheduleId, originalStart } = studio;
  await studio.done("cancelSession", { session: { scheduleId, originalStart }, reason: "Feriado" });
  const cancelled = (await fetchEvents(path)).filter(({ status }) => status === "CANCELLED");
  assert.deepEqual(
    cancelled.map(({ summary, transparency, startAt }) => ({ summary, transparency, startAt })),
    [
      {
        summary: "Cancelado: Pilates",
        transparency: "TRANSPARENT",
        startAt: `${dayFromNow(2)}T10:00:00.000Z`,
      },
    ],
  );
});

test("a link without sessions is a valid calendar", async () => {
  const studio = await newLinkedStudio(api);
  const { path } = await studio.mint();
  const answer = await api.call("GET", path);
  assert.equal(answer.status, 200);
  assert.deepEqual(readEvents(answer), []);
  assert.match(answer.text, /\r\nBEGIN:VTIMEZONE\r\nTZID:UTC\r\n/);
  const json = await api.call("GET", path.replace(/ics$/, "json"));
  assert.deepEqual(json.body, { data: [] });
});

test("a revoked link is 404 at once on every node, in the very bytes of one that never was", async () => {
  const studio = await withClasses();
  const revoked = await studio.mint();
  const expired = await studio.mint({ expires: "1s" });
  const ofSuspended = await newLinkedStudio(api).then(async (closed) => {
    const link = await closed.mint();
    await changeOrganization(api.db, "test", closed.id, { status: "suspended" });
    return link;
  });
  const ofFree = await newLinkedStudio(api).then(async (free) => {
    const link = await free.mint();
    await changeOrganization(api.db, "test", free.id, { plan: "Free" });
    return link;
  });
  assert.equal((await api.call("GET", revoked.path)).status, 200);
  await studio.done("revokeCalendarLink", { calendarLinkId: revoked.id });
  await api.db.query(
    pooled("test_expire_link", "update ics_links set expires_at = created_at where id = $1"),
    [expired.id],
  );
  const unknown = `/ics/rbc_${"a".repeat(38)}.ics`;
  for (const node of [api, other]) {
    const expected = masked(
      await exchange(node.url, `GET ${unknown} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`),
    );
    assert.match(expected, /^HTTP\/1\.1 404 /);
    const paths = {
      revoked: revoked.path,
      expired: expired.path,
      suspended: ofSuspended.path,
      "a tier without the API": ofFree.path,
      "a key": `/ics/${studio.key}.ics`,
      "no token": "/ics/x.ics",
      "what is no text": "/ics/%F0%9F%A7%98.ics",
    };
    for (const [name, path] of Object.entries(paths))
      assert.equal(
        masked(await exchange(node.url, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)),
        expected,
        name,
      );
  }
});

/** Without what differs between any two answers. */
function masked({ text }: { readonly text: string }): string {
  return text.replace(/^(date|x-request-id): .*\r\n/gim, "");
}

test("a token opens no API, and a key no calendar", async () => {
  const studio = await withClasses();
  const { path } = await studio.mint();
  const token = path.slice("/ics/".length, -".ics".length);
  assert.match(token, /^rbc_[0-9A-Za-z]{38}$/);
  const headers = { authorization: `Bearer ${token}` };
  assert.equal((await api.call("GET", "/v1/organization", { headers })).status, 401);
  assert.equal((await api.call("GET", `/ics/${studio.key}.ics`)).status, 404);
});

test("nobody who is booked is in a link, and seats only if it says so", async () => {
  const studio = await withMember();
  await studio.book(2);
  const plain = await studio.mint();
  const withSeats = await studio.mint({ showSeats: true });
  for (const { path } of [plain, withSeats])
    for (const extension of ["ics", "json"]) {
      const { text } = await api.call("GET", path.replace(/ics$/, extension));
      assert.doesNotMatch(text.replaceAll("\r\n ", ""), /Quit|Vasconcelos|example\.com/);
    }
  assert.ok((await fetchEvents(plain.path)).every(({ description }) => description === ""));
  const descriptions = (await fetchEvents(withSeats.path)).map(({ description }) => description);
  assert.equal(descriptions.filter((text) => text === "1/12").length, 1);
  assert.ok(descriptions.every((text) => text === "0/12" || text === "1/12"));
});

test("a website reads the same sessions with names, instants and local times", async () => {
  const studio = await withMember();
  const { sessionId } = await studio.book(2);
  const { path } = await studio.mint({ showSeats: true });
  const json = path.replace(/ics$/, "json");
  const { status, body, headers } = await api.call("GET", json);
  assert.equal(status, 200);
  assert.equal(headers.get("access-control-allow-origin"), "*");
  const booked = body.data.filter((one: { id?: string }) => one.id !== undefined);
  assert.deepEqual(booked, [
    {
      id: sessionId,
      serviceTypeName: "Pilates",
      locationName: "Vila Madalena",
      startAt: `${dayFromNow(2)}T10:00:00.000Z`,
      endAt: `${dayFromNow(2)}T10:50:00.000Z`,
      localStart: `${dayFromNow(2)} 07:00`,
      localEnd: `${dayFromNow(2)} 07:50`,
      timezone: "America/Sao_Paulo",
      status: "scheduled",
      capacity: 12,
      bookedCount: 1,
    },
  ]);
  const etag = headers.get("etag") ?? "";
  assert.equal((await api.call("GET", json, { headers: { "if-none-match": etag } })).status, 304);
  assert.notEqual((await api.call("GET", path)).headers.get("etag"), etag);
  const withoutSeats = await studio.mint();
  const { body: plain } = await api.call("GET", withoutSeats.path.replace(/ics$/, "json"));
  assert.ok(plain.data.every((one: object) => !("capacity" in one) && !("bookedCount" in one)));
});

test("a client's link shows what the client has booked and nothing else, also after moving and cancelling", async () => {
  const studio = await withMember();
  const { clientId } = studio;
  const { path } = await studio.mint({ clientId, name: "Quitéria" });
  assert.deepEqual(await fetchEvents(path), []);
  const first = await studio.book(2);
  const second = await studio.book(3);
  const third = await studio.book(4);
  const starts = async () => (await fetchEvents(path)).map(({ startAt, status }) => `${startAt} ${status}`);
  const at = (days: number, time: string) => `${dayFromNow(days)}T${time}:00.000Z`;
  assert.deepEqual(await starts(), [
    `${at(2, "10:00")} CONFIRMED`,
    `${at(3, "10:00")} CONFIRMED`,
    `${at(4, "10:00")} CONFIRMED`,
  ]);
  await studio.done("editSession", {
    session: { sessionId: first.sessionId },
    changes: { start: `${dayFromNow(2)}T08:00` },
  });
  await studio.done("cancelBooking", { bookingId: second.id });
  await studio.done("cancelSession", { session: { sessionId: third.sessionId }, reason: "Feriado" });
  assert.deepEqual(await starts(), [`${at(2, "11:00")} CONFIRMED`, `${at(4, "10:00")} CANCELLED`]);
  const { text } = await api.call("GET", path);
  assert.doesNotMatch(text, /Quit/, "not even the name of the link");
  await studio.done("editSettings", { changes: { cancelWindowMinutes: 10_000 } });
  const fourth = await studio.book(5);
  await studio.done("cancelBooking", { bookingId: fourth.id });
  assert.deepEqual(await starts(), [
    `${at(2, "11:00")} CONFIRMED`,
    `${at(4, "10:00")} CANCELLED`,
    `${at(5, "10:00")} CANCELLED`,
  ]);
  const { headers } = await api.call("GET", path);
  const again = { headers: { "if-none-match": headers.get("etag") ?? "" } };
  assert.equal((await api.call("GET", path, again)).status, 304);
});

test("a client's link is gone with the client's erasure", async () => {
  const studio = await newLinkedStudio(api);
  const { id: clientId } = await studio.done("addClient", { contactName: "Ana Prado" });
  const { path } = await studio.mint({ clientId });
  assert.equal((await api.call("GET", path)).status, 200);
  await studio.done("eraseClient", { clientId, basis: "request" });
  assert.equal((await api.call("GET", path)).status, 404);
  assert.deepEqual((await studio.owner.read("calendar-links")).body.data, []);
  const { status, body } = await studio.owner.write("mintCalendarLink", { clientId });
  assert.equal(`${status} ${body.reason}`, "409 erased_client");
});

test("a link is limited to a location, a service type and a resource, which combine", async () => {
  const studio = await newLinkedStudio(api);
  const { serviceTypeId, locationId } = studio;
  const { id: elsewhere } = await studio.done("addLocation", { name: "Centro", timezone: "America/Manaus" });
  const { id: yoga } = await studio.done("addServiceType", { name: "Yoga", holdsResource: false });
  const { id: resourceId } = await studio.done("addResource", { name: "Carla", kind: "person" });
  const session = (start: string, rest: object) =>
    studio.done("addSession", {
      ...{ locationId, serviceTypeId, durationMinutes: 60, capacity: 5 },
      ...{ start: `${dayFromNow(1)}T${start}`, ...rest },
    });
  await session("07:00", {});
  await session("08:00", { locationId: elsewhere });
  await session("09:00", { serviceTypeId: yoga });
  await session("10:00", { resourceIds: [resourceId] });
  await session("11:00", { serviceTypeId: yoga, resourceIds: [resourceId] });
  const clocks = async (input: object) => {
    const { path } = await studio.mint(input);
    const { body } = await api.call("GET", path.replace(/ics$/, "json"));
    return body.data.map(({ localStart }: { localStart: string }) => localStart.slice(11)).sort();
  };
  assert.deepEqual(await clocks({}), ["07:00", "08:00", "09:00", "10:00", "11:00"]);
  assert.deepEqual(await clocks({ locationId: elsewhere }), ["08:00"]);
  assert.deepEqual(await clocks({ serviceTypeId: yoga }), ["09:00", "11:00"]);
  assert.deepEqual(await clocks({ resourceId }), ["10:00", "11:00"]);
  assert.deepEqual(await clocks({ resourceId, serviceTypeId: yoga }), ["11:00"]);
  const { path } = await studio.mint({ locationId: elsewhere, name: "Só Centro" });
  const { text } = await api.call("GET", path);
  assert.match(text, /\r\nNAME:Só Centro\r\n/);
  assert.match(text, /\r\nX-WR-TIMEZONE:America\/Manaus\r\n/);
  const { status, body } = await studio.owner.write("mintCalendarLink", {
    ...{ locationId: serviceTypeId, serviceTypeId: locationId, resourceId: "nobody" },
  });
  assert.equal(status, 422);
  assert.deepEqual(
    body.errors.map(({ location, code }: Record<string, string>) => `${location} ${code}`),
    [
      "body.locationId location_unknown",
      "body.serviceTypeId service_type_unknown",
      "body.resourceId resource_unknown",
    ],
  );
});

test("links of one organization show and name nothing of another", async () => {
  const [one, another] = [await withClasses(), await withMember()];
  const { status, body } = await one.owner.write("mintCalendarLink", { clientId: another.clientId });
  assert.equal(`${status} ${body.code}`, "404 not_found");
  const { id } = await another.mint();
  for (const operation of ["revokeCalendarLink", "rotateCalendarLink"])
    assert.equal((await one.owner.write(operation, { calendarLinkId: id })).status, 404);
  assert.deepEqual((await one.owner.read("calendar-links")).body.data, []);
});

test("the front desk makes links to a client's bookings alone; the list of all is the owners'", async () => {
  const studio = await withMember();
  const { clientId } = studio;
  const desk = await newStaff(api, studio.id, { role: "front_desk" });
  assert.equal((await desk.write("mintCalendarLink", {})).body.reason, "not_allowed");
  assert.equal((await desk.write("mintCalendarLink", { serviceTypeId: studio.serviceTypeId })).status, 403);
  const minted = await desk.write("mintCalendarLink", { clientId });
  assert.equal(minted.status, 200, minted.text);
  const ofStudio = await studio.mint();
  assert.equal((await desk.write("revokeCalendarLink", { calendarLinkId: ofStudio.id })).status, 403);
  assert.equal((await desk.write("rotateCalendarLink", { calendarLinkId: ofStudio.id })).status, 403);
  assert.equal((await desk.read("calendar-links")).status, 403);
  const { body } = await desk.read(`calendar-links?clientId=${clientId}`);
  assert.deepEqual(
    body.data.map(({ id }: { id: string }) => id),
    [minted.body.result.id],
  );
  assert.equal(
    (await desk.write("revokeCalendarLink", { calendarLinkId: minted.body.result.id })).status,
    200,
  );
  assert.equal((await studio.owner.read("calendar-links")).body.total, 2);
});

test("a link is shown once, and nothing of it is stored but its keyed hash", async () => {
  const studio = await newLinkedStudio(api);
  const headers = { "idempotency-key": "once" };
  const first = await studio.owner.write("mintCalendarLink", { name: "Site" }, { headers });
  const { url, webcalUrl, jsonUrl } = first.body.result;
  assert.match(url, /^https:\/\/api\.rollbook\.test\/ics\/rbc_\w{38}\.ics$/);
  assert.equal(webcalUrl, url.replace("https:", "webcal:"));
  assert.equal(jsonUrl, url.replace(/ics$/, "json"));
  const repeated = await studio.owner.write("mintCalendarLink", { name: "Site" }, { headers });
  assert.equal(repeated.body.result.id, first.body.result.id);
  for (const text of [repeated.text, (await studio.owner.read("calendar-links")).text])
    assert.doesNotMatch(text, /rbc_/);
  const dryRun = await studio.owner.write("mintCalendarLink", { name: "Site", dryRun: true });
  assert.equal(dryRun.status, 200, dryRun.text);
  assert.doesNotMatch(dryRun.text, /rbc_/);
  assert.equal((await studio.owner.read("calendar-links")).body.total, 1);
  const [stored] = await api.db.query<{ rows: string }>(
    pooled(
      "test_link_rows",
      `select (select string_agg(k::text, ' ') from ics_links k where organization_id = $1)
         || (select string_agg(a::text, ' ') from audit a where organization_id = $1) as rows`,
    ),
    [studio.id],
  );
  const token = /rbc_\w+/.exec(url)?.[0] ?? "";
  for (const part of [token.slice(4, 20), token.slice(-12)]) assert.ok(!stored?.rows.includes(part));
});

test("a rotated link shows the same at a new address, and the old one ends with the overlap", async () => {
  const studio = await withClasses();
  const old = await studio.mint({ aheadDays: 5, name: "Site", expires: "365d" });
  const { id, url, aheadDays, name, expiresAt } = await studio.done("rotateCalendarLink", {
    calendarLinkId: old.id,
    overlap: "0s",
  });
  assert.deepEqual({ aheadDays, name }, { aheadDays: 5, name: "Site" });
  assert.ok(Date.parse(expiresAt) > NOW + 364 * 86_400_000);
  assert.equal((await api.call("GET", old.path)).status, 404);
  assert.equal((await fetchEvents(new URL(url).pathname)).length, 6);
  const again = await studio.owner.write("rotateCalendarLink", { calendarLinkId: old.id });
  assert.equal(`${again.status} ${again.body.reason}`, "409 calendar_link_ended");
  await studio.done("rotateCalendarLink", { calendarLinkId: id, overlap: "1h" });
  assert.equal((await api.call("GET", new URL(url).pathname)).status, 200);
});

test("a link is refused whose address would be longer than calendars take", async () => {
  const studio = await newLinkedStudio(api);
  const mint = (publicUrl: string) =>
    mintCalendarLink(
      { db: api.served, actor: operator(), organizationId: studio.id, keySecret: api.keySecret, publicUrl },
      {},
    );
  const base = "https://a.test/";
  await assert.rejects(mint(base + "b".repeat(206 - base.length)), { message: "calendar_address_too_long" });
  assert.equal((await studio.owner.read("calendar-links")).body.total, 0);
  const { result } = await mint(base + "b".repeat(205 - base.length));
  assert.equal(result.url?.length, 256);
});

test("fetches are limited by link, on all nodes together, and one that is refused says when to come again", async () => {
  const studio = await withClasses();
  const [one, another] = [await studio.mint(), await studio.mint()];
  assert.equal((await limited.call("GET", one.path)).status, 200);
  assert.equal((await limited.call("GET", one.path.replace(/ics$/, "json"))).status, 200);
  const { status, headers } = await limited.call("GET", one.path);
  assert.equal(status, 429);
  assert.match(headers.get("retry-after") ?? "", /^[1-9]\d*$/);
  assert.equal((await limited.call("GET", another.path)).status, 200);
});

test("when a link was fetched last is told, and nothing is written for each fetch", async () => {
  const studio = await withClasses();
  const { path } = await studio.mint();
  const listed = async () => (await studio.owner.read("calendar-links")).body.data[0];
  assert.equal("lastFetchedAt" in (await listed()), false);
  await api.call("GET", path);
  await until("the fetch is told", async () => (await listed()).lastFetchedAt !== undefined);
  const { lastFetchedAt } = await listed();
  for (let i = 0; i < 5; i++) await other.call("GET", path);
  // On a machine that is busy for longer than a minute it is written once more.
  const after = Date.parse((await listed()).lastFetchedAt) - Date.parse(lastFetchedAt);
  assert.ok(after === 0 || after >= 60_000, String(after));
});

test("with more than ten thousand sessions a link ends after the last whole day that fits, and the list says which", async () => {
  const studio = await newLinkedStudio(api);
  const { locationId, serviceTypeId } = studio;
  // Every five minutes, at two places: 576 a day, so that 17 days fit.
  for (const minutes of ["0,5,10,15,20,25,30,35,40,45,50,55", "2,7,12,17,22,27,32,37,42,47,52,57"])
    await studio.done("addSchedule", {
      ...{ locationId, serviceTypeId, durationMinutes: 5, capacity: 1 },
      start: `${dayFromNow(0)}T00:0${minutes[0]}`,
      rrule: `FREQ=DAILY;BYHOUR=${Array.from({ length: 24 }, (_, hour) => hour).join(",")};BYMINUTE=${minutes}`,
    });
  const { path } = await studio.mint({ pastDays: 0, aheadDays: 90 });
  const { body } = await api.call("GET", path.replace(/ics$/, "json"));
  assert.equal(body.data.length, 17 * 576);
  assert.equal(body.data.at(-1).localStart, `${dayFromNow(16)} 23:57`);
  await until(
    "the last day is told",
    async () => (await studio.owner.read("calendar-links")).body.data[0].shownUntil === dayFromNow(16),
  );
});

test("a server whose database cannot be read answers 503, never a calendar without sessions", async () => {
  const studio = await withClasses();
  const { path } = await studio.mint();
  const broken = await startApi({
    beside: api,
    clockOffsetMs,
    disturb: (db) => ({
      query: (statement, values) => db.query(statement, values),
      snapshot: (work) => db.snapshot(work),
      now: () => db.now(),
      clockOffsetMs: db.clockOffsetMs,
      transaction: async () => {
        throw unavailable("The database cannot be reached.");
      },
    }),
  });
  for (const extension of ["ics", "json"]) {
    const { status, headers, text } = await broken.call("GET", path.replace(/ics$/, extension));
    assert.equal(status, 503, text);
    assert.match(headers.get("retry-after") ?? "", /^\d+$/);
    assert.equal(headers.get("cache-control"), "no-store");
  }
});

test("the token of a link is in no log and no metric", async () => {
  const lines: string[] = [];
  const metrics = createMetrics({ version: "0.0.0" });
  const logger = createLogger({ logLevel: "debug" }, { write: (line) => void lines.push(line) });
  const watched = await startApi({
    beside: api,
    clockOffsetMs,
    logger,
    metrics,
    logsSuccesses: true,
    slowMs: 0.001,
  });
  const studio = await withClasses();
  const { path, id } = await studio.mint();
  await watched.call("GET", path);
  await studio.done("revokeCalendarLink", { calendarLinkId: id });
  await watched.call("GET", path);
  const told = lines.join("") + (await metrics.registry.metrics());
  assert.match(told, /\/ics\/:token\.ics/);
  assert.ok(!told.includes(path.slice("/ics/rbc_".length, -".ics".length)));
});
