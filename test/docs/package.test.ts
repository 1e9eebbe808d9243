import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { programVersion } from "../../src/process/config.ts";
import { newDirectory } from "../support/processes.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** What the package has, and what it must not have. */
const COPIED = [
  "dist",
  "scripts",
  "docs",
  "deploy",
  "src",
  "console",
  "examples",
  "test",
  "bench",
  "openapi.json",
  "LICENSE",
  "README.md",
];

// `npm run package` installs and runs it; here only what is in it.
test("the package has the program and its documents, no tests and no sources", async (t) => {
  // A copy that bundles no dependencies: npm would compress them all to list them.
  const copy = await newDirectory(t);
  for (const name of COPIED) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  const { bundleDependencies: _, ...manifest } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  writeFileSync(join(copy, "package.json"), JSON.stringify(manifest));
  const packed: unknown = JSON.parse(
    execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
      cwd: copy,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }),
  );
  const [found] = (Array.isArray(packed) ? packed : Object.values(packed as object)) as {
    files: { path: string }[];
  }[];
  const files = found?.files.map(({ path }) => path) ?? [];
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

test("the version of the program is the same wherever it stands", () => {
  const read = (name: string) => readFileSync(join(ROOT, name), "utf8");
  const lock = JSON.parse(read("package-lock.json"));
  const places = {
    "package-lock.json": lock.version,
    "package-lock.json, packages": lock.packages[""].version,
    "openapi.json": JSON.parse(read("openapi.json")).info.version,
    "CHANGELOG.md": /^## (\S+)/m.exec(read("CHANGELOG.md"))?.[1],
    "rollbook --version": programVersion(),
  };
  const { version } = JSON.parse(read("package.json"));
  for (const [place, said] of Object.entries(places)) assert.equal(said, version, place);
});
