// Builds dist/ from the TypeScript sources. `node scripts/build.mjs` always builds, and checks the types; `buildIfStale()`
// builds only when a source has another content than the one that was built, and leaves types to the tests.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  accessSync,
  constants,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildConsole } from "./build-console.mjs";
import { transpile } from "./transpile.mjs";

const require = createRequire(import.meta.url);
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, "dist");
const stamp = join(dist, ".built");
/** What is compiled, and what says how. */
const SOURCES = [
  "src",
  "packages",
  "console",
  "test",
  "bench",
  "tsconfig.json",
  // The documentation is made of these.
  "docs",
  "site",
  "openapi.json",
  "CHANGELOG.md",
];

export async function build() {
  if (!canBuild()) {
    console.error("rollbook: not built yet, and what builds it is not installed. Run: npm ci");
    return false;
  }
  removeAbandonedBuilds();
  const fresh = `${dist}.${process.pid}`;
  const digests = digestsOf(SOURCES);
  const built = await Promise.all([
    transpile(root, presentOf(["src", "packages", "test", "bench"]), fresh),
    buildConsole(join(fresh, "console")),
  ]);
  if (built.includes(false)) {
    rmSync(fresh, { recursive: true, force: true });
    return false;
  }
  if (existsSync(join(root, "site"))) {
    // Loaded here, because what an installed package has cannot build.
    const { buildDocs } = await import("./build-docs.mjs");
    await buildDocs(join(fresh, "docs"), fresh);
  }
  cpSync(join(root, "src/db/migrations"), join(fresh, "src/db/migrations"), { recursive: true });
  writeFileSync(join(fresh, ".built"), JSON.stringify(digests));
  // Swapped in whole: a process that starts meanwhile never sees half a build.
  const old = `${fresh}.old`;
  try {
    if (existsSync(dist)) renameSync(dist, old);
    renameSync(fresh, dist);
  } catch (error) {
    // Another process built at the same time and was faster; its build is as good.
    if (!existsSync(stamp)) throw error;
    rmSync(fresh, { recursive: true, force: true });
  }
  rmSync(old, { recursive: true, force: true });
  return true;
}

/** Whether the types of the program, its tests and the console are right; what is wrong is written to standard output. */
export async function checkTypes() {
  const results = await Promise.all([compile("tsconfig.json"), compile("console/tsconfig.json")]);
  return results.every(Boolean);
}

/** What was found stays between runs, so that the next one looks at what changed alone. */
const typesFolder = join(root, "node_modules/.cache/rollbook");

function compile(project) {
  const tsc = require.resolve("typescript/package.json").replace(/package\.json$/, "bin/tsc");
  const kept = join(typesFolder, `${project.replaceAll("/", "-")}.tsbuildinfo`);
  const args = [
    tsc,
    "-p",
    join(root, project),
    "--noEmit",
    // Each thread checks the shared types again: two take twice the work for the same time.
    "--singleThreaded",
    "--incremental",
    "--tsBuildInfoFile",
    kept,
  ];
  return new Promise((resolve) => {
    spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"] })
      .once("error", () => resolve(false))
      .once("exit", (status) => resolve(status === 0));
  });
}

/** Whether dist/ can be used: what is built and cannot be built again, here or by this user, is used as it is. */
export async function buildIfStale(sources = SOURCES) {
  if (existsSync(stamp) && (isFresh(sources) || !canBuild() || !isWritable(root))) return true;
  console.error("Building Rollbook from its sources ...");
  const isBuilt = await build();
  // Its process would stay as long as ours, a server's for months, with 460 MB.
  if (canBuild()) await (await import("esbuild")).stop();
  return isBuilt;
}

/** Times alone decide nothing: a copy or a fresh checkout has new times and the same content. */
function isFresh(sources) {
  const builtMs = statSync(stamp).mtimeMs;
  const present = presentOf(sources).map((name) => join(root, name));
  if (present.every((path) => newest(path) <= builtMs)) return true;
  const built = readStamp();
  const digests = digestsOf(sources);
  if (sources.some((name) => digests[name] !== built[name])) return false;
  try {
    // So that the next start need not read them all again.
    utimesSync(stamp, new Date(), new Date());
  } catch {
    // Somebody else's: it is read again each time.
  }
  return true;
}

function readStamp() {
  try {
    return JSON.parse(readFileSync(stamp, "utf8"));
  } catch {
    return {};
  }
}

function presentOf(names) {
  return names.filter((name) => existsSync(join(root, name)));
}

function digestsOf(names) {
  return Object.fromEntries(names.map((name) => [name, digestOf(join(root, name))]));
}

function digestOf(path) {
  const hash = createHash("sha256");
  const add = (file, name) => {
    if (statSync(file).isDirectory()) {
      for (const entry of readdirSync(file).sort()) add(join(file, entry), `${name}/${entry}`);
    } else hash.update(`${name}\0`).update(readFileSync(file)).update("\0");
  };
  if (existsSync(path)) add(path, basename(path));
  return hash.digest("hex");
}

function newest(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return readdirSync(path).reduce((latest, name) => Math.max(latest, newest(join(path, name))), stat.mtimeMs);
}

/** What builds left that were killed half-way. */
function removeAbandonedBuilds() {
  for (const name of readdirSync(root)) {
    const pid = Number(/^dist\.(\d+)(?:\.old)?$/.exec(name)?.[1]);
    if (pid > 0 && (pid === process.pid || !isAlive(pid)))
      rmSync(join(root, name), { recursive: true, force: true });
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code !== "ESRCH";
  }
}

function isWritable(path) {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** What an installed package does not have. */
function canBuild() {
  try {
    require.resolve("esbuild/package.json");
    require.resolve("marked/package.json");
    return true;
  } catch {
    return false;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [isBuilt, isTyped] = await Promise.all([build(), checkTypes()]);
  process.exit(isBuilt && isTyped ? 0 : 1);
}
