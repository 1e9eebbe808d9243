import assert from "node:assert/strict";
import { test } from "node:test";
import { databaseUrl, newDirectory } from "../support/processes.ts";
import { openTarget } from "../support/target.ts";
import { huntCommands, MOST_COMMAND_HOLD_MS } from "./hunted-commands.ts";
import { type HuntOptions, huntHolds, MOST_HOLD_MS } from "./loop-holds.ts";
import { ORIGIN } from "./slow-transfers.ts";

test("no operation and no command holds its event loop, with the largest input it takes and everything stored at its limits", async (t) => {
  const target = await openTarget(t, { PUBLIC_URL: ORIGIN });
  const db = target.store.open({ applicationName: "rollbook test" });
  t.after(() => db.close());
  const size = {
    clients: 600,
    minutely: 20,
    dated: 4,
    weekly: 200,
    bookings: 300,
    full: 20,
    resources: 1_000,
    invoices: 3_000,
  };
  let crowd: Parameters<NonNullable<HuntOptions["onCrowd"]>>[0] | undefined;
  const holds = await huntHolds(target, db, {
    // Enough for what grows with them to show; `npm run load-attacks` has more.
    size,
    onCrowd: (imported) => {
      crowd = imported;
    },
    onHold: ({ operation, input, status, holdMs, tookMs }) =>
      t.diagnostic(`${operation}, ${input}: ${status}, held ${holdMs.toFixed(0)} ms of ${tookMs.toFixed(0)}`),
  });
  assert.ok(holds.length > 100, `${holds.length}`);
  assert.deepEqual(
    holds.filter(({ status }) => status >= 500).map(({ operation, problem }) => `${operation}: ${problem}`),
    [],
  );
  assert.deepEqual(
    holds
      .filter(({ holdMs }) => holdMs > MOST_HOLD_MS)
      .map(({ operation, input, holdMs }) => `${operation}, ${input}: ${holdMs}`),
    [],
  );
  assert.ok(crowd);
  const environment = { DATABASE_URL: databaseUrl(target.store.connection), KEY_SECRET: target.keySecret };
  const commands = await huntCommands(
    { ...crowd, size, environment, folder: await newDirectory(t) },
    ({ command, input, code, said, holdMs, tookMs }) =>
      t.diagnostic(
        `${command}, ${input}: exit ${code}, held ${holdMs.toFixed(0)} ms of ${tookMs.toFixed(0)} ${code === 0 ? "" : said}`,
      ),
  );
  assert.deepEqual(
    commands
      .filter(({ holdMs }) => holdMs > MOST_COMMAND_HOLD_MS)
      .map(({ command, input, holdMs }) => `${command}, ${input}: ${holdMs}`),
    [],
  );
});
