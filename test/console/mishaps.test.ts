import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Page } from "playwright-core";
import { formatWallClock } from "../../src/core/dates.ts";
import { pooled } from "../../src/db/statements.ts";
import { newBookingStudio } from "../support/booking-studio.ts";
import { fitsItsWidth, keepPicture, startConsole, type TestConsole } from "../support/console.ts";
import { addLocation, addServiceType } from "../support/records.ts";

// What happens at a busy desk with a slow line: people go back, click twice, type on, and work beside each other.

const opened = await startConsole();

function withConsole(name: string, run: (console: TestConsole, t: TestContext) => Promise<void>): void {
  test(name, async (t) => (opened ? run(opened, t) : t.skip("no Chromium on this machine")));
}

/** Requests to an address wait until they are let go. */
async function hold(page: Page, address: string | RegExp) {
  let letGo = () => {};
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let held = 0;
  await page.route(address, async (route) => {
    held += 1;
    await gate;
    await route.continue();
  });
  return { letGo: () => letGo(), count: () => held };
}

/** It is about noon there, so that whatever is minutes away is today. */
const NOON_OFFSET = 12 - new Date().getUTCHours();
const NOON_ZONE =
  NOON_OFFSET === 0 ? "Etc/GMT" : `Etc/GMT${NOON_OFFSET > 0 ? "-" : "+"}${Math.abs(NOON_OFFSET)}`;

async function newDesk(console: TestConsole, ...names: string[]) {
  const studio = await newBookingStudio(console.api, NOON_ZONE, NOON_ZONE);
  const desk = await console.newStaff(studio.id, { role: "front_desk" });
  const sessionId = await studio.session(formatWallClock(Date.now() + (NOON_OFFSET * 60 + 20) * 60_000));
  for (const name of names) {
    const clientId = await studio.member(name);
    const { status } = await desk.write("book", { clientId, session: { sessionId } });
    assert.equal(status, 200);
  }
  const states = async () => {
    const { bookings } = (await desk.read(`roster?sessionId=${sessionId}`)).body;
    return Object.fromEntries(
      (bookings as { clientName: string; state: string }[]).map(({ clientName, state }) => [
        clientName,
        state,
      ]),
    );
  };
  return { ...studio, desk, sessionId, states };
}

withConsole("a double click on a menu's button opens it, and a later click closes it", async (console) => {
  const { id } = await console.api.newOrganization({ name: "Studio of quick hands" });
  const { page, close } = await console.open(id, "/console/calendar");
  const [button, menu] = [page.getByRole("button", { name: "More" }), page.getByRole("menu")];
  await button.dblclick();
  assert.equal(await menu.isVisible(), true);
  await button.click();
  await menu.waitFor({ state: "hidden" });
  await close();
});

