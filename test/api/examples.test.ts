import assert from "node:assert/strict";
import { before, test } from "node:test";
import { EXAMPLE_IDS } from "../../src/core/example-ids.ts";
import { importRecords } from "../../src/data/bundle/import.ts";
import { demoStudio } from "../../src/data/demo/studio.ts";
import { mintKey } from "../../src/domain/keys/operations.ts";
import { LANGUAGE_TAGS } from "../../src/languages/dictionary.ts";
import { type Answer, startApi } from "../support/api.ts";
import { newId } from "../support/ids.ts";
import { writtenOut } from "../support/openapi-document.ts";

/** The day on which the examples are written. */
const TODAY = "2026-11-15";

const api = await startApi();
let keyId: string;
let call: (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Answer>;

before(async () => {
  const records = demoStudio({ today: TODAY }).map((record) =>
    record.kind === "organization" ? { ...record, id: newId() } : record,
  );
  const { organizationId } = await api.db.transaction((tx) => importRecords(tx, records, { actor: "test" }));
  const { id, key } = await mintKey(api.db, api.keySecret, "test", { organizationId });
  keyId = id;
  const authorization = `Bearer ${key}`;
  call = (method, path, body, headers) =>
    api.call(method, path, { headers: { ...headers, authorization }, ...(body !== undefined && { body }) });
});

interface Content {
  readonly example?: Record<string, unknown>;
  /** Of failures, by code. */
  readonly examples?: Record<string, { readonly value?: Record<string, unknown> }>;
  /** Where that of a file is. */
  readonly "x-externalValue"?: string;
}

interface Operation {
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: "path" | "query" | "header";
    readonly required: boolean;
    readonly schema: { readonly examples?: readonly string[]; readonly maximum?: number };
  }[];
  readonly requestBody?: { readonly content: Record<string, Content> };
  readonly responses: Record<string, { readonly content?: Record<string, Content> }>;
}

type Paths = Record<string, Record<string, Operation>>;
const { paths } = api.document as { paths: Paths };

/** The paths of the document that shows failures in each language. */
const translations = await Promise.all(
  LANGUAGE_TAGS.map(async (language): Promise<[language: string, paths: Paths]> => {
    const { body } = await api.call("GET", language === "en" ? "/openapi.json" : `/openapi.${language}.json`);
    return [language, writtenOut(body).paths];
  }),
);

/** The address that the examples of the parameters give, with the optional ones if wanted. */
function addressOf(
  path: string,
  { parameters = [] }: Operation,
  isWanted: (name: string) => boolean,
): string {
  const query = new URLSearchParams();
  let address = path;
  for (const { name, in: place, required, schema } of parameters) {
    const example = schema.examples?.[0];
    if (place === "path") address = address.replace(`{${name}}`, String(example));
    else if (place === "query" && example !== undefined && (required || isWanted(name)))
      query.set(name, example);
  }
  return query.size > 0 ? `${address}?${query}` : address;
}

function exampleOf({ responses }: Operation, status: number): unknown {
  return contentOf(responses, status)?.example;
}

function contentOf(responses: Operation["responses"], status: number): Content | undefined {
  return Object.values(responses[status]?.content ?? {})[0];
}

function withoutLink(body: Record<string, unknown>): Record<string, unknown> {
  const { $schema, ...rest } = body;
  return rest;
}

const FEED = "/v1/changes";

test("each example of a read is exactly what the demo studio answers on its day", async () => {
  const compared: string[] = [];
  for (const [path, { get }] of Object.entries(paths)) {
    // What has changed is not of the studio but of its past: see below.
    if (!get || path === FEED) continue;
    const { status, body } = await call(
      "GET",
      addressOf(path, get, () => true),
    );
    assert.equal(status, 200, path);
    const example = exampleOf(get, 200) as Record<string, unknown>;
    if (Array.isArray(example.data)) {
      const [record] = example.data;
      assert.deepEqual(
        body.data.find(({ id }: { id: string }) => id === record.id),
        record,
        path,
      );
      assert.equal(example.total, example.data.length, path);
    } else {
      // Ids are an organization's own, but for that of the organization: two demos live side by side.
      const id = path === "/v1/organization" ? EXAMPLE_IDS.organization : body.id;
      assert.deepEqual({ ...withoutLink(body), id }, example, path);
    }
    compared.push(path);
  }
  assert.equal(compared.length, 13);
});

