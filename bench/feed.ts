import { openDatabase } from "../src/db/open-database.ts";
import { pooled } from "../src/db/statements.ts";
import { createOrganization } from "../src/domain/organizations/operations.ts";
import { isWholePart, numberChanges } from "../src/sync/changes/numbering.ts";
import { readChanges } from "../src/sync/changes/queries.ts";
import { newMigratedDatabase } from "../test/support/databases.ts";
import { openTestStore } from "../test/support/store.ts";

/**
 * What the change feed costs, as ratios in one run: a bulk insert of clients with the triggers and without, numbering, and a
 * page of a short feed and of a long one. `npm run -s build && node dist/bench/feed.js`
 */

const ROWS = 100_000;
const ROUNDS = 3;

const store = await openTestStore({ isGuarded: false });
const own = await newMigratedDatabase(store);
const db = openDatabase({ connection: own.connection, applicationName: "rollbook test", poolSize: 4 });

const insert = pooled(
  "",
  `insert into clients (organization_id, id, status, contact_name, search)
   select $1, gen_random_uuid(), 'active', 'Ana Lima', 'ana lima' from generate_series(1, $2::int)`,
);

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

async function newStudio(): Promise<string> {
  const studio = { name: "Studio", timezone: "UTC", currency: "BRL", plan: "Pro" } as const;
  return (await createOrganization(db, "bench", studio)).id;
}

const trigger = (verb: string) =>
  db.query(pooled("", `alter table clients ${verb} trigger clients_feed_insert`));

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

const noted: number[] = [];
const bare: number[] = [];
const numbering: number[] = [];
let long = "";
for (let round = 0; round < ROUNDS; round++) {
  await trigger("disable");
  const unnoted = await newStudio();
  bare.push(await timed(() => db.query(insert, [unnoted, ROWS])));
  await trigger("enable");
  long = await newStudio();
  noted.push(await timed(() => db.query(insert, [long, ROWS])));
  numbering.push(
    await timed(async () => {
      while (isWholePart(await numberChanges(db, long)));
    }),
  );
}
const short = await newStudio();
await db.query(insert, [short, 1_000]);
while (isWholePart(await numberChanges(db, short)));

async function page(organizationId: string, after: number): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 200; round++)
    times.push(await timed(() => readChanges(db, organizationId, { after, limit: 100 })));
  return median(times);
}
// As autovacuum does within a minute: until then a reader passes over what was numbered.
await own.query("vacuum change_log");
await page(short, 500);
const [ofShort, ofLong] = [await page(short, 500), await page(long, ROWS / 2)];

const round = (value: number) => Math.round(value * 100) / 100;
const [size] = await own.query<{ bytes: string }>(
  "select pg_total_relation_size('changes') / greatest((select count(*) from changes), 1) as bytes",
);
const lines = [
  `insert of ${ROWS} clients with the triggers: ${round(median(noted) / median(bare))} of the time without`,
  `numbering: ${round((median(numbering) / ROWS) * 1000)} µs an entry`,
  `an entry with its indexes: ${size?.bytes} bytes`,
  `page of 100: ${round(ofLong / ofShort)} of the time with ${ROWS} entries as with 1,000 (${round(ofShort)} ms)`,
];
process.stdout.write(`${lines.join("\n")}\n`);
await db.close();
await store.close();
