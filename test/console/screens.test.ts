import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { pooled } from "../../src/db/statements.ts";
import {
  DESK,
  findAxeFaults,
  findCutChoices,
  findSmallTargets,
  fitsItsWidth,
  keepPicture,
  PHONE,
  startConsole,
} from "../support/console.ts";

const opened = await startConsole();
const demo = await opened?.newDemo();

const clientWithContract = pooled(
  "test_client_with_contract",
  `select client_id as "clientId", id as "contractId" from contracts
   where organization_id = $1 and status = 'active' order by id limit 1`,
);

/** Every address that shows something of its own. */
async function addresses(): Promise<string[]> {
  if (!opened || !demo) return [];
  const [found] = await opened.api.db.query<{ clientId: string; contractId: string }>(clientWithContract, [
    demo.organization.id,
  ]);
  const client = `/console/clients/${found?.clientId}`;
  return [
    "/console/",
    "/console/calendar",
    "/console/calendar?view=day",
    "/console/clients",
    "/console/clients/new",
    client,
    `${client}/edit`,
    `${client}/sell`,
    `${client}/account`,
    `${client}/visits`,
    "/console/money",
    "/console/money/payments",
    "/console/money/invoices",
    "/console/money/income",
    "/console/timetable",
    "/console/timetable/new",
    "/console/catalog",
    "/console/catalog/services",
    "/console/catalog/groups",
    "/console/catalog/locations",
    "/console/catalog/resources",
    "/console/overview",
    "/console/import",
    "/console/settings",
    "/console/settings/keys",
    "/console/settings/webhooks",
    "/console/settings/organization",
    "/console/audit",
  ];
}

const ALL_VIEWS = [
  { ...DESK, theme: "light", language: "en" },
  { ...PHONE, theme: "dark", language: "pt-BR" },
  { ...DESK, theme: "dark", language: "es" },
  { ...PHONE, theme: "light", language: "en" },
] as const;
/**
 * Axe takes seconds for a full screen: here both widths and both themes once, with `EVERY_VIEW=1` each with each.
 */
const VIEWS = process.env.EVERY_VIEW ? ALL_VIEWS : ALL_VIEWS.slice(0, 2);
/** The narrowest, and with `EVERY_VIEW=1` the widest: what fits between them is looked at above. */
const WIDTHS = [
  { width: 360, height: 700, language: "pt-BR" },
  { width: 2560, height: 1300, language: "es" },
] as const;

for (const { width, height, theme, language } of VIEWS)
  test(`every screen at ${width} pixels, ${theme}, ${language}: axe finds nothing, all fits, targets are large enough`, async (t) => {
    if (!opened || !demo) return t.skip("no Chromium on this machine");
    const options = { width, height, theme, language };
    const { page, close } = await opened.open(demo.organization.id, "/console/", options);
    const found: string[] = [];
    const titles = new Set<string>();
    const all = await addresses();
    for (const address of all) {
      await goTo(page, address);
      const faults = [
        ...(await findAxeFaults(page, { hasContrast: true })),
        ...(await findSmallTargets(page)),
        ...(await findCutChoices(page)).map((text) => `cut: ${text}`),
        ...(width === PHONE.width ? await findHardToTouch(page) : []),
      ];
      if (!(await fitsItsWidth(page))) faults.push("wider than the window");
      found.push(...faults.map((fault) => `${address}: ${fault}`));
      titles.add(await page.title());
      await keepPicture(page, `${address.replaceAll(/\W+/g, "-")} ${width} ${theme}`);
    }
    assert.deepEqual(found, []);
    assert.ok(titles.size > 0.4 * all.length, `titles: ${[...titles].join(", ")}`);
    assert.equal(await page.evaluate("document.documentElement.lang"), language);
    await close();
  });

for (const options of process.env.EVERY_VIEW ? WIDTHS : WIDTHS.slice(0, 1))
  test(`every screen fits ${options.width} pixels`, async (t) => {
    if (!opened || !demo) return t.skip("no Chromium on this machine");
    const { page, close } = await opened.open(demo.organization.id, "/console/", options);
    const wide: string[] = [];
    for (const address of await addresses()) {
      await goTo(page, address);
      if (!(await fitsItsWidth(page))) wide.push(address);
    }
    assert.deepEqual(wide, []);
    await close();
  });

/** What a finger presses, if it is lower than 44 pixels. */
function findHardToTouch(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`[...document.querySelectorAll(
    ".button, .icon-button, .input, .tabs a, .menu-item, .todo-entry, .foot-menu a, .calendar-switch button, .week-strip button"
  )].filter((element) => element.checkVisibility() && element.getBoundingClientRect().height < 44)
    .map((element) => "lower than a finger: " + element.outerHTML.slice(0, 120))`);
}

/** As a link would, and until what is there was read. */
async function goTo(page: Page, address: string): Promise<void> {
  await page.evaluate(`(() => {
    const link = Object.assign(document.createElement("a"), { href: "${address}" });
    document.body.append(link);
    link.click();
    link.remove();
  })()`);
  await page.waitForFunction(`location.pathname + location.search === "${address}"`);
  await page.locator("main h1").first().waitFor();
  await page.locator(".skeleton").first().waitFor({ state: "detached" });
}
