/**
 * Callers who ask for a booked year without a pause, another one each time. They are a process of their own with the
 * lowest priority: real ones have a machine of their own, and here they would take the core on which PostgreSQL and the
 * callers run whose time is measured.
 */
import { get } from "node:http";
import { constants, setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import { MAX_WINDOW_DAYS } from "../src/core/limits.ts";
import { windowFrom } from "./calendar-windows.ts";
import { ask, type Cores, startNode, stop } from "./processes.ts";

interface Readers {
  readonly port: number;
  readonly key: string;
  readonly callers: number;
}

type Message = { readonly start: Readers } | { readonly stop: true };

/** Waits until they ask; when they are stopped each takes its last answer, and how many came is returned. */
export async function startYearReaders(cores: Cores, readers: Readers): Promise<{ stop(): Promise<number> }> {
  const child = startNode([fileURLToPath(import.meta.url)], { cores, ipc: true });
  await ask(child, { start: readers } satisfies Message);
  return {
    async stop() {
      const { answers, failure } = await ask<{ answers: number; failure?: string }>(child, {
        stop: true,
      } satisfies Message);
      await stop(child);
      if (failure !== undefined) throw new Error(failure);
      return answers;
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  setPriority(constants.priority.PRIORITY_LOW);
  let reading: { stop(): Promise<void> } | undefined;
  let answers = 0;
  process.on("message", async (message: Message) => {
    if ("start" in message) {
      reading = read(message.start, () => answers++);
      process.send?.({});
      return;
    }
    const failure = await reading?.stop().then(
      () => undefined,
      (error: Error) => error.message,
    );
    process.send?.({ answers, ...(failure !== undefined && { failure }) });
  });
  process.on("disconnect", () => process.exit());
}

function read({ port, key, callers }: Readers, onAnswer: () => void): { stop(): Promise<void> } {
  let isStopped = false;
  let asked = 0;
  const reading = Promise.all(
    Array.from({ length: callers }, async () => {
      while (!isStopped) {
        const ms = Date.UTC(2026, 0, 1) - asked++ * 60_000;
        const status = await drain(port, windowFrom(ms, MAX_WINDOW_DAYS).slice("GET ".length), key);
        if (status !== 200) throw new Error(`a year was answered with ${status}`);
        onAnswer();
      }
    }),
  );
  // Told when they are stopped.
  reading.catch(() => {});
  return {
    async stop() {
      isStopped = true;
      await reading;
    },
  };
}

/** The status of an answer, whose body is read and forgotten. */
function drain(port: number, path: string, key: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}` };
    get({ host: "127.0.0.1", port, path, headers }, (response) => {
      response.on("error", reject);
      response.on("end", () => resolve(response.statusCode ?? 0));
      response.resume();
    }).on("error", reject);
  });
}
