import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startApi } from "../support/api.ts";
import { Driver } from "./driver-process.ts";
import { SCENARIOS } from "./scenarios.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const run = promisify(execFile);
const folder = await mkdtemp(join(tmpdir(), "rollbook-clients-"));
after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
const api = await startApi();
const project = await installClient();
const hasPython =
  spawnSync("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 11))"]).status === 0;
const PYTHON_ENVIRONMENT = { PYTHONPATH: join(ROOT, "packages/python/src"), PYTHONDONTWRITEBYTECODE: "1" };

const LANGUAGES = [
  {
    language: "TypeScript",
    command: [process.execPath, join(project, "driver.js")],
    environment: {},
    isThere: true,
  },
  {
    language: "Python",
    command: ["python3", join(ROOT, "test/clients/driver.py")],
    environment: PYTHON_ENVIRONMENT,
    isThere: hasPython,
  },
];

for (const { language, command, environment, isThere } of LANGUAGES) {
  let shared: Driver | undefined;
  after(() => shared?.kill());
  for (const { name, promise, run: play } of SCENARIOS) {
    test(`${name}: ${promise}, in ${language}`, {
      skip: !isThere && "there is no python3 3.11 here",
    }, async (t) => {
      const newDriver = (): Driver => {
        const driver = new Driver(command, environment);
        t.after(() => driver.kill());
        return driver;
      };
      shared ??= new Driver(command, environment);
      await play({ t, api, driver: shared, newDriver, folder });
    });
  }
}

/** Where the scenarios run whole; for the others it is enough that what they are made of is there. */
const RUNTIMES = ["node@20", "node@24"];

test("runtimes: the packed client passes the scenarios on Node 20 and 24, and works on Bun and Deno where they are", async (t) => {
  for (const runtime of RUNTIMES) {
    const program = await obtainNode(runtime);
    if (!program) {
      t.diagnostic(`${runtime} could not be had from the npm registry: not tried.`);
      continue;
    }
    const { stdout } = await run(program, ["--version"]);
    assert.ok(stdout.startsWith(`v${runtime.slice(5)}.`), stdout);
    if (stdout.trim() === process.version) continue;
    const driver = new Driver([program, join(project, "driver.js")], {});
    t.after(() => driver.kill());
    const newDriver = () => new Driver([program, join(project, "driver.js")], {});
    for (const { run: play } of SCENARIOS) await play({ t, api, driver, newDriver, folder });
    t.diagnostic(`${stdout.trim()}: ${SCENARIOS.length} scenarios`);
  }
  for (const [program, ...args] of [["bun"], ["deno", "run", "--allow-all"]]) {
    if (!program || spawnSync(program, ["--version"]).status !== 0) continue;
    const driver = new Driver([program, ...args, join(project, "driver.js")], {});
    t.after(() => driver.kill());
    const studio = await api.newOrganization();
    const { result } = await driver.ask({ baseUrl: api.url, key: studio.key }, "call", {
      name: "getOrganization",
    });
    assert.equal(result.id, studio.id);
    t.diagnostic(`${program}: a request`);
  }
});

