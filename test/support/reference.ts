import { aboutPublicApi } from "../../src/api/public-document.ts";
import { COMMANDS, usageLine } from "../../src/cli/run.ts";
import { REFUSALS } from "../../src/core/refusals.ts";
import type { AboutApi } from "../../src/http/about-api.ts";
import { newDocument } from "../../src/http/openapi.ts";
import { describeError } from "../../src/http/openapi-failures.ts";
import { generalError, PROBLEM_KINDS, problemReply } from "../../src/http/problem.ts";
import { DICTIONARIES } from "../../src/languages/dictionaries.ts";
import { LANGUAGE_TAGS } from "../../src/languages/dictionary.ts";
import { HTTP_REFUSALS } from "../../src/languages/http-refusals.ts";
import { wordTemplate } from "../../src/languages/wording.ts";
import { SETTINGS } from "../../src/process/config.ts";
import { publishedDocument } from "../../src/process/published.ts";
import { writtenOut } from "./openapi-document.ts";

/** The text of docs/reference.md: every operation, failure, command and setting, from where each is defined. */
export async function writeReference(): Promise<string> {
  const documents = await Promise.all(
    LANGUAGE_TAGS.map(async (tag): Promise<Document> => writtenOut(JSON.parse(await publishedDocument(tag)))),
  );
  const [document] = documents as [Document];
  const about = aboutPublicApi(document.info.version);
  const general = generalProblems(about);
  return [
    "# Reference",
    "",
    "Written by `npm run reference` from the program itself; a test fails when it is out of date.",
    "",
    "## Operations",
    "",
    ...Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, operation]) =>
        describeOperation(
          method,
          path,
          operation,
          documents.map(({ paths }) => paths[path]?.[method] ?? operation),
          general,
        ),
      ),
    ),
    "## Failures",
    "",
    ...rows(
      ["Status", "`code`", "When", "What to do"],
      PROBLEM_KINDS.map((kind) => ({ kind, ...describeError(about, kind) }))
        .sort((one, other) => one.status - other.status)
        .map(({ kind, status, when, fix }) => [String(status), `\`${kind}\``, when, fix]),
    ),
    "### Words",
    "",
    "`Accept-Language` chooses the language of `title`, `detail` and `errors[].message`; everything else is the same in all",
    "of them. Braces stand for numbers and words that are filled in.",
    "",
    "`title`:",
    "",
    ...rows(
      ["`code`", ...LANGUAGE_TAGS],
      PROBLEM_KINDS.map((kind) => [
        `\`${kind}\``,
        ...LANGUAGE_TAGS.map((tag) => DICTIONARIES[tag].titles[kind]),
      ]),
    ),
    "`detail`:",
    "",
    ...wordRows("details", REFUSED_WITH),
    "`errors[].message`. Each parameter is a member of `params`. Codes that no request to the API can have are those of",
    "imports (`rollbook import FILE --json`).",
    "",
    ...wordRows("faults"),
    "Where people need to know more than programs, the message is another: `unknown_member` at an object and",
    "`unknown_parameter` at the query, of what has a name that is not repeated; `location_required` of a client; `wrong_type` of a",
    "query parameter; `idempotency_key_invalid` in the staff application; `too_many` terms of a search.",
    "",
    ...wordRows("phrases"),
    "## Commands",
    "",
    ...rows(
      ["Command", "What it does"],
      COMMANDS.map((command) => [`\`${usageLine(command)}\``, command.summary]),
    ),
    "Every command takes `--json` and `--help`, and exits with 0 when done, 1 when it failed and said why,",
    "2 on wrong usage. A signal ends it with 128 + its number (130 after Ctrl-C) and nothing half-written; a second one",
    "ends it at once. For `serve` a signal is the regular end, with 0.",
    "",
    "Only `serve`, `org create`, `restore` and `demo` make a database where there is none, and `migrate` in an empty one",
    "of `DATABASE_URL`. Only `serve` and `migrate` bring a database that is there to a newer schema; the other commands",
    "refuse it with one sentence, and `backup` takes it as it is.",
    "",
    "## Settings",
    "",
    ...rows(
      ["Variable", "Flag", "Default", "What it sets"],
      Object.values(SETTINGS).map(({ flag, variable, fallback, help }) => [
        `\`${variable}\``,
        flag === "" ? "" : `\`--${flag}\``,
        fallback === "" ? "" : `\`${fallback}\``,
        help,
      ]),
    ),
    "<!-- docs: Run it, 20 -->",
    "",
  ].join("\n");
}

interface Document {
  readonly info: { readonly version: string };
  readonly paths: Record<string, Record<string, OperationObject>>;
}

