import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { newDirectory } from "../support/processes.ts";
import { KEY, startStandIn } from "./stand-in.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const run = promisify(execFile);

/** How a program ended, whatever its exit code. */
function ended(running: Promise<{ stdout: string; stderr: string }>) {
  return running.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
}

/** As it is installed: it finds the kit beside itself. */
function rollbook(args: readonly string[], environment: NodeJS.ProcessEnv = {}) {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...environment };
  return ended(run(process.execPath, [join(ROOT, "dist/src/main.js"), ...args], { env }));
}

test("the packed kit is installed in an empty project, and its command ends with 0, 1 or 2", async (t) => {
  const folder = await newDirectory(t);
  // Packed from a copy: its build leaves the checkout as it is.
  const copy = join(folder, "checkout");
  for (const name of ["packages/conformance", "scripts/build-package.mjs", "tsconfig.json", "package.json"])
    cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  const project = join(folder, "project");
  mkdirSync(project);
  await run("npm", ["pack", "--silent", "--pack-destination", project], {
    cwd: join(copy, "packages/conformance"),
  });
  const [tarball = ""] = await readdir(project);
  writeFileSync(join(project, "package.json"), '{ "private": true, "type": "module" }');
  const quiet = ["--offline", "--no-audit", "--no-fund", "--no-save", "--silent"];
  await run("npm", ["install", ...quiet, join(project, tarball)], { cwd: project });
  const installed = await readdir(join(project, "node_modules"));
  assert.deepEqual(
    installed.filter((name) => !name.startsWith(".")),
    ["@rollbook"],
  );
  const command = join(project, "node_modules/.bin/rollbook-conformance");
  const environment = { PATH: process.env.PATH, ROLLBOOK_KEY: KEY };
  const check = (args: readonly string[], env: NodeJS.ProcessEnv = environment) =>
    ended(run(command, [...args], { cwd: project, env }));

  const right = await startStandIn();
  t.after(() => right.close());
  const junit = join(project, "report.xml");
  const passed = await check(["--url", right.url, "--check", "plans.", "--junit", junit]);
  assert.deepEqual([passed.code, passed.stderr], [0, ""], passed.stdout);
  assert.match(passed.stdout, /checks passed, 0 failed/);
  assert.match(readFileSync(junit, "utf8"), /^<\?xml .*\n<testsuites name="conformance"/);
  const wrong = await startStandIn("total of the page");
  t.after(() => wrong.close());
  const failed = await check(["--url", wrong.url, "--check", "clients.paging", "--json"]);
  assert.equal(failed.code, 1);
  assert.equal(JSON.parse(failed.stdout).results[0].outcome, "failed");
  assert.equal((await check(["--url", right.url], { PATH: process.env.PATH })).code, 2);
  assert.equal((await check(["--url", right.url, "--only", "nothing"])).code, 2);
});

test("rollbook conformance checks any server, and says by its exit code how it went", async (t) => {
  const right = await startStandIn();
  t.after(() => right.close());
  const flags = ["--url", right.url, "--key", KEY];
  const passed = await rollbook(["conformance", ...flags, "--check", "organization."]);
  assert.deepEqual([passed.code, passed.stderr], [0, ""], passed.stderr);
  assert.match(passed.stdout, /1 checks passed, 0 failed/);
  const wrong = await startStandIn("zone as an offset");
  t.after(() => wrong.close());
  const args = ["conformance", "--url", wrong.url, "--check", "organization.", "--json"];
  const failed = await rollbook(args, { ROLLBOOK_KEY: KEY });
  assert.equal(failed.code, 1);
  assert.equal(JSON.parse(failed.stdout).failed, 1);
  const unknown = await rollbook(["conformance", "--url", right.url, "--key", "wrong"]);
  assert.deepEqual([unknown.code, unknown.stdout], [2, ""]);
  assert.match(unknown.stderr, /does not know the key/);
});
