import { setTimeout as delay } from "node:timers/promises";
import prometheus from "prom-client";
import type { ArchiveState } from "../db/embedded/archive-state.ts";

/** A share of another machine that is gone may not answer at all. */
const ANSWER_MS = 2_000;

/** How far the archive of the built-in PostgreSQL is behind; without an archive there are none of these. */
export function watchArchive(
  registers: prometheus.Registry[],
  ask: () => Promise<ArchiveState | undefined>,
): void {
  let asked: Promise<ArchiveState | undefined> | undefined;
  // While the archive cannot be read, what is known of it stays and grows older.
  let reachedAt = "";
  let baseAt: string | undefined;
  const look = () => {
    // Asked again only when it has answered: each question that hangs keeps one of the few threads for files.
    asked ??= ask()
      .catch(() => undefined)
      .then((state) => {
        if (state !== undefined && state.reachedAt > reachedAt) reachedAt = state.reachedAt;
        baseAt = state?.baseAt ?? baseAt;
        return state;
      })
      .finally(() => setImmediate(() => (asked = undefined)));
    return Promise.race([asked, delay(ANSWER_MS, undefined, { ref: false })]);
  };
  gauge(
    "rollbook_archive_age_seconds",
    "Time since the moment up to which everything is in the archive.",
    async () => {
      await look();
      return reachedAt === "" ? undefined : ageOf(reachedAt);
    },
  );
  gauge(
    "rollbook_base_copy_age_seconds",
    "Time since the last base copy in the archive; absent if there is none.",
    async () => {
      await look();
      return baseAt && ageOf(baseAt);
    },
  );
  gauge(
    "rollbook_archive_waiting_bytes",
    "What the data directory keeps of PostgreSQL's log until it can be archived.",
    async () => (await look())?.waitingBytes,
  );

  function gauge(name: string, help: string, value: () => Promise<number | "" | undefined>): void {
    new prometheus.Gauge({
      name,
      help,
      registers,
      aggregator: "min",
      async collect() {
        const found = await value();
        // Without labels a gauge begins at 0.
        if (typeof found === "number") this.set(found);
        else this.remove();
      },
    });
  }
}

function ageOf(instant: string): number {
  return (Date.now() - Date.parse(instant)) / 1000;
}
