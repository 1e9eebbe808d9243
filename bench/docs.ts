/**
 * The documentation on a slow phone: when something is painted, and when the text can be read. `npm run bench -- docs`, or with
 * `--url http://…/docs --text "List clients"` a page of another server, until it shows that text.
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
/** Each page with the last of its words. */
const PAGES = [
  ["/docs", "This page as Markdown"],
  ["/docs/first-request", "This page as Markdown"],
  ["/docs/reference/clients", "This page as Markdown"],
  ["/docs/errors", "This page as Markdown"],
  ["/docs/reference", "This page as Markdown"],
] as const;

const { values } = parseArgs({ options: { url: { type: "string" }, text: { type: "string", default: "" } } });
const executablePath = findChromium();
if (!executablePath) throw new Error("there is no Chromium on this machine");
const browser = await chromium.launch({ executablePath, args: CHROMIUM_ARGUMENTS });
try {
  if (values.url) await report(values.url, values.text);
  else {
    const api = await openApi();
    try {
      for (const [path, text] of PAGES) await report(`${api.url}${path}`, text);
    } finally {
      await api.close();
    }
  }
} finally {
  await browser.close();
}

async function report(url: string, text: string): Promise<void> {
  const loads: Awaited<ReturnType<typeof open>>[] = [];
  for (let load = 0; load < LOADS; load++) loads.push(await open(browser, url, text));
  const of = (member: "paint" | "read" | "bytes") => median(loads.map((one) => one[member]));
  const page = gzipSync(await (await fetch(url)).text()).byteLength;
  process.stdout.write(
    `${new URL(url).pathname}: page ${(page / 1000).toFixed(1)} kB gzip, received until read ${(of("bytes") / 1000).toFixed(0)} kB, ` +
      `first paint ${of("paint").toFixed(0)} ms, full text ${of("read").toFixed(0)} ms\n`,
  );
}

/** With nothing cached; milliseconds since the navigation began. */
async function open(opened: Browser, url: string, text: string) {
  const context = await opened.newContext({ viewport: { width: 390, height: 844 } });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  let bytes = 0;
  await session.send("Network.enable");
  session.on("Network.dataReceived", ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await session.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: SLOW_PHONE.latencyMs,
    downloadThroughput: SLOW_PHONE.bytesPerSecond,
    uploadThroughput: SLOW_PHONE.bytesPerSecond,
  });
  await session.send("Emulation.setCPUThrottlingRate", { rate: SLOW_PHONE.cpu });
  await page.goto(url, { waitUntil: "commit", timeout: 120_000 });
  const read = await page.evaluate<number>(`new Promise((resolve) => {
    const look = () => document.body?.textContent.includes(${JSON.stringify(text)})
      ? requestAnimationFrame(() => resolve(performance.now()))
      : setTimeout(look, 5);
    look();
  })`);
  const paint = await page.evaluate<number>(`new Promise((resolve) => {
    const look = () => {
      const [found] = performance.getEntriesByName("first-contentful-paint");
      found ? resolve(found.startTime) : setTimeout(look, 5);
    };
    look();
  })`);
  await context.close();
  return { paint, read, bytes };
}