interface OperationObject {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly ParameterObject[];
  readonly requestBody?: { readonly description: string };
  readonly responses: Record<string, ResponseObject>;
}

interface ResponseObject {
  readonly description: string;
  readonly content?: Record<string, { readonly examples?: Record<string, ProblemExample> }>;
}

interface ProblemExample {
  /** Absent of a file, which stands at an address of its own. */
  readonly value?: ProblemValue;
}

interface ProblemValue {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly errors?: readonly { readonly location: string; readonly code: string; readonly message: string }[];
}

interface ParameterObject {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description: string;
  readonly schema: { readonly type: string; readonly format?: string; readonly enum?: readonly string[] };
}

function describeOperation(
  method: string,
  path: string,
  operation: OperationObject,
  translations: readonly OperationObject[],
  general: ReadonlySet<string>,
): string[] {
  const parameters = (operation.parameters ?? []).map((parameter) => [
    `\`${parameter.name}\`${parameter.required ? " (required)" : ""}`,
    parameter.in,
    parameter.schema.enum?.map((value) => `\`${value}\``).join(", ") ??
      [parameter.schema.type, parameter.schema.format].filter(Boolean).join(", "),
    parameter.description,
  ]);
  return [
    `### ${method.toUpperCase()} ${path}`,
    "",
    `\`${operation.operationId}\`: ${operation.summary.toLowerCase()}. ${operation.description}`,
    "",
    ...(parameters.length > 0 ? rows(["Parameter", "In", "Type", "Meaning"], parameters) : []),
    ...(operation.requestBody ? [`Body: ${operation.requestBody.description}`, ""] : []),
    `Answers ${Object.keys(operation.responses).join(", ")}.`,
    "",
    ...ownProblems(translations, general),
  ];
}

/** The failures as they look everywhere, in each language. */
function generalProblems(about: AboutApi): Set<string> {
  const document = newDocument("http://localhost", "", about);
  return new Set(
    PROBLEM_KINDS.flatMap((kind) =>
      LANGUAGE_TAGS.map((language) => {
        const { body } = problemReply(generalError(kind), document, { language, requestId: "" });
        return sentenceOf(JSON.parse(body) as ProblemValue);
      }),
    ),
  );
}

function sentenceOf({ code, detail, errors }: ProblemValue): string {
  return JSON.stringify([code, detail, errors]);
}

/** The failures that are an operation's own, in each language; those of all operations are told further down. */
function ownProblems(translations: readonly OperationObject[], general: ReadonlySet<string>): string[] {
  const problems = translations.map(({ responses }) => {
    const examples = Object.values(responses)
      .flatMap(({ content = {} }) => Object.values(content))
      .flatMap(({ examples: shown = {} }) => Object.values(shown).flatMap(({ value }) => value ?? []));
    return new Map(
      examples.flatMap((value) => (general.has(sentenceOf(value)) ? [] : [[value.code, value]])),
    );
  });
  const codes = [...(problems[0]?.keys() ?? [])];
  if (codes.length === 0) return [];
  return rows(
    ["Failure", ...LANGUAGE_TAGS],
    codes.map((code) => [
      `${problems[0]?.get(code)?.status} \`${code}\``,
      ...problems.map((inLanguage) => wordsOf(inLanguage.get(code))),
    ]),
  );
}

function wordsOf(problem: ProblemValue | undefined): string {
  const faults = problem?.errors?.map(({ location, message }) => `\`${location}\` ${message}`) ?? [];
  return [problem?.detail, ...faults].join("<br>");
}

/** The `code` that each sentence about a request is told with. */
const REFUSED_WITH: Readonly<Record<string, string>> = { ...REFUSALS, ...HTTP_REFUSALS };

/** One row a sentence, one column a language. Only those that are shown under a name of their own, if names are given. */
function wordRows(
  section: "details" | "faults" | "phrases",
  shownAs?: Readonly<Record<string, string>>,
): string[] {
  const codes = Object.keys(DICTIONARIES.en[section]).filter((code) => !shownAs || code in shownAs);
  return rows(
    ["`code`", ...LANGUAGE_TAGS],
    codes.map((code) => [
      `\`${shownAs?.[code] ?? code}\``,
      ...LANGUAGE_TAGS.map((tag) => {
        const texts = DICTIONARIES[tag][section] as Readonly<Record<string, unknown>>;
        return wordTemplate(texts[code]).words.replaceAll("<", "&lt;");
      }),
    ]),
  );
}

function rows(header: readonly string[], body: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(header), `|${"---|".repeat(header.length)}`, ...body.map(line), ""];
}
