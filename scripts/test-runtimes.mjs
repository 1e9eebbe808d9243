// `npm test` on the releases of Node that are maintained, which the npm package `node` brings: `npm run test:runtimes`.
// With words, those releases alone: `npm run test:runtimes -- 24`.
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const RELEASES = ["22", "24", "26"];

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const wanted = process.argv.slice(2);
const results = (wanted.length > 0 ? wanted : RELEASES).map((release) => {
  const command = [
    "exec",
    "--yes",
    `--package=node@${release}`,
    "--",
    "node",
    join(root, "scripts/test.mjs"),
  ];
  const { status } = spawnSync("npm", command, { cwd: root, stdio: "inherit" });
  return { release, isGood: status === 0 };
});
for (const { release, isGood } of results) console.log(`Node ${release}: ${isGood ? "passes" : "fails"}`);
process.exit(results.every(({ isGood }) => isGood) ? 0 : 1);
