// Builds one of packages/ as it is published: JavaScript and its types. `node scripts/build-package.mjs client`
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [name = ""] = process.argv.slice(2);
const folder = join(root, "packages", name);
const tsc = createRequire(import.meta.url)
  .resolve("typescript/package.json")
  .replace(/package\.json$/, "bin/tsc");

rmSync(join(folder, "dist"), { recursive: true, force: true });
const { status } = spawnSync(process.execPath, [tsc, "-p", join(folder, "tsconfig.json")], {
  stdio: "inherit",
});
process.exit(status ?? 1);
