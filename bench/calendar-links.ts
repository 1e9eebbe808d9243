/** The figures of calendar links: one that is read for the first time, and one that has not changed. */
import { operator } from "../src/domain/audit/queries.ts";
import { mintCalendarLink } from "../src/sync/calendar-links/operations.ts";
import { DAILY_SCHEDULES, type OpenDataset } from "./data.ts";
import { median, ratios, type Workload } from "./measure.ts";
import { CLIENTS, figure, pair, type Row, sideOf } from "./row.ts";

const EVENTS = 10_000;
const LINKS_A_ROUND = 50;
/** No event is shorter. */
const EVENT_BYTES = 250;

export const calendarLinkRows: readonly Row[] = [
  {
    name: "calendar-link",
    title: `calendar link, ${EVENTS.toLocaleString("en")} events, not fetched before`,
    target: "≤ 100 ms",
    workload: newLinks,
    measure: async (bench, row) => {
      const dataset = await bench.dataset(CLIENTS);
      const [ours = []] = await bench.interleave([await sideOf(bench, dataset, row)]);
      const values = ours.map(({ p50Ms }) => p50Ms);
      return [figure(row, values, "ms", median(values) <= 100, ours)];
    },
  },
  {
    name: "calendar-link-not-modified",
    title: "the same, not changed: its 304 against that of a list",
    target: "0.95 of a list's",
    workload: async (dataset) => ({ ...(await newLinks(dataset)), once: false }),
    measure: async (bench, row) => {
      const dataset = await bench.dataset(CLIENTS);
      const side = await sideOf(bench, dataset, row);
      const { targets } = await newLinks(dataset, 0, 1);
      const { key } = dataset.daily;
      const unchanged = async (target: string): Promise<Workload> => {
        const address = `http://127.0.0.1:${side.server.port}${target.replace("GET ", "")}`;
        const { headers } = await fetch(address, { headers: { authorization: `Bearer ${key}` } });
        const ifNoneMatch = headers.get("etag") ?? "";
        return { key, targets: [target], ifNoneMatch, status: 304, leastBytes: 0 };
      };
      const [link, list] = [await unchanged(targets[0] ?? ""), await unchanged("GET /v1/locations")];
      const sides = [
        { ...side, workload: async () => link },
        { ...side, workload: async () => list },
      ];
      const [ours, lists] = await pair(bench, sides);
      const values = ratios(ours, lists, (slice) => slice.perSecond);
      return [figure(row, values, "of a list's", median(values) >= 0.95, ours, lists)];
    },
  },
];

/** Links to as many days as have that many events. No two share a kept body. */
async function newLinks(
  { daily, store }: OpenDataset,
  _round?: number,
  count = LINKS_A_ROUND,
): Promise<Workload> {
  const db = store.open({ applicationName: "rollbook bench" });
  try {
    const call = {
      db,
      actor: operator(),
      organizationId: daily.id,
      keySecret: await store.keySecret(),
      publicUrl: "http://localhost:8080",
    };
    const window = { pastDays: 0, aheadDays: EVENTS / DAILY_SCHEDULES - 1 };
    const targets: string[] = [];
    while (targets.length < count) {
      const { result } = await mintCalendarLink(call, window);
      targets.push(`GET ${new URL(result.url ?? "").pathname}`);
    }
    return { key: daily.key, targets, connections: 1, leastBytes: EVENTS * EVENT_BYTES, once: true };
  } finally {
    await db.close();
  }
}
