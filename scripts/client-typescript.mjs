// The part of `@rollbook/client` that is made from openapi.json: types, and the table of operations.
import { camelCase, nameOf, readEvents, readOperations } from "./client-document.mjs";

const HEADING = "// Made by `npm run clients` from openapi.json. Not to be edited.\n";

/** The module of types: a schema each, what each operation takes and gives, and the events of webhooks. */
export function typescriptTypes(document) {
  const schemas = Object.entries(document.components.schemas);
  const operations = readOperations(document);
  return `${HEADING}
import type { CallOptions, Pages, PagingName, Tagged } from "./results.ts";

${schemas.map(([name, schema]) => `${comment(schema.description, 0)}export type ${name} = ${typeOf(schema, 0)};`).join("\n\n")}

/** Every schema by its name. */
export interface Schemas {
${schemas.map(([name]) => `  ${name}: ${name};`).join("\n")}
}

${operations
  .filter(({ query }) => query.length > 0)
  .map(
    ({ name, query }) =>
      `/** What \`${name}\` is asked for. */\nexport type ${queryName(name)} = ${queryType(query)};`,
  )
  .join("\n\n")}

/** The operations of the API, each as a method of the client. */
export interface Operations {
${operations.map(methodOf).join("\n")}
}

/** The lists that can be downloaded whole: in which forms, and with which filters. */
export interface Downloads {
${operations
  .filter(({ list }) => list)
  .map(
    ({ name, list, accepts, query }) =>
      `  ${key(list)}: { form: ${formsOf(accepts)}; filters: ${query.length > 0 ? `Omit<${queryName(name)}, PagingName>` : "object"} };`,
  )
  .join("\n")}
}

/** A message of a webhook. */
export type WebhookEvent =
${[...readEvents(document)]
  .map(([schema, names]) => `  | (Omit<${schema}, "type"> & { type: ${names.map(quote).join(" | ")} })`)
  .join("\n")};
`;
}

/** The module that the client makes its methods of. What several operations have alike is written once: it is sent to servers. */
export function typescriptTable(document) {
  const operations = readOperations(document);
  const lists = operations
    .flatMap(({ accepts, headers }) => [accepts, headers.map((header) => header.name)])
    .map(quote);
  const shared = [...new Set(lists.filter((list, at) => list !== "[]" && lists.indexOf(list) !== at))];
  const listOf = (list) => {
    const text = quote(list);
    return shared.includes(text) ? `LIST_${shared.indexOf(text) + 1}` : text;
  };
  const rows = operations.map(({ name, method, path, query, headers, sends, accepts, maxLimit }) => {
    const members = [
      `method: ${quote(method)}`,
      `path: ${quote(path)}`,
      ...(query.length > 0 ? [`query: ${listOf(query.map((parameter) => parameter.name))}`] : []),
      ...(headers.length > 0 ? [`headers: ${listOf(headers.map((header) => header.name))}`] : []),
      ...(sends ? [`sends: ${quote(sends)}`] : []),
      `accepts: ${listOf(accepts)}`,
      ...(maxLimit ? [`maxLimit: ${maxLimit}`] : []),
    ];
    return `  ${name}: { ${members.join(", ")} },`;
  });
  return `${HEADING}
import type { Operation } from "./results.ts";

/** The release of the API that this was made for. */
export const VERSION = ${quote(document.info.version)};

${shared.map((list, at) => `const LIST_${at + 1} = ${list};`).join("\n")}

export const OPERATIONS: Readonly<Record<string, Operation>> = {
${rows.join("\n")}
};
`;
}

function methodOf({ name, summary, description, pathNames, query, headers, body, result, item }) {
  const options = [
    ...(query.length > 0 ? [queryName(name)] : []),
    ...(headers.length > 0
      ? [`{ ${headers.map((header) => `${camelCase(header.name)}?: string | undefined`).join("; ")} }`]
      : []),
    "CallOptions",
  ].join(" & ");
  const given = [
    ...pathNames.map((path) => `${path}: string`),
    ...(body ? [`body: ${typeOf(body, 1)}`] : []),
    `options${query.some(({ required }) => required) ? "" : "?"}: ${options}`,
  ];
  const gives = !result
    ? "Promise<void>"
    : item
      ? `Pages<${nameOf(result)}>`
      : `Promise<Tagged<${nameOf(result)}>>`;
  return `${comment([`${summary}.`, description].join(" "), 1)}  ${name}(${given.join(", ")}): ${gives};`;
}

function queryName(operation) {
  return `${operation[0].toUpperCase()}${operation.slice(1)}Query`;
}

function queryType(parameters) {
  const lines = parameters.map(
    ({ name, required, description, schema }) =>
      `${comment(description, 1)}  ${key(name)}${required ? "" : "?"}: ${typeOf(schema, 1)}${required ? "" : " | undefined"};`,
  );
  return `{\n${lines.join("\n")}\n}`;
}

function formsOf(accepts) {
  return [
    ["csv", "text/csv"],
    ["ndjson", "application/x-ndjson"],
  ]
    .filter(([, type]) => accepts.includes(type))
    .map(([form]) => quote(form))
    .join(" | ");
}

function typeOf(schema, depth) {
  if (schema.$ref) return nameOf(schema);
  if (schema.enum) return schema.enum.map(quote).join(" | ");
  if ("const" in schema) return quote(schema.const);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return [...new Set(choices.map((choice) => typeOf(choice, depth)))].join(" | ");
  if (Array.isArray(schema.type))
    return schema.type.map((type) => typeOf({ ...schema, type }, depth)).join(" | ");
  switch (schema.type) {
    case "integer":
      return "number";
    case "string":
    case "number":
    case "boolean":
    case "null":
      return schema.type;
    case "array": {
      const item = typeOf(schema.items, depth);
      return item.includes(" ") && !item.startsWith("{") ? `(${item})[]` : `${item}[]`;
    }
    case "object":
      return objectType(schema, depth);
    default:
      return "unknown";
  }
}

function objectType({ properties = {}, required = [], additionalProperties }, depth) {
  const indent = "  ".repeat(depth);
  const lines = Object.entries(properties).map(
    ([name, schema]) =>
      `${comment(schema.description, depth + 1)}${indent}  ${key(name)}${required.includes(name) ? "" : "?"}: ${typeOf(schema, depth + 1)};`,
  );
  if (lines.length > 0) return `{\n${lines.join("\n")}\n${indent}}`;
  return `Record<string, ${typeof additionalProperties === "object" ? typeOf(additionalProperties, depth) : "unknown"}>`;
}

function comment(text, depth) {
  if (!text) return "";
  const indent = "  ".repeat(depth);
  const lines = text.replaceAll("*/", "*\\/").trim().split("\n");
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`;
}

function key(name) {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name);
}

function quote(value) {
  return JSON.stringify(value);
}
