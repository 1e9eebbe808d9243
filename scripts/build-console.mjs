// Builds the console into a folder: hashed scripts and style sheets, each also compressed, and a list of them.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const MAIN = "console/main.tsx";
const MAIN_STYLE = "console/main.css";
/** What somebody sees first. */
const FIRST_SCREEN = "console/screens/today/today.tsx";
/** Loads the screens, and needs none of their sheets. */
const LIST_OF_SCREENS = "console/screens/all-screens.ts";

/** False if a source has an error, which is then written to standard error. */
export async function buildConsole(folder) {
  const { build } = await import("esbuild");
  const options = {
    absWorkingDir: root,
    outdir: join(folder, "assets"),
    bundle: true,
    target: ["es2022", "chrome114", "firefox125", "safari17"],
    minify: true,
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    legalComments: "none",
    metafile: true,
    write: false,
    logLevel: "warning",
    logOverride: { "ignored-bare-import": "silent" },
  };
  const ofScripts = {
    ...options,
    entryPoints: [MAIN],
    splitting: true,
    format: "esm",
    jsx: "automatic",
    jsxImportSource: "preact",
  };
  let scripts;
  let styles;
  try {
    const { inputs } = (await build({ ...ofScripts, minify: false })).metafile;
    [scripts, styles] = await Promise.all([
      build({ ...ofScripts, loader: { ".css": "empty" }, plugins: [sharedInFewFiles(inputs)] }),
      build({ ...options, ...sheetsOf(inputs) }),
    ]);
  } catch {
    return false;
  }
  mkdirSync(join(folder, "assets"), { recursive: true });
  for (const { path, contents } of [...scripts.outputFiles, ...styles.outputFiles]) {
    writeFileSync(path, contents);
    writeFileSync(`${path}.gz`, gzipSync(contents, { level: 9 }));
    writeFileSync(`${path}.br`, compressed(contents));
  }
  const manifest = manifestOf(scripts.metafile.outputs, styles.metafile.outputs);
  writeFileSync(join(folder, "manifest.json"), JSON.stringify(manifest));
  return true;
}

/** All sources that one needs, at once or later. */
function neededBy(inputs, path, kinds, found = new Set()) {
  for (const { path: next, kind } of inputs[path]?.imports ?? [])
    if (kinds.includes(kind) && inputs[next] && !found.has(next) && next !== LIST_OF_SCREENS) {
      found.add(next);
      neededBy(inputs, next, kinds, found);
    }
  return found;
}

/** Smaller than that, a file of its own costs a phone more than what is in it. */
const SMALL_BYTES = 4_000;
/** What fewer screens need, all others would fetch for nothing: a kilobyte and a half each, if it were two. */
const SCREENS_THAT_SHARE = 3;
/** So small that all others may fetch it for nothing, unless it has others behind it. */
const TINY_BYTES = 2_000;

/**
 * Has what the first page needs in one file, and the small things that further screens share in another. By itself, esbuild
 * makes a file for each set of screens that share something: with ten screens some thirty files, of which the first page
 * needs twenty and a further one ten, and a slow phone waits for each. So every screen imports all of them: then the set
 * is the same, and the file is one.
 */
