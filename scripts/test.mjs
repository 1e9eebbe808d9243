// The whole check: lint, types, tests. `npm test -- clients` runs only the test files whose path has "clients".
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, checkTypes } from "./build.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const wanted = process.argv.slice(2);

const biome = join(root, "node_modules/@biomejs/biome/bin/biome");
if (run(process.execPath, [biome, "check", "."]) !== 0) process.exit(1);
if (!(await build()) || !(await checkTypes())) process.exit(1);

const files = readdirSync(join(root, "dist"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".test.js"))
  .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
  .sort()
  .map((file) => join("dist", file));
if (files.length === 0) {
  console.error("No test file matches.");
  process.exit(1);
}

/** Tests beside what they test: they have no server and no database. */
const SHARES_A_PROCESS = /^dist\/src\//;
/** What a file that measures or changes its process says: it has one to itself. */
const NEEDS_A_PROCESS = /memoryUsage|cpuUsage|mock\.(timers|method)|process\.(env|chdir|umask|on)\b|setFlags/;
const FILES_A_PROCESS = 8;

// All test files share one PostgreSQL; each test makes its own organization in it.
const dataDir = mkdtempSync(join(tmpdir(), "rollbook-test-"));
const templates = mkdtempSync(join(tmpdir(), "rollbook-template-"));
chmodSync(templates, 0o755);
const template = join(templates, "data");
const { openStore } = await import("../dist/src/process/store.js");
const { migrate } = await import("../dist/src/db/migrate.js");
const { copyData } = await import("../dist/test/support/template.js");
const place = { dataDir, databaseUrl: undefined, keySecret: undefined };
// Tests that need a PostgreSQL of their own begin with a copy of the empty one.
const empty = await openStore(place);
await migrate(empty.connection);
await empty.close();
await copyData(dataDir, template);
const store = await openStore(place);
// Made before the first key, as by a server's first start.
await store.keySecret();
let status = 1;
// Three at a time on two cores: many tests wait for a process, a signal or a clock.
try {
  status = run(
    process.execPath,
    ["--test", "--test-concurrency=3", "--test-reporter=spec", ...grouped(files)],
    {
      ...process.env,
      ROLLBOOK_TEST_DATA: dataDir,
      ROLLBOOK_TEST_TEMPLATE: template,
    },
  );
} finally {
  await store.close();
  for (const directory of [dataDir, templates]) rmSync(directory, { recursive: true, force: true });
}
process.exit(status);

/**
 * To load the program takes longer than most test files run, so several of them share a process. Files that stand next
 * to each other are spread over the processes: they tend to take equally long.
 */
function grouped(all) {
  const groups = join(root, "dist/test/groups");
  rmSync(groups, { recursive: true, force: true });
  mkdirSync(groups, { recursive: true });
  const isShared = (file) =>
    SHARES_A_PROCESS.test(file) && !NEEDS_A_PROCESS.test(readFileSync(join(root, file), "utf8"));
  const shared = all.filter(isShared);
  const processes = Math.ceil(shared.length / FILES_A_PROCESS);
  const written = Array.from({ length: processes }, (_, place) => {
    const imports = shared
      .filter((_file, index) => index % processes === place)
      .map((file) => `import "../../../${file}";\n`);
    const name = join("dist/test/groups", `${place}.js`);
    writeFileSync(join(root, name), imports.join(""));
    return name;
  });
  return [...written, ...all.filter((file) => !isShared(file))];
}

function run(command, args, env = process.env) {
  return spawnSync(command, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"], env }).status ?? 1;
}