test("each example of a file is of the lines that the demo studio answers on its day, and is a file itself", async () => {
  const compared: string[] = [];
  for (const [path, { get }] of Object.entries(paths)) {
    for (const [type, content] of Object.entries(get?.responses[200]?.content ?? {})) {
      const address = content["x-externalValue"];
      if (!get || address === undefined) continue;
      const { status, text, headers } = await api.call("GET", `/${address}`);
      assert.equal(status, 200, address);
      assert.equal(headers.get("content-type"), `${type}; charset=utf-8`);
      compared.push(`${path} ${type}`);
      // What has changed is not of the studio but of its past.
      if (path === FEED) continue;
      const asked = addressOf(
        path,
        get,
        (name) => !["limit", "offset", "cursor", "include", "csv"].includes(name),
      );
      const file = await call("GET", asked, undefined, { accept: type });
      assert.equal(file.status, 200, asked);
      const [head = "", record = ""] =
        type === "text/csv"
          ? [text.slice(0, text.indexOf("\n") + 1), text.slice(text.indexOf("\n") + 1)]
          : ["", text];
      assert.ok(file.text.startsWith(head), address);
      assert.ok(record.length > 50 && `\n${file.text}`.includes(`\n${record}`), `${address}: ${record}`);
    }
  }
  assert.equal(compared.length, 17, compared.join("\n"));
});

test("each example of a write is accepted, twice, and answered as the document shows", async () => {
  const { post } = paths["/v1/clients"] ?? {};
  const { put, patch, delete: remove } = paths["/v1/clients/{id}"] ?? {};
  assert.ok(post && put && patch && remove);
  const bodyOf = (operation: Operation) => operation.requestBody?.content["application/json"]?.example;
  const client = addressOf("/v1/clients/{id}", put, () => false);
  for (let round = 0; round < 2; round++) {
    const created = await call("POST", "/v1/clients", bodyOf(post));
    assert.equal(created.status, 201);
    const { id, createdAt, updatedAt } = created.body;
    const shown = exampleOf(post, 201) as Record<string, unknown>;
    assert.deepEqual(withoutLink(created.body), { ...shown, id, createdAt, updatedAt });

    assert.equal((await call("DELETE", client)).status, 204);
    const replaced = await call("PUT", client, bodyOf(put));
    assert.equal(replaced.status, 200);
    const { updatedAt: replacedAt } = replaced.body;
    assert.deepEqual(withoutLink(replaced.body), {
      ...(exampleOf(put, 200) as object),
      updatedAt: replacedAt,
    });
    await call("PUT", client, { ...replaced.body, contactPhone: "0", address: {} });
    const patched = await call("PATCH", client, bodyOf(patch));
    assert.equal(patched.status, 200);
    const { contactPhone, address } = patched.body;
    assert.deepEqual({ contactPhone, address }, bodyOf(patch));
    await call("PUT", client, bodyOf(put));
  }
});

test("the example of the change feed is what a write adds to it, at another place", async () => {
  const { get } = paths[FEED] ?? {};
  assert.ok(get);
  const example = exampleOf(get, 200) as { data: { id: string; reason: { requestId: string } }[] };
  const [entry] = example.data;
  assert.ok(entry);
  const begun = await call(
    "GET",
    addressOf(FEED, get, () => true),
  );
  assert.equal(begun.status, 200);
  const headers = { "x-request-id": entry.reason.requestId };
  assert.equal((await call("PATCH", `/v1/clients/${entry.id}`, { contactPhone: "1" }, headers)).status, 200);
  const { body } = await call("GET", `${FEED}?after=${begun.body.nextCursor}`);
  const { cursor, sequence, changedAt } = body.data[0];
  const shown = { ...entry, cursor, sequence, changedAt, reason: { ...entry.reason, keyId } };
  assert.deepEqual(withoutLink(body), { ...example, data: [shown], nextCursor: cursor });
});