function sharedInFewFiles(inputs) {
  const loadedLater = new Set(
    Object.values(inputs).flatMap(({ imports }) =>
      imports.filter(({ kind }) => kind === "dynamic-import").map(({ path }) => path),
    ),
  );
  const core = new Set(
    [MAIN, FIRST_SCREEN].flatMap((path) => [...neededBy(inputs, path, ["import-statement"])]),
  );
  const further = [...loadedLater].filter((path) => path !== FIRST_SCREEN);
  const list = inputs[LIST_OF_SCREENS];
  if (!list && Object.keys(inputs).some((path) => screenOf(path)))
    throw new Error(`${LIST_OF_SCREENS} is not part of the console`);
  const screens = (list?.imports ?? []).map(({ path }) => path);
  const uses = screens.flatMap((path) => [...neededBy(inputs, path, ["import-statement"])]);
  const shared = uses.filter(
    (path) =>
      uses.filter((other) => other === path).length >= SCREENS_THAT_SHARE &&
      !core.has(path) &&
      !loadedLater.has(path) &&
      inputs[path].bytes < SMALL_BYTES,
  );
  const files = { "console-core": core, "console-shared": new Set(shared) };
  const needed = further.flatMap((path) => [...neededBy(inputs, path, ["import-statement"])]);
  const isThere = (path) => core.has(path) || files["console-shared"].has(path);
  for (let added = -1; added !== 0; ) {
    const tiny = needed.filter(
      (path) =>
        inputs[path].bytes < TINY_BYTES &&
        needed.filter((other) => other === path).length > 1 &&
        !isThere(path) &&
        !loadedLater.has(path) &&
        [...neededBy(inputs, path, ["import-statement"])].every(isThere),
    );
    added = tiny.length;
    for (const path of tiny) files["console-shared"].add(path);
  }
  return {
    name: "shared-in-few-files",
    setup(build) {
      build.onResolve({ filter: /^console-(core|shared)$/ }, ({ path }) => ({
        path,
        namespace: "console-file",
      }));
      build.onLoad({ filter: /.*/, namespace: "console-file" }, ({ path }) => {
        const contents = [...files[path]].map((source) => `import ${JSON.stringify(join(root, source))};`);
        return { contents: contents.join("\n"), resolveDir: root };
      });
      build.onLoad({ filter: /\.tsx?$/ }, ({ path }) => {
        const name = relative(root, path).replaceAll("\\", "/");
        if (name !== MAIN && !loadedLater.has(name)) return undefined;
        const needed = further.includes(name) ? Object.keys(files) : ["console-core"];
        const contents = [...needed.map((file) => `import "${file}";`), readFileSync(path, "utf8")].join(
          "\n",
        );
        return { contents, loader: path.endsWith("x") ? "tsx" : "ts" };
      });
    },
  };
}

/** A style sheet for each screen, of what it needs and the first page does not have. */
function sheetsOf(inputs) {
  const texts = new Map();
  for (const { path } of inputs[LIST_OF_SCREENS]?.imports ?? []) {
    const sheets = [...neededBy(inputs, path, ["import-statement", "dynamic-import"])].filter((name) =>
      name.endsWith(".css"),
    );
    const text = sheets.map((name) => `@import ${JSON.stringify(join(root, name))};`).join("\n");
    const screen = screenOf(path);
    if (screen !== undefined && text !== "") texts.set(screen, text);
  }
  const entryPoints = Object.fromEntries([...texts.keys()].map((screen) => [screen, `sheet:${screen}`]));
  const plugin = {
    name: "sheets-of-screens",
    setup(build) {
      build.onResolve({ filter: /^sheet:/ }, ({ path }) => ({ path: path.slice(6), namespace: "sheet" }));
      build.onLoad({ filter: /.*/, namespace: "sheet" }, ({ path }) => ({
        contents: texts.get(path) ?? "",
        loader: "css",
        resolveDir: root,
      }));
    },
  };
  return { entryPoints: { main: MAIN_STYLE, ...entryPoints }, plugins: [plugin] };
}

/** The screen whose first file it is. */
function screenOf(path) {
  return /^console\/screens\/([\w-]+)\/\1\.tsx$/.exec(path)?.[1];
}

const compressed = (contents) =>
  brotliCompressSync(contents, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } });

/** Which files the page needs, and which more each screen does: names of files in assets/. */
function manifestOf(scripts, styles) {
  const outputs = Object.entries(scripts).map(([path, output]) => ({
    ...output,
    path,
    name: basename(path),
  }));
  const byPath = new Map(outputs.map((output) => [output.path, output]));
  const scriptsOf = (output, found = new Set()) => {
    if (!output || found.has(output.name)) return found;
    found.add(output.name);
    for (const { path, kind } of output.imports)
      if (kind === "import-statement") scriptsOf(byPath.get(path), found);
    return found;
  };
  const sheets = new Map(
    Object.entries(styles).map(([path, { entryPoint = "" }]) => [
      entryPoint.replace(/^sheet:/, ""),
      basename(path),
    ]),
  );
  const main = outputs.find(({ entryPoint }) => entryPoint === MAIN);
  const mainScripts = scriptsOf(main);
  const screens = {};
  for (const output of outputs) {
    const screen = screenOf(output.entryPoint ?? "");
    if (screen === undefined) continue;
    const style = sheets.get(screen);
    screens[screen] = {
      scripts: [...scriptsOf(output)].filter((name) => !mainScripts.has(name)),
      ...(style && { style }),
    };
  }
  return {
    main: main.name,
    scripts: [...mainScripts],
    style: sheets.get(MAIN_STYLE),
    screens,
    files: [...outputs.map(({ name }) => name), ...sheets.values()].sort(),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  process.exit((await buildConsole(join(root, "dist/console"))) ? 0 : 1);
