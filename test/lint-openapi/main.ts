import { execFile } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { openApi, type TestApi } from "../support/api.ts";
import { findChromium } from "../support/browser.ts";
import { pressSends } from "../support/reference-page.ts";
import { type DemoAnswer, gatherAnswers } from "./answers.ts";

/** From dist/test/lint-openapi/ the checkout is three levels up. */
const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

interface Bench {
  /** Where the tools are installed, and below it where they work. */
  readonly tools: string;
  readonly work: string;
  readonly api: TestApi;
  readonly key: string;
  readonly answers: readonly DemoAnswer[];
  readonly staffAnswers: readonly DemoAnswer[];
}

/** Tells what it found, or throws with what is wrong. */
type Judge = (bench: Bench) => Promise<string>;

class NotInstalled extends Error {}

const LINTERS: readonly (readonly [name: string, judge: Judge])[] = [
  ["Spectral, ruleset oas", judgeBySpectral],
  ["Redocly, recommended-strict", judgeByRedocly],
  ["orval with zod, openapi-typescript, hey-api: generate", generateClients],
  ["their code and every answer as typed by it: compile strictly", compileClients],
  ["orval with zod: parse every answer", parseByOrval],
  ["hey-api with zod: parse every answer", parseByHeyApi],
  ["orval and hey-api with zod: parse what the staff application reads", parseStaffAnswers],
  ["hey-api: call every read of the demo server", callByHeyApi],
  ["the reference page in Chromium: press Send for every operation", pressEverySend],
  ["Python's jsonschema: compile every schema, validate every answer", judgeByPython],
];

async function main(tools: string): Promise<number> {
  const work = join(tools, "work");
  await rm(work, { recursive: true, force: true });
  await mkdir(work, { recursive: true });
  const api = await openApi();
  let failed = 0;
  try {
    const bench = { tools, work, api, ...(await gatherAnswers(api)) };
    await writeFile(
      join(work, "openapi.json"),
      JSON.stringify((await api.call("GET", "/openapi.json")).body),
    );
    await writeFile(
      join(work, "app.json"),
      JSON.stringify((await api.call("GET", "/app/openapi.json")).body),
    );
    await writeFile(join(work, "committed.json"), await readFile(join(ROOT, "openapi.json")));
    for (const [name, judge] of LINTERS) {
      try {
        say(`✔ ${name}: ${await judge(bench)}`);
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        if (error instanceof NotInstalled) say(`- ${name}: skipped. ${message}`);
        else {
          failed++;
          say(`✖ ${name}:\n${message}`);
        }
      }
    }
  } finally {
    await api.close();
  }
  return failed === 0 ? 0 : 1;
}

// The documents of both scopes as a server with a public address has them, and the committed one.
const DOCUMENTS = ["openapi.json", "app.json", "committed.json"];

async function judgeBySpectral({ tools, work }: Bench): Promise<string> {
  await writeFile(join(work, "spectral.yaml"), 'extends: ["spectral:oas"]\n');
  const { output } = await run(work, bin(tools, "spectral"), [
    "lint",
    ...["--ruleset", "spectral.yaml", "--format", "json", "--fail-severity", "hint", "--quiet"],
    ...DOCUMENTS,
  ]);
  const found = JSON.parse(output.slice(output.indexOf("["))) as { code: string; path: string[] }[];
  const lines = found.map(({ code, path }) => `${code} at ${path.join(".")}`);
  if (lines.length > 0) throw new Error(lines.slice(0, 20).join("\n"));
  return "0 errors, 0 warnings";
}

async function judgeByRedocly({ tools, work }: Bench): Promise<string> {
  const settings = ["--extends", "recommended-strict", "--format", "json"];
  for (const document of DOCUMENTS) {
    const { output } = await run(work, bin(tools, "redocly"), ["lint", ...settings, document]);
    const { totals, problems } = JSON.parse(output.slice(output.indexOf("{"))) as {
      totals: { errors: number; warnings: number };
      problems: { ruleId: string; message: string }[];
    };
    const lines = problems.map(({ ruleId, message }) => `${ruleId}: ${message}`);
    if (totals.errors + totals.warnings > 0) throw new Error(lines.slice(0, 20).join("\n"));
  }
  return "0 errors, 0 warnings";
}

