import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after } from "node:test";
import { pino } from "pino";
import { type Browser, type BrowserContext, chromium, type Page, type Response } from "playwright-core";
import type { Role } from "../../src/core/actor.ts";
import { createDemo, type Demo } from "../../src/data/demo/operations.ts";
import { openApi, type TestApi } from "./api.ts";
import { CHROMIUM_ARGUMENTS, findChromium } from "./browser.ts";
import { closeAfterFiles } from "./files.ts";
import { callerWith, type NewTestStaff, newStaff, type TestStaff } from "./staff.ts";
import { freePort } from "./target.ts";

/** The console in a real browser, before a real server and a real database. */
export interface TestConsole {
  readonly api: TestApi;
  readonly origin: string;
  /** Somebody who looks at and prepares by requests what the browser then shows. */
  newStaff(organizationId: string, wanted?: NewTestStaff): Promise<TestStaff>;
  /** A demo organization of its own. */
  newDemo(): Promise<Demo>;
  /** A browser of its own, with somebody of an organization signed in, at an address such as `/console/clients`. */
  open(organizationId: string, address: string, options?: OpenOptions): Promise<OpenConsole>;
  /** The same without anybody signed in. */
  openOutside(address: string, options?: OpenOptions): Promise<OpenConsole>;
  close(): Promise<void>;
}

export interface OpenOptions {
  readonly role?: Role;
  readonly locationIds?: readonly string[];
  /** Of a teacher: who they are in the timetable. */
  readonly resourceId?: string;
  readonly language?: "en" | "pt-BR" | "es";
  readonly theme?: "light" | "dark";
  readonly width?: number;
  readonly height?: number;
  readonly passwordAge?: string;
  /** As it is stored. */
  readonly password?: string;
  /** Answers of 400 and above that the test provokes. */
  readonly expected?: readonly number[];
  /** Nobody gets its browser after it: the test does to it what cannot be taken back. */
  readonly isAlone?: boolean;
}

export interface OpenConsole {
  readonly page: Page;
  /** Whatever must not happen: other hosts, breaches of the policy, uncaught errors, unexpected refusals. */
  readonly faults: readonly string[];
  /** Ends it, and fails if something happened that must not. */
  close(): Promise<void>;
}

const LINES_KEPT = 20;

export const PHONE = { width: 390, height: 844 };
export const DESK = { width: 1360, height: 900 };

/** For a test file, which skips its tests if there is no browser: `undefined`. Closed after the file's last test. */
export async function startConsole(): Promise<TestConsole | undefined> {
  let console: TestConsole | undefined;
  // Said first: after a promise of another file's has been waited for, it would be that file's.
  after(() => console?.close());
  const browser = await shareBrowser();
  console = browser && (await openConsole(browser));
  return console;
}

let sharedBrowser: Promise<Browser | undefined> | undefined;

/** A browser takes a second to start: the test files of a process have one, and each test a profile of its own in it. */
function shareBrowser(): Promise<Browser | undefined> {
  if (!sharedBrowser) {
    sharedBrowser = launchBrowser();
    closeAfterFiles(async () => (await sharedBrowser)?.close());
  }
  return sharedBrowser;
}

/** With `keepsPages`, it shows pages that were left again as they were, as the browsers of people do. */
export async function launchBrowser({ keepsPages = false } = {}): Promise<Browser | undefined> {
  const executablePath = findChromium();
  if (executablePath === undefined) return undefined;
  const ignoreDefaultArgs = keepsPages ? ["--disable-back-forward-cache"] : [];
  return chromium.launch({ executablePath, args: CHROMIUM_ARGUMENTS, ignoreDefaultArgs });
}

