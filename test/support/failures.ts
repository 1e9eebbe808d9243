import type { Database } from "../../src/db/database.ts";
import { mintKey, revokeKey } from "../../src/domain/keys/operations.ts";
import { changeOrganization } from "../../src/domain/settings/operations.ts";
import { type CallOptions, startApi, type TestApi } from "./api.ts";
import { addLocation } from "./records.ts";
import { exchange, parseAnswer } from "./wire.ts";

/** A problem document, with the headers that go with it. */
export interface Problem {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly body: ProblemBody;
}

export interface ProblemBody {
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly requestId?: string;
  readonly errors?: readonly {
    readonly location: string;
    readonly code: string;
    readonly params?: Readonly<Record<string, unknown>>;
    readonly message: string;
  }[];
}

/** A request that fails, and always in the same way. */
export interface Failure {
  readonly name: string;
  /** Whether the server has read the headers when it fails. */
  readonly isAfterHeaders: boolean;
  ask(headers?: Readonly<Record<string, string>>): Promise<Problem>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: {
    readonly type: string;
    readonly format?: string;
    readonly enum?: readonly string[];
    readonly examples?: readonly string[];
  };
}

interface OperationObject {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: object;
}

const NO_RECORD = "01900000-0000-7000-8000-000000000000";
const CPF = "52998224725";
const KEPT = { type: "cpf", value: CPF };