async function generateClients({ tools, work }: Bench): Promise<string> {
  for (const { document, folder } of GENERATED) {
    await writeFile(
      join(work, "orval.config.cjs"),
      `module.exports = { rollbook: {
        input: "./${document}",
        output: {
          target: "./source/${folder}orval/rollbook.ts",
          client: "zod",
          mode: "single",
          override: { zod: { generateEachHttpStatus: true } },
        },
      } };`,
    );
    await writeFile(
      join(work, "hey-api.config.mjs"),
      `export default {
        input: "./${document}",
        output: { path: "./source/${folder}hey-api", importFileExtension: ".js" },
        plugins: ["@hey-api/typescript", "@hey-api/client-fetch", "zod", { name: "@hey-api/sdk", validator: true }],
      };`,
    );
    await mustRun(work, bin(tools, "orval"), ["--config", "orval.config.cjs"]);
    await mustRun(work, bin(tools, "openapi-typescript"), [document, "-o", `source/${folder}types.ts`]);
    await mustRun(work, bin(tools, "openapi-ts"), ["-f", "hey-api.config.mjs"]);
  }
  return "all three did, for both scopes";
}

/** What is generated of each scope's document. */
const GENERATED = [
  { document: "openapi.json", folder: "" },
  { document: "app.json", folder: "app/" },
];

/** With the project's own compiler. The answers stand as literals whose type openapi-typescript has generated. */
async function compileClients({ work, answers }: Bench): Promise<string> {
  const typed = answers
    .filter(({ schema }) => schema !== undefined)
    .map(({ path, method, status, contentType, body }, index) => {
      const type = `paths["${path}"]["${method}"]["responses"]["${status}"]["content"]["${contentType}"]`;
      return `export const a${index}: ${type} = ${JSON.stringify(body)};`;
    });
  const lines = ['import type { paths } from "./types.js";', ...typed, ""];
  await writeFile(join(work, "source/answers.ts"), lines.join("\n"));
  await writeFile(join(work, "package.json"), '{ "type": "module" }\n');
  const compilerOptions = {
    ...{ target: "es2022", module: "nodenext", lib: ["es2022", "dom", "dom.iterable"], types: [] },
    ...{ strict: true, noUncheckedIndexedAccess: true, noImplicitReturns: true, skipLibCheck: true },
    ...{ rootDir: "source", outDir: "built" },
  };
  await writeFile(join(work, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["source"] }));
  const compiler = join(
    dirname(createRequire(import.meta.url).resolve("typescript/package.json")),
    "bin",
    "tsc",
  );
  await mustRun(work, process.execPath, [compiler, "-p", "tsconfig.json"]);
  return `${typed.length} answers`;
}

interface Parser {
  safeParse(value: unknown): { success: boolean; error?: { message: string } };
}

async function parseByOrval({ work, answers }: Bench): Promise<string> {
  const parsers = await load<Parser>(work, "orval/rollbook.js");
  // It generates no parser for problem documents.
  const good = answers.filter(({ contentType }) => contentType === "application/json");
  return parseAll(good, ({ operationId, status }) => parsers[`${operationId}${status}Response`]);
}

async function parseByHeyApi({ work, answers }: Bench): Promise<string> {
  const parsers = await load<Parser>(work, "hey-api/zod.gen.js");
  const withBody = answers.filter(({ schema }) => schema !== undefined);
  return parseAll(withBody, ({ schema }) => parsers[`z${schema}`]);
}

async function parseStaffAnswers({ work, staffAnswers }: Bench): Promise<string> {
  const orval = await load<Parser>(work, "app/orval/rollbook.js");
  const heyApi = await load<Parser>(work, "app/hey-api/zod.gen.js");
  parseAll(staffAnswers, ({ schema }) => heyApi[`z${schema}`]);
  return parseAll(staffAnswers, ({ operationId, status }) => orval[`${operationId}${status}Response`]);
}

