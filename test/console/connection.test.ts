import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Page } from "playwright-core";
import { pooled } from "../../src/db/statements.ts";
import { Passwords } from "../../src/domain/staff/passwords.ts";
import { startConsole, type TestConsole } from "../support/console.ts";
import { until } from "../support/poll.ts";
import { addLocation } from "../support/records.ts";
import { CHEAP } from "../support/staff.ts";

const opened = await startConsole();
const PASSWORD = "a long sentence of mine";

function withConsole(name: string, run: (console: TestConsole, t: TestContext) => Promise<void>): void {
  test(name, async (t) => (opened ? run(opened, t) : t.skip("no Chromium on this machine")));
}

const countTypes = pooled(
  "test_count_service_types",
  "select count(*)::int as count from service_types where organization_id = $1 and name = $2",
);
const endSignIns = pooled("test_end_sign_ins", "delete from sign_ins where organization_id = $1");

async function howMany(
  { api }: TestConsole,
  organizationId: string,
  name: string,
): Promise<number | undefined> {
  const [row] = await api.db.query<{ count: number }>(countTypes, [organizationId, name]);
  return row?.count;
}

const SERVICES = "/console/catalog/services";

async function fillService(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "New service" }).first().click();
  await page.getByRole("dialog").getByLabel("Name").fill(name);
}

const save = (page: Page) => page.getByRole("dialog").getByRole("button", { name: "Save" }).click();

withConsole(
  "without a connection a write waits, is said to wait, and is carried out once",
  async (studio) => {
    const { id } = await studio.api.newOrganization({ name: "Studio of lost lines" });
    const open = await studio.open(id, SERVICES);
    const { page } = open;
    await fillService(page, "Yoga");
    await page.context().setOffline(true);
    await save(page);
    await page.getByText("What you saved is sent as soon as it is back.").waitFor();
    assert.equal(await howMany(studio, id, "Yoga"), 0);
    await page.context().setOffline(false);
    await page.getByRole("row", { name: /Yoga/ }).waitFor();
    await page.getByText("What you saved is sent as soon as it is back.").waitFor({ state: "detached" });
    assert.equal(await howMany(studio, id, "Yoga"), 1);
    await open.close();
  },
);

withConsole("a screen that could not be fetched is there as soon as the connection is", async (studio) => {
  const { id } = await studio.api.newOrganization({ name: "Studio of lost screens" });
  const open = await studio.open(id, SERVICES, { isAlone: true });
  const { page } = open;
  await page.getByRole("heading", { name: "Plans and services" }).waitFor();
  await page.context().setOffline(true);
  await page.getByRole("link", { name: "History" }).first().click();
  await page.getByText("This screen could not be loaded.").first().waitFor();
  await page.getByText("No connection. Retrying automatically.").waitFor();
  await page.context().setOffline(false);
  await page.getByRole("heading", { level: 1, name: "History" }).waitFor();
  await open.close();
});

withConsole("a write whose answer was lost three times is sent again and done once", async (studio) => {
  const { id } = await studio.api.newOrganization({ name: "Studio of lost answers" });
  const open = await studio.open(id, SERVICES);
  const { page } = open;
  let lost = 0;
  await page.route("**/app/v1/addServiceType", async (route) => {
    if (lost === 3) return route.continue();
    lost += 1;
    await route.fetch();
    return route.abort("connectionreset");
  });
  await fillService(page, "Pilates");
  await save(page);
  await page.getByText("Pilates is added.").waitFor();
  assert.equal(lost, 3);
  assert.equal(await howMany(studio, id, "Pilates"), 1);
  await open.close();
});

withConsole("a sign-in that ends in the middle of a form costs nothing of what was typed", async (studio) => {
  const { id } = await studio.api.newOrganization({ name: "Studio of ended sign-ins" });
  const password = await new Passwords(CHEAP).hash(PASSWORD, Buffer.alloc(16));
  const open = await studio.open(id, SERVICES, { password, expected: [401] });
  const { page } = open;
  await fillService(page, "Barre");
  await studio.api.db.query(endSignIns, [id]);
  await save(page);
  const dialog = page.getByRole("dialog", { name: "Please sign in again" });
  await dialog.waitFor();
  // Whoever comes by sees nothing of what was open, neither on the screen nor in the title of the window.
  assert.equal(await page.getByRole("heading", { level: 1, includeHidden: true }).isVisible(), false);
  assert.equal(await page.locator("dialog").first().getByLabel("Name").isVisible(), false);
  assert.equal(await page.title(), "Rollbook");
  await dialog.getByLabel("Password").fill(PASSWORD);
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("row", { name: /Barre/ }).waitFor();
  assert.notEqual(await page.title(), "Rollbook");
  assert.equal(await howMany(studio, id, "Barre"), 1);
  await open.close();
});

