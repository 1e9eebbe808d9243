// The part of `rollbook-client` for Python that is made from openapi.json: a TypedDict for each schema, and a method for each
// operation.
import { nameOf, readEvents, readOperations, snakeCase } from "./client-document.mjs";

const RESERVED = new Set([
  "from",
  "import",
  "class",
  "global",
  "in",
  "is",
  "not",
  "or",
  "and",
  "pass",
  "with",
]);

export function pythonModule(document) {
  const schemas = Object.entries(document.components.schemas);
  const operations = readOperations(document);
  return `"""Made by \`npm run clients\` from openapi.json. Not to be edited."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NotRequired, TypedDict
from urllib.parse import quote

VERSION = ${quote(document.info.version)}


${schemas
  .flatMap(([name, schema]) => typedDicts(name, schema))
  .join("\n\n")
  .trimStart()}

EventType = Literal[
${[...readEvents(document).values()]
  .flat()
  .map((name) => `    ${quote(name)},`)
  .join("\n")}
]

LISTS: Mapping[str, tuple[str, Mapping[str, str]]] = {
${operations
  .filter(({ list }) => list)
  .map(({ list, path, accepts }) => `    ${quote(list)}: (${quote(path)}, ${formsOf(accepts)}),`)
  .join("\n")}
}


def _fill(path: str, *parts: str) -> str:
    """The path with its parts. An empty id would be the address of the list."""
    for part in parts:
        if not part:
            raise ValueError("An id must be a text that is not empty.")
        path = re.sub(r"\\{\\w+\\}", quote(part, safe=""), path, count=1)
    return path


class Operations:
    """The operations of the API. What sends them is in the class that inherits this one."""

    def _call(self, *args: Any, **options: Any) -> Any:
        raise NotImplementedError

    def _walk(self, *args: Any, **options: Any) -> Iterator[Any]:
        raise NotImplementedError

${operations.flatMap(methodsOf).join("\n")}
`;
}

function methodsOf(operation) {
  const {
    name,
    summary,
    description,
    method,
    path,
    pathNames,
    query,
    headers,
    sends,
    body,
    result,
    item,
    maxLimit,
  } = operation;
  const required = query.filter((parameter) => parameter.required);
  const optional = query.filter((parameter) => !parameter.required);
  const text = docstring(`${summary}. ${description ?? ""}`.trim());
  const signature = (parameters, ret, documented = text) => {
    const lines = [
      "self",
      ...pathNames.map((one) => `${snakeCase(one)}: str`),
      ...(body ? [`body: ${typeOf(body)}`] : []),
      "*",
      ...parameters,
      "timeout: float | None = None",
      "accept_language: str | None = None",
    ];
    return `(\n${lines.map((line) => `        ${line},\n`).join("")}    ) -> ${ret}:\n${documented}`;
  };
  const typed = (parameters) => [
    ...required.map((one) => `${argument(one.name)}: ${typeOf(one.schema)}`),
    ...parameters.map((one) => `${argument(one.name)}: ${typeOf(one.schema)} | None = None`),
  ];
  const headerParameters = headers.map(({ name: header }) => `${snakeCase(header)}: str | None = None`);
  const filled =
    pathNames.length > 0 ? `_fill(${quote(path)}, ${pathNames.map(snakeCase).join(", ")})` : quote(path);
  const queryOf = (parameters) =>
    parameters.length > 0
      ? [`query={${parameters.map((one) => `${quote(one.name)}: ${argument(one.name)}`).join(", ")}}`]
      : [];
  const given = [
    ...queryOf(query),
    ...(headers.length > 0
      ? [
          `headers={${headers.map(({ name: header }) => `${quote(header)}: ${snakeCase(header)}`).join(", ")}}`,
        ]
      : []),
    ...(body ? ["body=body", `media_type=${quote(sends)}`] : []),
    "timeout=timeout",
    "accept_language=accept_language",
  ];
  const sent = `self._call(${quote(method)}, ${filled}, ${given.join(", ")})`;
  const call = result
    ? `        found: ${nameOf(result)} = ${sent}\n        return found`
    : `        ${sent}`;
  const one = `    def ${snakeCase(name)}${signature([...typed(optional), ...headerParameters], result ? nameOf(result) : "None")}\n${call}\n`;
  if (!item) return [one];
  // A walk asks for what is there.
  const walked = optional.filter((parameter) => parameter.name !== "wait");
  const next = query.some((parameter) => parameter.name === "cursor")
    ? "cursor"
    : query.some((parameter) => parameter.name === "after")
      ? "after"
      : undefined;
  const walk = [
    ...queryOf([...required, ...walked]),
    ...(next ? [`next_name=${quote(next)}`, `limit=${maxLimit}`] : []),
    "timeout=timeout",
    "accept_language=accept_language",
  ];
  const every = docstring(`Every record of \`${snakeCase(name)}\`, page by page.`);
  return [
    one,
    `    def ${snakeCase(name)}_all${signature(typed(walked), `Iterator[${typeOf(item)}]`, every)}\n        return self._walk(${quote(path)}, ${walk.join(", ")})\n`,
  ];
}

