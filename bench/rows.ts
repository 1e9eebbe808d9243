/** The figures that are promised, each with how it is found. */
import { randomUUID } from "node:crypto";
import { MS_PER_DAY } from "../src/core/dates.ts";
import { calendarRows } from "./calendar.ts";
import { calendarLinkRows } from "./calendar-links.ts";
import { isLoaded, type OpenDataset, picker, spelled } from "./data.ts";
import { downloadRows } from "./downloads.ts";
import { frontDeskRows } from "./front-desk.ts";
import { CONNECTIONS, median, ratios, type Side, type Slice, type Workload } from "./measure.ts";
import { moneyRows } from "./money.ts";
import { pagingRows } from "./paging.ts";
import { partRows } from "./parts.ts";
import { dice, person, rarePair } from "./people.ts";
import { memoryOf } from "./processes.ts";
import {
  againstMemory,
  againstQuery,
  CLIENTS,
  compareWithQuery,
  type Figure,
  figure,
  pair,
  type Row,
  sideOf,
} from "./row.ts";

const FEW = 1_000;
const MANY = 1_000_000;
const REQUESTS_A_ROUND = 40_000;
const CREATES_A_ROUND = 10_000;
const HOT_IDS = 1_000;
const PAGE = 50;
const PAGES_A_ROUND = 10_000;
const SEARCHES_A_ROUND = 5_000;
/**
 * Each of two workers compiles the program for itself and sees half of the requests: after a short warm-up one worker
 * would be compared with two that are not yet as fast as they will be.
 */
const WORKERS_WARM_SECONDS = 6;
/** Creates of a run must not repeat an id document. */
let created = 0;

