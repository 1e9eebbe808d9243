import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { parse } from "yaml";
import { aboutPublicApi } from "../../src/api/public-document.ts";
import type { NamedOperation } from "../../src/api/server.ts";
import { applicationDocument } from "../../src/app/application.ts";
import type { Operation } from "../../src/http/declaration.ts";
import { describeApi, describeInFull, newDocument } from "../../src/http/openapi.ts";
import { LANGUAGE_TAGS } from "../../src/languages/dictionary.ts";
import { buildUnserved, publishedDocument, publishedExamples } from "../../src/process/published.ts";
import { PUBLIC_URL, startApi } from "../support/api.ts";
import { schemaChecks } from "../support/contract.ts";
import { writtenOut } from "../support/openapi-document.ts";

const api = await startApi();
// biome-ignore lint/suspicious/noExplicitAny: the document is walked as the JSON that it is
type Json = any;
const document: Json = (await api.call("GET", "/openapi.json")).body;
const operations = Object.entries<Json>(writtenOut(document).paths).flatMap(([path, item]) =>
  Object.entries<Json>(item).map(([method, operation]) => ({ path, method, operation })),
);

/** The operations of the specification, by name. */
const SPECIFIED = {
  getOrganization: "get /v1/organization",
  listLocations: "get /v1/locations",
  listPlans: "get /v1/plans",
  getPlan: "get /v1/plans/{id}",
  listServiceTypes: "get /v1/service-types",
  getServiceType: "get /v1/service-types/{id}",
  listServiceGroups: "get /v1/service-groups",
  listSessions: "get /v1/calendar",
  listResources: "get /v1/resources",
  listContracts: "get /v1/contracts",
  getContract: "get /v1/contracts/{id}",
  listClients: "get /v1/clients",
  createClient: "post /v1/clients",
  getClient: "get /v1/clients/{id}",
  replaceClient: "put /v1/clients/{id}",
  archiveClient: "delete /v1/clients/{id}",
};

/** Those that were added since. */
const ADDED = {
  listChanges: "get /v1/changes",
  patchClient: "patch /v1/clients/{id}",
};

test("the committed openapi.json is what the server publishes (else: npm run openapi)", async () => {
  const committed = await readFile(new URL("../../../openapi.json", import.meta.url), "utf8");
  assert.equal(committed, await publishedDocument());
  const examples = await readFile(new URL("../../../site/file-examples.json", import.meta.url), "utf8");
  assert.deepEqual(JSON.parse(examples), Object.fromEntries(await publishedExamples()));
});

test("the document describes the fourteen operations of the specification and those that were added", () => {
  const described = Object.fromEntries(
    operations.map(({ path, method, operation }) => [operation.operationId, `${method} ${path}`]),
  );
  assert.deepEqual(described, { ...SPECIFIED, ...ADDED });
});

test("every operation is described in full, with every status it can answer", () => {
  for (const { path, method, operation } of operations) {
    const name = `${method} ${path}`;
    assert.ok(operation.summary && operation.description && operation.tags.length === 1, name);
    const statuses = Object.keys(operation.responses);
    // The change feed is another one each time.
    const hasTag = path !== "/v1/changes";
    const always = ["307", "400", "401", "402", "403", "408", "429", "431", "500", "501", "503"];
    const expected = [
      ...always,
      ...(operation.parameters.some(({ name }: Json) => name !== "Accept-Language") || operation.requestBody
        ? ["422"]
        : []),
      ...(path.includes("{id}") ? ["404"] : []),
      // What can be had as a file too is never without a form.
      ...(method === "get" && !operation.responses["200"].content["text/csv"] ? ["406"] : []),
      // A body that nobody asked for is refused, and can be too large as well. A key can be in use.
      ...(method === "get" ? (hasTag ? ["304"] : []) : ["409", "413", "415"]),
      ...(method === "post" || !hasTag ? [] : ["412"]),
      ...(path === "/v1/changes" ? ["410"] : []),
      ...(method === "put" || method === "patch" ? ["428"] : []),
    ];
    const success = { post: "201", delete: "204" }[method as string] ?? "200";
    assert.deepEqual(statuses.sort(), [...expected, success].sort(), name);
    for (const [status, response] of Object.entries<Json>(operation.responses)) {
      assert.ok(response.description, `${name} ${status}`);
      assert.ok(response.headers["X-Request-Id"], `${name} ${status}`);
      for (const content of Object.values<Json>(response.content ?? {})) {
        const example = content.example ?? content.examples ?? content["x-externalValue"];
        assert.ok(example !== undefined, `${name} ${status} has no example`);
      }
    }
    if (operation.requestBody) {
      const content = operation.requestBody.content["application/json"];
      assert.ok(content.example !== undefined || content.examples, `${name} has no example of its body`);
    }
  }
  const ids = operations.map(({ operation }) => operation.operationId);
  assert.equal(new Set(ids).size, ids.length);
});

