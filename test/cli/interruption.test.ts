import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, describe, test } from "node:test";
import pg from "pg";
import { openDatabase } from "../../src/db/open-database.ts";
import { refreshInstants } from "../../src/domain/calendar/refresh.ts";
import { createOrganization } from "../../src/domain/organizations/operations.ts";
import { newMigratedDatabase } from "../support/databases.ts";
import { until } from "../support/poll.ts";
import { later, newDirectory, rollbook, startProgram } from "../support/processes.ts";
import { PROGRAM } from "../support/program.ts";
import { openTestStore } from "../support/store.ts";

const store = await openTestStore();
const own = await newMigratedDatabase(store);
const db = openDatabase({ connection: own.connection, applicationName: "test" });
await refreshInstants(db);
const details = { name: "Studio", timezone: "America/Sao_Paulo", currency: "BRL", plan: "Pro" } as const;
const { id: org } = await createOrganization(db, "test", details);
const { id: small } = await createOrganization(db, "test", details);
// Little to store and much to write out: whoever copies them is busy with it for a while.
await own.query(
  `insert into clients (organization_id, id, status, contact_name, notes, search)
   select $1, gen_random_uuid(), 'active', 'Maria', repeat('x', 10000), 'maria' from generate_series(1, 10000)`,
  [org],
);
const environment = { DATABASE_URL: own.url, KEY_SECRET: await store.keySecret() };
after(async () => {
  await db.close();
  await store.close();
});

const CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129, SIGQUIT: 131 } as const;

/** The process ids of the backends that do this, and that the command has got so far. */
async function backends(application: string, condition: string): Promise<number[]> {
  const rows = await own.query<{ pid: number }>(
    `select pid from pg_stat_activity
     where datname = current_database() and application_name = $1 and ${condition}`,
    [application],
  );
  return rows.map(({ pid }) => pid);
}

const copying = () => backends("rollbook backup", `query like 'copy "clients"%'`);

/** A backup that is under way. What PostgreSQL still does for the one before, which is gone, would be taken for it. */
async function startBackup(file: string) {
  await until("nobody copies", async () => (await copying()).length === 0);
  const running = startProgram(["backup", file], environment);
  await until("it copies", async () => (await copying()).length > 0);
  return running;
}

