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

export const CHROMIUM_ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