withConsole("the browser's back asks before a changed form is left, and then goes", async (console) => {
  const { id } = await console.api.newOrganization({ name: "Studio of second looks" });
  const open = await console.open(id, "/console/clients");
  const { page } = open;
  await page.getByRole("link", { name: "New client" }).first().click();
  await page.getByLabel("Name").fill("Rosa Prado");
  await page.goBack();
  const question = page.getByRole("dialog", { name: "Leave without saving?" });
  await question.getByRole("button", { name: "Stay" }).click();
  await question.waitFor({ state: "detached" });
  assert.equal(await page.getByLabel("Name").inputValue(), "Rosa Prado");
  assert.equal(new URL(page.url()).pathname, "/console/clients/new");
  await page.goBack();
  await question.getByRole("button", { name: "Leave", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Clients" }).waitFor();
  assert.equal(new URL(page.url()).pathname, "/console/clients");
  await page.goForward();
  await page.getByRole("heading", { level: 1, name: "New client" }).waitFor();
  await open.close();
});

withConsole(
  "whoever has gone on while a form is saved stays where they are, and what they type stays",
  async (console) => {
    const { id } = await console.api.newOrganization({ name: "Studio of slow lines" });
    await addLocation(console.api.db, id);
    const open = await console.open(id, "/console/clients/new");
    const { page } = open;
    const slow = await hold(page, "**/app/v1/addClient");
    await page.getByLabel("Name").fill("Rosa Prado");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("link", { name: "Plans and services" }).first().click();
    await page.getByRole("link", { name: "Services", exact: true }).click();
    await page.getByRole("button", { name: "New service" }).first().click();
    await page.getByRole("dialog").getByLabel("Name").fill("Barre");
    const before = page.url();
    slow.letGo();
    await page.getByText("Rosa Prado is added.").waitFor();
    assert.equal(page.url(), before);
    assert.equal(await page.getByRole("dialog").getByLabel("Name").inputValue(), "Barre");
    await open.close();
  },
);

withConsole("a refusal that comes after its form was left is said", async (console) => {
  const { id } = await console.api.newOrganization({ name: "Studio of late refusals" });
  const open = await console.open(id, "/console/clients/new", { expected: [422] });
  const { page } = open;
  const slow = await hold(page, "**/app/v1/addClient");
  await page.getByLabel("Name").fill("Rosa Prado");
  await page.getByLabel("E-mail").fill("no address");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("link", { name: "Clients" }).first().click();
  await page.getByRole("heading", { level: 1, name: "Clients" }).waitFor();
  slow.letGo();
  await page.getByRole("region", { name: "Messages" }).getByRole("alert").waitFor();
  await open.close();
});

withConsole(
  "a second click while a check-in is under way changes nothing about its undo",
  async (console) => {
    const studio = await newDesk(console, "Ana Lima");
    const open = await console.open(studio.id, "/console/", { role: "front_desk" });
    const { page } = open;
    const slow = await hold(page, "**/app/v1/setAttendance");
    const button = page.getByRole("button", { name: "Check in Ana Lima" });
    await button.click();
    await button.click();
    slow.letGo();
    const undo = page.getByRole("button", { name: "Undo" });
    await undo.first().waitFor();
    await button.waitFor({ state: "detached" });
    assert.equal(slow.count(), 1);
    await undo.last().click();
    await button.waitFor();
    assert.deepEqual(await studio.states(), { "Ana Lima": "booked" });
    await open.close();
  },
);

withConsole("an answer that comes late puts nobody else under the Enter key", async (console) => {
  const studio = await newDesk(console, "Ana Lima", "Ana Moura");
  await studio.newClient("Ana Alves");
  const open = await console.open(studio.id, "/console/", { role: "front_desk" });
  const { page } = open;
  await page.getByRole("heading", { name: "Next" }).waitFor();
  const slow = await hold(page, /app\/v1\/people\?/);
  await page.getByRole("combobox", { name: "Check somebody in" }).focus();
  await page.keyboard.type("ana");
  await page.getByRole("option", { name: /Ana Moura/ }).waitFor();
  await page.keyboard.press("ArrowDown");
  const chosen = page.getByRole("option", { selected: true });
  const name = /Ana (Lima|Moura)/.exec((await chosen.textContent()) ?? "")?.[0] ?? "";
  slow.letGo();
  await page.getByRole("option", { name: /Ana Alves/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByText(`${name} is checked in`).first().waitFor();
  assert.equal((await studio.states())[name], "attended");
  await open.close();
});

withConsole("Enter books nobody whom an earlier search found, and makes nobody new", async (console) => {
  const studio = await newDesk(console);
  await studio.member("Maria Alves");
  await studio.member("Mario Souza");
  const open = await console.open(studio.id, `/console/?session=${studio.sessionId}`, { role: "front_desk" });
  const { page } = open;
  await page.getByRole("dialog").getByRole("button", { name: "Book somebody" }).click();
  const field = page.getByRole("combobox", { name: "Who's coming?" });
  await field.fill("mari");
  const offered = page.getByRole("option").filter({ hasText: /^Mari/ });
  await offered.nth(1).waitFor();
  const second = /Mari[ao] \w+/.exec((await offered.nth(1).textContent()) ?? "")?.[0] ?? "";
  const slow = await hold(page, /app\/v1\/people\?/);
  await field.pressSequentially(second.slice("Mari".length));
  assert.deepEqual(await page.getByRole("option").allTextContents(), [second]);
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").getByRole("heading", { name: second }).waitFor();
  slow.letGo();
  await open.close();
});

withConsole("more services than one page of the list has are all there to choose", async (console) => {
  const { id } = await console.api.newOrganization({ name: "Studio of everything" });
  await addLocation(console.api.db, id);
  const names = Array.from({ length: 205 }, (_, number) => `Service ${number}`);
  await Promise.all(names.map((name) => addServiceType(console.api.db, id, { name })));
  const open = await console.open(id, "/console/timetable/new");
  const { page } = open;
  await page.getByRole("option", { name: "Service 204", exact: true }).waitFor({ state: "attached" });
  const offered = await page.getByRole("option", { name: /^Service \d+$/ }).allTextContents();
  assert.deepEqual([...new Set(offered)].sort(), [...names].sort());
  await open.close();
});

withConsole("names of 100 letters without a space make no page wider than a phone", async (console) => {
  const name = "Wolfeschlegelsteinhausen".repeat(5).slice(0, 100);
  const { id, desk, sessionId, member } = await newDesk(console, name);
  for (const table of ["locations", "service_types", "plans", "resources", "organizations"])
    await console.api.db.query(
      pooled(
        "",
        `update ${table} set name = $2 where ${table === "organizations" ? "id" : "organization_id"} = $1`,
      ),
      [id, name],
    );
  await console.api.db.query(pooled("", "update contracts set plan_name = $2 where organization_id = $1"), [
    id,
    name,
  ]);
  const clientId = await member(`${name}${name}`);
  assert.equal((await desk.write("book", { clientId, session: { sessionId } })).status, 200);
  const wide: string[] = [];
  const look = async (role: "owner" | "front_desk", ...addresses: string[]) => {
    const { page, close } = await console.open(id, "/console/history", { role, width: 360, height: 740 });
    for (const address of addresses) {
      await page.goto(`${console.origin}/console/${address}`);
      await page.getByText("Wolfe").first().waitFor({ state: "attached" });
      await keepPicture(page, `long-${role}-${address.replace(/[/?].*[-=].*/, "").replace("/", "-")}`);
      if (!(await fitsItsWidth(page))) wide.push(address);
    }
    await close();
  };
  const catalog = ["plans", "services", "locations", "resources"].map((part) => `catalog/${part}`);
  await look("owner", "", `clients/${clientId}`, "clients", "timetable", ...catalog, "settings");
  // What the desk has open all day.
  await look("front_desk", "", "calendar", `calendar?session=${sessionId}`);
  assert.deepEqual(wide, []);
});

for (const [address, title, label] of [
  ["/console/settings/keys", "New key", "What it is for"],
  // Its form has an address, and so asks itself.
  ["/console/catalog/services", "New service", "Name"],
] as const)
  withConsole(`Escape, a click beside it and its cross ask once before ${title} is lost`, async (studio) => {
    const { id } = await studio.api.newOrganization({ name: "Studio of slips" });
    const open = await studio.open(id, address);
    const { page } = open;
    const dialog = page.locator("dialog").filter({ has: page.getByLabel(label) });
    const question = page.getByRole("dialog", { name: "Leave without saving?" });
    const name = dialog.getByLabel(label);
    const add = page.getByRole("button", { name: title }).first();
    await add.click();
    await name.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await add.click();
    await name.fill("Aikido");
    await name.press("Escape");
    await question.getByRole("button", { name: "Stay" }).click();
    await question.waitFor({ state: "detached" });
    assert.equal(await name.inputValue(), "Aikido");
    await page.mouse.click(5, 5);
    await question.waitFor();
    // Escape stays, too.
    await page.keyboard.press("Escape");
    await question.waitFor({ state: "detached" });
    assert.equal(await name.inputValue(), "Aikido");
    await dialog.getByRole("button", { name: "Close" }).click();
    await question.getByRole("button", { name: "Leave" }).click();
    await page.locator("dialog").first().waitFor({ state: "detached" });
    await open.close();
  });

withConsole(
  "a search of too many words says so, on Today, in the palette and in the list",
  async (studio) => {
    const { id } = await studio.api.newOrganization({ name: "Studio of many words" });
    await addLocation(studio.api.db, id);
    const open = await studio.open(id, "/console/", { role: "front_desk", expected: [422] });
    const { page } = open;
    const words = "a b c d e f g h i j k l";
    const fault = page.getByText("must have at most 10 different terms");
    await page.getByRole("combobox", { name: "Check somebody in" }).fill(words);
    await fault.waitFor();
    assert.equal(await page.getByText("Nothing found").count(), 0);
    await page.keyboard.press("ControlOrMeta+k");
    const palette = page.getByRole("dialog").getByRole("combobox");
    await palette.fill(words);
    await page.getByRole("dialog").getByText("must have at most 10 different terms").waitFor();
    await palette.fill("");
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "Clients" }).first().click();
    await page.getByLabel("Search clients").fill(words);
    await fault.waitFor();
    await page.getByLabel("Search clients").fill("x".repeat(201));
    await page.getByText("must have at most 200 characters").waitFor();
    await open.close();
  },
);

withConsole(
  "the people of a session stand as their language sorts them, not by code points",
  async (studio) => {
    const { id } = await newDesk(studio, "Tânia Melo", "Álvaro Reis", "Bruno Dias");
    const open = await studio.open(id, "/console/", { role: "front_desk", language: "pt-BR" });
    const people = open.page.getByRole("article").getByRole("listitem");
    await people.nth(2).waitFor();
    const names = (await people.allTextContents()).map((text) => /Álvaro|Bruno|Tânia/.exec(text)?.[0]);
    assert.deepEqual(names, ["Álvaro", "Bruno", "Tânia"]);
    await open.close();
  },
);

withConsole("the browser's back and reload ask before what is typed in a dialog is lost", async (studio) => {
  const { id } = await studio.api.newOrganization({ name: "Studio of second looks" });
  await addLocation(studio.api.db, id);
  const open = await studio.open(id, "/console/clients");
  const { page } = open;
  await page.getByRole("link", { name: "Calendar" }).first().click();
  const seats = page.getByRole("dialog").getByLabel("Seats");
  const question = page.getByRole("dialog", { name: "Leave without saving?" });
  const warnings: string[] = [];
  page.on("dialog", async (warning) => {
    warnings.push(warning.type());
    await warning.dismiss();
  });
  const reload = () => page.evaluate("location.reload()");
  await page.getByRole("button", { name: "Add a session" }).click();
  await seats.click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("33");
  const warned = page.waitForEvent("dialog");
  await reload();
  await warned;
  assert.deepEqual(warnings, ["beforeunload"]);
  await page.goBack();
  await question.getByRole("button", { name: "Stay" }).click();
  await question.waitFor({ state: "detached" });
  assert.equal(await seats.inputValue(), "33");
  assert.equal(new URL(page.url()).pathname, "/console/calendar");
  await page.goBack();
  await question.getByRole("button", { name: "Leave", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Clients" }).waitFor();
  assert.equal(await page.locator("dialog").count(), 0);
  // Nothing is left to ask about.
  await page.goForward();
  await page.getByRole("button", { name: "Add a session" }).click();
  await seats.waitFor();
  await page.goBack();
  await page.getByRole("heading", { level: 1, name: "Clients" }).waitFor();
  assert.deepEqual(warnings, ["beforeunload"]);
  await open.close();
});
