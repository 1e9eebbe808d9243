// The built program in few files instead of some 900: it does the same and starts in half the time. For tests, which
// start it some hundred times; nobody is given it.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

/** Writes it beside the build and returns its main file. */
export async function writeInFewFiles(root) {
  const outdir = join(root, "dist/test/program");
  await build({
    entryPoints: [join(root, "dist/src/main.js")],
    outdir,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    logLevel: "error",
    // What was written for require() finds it.
    banner: {
      js: 'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);',
    },
    plugins: [{ name: "keep places", setup: keepPlaces }],
  });
  return join(outdir, "main.js");
}

/** Each module still finds what lies beside it in the build: migrations, the program of a thread. */
function keepPlaces(bundling) {
  bundling.onLoad({ filter: /[\\/]dist[\\/]src[\\/].*\.js$/ }, async ({ path }) => {
    const text = await readFile(path, "utf8");
    const contents = text.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path).href));
    return { contents, loader: "js" };
  });
}
