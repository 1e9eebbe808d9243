import cluster, { type Worker } from "node:cluster";
import type { Logger } from "pino";
import prometheus from "prom-client";
import { unavailable } from "../core/errors.ts";
import { type Acceptor, takeTurns } from "../http/connections.ts";
import type { Config } from "./config.ts";
import type { Serving } from "./server-process.ts";
import { CHECKS } from "./watchdog.ts";

/** How long a worker that died at once is left alone before the next try. */
const RESTART_PAUSE_MS = 500;
const YOUNG_MS = 5_000;
/** A worker drains within this time; one that does not is ended. */
const STOP_MS = 8_000;

/** Messages that a stopping worker sends to the primary, which sends each back when it holds for all workers. */
const FLUSH = "flush";
const CLOSED = "closed";
const STOP = "stop";
/** Sent by a worker to the primary while its event loop turns. */
const BEAT = "beat";

export interface Workers {
  /** Settles once every worker listens, or one could not. */
  readonly ready: Promise<void>;
  stop(): Promise<void>;
  renderMetrics(): Promise<string>;
}

/** Runs `config.workers` processes that share the port; one that dies or hangs is replaced. */
export function startWorkers(
  config: Pick<Config, "workers" | "port" | "stallSeconds">,
  logger: Logger,
): Workers {
  // The primary chose the port: with port 0 each worker would have to learn it.
  cluster.setupPrimary({ args: [...process.argv.slice(2), "--port", String(config.port)] });
  const aggregator = new prometheus.AggregatorRegistry();
  const exits = new Map<Worker, Promise<void>>();
  const closed = new Set<Worker>();
  const heartbeats = new Heartbeats(config.stallSeconds);
  const handovers = new Handovers();
  let stopping = false;

  const send = (worker: Worker, message: string) => {
    if (worker.isConnected()) worker.send(message);
  };
  const sendClosed = () => {
    const all = [...exits.keys()];
    if (all.every((worker) => closed.has(worker))) for (const worker of all) send(worker, CLOSED);
  };
  const start = (): Promise<void> => {
    const worker = cluster.fork();
    handovers.watch(worker);
    const startedAt = Date.now();
    return new Promise((resolve, reject) => {
      worker.once("listening", () => resolve());
      const exited = new Promise<void>((resolveExit) => {
        worker.once("exit", (code, signal) => {
          exits.delete(worker);
          handovers.closeOpen(worker);
          sendClosed();
          resolveExit();
          // A worker that cannot start has said why. Only the first ones are waited for.
          reject(unavailable("A worker could not start."));
          if (stopping) return;
          const message = heartbeats.isStalled(worker)
            ? `a worker's event loop stood still for ${config.stallSeconds} s; starting another`
            : "a worker died; starting another";
          logger.error({ worker: worker.id, status: code, signal }, message);
          const pause = Date.now() - startedAt < YOUNG_MS ? RESTART_PAUSE_MS : 0;
          setTimeout(() => {
            if (!stopping) start().catch(() => {});
          }, pause);
        });
      });
      worker.on("message", (message) => {
        if (message === BEAT) heartbeats.record(worker);
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

  return {
    ready: Promise.all(Array.from({ length: config.workers }, start)).then(() => {}),
    async stop() {
      stopping = true;
      for (const worker of exits.keys()) send(worker, STOP);
      const kill = setTimeout(() => {
        for (const worker of exits.keys()) worker.process.kill("SIGKILL");
      }, STOP_MS);
      await Promise.all(exits.values());
      clearTimeout(kill);
      heartbeats.close();
    },
    renderMetrics: () => aggregator.clusterMetrics(),
  };
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

/**
 * Ends workers that no longer beat. Looks are counted, not time: a primary that was stopped itself, or a machine that
 * slept, has missed one look, after which the beats that waited are read.
 */
class Heartbeats {
  /** Looks without a beat, for each worker that has beaten once. */
  readonly #missed = new Map<Worker, number>();
  readonly #stalled = new WeakSet<Worker>();
  readonly #timer: NodeJS.Timeout | undefined;

  constructor(stallSeconds: number) {
    if (stallSeconds === 0) return;
    this.#timer = setInterval(() => this.#look(), (stallSeconds * 1000) / CHECKS);
    this.#timer.unref();
  }

  record(worker: Worker): void {
    this.#missed.set(worker, 0);
  }

  isStalled(worker: Worker): boolean {
    return this.#stalled.has(worker);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    for (const [worker, missed] of this.#missed) {
      this.#missed.set(worker, missed + 1);
      if (worker.isDead()) this.#missed.delete(worker);
      else if (missed + 1 >= CHECKS) {
        this.#missed.delete(worker);
        this.#stalled.add(worker);
        // SIGTERM would wait for the loop that stands still.
        worker.process.kill("SIGKILL");
      }
    }
  }
}

/** The worker's side of the heartbeat. It begins when the worker serves: loading the program is one long turn. */
export function beatForPrimary(stallSeconds: number): void {
  if (stallSeconds === 0) return;
  const beat = () => {
    if (process.connected) process.send?.(BEAT);
  };
  beat();
  setInterval(beat, (stallSeconds * 1000) / CHECKS).unref();
}

/** The worker's side: stops when the primary says so, or is gone. */
export function followPrimary(serving: Serving, stop: () => void): void {
  // Made for its listener: it answers the primary's requests for metrics.
  new prometheus.AggregatorRegistry();
  prometheus.AggregatorRegistry.setRegistries(serving.metrics.registry);
  process.on("message", (message) => {
    if (message === STOP) stop();
  });
  process.on("disconnect", stop);
  if (!process.connected) stop();
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
    if (process.connected) process.send?.(message);
    else settle();
  });
}
