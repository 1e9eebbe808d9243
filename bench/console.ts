/** The console in a real browser: what it weighs, how soon it can be used on a slow phone, how quickly it answers. */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { type Browser, chromium, type Page } from "playwright-core";
import { CHROMIUM_ARGUMENTS, findChromium } from "../test/support/browser.ts";
import { quantile } from "../test/support/caller.ts";
import { signInOwner } from "../test/support/staff.ts";
import type { OpenDataset } from "./data.ts";
import { type Bench, median } from "./measure.ts";
import { freePort } from "./processes.ts";
import { CLIENTS, type Figure } from "./row.ts";

/** The phone of CONSOLE's goal: a quarter of the processor, 1.6 Mbit/s, 150 ms. */
const SLOW_PHONE = { cpu: 4, bytesPerSecond: (1.6e6 / 8) | 0, latencyMs: 150 };
const LOADS = { quick: 3, whole: 9 };
const CLICKS = { quick: 10, whole: 40 };

interface Opened {
  readonly browser: Browser;
  readonly origin: string;
  readonly token: string;
}

export async function measureConsole(bench: Bench): Promise<Figure[]> {
  const executablePath = findChromium();
  if (!executablePath) throw new Error("there is no Chromium on this machine");
  const dataset = await bench.dataset(CLIENTS);
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  await bench.program(dataset, { env: { PUBLIC_URL: origin, PORT: String(port) } });
  const token = await signIn(dataset);
  const browser = await chromium.launch({ executablePath, args: CHROMIUM_ARGUMENTS });
  try {
    const opened = { browser, origin, token };
    return [
      ...(await sizes(origin)),
      await interactive(opened, bench.plan.quick ? LOADS.quick : LOADS.whole),
      ...(await answers(opened, bench.plan.quick ? CLICKS.quick : CLICKS.whole)),
    ];
  } finally {
    await browser.close();
  }
}

async function signIn({ store, studio }: OpenDataset): Promise<string> {
  const db = store.open({ applicationName: "rollbook bench" });
  try {
    return await signInOwner(db, studio.id, await store.keySecret());
  } finally {
    await db.close();
  }
}

/** What the first page and each further screen need, compressed as gzip does. */
async function sizes(origin: string): Promise<Figure[]> {
  const folder = fileURLToPath(new URL("../console/", import.meta.url));
  const manifest = JSON.parse(await readFile(`${folder}manifest.json`, "utf8")) as {
    scripts: string[];
    style: string;
    screens: Record<string, { scripts: string[]; style?: string }>;
  };
  const weigh = async (names: readonly string[]) => {
    const files = await Promise.all(names.map((name) => readFile(`${folder}assets/${name}.gz`)));
    return files.reduce((sum, { byteLength }) => sum + byteLength, 0) / 1000;
  };
  const page = gzipSync(await (await fetch(`${origin}/console/`)).text()).byteLength / 1000;
  const { today, ...others } = manifest.screens;
  const first =
    page +
    (await weigh([
      ...manifest.scripts,
      manifest.style,
      ...(today?.scripts ?? []),
      ...(today?.style ? [today.style] : []),
    ]));
  const further = await Promise.all(
    Object.entries(others).map(async ([name, { scripts, style }]) => ({
      name,
      kB: await weigh([...scripts, ...(style ? [style] : [])]),
    })),
  );
  further.sort((a, b) => b.kB - a.kB);
  const largest = further[0] ?? { name: "none", kB: 0 };
  return [
    {
      title: "first load of Today, gzip",
      values: [first],
      unit: "kB",
      target: "≤ 40 kB",
      reached: first <= 40,
    },
    {
      title: "the largest further screen, gzip",
      values: [largest.kB],
      unit: "kB",
      target: "≤ 25 kB",
      reached: largest.kB <= 25,
      note: further.map(({ name, kB }) => `${name} ${kB.toFixed(1)}`).join(", "),
    },
  ];
}

/** From the address to a field that takes a letter, with nothing cached. */
async function interactive(opened: Opened, loads: number): Promise<Figure> {
  const seconds: number[] = [];
  for (let load = 0; load < loads; load++) {
    const page = await newPage(opened, { width: 390, height: 844 });
    const session = await page.context().newCDPSession(page);
    await session.send("Network.enable");
    await session.send("Network.emulateNetworkConditions", {
      offline: false,
      latency: SLOW_PHONE.latencyMs,
      downloadThroughput: SLOW_PHONE.bytesPerSecond,
      uploadThroughput: SLOW_PHONE.bytesPerSecond,
    });
    await session.send("Emulation.setCPUThrottlingRate", { rate: SLOW_PHONE.cpu });
    await page.goto(`${opened.origin}/console/`, { waitUntil: "commit" });
    seconds.push((await page.evaluate<number>(UNTIL_USABLE)) / 1000);
    await page.context().close();
  }
  return {
    title: "Today can be used, slow phone (¼ processor, 1.6 Mbit/s, 150 ms)",
    values: seconds,
    unit: "s",
    target: "≤ 2 s",
    reached: median(seconds) <= 2,
  };
}