/** Whoever opens it closes it, and the browser. */
export async function openConsole(browser: Browser, { clockOffsetMs = 0 } = {}): Promise<TestConsole> {
  const port = Number(await freePort());
  const origin = `http://localhost:${port}`;
  // What the server said of its failures: a page shows that there was one.
  const log: string[] = [];
  const write = (line: string) => void log.splice(0, log.push(line) - LINES_KEPT);
  const logger = pino({ level: "warn" }, { write });
  const api = await openApi({ publicUrl: origin, port, clockOffsetMs, logger });
  const seats = new Seats(browser, origin, log);
  const openPage = async (address: string, options: OpenOptions, cookie?: string): Promise<OpenConsole> => {
    const { language = "en", theme = "light", width = DESK.width, height = DESK.height, expected } = options;
    const seat = await seats.take({ language, theme, width, height });
    seat.begin(expected);
    if (cookie) await seat.signIn(cookie);
    const { page, faults } = seat;
    await page.goto(origin + address);
    return {
      page,
      faults,
      async close() {
        const said = faults.length > 0 ? await seats.describe(seat) : undefined;
        await (options.isAlone ? seats.discard(seat) : seats.giveBack(seat));
        assert.deepEqual(faults, [], said);
      },
    };
  };
  return {
    api,
    origin,
    newDemo: () => createDemo(api.db, api.keySecret, "test"),
    async newStaff(organizationId, wanted) {
      const staff = await newStaff(api, organizationId, wanted);
      // The public address is one of plain http, so the cookie has no prefix.
      const cookie = staff.cookie.replace("__Host-", "");
      const caller = callerWith(api, cookie);
      return {
        ...staff,
        ...caller,
        write: (operation, body, options) =>
          caller.write(operation, body, { ...options, headers: { origin, ...options?.headers } }),
      };
    },
    openOutside: (address, options = {}) => openPage(address, options),
    async open(organizationId, address, options = {}) {
      const { role, locationIds, password, passwordAge, resourceId } = options;
      const staff = await newStaff(api, organizationId, {
        ...(role && { role }),
        ...(locationIds && { locationIds }),
        ...(password && { password }),
        ...(passwordAge && { passwordAge }),
        ...(resourceId && { resourceId }),
      });
      return openPage(address, options, staff.cookie.split("=")[1]);
    },
    async close() {
      await seats.close();
      await api.close();
    },
  };
}

interface View {
  readonly language: string;
  readonly theme: "light" | "dark";
  readonly width: number;
  readonly height: number;
}

/**
 * Browsers as people have them, each with its settings. To make one and load the console into it the first time takes
 * twice what loading it again does, so one that is given back is emptied and serves the next test.
 */
class Seats {
  readonly #browser: Browser;
  readonly #origin: string;
  readonly #free = new Map<string, Seat[]>();
  readonly #taken = new Set<Seat>();

  readonly #log: readonly string[];

  constructor(browser: Browser, origin: string, log: readonly string[]) {
    this.#browser = browser;
    this.#origin = origin;
    this.#log = log;
  }

