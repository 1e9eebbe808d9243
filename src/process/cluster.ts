import cluster, { type Worker } from "node:cluster";
import type { Readable } from "node:stream";
import type { Logger } from "pino";
import { type Acceptor, takeTurns } from "../http/connections.ts";
import type { Suspension } from "../http/stalls.ts";
import type { Config } from "./config.ts";
import { Suspects } from "./suspects.ts";
import type { StallReport } from "./watchdog.ts";

/** A worker that dies this early, or before it serves, is replaced after a pause, each time a longer one. */
const YOUNG_MS = 5_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;
/** A worker drains within this time; one that does not is ended. */
const STOP_MS = 8_000;
/** The file of a worker that its watchdog writes to: after the standard ones and the channel to the primary. */
export const REPORT_FILE = 4;

/** What the primary tells a worker. */
type Order =
  | { readonly order: "open"; readonly port: number; readonly suspensions: readonly Suspension[] }
  | { readonly order: "suspend"; readonly suspension: Suspension }
  | { readonly order: "demo" }
  | { readonly order: "stop" };

/** Sent by a worker when it can take orders: what is sent before that is lost. */
const LOADED = "loaded";
/** Sent by a worker when it serves. */
const SERVING = "serving";
/** Messages that a stopping worker sends to the primary, which sends each back when it holds for all workers. */
const FLUSH = "flush";
const CLOSED = "closed";

export interface Workers {
  /** Lets them serve, on a database that is ready. Settles once all do, or one could not. */
  open(port: number): Promise<void>;
  /** Has one of them make the demo organization, if there is to be one. */
  offerDemo(): void;
  stop(): Promise<void>;
  /** Ends them at once. */
  kill(): void;
  renderMetrics(): Promise<string>;
}

/** A worker could not start and has said why. */
export class WorkerFailed extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super("A worker could not start.");
    this.exitCode = exitCode;
  }
}

/** Runs `config.workers` processes that share the port; one that dies or hangs is replaced. They load at once. */
export function startWorkers(config: Pick<Config, "workers" | "stallSeconds">, logger: Logger): Workers {
  cluster.setupPrimary({ stdio: ["inherit", "inherit", "inherit", "ipc", "pipe"] });
  const exits = new Map<Worker, Promise<void>>();
  const loaded = new Set<Worker>();
  const closed = new Set<Worker>();
  const handovers = new Handovers();
  const suspects = new Suspects();
  let opened: number | undefined;
  let stopping = false;
  let pause = 0;

  const send = (worker: Worker, message: Order | string) => {
    if (worker.isConnected()) worker.send(message);
  };
  const openLoaded = () => {
    if (opened === undefined) return;
    for (const worker of loaded)
      send(worker, { order: "open", port: opened, suspensions: suspects.suspensions() });
    loaded.clear();
  };
  const sendClosed = () => {
    const all = [...exits.keys()];
    if (all.every((worker) => closed.has(worker))) for (const worker of all) send(worker, CLOSED);
  };
  const start = (): Promise<void> => {
    const worker = cluster.fork();
    handovers.watch(worker);
    const startedAt = Date.now();
    const report = readReport(worker);
    return new Promise((resolve, reject) => {
      const exited = new Promise<void>((resolveExit) => {
        // Not "exit": what it has reported is read by then.
        worker.process.once("close", (code: number | null, signal: string | null) => {
          exits.delete(worker);
          loaded.delete(worker);
          handovers.closeOpen(worker);
          sendClosed();
          resolveExit();
          // Only the first ones are waited for.
          reject(new WorkerFailed(code ?? 1));
          if (stopping) return;
          const stall = report();
          if (stall) {
            const { fields, suspension } = suspects.judge(stall, Date.now());
            const message = `a worker's event loop stalled for ${config.stallSeconds} s; starting another`;
            logger.error({ worker: worker.id, ...fields }, message);
            if (suspension) for (const other of exits.keys()) send(other, { order: "suspend", suspension });
          } else logger.error({ worker: worker.id, status: code, signal }, "a worker died; starting another");
          const isYoung = Date.now() - startedAt < YOUNG_MS;
          pause = isYoung ? Math.min(Math.max(pause * 2, FIRST_PAUSE_MS), LONGEST_PAUSE_MS) : 0;
          setTimeout(() => {
            if (!stopping) start().catch(() => {});
          }, pause);
        });
      });
      worker.on("message", (message) => {
        if (message === LOADED) {
          // A worker that comes too late for the order to stop.
          if (stopping) send(worker, { order: "stop" });
          loaded.add(worker);
          openLoaded();
        }
        if (message === SERVING) resolve();
        if (message === FLUSH) takeTurns().then(() => send(worker, FLUSH));
        if (message === CLOSED) {
          closed.add(worker);
          sendClosed();
        }
      });
      // A message to a worker that has just died fails; its exit is what is acted on.
      worker.on("error", () => {});
      exits.set(worker, exited);
    });
  };
  const serving = Promise.all(Array.from({ length: config.workers }, start)).then(() => {});
  serving.catch(() => {});
  const kill = () => {
    stopping = true;
    for (const worker of exits.keys()) worker.process.kill("SIGKILL");
  };

  return {
    open(port) {
      opened = port;
      openLoaded();
      return serving;
    },
    offerDemo() {
      const [worker] = exits.keys();
      if (worker) send(worker, { order: "demo" });
    },
    async stop() {
      stopping = true;
      for (const worker of exits.keys()) send(worker, { order: "stop" });
      const timer = setTimeout(kill, STOP_MS);
      await Promise.all(exits.values());
      clearTimeout(timer);
    },
    kill,
    // Loaded for whoever asks: the primary is smaller without it.
    renderMetrics: async () => (await import("./cluster-metrics.ts")).renderClusterMetrics(),
  };
}

