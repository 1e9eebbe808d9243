import { type BrowserContext, chromium, type Response } from "playwright-core";
import { CHROMIUM_ARGUMENTS } from "./browser.ts";

/** Only to end what hangs: a busy machine may take long for each step. */
const STEP_MS = 60_000;

interface Button {
  readonly method: string;
  readonly path: string;
  readonly tag: string;
  readonly operationId: string;
}

interface Reference {
  readonly url: string;
  readonly document: object;
  readonly key: string;
  readonly executablePath: string;
}

/** Presses Send in the reference for each operation; the status of each answer, by `get /v1/plans`. */
export async function pressSends({
  url,
  document,
  key,
  executablePath,
}: Reference): Promise<Record<string, number>> {
  const statuses: Record<string, number> = {};
  const browser = await chromium.launch({ executablePath, args: CHROMIUM_ARGUMENTS });
  try {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      reducedMotion: "reduce",
    });
    context.setDefaultTimeout(STEP_MS);
    for (const button of buttonsOf(document))
      statuses[`${button.method} ${button.path}`] = (await pressSend(context, url, key, button)).status();
  } finally {
    await browser.close();
  }
  return statuses;
}

function buttonsOf(document: object): Button[] {
  const { paths } = document as {
    paths: Record<string, Record<string, { tags: [string]; operationId: string }>>;
  };
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { tags, operationId }]) => ({
      method,
      path,
      tag: tags[0],
      operationId,
    })),
  );
}

/** Opens the form of an operation as its page has it, gives it the key, and sends what it suggests. */
async function pressSend(
  context: BrowserContext,
  origin: string,
  key: string,
  { method, path, tag, operationId }: Button,
): Promise<Response> {
  const page = await context.newPage();
  await page.goto(`${origin}/docs/reference/${tag.toLowerCase().replaceAll(" ", "-")}#${operationId}`);
  await page.locator(`[data-try="${operationId}"]`).click();
  const form = page.getByRole("form", { name: operationId });
  await form.getByLabel("Key", { exact: true }).fill(key);
  const address = new RegExp(`^${path.replace("{id}", "[^/]+")}$`);
  const answered = page.waitForResponse((response) => {
    const { origin: host, pathname } = new URL(response.url());
    return host === origin && address.test(pathname) && response.request().method() === method.toUpperCase();
  });
  await form.getByRole("button", { name: /^Send/ }).click();
  const response = await answered;
  await form.locator("output").getByText(`${response.status()} `, { exact: false }).first().waitFor();
  await page.close();
  return response;
}
