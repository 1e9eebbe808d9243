// Tries the package as its users get it: packs it, installs it under a prefix of its own, and runs the program from
// there as an ordinary user. `npm run package`
import { execFileSync, spawn } from "node:child_process";
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const place = mkdtempSync(join(tmpdir(), "rollbook-package-"));
// What root has installed must run without root's rights.
const isRoot = process.getuid?.() === 0;
const NOBODY = 65534;
const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
const env = { PATH: process.env.PATH, HOME: place, DATA_DIR: join(place, "data") };

try {
  chmodSync(place, 0o755);
  const packed = run("npm", ["pack", "--json", "--pack-destination", place], { cwd: root, env: process.env });
  const [{ filename, files, size }] = parsePacked(packed);
  const own = files.map(({ path }) => path).filter((path) => !path.startsWith("node_modules/"));
  const unwanted = own.filter((path) => /\.test\.|(^|\/)(test|bench)\//.test(path));
  check(unwanted.length === 0, `the package has tests: ${unwanted.slice(0, 3).join(", ")}`);
  const install = [
    "install",
    "--global",
    "--prefix",
    place,
    "--no-audit",
    "--no-fund",
    join(place, filename),
  ];
  run("npm", install, { cwd: place, env: process.env });
  if (isRoot) chownSync(place, NOBODY, NOBODY);

  const installed = join(place, "lib/node_modules/rollbook");
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const others = Object.entries(lock.packages).filter(
    ([path, { dev, optional }]) => path && !dev && !optional,
  );
  for (const [path, { version }] of others) {
    const found = JSON.parse(readFileSync(join(installed, path, "package.json"), "utf8")).version;
    check(found === version, `${path} is ${found}, locked is ${version}`);
  }
  const rollbook = join(place, "bin/rollbook");
  const version = run(rollbook, ["--version"], { cwd: place, env, ...user });
  const server = spawn(rollbook, ["serve", "--port", "0", "--no-demo"], { cwd: place, env, ...user });
  const address = await new Promise((resolve, reject) => {
    let output = "";
    server.stdout.on("data", (chunk) => {
      output += chunk;
      const found = /"address":"([^"]+)"/.exec(output)?.[1];
      if (found) resolve(found);
    });
    server.on("exit", (code) => reject(new Error(`rollbook serve ended with ${code}: ${output}`)));
  });
  const key = JSON.parse(run(rollbook, ["demo", "--json"], { cwd: place, env, ...user })).key;
  const answer = await fetch(`${address}/v1/organization`, { headers: { authorization: `Bearer ${key}` } });
  check(answer.status === 200, `the installed server answered ${answer.status}`);
  const ended = new Promise((resolve) => server.once("exit", resolve));
  server.kill("SIGTERM");
  check((await ended) === 0, "the installed server did not end with 0");
  console.log(
    `${filename}: ${(size / 1e6).toFixed(1)} MB, ${own.length} files of ours, ${others.length} locked versions hold.`,
  );
  console.log(`${version.trim()} served and stopped${isRoot ? ", as nobody" : ""}.`);
} finally {
  rmSync(place, { recursive: true, force: true, maxRetries: 5 });
}

function run(program, args, options) {
  return execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], ...options });
}

/** What the scripts of the package print stands before npm's JSON. */
function parsePacked(text) {
  const found = JSON.parse(text.slice(text.search(/^[[{]/m)));
  return Array.isArray(found) ? found : Object.values(found);
}

function check(isTrue, message) {
  if (!isTrue) throw new Error(message);
}
