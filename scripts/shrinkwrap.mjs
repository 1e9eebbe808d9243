// Puts the lock file into the package, under the one name that npm obeys in a package that is installed: whoever
// installs the program gets the versions that it was tested with, those of its dependencies' dependencies too.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));

if (process.argv[2] === "remove") rmSync(path("npm-shrinkwrap.json"), { force: true });
else {
  const lock = JSON.parse(readFileSync(path("package-lock.json"), "utf8"));
  // Tools for development are not installed with the program.
  const packages = Object.entries(lock.packages).filter(([, entry]) => !entry.dev);
  const { devDependencies: _, ...root } = lock.packages[""];
  const text = JSON.stringify({ ...lock, packages: { ...Object.fromEntries(packages), "": root } }, null, 2);
  writeFileSync(path("npm-shrinkwrap.json"), `${text}\n`);
}
