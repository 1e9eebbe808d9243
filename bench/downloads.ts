/** A list of 200,000 clients as a file: against PostgreSQL's own copy of the same records, and to a slow caller. */
import { get, type IncomingMessage } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { to as copyTo } from "pg-copy-streams";
import { clientColumns, clientLocationIds } from "../src/domain/clients/client-rows.ts";
import { quantile } from "../test/support/caller.ts";
import type { BenchOrganization } from "./data.ts";
import { median } from "./measure.ts";
import { memoryOf } from "./processes.ts";
import { fetchRaw, type Program } from "./program.ts";
import { CLIENTS, type Row } from "./row.ts";

const MOST_MEGABYTES = 60;
const MOST_DELAY_MS = 100;
/** How much a slow caller takes, and how often. */
const SLOW_BYTES = 1 << 20;
const SLOW_PAUSE_MS = 100;
const PROBE_PAUSE_MS = 20;

export const downloadRows: readonly Row[] = [
  {
    name: "download",
    title: "200,000 clients as NDJSON, against COPY of the same records to standard output",
    target: "0.50 of COPY",
    workload: async ({ studio }) => ({ key: studio.key, targets: ["GET /v1/clients?limit=1"] }),
    measure: async (bench, row) => {
      const dataset = await bench.dataset(CLIENTS);
      const server = await bench.program(dataset);
      const connection = await dataset.connect();
      const values: number[] = [];
      const times: string[] = [];
      try {
        await runCopy(connection, dataset.studio);
        await runDownload(server, dataset.studio);
        for (let round = 0; round < bench.plan.rounds; round++) {
          const copySeconds = await runCopy(connection, dataset.studio);
          const seconds = await runDownload(server, dataset.studio);
          values.push(copySeconds / seconds);
          times.push(`${copySeconds.toFixed(2)}/${seconds.toFixed(2)}`);
        }
      } finally {
        await connection.end();
      }
      const note = `seconds of COPY and of the download: ${times.join(" ")}`;
      const { title, target } = row;
      return [{ title, values, unit: "of COPY", target, reached: median(values) >= 0.5, note }];
    },
  },
  {
    name: "download-slow",
    title: "memory that 200,000 clients as NDJSON add, taken at 10 MB a second",
    target: `≤ ${MOST_MEGABYTES} MB, others within ${MOST_DELAY_MS} ms`,
    workload: async ({ studio }) => ({ key: studio.key, targets: ["GET /v1/organization"] }),
    measure: async (bench, row) => {
      const dataset = await bench.dataset(CLIENTS);
      const server = await bench.program(dataset);
      const { studio } = dataset;
      for (let n = 0; n < 2_000; n++) await fetchRaw(server.port, "/v1/organization", studio.key);
      const before = memoryOf(server.pid).resident;
      let isDone = false;
      let most = before;
      const delays: number[] = [];
      const probing = (async () => {
        while (!isDone) {
          const begun = performance.now();
          await fetchRaw(server.port, "/v1/organization", studio.key);
          delays.push(performance.now() - begun);
          most = Math.max(most, memoryOf(server.pid).resident);
          await delay(PROBE_PAUSE_MS);
        }
      })();
      try {
        await runDownload(server, studio, { isSlow: true });
      } finally {
        isDone = true;
        await probing;
      }
      const megabytes = (most - before) / 1e6;
      const worst = Math.max(...delays);
      const { title, target } = row;
      return [
        {
          title,
          values: [megabytes],
          unit: "MB",
          target,
          reached: megabytes <= MOST_MEGABYTES && worst <= MOST_DELAY_MS,
          note: `${delays.length} other requests meanwhile: p99 ${quantile(delays, 0.99).toFixed(1)} ms, worst ${worst.toFixed(1)} ms`,
        },
      ];
    },
  },
];

async function runCopy(connection: pg.Client, { id }: BenchOrganization): Promise<number> {
  const begun = performance.now();
  const rows = connection.query(
    copyTo(
      `copy (select ${clientColumns}, ${clientLocationIds} from clients r where r.organization_id = '${id}' order by r.id desc) to stdout`,
    ),
  );
  for await (const _ of rows);
  return (performance.now() - begun) / 1000;
}

async function runDownload(
  { port }: Program,
  { key }: BenchOrganization,
  { isSlow = false } = {},
): Promise<number> {
  const begun = performance.now();
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, accept: "application/x-ndjson" };
    get({ host: "127.0.0.1", port, path: "/v1/clients", headers, agent: false }, resolve).on("error", reject);
  });
  const total = Number(response.headers["x-total-count"]);
  let lines = 0;
  let taken = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, at + 1)) lines++;
    taken += piece.length;
    if (!isSlow || taken < SLOW_BYTES) continue;
    taken = 0;
    await delay(SLOW_PAUSE_MS);
  }
  if (response.statusCode !== 200 || lines !== total || total < CLIENTS)
    throw new Error(`the download had ${lines} of ${total} records`);
  return (performance.now() - begun) / 1000;
}
