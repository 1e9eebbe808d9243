// Compiles the TypeScript sources into dist/. `node scripts/build.mjs` always builds;
// `buildIfStale()` builds only when a source is newer than the last build.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, "dist");
const stamp = join(dist, ".built");

export function build() {
  const fresh = `${dist}.${process.pid}`;
  const compiled = spawnSync(process.execPath, [compiler(), "-p", root, "--outDir", fresh], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (compiled.status !== 0) {
    rmSync(fresh, { recursive: true, force: true });
    return false;
  }
  cpSync(join(root, "src/db/migrations"), join(fresh, "src/db/migrations"), { recursive: true });
  writeFileSync(join(fresh, ".built"), "");
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

export function buildIfStale() {
  const built = existsSync(stamp) ? statSync(stamp).mtimeMs : 0;
  const sources = ["src", "test", "bench", "tsconfig.json", "package.json"].map((name) => join(root, name));
  return sources.some((path) => existsSync(path) && newest(path) > built) ? build() : true;
}

function compiler() {
  try {
    return join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");
  } catch {
    console.error("rollbook: not built yet, and the compiler is not installed. Run: npm ci");
    process.exit(1);
  }
}

function newest(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return readdirSync(path).reduce((latest, name) => Math.max(latest, newest(join(path, name))), stat.mtimeMs);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exit(build() ? 0 : 1);
