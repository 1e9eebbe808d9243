import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startApi } from "../support/api.ts";
import { newLinkedStudio, readEvents } from "../support/calendar-links.ts";
import { newId } from "../support/ids.ts";
import { databaseUrl } from "../support/processes.ts";
import { assertEnded, jsonIn, runIn } from "../support/terminal.ts";

const api = await startApi();
const environment = { DATABASE_URL: databaseUrl(api.store.connection), KEY_SECRET: api.keySecret };
const run = (...args: string[]) => runIn(environment, ...args);
const json = (...args: string[]) => jsonIn(environment, ...args);

describe("links to calendars on the command line", { concurrency: 2 }, () => {
  test("a link is made, listed, changed over and ended, and opens the calendar meanwhile", async () => {
    const studio = await newLinkedStudio(api);
    const org = ["--org", studio.id];
    const limits = ["--location", studio.locationId, "--service-type", studio.serviceTypeId];
    const made = await json(
      ...["ics", "mint", ...org, ...limits, "--name", "Site", "--past", "7d", "--ahead", "14d"],
      ...["--language", "es", "--show-seats", "--expires", "365d"],
    );
    assert.deepEqual(
      [made.pastDays, made.aheadDays, made.language, made.showSeats, made.locationId],
      [7, 14, "es", true, studio.locationId],
    );
    const path = (url: string) => new URL(url).pathname;
    assert.deepEqual(readEvents(await api.call("GET", path(made.url))), []);
    const { data, total } = await json("ics", "list", ...org);
    assert.equal(total, 1);
    assert.equal(data[0].id, made.id);
    assert.equal("url" in data[0], false);
    const table = await run("ics", "list", ...org);
    assert.match(table.stdout, /Site +location .*, service-type .* active/);
    const { stdout, stderr } = await run("ics", "rotate", made.id, "--overlap", "0s");
    assert.match(stdout, /^http\S+\/ics\/rbc_\w{38}\.ics\n$/);
    assert.match(stderr, /webcal:\/\//);
    assert.equal((await api.call("GET", path(made.url))).status, 404);
    const next = (await json("ics", "list", ...org)).data[1];
    assert.equal(next.name, "Site");
    assert.equal((await run("ics", "revoke", next.id)).code, 0);
    assert.equal((await api.call("GET", path(stdout.trim()))).status, 404);
    const { data: trail } = await json("audit", ...org);
    assert.deepEqual(
      trail.slice(0, 3).map(({ action }: { action: string }) => action),
      ["revokeCalendarLink", "rotateCalendarLink", "mintCalendarLink"],
    );
  });

  test("a link to the bookings of one client is made, and one for whom nobody knows is not", async () => {
    const studio = await newLinkedStudio(api);
    const org = ["--org", studio.id];
    const { id: clientId } = await studio.done("addClient", { contactName: "Ana Prado" });
    assert.equal((await json("ics", "mint", ...org, "--client", clientId)).clientId, clientId);
    assertEnded(await run("ics", "mint", ...org, "--client", newId()), 1, /There is no client with this id/);
    const elsewhere = await run("ics", "mint", ...org, "--location", newId());
    assert.equal(elsewhere.code, 1);
    assert.match(elsewhere.stderr, /\n {2}locationId: is not a location of this organization\n$/);
    assertEnded(await run("ics", "revoke", newId()), 1, /There is no calendar link with this id/);
    const dry = await json("ics", "mint", ...org, "--dry-run");
    assert.equal(dry.dryRun, true);
    assert.equal((await json("ics", "list", ...org)).total, 1);
  });

  test("what is no number of days, language or id is wrong usage", async () => {
    for (const [flag, value] of [
      ["--past", "36h"],
      ["--past", "400d"],
      ["--ahead", "soon"],
      ["--language", "fr"],
      ["--client", "Ana"],
      ["--expires", "0d"],
    ] as const)
      assertEnded(await run("ics", "mint", "--org", newId(), flag, value), 2, new RegExp(flag));
  });
});
