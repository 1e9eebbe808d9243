import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { isCalendarDate, parseInstant, parseWallClock } from "../../src/core/dates.ts";
import type { Answer } from "./api.ts";

/** Faults of an answer against the published OpenAPI document; none for addresses it does not describe. */
export type ContractCheck = (method: string, path: string, answer: Answer) => string[];

interface Document {
  readonly paths: Record<string, Record<string, OperationObject>>;
  readonly components: { readonly schemas: Record<string, Record<string, unknown>> };
}

interface OperationObject {
  readonly responses: Record<string, { readonly content?: Record<string, { readonly schema: object }> }>;
}

const WIRE_INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/**
 * Stricter than what callers are promised: a member that the document does not name, or an instant in another
 * spelling than ours, is a fault of the server even though callers must tolerate the first.
 */
export function loadContract(document: object): ContractCheck {
  const { paths, components } = document as Document;
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    meta: false,
    validateSchema: false,
    // Most checks are asked a few times and every process compiles them again: so in half the time.
    inlineRefs: false,
    code: { optimize: false },
  });
  ajv.addFormat("date-time", (text) => WIRE_INSTANT.test(text) && parseInstant(text) !== undefined);
  ajv.addFormat("date", isCalendarDate);
  ajv.addFormat("local-date-time", (text) => parseWallClock(text) !== undefined);
  ajv.addFormat("uuid", /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
  ajv.addFormat("uri", (text) => URL.canParse(text));
  ajv.addFormat("email", true);
  ajv.addFormat("int32", true);
  ajv.addFormat("int64", true);
  const closed = JSON.parse(
    JSON.stringify(components.schemas, (_key, value) =>
      value && typeof value === "object" && value.type === "object" && value.properties
        ? { additionalProperties: false, ...value }
        : value,
    ),
  ) as object;
  ajv.addSchema({ $id: "contract", components: { schemas: closed } });
  const checkOf = schemaChecks(ajv);
  const findOperation = operationsOf(paths);

  return (method, path, answer) => {
    const found = findOperation(method, path);
    if (!found) return [];
    const described = found.operation.responses[String(answer.status)];
    if (!described) return [`status ${answer.status} is not documented for ${found.id}`];
    const faults: string[] = [];
    if (!answer.headers.get("x-request-id")) faults.push("X-Request-Id is missing");
    const type = answer.headers.get("content-type") ?? "";
    const content = described.content?.[type.split(";", 1)[0] ?? ""];
    if (described.content && !content) return [...faults, `content type ${type} is not documented`];
    if (!described.content && answer.text !== "") faults.push("a body where none is documented");
    if (!content || method === "HEAD") return faults;
    if (!/json$/.test(type) || type === "application/x-ndjson") {
      const lines = answer.text.split("\n").length - 1;
      if (answer.headers.get("link")) faults.push("a file has a schema");
      if (type === "application/x-ndjson" && lines !== Number(answer.headers.get("x-total-count")))
        faults.push("the lines are not as many as X-Total-Count");
      return faults;
    }
    if (!answer.text.startsWith('{"$schema":"')) faults.push("$schema is not the first member");
    if (!answer.headers.get("link")?.includes(answer.body.$schema)) faults.push("Link is not $schema");
    const validate = checkOf(content.schema);
    if (!validate(answer.body)) faults.push(ajv.errorsText(validate.errors));
    return faults;
  };
}

/** The check of a schema that refers to the document, which `ajv` has as "contract". Equal ones are compiled once. */
export function schemaChecks(ajv: Ajv2020): (schema: object) => ValidateFunction {
  const byText = new Map<string, ValidateFunction>();
  const bySchema = new WeakMap<object, ValidateFunction>();
  return (schema) => {
    const known = bySchema.get(schema);
    if (known) return known;
    const text = JSON.stringify(schema).replaceAll('"#/', '"contract#/');
    const check = byText.get(text) ?? ajv.compile(JSON.parse(text));
    byText.set(text, check);
    bySchema.set(schema, check);
    return check;
  };
}

/** Finds what describes a request. */
function operationsOf(paths: Document["paths"]) {
  const matchers = Object.entries(paths).map(([template, operations]) => ({
    template,
    operations,
    form: new RegExp(`^${template.replace(/\{\w+\}/g, "[^/]+")}$`),
  }));
  return (method: string, address: string) => {
    const path = address.split("?", 1)[0] ?? "";
    for (const { template, operations, form } of matchers) {
      const operation = operations[(method === "HEAD" ? "GET" : method).toLowerCase()];
      if (operation && form.test(path)) return { id: `${method} ${template}`, operation };
    }
    return undefined;
  };
}