test("each example of a fault, an unknown record and a conflict is what a caller then reads", async () => {
  const wrongClient = {
    contactName: "Ana Souza",
    contactEmail: "ana",
    idDocument: { type: "cpf", value: "11144477734" },
    locationIds: [EXAMPLE_IDS.location],
  };
  const sameDocument = { ...wrongClient, contactEmail: "ana@example.com" };
  sameDocument.idDocument = { type: "cpf", value: "111.444.777-35" };
  const { id: otherId } = (
    await call("POST", "/v1/clients", { contactName: "B", locationIds: [EXAMPLE_IDS.location] })
  ).body;
  const compared: string[] = [];
  const compare = async (
    path: string,
    method: string,
    status: number,
    address: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<void> => {
    const name = `${method} ${path} ${status}`;
    const operation = paths[path]?.[method.toLowerCase()];
    assert.ok(operation, name);
    for (const [language, translated] of translations) {
      const { responses = {} } = translated[path]?.[method.toLowerCase()] ?? {};
      const { examples = {} } = contentOf(responses, status) ?? {};
      const answer = await call(method, address, body, { ...headers, "accept-language": language });
      assert.equal(answer.status, status, name);
      const shown = examples[answer.body.code]?.value;
      assert.ok(shown, name);
      const { requestId } = shown;
      assert.deepEqual({ ...withoutLink(answer.body), requestId }, shown, `${name} ${language}`);
    }
    compared.push(name);
  };
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const verb = method.toUpperCase();
      const body = operation.requestBody?.content["application/json"]?.example;
      const at = (id: string) => path.replace("{id}", id);
      const limit = operation.parameters?.find(({ name }) => name === "limit")?.schema;
      if (path.includes("{id}")) await compare(path, verb, 404, at(newId()), body);
      if (operation.requestBody) {
        await compare(path, verb, 422, at(EXAMPLE_IDS.client), wrongClient);
        await compare(path, verb, 409, at(otherId), sameDocument);
      } else if (path.includes("{id}")) {
        await compare(path, verb, 422, at("x"));
      } else if (path === "/v1/calendar") {
        await compare(path, verb, 422, `${path}?from=${TODAY}T00:00:00Z&to=${TODAY}T00:00:00Z`);
      } else if (limit?.maximum !== undefined) {
        await compare(path, verb, 422, `${path}?limit=${limit.maximum + 1}`);
      } else {
        await compare(path, verb, 422, path, undefined, { "if-none-match": "x" });
      }
      if (operation.responses[412]) {
        const address = verb === "GET" ? addressOf(path, operation, () => false) : at(otherId);
        await compare(path, verb, 412, address, body, { "if-match": '"x"' });
      }
    }
  }
  assert.equal(compared.length, 44, compared.join("\n"));
});

/** Shown by the application alone, and made again with every demo. */
const OF_THE_APPLICATION = new Set([
  "booking",
  "waiting",
  "staff",
  "owner",
  "link",
  "calendarLink",
  "signIn",
  "passkey",
  "audit",
  "invoice",
  "payment",
]);

/** Made by somebody, so the demo is without them at first. */
const MADE_LATER = new Set(["newClient", "key", "webhook"]);

test("every id of an example is a record of the demo, whatever the day", () => {
  const shown = new Set(examplesIn(api.document).match(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{21}/g));
  const ids = Object.entries(EXAMPLE_IDS).filter(([name]) => !OF_THE_APPLICATION.has(name));
  assert.deepEqual([...shown].sort(), ids.map(([, id]) => id).sort());
  for (const today of [TODAY, "2026-01-01", "2026-12-24", "2027-05-01", "2028-02-29"]) {
    const studio = JSON.stringify(demoStudio({ today }));
    for (const [name, id] of ids) {
      assert.equal(studio.includes(`"${id}"`), !MADE_LATER.has(name), `${name} on ${today}`);
    }
  }
});

function examplesIn(node: unknown): string {
  if (typeof node !== "object" || node === null) return "";
  return Object.entries(node)
    .map(([name, value]) => (/^examples?$/.test(name) ? JSON.stringify(value) : examplesIn(value)))
    .join("\n");
}
