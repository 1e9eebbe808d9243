/** Where the program spends its time in one row: Node's own profile, summed up by function and by package. */
import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { Bench } from "./measure.ts";
import { FILE_VARIABLE, SIGNAL } from "./profiler.ts";
import { resultPath } from "./report.ts";
import { CLIENTS, type Row, sideOf } from "./row.ts";

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
}

interface Profile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

const TOP = 40;
/** Waiting, and the profiler's own start. */
const NO_WORK = new Set(["(idle)", "dispatch"]);

export async function profileRow(bench: Bench, row: Row): Promise<string> {
  const file = await resultPath(`${row.name}.cpuprofile`);
  await rm(file, { force: true });
  try {
    const dataset = await bench.dataset(CLIENTS);
    const server = await bench.program(dataset, {
      nodeFlags: ["--import", new URL("profiler.js", import.meta.url).href],
      env: { [FILE_VARIABLE]: file },
    });
    const side = await sideOf(bench, dataset, row, server);
    await bench.warmUp(side);
    process.kill(server.pid, SIGNAL);
    const slice = await bench.slice(side, 0, bench.plan.seconds * 4);
    process.kill(server.pid, SIGNAL);
    const profile = JSON.parse(await readWhenWritten(file)) as Profile;
    return [
      `${row.name}: ${slice.requests} requests, ${slice.serverUs.toFixed(1)} µs of CPU each with the profiler on; ${file} opens in a browser`,
      summary(profile, slice.requests),
    ].join("\n");
  } finally {
    await bench.clear();
  }
}

async function readWhenWritten(file: string): Promise<string> {
  for (let tries = 0; !existsSync(file); tries++) {
    if (tries > 100) throw new Error("the program wrote no profile");
    await delay(100);
  }
  return readFile(file, "utf8");
}

function summary({ nodes, samples, timeDeltas }: Profile, requests: number): string {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const functions = new Map<string, number>();
  const places = new Map<string, number>();
  let busy = 0;
  for (const [index, id] of samples.entries()) {
    const frame = byId.get(id)?.callFrame;
    const microseconds = timeDeltas[index] ?? 0;
    if (frame === undefined || NO_WORK.has(frame.functionName)) continue;
    busy += microseconds;
    const name = `${frame.functionName || "(anonymous)"} ${shortUrl(frame.url)}${frame.url ? `:${frame.lineNumber + 1}` : ""}`;
    functions.set(name, (functions.get(name) ?? 0) + microseconds);
    const place = packageOf(frame.url, frame.functionName);
    places.set(place, (places.get(place) ?? 0) + microseconds);
  }
  const lines = (times: Map<string, number>, count: number) =>
    [...times]
      .sort(([, a], [, b]) => b - a)
      .slice(0, count)
      .map(([name, time]) => {
        const share = ((time / busy) * 100).toFixed(1).padStart(5);
        return `  ${share} %  ${(time / requests).toFixed(2).padStart(8)} µs  ${name}`;
      });
  return ["by package", ...lines(places, 20), "by function (self time)", ...lines(functions, TOP)].join("\n");
}

function shortUrl(url: string): string {
  return url.replace(/^file:\/\/.*\/(node_modules|dist[^/]*)\//, "");
}

function packageOf(url: string, functionName: string): string {
  const dependency = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  if (dependency) return dependency;
  if (url.startsWith("node:")) return `node:${/^node:(?:internal\/)?([^/]+)/.exec(url)?.[1]}`;
  if (url.startsWith("file:")) return `rollbook ${shortUrl(url)}`;
  return functionName.startsWith("(") ? functionName : "native";
}
