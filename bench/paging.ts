/** Pages by cursor against the first page, and what the indexes of `updatedSince` cost a write. */
import { ClientQuery } from "../src/domain/clients/schema.ts";
import { ListPaging } from "../src/http/paging.ts";
import { type OpenDataset, spelled } from "./data.ts";
import { median, ratios, type Slice, type Workload } from "./measure.ts";
import { person } from "./people.ts";
import { CLIENTS, figure, pair, type Row, sideOf } from "./row.ts";

const PAGE = 50;
const PAGES_A_ROUND = 10_000;
const DEPTH = 0.75;
const REPLACED = 5_000;
const WRITES_A_ROUND = 20_000;
/** Another range of people than that of the row for creates: id documents must not meet. */
const FIRST_PERSON = 500_000_000;
let created = 0;
let changes = 0;

export const pagingRows: readonly Row[] = [
  {
    name: "cursor",
    title: `50 clients by cursor at ${DEPTH * 100} % of 200,000, against the first page`,
    target: "CPU ≤ 1.5 ×",
    workload: deepPages,
    measure: async (bench, row) => {
      const dataset = await bench.dataset(CLIENTS);
      const deep = await sideOf(bench, dataset, row);
      const first = { ...deep, workload: (round: number) => firstPages(dataset, round) };
      const [ours, ceiling] = await pair(bench, [deep, first]);
      const values = ratios(ours, ceiling, (slice) => slice.serverUs + slice.postgresUs);
      return [figure(row, values, "× CPU", median(values) <= 1.5, ours, ceiling)];
    },
  },
  {
    name: "update-index-put",
    title: "replace a client, all of it changed, with the index of updates against without",
    target: "0.90 of without, by CPU",
    workload: (dataset, round) => replacements(dataset, round, (n) => ({ ...person(n + changes++) })),
    measure: againstNoIndex,
  },
  {
    name: "update-index-notes",
    title: "replace a client, its notes alone changed, with the index of updates against without",
    target: "0.90 of without, by CPU",
    workload: (dataset, round) =>
      replacements(dataset, round, (n) => ({ ...person(n), notes: `Change ${changes++}.` })),
    measure: againstNoIndex,
  },
  {
    name: "update-index-create",
    title: "create a client, with the index of updates against without",
    target: "0.90 of without, by CPU",
    workload: async ({ writes }) => {
      const first = FIRST_PERSON + created;
      created += WRITES_A_ROUND / 2;
      const bodies = times(WRITES_A_ROUND / 2, (n) => JSON.stringify(person(first + n)));
      const targets = bodies.map(() => "POST /v1/clients");
      return { key: writes.key, targets, bodies, status: 201, once: true };
    },
    measure: againstNoIndex,
  },
];

async function deepPages(dataset: OpenDataset, round: number): Promise<Workload> {
  const client = await dataset.connect();
  const { rows } = await client.query<{ id: string }>(
    "select id from clients where organization_id = $1 order by id desc offset $2 limit 1",
    [dataset.studio.id, Math.floor(dataset.clients * DEPTH)],
  );
  await client.end();
  const { body } = new ListPaging("/v1/clients", "", ClientQuery).finish("", {}, { nextCursor: rows[0]?.id });
  return pages(dataset, round, `&cursor=${body.nextCursor}`);
}

function firstPages(dataset: OpenDataset, round: number): Promise<Workload> {
  return pages(dataset, round, "&offset=0");
}

async function pages({ studio }: OpenDataset, round: number, more: string): Promise<Workload> {
  const address = `GET /v1/clients?limit=${PAGE}${more}`;
  const targets = times(PAGES_A_ROUND, (n) => spelled(address, round * PAGES_A_ROUND + n));
  return { key: studio.key, targets };
}

const replacedIds = new Map<OpenDataset, Promise<string[]>>();

/** Some clients of an organization that the next run empties again, each replaced again and again. */
async function replacements(
  dataset: OpenDataset,
  _round: number,
  content: (n: number) => object,
): Promise<Workload> {
  const known = replacedIds.get(dataset) ?? addReplaced(dataset);
  replacedIds.set(dataset, known);
  const ids = await known;
  // Without documents: those of two clients that change at once would meet.
  const bodies = times(WRITES_A_ROUND, (n) =>
    JSON.stringify({ ...content(n % REPLACED), idDocument: undefined }),
  );
  const targets = times(WRITES_A_ROUND, (n) => `PUT /v1/clients/${ids[n % REPLACED]}`);
  return { key: dataset.writes.key, targets, bodies, once: true };
}

async function addReplaced({ writes, connect }: OpenDataset): Promise<string[]> {
  const client = await connect();
  const { rows } = await client.query<{ id: string }>(
    `with made as (
       insert into clients (organization_id, id, status, contact_name, search)
       select $1, gen_random_uuid(), 'active', 'Client ' || n, 'client ' || n from generate_series(1, $2::int) n
       returning id
     ), joined as (
       insert into client_locations (organization_id, client_id, location_id) select $1, id, $3 from made
     ), counted as (
       update organization_counters set clients_active = clients_active + $2, clients_version = clients_version + 1
       where organization_id = $1 and slot = 0
     )
     select id from made`,
    [writes.id, REPLACED, writes.locationIds[0]],
  );
  await client.query("vacuum analyze clients");
  await client.end();
  return rows.map(({ id }) => id);
}

/** The same program on the same data, in turn with the index and without it. */
async function againstNoIndex(...[bench, row]: Parameters<Row["measure"]>): ReturnType<Row["measure"]> {
  const dataset = await bench.dataset(CLIENTS);
  const side = await sideOf(bench, dataset, row);
  const client = await dataset.connect();
  const found = await client.query<{ create: string }>(
    "select pg_get_indexdef('clients_by_update'::regclass) as create",
  );
  const create = found.rows[0]?.create ?? "";
  const [withIndex, without]: [Slice[], Slice[]] = [[], []];
  await bench.warmUp(side);
  try {
    for (let round = 0; round < bench.plan.rounds; round++) {
      // Each side is first in every other round, so that what a turn leaves behind weighs on both.
      const turns = [
        async () => {
          await client.query(create).catch(() => {});
          withIndex.push(await bench.slice(side, round, bench.plan.seconds));
        },
        async () => {
          await client.query("drop index if exists clients_by_update");
          without.push(await bench.slice(side, round, bench.plan.seconds));
        },
      ];
      for (const turn of round % 2 === 0 ? turns : turns.toReversed()) await turn();
    }
  } finally {
    await client.query(create).catch(() => {});
    await client.end();
  }
  // By the CPU that a request takes of server and PostgreSQL together: requests a second follow what else the machine does.
  const values = ratios(without, withIndex, (slice) => slice.serverUs + slice.postgresUs);
  return [figure(row, values, "of without, by CPU", median(values) >= 0.9, withIndex, without)];
}

function times<Item>(count: number, make: (n: number) => Item): Item[] {
  return Array.from({ length: count }, (_, n) => make(n));
}
