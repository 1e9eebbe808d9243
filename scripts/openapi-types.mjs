// TypeScript types of an OpenAPI 3.1 document as the staff application publishes it: schemas by name, reads by path,
// writes by operation. The generators of the field need TypeScript's old compiler interface, which version 7 has not.

import { writtenOut } from "./openapi-document.mjs";

/** The text of a module with `Schemas`, `Reads` and `Writes`. */
export function operationTypes(document) {
  const { components, paths } = writtenOut(document);
  const schemas = Object.entries(components.schemas)
    .filter(([name]) => !name.endsWith("Answer") || !isWriteAnswer(components.schemas[name]))
    .map(([name, schema]) => `  ${key(name)}: ${typeOf(schema, 1)};`);
  const reads = [];
  const writes = [];
  const uploads = [];
  for (const [path, methods] of Object.entries(paths))
    for (const [method, operation] of Object.entries(methods)) {
      if (method === "get") reads.push(`  ${key(path)}: ${readType(operation)};`);
      else if (operation.requestBody?.content["multipart/form-data"])
        uploads.push(`  ${key(operation.operationId)}: ${uploadType(operation)};`);
      else if (method === "post") writes.push(`  ${key(operation.operationId)}: ${writeType(operation)};`);
    }
  return `// Made by \`npm run console:types\` from /app/openapi.json. Not to be edited.

export interface Schemas {
${schemas.join("\n")}
}

/** Reads by their path. */
export interface Reads {
${reads.join("\n")}
}

/** Writes by the name of their operation. */
export interface Writes {
${writes.join("\n")}
}

/** What is sent with a file, by the name of its operation. */
export interface Uploads {
${uploads.join("\n")}
}
`;

  function readType(operation) {
    const of = (place) => (operation.parameters ?? []).filter((parameter) => parameter.in === place);
    const members = (parameters) =>
      parameters.length === 0
        ? "Record<never, never>"
        : objectType(
            Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
            parameters.filter(({ required }) => required).map(({ name }) => name),
            2,
          );
    const answer = typeOf(operation.responses[200].content["application/json"].schema, 2);
    return `{\n    params: ${members(of("path"))};\n    query: ${members(of("query"))};\n    answer: ${answer};\n  }`;
  }

  function writeType(operation) {
    const { dryRun, ...input } = operation.requestBody.content["application/json"]?.schema.properties ?? {};
    const { required = [] } = operation.requestBody.content["application/json"]?.schema ?? {};
    const schema = resolve(operation.responses[200].content["application/json"].schema);
    const { result } = isWriteAnswer(schema) ? schema.properties : { result: schema };
    return `{\n    input: ${objectType(input, required, 2)};\n    result: ${result ? typeOf(result, 2) : "unknown"};\n  }`;
  }

  function uploadType(operation) {
    const { input } = operation.requestBody.content["multipart/form-data"].schema.properties;
    const answer = resolve(operation.responses[200].content["application/json"].schema);
    return `{\n    input: ${typeOf(input, 2)};\n    answer: ${typeOf(answer, 2)};\n  }`;
  }

  function resolve(schema) {
    return schema.$ref ? components.schemas[schema.$ref.split("/").at(-1)] : schema;
  }
}

/** What a recorded write answers: the audit entry and the result. */
function isWriteAnswer(schema) {
  return schema.properties?.auditId !== undefined && schema.properties.dryRun !== undefined;
}

function typeOf(schema, depth) {
  if (schema === true || schema === undefined) return "unknown";
  if (schema === false) return "never";
  if (schema.$ref) return `Schemas[${JSON.stringify(schema.$ref.split("/").at(-1))}]`;
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if ("const" in schema) return JSON.stringify(schema.const);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices && !schema.properties) return choices.map((choice) => typeOf(choice, depth)).join(" | ");
  if (Array.isArray(schema.type))
    return schema.type.map((type) => typeOf({ ...schema, type }, depth)).join(" | ");
  switch (schema.type) {
    case "string":
      return "string";
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    case "null":
      return "null";
    case "array":
      return `readonly (${typeOf(schema.items, depth)})[]`;
    case "object":
      return objectType(schema.properties, schema.required ?? [], depth, schema.additionalProperties);
    default:
      return "unknown";
  }
}

function objectType(properties = {}, required = [], depth = 0, others = undefined) {
  const indent = "  ".repeat(depth);
  const lines = Object.entries(properties).map(
    ([name, schema]) =>
      `${indent}  readonly ${key(name)}${required.includes(name) ? "" : "?"}: ${typeOf(schema, depth + 1)};`,
  );
  if (lines.length === 0)
    return typeof others === "object"
      ? `Readonly<Record<string, ${typeOf(others, depth)}>>`
      : others === false || others === undefined
        ? "Record<never, never>"
        : "Readonly<Record<string, unknown>>";
  return `{\n${lines.join("\n")}\n${indent}}`;
}

function key(name) {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}
