import assert from "node:assert/strict";
import { after, test } from "node:test";
import pg from "pg";
import { sweepImported } from "../../src/data/spreadsheet/undo-queries.ts";
import type { Database } from "../../src/db/database.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import { sweepAnswers } from "../../src/db/stored-answers.ts";
import { sweepRequests } from "../../src/domain/keys/request-rows.ts";
import { findOrganizationsToDelete } from "../../src/domain/organizations/deletion-queries.ts";
import { sweepSignIns } from "../../src/domain/staff/queries.ts";
import { listUnnumbered } from "../../src/sync/changes/numbering.ts";
import { sweepAttempts } from "../../src/sync/webhooks/queries.ts";
import { findWork } from "../../src/sync/webhooks/sender-queries.ts";
import { newMigratedDatabase } from "../support/databases.ts";
import { openExplainer } from "../support/explain.ts";
import { openTestStore } from "../support/store.ts";
import { type StudioSize, writeStudios } from "../support/studio-rows.ts";

/** What processes do of their own accord, as often as every 250 ms, reads no more on a server with hundreds of organizations. */

const store = await openTestStore();
after(() => store.close());
const { connection } = await newMigratedDatabase(store);
const db = openDatabase({ connection, applicationName: "rollbook test", poolSize: 2 });
after(() => db.close());

const FEW: StudioSize = { clients: 5, contracts: 2, sessions: 4, bookings: 4, schedules: 2 };
const now = Date.now();
const WORK: Readonly<Record<string, (on: Database) => Promise<unknown>>> = {
  "who has changes without a number": listUnnumbered,
  "what there is to send to webhooks": (on) => findWork(on, now),
  "stored answers whose time is over": (on) => sweepAnswers(on, now, 1_000),
  "sign-ins whose time is over": (on) => sweepSignIns(on, now, 1_000),
  "imports that cannot be undone any more": (on) => sweepImported(on, now, 1_000),
  "attempts that are shown no more": (on) => sweepAttempts(on, new Date(now).toISOString(), 1_000),
  "requests that are shown no more": (on) => sweepRequests(on, new Date(now).toISOString(), 1_000),
  "organizations to delete": (on) => findOrganizationsToDelete(on, now),
};

test("what processes do of their own accord reads no more with 400 organizations than with two", async () => {
  const client = new pg.Client(connection);
  await client.connect();
  const explainer = await openExplainer(connection);
  const pagesOf = async () => {
    const pages: Record<string, number> = {};
    for (const [what, work] of Object.entries(WORK)) {
      const { plan } = await explainer.explain(work, 1);
      pages[what] = Number(/shared hit=(\d+)/.exec(plan)?.[1] ?? 0);
    }
    return pages;
  };
  await writeStudios(client, { first: 1, last: 2 }, FEW);
  await client.query("analyze");
  await pagesOf();
  const before = await pagesOf();
  await writeStudios(client, { first: 3, last: 402 }, FEW);
  // Which of them have written since the last look is for themselves to say.
  await client.query("truncate change_log");
  await client.query("analyze");
  await pagesOf();
  const grown = Object.entries(await pagesOf()).filter(([what, pages]) => pages > (before[what] ?? 0) + 10);
  await explainer.close();
  await client.end();
  assert.deepEqual(grown, []);
});
