import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openDatabase } from "../../src/db/open-database.ts";
import { mintKey } from "../../src/domain/keys/operations.ts";
import { listRequests } from "../../src/domain/keys/request-rows.ts";
import { createOrganization } from "../../src/domain/organizations/operations.ts";
import { until } from "../support/poll.ts";
import { databaseUrl, type RunningServer, serve } from "../support/processes.ts";
import { openIsolatedStore } from "../support/store.ts";

describe("what came with a key, and processes", { skip: process.platform === "win32" }, () => {
  test("a server that stops stores what it has recorded, one that is killed loses the last second at most, workers add up", async (t) => {
    const store = await openIsolatedStore();
    const db = openDatabase({ connection: store.connection, applicationName: "test" });
    t.after(async () => {
      await db.close();
      await store.close();
    });
    const KEY_SECRET = await store.keySecret();
    const details = { name: "Studio", timezone: "America/Sao_Paulo", currency: "BRL", plan: "Pro" } as const;
    const { id } = await createOrganization(db, "test", details);
    const { key, id: keyId } = await mintKey(db, KEY_SECRET, "test", { organizationId: id });
    const environment = { DATABASE_URL: databaseUrl(store.connection), KEY_SECRET, DRAIN_MS: "0" };
    const ask = async ({ url }: RunningServer, requestId: string) => {
      const headers = { authorization: `Bearer ${key}`, "x-request-id": requestId, connection: "close" };
      assert.equal((await fetch(`${url}/v1/organization`, { headers })).status, 200);
    };
    const kept = async () =>
      (await listRequests(db, id, { now: Date.now(), keyId })).data.map(({ requestId }) => requestId).sort();

    const stopped = await serve(t, environment);
    await ask(stopped, "before-stop");
    stopped.child.kill("SIGTERM");
    assert.equal((await stopped.ended).code, 0);
    assert.deepEqual(await kept(), ["before-stop"]);

    const killed = await serve(t, environment, ["--workers", "2"]);
    const ids = Array.from({ length: 12 }, (_, number) => `worker-${String(number).padStart(2, "0")}`);
    for (const one of ids) await ask(killed, one);
    await until("they are stored", async () => (await kept()).length === 1 + ids.length);
    killed.child.kill("SIGKILL");
    await killed.ended;
    const next = await serve(t, environment);
    await ask(next, "next");
    await until("the next one is stored", async () => (await kept()).includes("next"));
    assert.deepEqual(await kept(), ["before-stop", "next", ...ids]);
  });
});
