// `npm test`: lint, types, rules, and all that one process with one PostgreSQL can show over HTTP. `npm run test:system`: what
// needs processes, kills, several nodes, packages or a browser. With a word, only the test files of both whose path has it.
import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, checkTypes } from "./build.mjs";
import { keepCompiled, writeInFewFiles, writeProgram } from "./few-files.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const SYSTEM = "--system";
const isSystem = process.argv.includes(SYSTEM);
const wanted = process.argv.slice(2).filter((word) => word !== SYSTEM);

const begun = { at: performance.now(), cores: cpus() };
// Beside the build and the making of the databases, which keep one core busy half the time.
const checks = Promise.all([lint(), checkTypes()]);
if (!(await build())) await fail("The build failed.");

const files = readdirSync(join(root, "dist"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".test.js"))
  .filter((file) =>
    wanted.length === 0
      ? needsSystem(join(root, "dist", file)) === isSystem
      : wanted.some((part) => file.includes(part)),
  )
  .sort()
  .map((file) => join("dist", file));
if (files.length === 0) await fail("No test file matches.");

/**
 * The longest, each in a process of its own and begun early: one that begins last goes on alone. What `npm test` prints
 * at its end says which they are.
 */
const LONG = [
  "test/crash/crash",
  "test/process/serve.",
  "test/process/workers",
  "test/process/servers",
  "test/process/org-move",
  "test/db/embedded",
  "test/demo/",
  "test/api/docs-page",
  "test/examples/",
  "test/backup/",
  "test/docs/package",
  "test/docs/readme",
  "test/security/injection",
  "test/api/search-plans",
  "test/api/stale-statistics",
  "test/console/screens",
];
/** What a file says that measures or changes its process, or reads the time in ids: it has one to itself. */
const NEEDS_A_PROCESS =
  /timeOfId|memoryUsage|cpuUsage|mock\.(timers|method)|process\.(chdir|umask|on|once)\(|process\.env\S* = |setFlags/;
/** They share a browser. */
const IN_A_BROWSER = /startConsole/;
/** Ids of a process never go back: after a server ahead of its time they are of that time, so such files keep together. */
const MOVES_THE_CLOCK = /clockOffsetMs/;
/** They measure how long others wait, so they come last and one at a time. */
const NEEDS_QUIET = [
  "test/security/loop-holds",
  "test/security/slow-transfers",
  "test/security/strings",
  "test/security/unauthorized",
];
const FILES_A_PROCESS = 12;
// Many tests wait for a process, a signal or a clock, and some keep more than one core busy.
const AT_ONCE = availableParallelism() + 1;
/** Longer than all tests together: a process that takes as long hangs. */
const HANGS_MS = 25 * 60_000;

const IN_MEMORY = "/dev/shm";
/** Five times what the data of a run takes: its processes need memory too. */
const ROOM_BYTES = 12 * 1024 ** 3;

const inMemory = !process.env.TMPDIR && hasRoomInMemory() ? makeFolderInMemory() : undefined;
if (inMemory) process.env.TMPDIR = inMemory;
// All test files share one PostgreSQL; each test makes its own organization in it.
const dataDir = mkdtempSync(join(tmpdir(), "rollbook-test-"));
const templates = mkdtempSync(join(tmpdir(), "rollbook-template-"));
chmodSync(templates, 0o755);
const template = join(templates, "data");
const { openStore } = await import("../dist/src/process/store.js");
const { migrate } = await import("../dist/src/db/migrate.js");
const { copyData } = await import("../dist/test/support/template.js");
const { makeMigratedTemplate } = await import("../dist/test/support/databases.js");
const { startSharedServer } = await import("../dist/test/support/shared-server.js");
const place = { dataDir, databaseUrl: undefined, keySecret: undefined };
// Tests that need a PostgreSQL of their own begin with a copy of the empty one.
const empty = await openStore(place);
await migrate(empty.connection);
await empty.close();
await copyData(dataDir, template);
await startSharedServer(dataDir);
const store = await openStore(place);
await makeMigratedTemplate(store);
// Made before the first key, as by a server's first start.
await store.keySecret();
// Not worth its second for a few files.
const isWhole = files.length > FILES_A_PROCESS;
const PROGRAM_FOLDER = "dist/test/program/";
const TESTS_FOLDER = isWhole ? "dist/test/bundled/" : "dist/";
const [program] = isWhole
  ? await Promise.all([
      writeProgram(root, PROGRAM_FOLDER),
      writeInFewFiles(root, ["dist/test/support/files.js", ...files], TESTS_FOLDER),
    ])
  : [];
let status = 1;
try {
  if (program) await keepCompiled(program, { DATA_DIR: dataDir });
  const reporters = ["spec", pathToFileURL(join(root, "scripts/slowest.mjs")).href].flatMap((name) => [
    `--test-reporter=${name}`,
    "--test-reporter-destination=stdout",
  ]);
  const runGroups = (groups, atOnce) =>
    run(
      process.execPath,
      ["--test", `--test-concurrency=${atOnce}`, `--test-timeout=${HANGS_MS}`, ...reporters, ...groups],
      {
        ...process.env,
        ROLLBOOK_TEST_DATA: dataDir,
        ROLLBOOK_TEST_TEMPLATE: template,
        ...(program && { ROLLBOOK_TEST_PROGRAM: program }),
      },
    );
  const isQuiet = (file) => NEEDS_QUIET.some((part) => file.includes(part));
  const passes = [
    { some: files.filter((file) => !isQuiet(file)), atOnce: AT_ONCE },
    { some: files.filter(isQuiet), atOnce: 1 },
  ].filter(({ some }) => some.length > 0);
  // What is wrong with lint or types has been said.
  if ((await checks).every(Boolean))
    status = Math.max(...passes.map(({ some, atOnce }) => runGroups(writeGroups(some), atOnce)));
} finally {
  await store.close();
  for (const directory of [dataDir, templates, ...(inMemory ? [inMemory] : [])])
    rmSync(directory, { recursive: true, force: true });
}
if (isWhole) console.log(describeUse());
process.exit(status);

/** Whether a test file, or what it imports, starts processes or a browser. */
function needsSystem(file, seen = new Set()) {
  if (seen.has(file)) return false;
  seen.add(file);
  const text = readFileSync(file, "utf8");
  if (/from "(node:child_process|playwright-core)"/.test(text)) return true;
  return [...text.matchAll(/^(?:import|export)\b[^;"]* from "(\.[^"]+)"/gm)]
    .map(([, path]) => join(dirname(file), path))
    .some((path) => path.includes("/dist/test/") && needsSystem(path, seen));
}

/** Whoever makes the tests faster wants to know whether they wait or work. Other work on the machine counts as well. */
function describeUse() {
  const sum = (all, of) => all.reduce((total, { times }) => total + of(times), 0);
  const all = ({ user, nice, sys, idle, irq }) => user + nice + sys + idle + irq;
  const now = cpus();
  const spent = (of) => sum(now, of) - sum(begun.cores, of);
  const busy = 1 - spent(({ idle }) => idle) / spent(all);
  const seconds = Math.round((performance.now() - begun.at) / 1000);
  return `\n${seconds} s, in which the ${now.length} cores of this machine were ${Math.round(busy * 100)} % busy.`;
}

/**
 * Whether the data of a run may lie in memory. It is some hundred databases of a thousand files each: to make and delete
 * them on a disk is a twentieth of all the work of a run.
 */
function hasRoomInMemory() {
  try {
    const mount = readFileSync("/proc/mounts", "utf8").match(/^tmpfs \/dev\/shm tmpfs (\S+)/m);
    const available = readFileSync("/proc/meminfo", "utf8").match(/^MemAvailable: +(\d+) kB/m);
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    const free = Math.min(bavail * bsize, Number(available?.[1] ?? 0) * 1024);
    return mount !== null && !mount[1].split(",").includes("noexec") && free > ROOM_BYTES;
  } catch {
    // Not a Linux.
    return false;
  }
}

/** One for all that a run makes, named after its process. What runs left that were killed would keep its memory: it goes. */
function makeFolderInMemory() {
  const name = "rollbook-run-";
  for (const file of readdirSync(IN_MEMORY).filter((one) => one.startsWith(name))) {
    const owner = file.slice(name.length);
    if (!existsSync(`/proc/${owner}`)) removeIfOurs(join(IN_MEMORY, file));
  }
  const folder = join(IN_MEMORY, name + process.pid);
  mkdirSync(folder);
  // PostgreSQL runs under another account if we are root.
  chmodSync(folder, 0o1777);
  return folder;
}

function removeIfOurs(folder) {
  for (const path of [...readdirSync(folder).map((name) => join(folder, name)), folder]) {
    try {
      rmSync(path, { recursive: true, force: true });
    } catch {
      // Somebody else's, or a disk that a killed test has left mounted.
    }
  }
}

/** Not before the checks have ended: they would go on without anybody. */
async function fail(sentence) {
  await checks;
  console.error(sentence);
  process.exit(1);
}

function lint() {
  const biome = join(root, "node_modules/@biomejs/biome/bin/biome");
  return new Promise((resolve) => {
    spawn(process.execPath, [biome, "check", "."], { cwd: root, stdio: ["ignore", "inherit", "inherit"] })
      .once("error", () => resolve(false))
      .once("exit", (code) => resolve(code === 0));
  });
}

/**
 * Writes a file for each process, which runs its test files one after the other: to load the program takes longer than
 * most of them run. Those that stand next to each other are spread over the processes, as they tend to take equally long.
 */
function writeGroups(all) {
  const placeOf = (file) => LONG.findIndex((part) => file.includes(part));
  const long = all.filter((file) => placeOf(file) >= 0).sort((a, b) => placeOf(a) - placeOf(b));
  const [alone, inBrowser, moving, shared] = [[], [], [], []];
  for (const file of all.filter((one) => !long.includes(one))) {
    const text = readFileSync(join(root, file), "utf8");
    const kinds = [
      [NEEDS_A_PROCESS, alone],
      [IN_A_BROWSER, inBrowser],
      [MOVES_THE_CLOCK, moving],
    ];
    const [, group] = kinds.find(([words]) => words.test(text)) ?? [undefined, shared];
    group.push(file);
  }
  const folder = join(root, "dist/test/groups");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // Named in the order in which they begin. The long ones wait most of their time, the groups of many files work: in turns.
  const groups = [
    ...takeTurns(long.map(only), [inBrowser, moving, shared].flatMap(spread)),
    ...alone.map(only),
  ];
  return groups.map((group, index) => {
    const path = join(folder, `${String(index).padStart(3, "0")}.js`);
    const list = JSON.stringify(group, null, 2);
    const isMeasured = alone.some((file) => group.includes(file));
    const from = JSON.stringify(`../../../${TESTS_FOLDER}test/support/files.js`);
    const text = `import { runFiles } from ${from};\n\nawait runFiles(${list}, "${TESTS_FOLDER}", { isMeasured: ${isMeasured} });\n`;
    writeFileSync(path, text);
    return path;
  });
}

function spread(files) {
  const processes = Math.ceil(files.length / FILES_A_PROCESS);
  return Array.from({ length: processes }, (_, place) =>
    files.filter((_file, index) => index % processes === place),
  );
}

function takeTurns(one, other) {
  const turns = Math.max(one.length, other.length);
  return Array.from({ length: turns }, (_, turn) => [one[turn], other[turn]])
    .flat()
    .filter(Boolean);
}

function only(file) {
  return [file];
}

function run(command, args, env = process.env) {
  return spawnSync(command, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"], env }).status ?? 1;
}
