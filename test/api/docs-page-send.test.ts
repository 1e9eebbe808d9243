import assert from "node:assert/strict";
import { test } from "node:test";
import { chromium, type Page, type Response } from "playwright-core";
import { createDemo } from "../../src/demo/operations.ts";
import { startApi, type TestApi } from "../support/api.ts";
import { CHROMIUM_ARGUMENTS, findChromium } from "../support/browser.ts";
import { until } from "../support/poll.ts";

/** Only to end a test that hangs: a busy machine may take long for each step. */
const PATIENCE_MS = 120_000;

interface Button {
  readonly method: string;
  readonly path: string;
  readonly tag: string;
}

test("on a demo server every operation of the reference page can be sent as it stands", async (t) => {
  const executablePath = findChromium();
  if (!executablePath) return t.skip("no Chromium on this machine");
  const api = await startApi();
  const { key } = await createDemo(api.db, api.keySecret, "test");
  const browser = await chromium.launch({ executablePath, args: CHROMIUM_ARGUMENTS });
  try {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      reducedMotion: "reduce",
    });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    await page.goto(`${api.url}/docs`);
    await page.getByPlaceholder("Token").filter({ visible: true }).first().fill(key.key);

    const statuses: Record<string, number> = {};
    for (const button of buttonsOf(api)) {
      statuses[`${button.method} ${button.path}`] = await pressSend(page, api.url, button);
    }
    assert.deepEqual(statuses, {
      "get /v1/organization": 200,
      "get /v1/locations": 200,
      "get /v1/plans": 200,
      "get /v1/plans/{id}": 200,
      "get /v1/service-types": 200,
      "get /v1/service-types/{id}": 200,
      "get /v1/contracts": 200,
      "get /v1/contracts/{id}": 200,
      "get /v1/clients": 200,
      "post /v1/clients": 201,
      "get /v1/clients/{id}": 200,
      "put /v1/clients/{id}": 200,
      "delete /v1/clients/{id}": 204,
      "get /v1/calendar": 200,
    });
  } finally {
    await browser.close();
  }
});

function buttonsOf({ document }: TestApi): Button[] {
  const { paths } = document as { paths: Record<string, Record<string, { tags: [string] }>> };
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { tags }]) => ({ method, path, tag: tags[0] })),
  );
}

/**
 * Opens the operation as a link to it would, and sends what the page suggests. While the page is still drawing, a
 * press can be lost, so it is repeated until there is an answer: each request may be sent any number of times.
 */
async function pressSend(page: Page, origin: string, { method, path, tag }: Button): Promise<number> {
  const place = `#tag/${tag.toLowerCase().replaceAll(" ", "-")}/${method.toUpperCase()}${path}`;
  const send = page.getByRole("button", { name: /^Send/ }).filter({ visible: true }).first();
  let status: number | undefined;
  const record = (response: Response) => {
    const isOurs = response.url().startsWith(`${origin}/v1/`);
    if (isOurs && response.request().method() === method.toUpperCase()) status = response.status();
  };
  page.on("response", record);
  await page.evaluate(`location.hash = ${JSON.stringify(place)}`);
  await page.getByRole("button", { name: `Test Request (${method} ${path})`, exact: true }).click();
  await until(
    `${method} ${path} is answered`,
    async () => {
      if (status === undefined) await send.click({ timeout: 5_000 }).catch(() => undefined);
      return status !== undefined;
    },
    PATIENCE_MS,
  );
  page.off("response", record);
  await until(
    "the request is closed",
    async () => {
      if (await send.isVisible()) await page.keyboard.press("Escape");
      return !(await send.isVisible());
    },
    PATIENCE_MS,
  );
  return status ?? 0;
}
