import type { Locator, Page } from "playwright-core";
import type { Role } from "../../src/core/actor.ts";

/** What somebody sees: an address, and what they do there until it is shown. */
export interface Scene {
  readonly name: string;
  /** `{client}`, `{contract}` and `{schedule}` stand for ids of the demo organization, `{link}` for a new colleague's. */
  readonly address: string;
  readonly role?: Role;
  readonly isOutside?: boolean;
  /** By icons, classes and places, as each language has other words. */
  readonly act?: (page: Page) => Promise<void>;
}

const screen = (address: string): Scene => ({
  name: address.replaceAll(/\W+/g, "-").replace(/^-console-?|-$/g, "") || "today",
  address,
});

const openDialog = (page: Page) => page.locator("dialog[open]").last();
const menuItem = (page: Page) => page.locator(".menu:popover-open .menu-item");

/** The last of the classes that come next. */
async function openSession(page: Page): Promise<Locator> {
  await page.locator("main .session-card:has(.card-people) .session-link").last().click();
  await openDialog(page).locator(".roster").waitFor();
  return openDialog(page);
}

async function chooseInSession(page: Page, choose: (items: Locator) => Locator): Promise<void> {
  const session = await openSession(page);
  await session.locator(".session-panel .row .icon-button").first().click();
  await choose(menuItem(page)).click();
  await page.locator("dialog[open] form").waitFor();
}

async function typeName(field: Locator, letters: string): Promise<void> {
  await field.fill(letters);
  await field.page().locator('[role="option"]').first().waitFor();
}

async function press(target: Locator): Promise<void> {
  await target.first().click();
  await openDialog(target.page()).waitFor();
}

const checkIn = (page: Page) => page.locator(".check-in input");

export const SCENES: readonly Scene[] = [
  screen("/console/"),
  { name: "check-in", address: "/console/", act: (page) => typeName(checkIn(page), "ma") },
  {
    name: "walk-in",
    address: "/console/",
    act: async (page) => {
      await typeName(checkIn(page), "Nora Neu");
      await page.locator('[role="option"]').last().click();
      await openDialog(page).waitFor();
    },
  },
  { name: "session", address: "/console/", act: async (page) => void (await openSession(page)) },
  {
    name: "session-book",
    address: "/console/",
    act: async (page) => {
      const session = await openSession(page);
      await session.locator(".session-panel .button-main").first().click();
      await typeName(session.locator(".combobox input"), "an");
      await page.locator('[role="option"]').first().click();
      await session.locator("form .actions").waitFor();
    },
  },
  {
    name: "session-substitute",
    address: "/console/",
    act: (page) => chooseInSession(page, (items) => items.first()),
  },
  {
    name: "session-move",
    address: "/console/",
    act: (page) => chooseInSession(page, (items) => items.nth(1)),
  },
  {
    name: "session-cancel",
    address: "/console/",
    act: (page) => chooseInSession(page, (items) => items.last()),
  },
  {
    name: "booking-cancel",
    address: "/console/",
    act: async (page) => {
      const session = await openSession(page);
      await session.locator(".person .icon-button").first().click();
      await menuItem(page).last().click();
      await page.locator("dialog[open] form").waitFor();
    },
  },
  ...[0, 1, 2, 3, 4].map(
    (place): Scene => ({
      name: `todo-${place}`,
      address: "/console/",
      act: (page) => press(page.locator("button.todo-entry").nth(place)),
    }),
  ),
  {
    name: "palette",
    address: "/console/",
    act: async (page) => {
      await page.keyboard.press("Control+k");
      await openDialog(page).locator("input").fill("ma");
      await page.locator('[role="option"]').first().waitFor();
    },
  },
  {
    name: "account",
    address: "/console/",
    act: async (page) => {
      const more = page.locator(".foot-menu button");
      if (await more.isVisible()) await more.click();
      await press(page.locator(".account"));
    },
  },
  screen("/console/calendar?view=week"),
  screen("/console/calendar?view=day"),
  {
    name: "calendar-hover",
    address: "/console/calendar?view=week",
    act: async (page) => {
      await page.locator(".block").nth(20).hover();
      await page.locator(".block-open").filter({ visible: true }).first().waitFor();
    },
  },
  {
    name: "date-picker",
    address: "/console/calendar?view=week",
    act: async (page) => {
      await page.locator(".calendar-goto .icon-button").click();
      await page.locator(".date-picker").waitFor();
    },
  },
  {
    name: "add-session",
    address: "/console/calendar",
    act: (page) => press(page.locator(".page-actions .button-main")),
  },
  ...[2, 3].map(
    (place): Scene => ({
      name: `calendar-menu-${place}`,
      address: "/console/calendar",
      act: async (page) => {
        await page.locator(".page-actions .icon-button").click();
        await press(menuItem(page).nth(place));
      },
    }),
  ),
  screen("/console/clients"),
  screen("/console/clients/new"),
  screen("/console/clients/{client}"),
  {
    name: "client-book",
    address: "/console/clients/{client}",
    act: (page) => press(page.locator(".page-actions .button").first()),
  },
  {
    name: "client-fixed-place",
    address: "/console/clients/{client}",
    act: async (page) => {
      await press(page.locator(".page-actions .button").first());
      await openDialog(page).locator('input[type="radio"]').nth(1).check();
      await openDialog(page).locator('input[type="checkbox"]').first().waitFor();
    },
  },
  {
    name: "statement",
    address: "/console/clients/{client}",
    act: (page) => press(page.locator(".contract .contract-grants + div button")),
  },
  screen("/console/clients/{client}/contracts/{contract}"),
  screen("/console/clients/{client}/account"),
  screen("/console/clients/{client}/visits"),
  screen("/console/clients/{client}/edit"),
  {
    name: "sell",
    address: "/console/clients/{client}/sell",
    act: async (page) => {
      await page.locator('main input[type="radio"]:enabled').first().check();
      await page.locator("main form .actions, main .actions").first().waitFor();
    },
  },
  screen("/console/money"),
  screen("/console/money/payments"),
  screen("/console/money/invoices"),
  screen("/console/money/income"),
  screen("/console/timetable"),
  screen("/console/timetable/new"),
  screen("/console/timetable/{schedule}"),
  screen("/console/timetable/{schedule}/edit"),
  screen("/console/catalog"),
  screen("/console/catalog/services"),
  screen("/console/catalog/groups"),
  screen("/console/catalog/locations"),
  screen("/console/catalog/resources"),
  screen("/console/catalog/plans/new"),
  screen("/console/overview"),
  screen("/console/import"),
  {
    name: "import-faults",
    address: "/console/import",
    act: async (page) => {
      const text =
        "Nome;E-mail;Nascimento;CPF\nJoana;joana@example.com;31/02/1988;\nRui;rui;;\n;sem.nome@example.com;;\nInês;ines@example.com;;529.982.247-26\nAna;ana@example.com;01/12/1975;\nEva;eva@example.com;;;manhã";
      await page
        .locator('input[type="file"]')
        .setInputFiles({ name: "clientes.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
      await page.locator("main select").first().selectOption({ index: 1 });
    },
  },
  screen("/console/settings"),
  {
    name: "staff-form",
    address: "/console/settings",
    act: (page) => press(page.locator("main .button-main")),
  },
  ...["keys", "calendars", "webhooks", "organization"].map((part) => screen(`/console/settings/${part}`)),
  screen("/console/audit"),
  { name: "teacher-today", address: "/console/", role: "teacher" },
  { name: "sign-in", address: "/console/", isOutside: true },
  { name: "set-password", address: "/console/#link={link}", isOutside: true },
];
