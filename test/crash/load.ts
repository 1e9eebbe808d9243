import { until } from "../support/poll.ts";
import { Caller } from "./caller.ts";
import { type Journal, keepWriting, type Pressure } from "./journal.ts";
import { hasExited, readiness, type Site } from "./site.ts";

/** How long nothing may fail before the server counts as recovered. */
const QUIET_MS = 250;
const DEADLINE_MS = 120_000;

/** Callers that write to a site while it is disturbed. */
export interface Load {
  /**
   * Waits until nothing has failed for a while since then and the server is ready; returns how long after it the last
   * failure was.
   */
  recovered(since: number): Promise<number>;
  stop(): Promise<void>;
}

/** Begins to write, and returns once a write was acknowledged. */
export async function startLoad(
  site: Site,
  journal: Journal,
  draw: () => number,
  { writers = 16, ...pressure }: Pressure & { readonly writers?: number } = {},
): Promise<Load> {
  const begun = performance.now();
  const caller = new Caller({ port: site.port, key: site.studio.key, connections: writers });
  let goesOn = true;
  const writing = Array.from({ length: writers }, () =>
    keepWriting(caller, journal, site.studio.locationIds, draw, () => goesOn, pressure),
  );
  const stop = async () => {
    goesOn = false;
    await Promise.all(writing);
    caller.close();
  };
  try {
    await waitFor("a write is acknowledged", () => journal.lastSuccessAt > begun);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    stop,
    async recovered(since) {
      await waitFor("nothing fails any more", () => {
        if (hasExited(site.running())) {
          throw new Error(`the server ended by itself: ${site.running().output()}`);
        }
        const quietSince = Math.max(journal.lastFailureAt, since);
        return performance.now() - quietSince > QUIET_MS && journal.lastSuccessAt > quietSince;
      });
      // Until the first one fails, writes may have been acknowledged before the disturbance and wait for its end since.
      if ((await readiness(site.port)) === "ready") return Math.max(0, journal.lastFailureAt - since);
      await until("the server is ready", async () => (await readiness(site.port)) === "ready");
      return performance.now() - since;
    },
  };
}

async function waitFor(what: string, isSo: () => boolean): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  while (!isSo()) {
    if (performance.now() > deadline) throw new Error(`in ${DEADLINE_MS} ms it did not happen that ${what}`);
    await pause(5);
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
