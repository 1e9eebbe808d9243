// Holds the published document against linters, generators and validators that others use: `npm run lint-openapi`.
// They are heavy, so they are no dependencies of the project: this installs them apart, once for each lock file.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildIfStale } from "./build.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const source = join(root, "test/lint-openapi");
const tools = join(root, "node_modules/.cache/rollbook-lint-openapi");

if (!(await buildIfStale())) process.exit(1);
if (!isInstalled()) install();
const { status } = spawnSync(process.execPath, [join(root, "dist/test/lint-openapi/main.js"), tools], {
  stdio: ["ignore", "inherit", "inherit"],
});
process.exit(status ?? 1);

function isInstalled() {
  // Written by npm when it has finished.
  const finished = join(tools, "node_modules/.package-lock.json");
  const lock = join(tools, "package-lock.json");
  if (!existsSync(finished) || !existsSync(lock)) return false;
  return readFileSync(lock, "utf8") === readFileSync(join(source, "package-lock.json"), "utf8");
}

function install() {
  console.log("Installing the linters; this takes a minute or two.");
  mkdirSync(tools, { recursive: true });
  for (const name of ["package.json", "package-lock.json"]) cpSync(join(source, name), join(tools, name));
  const arguments_ = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
  const npm = spawnSync("npm", arguments_, {
    cwd: tools,
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (npm.status !== 0) process.exit(1);
}
