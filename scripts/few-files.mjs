// What was built, in few files instead of some 900: it does the same and loads in half the time. For a test run, which starts
// the program some hundred times and loads it into each process of tests; nobody is given it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const SHARED_OPTIONS = {
  bundle: true,
  platform: "node",
  target: "node20",
  logLevel: "error",
  plugins: [
    { name: "keep places", setup: keepPlaces },
    { name: "keep for later", setup: keepForLater },
  ],
};

/**
 * Writes modules of the build, each with a file of its own and what they share in others, into a folder of it. They stand in
 * that folder as they stand in the build.
 */
export async function writeInFewFiles(root, modules, folder) {
  await build({
    ...SHARED_OPTIONS,
    entryPoints: modules.map((module) => join(root, module)),
    outbase: join(root, "dist"),
    outdir: join(root, folder),
    splitting: true,
    format: "esm",
    // It finds files of its own beside itself.
    external: ["esbuild", "playwright-core"],
    // What was written for require() finds it.
    banner: {
      js: 'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);',
    },
  });
}

/**
 * Writes the program in one file, and one that runs it from what V8 has kept of compiling it (`keepCompiled`): a start of the
 * server then takes a quarter less. Answers the path to run.
 */
export async function writeProgram(root, folder) {
  const text = join(root, folder, "program.cjs");
  await build({
    ...SHARED_OPTIONS,
    entryPoints: [join(root, "dist/src/main.js")],
    outfile: text,
    format: "cjs",
    define: { "import.meta.resolve": RESOLVE },
    // Read byte by byte, it need not be decoded.
    charset: "ascii",
  });
  const main = join(root, folder, "main.js");
  await writeFile(main, starterOf(text, `${text}.compiled`));
  return main;
}

/** Runs the program until it serves, and keeps what was compiled meanwhile. */
export async function keepCompiled(main, environment) {
  const child = spawn(process.execPath, [main, "serve", "--port", "0", "--no-demo"], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment, [KEEPS]: "1" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    const served = output.includes('"address"');
    output += text;
    if (!served && output.includes('"address"')) child.kill("SIGTERM");
  });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`The program that the tests start ended with ${code}.`);
}

const KEEPS = "ROLLBOOK_TEST_KEEPS_COMPILED";
const RESOLVE = "resolveModule";

function starterOf(text, compiled) {
  return `import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { constants, Script } from "node:vm";

const [text, compiled] = [${JSON.stringify(text)}, ${JSON.stringify(compiled)}];
const parameters = "exports, require, module, ${RESOLVE}";
const script = new Script("(function (" + parameters + ") {" + readFileSync(text, "latin1") + "\\n})", {
  filename: text,
  cachedData: existsSync(compiled) ? readFileSync(compiled) : undefined,
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
});
if (process.env.${KEEPS}) process.once("exit", () => writeFileSync(compiled, script.createCachedData()));
const module = { exports: {} };
script.runInThisContext()(module.exports, createRequire(text), module, import.meta.resolve);
`;
}

/** Each module still finds what lies beside it: migrations, the program of a thread. */
function keepPlaces(bundling) {
  bundling.onLoad({ filter: /\.m?js$/ }, async ({ path }) => {
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