/** Every way in which a request to any operation can fail. */
export async function listFailures(api: TestApi): Promise<Failure[]> {
  const failures: Failure[] = [];
  const add = (
    name: string,
    key: string | undefined,
    method: string,
    path: string,
    options: CallOptions = {},
    through = api,
  ) =>
    failures.push({
      name,
      isAfterHeaders: true,
      ask: async (headers) => {
        const answer = await through.call(method, path, {
          ...options,
          headers: {
            ...(key !== undefined && { authorization: `Bearer ${key}` }),
            ...options.headers,
            ...headers,
          },
        });
        const { status, text, body } = answer;
        return { status, text, body, headers: Object.fromEntries(answer.headers) };
      },
    });

  const studio = await api.newOrganization();
  const { key } = studio;
  const locationId = await addLocation(api.db, studio.id);
  await addLocation(api.db, studio.id);
  await studio.call("POST", "/v1/clients", {
    body: { contactName: "Ana", idDocument: KEPT, locationIds: [locationId] },
  });
  const { key: suspended } = await suspend(api);
  const { key: free } = await api.newOrganization({ plan: "Starter" });
  const revoked = await mintKey(api.db, api.keySecret, "test", { organizationId: studio.id });
  await revokeKey(api.db, "test", revoked.id);
  const limited = await startApi({ beside: api, rate: { perMinute: 1, burst: 1 } });
  const { key: spent } = await api.newOrganization();
  await limited.call("GET", "/v1/organization", { headers: { authorization: `Bearer ${spent}` } });
  const broken = await startApi({ beside: api, disturb: failingAfterGate });

  const { paths } = api.document as { paths: Record<string, Record<string, OperationObject>> };
  for (const [template, operations] of Object.entries(paths)) {
    const path = template.replace(/\{\w+\}/g, NO_RECORD);
    add(`${template} without its method`, key, "OPTIONS", path);
    for (const [method, operation] of Object.entries(operations)) {
      const verb = method.toUpperCase();
      const name = `${verb} ${template}`;
      const body = operation.requestBody ? { body: { contactName: "Bia", locationIds: [locationId] } } : {};
      add(`${name} without a key`, undefined, verb, path, body);
      add(`${name} with a revoked key`, revoked.key, verb, path, body);
      add(`${name} of a suspended organization`, suspended, verb, path, body);
      add(`${name} without the plan`, free, verb, path, body);
      add(`${name} over the limit`, spent, verb, path, body, limited);
      const query = new URLSearchParams();
      for (const { name: parameter, in: place, required, schema } of operation.parameters ?? [])
        if (place === "query" && required) query.set(parameter, schema.examples?.[0] ?? "");
      const address = (changed: Readonly<Record<string, string>>) => {
        const values = new URLSearchParams(query);
        for (const [parameter, value] of Object.entries(changed)) values.set(parameter, value);
        return values.size > 0 ? `${path}?${values}` : path;
      };
      add(`${name} with a failing database`, key, verb, address({}), body, broken);
      if (template.includes("{id}")) {
        add(`${name} of an unknown record`, key, verb, path, body);
        add(`${name} of no id`, key, verb, template.replace("{id}", "1"), body);
      }
      for (const parameter of operation.parameters ?? []) {
        if (parameter.in !== "query") continue;
        // A file has a parameter of its own, which is ignored otherwise.
        const options = parameter.name === "csv" ? { headers: { accept: "text/csv" } } : {};
        for (const value of wrongValues(parameter))
          add(
            `${name} with ${parameter.name}=${value.slice(0, 20)}`,
            key,
            verb,
            address({ [parameter.name]: value }),
            options,
          );
        const given = `${parameter.name}=${encodeURIComponent(parameter.schema.examples?.[0] ?? "1")}`;
        add(`${name} with ${parameter.name} twice`, key, verb, `${path}?${given}&${given}`, options);
        add(`${name} with ${parameter.name} in Latin-1`, key, verb, `${path}?${parameter.name}=%ff`, options);
        if (parameter.required) add(`${name} without ${parameter.name}`, key, verb, path);
      }
      if (method === "get") {
        const isList = operation.parameters?.some((parameter) => parameter.name === "csv");
        const paged = address(isList ? { limit: "5" } : {});
        add(`${name} as a file`, key, verb, paged, { headers: { accept: "text/csv" } });
      }
      add(`${name} with a parameter that it does not have`, key, verb, `${path}?Limits=1`, body);
      if (method === "delete") add(`${name} with a body`, key, verb, path, { raw: "{}" });
      if (!operation.requestBody) continue;
      for (const [what, wrong] of Object.entries(WRONG_BODIES))
        add(`${name} with ${what}`, key, verb, path, { body: wrong });
      for (const [what, options] of Object.entries(UNREADABLE_BODIES))
        add(`${name} with ${what}`, key, verb, path, options);
      if (method === "post")
        add(`${name} with a document that is held`, key, verb, path, {
          body: { contactName: "Bia", idDocument: KEPT, locationIds: [locationId] },
        });
    }
  }
  const { from, to } = { from: "2026-11-15T00:00:00Z", to: "2026-11-14T00:00:00Z" };
  add("GET /v1/calendar backwards", key, "GET", `/v1/calendar?from=${from}&to=${to}`);
  add("GET /v1/calendar too long", key, "GET", `/v1/calendar?from=${from}&to=2028-01-01T00:00:00Z`);
  const terms = [..."abcdefghijk"].map((letter) => letter.repeat(3)).join("+");
  add("GET /v1/clients with too many terms", key, "GET", `/v1/clients?query=${terms}`);
  add("no address", key, "GET", "/v1/nothing");
  add("the root", undefined, "GET", "/");
  add("no escape", key, "GET", "/v1/clients/%zz");

  const addRaw = (name: string, isAfterHeaders: boolean, lines: readonly string[], body = "") =>
    failures.push({
      name,
      isAfterHeaders,
      ask: async (headers = {}) => {
        const more = Object.entries(headers).map(([header, value]) => `${header}: ${value}`);
        const sent = `${[...lines, ...more, "Connection: close"].join("\r\n")}\r\n\r\n${body}`;
        const { status, headers: got, content } = parseAnswer(await exchange(api.url, sent));
        const text = Buffer.from(content, "latin1").toString("utf8");
        return { status, headers: got, text, body: JSON.parse(text) };
      },
    });
  addRaw("no Host", true, ["GET /livez HTTP/1.1"]);
  addRaw(
    "chunks in HTTP/1.0",
    true,
    ["POST /v1/clients HTTP/1.0", "Transfer-Encoding: chunked"],
    "0\r\n\r\n",
  );
  addRaw(
    "an encoding under the chunks",
    true,
    ["POST /v1/clients HTTP/1.1", "Host: a", "Transfer-Encoding: gzip, chunked"],
    "0\r\n\r\n",
  );
  addRaw("a body that is too large", true, [
    "POST /v1/clients HTTP/1.1",
    "Host: a",
    `Authorization: Bearer ${key}`,
    "Content-Type: application/json",
    "Content-Length: 1048577",
  ]);
  addRaw("no HTTP", false, ["FETCH /livez HTTP/1.1", "Host: a"]);
  addRaw("a tunnel", false, ["CONNECT example.com:443 HTTP/1.1", "Host: a"]);
  addRaw("large headers", false, ["GET /livez HTTP/1.1", "Host: a", `X: ${"a".repeat(17_000)}`]);
  return failures;
}

