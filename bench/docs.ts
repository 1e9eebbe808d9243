/**
 * The documentation on a slow phone: when something is painted, and when the text can be read. `npm run bench -- docs`, or with
 * `--url http://…/docs --text "Reads and partly writes"` a page of another server, until it shows that text.
 */
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { type Browser, chromium } from "playwright-core";
import { openApi } from "../test/support/api.ts";
import { CHROMIUM_ARGUMENTS, findChromium } from "../test/support/browser.ts";
import { median } from "./measure.ts";

/** A quarter of the processor, 1.6 Mbit/s, 150 ms, as for the console. */
const SLOW_PHONE = { cpu: 4, bytesPerSecond: (1.6e6 / 8) | 0, latencyMs: 150 };
const LOADS = 7;
/** After which a page that does not show the text is given up. */
const PATIENCE_MS = 60_000;
const PAGES = ["/docs", "/docs/first-request", "/docs/reference/clients", "/docs/errors", "/docs/reference"];

const { values } = parseArgs({ options: { url: { type: "string" }, text: { type: "string" } } });
const executablePath = findChromium();
if (!executablePath) throw new Error("there is no Chromium on this machine");
const browser = await chromium.launch({ executablePath, args: CHROMIUM_ARGUMENTS });
try {
  if (values.url) await report(values.url, values.text);
  else {
    const api = await openApi();
    try {
      for (const path of PAGES) await report(`${api.url}${path}`);
    } finally {
      await api.close();
    }
  }
} finally {
  await browser.close();
}

async function report(url: string, text?: string): Promise<void> {
  const loads: Load[] = [];
  for (let load = 0; load < LOADS; load++) loads.push(await open(browser, url, text));
  const of = (member: keyof Load) => median(loads.map((one) => one[member]));
  const page = gzipSync(await (await fetch(url)).text()).byteLength;
  process.stdout.write(
    `${new URL(url).pathname}: ${(page / 1000).toFixed(1)} kB gzip, first paint ${of("paint").toFixed(0)} ms, ` +
      `full text ${of("read").toFixed(0)} ms\n`,
  );
}

/** Milliseconds since the navigation began. */
interface Load {
  readonly paint: number;
  readonly read: number;
}

/** With nothing cached. Without a text to wait for, it can be read when what was parsed to its end is painted. */
async function open(opened: Browser, url: string, text: string | undefined): Promise<Load> {
  const context = await opened.newContext({ viewport: { width: 390, height: 844 } });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: SLOW_PHONE.latencyMs,
    downloadThroughput: SLOW_PHONE.bytesPerSecond,
    uploadThroughput: SLOW_PHONE.bytesPerSecond,
  });
  await session.send("Emulation.setCPUThrottlingRate", { rate: SLOW_PHONE.cpu });
  // The policy of a page may forbid what Playwright waits with.
  const until = (condition: string) =>
    page.evaluate(`new Promise((resolve, reject) => {
      const look = () => {
        if (${condition}) resolve();
        else if (performance.now() > ${PATIENCE_MS}) reject(new Error("it was never shown"));
        else setTimeout(look, 50);
      };
      look();
    })`);
  await page.addInitScript(`document.addEventListener("readystatechange", () => {
    if (document.readyState === "interactive")
      requestAnimationFrame(() => setTimeout(() => { window.readAt = performance.now(); }));
  });`);
  await page.goto(url, { waitUntil: text === undefined ? "load" : "commit", timeout: PATIENCE_MS });
  if (text !== undefined) await until(`document.body?.textContent.includes(${JSON.stringify(text)})`);
  const seen = await page.evaluate<number>("performance.now()");
  await until('performance.getEntriesByName("first-contentful-paint").length > 0');
  await until("window.readAt !== undefined");
  const { paint, read } = await page.evaluate<Load>(`({
    paint: performance.getEntriesByName("first-contentful-paint")[0].startTime,
    read: window.readAt,
  })`);
  await context.close();
  return { paint, read: text === undefined ? read : seen };
}
