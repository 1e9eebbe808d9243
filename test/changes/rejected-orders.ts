import { setTimeout as delay } from "node:timers/promises";
import type { Database } from "../../src/db/database.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import { pooled } from "../../src/db/statements.ts";
import { createOrganization } from "../../src/domain/organizations/operations.ts";
import { isWholePart, numberChanges } from "../../src/sync/changes/numbering.ts";
import { readChanges } from "../../src/sync/changes/queries.ts";
import { newMigratedDatabase } from "../support/databases.ts";
import { openTestStore } from "../support/store.ts";

/**
 * What readers miss who follow a log of changes by its own id, by time or by transaction, and who follow the feed: measured
 * here under writers that pause before their commit, as docs/decisions/change-feed.md says. `node dist/test/changes/rejected-orders.js`
 */

const WRITERS = 8;
const SECONDS = 20;

const write = pooled(
  "",
  "insert into resources (organization_id, id, name, kind, status) values ($1, gen_random_uuid()::text, 'x', 'room', 'active')",
);
// Kept apart from the log, which is emptied as it is numbered.
const SIDE_LOG = `
  create table side_log (id bigint generated always as identity, at timestamptz default clock_timestamp(),
    xact xid8 default pg_current_xact_id(), record_id text);
  create or replace function side_note() returns trigger language plpgsql as $$
  begin insert into side_log (record_id) values (new.id); return null; end $$;
  create trigger side after insert on resources for each row execute function side_note()`;

/** Follows the side log by an order: whatever is at or below what was read last is never seen again. */
async function follow(db: Database, column: string, isOver: () => boolean, bound = "true"): Promise<number> {
  const seen = new Set<string>();
  let last: string | undefined;
  const statement = pooled(
    "",
    `select record_id as id, ${column}::text as place from side_log
     where ($1::text is null or ${column} > $1::${column === "at" ? "timestamptz" : column === "xact" ? "xid8" : "bigint"})
       and ${bound} order by ${column}, id`,
  );
  for (let isLast = false; !isLast; await delay(5)) {
    isLast = isOver();
    const rows = await db.query<{ id: string; place: string }>(statement, [last ?? null]);
    for (const { id } of rows) seen.add(id);
    last = rows.at(-1)?.place ?? last;
  }
  return seen.size;
}

async function followFeed(db: Database, organizationId: string, isOver: () => boolean): Promise<number> {
  const seen = new Set<string>();
  let after = 0;
  for (let isLast = false; !isLast; await delay(5)) {
    isLast = isOver();
    while (isWholePart(await numberChanges(db, organizationId)));
    const page = await readChanges(db, organizationId, { after, limit: 100_000, kinds: ["resource"] });
    for (const { id } of page.entries) seen.add(id);
    after = page.reached;
  }
  return seen.size;
}

const store = await openTestStore();
const own = await newMigratedDatabase(store);
const db = openDatabase({ connection: own.connection, applicationName: "rollbook test", poolSize: 24 });
await own.query(SIDE_LOG);
const { id } = await createOrganization(db, "test", {
  name: "Studio",
  timezone: "UTC",
  currency: "BRL",
  plan: "Pro",
});

const end = Date.now() + SECONDS * 1000;
let isWritten = false;
let committed = 0;
const writing = Promise.all(
  Array.from({ length: WRITERS }, async () => {
    while (Date.now() < end) {
      await db
        .transaction(async (tx) => {
          await tx.query(write, [id]);
          await delay(Math.random() * 40);
          if (Math.random() < 0.1) throw new Error("rolled back");
        })
        .then(
          () => committed++,
          () => {},
        );
    }
  }),
).then(() => {
  isWritten = true;
});
// What any open transaction of the server does to the order by transactions: nothing above it is shown.
const open = db.transaction(async (tx) => {
  await tx.query(pooled("", "select pg_current_xact_id()"));
  while (!isWritten) await delay(20);
});
const isOver = () => isWritten;
const [byId, byTime, byTransaction, one, two] = await Promise.all([
  follow(db, "id", isOver),
  follow(db, "at", isOver),
  follow(db, "xact", () => Date.now() > end - 1000, "xact < pg_snapshot_xmin(pg_current_snapshot())"),
  followFeed(db, id, isOver),
  followFeed(db, id, isOver),
  writing,
  open,
]);
const lost = (seen: number) => `${committed - seen} of ${committed} missed`;
process.stdout.write(`by the id of the log: ${lost(byId)}\n`);
process.stdout.write(`by time: ${lost(byTime)}\n`);
process.stdout.write(`by transaction, below all that are open: ${byTransaction} seen while one was open\n`);
process.stdout.write(`the feed: ${lost(one)}, ${lost(two)}\n`);
await db.close();
await store.close();
