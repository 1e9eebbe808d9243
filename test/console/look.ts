// Pictures of screens for the eye: `npm run look -- [--out FOLDER] [--role ROLE] [--click TEXT]… /console/ /console/clients …`
// takes each at both widths, in both themes, and once in each language. `{client}`, `{contract}` and `{session}` in an address
// stand for the ids of a demo organization.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Role } from "../../src/core/actor.ts";
import { pooled } from "../../src/db/statements.ts";
import {
  DESK,
  findAxeFaults,
  findSmallTargets,
  fitsItsWidth,
  launchBrowser,
  openConsole,
  PHONE,
} from "../support/console.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: "string", default: "bench-results/look" },
    role: { type: "string", default: "owner" },
    click: { type: "string", multiple: true, default: [] },
    quick: { type: "boolean", default: false },
  },
});
mkdirSync(values.out, { recursive: true });
const browser = await launchBrowser();
if (!browser) throw new Error("There is no Chromium on this machine.");
const opened = await openConsole(browser);
try {
  const { organization } = await opened.newDemo();
  const any = (table: string) =>
    pooled(`look_${table}`, `select id from ${table} where organization_id = $1 order by id desc limit 1`);
  const idOf = async (table: string) => {
    const [row] = await opened.api.db.query<{ id: string }>(any(table), [organization.id]);
    return row?.id ?? "";
  };
  const ids: Record<string, string> = {
    client: await idOf("clients"),
    contract: await idOf("contracts"),
    session: await idOf("sessions"),
  };
  const views = [
    ["desk", { ...DESK, theme: "light", language: "en" }],
    ["phone-dark-pt", { ...PHONE, theme: "dark", language: "pt-BR" }],
    ["desk-dark-es", { ...DESK, theme: "dark", language: "es" }],
    ["phone", { ...PHONE, theme: "light", language: "en" }],
  ] as const;
  for (const address of positionals.length > 0 ? positionals : ["/console/"])
    for (const [name, options] of values.quick ? views.slice(0, 2) : views) {
      const filled = address.replace(/\{(\w+)\}/g, (_, word: string) => ids[word] ?? "");
      const { page, faults } = await opened.open(organization.id, filled, {
        ...options,
        role: values.role as Role,
      });
      await page.waitForLoadState("domcontentloaded");
      await page.waitForTimeout(900);
      for (const text of values.click) {
        await page.getByText(text, { exact: true }).filter({ visible: true }).first().click();
        await page.waitForTimeout(500);
      }
      const file = join(values.out, `${address.replace(/[^\w]+/g, "-").replace(/^-|-$/g, "")}-${name}.png`);
      await page.screenshot({ path: file, fullPage: true });
      const found = [
        ...faults,
        ...(await findAxeFaults(page)),
        ...(await findSmallTargets(page)).map((text) => `small: ${text}`),
      ];
      if (!(await fitsItsWidth(page))) found.push("wider than the window");
      process.stdout.write(`${file}\n${found.map((line) => `  ${line}\n`).join("")}`);
      await page.context().close();
    }
} finally {
  await browser.close();
  await opened.close();
}
