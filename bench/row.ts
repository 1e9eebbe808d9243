/** One figure and the ways to find it. */
import type { OpenDataset } from "./data.ts";
import { type Bench, median, medianOf, ratios, type Side, type Slice, type Workload } from "./measure.ts";
import type { Program } from "./program.ts";

export interface Figure {
  readonly title: string;
  readonly values: readonly number[];
  /** How a value is written. */
  readonly unit: string;
  readonly target: string;
  readonly reached: boolean;
  readonly ours?: readonly Slice[];
  readonly ceiling?: readonly Slice[];
  readonly note?: string;
}

export interface Row {
  readonly name: string;
  readonly title: string;
  readonly target: string;
  /** What is asked of the program; on its own it is what a profile is taken of. */
  readonly workload: (dataset: OpenDataset, round: number) => Promise<Workload>;
  readonly measure: (bench: Bench, row: Row) => Promise<Figure[]>;
}

/** The size that a row is measured at unless it says otherwise. */
export const CLIENTS = 200_000;

/** The program against its own answers sent from memory. */
export function againstMemory(goal: number): Row["measure"] {
  return async (bench, row) => {
    const dataset = await bench.dataset(CLIENTS);
    const side = await sideOf(bench, dataset, row);
    const server = await bench.memory(side.server, await side.workload(0));
    const [ours, ceiling] = await pair(bench, [side, { ...side, server }]);
    const values = ratios(ours, ceiling, (slice) => slice.perSecond);
    return [figure(row, values, "of R", median(values) >= goal, ours, ceiling)];
  };
}

export function againstQuery(kind: "client" | "page", goal: number): Row["measure"] {
  return async (bench, row) => {
    const [ours, ceiling] = await compareWithQuery(bench, row, kind, "studio");
    const values = ratios(ours, ceiling, (slice) => slice.perSecond);
    return [figure(row, values, "of P", median(values) >= goal, ours, ceiling)];
  };
}

export async function compareWithQuery(
  bench: Bench,
  row: Row,
  kind: "client" | "page" | "search" | "create",
  organization: "studio" | "writes",
): Promise<[Slice[], Slice[]]> {
  const dataset = await bench.dataset(CLIENTS);
  const side = await sideOf(bench, dataset, row);
  const server = await bench.query(kind, side.server, dataset, dataset[organization]);
  return pair(bench, [side, { ...side, server }]);
}

/** The program at work on a row; it is started unless it runs. */
export async function sideOf(
  bench: Bench,
  dataset: OpenDataset,
  row: Row,
  server?: Program,
): Promise<Side & { server: Program }> {
  return {
    server: server ?? (await bench.program(dataset)),
    dataset,
    workload: (round) => row.workload(dataset, round),
  };
}

export async function pair(bench: Bench, sides: readonly Side[]): Promise<[Slice[], Slice[]]> {
  const [ours = [], theirs = []] = await bench.interleave(sides);
  return [ours, theirs];
}

export function figure(
  row: Row,
  values: readonly number[],
  unit: string,
  reached: boolean,
  ours: readonly Slice[],
  ceiling?: readonly Slice[],
): Figure {
  const busy = medianOf(ours, (slice) => slice.generatorBusy + slice.postgresBusy);
  const generator = Math.max(...[...ours, ...(ceiling ?? [])].map((slice) => slice.generatorBusy));
  const notes = [
    ...(generator > 0.85 ? ["the load generator was the limit"] : []),
    ...(busy > 0.95 && generator <= 0.85 ? ["generator and PostgreSQL filled their core"] : []),
  ];
  return {
    title: row.title,
    values,
    unit,
    target: row.target,
    reached,
    ours,
    ...(ceiling && { ceiling }),
    ...(notes.length > 0 && { note: notes.join("; ") }),
  };
}