/** The class of a schema, after those of the objects within it. */
function typedDicts(name, schema) {
  const inner = [];
  const own = { ...schema, type: Array.isArray(schema.type) ? "object" : schema.type };
  const lines = Object.entries(own.properties ?? {})
    .filter(([member]) => /^[A-Za-z_]\w*$/.test(member))
    .map(([member, value]) => {
      const within = value.type === "array" ? value.items : value;
      const isInner = within.type === "object" && within.properties;
      const innerName = `${name}${member[0].toUpperCase()}${member.slice(1)}`;
      if (isInner) inner.push(...typedDicts(innerName, within));
      const type = !isInner ? typeOf(value) : value.type === "array" ? `list[${innerName}]` : innerName;
      return `    ${member}: ${own.required?.includes(member) ? type : `NotRequired[${type}]`}`;
    });
  const text = schema.description ? `${docstring(schema.description, 4)}\n\n` : "";
  return [...inner, `\nclass ${name}(TypedDict):\n${text}${lines.join("\n") || "    pass"}`];
}

function typeOf(schema) {
  if (schema.$ref) return nameOf(schema);
  if (schema.enum) return `Literal[${schema.enum.map(quote).join(", ")}]`;
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return [...new Set(choices.map(typeOf))].join(" | ");
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(" | ");
  const simple = { string: "str", integer: "int", number: "float", boolean: "bool", null: "None" };
  if (schema.type === "array") return `Sequence[${typeOf(schema.items)}]`;
  if (schema.type === "object")
    return `dict[str, ${typeof schema.additionalProperties === "object" ? typeOf(schema.additionalProperties) : "Any"}]`;
  return simple[schema.type] ?? "Any";
}

function formsOf(accepts) {
  const forms = { csv: "text/csv", ndjson: "application/x-ndjson" };
  const known = Object.entries(forms).filter(([, type]) => accepts.includes(type));
  return `{${known.map(([form, type]) => `${quote(form)}: ${quote(type)}`).join(", ")}}`;
}

export function argument(name) {
  const snake = snakeCase(name);
  return RESERVED.has(snake) ? `${snake}_` : snake;
}

function docstring(text, spaces = 8) {
  const indent = " ".repeat(spaces);
  const lines = text.replaceAll("\\", "\\\\").replaceAll('"""', "'''").trim().split("\n");
  if (lines.length === 1 && !lines[0].endsWith('"')) return `${indent}"""${lines[0]}"""`;
  return `${indent}"""${lines.map((line, at) => (at === 0 ? line : indent + line).trimEnd()).join("\n")}\n${indent}"""`;
}

function quote(value) {
  return JSON.stringify(value);
}
