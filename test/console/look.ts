// Pictures of screens for the eye, at both widths, in both themes and in each language:
//   npm run look                                  all of SCENES, with the demo's data
//   npm run look -- --scene session,todo          those whose name contains one of these
//   npm run look -- --click TEXT /console/clients an address, and what is clicked there
// `--view` takes some of the views alone. Beside each picture it says what axe finds, what is too small to press and which text is cut.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import type { Role } from "../../src/core/actor.ts";
import { MS_PER_HOUR } from "../../src/core/dates.ts";
import { DEMO_TIMEZONE } from "../../src/data/demo/studio.ts";
import { pooled } from "../../src/db/statements.ts";
import { dateIn, dayStart, zoneOfLocation } from "../../src/domain/recurrence/zones.ts";
import {
  findAxeFaults,
  findCutChoices,
  findSmallTargets,
  fitsItsWidth,
  launchBrowser,
  openConsole,
} from "../support/console.ts";
import { SCENES, type Scene } from "./scenes.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: "string", default: "bench-results/look" },
    role: { type: "string", default: "owner" },
    click: { type: "string", multiple: true, default: [] },
    scene: { type: "string", default: "" },
    view: { type: "string", default: "" },
    quick: { type: "boolean", default: false },
  },
});

const [desk, phone] = [
  { width: 1280, height: 900 },
  { width: 390, height: 844 },
];
/** Each width with each theme and each language. */
const VIEWS = [
  ["desk-en", { ...desk, theme: "light", language: "en" }],
  ["phone-dark-pt", { ...phone, theme: "dark", language: "pt-BR" }],
  ["desk-dark-es", { ...desk, theme: "dark", language: "es" }],
  ["phone-es", { ...phone, theme: "light", language: "es" }],
  ["desk-pt", { ...desk, theme: "light", language: "pt-BR" }],
  ["phone-dark-en", { ...phone, theme: "dark", language: "en" }],
] as const;

/** Somebody whose contract has credits that were used, so that there is something to state. */
const findIds = pooled(
  "look_ids",
  `select contract.client_id as client, contract.id as contract,
     (select id from schedules where organization_id = $1 order by id desc limit 1) as schedule,
     (select id from resources where organization_id = $1 and kind = 'person' order by id limit 1) as teacher
   from contracts contract
   join contract_entitlements entitlement
     on entitlement.organization_id = $1 and entitlement.contract_id = contract.id and entitlement.type = 'credits'
   join bookings booking on booking.organization_id = $1 and booking.contract_id = contract.id
   where contract.organization_id = $1 and contract.status = 'active'
   group by contract.client_id, contract.id order by count(*) desc, contract.id limit 1`,
);

const wanted = values.scene.split(",").filter(Boolean);
const scenes: readonly Scene[] =
  positionals.length > 0
    ? positionals.map((address) => ({
        name: address.replaceAll(/[^\w]+/g, "-").replace(/^-|-$/g, ""),
        address,
        role: values.role as Role,
        act: clickAll,
      }))
    : SCENES.filter(({ name }) => wanted.length === 0 || wanted.some((word) => name.includes(word)));
const views = VIEWS.filter(([name]) => name.includes(values.view)).slice(0, values.quick ? 2 : undefined);

mkdirSync(values.out, { recursive: true });
const browser = await launchBrowser();
if (!browser) throw new Error("There is no Chromium on this machine.");
// By the demo's clock it is a quarter to eleven: some classes are over, one is on, and others come.
const now = Date.now();
const morning = dayStart(zoneOfLocation(DEMO_TIMEZONE), dateIn(DEMO_TIMEZONE, now)) + 10.75 * MS_PER_HOUR;
const opened = await openConsole(browser, { clockOffsetMs: morning - now });
try {
  const { organization } = await opened.newDemo();
  const owner = await opened.newStaff(organization.id);
  const [ids] = await opened.api.db.query<Record<string, string>>(findIds, [organization.id]);
  for (const [view, options] of views)
    for (const scene of scenes) {
      const filled: Readonly<Record<string, string | undefined>> = {
        ...ids,
        ...(scene.address.includes("{link}") && { link: await newLink() }),
      };
      const address = scene.address.replaceAll(/\{(\w+)\}/g, (_, word: string) => filled[word] ?? "");
      const { page, faults, close } = await (scene.isOutside
        ? opened.openOutside(address, { ...options, expected: [401] })
        : opened.open(organization.id, address, {
            ...options,
            role: scene.role ?? "owner",
            ...(scene.role === "teacher" && { resourceId: ids?.teacher ?? "" }),
          }));
      const file = join(values.out, `${scene.name}-${view}.png`);
      const found: string[] = [];
      try {
        await isShown(page);
        await scene.act?.(page);
        await isShown(page);
      } catch (error) {
        found.push(String(error).split("\n")[0] ?? "");
      }
      // A dialog is as high as the window, whatever is below it.
      await page.screenshot({ path: file, fullPage: (await page.locator("dialog[open]").count()) === 0 });
      found.push(
        ...(await findAxeFaults(page, { hasContrast: true })),
        ...(await findSmallTargets(page)).map((text) => `small: ${text}`),
        ...(await findCutChoices(page)).map((text) => `cut: ${text}`),
      );
      if (!(await fitsItsWidth(page))) found.push("wider than the window");
      found.push(...faults);
      process.stdout.write(`${file}\n${found.map((line) => `  ${line}\n`).join("")}`);
      await close().catch(() => {});
    }

  async function newLink(): Promise<string> {
    const colleague = {
      name: "Bruno Lima",
      email: `${crypto.randomUUID()}@example.com`,
      role: "front_desk",
      allLocations: true,
    };
    const { body } = await owner.write("addStaff", colleague);
    return String(body.result.link).split("#link=")[1] ?? "";
  }
} finally {
  await browser.close();
  await opened.close();
}

async function clickAll(page: Page): Promise<void> {
  for (const text of values.click) {
    await page.getByText(text, { exact: true }).filter({ visible: true }).first().click();
    await isShown(page);
  }
}

/** Whatever is read has been read, and what is drawn by it is drawn. */
async function isShown(page: Page): Promise<void> {
  page.setDefaultTimeout(10_000);
  await page.locator("h1, h2").filter({ visible: true }).first().waitFor();
  await page.waitForTimeout(300);
  await page.locator(".skeleton").first().waitFor({ state: "detached" });
}
