// Writes the JavaScript of TypeScript sources, file by file and without a look at types: what `npm start` needs in a second,
// where the compiler takes ten. Types are checked by `npm run build` and by the tests.
import { readdirSync } from "node:fs";
import { join } from "node:path";

/**
 * A relative import as it must read in the output: "./fields.ts" becomes "./fields.js". Nothing is bundled but what tests
 * import of the console, which has no modules in the output.
 */
const rewriteImports = (root) => ({
  name: "rewrite-imports",
  setup(build) {
    build.onResolve({ filter: /.*/ }, ({ kind, path, resolveDir }) =>
      kind === "entry-point" ||
      (path.startsWith(".") && join(resolveDir, path).startsWith(join(root, "console/")))
        ? undefined
        : { path: path.replace(/^(\.{1,2}\/.*)\.ts$/, "$1.js"), external: true },
    );
  },
});

/** False if a source cannot be read, which is then written to standard error. */
export async function transpile(root, folders, outFolder) {
  const { build } = await import("esbuild");
  const sources = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && !name.endsWith(".d.ts"))
      .map((name) => join(folder, name)),
  );
  try {
    await build({
      absWorkingDir: root,
      entryPoints: sources,
      outbase: ".",
      outdir: outFolder,
      bundle: true,
      treeShaking: false,
      format: "esm",
      platform: "node",
      target: "node20.19",
      sourcemap: true,
      sourcesContent: false,
      legalComments: "inline",
      charset: "utf8",
      logLevel: "warning",
      plugins: [rewriteImports(root)],
    });
    return true;
  } catch {
    return false;
  }
}