// One after the other: they look at each other's database.
describe("a command that is stopped half-way", { skip: process.platform === "win32" }, () => {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const) {
    test(`${signal} in the middle of a backup leaves nothing of it, and the exit code says so`, async (t) => {
      const folder = await newDirectory(t);
      const running = await startBackup(join(folder, "a.backup"));
      running.child.kill(signal);
      const { code, stderr } = await running.ended;
      assert.deepEqual([code, stderr], [CODES[signal], "rollbook: Interrupted. No backup was written.\n"]);
      assert.deepEqual(await readdir(folder), []);
    });
  }

  test("a backup whose connection is lost leaves nothing, and says why", async (t) => {
    const folder = await newDirectory(t);
    const running = await startBackup(join(folder, "lost.backup"));
    for (const pid of await copying()) await own.query("select pg_terminate_backend($1)", [pid]);
    const { code, stderr } = await running.ended;
    const sentence = "rollbook: The connection to the database was lost. No backup was written.\n";
    assert.deepEqual([code, stderr], [1, sentence]);
    assert.deepEqual(await readdir(folder), []);
  });

  test("a signal reaches an export that waits for the database; a second one is the same wish", async (t) => {
    const folder = await newDirectory(t);
    const holder = new pg.Client(own.connection);
    await holder.connect();
    later(t, () => holder.end());
    await holder.query("begin; lock table sessions");
    const waiting = () => backends("rollbook export", "wait_event_type = 'Lock'");
    for (const signals of [["SIGTERM"], ["SIGINT", "SIGINT"]] as const) {
      const running = startProgram(
        ["export", "--org", small, "--out", join(folder, "a.ndjson")],
        environment,
      );
      await until("it waits", async () => (await waiting()).length > 0);
      const [draft = ""] = await readdir(folder);
      assert.match(draft, /^a\.ndjson\..*\.part$/);
      assert.ok((await stat(join(folder, draft))).size > 0, "it has written people's data");
      for (const signal of signals) running.child.kill(signal);
      const { code, stdout } = await running.ended;
      assert.deepEqual([code, stdout], [CODES[signals[0]], ""]);
      assert.deepEqual(await readdir(folder), []);
      for (const pid of await waiting()) await own.query("select pg_terminate_backend($1)", [pid]);
    }
  });

  test("a file that cannot be written to its end is one sentence, leaves nothing of it, and imports nobody", async (t) => {
    const folder = await newDirectory(t);
    const sheet = join(folder, "list.csv");
    const rows = Array.from({ length: 3000 }, (_, row) =>
      row % 2 ? `Ana ${row},bad` : `Bia ${row},b${row}@example.com`,
    );
    await writeFile(sheet, `Name,E-mail\n${rows.join("\n")}\n`);
    const create = ["org", "create", "--name", "A", "--timezone", "UTC", "--currency", "BRL"];
    const { id } = JSON.parse(
      (await rollbook([...create, "--location", "Centro", "--json"], environment)).stdout,
    );
    const target = join(folder, "target");
    for (const command of [
      ["backup", target],
      ["export", "--org", org, "--out", target],
      ["import", sheet, "--org", id, "--strict", "--skip-faulty", "--rejected", target],
    ]) {
      // 16 kB: as a disk that is full, but for this process alone.
      const script = 'ulimit -f 32; exec "$@"';
      const child = spawn("sh", ["-c", script, "sh", process.execPath, PROGRAM, ...command], {
        env: { PATH: process.env.PATH, ...environment },
        stdio: ["ignore", "pipe", "pipe"],
      });
      const [stdout, stderr, [code]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, "close"),
      ]);
      const sentence = `rollbook: ${target} cannot be used: it would be larger than a file may be here.\n`;
      assert.deepEqual([code, stdout, stderr], [1, "", sentence], command.join(" "));
      assert.deepEqual(await readdir(folder), ["list.csv"]);
    }
    const [stored] = await own.query(
      "select count(*)::int as clients from clients where organization_id = $1",
      [id],
    );
    assert.deepEqual(stored, { clients: 0 });
  });

  test("what a killed backup left is removed by the next one to the same file", async (t) => {
    const folder = await newDirectory(t);
    const file = join(folder, "a.backup");
    const running = await startBackup(file);
    running.child.kill("SIGKILL");
    await running.ended;
    assert.match((await readdir(folder)).join(), /^a\.backup\..*\.part$/);
    assert.equal((await rollbook(["backup", file], environment)).code, 0);
    assert.deepEqual(await readdir(folder), ["a.backup"]);
  });

  test("Ctrl-C in an import writes nothing and stops the built-in PostgreSQL", async (t) => {
    const DATA_DIR = join(await newDirectory(t), "data");
    const create = ["org", "create", "--name", "A", "--timezone", "UTC", "--currency", "BRL", "--json"];
    const { id } = JSON.parse((await rollbook(create, { DATA_DIR })).stdout);
    const child = spawn(process.execPath, [PROGRAM, "import", "-", "--org", id], {
      env: { PATH: process.env.PATH, DATA_DIR },
      stdio: ["pipe", "ignore", "pipe"],
    });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    child.stdin.on("error", () => {});
    // More than is looked at to find out the format.
    const line = `{"kind":"location","name":"Centro","status":"active","timezone":"UTC"}\n`;
    child.stdin.write(line.repeat(5000));
    const importing = `select 1 from pg_stat_activity where application_name = 'rollbook import'`;
    await until("it imports", async () => {
      const connection = { host: join(DATA_DIR, "postgres"), user: "rollbook", database: "rollbook" };
      const client = new pg.Client(connection);
      try {
        await client.connect();
        return ((await client.query(importing)).rowCount ?? 0) > 0;
      } catch {
        return false;
      } finally {
        await client.end().catch(() => {});
      }
    });
    child.kill("SIGINT");
    const [code] = await once(child, "close");
    assert.deepEqual([code, stderr], [130, "rollbook: Interrupted. Nothing was imported.\n"]);
    assert.ok(!existsSync(join(DATA_DIR, "postgres", "postmaster.pid")), "PostgreSQL was left running");
    const { stdout } = await rollbook(["location", "list", "--org", id], { DATA_DIR });
    assert.equal(stdout, "No locations yet.\n");
  });
});
