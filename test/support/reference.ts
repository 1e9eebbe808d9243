import { aboutPublicApi } from "../../src/api/public-document.ts";
import { COMMANDS, usageLine } from "../../src/cli/run.ts";
import { describeError } from "../../src/http/openapi.ts";
import { PROBLEM_KINDS } from "../../src/http/problem.ts";
import { SETTINGS } from "../../src/process/config.ts";
import { publishedDocument } from "../../src/process/published.ts";

/** The text of docs/reference.md: every operation, failure, command and setting, from where each is defined. */
export async function writeReference(): Promise<string> {
  const document = JSON.parse(await publishedDocument()) as Document;
  const about = aboutPublicApi(document.info.version);
  return [
    "# Reference",
    "",
    "Written by `npm run reference` from the program itself; a test fails when it is out of date.",
    "",
    "## Operations",
    "",
    ...Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, operation]) => describeOperation(method, path, operation)),
    ),
    "## Failures",
    "",
    ...rows(
      ["Status", "`code`", "When"],
      PROBLEM_KINDS.map((kind) => ({ kind, ...describeError(about, kind) }))
        .sort((a, b) => a.status - b.status)
        .map(({ kind, status, when }) => [String(status), `\`${kind}\``, when]),
    ),
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
    "of `DATABASE_URL`.",
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
  readonly responses: Record<string, { readonly description: string }>;
}

interface ParameterObject {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description: string;
  readonly schema: { readonly type: string; readonly format?: string; readonly enum?: readonly string[] };
}

function describeOperation(method: string, path: string, operation: OperationObject): string[] {
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
  ];
}

function rows(header: readonly string[], body: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(header), `|${"---|".repeat(header.length)}`, ...body.map(line), ""];
}
