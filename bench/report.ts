/** One table for people, and everything behind it for machines. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { median, medianOf, ratios, type Slice } from "./measure.ts";
import type { Figure } from "./row.ts";

const HEAD = [
  "Work",
  "Figure",
  "Spread",
  "Goal",
  "",
  "req/s",
  "ceiling",
  "CPU µs: server + db",
  "ceiling",
  "by CPU",
];

export function table(figures: readonly Figure[]): string {
  const rows = [HEAD, ...figures.map(cells)];
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const rule = `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`;
  const notes = figures.filter(({ note }) => note).map(({ title, note }) => `- ${title}: ${note}`);
  return [line(HEAD), rule, ...rows.slice(1).map(line), ...(notes.length > 0 ? ["", ...notes] : [])].join(
    "\n",
  );
}

function cells(figure: Figure): string[] {
  const { title, values, unit, target, reached, ours, ceiling } = figure;
  return [
    title,
    `${short(median(values))} ${unit}`,
    values.length > 1 ? `${short(Math.min(...values))}–${short(Math.max(...values))}` : "",
    target,
    reached ? "reached" : "NOT REACHED",
    perSecond(ours),
    perSecond(ceiling),
    cpu(ours),
    cpu(ceiling),
    byCpu(ours, ceiling),
  ];
}

function perSecond(slices: readonly Slice[] | undefined): string {
  return slices === undefined ? "" : short(medianOf(slices, (slice) => slice.perSecond));
}

function cpu(slices: readonly Slice[] | undefined): string {
  if (slices === undefined) return "";
  const server = medianOf(slices, (slice) => slice.serverUs);
  if (server === 0) return "not known";
  return `${short(server)} + ${short(medianOf(slices, (slice) => slice.postgresUs))}`;
}

/** The server's own CPU time for a request, as the ceiling's share of ours: what other load disturbs least. */
function byCpu(ours: readonly Slice[] | undefined, ceiling: readonly Slice[] | undefined): string {
  if (!ours || !ceiling) return "";
  const value = median(ratios(ceiling, ours, ({ serverUs }) => serverUs));
  return Number.isFinite(value) ? short(value) : "";
}

function short(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString("en");
  return value.toFixed(value >= 10 ? 1 : 2);
}

const RESULTS = fileURLToPath(new URL("../../bench-results/", import.meta.url));

export async function writeResults(results: object, at: Date): Promise<string> {
  const path = await resultPath(`${at.toISOString().slice(0, 19).replaceAll(":", "")}.json`);
  await writeFile(path, `${JSON.stringify(results, null, 2)}\n`);
  return path;
}

/** Where a file of this name goes: apart from the sources, which a build watches, and out of version control. */
export async function resultPath(name: string): Promise<string> {
  await mkdir(RESULTS, { recursive: true });
  return join(RESULTS, name);
}
