import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { migrate } from "../../src/db/migrate.ts";
import { newDatabase } from "../support/databases.ts";
import { newDirectory } from "../support/processes.ts";
import { openTestStore } from "../support/store.ts";
import { runIn } from "../support/terminal.ts";

const store = await openTestStore();
after(() => store.close());
const healthy = {
  KEY_SECRET: "a secret of more than sixteen letters",
  PUBLIC_URL: "https://api.example.com",
  POOL_SIZE: "4",
};

test("a sound installation has nothing wrong, and the doctor changes nothing", async (t) => {
  const database = await newDatabase(store);
  const backups = await newDirectory(t);
  const environment = { ...healthy, DATABASE_URL: database.url };
  const before = await runIn(environment, "doctor", "--json");
  assert.equal(before.code, 0, before.stdout + before.stderr);
  const { data } = JSON.parse(before.stdout) as { data: { about: string; state: string }[] };
  assert.equal(data.find(({ about }) => about === "Schema")?.state, "warning");
  assert.deepEqual(await database.query("select 1 from pg_tables where schemaname = 'public'"), []);

  await migrate(database.connection);
  assert.match((await runIn(environment, "doctor")).stdout, /^note {3}Backups: The database knows of none/m);
  assert.deepEqual(await database.query("select from facts where name = 'key-secret'"), []);
  assert.equal((await runIn(environment, "backup", join(backups, "tonight.backup"))).code, 0);
  assert.match(
    (await runIn(environment, "doctor")).stdout,
    /^ok {5}Backups: The last was taken 0 h ago; give/m,
  );
  const { code, stdout } = await runIn(environment, "doctor", "--backups", backups);
  assert.equal(code, 0, stdout);
  assert.doesNotMatch(stdout, /^WRONG/m);
  assert.match(stdout, /^ok {5}Database: PostgreSQL \d+/m);
  assert.match(stdout, /^ok {5}Backups: The newest, .*tonight\.backup, is whole and was taken 0 h ago\.$/m);

  await database.query(
    `insert into organization_deletions (id, asked_at, actor, delete_after, status)
     values ('00000000-0000-7000-8000-000000000001', now(), 'operator:ana', now() - interval '7 hours', 'active')`,
  );
  assert.match(
    (await runIn(environment, "doctor")).stdout,
    /^note {3}Deletions: .*-000000000001\. Servers delete/m,
  );

  // The newest counts, whatever its name, but not one that is still being written.
  await writeFile(join(backups, "later.backup.host.1.part"), "half of one");
  assert.equal((await runIn(environment, "doctor", "--backups", backups)).code, 0);
  await writeFile(join(backups, "later.backup"), "no backup at all");
  const damaged = await runIn(environment, "doctor", "--backups", backups);
  assert.equal(damaged.code, 1);
  assert.match(
    damaged.stdout,
    /^WRONG {2}Backups: The newest, .*later\.backup, cannot be restored\. This file is not a Rollbook backup\.$/m,
  );
});

test("what is wrong is said in sentences, with exit code 1, also where nothing can be reached", async (t) => {
  const dataDir = join(await newDirectory(t), "data");
  const empty = await runIn({ DATA_DIR: dataDir }, "doctor");
  assert.equal(empty.code, 1);
  assert.match(empty.stdout, /^WRONG {2}Data directory: .* does not exist/m);
  assert.match(empty.stdout, /^WRONG {2}Database: There is no database in /m);
  assert.equal(empty.stderr, "rollbook: 2 things are wrong.\n");
  assert.ok(!existsSync(dataDir), "the data directory was made");

  await mkdir(dataDir);
  await writeFile(join(dataDir, "key-secret"), "readable by everybody, and long");
  await chmod(join(dataDir, "key-secret"), 0o644);
  assert.match(
    (await runIn({ DATA_DIR: dataDir }, "doctor")).stdout,
    /^WRONG {2}Key secret: Others may read /m,
  );

  const gone = await runIn({ DATABASE_URL: "postgres://me:s3cret@localhost:1/none" }, "doctor", "--json");
  assert.equal(gone.code, 1);
  assert.doesNotMatch(gone.stdout, /s3cret/);
  const { data, wrong } = JSON.parse(gone.stdout) as {
    data: { about: string; sentence: string }[];
    wrong: number;
  };
  assert.equal(wrong, 2);
  assert.match(
    data.find(({ about }) => about === "Database")?.sentence ?? "",
    /nothing listens at localhost:1/,
  );
  assert.match(data.find(({ about }) => about === "Key secret")?.sentence ?? "", /KEY_SECRET is not set/);
});
