import { type BrowserContext, chromium, type Page, type Response } from "playwright-core";
import { CHROMIUM_ARGUMENTS } from "./browser.ts";

/** Only to end what hangs: a busy machine may take long for each step. */
const STEP_MS = 60_000;
/** After which a press counts as lost, as it can be while the page is still drawing. */
const ANSWER_MS = 20_000;
const TRIES = 5;
const FEW = 5;

interface Button {
  readonly method: string;
  readonly path: string;
  readonly tag: string;
}

interface Reference {
  readonly url: string;
  readonly document: object;
  readonly key: string;
  readonly executablePath: string;
}

/** Presses Send in the reference page for each operation that is wanted; the status of each answer, by `get /v1/plans`. */
export async function pressSends(
  { url, document, key, executablePath }: Reference,
  isWanted: (name: string) => boolean = () => true,
): Promise<Record<string, number | undefined>> {
  const statuses: Record<string, number | undefined> = {};
  const buttons = buttonsOf(document).filter(({ method, path }) => isWanted(`${method} ${path}`));
  const browser = await chromium.launch({ executablePath, args: CHROMIUM_ARGUMENTS });
  try {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      reducedMotion: "reduce",
    });
    context.setDefaultTimeout(STEP_MS);
    // The page draws whatever the document has, which takes long: it is given what is wanted and no more.
    const wanted = only((await (await fetch(`${url}/openapi.json`)).json()) as object, buttons);
    await context.route(`${url}/openapi.json`, (route) => route.fulfill({ json: wanted }));
    let page: Page | undefined;
    for (const tag of new Set(buttons.map((button) => button.tag))) {
      for (const button of buttons.filter((other) => other.tag === tag)) {
        const name = `${button.method} ${button.path}`;
        for (let tries = 0; tries < TRIES && statuses[name] === undefined; tries++) {
          page ??= await openReference(context, url, key);
          statuses[name] = await pressSend(page, url, button);
          if (statuses[name] !== undefined) continue;
          await page.close();
          page = undefined;
        }
      }
      // A page for each group: the more groups one has drawn, the slower it gets. A few are not worth another page.
      if (buttons.length <= FEW) continue;
      await page?.close();
      page = undefined;
    }
  } finally {
    await browser.close();
  }
  return statuses;
}

function buttonsOf(document: object): Button[] {
  const { paths } = document as { paths: Record<string, Record<string, { tags: [string] }>> };
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { tags }]) => ({ method, path, tag: tags[0] })),
  );
}

/** The document with no other operations than these. */
function only(document: object, buttons: readonly Button[]): object {
  const { paths } = document as { paths: Record<string, Record<string, object>> };
  const chosen: typeof paths = {};
  for (const { path, method } of buttons) {
    const operation = paths[path]?.[method];
    if (operation) chosen[path] = { ...chosen[path], [method]: operation };
  }
  return { ...document, paths: chosen };
}

async function openReference(context: BrowserContext, origin: string, key: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${origin}/docs`);
  await page.getByPlaceholder("Token").filter({ visible: true }).first().fill(key);
  return page;
}

/** Opens the operation as a link to it would and sends what the page suggests; undefined if nothing was sent. */
async function pressSend(
  page: Page,
  origin: string,
  { method, path, tag }: Button,
): Promise<number | undefined> {
  const address = new RegExp(`^${path.replace("{id}", "[^/]+")}$`);
  const isAnswer = (response: Response): boolean => {
    const { origin: host, pathname } = new URL(response.url());
    const isSameMethod = response.request().method() === method.toUpperCase();
    return host === origin && address.test(pathname) && isSameMethod;
  };
  const open = page.getByRole("button", { name: `Test Request (${method} ${path})`, exact: true });
  const send = page.getByRole("button", { name: /^Send/ }).filter({ visible: true }).first();
  const place = `#tag/${tag.toLowerCase().replaceAll(" ", "-")}/${method.toUpperCase()}${path}`;
  await page.evaluate(`location.hash = ${JSON.stringify(place)}`);
  try {
    await open.click();
    await send.waitFor();
    const [response] = await Promise.all([
      page.waitForResponse(isAnswer, { timeout: ANSWER_MS }),
      send.click({ timeout: ANSWER_MS }),
    ]);
    // A dialog that is closed while it takes in the answer leaves Send disabled in the next one.
    await page
      .getByRole("button", { name: /^Send/, disabled: false })
      .filter({ visible: true })
      .first()
      .waitFor();
    await page.keyboard.press("Escape");
    await send.waitFor({ state: "hidden" });
    return response.status();
  } catch (error) {
    if (error instanceof Error && error.name === "TimeoutError") return undefined;
    throw error;
  }
}
