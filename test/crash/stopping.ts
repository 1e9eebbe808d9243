import { Caller } from "./caller.ts";
import { drawer } from "./chance.ts";
import { Journal, keepWriting } from "./journal.ts";
import { pause } from "./load.ts";
import { openEmbeddedSite, readiness, type Site, workersOf } from "./site.ts";
import { verifyJournal } from "./verify-journal.ts";

export interface StopReport {
  readonly stops: number;
  readonly requests: number;
  /** Requests that were refused a connection after the stop: those were never sent. */
  readonly refused: number;
  /** Requests whose answer did not arrive whole, each with its reason. */
  readonly cut: string[];
  readonly exitCodes: (number | null)[];
  readonly stoppedMs: number[];
  readonly lost: number;
  readonly faults: string[];
}

const CALLERS = 32;
/** What is under way six and a half seconds after the signal is cut off: these and the stop itself take less. */
const MOST_STALLS = 2;

export interface StopPlan {
  readonly seed: number;
  readonly workers: number;
  /** One stop each: whether the processes stall now and then, as if others had the processor. */
  readonly stalls: readonly boolean[];
}

/** SIGTERM while 32 callers, half of them writing, have a request in flight at any time. */
export async function stopUnderLoad(options: StopPlan): Promise<StopReport> {
  const draw = drawer(options.seed);
  const journal = new Journal();
  const cut: string[] = [];
  const exitCodes: (number | null)[] = [];
  const stoppedMs: number[] = [];
  const faults: string[] = [];
  let requests = 0;
  let refused = 0;
  const site = await openEmbeddedSite({ workers: options.workers });
  try {
    for (const hasStalls of options.stalls) {
      await site.start();
      const caller = new Caller({ port: site.port, key: site.studio.key, connections: CALLERS });
      let goesOn = true;
      // Whoever is refused a connection knows that the server has gone, and leaves.
      const watched: Pick<Caller, "send"> = {
        async send(...sent) {
          const [method] = sent;
          const outcome = await caller.send(...sent);
          requests++;
          if (outcome.kind === "cut") cut.push(`${method}: ${outcome.why}`);
          if (outcome.kind === "refused") refused++;
          if (outcome.kind === "refused") goesOn = false;
          return outcome;
        },
      };
      const isGoingOn = () => goesOn;
      const callers = Array.from({ length: CALLERS }, (_, index) =>
        index % 2 === 0
          ? keepWriting(watched as Caller, journal, site.studio.locationIds, draw, isGoingOn)
          : keepReading(watched as Caller, journal, isGoingOn),
      );
      let isUp = true;
      const stalls = hasStalls ? stallPrograms(site, draw, () => isUp) : undefined;
      await pause(300 + draw() * 300);
      const begun = performance.now();
      exitCodes.push(await site.stop());
      stoppedMs.push(performance.now() - begun);
      goesOn = false;
      isUp = false;
      await Promise.all([...callers, stalls]);
      caller.close();
      if ((await readiness(site.port)) === "ready") faults.push("something still answers after the stop");
    }
    const { studio, connection } = site;
    const data = await site.openData();
    const found = await verifyJournal(connection, studio.organizationId, journal, studio);
    await data.close();
    faults.push(...found.faults, ...journal.faults);
    const stops = options.stalls.length;
    return { stops, requests, refused, cut, exitCodes, stoppedMs, lost: found.lost, faults };
  } finally {
    await site.remove();
  }
}

/** As on a machine that has too much to do: now one process, now another is there and does not get on for a while. */
async function stallPrograms(site: Site, draw: () => number, goesOn: () => boolean): Promise<void> {
  const server = site.running().child.pid ?? 0;
  const processes = await workersOf(server);
  for (let stalls = 0; stalls < MOST_STALLS && goesOn(); stalls++) {
    const pid = processes[Math.floor(draw() * processes.length)] ?? server;
    if (signal(pid, "SIGSTOP")) await pause(1_000 + draw() * 900);
    signal(pid, "SIGCONT");
    await pause(100 + draw() * 400);
  }
}

/** False if the process has gone. */
function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

async function keepReading(caller: Caller, journal: Journal, goesOn: () => boolean): Promise<void> {
  while (goesOn()) journal.note(await caller.send("GET", "/v1/clients?limit=50"), [200]);
}
