// `npm test` on the releases of Node that are maintained, which the npm package `node` brings: `npm run test:runtimes`.
// With numbers, those releases alone, with words, those tests: `npm run test:runtimes -- 24 recurrence`.
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const RELEASES = ["22", "24", "26"];

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const given = process.argv.slice(2);
const releases = given.filter((word) => /^\d+$/.test(word));
const words = given.filter((word) => !releases.includes(word));
const results = (releases.length > 0 ? releases : RELEASES).map((release) => {
  const command = [
    "exec",
    "--yes",
    `--package=node@${release}`,
    "--",
    "node",
    join(root, "scripts/test.mjs"),
    ...words,
  ];
  const { status } = spawnSync("npm", command, { cwd: root, stdio: "inherit" });
  return { release, isGood: status === 0 };
});
for (const { release, isGood } of results) console.log(`Node ${release}: ${isGood ? "passes" : "fails"}`);
process.exit(results.every(({ isGood }) => isGood) ? 0 : 1);
