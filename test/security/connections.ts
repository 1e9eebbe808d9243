import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { Caller, quantile, requestText } from "../support/caller.ts";
import { metric, type Target } from "../support/target.ts";
import type { CrowdNews, CrowdOrder } from "./crowd.ts";

export interface ConnectionsReport {
  readonly baselineP99Ms: number;
  readonly crowdedP99Ms: number;
  /** What the process works for each request of the good caller: a busy machine does not add to it. */
  readonly baselineCpuMs: number;
  readonly crowdedCpuMs: number;
  readonly longestSlowMs: number;
  readonly slowStillOpen: number;
  readonly idleAnswered: boolean;
}

/** How a good caller fares while a crowd of slow and idle connections stands beside it. */
export async function measureConnections(
  target: Target,
  crowd: { readonly idle: number; readonly slow: number; readonly seconds: number },
): Promise<ConnectionsReport> {
  await goodCaller(target, 1);
  const baseline = await measureGoodCaller(target, crowd.seconds);
  const order: CrowdOrder = { url: target.url, idle: crowd.idle, slow: crowd.slow };
  const worker = new Worker(new URL("./crowd.js", import.meta.url), { workerData: order });
  const news = new Promise<CrowdNews & { kind: "closed" }>((resolve, reject) => {
    worker.on("error", reject);
    worker.on("message", (message: CrowdNews) => {
      if (message.kind === "closed") resolve(message);
    });
  });
  news.catch(() => {});
  await once(worker, "message");
  const crowded = await measureGoodCaller(target, crowd.seconds);
  const { longestMs, stillOpen } = await news;
  const answered = await goodCaller(target, 0.1);
  await worker.terminate();
  return {
    baselineP99Ms: baseline.p99Ms,
    crowdedP99Ms: crowded.p99Ms,
    baselineCpuMs: baseline.cpuMs,
    crowdedCpuMs: crowded.cpuMs,
    longestSlowMs: longestMs,
    slowStillOpen: stillOpen,
    idleAnswered: answered.length > 0,
  };
}

async function measureGoodCaller(target: Target, seconds: number): Promise<{ p99Ms: number; cpuMs: number }> {
  const cpu = async () => metric(await target.metrics(), "rollbook_process_cpu_seconds_total") * 1000;
  const before = await cpu();
  const times = await goodCaller(target, seconds);
  return { p99Ms: quantile(times, 0.99), cpuMs: ((await cpu()) - before) / times.length };
}

/** Times of requests one after the other, on two connections. */
async function goodCaller(target: Target, seconds: number): Promise<number[]> {
  const request = requestText({ path: "/v1/clients?limit=10", key: target.key });
  const until = performance.now() + seconds * 1000;
  const times: number[] = [];
  const callers = await Promise.all([Caller.open(target.url), Caller.open(target.url)]);
  await Promise.all(
    callers.map(async (caller) => {
      while (performance.now() < until) {
        const { status, milliseconds } = await caller.ask(request);
        if (status !== 200) throw new Error(`a good caller was answered ${status}`);
        times.push(milliseconds);
      }
      caller.close();
    }),
  );
  return times;
}
