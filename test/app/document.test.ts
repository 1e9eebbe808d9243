import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { OWN_WRITES, STAFF_WRITES } from "../../src/app/all-writes.ts";
import { STAFF_REFUSALS } from "../../src/core/refusals.ts";
import { PUBLIC_URL, startApi } from "../support/api.ts";
import { schemaChecks } from "../support/contract.ts";
import { writtenOut } from "../support/openapi-document.ts";

const api = await startApi();
// biome-ignore lint/suspicious/noExplicitAny: the document is walked as the JSON that it is
type Json = any;
const document: Json = (await api.call("GET", "/app/openapi.json")).body;
const { paths } = writtenOut(document);
const operations = Object.entries<Json>(paths).flatMap(([path, item]) =>
  Object.entries<Json>(item).map(([method, operation]) => ({ path, method, operation })),
);

test("the application has a document of its own, and nothing of it is in that of the public API", async () => {
  assert.equal(document.openapi, "3.1.1");
  assert.deepEqual(document.security, [{ signIn: [] }]);
  assert.equal(document.components.securitySchemes.signIn.name, "__Host-rollbook");
  assert.ok(operations.every(({ path }) => path.startsWith("/app/v1/")));
  const { body } = await api.call("GET", "/openapi.json");
  assert.ok(!JSON.stringify(body).includes("/app/"));
  assert.equal((await api.call("GET", "/app/openapi.yaml")).status, 200);
});

test("every reference leads somewhere, every name is used once, every tag is described", () => {
  walk(document, (node) => {
    if (typeof node.$ref !== "string") return;
    const found = node.$ref
      .slice(2)
      .split("/")
      .reduce((part: Json, name: string) => part?.[name], document);
    assert.ok(found !== undefined, node.$ref);
  });
  const ids = operations.map(({ operation }) => operation.operationId);
  assert.equal(new Set(ids).size, ids.length);
  const tags = new Set(document.tags.map(({ name }: Json) => name));
  for (const { path, operation } of operations) {
    assert.ok(operation.summary && operation.description && tags.has(operation.tags[0]), path);
    assert.ok(operation.responses["401"] && operation.responses["403"] && operation.responses["503"], path);
  }
});

test("every schema has an address, where it is served as it is named", async () => {
  for (const name of Object.keys(document.components.schemas)) {
    const { status, body } = await api.call("GET", `/app/schemas/${name}.json`);
    assert.equal(status, 200, name);
    assert.equal(body.$id, `${PUBLIC_URL}/app/schemas/${name}.json`);
  }
});

test("the examples hold against the schemas beside them", () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true, meta: false, validateSchema: false });
  for (const format of ["uuid", "date", "date-time", "local-date-time", "email", "uri", "int32", "int64"])
    ajv.addFormat(format, true);
  const validatorOf = schemaChecks(ajv);
  ajv.addSchema({ $id: "contract", components: document.components } as object);
  for (const { path, method, operation } of operations) {
    const contents = [operation.requestBody, ...Object.values<Json>(operation.responses)].flatMap((part) =>
      Object.values<Json>(part?.content ?? {}),
    );
    // Those of files stand at addresses of their own, and are no JSON.
    for (const { schema, example, examples } of contents.filter((content) => !content["x-externalValue"])) {
      const validate = validatorOf(schema);
      const shown = Object.values<Json>(examples ?? {}).map(({ value }) => value);
      for (const one of examples ? shown : [example])
        assert.ok(validate(one), `${method} ${path}: ${ajv.errorsText(validate.errors)}`);
    }
  }
});

test("a write says that it needs a key, that it can be a dry run, and what refuses it", () => {
  for (const { name, refusals } of [...OWN_WRITES, ...STAFF_WRITES]) {
    const operation = paths[`/app/v1/${name}`].post;
    const key = operation.parameters.find((parameter: Json) => parameter.name === "Idempotency-Key");
    assert.equal(key?.required, true, name);
    const { schema } = operation.requestBody.content["application/json"];
    assert.equal(schema.properties.dryRun?.type, "boolean", name);
    assert.equal(schema.additionalProperties, false, name);
    assert.ok(operation.responses["409"] && operation.responses["422"], name);
    for (const { facts } of refusals) {
      const reason = facts.reason as keyof typeof STAFF_REFUSALS | undefined;
      if (reason !== undefined) assert.ok(reason in STAFF_REFUSALS, `${name}: ${reason}`);
    }
  }
});

test("every refusal is in the guide of the application", () => {
  const [, refusals = ""] = readFileSync("docs/application.md", "utf8").split("## Refusals");
  const untold = Object.keys(STAFF_REFUSALS).filter((reason) => !refusals.includes(`\`${reason}\``));
  assert.deepEqual(untold, []);
});

test("what is stored of a result for repeats is an id, or has nothing but ids, dates, numbers and fixed words", () => {
  const isPlain = (schema: Json): boolean => {
    if (schema.type === "object") return Object.values<Json>(schema.properties ?? {}).every(isPlain);
    if (schema.type === "array") return isPlain(schema.items);
    if (schema.type !== "string") return /^(integer|number|boolean)$/.test(schema.type);
    // The word of a refusal has no format, but no room for a person either.
    return (
      /^(uuid|date|date-time|local-date-time|uri)$/.test(schema.format) ||
      schema.enum !== undefined ||
      schema.maxLength <= 64
    );
  };
  for (const { name, repeat, result, secrets } of [...OWN_WRITES, ...STAFF_WRITES]) {
    if (repeat) continue;
    assert.ok(isPlain(result), `${name} stores its result as it is`);
    assert.equal(secrets, undefined, name);
  }
});

test("every text that is taken has a form, which refuses what cannot be stored as it was sent", async () => {
  const { body: publicDocument } = await api.call("GET", "/openapi.json");
  const found: string[] = [];
  for (const { components, paths } of [document, publicDocument])
    for (const [path, item] of Object.entries<Json>(paths))
      for (const { operationId, requestBody } of Object.values<Json>(item)) {
        const seen = new Set<string>();
        const visit = (node: Json) => {
          if (typeof node.$ref === "string" && !seen.has(node.$ref)) {
            seen.add(node.$ref);
            walk(components.schemas[node.$ref.split("/").pop()], visit);
          }
          if (![node.type].flat().includes("string")) return;
          const isFixed = /^(uuid|date|date-time|local-date-time|binary)$/.test(node.format) || node.enum;
          if (!isFixed && node.pattern === undefined)
            found.push(`${operationId} ${path}: ${JSON.stringify(node)}`);
        };
        for (const { schema } of Object.values<Json>(requestBody?.content ?? {})) walk(schema, visit);
      }
  assert.deepEqual(found, []);
});

test("signing in asks for no credential and takes no key", () => {
  for (const name of ["signIn", "acceptLink", "beginPasskeySignIn", "signInByPasskey"]) {
    const operation = paths[`/app/v1/${name}`].post;
    assert.deepEqual(operation.security, []);
    assert.ok(!operation.parameters.some((parameter: Json) => parameter.name === "Idempotency-Key"));
  }
  assert.ok(paths["/app/v1/signIn"].post.responses["429"].headers["Retry-After"]);
});

function walk(node: Json, visit: (node: Json) => void): void {
  if (node === null || typeof node !== "object") return;
  if (!Array.isArray(node)) visit(node);
  for (const child of Object.values(node)) walk(child, visit);
}