function parseAll(
  answers: readonly DemoAnswer[],
  parserOf: (answer: DemoAnswer) => Parser | undefined,
): string {
  const faults = answers.flatMap((answer) => {
    const parser = parserOf(answer);
    if (!parser) return [`${answer.name}: no parser was generated`];
    const { success, error } = parser.safeParse(answer.body);
    return success ? [] : [`${answer.name}: ${error?.message}`];
  });
  if (faults.length > 0) throw new Error(faults.slice(0, 10).join("\n"));
  return `${answers.length} answers`;
}

/** The generated functions call the server themselves and check its answers by the generated parsers. */
async function callByHeyApi({ work, api, key, answers }: Bench): Promise<string> {
  type Call = (options: object) => Promise<{ data?: unknown; error?: unknown }>;
  const functions = await load<Call>(work, "hey-api/sdk.gen.js");
  const reads = new Map(
    answers
      .filter(({ method, status }) => method === "get" && status === 200)
      .map((answer) => [answer.operationId, answer]),
  );
  for (const [operationId, { name, path }] of reads) {
    const address = new URL(name.split(" ")[1] ?? "", api.url);
    const { error } = (await functions[operationId]?.({
      baseUrl: api.url,
      auth: key,
      ...(address.search !== "" && { query: Object.fromEntries(address.searchParams) }),
      ...(path.endsWith("{id}") && { path: { id: address.pathname.split("/").at(-1) } }),
    })) ?? { error: "no function was generated" };
    if (error !== undefined) throw new Error(`${operationId}: ${JSON.stringify(error)}`);
  }
  return `${reads.size} operations`;
}

async function pressEverySend({ api, key }: Bench): Promise<string> {
  const executablePath = findChromium();
  if (!executablePath) throw new NotInstalled("Debian has it as chromium.");
  const { url, document } = api;
  const statuses = Object.entries(await pressSends({ url, document, key, executablePath }));
  const bad = statuses.filter(([, status]) => status === undefined || status >= 300);
  if (bad.length > 0)
    throw new Error(bad.map(([name, status]) => `${name}: ${status ?? "no answer"}`).join("\n"));
  const { paths } = document as { paths: object };
  const declared = Object.values(paths).flatMap((path) => Object.keys(path as object));
  if (statuses.length !== declared.length)
    throw new Error(`${statuses.length} operations instead of ${declared.length}`);
  return `${statuses.length} good answers`;
}

async function judgeByPython({ work, answers }: Bench): Promise<string> {
  const probe = await run(work, "python3", ["-c", "import jsonschema"]);
  if (probe.code !== 0) throw new NotInstalled("Debian has it as python3-jsonschema.");
  const withBody = answers.filter(({ schema }) => schema !== undefined);
  await writeFile(join(work, "answers.json"), JSON.stringify(withBody));
  const script = join(ROOT, "test/lint-openapi/answers.py");
  return (await mustRun(work, "python3", [script, "openapi.json", "answers.json"])).trim();
}

async function load<Exported>(work: string, file: string): Promise<Record<string, Exported | undefined>> {
  return await import(pathToFileURL(join(work, "built", file)).href);
}

function bin(tools: string, name: string): string {
  return join(tools, "node_modules/.bin", name);
}

async function mustRun(cwd: string, command: string, args: readonly string[]): Promise<string> {
  const { code, output, errors } = await run(cwd, command, args);
  if (code !== 0) throw new Error(`${output}${errors}`.split("\n").slice(0, 30).join("\n"));
  return output;
}

function run(
  cwd: string,
  command: string,
  args: readonly string[],
): Promise<{ code: number; output: string; errors: string }> {
  // No tool may ask whether there is a newer one, or tell anyone that it ran.
  const env = {
    ...process.env,
    CI: "true",
    REDOCLY_TELEMETRY: "off",
    REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
  };
  return new Promise((resolve) => {
    execFile(command, args, { cwd, env, maxBuffer: 1 << 28 }, (error, output, errors) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
      resolve({ code, output, errors });
    });
  });
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

process.exitCode = await main(process.argv[2] ?? "");
