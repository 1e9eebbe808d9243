/** The calendar's figures: a week as applications ask for it, and a year as nobody should but somebody will. */
import { MAX_WINDOW_DAYS } from "../src/core/limits.ts";
import { windowFrom, windows } from "./calendar-windows.ts";
import { DAILY_SCHEDULES, type OpenDataset } from "./data.ts";
import { type Bench, median, medianOf, type Workload } from "./measure.ts";
import { memoryOf } from "./processes.ts";
import { againstMemory, CLIENTS, type Figure, figure, type Row, sideOf } from "./row.ts";
import { startYearReaders } from "./year-readers.ts";

const SESSIONS = DAILY_SCHEDULES * MAX_WINDOW_DAYS;
const FIRST_MS = Date.UTC(2026, 5, 1);

export const calendarRows: readonly Row[] = [
  {
    name: "calendar-week-hot",
    title: "calendar, 7 days, 200 schedules, hot",
    target: "0.70 of R",
    workload: async ({ studio }) => ({ key: studio.key, targets: [windowFrom(FIRST_MS, 7)] }),
    measure: againstMemory(0.7),
  },
  {
    name: "calendar-week-cold",
    title: "calendar, 7 days, 200 schedules, another window each time",
    target: "< 3 ms CPU",
    workload: otherWeeks,
    measure: async (bench, row) => {
      const dataset = await bench.dataset(CLIENTS);
      const [ours = []] = await bench.interleave([await sideOf(bench, dataset, row)]);
      const values = ours.map(({ serverUs }) => serverUs / 1000);
      return [figure(row, values, "ms CPU", median(values) < 3, ours)];
    },
  },
  {
    name: "calendar-year",
    title: "calendar, 366 days, 500 daily schedules",
    target: "≥ 0.5 million sessions/s",
    workload: years,
    measure: measureYears,
  },
  {
    name: "calendar-stored",
    title: "calendar, 366 days with 50,250 stored sessions, ten callers: longest hold of the event loop",
    target: "< 20 ms",
    workload: otherCallers,
    measure: measureStored,
  },
];

async function otherWeeks({ studio }: OpenDataset, round: number): Promise<Workload> {
  // A minute later each time: the same amount of work, and never the same address.
  const first = FIRST_MS + round * 1000 * 60_000;
  return { key: studio.key, targets: windows(1000, first, 7) };
}

async function years({ daily }: OpenDataset, round: number): Promise<Workload> {
  const first = Date.UTC(2026, 1, 1) + round * 100 * 60_000;
  const leastBytes = 200 * SESSIONS;
  return { key: daily.key, targets: windows(100, first, MAX_WINDOW_DAYS), connections: 1, leastBytes };
}

async function measureYears(bench: Bench, row: Row): Promise<Figure[]> {
  const dataset = await bench.dataset(CLIENTS);
  const side = await sideOf(bench, dataset, row);
  const { server } = side;
  await bench.warmUp(side);
  await server.metrics();
  const slices = [];
  const stallsMs: number[] = [];
  const megabytes: number[] = [];
  for (let round = 0; round < bench.plan.rounds; round++) {
    slices.push(await bench.slice(side, round, bench.plan.seconds));
    stallsMs.push(worstDelayMs(await server.metrics()));
    megabytes.push(memoryOf(server.pid).resident / 1e6);
  }
  const rates = slices.map((slice) => (slice.perSecond * SESSIONS) / 1e6);
  const bytes = medianOf(slices, (slice) => slice.bytesPerRequest);
  const speed = figure(row, rates, "million sessions/s", median(rates) >= 0.5, slices);
  const isFlat = (megabytes.at(-1) ?? 0) < (megabytes[0] ?? 0) * 1.15;
  return [
    { ...speed, note: `${(bytes / 1e6).toFixed(0)} MB an answer${speed.note ? `; ${speed.note}` : ""}` },
    {
      title: "… longest hold of the event loop",
      values: stallsMs,
      unit: "ms",
      target: "< 30 ms",
      reached: Math.max(...stallsMs) < 30,
    },
    {
      title: "… resident memory, round by round",
      values: megabytes,
      unit: "MB",
      target: "flat",
      reached: isFlat,
      note: `at the most ${(memoryOf(server.pid).peak / 1e6).toFixed(0)} MB`,
    },
  ];
}

const LONG_CALLERS = 10;

/** What others ask meanwhile: something short, now and then. */
async function otherCallers({ studio }: OpenDataset): Promise<Workload> {
  const targets = ["GET /v1/organization", "GET /v1/clients?limit=5", "GET /v1/locations"];
  return { key: studio.key, targets, connections: 4, pauseMs: 5 };
}

/** Others alone, then others beside ten callers who ask for booked years without a pause; in turn, round by round. */
async function measureStored(bench: Bench, row: Row): Promise<Figure[]> {
  const dataset = await bench.dataset(CLIENTS);
  const side = await sideOf(bench, dataset, row);
  const { server } = side;
  const seconds = bench.plan.quick ? 3 : 10;
  await bench.warmUp(side);
  const readers = { port: server.port, key: dataset.booked.key, callers: LONG_CALLERS };
  const warm = await startYearReaders(bench.placement.others, readers);
  await bench.slice(side, -1, seconds);
  await warm.stop();
  const holdsMs: number[] = [];
  const slowdowns: number[] = [];
  const p99sMs: number[] = [];
  const megabytes: number[] = [];
  const answers: number[] = [];
  for (let round = 0; round < bench.plan.rounds; round++) {
    const alone = await bench.slice(side, round, seconds);
    await server.metrics();
    const years = await startYearReaders(bench.placement.others, readers);
    const beside = await bench.slice(side, round, seconds);
    holdsMs.push(worstDelayMs(await server.metrics()));
    megabytes.push(memoryOf(server.pid).resident / 1e6);
    answers.push(await years.stop());
    slowdowns.push(beside.p99Ms / alone.p99Ms);
    p99sMs.push(beside.p99Ms);
  }
  return [
    {
      title: row.title,
      values: holdsMs,
      unit: "ms",
      target: row.target,
      reached: median(holdsMs) < 20,
      note: `${median(answers) / seconds} such answers a second`,
    },
    {
      title: "… p99 of other callers, against their own without them",
      values: slowdowns,
      unit: "×",
      target: "≤ 3 ×",
      reached: median(slowdowns) <= 3,
      note: `${median(p99sMs).toFixed(1)} ms`,
    },
    {
      title: "… resident memory",
      values: megabytes,
      unit: "MB",
      target: "flat",
      reached: (megabytes.at(-1) ?? 0) < (megabytes[0] ?? 0) * 1.15,
      note: `at the most ${(memoryOf(server.pid).peak / 1e6).toFixed(0)} MB`,
    },
  ];
}

/** The program measures its own loop with a timer of 10 ms, which is no delay. */
const TIMER_MS = 10;

function worstDelayMs(metrics: string): number {
  const seconds = /^rollbook_event_loop_delay_seconds\{quantile="1"\} (\S+)/m.exec(metrics)?.[1];
  return Math.max(0, Number(seconds) * 1000 - TIMER_MS);
}