export const ROWS: readonly Row[] = [
  {
    name: "organization",
    title: "the organization",
    target: "0.70 of R",
    workload: async ({ studio }) => ({ key: studio.key, targets: ["GET /v1/organization"] }),
    measure: againstMemory(0.7),
  },
  {
    name: "client-random",
    title: "one client, ids at random over 200,000",
    target: "0.95 of P",
    workload: async (dataset, round) => {
      const ids = await clientIds(dataset);
      const pick = picker(round);
      const targets = times(REQUESTS_A_ROUND, () => `GET /v1/clients/${ids[pick(ids.length)]}`);
      return { key: dataset.studio.key, targets };
    },
    measure: againstQuery("client", 0.95),
  },
  {
    name: "client-hot",
    title: "one client, 1,000 hot ids",
    target: "0.70 of R",
    workload: async (dataset) => {
      const ids = await clientIds(dataset);
      const targets = times(HOT_IDS, (n) => `GET /v1/clients/${ids[n * Math.floor(ids.length / HOT_IDS)]}`);
      return { key: dataset.studio.key, targets };
    },
    measure: againstMemory(0.7),
  },
  {
    name: "list-hot",
    title: "50 clients, first page, hot",
    target: "0.70 of R",
    workload: async ({ studio }) => ({ key: studio.key, targets: [`GET /v1/clients?limit=${PAGE}`] }),
    measure: againstMemory(0.7),
  },
  {
    name: "not-modified",
    title: "50 clients that have not changed: 304 against the cached 200",
    target: "0.95 of 200",
    workload: async ({ studio }) => ({ key: studio.key, targets: [`GET /v1/clients?limit=${PAGE}`] }),
    measure: async (bench, row) => {
      const dataset = await bench.dataset(CLIENTS);
      const sent = await sideOf(bench, dataset, row);
      const { key, targets } = await sent.workload(0);
      const path = (targets[0] ?? "").replace("GET ", "");
      const { headers } = await fetch(`http://127.0.0.1:${sent.server.port}${path}`, {
        headers: { authorization: `Bearer ${key}` },
      });
      const known = { key, targets, ifNoneMatch: headers.get("etag") ?? "", status: 304, leastBytes: 0 };
      const [ours, whole] = await pair(bench, [{ ...sent, workload: async () => known }, sent]);
      const values = ratios(ours, whole, (slice) => slice.perSecond);
      return [figure(row, values, "of 200", median(values) >= 0.95, ours, whole)];
    },
  },
  {
    name: "list-random",
    title: "50 clients, random pages",
    target: "0.95 of P",
    workload: async ({ studio, clients }, round) => {
      const pick = picker(round);
      // From any client on, so that hardly a page is asked for twice.
      const targets = times(5_000, () => `GET /v1/clients?limit=${PAGE}&offset=${pick(clients - PAGE)}`);
      return { key: studio.key, targets };
    },
    measure: againstQuery("page", 0.95),
  },
  {
    name: "search",
    title: "search, two terms, with total",
    target: "CPU ≤ 1.5 × P",
    workload: async ({ studio }, round) => {
      const pick = picker(round);
      const term = (n: number) =>
        spelled(
          `GET /v1/clients?query=${rarePair(pick(1e6)).replace(" ", "+")}`,
          round * SEARCHES_A_ROUND + n,
        );
      return { key: studio.key, targets: times(SEARCHES_A_ROUND, term) };
    },
    measure: async (bench, row) => {
      const [ours, ceiling] = await compareWithQuery(bench, row, "search", "studio");
      const values = ratios(ours, ceiling, (slice) => slice.serverUs + slice.postgresUs);
      return [figure(row, values, "× CPU", median(values) <= 1.5, ours, ceiling)];
    },
  },
  {
    name: "create",
    title: "create a client",
    target: "0.80 of the bare INSERT",
    workload: newClients,
    measure: async (bench, row) => {
      const [ours, ceiling] = await compareWithQuery(bench, row, "create", "writes");
      const values = ratios(ours, ceiling, (slice) => slice.perSecond);
      return [figure(row, values, "of INSERT", median(values) >= 0.8, ours, ceiling)];
    },
  },
  {
    name: "create-keyed",
    title: "create a client with an Idempotency-Key",
    target: "0.70 of without",
    workload: async (dataset) => {
      const plain = await newClients(dataset);
      return { ...plain, idempotencyKeys: plain.targets.map(() => randomUUID()) };
    },
    measure: async (bench, row) => {
      const dataset = await bench.dataset(CLIENTS);
      const keyed = await sideOf(bench, dataset, row);
      const [ours, without] = await pair(bench, [keyed, { ...keyed, workload: () => newClients(dataset) }]);
      const values = ratios(ours, without, (slice) => slice.perSecond);
      return [figure(row, values, "of without", median(values) >= 0.7, ours, without)];
    },
  },
  ...calendarRows,
  ...calendarLinkRows,
  ...pagingRows,
  ...downloadRows,
  ...frontDeskRows,
  ...moneyRows,
  {
    name: "growth",
    title: "first page and total, many clients against 1,000",
    target: "CPU ≤ 1.3 ×",
    workload: firstPages,
    measure: async (bench, row) => {
      // To load a million clients takes a minute, which the quick run has not got.
      const size = bench.plan.quick && !(await isLoaded(MANY)) ? CLIENTS : MANY;
      const sides: Side[] = [];
      for (const clients of [size, FEW]) {
        const dataset = await bench.dataset(clients);
        sides.push(await sideOf(bench, dataset, row));
      }
      const [many, few] = await pair(bench, sides);
      const values = ratios(many, few, (slice) => slice.serverUs + slice.postgresUs);
      const title = `first page and total, ${size.toLocaleString("en")} clients against 1,000`;
      return [{ ...figure(row, values, "× CPU", median(values) <= 1.3, many, few), title }];
    },
  },
  {
    name: "workers",
    title: "two workers against one",
    target: "CPU ≤ 1.15 ×",
    workload: async (dataset, round) => ROWS[1]?.workload(dataset, round) as Promise<Workload>,
    measure: async (bench, row) => {
      const dataset = await bench.dataset(CLIENTS);
      const figures: Figure[] = [];
      for (const inner of ROWS.slice(0, bench.plan.quick ? 1 : 2)) {
        // Shared by two workers, the same connections come in batches of half the size; a second worker is for
        // more connections. Both are shown.
        for (const [connections, words] of [
          [CONNECTIONS, `${CONNECTIONS} connections in all`],
          [2 * CONNECTIONS, `${CONNECTIONS} connections a worker`],
        ] as const) {
          // Two workers are for two cores: both sides may use all there are.
          const cores = bench.placement.everywhere;
          const two = await sideOf(
            bench,
            dataset,
            inner,
            await bench.program(dataset, { workers: 2, cores }),
          );
          const one = await sideOf(bench, dataset, inner, await bench.program(dataset, { cores }));
          const workload = async (round: number) => ({ ...(await two.workload(round)), connections });
          const asked = await one.workload(0);
          const bareTwo = await bench.memory(one.server, asked, { workers: 2, cores });
          const bareOne = await bench.memory(one.server, asked, { workers: 1, cores });
          const sides = [
            { ...two, workload },
            one,
            { ...two, server: bareTwo, workload },
            { ...one, server: bareOne },
          ];
          const [ours = [], theirs = [], bareOurs = [], bareTheirs = []] = await bench.interleave(
            sides,
            WORKERS_WARM_SECONDS,
          );
          const bare = ratios(bareOurs, bareTheirs, (slice) => slice.serverUs);
          const values = ratios(ours, theirs, (slice) => slice.serverUs + slice.postgresUs);
          const title = `two workers against one, ${words}: ${inner.title}`;
          figures.push({ ...figure(row, values, "× CPU", median(values) <= 1.15, ours, theirs), title });
          figures.push({
            ...figure(row, bare, "× CPU", median(bare) <= 1.15, bareOurs, bareTheirs),
            title: `… of R`,
          });
          await bench.clear();
        }
      }
      return figures;
    },
  },
  {
    name: "memory",
    title: "resident memory",
    target: "< 200 MB, flat",
    workload: mixedReads,
    measure: async (bench, row) => {
      const dataset = await bench.dataset(CLIENTS);
      const server = await bench.program(dataset);
      const parts = 10;
      const slices: Slice[] = [];
      const megabytes: number[] = [];
      for (let part = 0; part < parts; part++) {
        for (let done = 0; done < bench.plan.memoryRequests / parts; ) {
          const asked = await row.workload(dataset, slices.length);
          const side = { server, dataset, workload: async () => asked };
          const slice = await bench.slice(side, 0, Number.POSITIVE_INFINITY);
          slices.push(slice);
          done += slice.requests;
        }
        megabytes.push(memoryOf(server.pid).resident / 1e6);
      }
      const end = megabytes.at(-1) ?? 0;
      const half = megabytes[parts / 2 - 1] ?? 0;
      const requests = slices.reduce((sum, slice) => sum + slice.requests, 0);
      return [
        {
          title: `resident memory after ${requests.toLocaleString("en")} requests of all kinds`,
          values: [end],
          unit: "MB",
          target: row.target,
          reached: end < 200 && end < half * 1.1,
          ours: slices,
          note: `MB after each tenth: ${megabytes.map((value) => value.toFixed(0)).join(" ")}`,
        },
      ];
    },
  },
  ...partRows,
];

