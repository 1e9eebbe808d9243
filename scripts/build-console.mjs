// Builds the console into a folder: hashed scripts and style sheets, each also compressed, and a list of them.
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** False if a source has an error, which is then written to standard error. */
export async function buildConsole(folder) {
  const { build } = await import("esbuild");
  const settings = {
    absWorkingDir: root,
    entryPoints: ["console/main.tsx"],
    outdir: join(folder, "assets"),
    bundle: true,
    splitting: true,
    format: "esm",
    target: ["es2022", "chrome114", "firefox125", "safari17"],
    jsx: "automatic",
    jsxImportSource: "preact",
    minify: true,
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    assetNames: "[name]-[hash]",
    legalComments: "none",
    metafile: true,
    write: false,
    logLevel: "warning",
  };
  let built;
  let pageAlone;
  try {
    built = await build(settings);
    pageAlone = await build({ ...settings, plugins: [withoutLaterImports] });
  } catch {
    return false;
  }
  const outputs = { ...built.metafile.outputs };
  const [, main] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === "console/main.tsx");
  const pageStyle = pageAlone.outputFiles.find(({ path }) => path.endsWith(".css"));
  const fullStyle = main.cssBundle;
  const stylePath = relative(root, pageStyle.path);
  delete outputs[fullStyle];
  outputs[stylePath] = pageAlone.metafile.outputs[stylePath];
  main.cssBundle = stylePath;
  mkdirSync(join(folder, "assets"), { recursive: true });
  const files = built.outputFiles.filter(({ path }) => relative(root, path) !== fullStyle);
  for (const { path, contents } of [...files, pageStyle]) {
    writeFileSync(path, contents);
    writeFileSync(`${path}.gz`, gzipSync(contents, { level: 9 }));
    writeFileSync(`${path}.br`, compressed(contents));
  }
  writeFileSync(join(folder, "manifest.json"), JSON.stringify(manifestOf(outputs, folder)));
  return true;
}

/**
 * esbuild puts the style sheets of whatever is imported later into that of the page too: it would hold those of all screens,
 * which have them already. Without the later imports it is the page's own.
 */
const withoutLaterImports = {
  name: "without-later-imports",
  setup({ onResolve }) {
    onResolve({ filter: /.*/ }, ({ kind, path }) =>
      kind === "dynamic-import" ? { path, external: true } : undefined,
    );
  },
};

const compressed = (contents) =>
  brotliCompressSync(contents, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } });

/** Which files the page needs, and which more each screen does: names of files in assets/. */
function manifestOf(outputs, folder) {
  const named = Object.entries(outputs).map(([path, output]) => ({ ...output, path, name: basename(path) }));
  const byPath = new Map(named.map((output) => [output.path, output]));
  const main = named.find(({ entryPoint }) => entryPoint === "console/main.tsx");
  const scriptsOf = (output, found = new Set()) => {
    if (!output || found.has(output.name)) return found;
    found.add(output.name);
    for (const { path, kind } of output.imports)
      if (kind === "import-statement") scriptsOf(byPath.get(path), found);
    return found;
  };
  const styleOf = (output) => output?.cssBundle && basename(output.cssBundle);
  const mainScripts = scriptsOf(main);
  const screens = {};
  for (const output of named) {
    const screen = /^console\/screens\/([\w-]+)\/\1\.tsx$/.exec(output.entryPoint ?? "")?.[1];
    if (screen === undefined) continue;
    const scripts = [...scriptsOf(output)].filter((name) => !mainScripts.has(name));
    screens[screen] = { scripts, ...(styleOf(output) && { style: styleOf(output) }) };
  }
  return {
    main: main.name,
    scripts: [...mainScripts],
    style: styleOf(main),
    screens,
    files: named.map(({ path }) => relative(join(folder, "assets"), join(root, path))).sort(),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  process.exit((await buildConsole(join(root, "dist/console"))) ? 0 : 1);