test("no_dependencies: installed, either client is one package", async (t) => {
  const installed = await readdir(join(project, "node_modules"), { withFileTypes: true });
  assert.deepEqual(
    installed.filter((entry) => !entry.name.startsWith(".")).map(({ name }) => name),
    ["@rollbook"],
  );
  assert.deepEqual(await readdir(join(project, "node_modules/@rollbook")), ["client"]);
  const files = await readdir(join(project, "node_modules/@rollbook/client"), { recursive: true });
  assert.deepEqual(
    files.filter((name) => /test|tsconfig|(?<!\.d)\.ts$/.test(name)),
    [],
  );
  const { dependencies } = JSON.parse(await readFile(join(ROOT, "packages/client/package.json"), "utf8"));
  assert.equal(dependencies, undefined);
  const manifest = await readFile(join(ROOT, "packages/python/pyproject.toml"), "utf8");
  assert.match(manifest, /^dependencies = \[\]$/m);
  if (!hasPython) return t.diagnostic("There is no python3 3.11 here: the Python client was not loaded.");
  // Without anything that is installed beside the standard library.
  const load =
    "import sys; sys.path.insert(0, sys.argv[1]); import rollbook_client; print(rollbook_client.__version__)";
  const { stdout } = await run("python3", ["-I", "-S", "-B", "-c", load, PYTHON_ENVIRONMENT.PYTHONPATH]);
  const { version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  assert.equal(stdout.trim(), version);
});

test("the Python client is built and installed by pip, where it is with what it builds by", async (t: TestContext) => {
  const canBuild = spawnSync("python3", ["-c", "import pip, setuptools, wheel"]).status === 0;
  if (!canBuild) return t.skip("pip, setuptools and wheel are not here");
  const source = join(folder, "python");
  cpSync(join(ROOT, "packages/python"), source, { recursive: true });
  const target = join(folder, "site");
  const offline = [
    "--no-build-isolation",
    "--no-deps",
    "--no-index",
    "--quiet",
    "--disable-pip-version-check",
  ];
  await run("python3", [
    "-m",
    "pip",
    "install",
    ...offline,
    "--root-user-action=ignore",
    "--target",
    target,
    source,
  ]);
  const installed = (await readdir(target)).filter((name) => !name.endsWith(".dist-info"));
  assert.deepEqual(installed, ["rollbook_client"]);
  assert.ok(existsSync(join(target, "rollbook_client/py.typed")));
  const load = "import rollbook_client as r; print(r.Client.list_clients_all.__name__)";
  const { stdout } = await run("python3", ["-S", "-c", load], {
    env: { ...process.env, PYTHONPATH: target },
  });
  assert.equal(stdout.trim(), "list_clients_all");
});

/** The client as it is published, in an empty project under strict TypeScript, with the driver compiled against it. */
async function installClient(): Promise<string> {
  const place = join(folder, "project");
  mkdirSync(place);
  // Packed from a copy: its build leaves the checkout as it is.
  const copy = join(folder, "checkout");
  for (const name of ["packages/client", "scripts/build-package.mjs", "tsconfig.json", "package.json"])
    cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  await run("ln", ["-s", join(ROOT, "node_modules"), join(copy, "node_modules")]);
  await run("npm", ["pack", "--silent", "--pack-destination", place], { cwd: join(copy, "packages/client") });
  const [tarball = ""] = await readdir(place);
  writeFileSync(join(place, "package.json"), '{ "private": true, "type": "module" }');
  const quiet = ["--offline", "--no-audit", "--no-fund", "--no-save", "--silent"];
  await run("npm", ["install", ...quiet, join(place, tarball)], { cwd: place });
  cpSync(join(ROOT, "test/clients/driver.ts"), join(place, "driver.ts"));
  writeFileSync(
    join(place, "tsconfig.json"),
    JSON.stringify({
      compilerOptions: {
        target: "es2023",
        module: "nodenext",
        strict: true,
        noUncheckedIndexedAccess: true,
        exactOptionalPropertyTypes: true,
        verbatimModuleSyntax: true,
        // Its declarations are read too.
        skipLibCheck: false,
        types: ["node"],
        typeRoots: [join(ROOT, "node_modules/@types")],
      },
      files: ["driver.ts"],
    }),
  );
  await run(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc"), "-p", place]).catch((error) => {
    throw new Error(`strict TypeScript refuses the installed client:\n${error.stdout}`);
  });
  return place;
}

/** The program of a release of Node that the npm package `node` brings; nothing without a network. */
async function obtainNode(name: string): Promise<string | undefined> {
  const find = ["exec", "--yes", `--package=${name}`, "--", "node", "-p", "process.execPath"];
  const { stdout } = await run("npm", find, { timeout: 120_000 }).catch(() => ({ stdout: "" }));
  return stdout.trim() || undefined;
}