/** When the check-in field is there and what is to be seen was read; since the navigation began. */
const UNTIL_USABLE = `new Promise((resolve) => {
  const look = () => document.querySelector("main input") && !document.querySelector(".skeleton")
    ? requestAnimationFrame(() => resolve(performance.now()))
    : setTimeout(look, 5);
  look();
})`;

/** What a person does, and how long until its effect is shown. */
const STEPS: readonly {
  readonly name: string;
  readonly from: string;
  /** When the screen shows what it is there for. */
  readonly ready: string;
  readonly act: string;
  readonly shown: string;
}[] = [
  {
    name: "a letter in the search of 200,000 clients",
    from: "/console/clients",
    ready: `document.querySelector("main tbody tr")`,
    act: `type(document.querySelector("main input"), ["ana", "silva", "joa", "souza", "mar"][turn % 5])`,
    shown: `document.querySelector("main tbody tr") && document.querySelector("main tbody").textContent !== before`,
  },
  {
    name: "from the list to a client",
    from: "/console/clients",
    ready: `document.querySelector("main tbody tr")`,
    act: `document.querySelectorAll("main tbody a")[turn % 20].click()`,
    shown: `/clients\\/.+/.test(location.pathname) && document.querySelector("main h1") && !document.querySelector(".skeleton")`,
  },
  {
    name: "the next week of the calendar",
    from: "/console/calendar",
    ready: `document.querySelector("main .block")`,
    act: `[...document.querySelectorAll("main button")].find((button) => /Next/.test(button.textContent + button.ariaLabel)).click()`,
    shown: `document.querySelector("main .block") && document.querySelector("main").textContent !== before && !document.querySelector(".skeleton")`,
  },
];

async function answers(opened: Opened, clicks: number): Promise<Figure[]> {
  const page = await newPage(opened, { width: 1360, height: 900 });
  const figures: Figure[] = [];
  for (const { name, from, ready, act, shown } of STEPS) {
    const milliseconds: number[] = [];
    for (let turn = -2; turn < clicks; turn++) {
      await page.goto(opened.origin + from);
      await page.evaluate(untilStill(ready));
      const taken = await page.evaluate<number>(measureStep(act, shown, Math.abs(turn)));
      // The first two also load the screen itself.
      if (turn >= 0) milliseconds.push(taken);
    }
    const p95 = quantile(milliseconds, 0.95);
    figures.push({
      title: `${name}, until it is shown, p95`,
      values: [p95],
      unit: "ms",
      target: "≤ 100 ms",
      reached: p95 <= 100,
      note: `median ${median(milliseconds).toFixed(0)} ms of ${clicks}`,
    });
  }
  await page.context().close();
  return figures;
}

/** And a moment longer, as nobody acts on what they have not yet seen. */
function untilStill(ready: string): string {
  return `new Promise((resolve) => {
    const look = () => document.querySelector("main h1") && !document.querySelector(".skeleton") && ${ready}
      ? setTimeout(resolve, 200)
      : setTimeout(look, 10);
    look();
  })`;
}

/** Acts, and looks after every change of the page whether it shows the effect; in milliseconds, by the page's own clock. */
function measureStep(act: string, shown: string, turn: number): string {
  return `new Promise((resolve, reject) => {
    const turn = ${turn};
    const before = (document.querySelector("main tbody") ?? document.querySelector("main")).textContent;
    const type = (input, text) => {
      input.value = text;
      input.dispatchEvent(new InputEvent("input", { bubbles: true }));
    };
    const begun = performance.now();
    const look = () => {
      if (!(${shown})) return;
      observer.disconnect();
      requestAnimationFrame(() => resolve(performance.now() - begun));
    };
    const observer = new MutationObserver(look);
    observer.observe(document.documentElement, { subtree: true, childList: true, characterData: true, attributes: true });
    setTimeout(() => reject(new Error("nothing was shown within 10 s")), 10_000);
    ${act};
    look();
  })`;
}

async function newPage(
  { browser, origin, token }: Opened,
  viewport: { width: number; height: number },
): Promise<Page> {
  const context = await browser.newContext({ viewport, locale: "en" });
  await context.addCookies([
    { name: "rollbook", value: token, url: origin, httpOnly: true, sameSite: "Strict" },
  ]);
  return context.newPage();
}
