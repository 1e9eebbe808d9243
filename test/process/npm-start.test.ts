import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { cp, mkdir, readdir, readFile, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { until } from "../support/poll.ts";
import { later, newDirectory, type Scope } from "../support/processes.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const runFile = promisify(execFile);

/** A checkout whose program is small enough to be built in no time. */
async function newCheckout(t: Scope, { builder = true } = {}): Promise<string> {
  const folder = await newDirectory(t);
  await cp(join(ROOT, "scripts"), join(folder, "scripts"), { recursive: true });
  await cp(join(ROOT, "package.json"), join(folder, "package.json"));
  await mkdir(join(folder, "src/db/migrations"), { recursive: true });
  await writeFile(join(folder, "src/main.ts"), `console.log("one");\n`);
  const options = { module: "nodenext", rootDir: ".", outDir: "dist", skipLibCheck: true, types: [] };
  await writeFile(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions: options, include: ["src"] }),
  );
  await mkdir(join(folder, "console"));
  await writeFile(join(folder, "console/main.tsx"), "export {};\n");
  await writeFile(join(folder, "console/main.css"), "body { margin: 0 }\n");
  await mkdir(join(folder, "node_modules"));
  for (const name of builder ? ["esbuild", "@esbuild", "marked"] : []) {
    if (existsSync(join(ROOT, "node_modules", name)))
      await symlink(join(ROOT, "node_modules", name), join(folder, "node_modules", name));
  }
  return folder;
}

const rollbook = (folder: string) => runFile(process.execPath, [join(folder, "scripts/rollbook.mjs")]);
const builtAt = async (folder: string) => (await stat(join(folder, "dist/src/main.js"))).mtimeMs;

describe("starting from a checkout", { skip: process.platform === "win32" }, () => {
  test("SIGTERM to npm start stops the server cleanly: npm waits for it, PostgreSQL stops, exit 0", async (t) => {
    const folder = await newDirectory(t);
    await cp(join(ROOT, "package.json"), join(folder, "package.json"));
    await symlink(join(ROOT, "scripts"), join(folder, "scripts"));
    const DATA_DIR = join(folder, "data");
    const child = spawn("npm", ["start", "--", "--port", "0", "--no-demo"], {
      cwd: folder,
      env: { ...process.env, DATA_DIR },
      stdio: ["ignore", "pipe", "ignore"],
    });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    const ended = once(child, "close");
    later(t, async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
      await ended;
    });
    await until("it serves", async () => output.includes('"address"'), 60_000);
    child.kill("SIGTERM");
    assert.deepEqual(await ended, [0, null]);
    assert.match(output, /"signal":"SIGTERM","msg":"stopping"/);
    assert.ok(!existsSync(join(DATA_DIR, "postgres", "postmaster.pid")), "PostgreSQL was left running");
  });

  test("the first start says that it builds; the next ones just start, until a source has another content", async (t) => {
    const folder = await newCheckout(t);
    const first = await rollbook(folder);
    assert.deepEqual([first.stdout, first.stderr], ["one\n", "Building Rollbook from its sources ...\n"]);
    const built = await builtAt(folder);

    const source = join(folder, "src/main.ts");
    const later = new Date(Date.now() + 60_000);
    await utimes(source, later, later);
    assert.deepEqual(await rollbook(folder), { stdout: "one\n", stderr: "" });
    assert.equal(await builtAt(folder), built, "a new time alone is no reason to build");

    await writeFile(source, `console.log("two");\n`);
    await utimes(source, later, later);
    assert.equal((await rollbook(folder)).stdout, "two\n");
  });

  test("what is built starts where it cannot be built again, and builds that were killed are swept", async (t) => {
    const folder = await newCheckout(t);
    await mkdir(join(folder, "dist.999999999/src"), { recursive: true });
    await mkdir(join(folder, "dist.999999999.old"));
    await rollbook(folder);
    assert.deepEqual(
      (await readdir(folder)).filter((name) => name.startsWith("dist")),
      ["dist"],
    );

    const pruned = await newCheckout(t, { builder: false });
    await cp(join(folder, "dist"), join(pruned, "dist"), { recursive: true });
    await writeFile(join(pruned, "src/main.ts"), `console.log("changed");\n`);
    assert.deepEqual(await rollbook(pruned), { stdout: "one\n", stderr: "" });

    const bare = await newCheckout(t, { builder: false });
    await assert.rejects(rollbook(bare), /not built yet, and what builds it is not installed\. Run: npm ci/);
  });

  test("npm passes signals to the first program of a script, so no shell may stand between", async () => {
    const { scripts } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
    for (const name of ["start", "rollbook"]) assert.match(scripts[name], /^exec node /);
  });
});
