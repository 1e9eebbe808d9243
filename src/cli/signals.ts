import cluster from "node:cluster";
import { constants } from "node:os";

/** Ctrl-C, a service manager that stops the program, a terminal that is gone. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

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
  close(): void;
}

/**
 * The first signal asks the command to stop in order. A second one, or a command that does not come to its end,
 * ends the process; what must not stay behind is then removed by listeners of "exit".
 */
export function listenForSignals(): SignalListener {
  const stop = new AbortController();
  let deadline: NodeJS.Timeout | undefined;
  const onSignal = (name: NodeJS.Signals) => {
    // A Ctrl-C reaches the whole process group; when workers stop is the primary's decision.
    if (cluster.isWorker) return;
    const interrupted = new Interrupted(name);
    if (stop.signal.aborted) process.exit(interrupted.exitCode);
    deadline = setTimeout(() => process.exit(interrupted.exitCode), STOP_DEADLINE_MS).unref();
    stop.abort(interrupted);
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  return {
    signal: stop.signal,
    close() {
      clearTimeout(deadline);
      for (const name of SIGNALS) process.off(name, onSignal);
    },
  };
}
