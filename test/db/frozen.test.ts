import assert from "node:assert/strict";
import { after, test } from "node:test";
import { openDatabase } from "../../src/db/open-database.ts";
import { pooled, read } from "../../src/db/statements.ts";
import { openTestStore } from "../support/store.ts";

const store = await openTestStore();
after(() => store.close());

for (const [lane, make] of Object.entries({ pipelined: read, pooled })) {
  test(`a ${lane} connection that is open and never answers is given up, and the next request has another`, {
    skip: process.platform === "win32",
  }, async (t) => {
    const { connection } = store;
    const db = openDatabase({
      connection,
      applicationName: "test",
      pipelines: 1,
      poolSize: 1,
      statementTimeoutMs: 100,
    });
    const statement = make(`test_backend_${lane}`, "select pg_backend_pid() as pid");
    const pidOf = async () => (await db.query<{ pid: number }>(statement))[0]?.pid ?? 0;
    const frozen = await pidOf();
    process.kill(frozen, "SIGSTOP");
    t.after(async () => {
      process.kill(frozen, "SIGCONT");
      await db.close();
    });
    await assert.rejects(pidOf(), { kind: "unavailable" });
    assert.notEqual(await pidOf(), frozen);
  });
}
