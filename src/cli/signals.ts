import cluster from "node:cluster";
import { constants } from "node:os";

/** Ctrl-C, a service manager that stops the program, a terminal that is gone, Ctrl-\. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;

/** A signal that comes this long after the first is a wish of its own, not the first one's echo. */
const ECHO_MS = 5_000;
/** A stop that takes longer is cut short, early enough for PostgreSQL to stop before the deadline. */
const HURRY_MS = 8_500;
/** The process is gone this long after it was asked to stop, whatever still hangs. */
const STOP_DEADLINE_MS = 9_500;

/** Why work is given up half-way. */
export class Interrupted extends Error {
  readonly signal: NodeJS.Signals;
  /** What shells report of a program that a signal ended: 130 after Ctrl-C, 143 after SIGTERM. */
  readonly exitCode: number;

  constructor(signal: NodeJS.Signals, consequence?: string) {
    super(consequence === undefined ? "Interrupted." : `Interrupted. ${consequence}`);
    this.signal = signal;
    this.exitCode = 128 + constants.signals[signal];
  }
}

export interface SignalListener {
  /** Aborted by the first signal; the reason is an `Interrupted`. */
  readonly signal: AbortSignal;
  /** Aborted when there is no more time for an orderly end: all that is left to do is to stop PostgreSQL. */
  readonly hurry: AbortSignal;
  close(): void;
}

/**
 * The first signal asks the command to stop in order. The second is the same wish: under npm a Ctrl-C arrives from the
 * terminal and again from npm. Whoever sends a third, or a second one after five seconds, is in a hurry.
 *
 *     Ctrl-C under npm            INT INT               stops in order
 *     an impatient user           INT INT … INT INT     the third begins the hurry
 *     kill, five seconds, kill    TERM ……… TERM         the second begins the hurry
 */
export function listenForSignals(): SignalListener {
  const stop = new AbortController();
  const hurry = new AbortController();
  const timers: NodeJS.Timeout[] = [];
  let count = 0;
  let firstAt = 0;
  const onSignal = (name: NodeJS.Signals) => {
    // A Ctrl-C reaches the whole process group; when workers stop is the primary's decision.
    if (cluster.isWorker) return;
    count++;
    if (count === 1) {
      const interrupted = new Interrupted(name);
      firstAt = performance.now();
      timers.push(
        setTimeout(() => hurry.abort(interrupted), HURRY_MS).unref(),
        setTimeout(() => process.exit(interrupted.exitCode), STOP_DEADLINE_MS).unref(),
      );
      stop.abort(interrupted);
    } else if (count > 2 || performance.now() - firstAt >= ECHO_MS) hurry.abort(stop.signal.reason);
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  return {
    signal: stop.signal,
    hurry: hurry.signal,
    close() {
      for (const timer of timers) clearTimeout(timer);
      for (const name of SIGNALS) process.off(name, onSignal);
    },
  };
}
