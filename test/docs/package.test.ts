import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

// `npm run package` installs and runs it; here only what is in it.
test("the package has the program and its documents, no tests and no sources", () => {
  const packed: unknown = JSON.parse(
    execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
      cwd: ROOT,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }),
  );
  const [found] = (Array.isArray(packed) ? packed : Object.values(packed as object)) as {
    files: { path: string }[];
  }[];
  const files =
    found?.files.map(({ path }) => path).filter((path) => !path.startsWith("node_modules/")) ?? [];
  const isLoaded = (path: string) => files.includes(path);
  assert.deepEqual(
    files.filter((path) => /\.test\.|(^|\/)(test|bench)\/|\.ts$/.test(path)),
    [],
  );
  for (const path of [
    "package.json",
    "LICENSE",
    "scripts/rollbook.mjs",
    "dist/src/main.js",
    "dist/src/db/migrations/0001-organizations-and-keys.sql",
    "dist/src/process/watchdog-thread.js",
    "docs/guides/production.md",
    "deploy/systemd/rollbook.service",
  ])
    assert.ok(isLoaded(path), `${path} is not in the package`);
});

test("every dependency has one exact version or is in the package, and the lock file names no registry", () => {
  const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Record<
    string,
    Record<string, string>
  >;
  for (const kind of ["dependencies", "optionalDependencies", "devDependencies"])
    for (const [name, version] of Object.entries(manifest[kind] ?? {}))
      assert.match(version, /^\d+\.\d+\.\d+(-[\w.]+)?$/, name);
  // With what they depend on themselves: npm obeys no lock file of a package that it installs.
  assert.deepEqual(manifest.bundleDependencies, Object.keys(manifest.dependencies ?? {}));
  assert.doesNotMatch(readFileSync(join(ROOT, "package-lock.json"), "utf8"), /"resolved"/);
});