  async take(view: View): Promise<Seat> {
    const free = this.#free.get(JSON.stringify(view))?.pop();
    const seat = free ?? (await Seat.open(this.#browser, this.#origin, view));
    this.#taken.add(seat);
    return seat;
  }

  async close(): Promise<void> {
    // A test that failed has left it: what its page shows and was refused says more than that something did not come.
    for (const seat of this.#taken) process.stderr.write(await this.describe(seat));
    for (const seat of [...this.#taken, ...[...this.#free.values()].flat()]) await seat.context.close();
    this.#taken.clear();
    this.#free.clear();
  }

  async describe(seat: Seat): Promise<string> {
    return (await seat.describe()) + this.#log.join("");
  }

  async discard(seat: Seat): Promise<void> {
    this.#taken.delete(seat);
    await seat.context.close();
  }

  async giveBack(seat: Seat): Promise<void> {
    if (!(await seat.empty())) return this.discard(seat);
    this.#taken.delete(seat);
    const key = JSON.stringify(seat.view);
    this.#free.set(key, [...(this.#free.get(key) ?? []), seat]);
  }
}

class Seat {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly view: View;
  faults: string[] = [];
  #expected: readonly number[] = [];
  #refusals: Promise<string>[] = [];

  static async open(browser: Browser, origin: string, view: View): Promise<Seat> {
    const { language, theme, width, height } = view;
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme: theme,
      locale: language,
      hasTouch: width < 600,
      // The console must not depend on where the person's computer thinks it is.
      timezoneId: "Asia/Tokyo",
      reducedMotion: "reduce",
    });
    const page = await context.newPage();
    const seat = new Seat(context, page, view);
    // Long for a person, not for a machine that runs other tests meanwhile.
    page.setDefaultTimeout(60_000);
    context.on("request", (request) => {
      if (!request.url().startsWith(`${origin}/`) && !/^(data|blob):/.test(request.url()))
        seat.faults.push(`request to ${request.url()}`);
    });
    context.on("response", (response) => {
      if (response.status() >= 400) seat.#refusals.push(readRefusal(response));
      if (response.status() >= 400 && !seat.#expected.includes(response.status()))
        seat.faults.push(`${response.status()} from ${response.url()}`);
    });
    page.on("pageerror", (error) => seat.faults.push(`uncaught ${error.message}`));
    page.on("console", (message) => {
      if (message.type() === "error" && !/Failed to load resource/.test(message.text()))
        seat.faults.push(`console: ${message.text()}`);
    });
    await page.exposeFunction("reportBreach", (breach: string) => seat.faults.push(breach));
    await page.addInitScript(`document.addEventListener("securitypolicyviolation", (event) =>
      reportBreach("policy: " + event.effectiveDirective + " " + event.blockedURI));`);
    return seat;
  }

  private constructor(context: BrowserContext, page: Page, view: View) {
    this.context = context;
    this.page = page;
    this.view = view;
  }

  /** For a test, which has its own list of what must not happen. */
  begin(expected: readonly number[] = []): void {
    this.faults = [];
    this.#refusals = [];
    this.#expected = expected;
  }

  /** For whoever has to find out why a test failed. */
  async describe(): Promise<string> {
    const shown = await this.page
      .evaluate<string>(
        `[document.body, ...document.querySelectorAll("dialog:modal")].at(-1).innerText + "\\n" +
          [...document.querySelectorAll("input, select, textarea")].map(({ type, name, value, checked }) =>
            [type, name, value, checked].join(" ").trim()).join(", ")`,
      )
      .catch(String);
    const lines = [
      `A test left ${this.page.url()} open.`,
      ...this.faults,
      ...(await Promise.all(this.#refusals)),
    ];
    return `${[...lines, shown].join("\n")}\n`;
  }

  async signIn(cookie: string): Promise<void> {
    const place = { domain: "localhost", path: "/", httpOnly: true, sameSite: "Strict" } as const;
    await this.context.addCookies([{ name: "rollbook", value: cookie, ...place }]);
  }

  /** As it was when it was opened, but for files that never change. False if that cannot be reached. */
  async empty(): Promise<boolean> {
    const { page, context, view } = this;
    try {
      page.removeAllListeners("dialog");
      await page.unrouteAll({ behavior: "ignoreErrors" });
      await context.setOffline(false);
      for (const other of context.pages()) if (other !== page) await other.close();
      await page.setViewportSize({ width: view.width, height: view.height });
      await page.emulateMedia({ media: null, colorScheme: view.theme, reducedMotion: "reduce" });
      await page.evaluate("localStorage.clear(), sessionStorage.clear()");
      // A form with something in it asks whether to leave.
      page.on("dialog", (question) => question.accept());
      await page.goto("about:blank");
      page.removeAllListeners("dialog");
      await context.clearCookies();
      return true;
    } catch {
      // The page is of somebody else, or has gone.
      return false;
    }
  }
}

/** Read at once: a page that is left takes its answers with it. */
async function readRefusal(response: Response): Promise<string> {
  const text = await response.text().catch(() => "");
  return `${response.status()} from ${response.url()} ${text.slice(0, 500)}`;
}

const axeSource = () => readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * What axe finds wrong on the page as it is now, one line each. Under a dialog nothing can be reached, and the screens are
 * looked at by themselves: to look at one again takes most of the time. Contrast alone takes two thirds of the rest; it comes
 * from colors that all parts share, so that it is asked for where screens are looked at.
 */
export async function findAxeFaults(
  page: Page,
  { hasContrast = false }: { readonly hasContrast?: boolean } = {},
): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axeSource());
  return page.evaluate<
    string[]
  >(`axe.run([...document.querySelectorAll("dialog:modal")].at(-1) ?? document, { resultTypes: ["violations"], rules: { "color-contrast": { enabled: ${hasContrast} } } }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + " " + target + ": " + failureSummary)))`);
}

/** Nothing is wider than the window, and no table that is shown wider than its frame. */
export function fitsItsWidth(page: Page): Promise<boolean> {
  return page.evaluate<boolean>(`document.documentElement.scrollWidth <= window.innerWidth &&
    [...document.querySelectorAll(".table-frame")].every((frame) => !frame.checkVisibility() || frame.scrollWidth <= frame.clientWidth)`);
}

/** Things to press that are smaller than 24 by 24 pixels, other than links in a text. */
export function findSmallTargets(page: Page): Promise<string[]> {
  return page.evaluate<
    string[]
  >(`[...document.querySelectorAll("button, a, input, select, textarea, [role=option], [tabindex='0']")]
    .filter((element) => element.checkVisibility() && !(element.tagName === "A" && getComputedStyle(element).display === "inline") && !element.closest(".for-readers"))
    .filter((element) => { const box = element.getBoundingClientRect(); return box.width > 1 && (box.width < 24 || box.height < 24) && !element.closest("label") && !(element.id && document.querySelector('label[for="' + CSS.escape(element.id) + '"]') && element.type !== "text"); })
    .map((element) => element.outerHTML.slice(0, 120))`);
}

/** Fields whose choice is cut, as it needs more room than there is. */
export function findCutChoices(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`[...document.querySelectorAll("select")].filter((select) => {
    const [option] = select.selectedOptions;
    if (!option || !select.checkVisibility()) return false;
    const alone = select.cloneNode();
    alone.append(new Option(option.text));
    alone.style.cssText = "position: absolute; width: max-content; max-width: none; min-width: 0";
    select.after(alone);
    const isCut = alone.offsetWidth > select.offsetWidth;
    alone.remove();
    return isCut;
  }).map((select) => select.selectedOptions[0].text)`);
}

/** For the eye: set SCREENSHOTS to a folder to look at what was tested. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}