async function newClients({ writes }: OpenDataset): Promise<Workload> {
  const first = created;
  created += CREATES_A_ROUND;
  const bodies = times(CREATES_A_ROUND, (n) => JSON.stringify(person(first + n)));
  return {
    key: writes.key,
    targets: bodies.map(() => "POST /v1/clients"),
    bodies,
    status: 201,
    once: true,
  };
}

async function firstPages({ studio }: OpenDataset, round: number): Promise<Workload> {
  const address = `GET /v1/clients?limit=${PAGE}&offset=0`;
  const targets = times(PAGES_A_ROUND, (n) => spelled(address, round * PAGES_A_ROUND + n));
  return { key: studio.key, targets };
}

async function mixedReads(dataset: OpenDataset, round: number): Promise<Workload> {
  const ids = await clientIds(dataset);
  const pick = picker(round);
  const random = dice(round);
  const targets = times(5_000, () => {
    const kind = random();
    if (kind < 0.3) return "GET /v1/organization";
    if (kind < 0.8) return `GET /v1/clients/${ids[pick(ids.length)]}`;
    if (kind < 0.95) return `GET /v1/clients?limit=${PAGE}&offset=${pick(500) * PAGE}`;
    if (kind < 0.99) return `GET /v1/contracts?limit=${PAGE}&offset=${pick(100) * PAGE}`;
    const day = new Date(Date.UTC(2026, 2, 1 + pick(300))).toISOString();
    return `GET /v1/calendar?from=${day}&to=${new Date(Date.parse(day) + 7 * MS_PER_DAY).toISOString()}`;
  });
  return { key: dataset.studio.key, targets, once: true };
}

const knownIds = new Map<OpenDataset, string[]>();

async function clientIds(dataset: OpenDataset): Promise<string[]> {
  const known = knownIds.get(dataset);
  if (known) return known;
  const client = await dataset.connect();
  const { rows } = await client.query<{ id: string }>(
    "select id from clients where organization_id = $1 order by id",
    [dataset.studio.id],
  );
  await client.end();
  const ids = rows.map(({ id }) => id);
  knownIds.set(dataset, ids);
  return ids;
}

function times<Item>(count: number, make: (n: number) => Item): Item[] {
  return Array.from({ length: count }, (_, n) => make(n));
}