withConsole("what one person writes another sees, and what the other is typing stays", async (studio) => {
  const { id } = await studio.api.newOrganization({ name: "Studio of two" });
  const [one, other] = await Promise.all([studio.open(id, SERVICES), studio.open(id, SERVICES)]);
  await fillService(one.page, "Boxing");
  await fillService(other.page, "Swimming");
  await other.page.getByRole("dialog").getByLabel("Name").press("ArrowLeft");
  await save(one.page);
  const shown = other.page.locator("main").getByText("Boxing").first();
  await shown.waitFor({ state: "attached", timeout: 10_000 });
  const field = other.page.getByRole("dialog").getByLabel("Name");
  assert.equal(await field.inputValue(), "Swimming");
  assert.deepEqual(
    await other.page.evaluate("[document.activeElement.value, document.activeElement.selectionStart]"),
    ["Swimming", "Swimmin".length],
  );
  await save(other.page);
  await one.page.getByRole("row", { name: /Swimming/ }).waitFor({ timeout: 10_000 });
  await Promise.all([one.close(), other.close()]);
});

withConsole("a server that answers at once is not asked for changes without a pause", async (studio) => {
  const { id } = await studio.api.newOrganization({ name: "Studio of haste" });
  const open = await studio.open(id, SERVICES);
  const asked: number[] = [];
  await open.page.route("**/app/v1/versions*", (route) => {
    asked.push(performance.now());
    return route.fulfill({ json: { versions: `v${asked.length}` } });
  });
  await addLocation(studio.api.db, id, { name: "Centro" });
  await until("the page has asked four times", async () => asked.length >= 4);
  const [first = 0, , , fourth = 0] = asked;
  assert.ok(fourth - first > 2_000, `${fourth - first} ms for three pauses of a second`);
  await open.close();
});

withConsole("undo in the toast takes a write back", async (studio) => {
  const { id } = await studio.api.newOrganization({ name: "Studio of second thoughts" });
  const open = await studio.open(id, SERVICES);
  const { page } = open;
  await fillService(page, "Zumba");
  await save(page);
  await page.getByRole("row", { name: /Zumba/ }).waitFor();
  await page.getByRole("row", { name: /Zumba/ }).getByRole("button", { name: /Zumba/ }).last().click();
  await page.getByRole("menuitem", { name: "Archive" }).click();
  await page.getByRole("row", { name: /Zumba/ }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Undo" }).last().click();
  await page.getByRole("row", { name: /Zumba/ }).waitFor();
  await open.close();
});

withConsole(
  "while others write without end, what was read is shown although it is asked for again",
  async (studio) => {
    const { id } = await studio.api.newOrganization({ name: "Studio without rest" });
    const open = await studio.open(id, SERVICES);
    const { page } = open;
    await fillService(page, "Aikido");
    await save(page);
    await page.getByText("Aikido is added.").waitFor();
    let changes = 0;
    await page.route("**/app/v1/versions*", (route) => {
      changes += 1;
      return route.fulfill({ json: { versions: String(changes) } });
    });
    // Each answer takes longer than the next question.
    await page.route("**/app/v1/service-types?*", async (route) => {
      const asked = changes;
      while (changes < asked + 2) await page.waitForTimeout(50);
      await route.continue();
    });
    await page.reload();
    await page.getByRole("row", { name: /Aikido/ }).waitFor();
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await open.close();
  },
);

withConsole(
  "what cannot be drawn is a page that can be left, and what was rejected is said",
  async (studio) => {
    const { id } = await studio.api.newOrganization({ name: "Studio of surprises" });
    const open = await studio.open(id, "/console/timetable", { isAlone: true });
    const { page } = open;
    await page.getByRole("heading", { name: "Timetable" }).waitFor();
    await page.route("**/app/v1/audit**", (route) => route.fulfill({ json: { data: [{}], total: 1 } }));
    await page.getByRole("link", { name: "History" }).first().click();
    await page.getByText("This screen could not be shown.").first().waitFor();
    await page.unroute("**/app/v1/audit**");
    await page.getByRole("link", { name: "Timetable" }).first().click();
    await page.getByRole("heading", { name: "Timetable" }).waitFor();
    await page.evaluate("void Promise.reject(new Error('nobody waits for it'))");
    await page.getByText("Something went wrong that should not.", { exact: false }).first().waitFor();
    // Both were reported as well, for whoever has to find out.
    assert.ok(open.faults.length >= 2);
    (open.faults as string[]).length = 0;
    await open.close();
  },
);
