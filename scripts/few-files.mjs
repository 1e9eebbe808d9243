// What was built, in few files instead of some 900: it does the same and loads in half the time. For a test run, which starts
// the program some hundred times and loads it into each process of tests; nobody is given it.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

/**
 * Writes modules of the build, each with a file of its own and what they share in others, into a folder of it. They stand in
 * that folder as they stand in the build.
 */
export async function writeInFewFiles(root, modules, folder) {
  await build({
    entryPoints: modules.map((module) => join(root, module)),
    outbase: join(root, "dist"),
    outdir: join(root, folder),
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    logLevel: "error",
    // It finds files of its own beside itself.
    external: ["playwright-core"],
    // What was written for require() finds it.
    banner: {
      js: 'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);',
    },
    plugins: [
      { name: "keep places", setup: keepPlaces },
      { name: "keep for later", setup: keepForLater },
    ],
  });
}

/** Each module still finds what lies beside it in the build: migrations, the program of a thread. */
function keepPlaces(bundling) {
  bundling.onLoad({ filter: /[\\/]dist[\\/](src|test)[\\/].*\.js$/ }, async ({ path }) => {
    const text = await readFile(path, "utf8");
    const contents = text.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path).href));
    return { contents, loader: "js" };
  });
}

/** A package that is loaded when it is needed comes from where it is installed: it has other names in a bundle. */
function keepForLater(bundling) {
  bundling.onResolve({ filter: /^[^./]/ }, ({ kind, path }) =>
    kind === "dynamic-import" ? { path, external: true } : undefined,
  );
}
