import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startApi, type TestOrganization } from "../support/api.ts";
import { addSchedule, addServiceType, addSession } from "../support/calendar.ts";
import { newId } from "../support/ids.ts";
import { databaseUrl } from "../support/processes.ts";
import { addContract, addLocation, addPlan, removePlan } from "../support/records.ts";
import { assertEnded, jsonIn, runIn } from "../support/terminal.ts";

const api = await startApi();
const environment = { DATABASE_URL: databaseUrl(api.store.connection), KEY_SECRET: api.keySecret };
const run = (...args: string[]) => runIn(environment, ...args);
const json = (...args: string[]) => jsonIn(environment, ...args);
const locations = async (studio: TestOrganization) => (await studio.get("/v1/locations")).body.data;
const actions = async (studio: TestOrganization) =>
  (await json("audit", "--org", studio.id)).data.map((entry: { action: string }) => entry.action);

describe("locations on the command line", { concurrency: 2 }, () => {
  test("an organization is created together with its first location, in its timezone", async () => {
    const created = await json(
      ...["org", "create", "--name", "Sol", "--timezone", "Asia/Tokyo", "--currency", "JPY"],
      ...["--location", " Centro "],
    );
    const { data } = await json("location", "list", "--org", created.id);
    assert.deepEqual(data, [
      { id: created.locationId, name: "Centro", status: "active", timezone: "Asia/Tokyo" },
    ]);
    const audit = await json("audit", "--org", created.id);
    assert.deepEqual(
      audit.data.map(({ action, subject }: { action: string; subject: string }) => [action, subject]),
      [
        ["addLocation", created.locationId],
        ["organization.create", created.id],
      ],
    );
  });

  test("a location is created, changed, closed and reopened; callers see each at once, and each is recorded", async () => {
    const studio = await api.newOrganization();
    assert.deepEqual(await locations(studio), []);
    const created = await json(
      ...["location", "create", "--org", studio.id, "--name", "Vila", "--timezone", "America/Manaus"],
      ...["--address", "Rua Harmonia 100"],
    );
    const { id } = created;
    assert.deepEqual(created, {
      id,
      name: "Vila",
      address: "Rua Harmonia 100",
      status: "active",
      timezone: "America/Manaus",
    });
    assert.deepEqual(await locations(studio), [created]);
    const renamed = await json("location", "set", id, "--org", studio.id, "--name", "Vila Nova");
    assert.deepEqual(renamed, { ...created, name: "Vila Nova" });
    assert.deepEqual(await locations(studio), [renamed]);
    const { address, ...bare } = renamed;
    assert.deepEqual(await json("location", "set", id, "--address", ""), bare);
    assert.deepEqual(await json("location", "close", id), { ...bare, status: "closed" });
    assert.deepEqual(await locations(studio), [{ ...bare, status: "closed" }]);
    await json("location", "close", id);
    await json("location", "reopen", id);
    assert.deepEqual(await locations(studio), [bare]);
    await json("location", "set", id, "--name", "Vila Nova");
    assert.deepEqual(await actions(studio), [
      "editLocation",
      "reopenLocation",
      "closeLocation",
      "closeLocation",
      "editLocation",
      "editLocation",
      "addLocation",
      "mintKey",
      "organization.create",
    ]);
    const { stdout } = await run("location", "list", "--org", studio.id);
    assert.match(stdout, new RegExp(`^${id}  Vila Nova  active  America/Manaus$`, "m"));
  });

  test("with another timezone a location's sessions keep their local times, so their instants move", async () => {
    const studio = await api.newOrganization({ timezone: "America/New_York" });
    const locationId = await addLocation(api.db, studio.id, { timezone: "America/New_York" });
    const elsewhere = await addLocation(api.db, studio.id, { timezone: "America/New_York" });
    const serviceTypeId = await addServiceType(api.db, studio.id);
    const place = { locationId, serviceTypeId, timezone: "America/New_York" };
    const scheduleId = await addSchedule(api.db, studio.id, {
      ...place,
      start: "2026-07-06T07:00",
      // The last slot in New York is that of the 8th. In Los Angeles its start lies after the end.
      rrule: "FREQ=DAILY;UNTIL=20260708T120000Z",
    });
    const moved = await addSession(api.db, studio.id, {
      ...place,
      scheduleId,
      originalStart: "2026-07-07T07:00",
      start: "2026-07-07T18:30",
    });
    const stays = await addSession(api.db, studio.id, {
      ...place,
      locationId: elsewhere,
      start: "2026-07-07T09:00",
    });
    const read = async () =>
      (await studio.get("/v1/calendar?from=2026-07-01T00:00:00Z&to=2026-08-01T00:00:00Z")).body.data.map(
        ({ id, startAt }: { id?: string; startAt: string }) => [startAt, id],
      );
    assert.deepEqual(await read(), [
      ["2026-07-06T11:00:00.000Z", undefined],
      ["2026-07-07T13:00:00.000Z", stays],
      ["2026-07-07T22:30:00.000Z", moved],
      ["2026-07-08T11:00:00.000Z", undefined],
    ]);
    await json("location", "set", locationId, "--timezone", "America/Los_Angeles");
    assert.deepEqual(await read(), [
      ["2026-07-06T14:00:00.000Z", undefined],
      ["2026-07-07T13:00:00.000Z", stays],
      ["2026-07-08T01:30:00.000Z", moved],
    ]);
    await json("location", "set", locationId, "--timezone", "America/New_York");
    assert.deepEqual((await read()).length, 4, "and back");
  });

  test("a closed location's schedules produce nothing, its stored sessions still show", async () => {
    const studio = await api.newOrganization({ timezone: "UTC" });
    const { id: locationId } = await json("location", "create", "--org", studio.id, "--name", "A");
    const serviceTypeId = await addServiceType(api.db, studio.id);
    const place = { locationId, serviceTypeId, timezone: "UTC" };
    await addSchedule(api.db, studio.id, { ...place, start: "2026-07-06T07:00", rrule: "FREQ=DAILY" });
    const stored = await addSession(api.db, studio.id, { ...place, start: "2026-07-07T09:00" });
    const read = async () =>
      (await studio.get("/v1/calendar?from=2026-07-06T00:00:00Z&to=2026-07-08T00:00:00Z")).body.data.map(
        ({ id }: { id?: string }) => id,
      );
    assert.deepEqual(await read(), [undefined, undefined, stored]);
    await json("location", "close", locationId);
    assert.deepEqual(await read(), [stored]);
  });

  test("an organization's timezone and currency change, the currency not against prices in use", async () => {
    const studio = await api.newOrganization();
    const changed = await json("org", "set", studio.id, "--timezone", "Asia/Tokyo", "--currency", "JPY");
    assert.deepEqual([changed.timezone, changed.currency], ["Asia/Tokyo", "JPY"]);
    const { body } = await studio.get("/v1/organization");
    assert.deepEqual([body.timezone, body.currency], ["Asia/Tokyo", "JPY"]);

    const planId = await addPlan(api.db, studio.id);
    const [plan] = (await studio.get("/v1/plans")).body.data;
    assert.notEqual(plan.currency, "EUR");
    assertEnded(
      await run("org", "set", studio.id, "--currency", "EUR"),
      1,
      /1 plans? and 0 contracts that are not over have prices in another currency than EUR/,
    );
    assert.equal((await json("org", "show", studio.id)).currency, "JPY");
    await json("org", "set", studio.id, "--currency", plan.currency);
    await removePlan(api.db, studio.id, planId);
    await json("location", "create", "--org", studio.id, "--name", "A");
    const { body: client } = await studio.call("POST", "/v1/clients", { body: { contactName: "Ana" } });
    await addContract(api.db, studio.id, { clientId: client.id, status: "cancelled" });
    assert.equal((await json("org", "set", studio.id, "--currency", "EUR")).currency, "EUR", "what is over");
    await addContract(api.db, studio.id, { clientId: client.id, status: "paused" });
    assertEnded(await run("org", "set", studio.id, "--currency", "USD"), 1, /0 plans and 1 contracts/);
  });

  test("a location that is not there, or is in two organizations, is refused with a sentence", async () => {
    const [one, two] = [await api.newOrganization(), await api.newOrganization()];
    const id = newId();
    const missing = /There is no organization with this id/;
    assertEnded(await run("location", "create", "--org", id, "--name", "A"), 1, missing);
    assertEnded(await run("location", "list", "--org", id), 1, missing);
    assertEnded(await run("location", "close", id), 1, /There is no location with this id/);
    await addLocation(api.db, one.id, { id });
    assertEnded(await run("location", "close", id, "--org", two.id), 1, /There is no location with this id/);
    await addLocation(api.db, two.id, { id });
    assertEnded(await run("location", "close", id), 1, /Two organizations .* say which with --org/);
    await json("location", "close", id, "--org", two.id);
    assert.equal((await locations(one))[0].status, "active");
    assert.equal((await locations(two))[0].status, "closed");
  });

  test("wrong usage ends with 2 and one sentence", async () => {
    const id = newId();
    const create = ["location", "create", "--org", id];
    const mistakes: [RegExp, string[]][] = [
      [/--name must be given/, create],
      [/--name must be one line/, [...create, "--name", " "]],
      [/--timezone must be an IANA name/, [...create, "--name", "A", "--timezone", "Brasilia"]],
      [/--address must be one line of 1 to 500/, [...create, "--name", "A", "--address", "x".repeat(501)]],
      [/Give at least one of --name, --timezone, --address/, ["location", "set", id]],
      [/ID must be a UUID/, ["location", "close", "Vila"]],
      [/There are: location create, location list/, ["location", "destroy", id]],
      [
        /--location must be one line/,
        ["org", "create", "--name", "A", "--timezone", "UTC", "--currency", "BRL", "--location", "  "],
      ],
    ];
    for (const [sentence, args] of mistakes) assertEnded(await run(...args), 2, sentence);
  });
});
