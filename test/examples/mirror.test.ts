import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startApi } from "../support/api.ts";
import { addLocation, addPlan } from "../support/records.ts";

const api = await startApi();
/** From dist/test/examples/ the checkout is three levels up. */
const MIRROR = fileURLToPath(new URL("../../../examples/mirror/mirror.py", import.meta.url));
const run = promisify(execFile);

const READ = `
import json, sqlite3, sys
for kind, record in sqlite3.connect(sys.argv[1]).execute("select kind, record from records"):
    print(json.dumps([kind, json.loads(record)]))
`;

test("the mirror, killed again and again while others write, holds what the lists have", async () => {
  const folder = await mkdtemp(join(tmpdir(), "rollbook-mirror-"));
  try {
    const studio = await api.newOrganization();
    const locationId = await addLocation(api.db, studio.id);
    await addPlan(api.db, studio.id);
    const file = join(folder, "studio.db");
    const env = { PATH: process.env.PATH, ROLLBOOK_URL: api.url, ROLLBOOK_KEY: studio.key };
    const write = async (round: number) => {
      const body = { contactName: `Ana ${round}`, locationIds: [locationId] };
      const { id } = (await studio.call("POST", "/v1/clients", { body })).body;
      if (round % 3 === 0) await studio.call("DELETE", `/v1/clients/${id}`);
    };
    for (let kill = 0; kill < 3; kill++) {
      const mirror = spawn("python3", [MIRROR, file], { env, stdio: ["ignore", "pipe", "inherit"] });
      const exit = once(mirror, "exit");
      await write(kill);
      // It has applied something, and may be in the middle of the next page.
      await once(mirror.stdout, "data");
      for (let round = 0; round < 5; round++) await write(10 * kill + round);
      mirror.kill("SIGKILL");
      await exit;
    }
    await run("python3", [MIRROR, file, "--once"], { env });

    const { stdout } = await run("python3", ["-c", READ, file]);
    const mirrored: [string, { id: string }][] = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    for (const [path, kind] of [
      ["clients", "client"],
      ["plans", "plan"],
      ["locations", "location"],
    ] as const) {
      const answer = await studio.call("GET", `/v1/${path}`, { headers: { accept: "application/x-ndjson" } });
      const listed: { id: string }[] = answer.text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
      const own = mirrored.flatMap(([name, record]) => (name === kind ? [record] : []));
      const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
      assert.deepEqual(own.sort(byId), listed.sort(byId));
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