test("nothing in the document has to be fetched from elsewhere: generators take it from a file too", () => {
  const text = JSON.stringify(document);
  assert.doesNotMatch(text, /"externalValue":/);
  for (const [, target] of text.matchAll(/"\$ref":"([^"]*)"/g)) assert.match(target ?? "", /^#\//);
});

test("the examples of the document hold against its own schemas", () => {
  const ajv = strictAjv();
  ajv.addKeyword({ keyword: "components" });
  ajv.addSchema({ $id: "contract", components: document.components } as object);
  const validatorOf = schemaChecks(ajv);
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

test("the document repeats little and loses nothing: written out, it is what it was made of, in each language", async () => {
  let operations: () => readonly NamedOperation[] = () => [];
  const nothing = () => {};
  const app = buildUnserved({
    observeRequest: nothing,
    watchOperations: (list) => {
      operations = list;
    },
    watchCache: nothing,
    observeGateBatch: nothing,
    observeKeyedWrite: nothing,
    observeStorageFull: nothing,
  });
  await app.ready();
  const declared = operations() as readonly Operation[];
  await app.close();
  const isStaffs = ({ path }: Operation) => path.startsWith("/app/");
  const scopes = [
    {
      ...newDocument(PUBLIC_URL, "", aboutPublicApi("1")),
      operations: declared.filter((one) => !isStaffs(one)),
    },
    { ...applicationDocument(PUBLIC_URL, "1"), operations: declared.filter(isStaffs) },
  ];
  for (const scope of scopes) {
    assert.ok(scope.operations.length > 15);
    for (const language of LANGUAGE_TAGS) {
      const described = describeInFull(scope, language);
      const published = describeApi(scope, language);
      assert.deepEqual(writtenOut(published), writtenOut(described));
      assert.ok(JSON.stringify(published).length < JSON.stringify(described).length / 2);
    }
  }
});

test("the document is at most 120 kB, as it is served and as it is committed", async () => {
  assert.ok((await api.call("GET", "/openapi.json")).text.length <= 120_000);
  assert.ok((await publishedDocument()).length <= 120_000);
});

test("the document says what linters ask for: contact, licence, servers, a description of each tag", async () => {
  assert.ok(document.info.contact.name && document.info.contact.url);
  assert.deepEqual(document.info.license, { name: "MIT", identifier: "MIT" });
  for (const { name, description } of document.tags) assert.ok(description, name);
  const tags = new Set(document.tags.map(({ name }: Json) => name));
  for (const { path, operation } of operations) {
    assert.deepEqual(
      operation.tags.filter((tag: string) => !tags.has(tag)),
      [],
      path,
    );
    assert.ok(operation.summary && operation.description, path);
    assert.ok(
      Object.keys(operation.responses).some((status) => status.startsWith("4")),
      path,
    );
  }
  // On localhost each reader means another machine.
  const committed = JSON.parse(await publishedDocument());
  assert.deepEqual(committed.servers, [{ url: "/" }]);
});

test("published patterns use only what every dialect of regular expressions reads alike", () => {
  const portable = /^\^(?:\[\^?(?:\\x[0-9a-f]{2}|[A-Za-z0-9_-])+\](?:\*|\+|\{\d+(?:,\d*)?\})?)+\$$/;
  const patterns = new Set<string>();
  walk(document, (node) => {
    if (typeof node.pattern === "string") patterns.add(node.pattern);
  });
  assert.ok(patterns.size >= 4);
  for (const pattern of patterns) {
    assert.match(pattern, portable);
    // With and without the flag they accept the same.
    for (const text of ["", "a", "ABC", "\t", "\n", "\u0000", "\u007f", "\u0085", "é", "😀", "\u2028"]) {
      assert.equal(new RegExp(pattern).test(text), new RegExp(pattern, "u").test(text), pattern);
    }
  }
});

test("the document keeps to what generators can read", () => {
  assert.match(document.openapi, /^3\.1\./);
  assert.equal(document.jsonSchemaDialect, undefined);
  assert.deepEqual(document.servers, [{ url: PUBLIC_URL }]);
  assert.equal(document.components.securitySchemes.key.scheme, "bearer");
  assert.deepEqual(document.security, [{ key: [] }]);
  const names = new Set(Object.keys(document.components.schemas));
  walk(document, (node, place) => {
    if (typeof node.$ref === "string") {
      const target = node.$ref
        .split("/")
        .slice(1)
        .reduce((part: Json, step: string) => part?.[step], document);
      assert.ok(target, `${place}: ${node.$ref} leads nowhere`);
    }
    if (place.endsWith("/properties") || place.includes("/example")) return;
    if ("enum" in node || "const" in node) assert.ok(node.type, `${place}: no type beside the values`);
    assert.ok(!("prefixItems" in node) && !("nullable" in node) && !("$id" in node), place);
  });
  for (const { path, operation } of operations) {
    for (const parameter of operation.parameters ?? []) {
      assert.ok(parameter.description && parameter.schema.type, `${path} ${parameter.name}`);
      assert.equal(parameter.in === "path", parameter.required && path.includes(`{${parameter.name}}`));
    }
    for (const name of path.match(/(?<=\{)\w+/g) ?? []) {
      assert.ok(
        operation.parameters.some((parameter: Json) => parameter.name === name),
        `${path} ${name}`,
      );
    }
  }
  const used = new Set(JSON.stringify(document).match(/(?<=#\/components\/schemas\/)\w+/g));
  assert.deepEqual(
    [...names].filter((name) => !used.has(name)),
    [],
  );
});

test("/openapi.yaml says the same as /openapi.json", async () => {
  const yaml = await api.call("GET", "/openapi.yaml");
  assert.equal(yaml.headers.get("content-type"), "application/yaml");
  assert.deepEqual(parse(yaml.text), document);
});

test("every component of the document is served as a schema that stands alone, inputs too", async () => {
  const studio = await api.newOrganization();
  const ajv = strictAjv();
  const names = Object.keys(document.components.schemas);
  assert.ok(names.includes("ClientInput") && names.includes("Client") && names.includes("Problem"));
  for (const name of names) {
    const { status, headers, body } = await api.call("GET", `/schemas/${name}.json`);
    assert.equal(status, 200, name);
    assert.equal(headers.get("content-type"), "application/schema+json");
    assert.equal(body.$id, `${PUBLIC_URL}/schemas/${name}.json`);
    assert.equal(body.$schema, "https://json-schema.org/draft/2020-12/schema");
    assert.doesNotMatch(JSON.stringify(body), /"\$ref"/, name);
    ajv.compile(body);
  }
  const isValid = (name: string, value: unknown) => ajv.validate(`${PUBLIC_URL}/schemas/${name}.json`, value);
  assert.ok(isValid("ClientInput", { contactName: "Ana" }));
  assert.ok(!isValid("ClientInput", { contactNam: "Ana" }));
  const organization = await studio.get("/v1/organization");
  assert.ok(isValid("Organization", organization.body));
  for (const path of [
    "/schemas/Nothing.json",
    "/schemas/Problem",
    "/schemas/toString.json",
    "/schemas/a%2Fb.json",
  ]) {
    assert.equal((await api.call("GET", path)).status, 404, path);
  }
});

test("the document, its schemas and the reference need no key, and are not sent again to who has them", async () => {
  for (const path of ["/openapi.json", "/openapi.yaml", "/schemas/Problem.json", "/docs", "/docs/icon.svg"]) {
    const { status, headers } = await api.call("GET", path);
    assert.equal(status, 200, path);
    assert.equal(headers.get("cache-control"), "public, max-age=300", path);
    const etag = headers.get("etag") ?? "";
    assert.match(etag, /^"[\w-]{22}"$/, path);
    for (const method of ["GET", "HEAD"]) {
      const again = await api.call(method, path, { headers: { "if-none-match": `"x", W/${etag}` } });
      assert.equal(again.status, 304, path);
      assert.equal(again.text, "", path);
      assert.equal(again.headers.get("etag"), etag, path);
      assert.equal(again.headers.get("cache-control"), "public, max-age=300", path);
    }
    for (const other of ['"x"', "x", ""])
      assert.equal((await api.call("GET", path, { headers: { "if-none-match": other } })).status, 200, path);
  }
});

function strictAjv(): Ajv2020 {
  const ajv = new Ajv2020({ strict: true, strictRequired: false, allErrors: true });
  for (const format of ["uuid", "date", "date-time", "email", "uri", "int32", "int64"])
    ajv.addFormat(format, true);
  return ajv;
}

function walk(node: Json, visit: (node: Json, place: string) => void, place = ""): void {
  if (node === null || typeof node !== "object") return;
  if (!Array.isArray(node)) visit(node, place);
  for (const [name, child] of Object.entries(node)) walk(child, visit, `${place}/${name}`);
}
