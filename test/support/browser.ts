import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** The browser of this machine, if it has one. */
export function findChromium(): string | undefined {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  const folders = (process.env.PATH ?? "").split(delimiter);
  // The first has no windows to draw, and starts with half the work.
  const names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];
  return names
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((path) => existsSync(path));
}

/**
 * What a window has beside the page, each in a process of its own: the list under the address bar, and a process in reserve.
 * They take three times the processor time of the page itself, and nobody sees them.
 */
const WITHOUT_FEATURES = ["WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "SpareRendererForSitePerProcess"];

/** What Playwright turns off: the last list counts, so that it must stand in ours. */
const PLAYWRIGHT_WITHOUT_FEATURES = [
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsUpgrades",
  "HttpsFirstBalancedModeAutoEnable",
  "LensOverlay",
  "MediaRouter",
  "PaintHolding",
  "ThirdPartyStoragePartitioning",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "OptimizationHints",
  "NetworkTimeServiceQuerying",
  "AimEnabled",
  "PreconnectToSearch",
];

export const CHROMIUM_ARGUMENTS = [
  `--disable-features=${[...PLAYWRIGHT_WITHOUT_FEATURES, ...WITHOUT_FEATURES].join(",")}`,
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