function wrongValues({ required, schema: { type, format, enum: words } }: Parameter): string[] {
  if (words) return ["x", ""];
  if (type === "integer") return ["x", "-1", "0x10", "1.5", "", "9007199254740993"];
  if (format === "uuid") return ["1"];
  if (format === "date-time") return ["2026-02-30T00:00:00Z", ...(required ? [""] : [])];
  return ["a\u0000b", "a".repeat(201)];
}

const WRONG_BODIES: Readonly<Record<string, unknown>> = {
  "an empty object": {},
  "a list": [],
  "no object": "a",
  "wrong types": {
    contactName: 5,
    contactEmail: null,
    address: "a",
    idDocument: [],
    locationIds: "a",
    notes: false,
  },
  "wrong values": {
    contactName: " ",
    contactEmail: "a",
    contactPhone: "1".repeat(41),
    birthdate: "2026-02-30",
    status: "gone",
    address: { city: "a\u0007", street: "a" },
    idDocument: { type: "cpf", value: "52998224726" },
    locationIds: [NO_RECORD, "a"],
    notes: "a".repeat(10_001),
    unknown: 1,
    "un known": 1,
  },
  "an early birthdate": { contactName: "Bia", birthdate: "1899-12-31", locationIds: [NO_RECORD] },
  "no location": { contactName: "Bia", locationIds: [] },
  "too many locations": { contactName: "Bia", locationIds: Array.from({ length: 201 }, () => NO_RECORD) },
  "an empty document": { contactName: "Bia", idDocument: { type: "other", value: "" } },
  "an unpaired surrogate": { contactName: "Bia\ud800" },
};

const UNREADABLE_BODIES: Readonly<Record<string, CallOptions>> = {
  "no body": { raw: "" },
  "half a body": { raw: "{" },
  "a body that is no UTF-8": { raw: Buffer.from('{"contactName":"\xff"}', "latin1") },
  "a body of another type": { raw: "{}", headers: { "content-type": "text/plain" } },
  "a compressed body": { raw: "{}", headers: { "content-encoding": "gzip" } },
  "a member twice": { raw: '{"contactName":"a","contactName":"b"}' },
  "a deep body": { raw: `{"contactName":${"[".repeat(40)}${"]".repeat(40)}}` },
  "a deep body that does not end": { raw: `{"contactName":${"[".repeat(40)}` },
  "a wide body": { raw: `{"contactName":[${"1,".repeat(5_100)}1]}` },
};

async function suspend(api: TestApi) {
  const studio = await api.newOrganization();
  await changeOrganization(api.db, "test", studio.id, { status: "suspended" });
  return studio;
}

/** A database that only the gate can use. */
function failingAfterGate(db: Database): Database {
  const fail = () => Promise.reject(new Error("the disk burns"));
  return {
    transaction: fail,
    snapshot: fail,
    now: () => db.now(),
    clockOffsetMs: db.clockOffsetMs,
    query: (statement, values) => (statement.name.startsWith("admit") ? db.query(statement, values) : fail()),
  };
}