/** Reads what the watchdog of a worker writes; what is given answers it when the worker has ended. */
function readReport(worker: Worker): () => StallReport | undefined {
  let text = "";
  const file = worker.process.stdio[REPORT_FILE] as Readable | null | undefined;
  file?.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
  });
  return () => (text === "" ? undefined : (JSON.parse(text) as StallReport));
}

/** What Node passes to a worker with a new connection: the primary's own hold of it. */
interface ConnectionHandle {
  close(): void;
}

/**
 * The connection that each worker was given last. Node closes the primary's hold of it when the worker has said that it
 * took it. A worker that is killed before that says nothing, and the caller would wait for an answer that nobody writes.
 */
class Handovers {
  readonly #last = new Map<Worker, ConnectionHandle>();

  watch(worker: Worker): void {
    const child = worker.process;
    const send = child.send;
    child.send = ((...sent: Parameters<typeof send>) => {
      const handle = sent[1] as ConnectionHandle | undefined;
      if (typeof handle?.close === "function") {
        // One that a stopping worker did not take is given to another.
        for (const [other, last] of this.#last) if (last === handle) this.#last.delete(other);
        this.#last.set(worker, handle);
      }
      return send.apply(child, sent);
    }) as typeof send;
  }

  /** Closing a hold that is closed already does nothing. */
  closeOpen(worker: Worker): void {
    this.#last.get(worker)?.close();
    this.#last.delete(worker);
  }
}

/** The worker's side: what the primary orders. A primary that is gone orders to stop. */
export interface PrimaryOrders {
  /** Where to serve, and whom what is refused; undefined if it is to stop before that. */
  readonly opening: Promise<{ port: number; suspensions: readonly Suspension[] } | undefined>;
  /** Whether the primary is gone. */
  readonly stopped: Promise<{ isOrphan: boolean }>;
  onSuspend(act: (suspension: Suspension) => void): void;
  onDemo(act: () => void): void;
  /** Tells the primary that this worker serves. */
  tellServing(): void;
}

export function followPrimary(): PrimaryOrders {
  const acts: { suspend?: (suspension: Suspension) => void; demo?: () => void } = {};
  let stop = (_isOrphan: boolean) => {};
  const stopped = new Promise<{ isOrphan: boolean }>((resolve) => {
    stop = (isOrphan) => resolve({ isOrphan });
  });
  const opening = new Promise<Extract<Order, { order: "open" }> | undefined>((resolve) => {
    process.on("message", (message: Order) => {
      if (message.order === "open") resolve(message);
      if (message.order === "suspend") acts.suspend?.(message.suspension);
      if (message.order === "demo") acts.demo?.();
      if (message.order === "stop") stop(false);
    });
    stopped.then(() => resolve(undefined));
  });
  process.on("disconnect", () => stop(true));
  // Else Node ends a worker on the spot when its primary is gone, and PostgreSQL would stay.
  if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
  if (process.connected) tell(LOADED);
  else stop(true);
  return {
    opening,
    stopped,
    onSuspend: (act) => {
      acts.suspend = act;
    },
    onDemo: (act) => {
      acts.demo = act;
    },
    tellServing: () => tell(SERVING),
  };
}

function tell(message: string): void {
  if (process.connected) process.send?.(message);
}

/** The primary as its workers see it: it takes all connections. If it is gone, there is nothing to wait for. */
export const primary: Acceptor = {
  flushPending: () => awaitEcho(FLUSH),
  closed: () => awaitEcho(CLOSED),
};

function awaitEcho(message: string): Promise<void> {
  return new Promise((resolve) => {
    const onMessage = (heard: unknown) => {
      if (heard === message) settle();
    };
    const settle = () => {
      process.off("message", onMessage);
      process.off("disconnect", settle);
      resolve();
    };
    process.on("message", onMessage);
    process.on("disconnect", settle);
    if (process.connected) tell(message);
    else settle();
  });
}
