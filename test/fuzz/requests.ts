import { Agent, request as send } from "node:http";
import fc from "fast-check";
import type { Answer, TestApi, TestOrganization } from "../support/api.ts";
import { addSchedule, addSession } from "../support/calendar.ts";
import { addContract, addLocation, addPlan, addServiceType } from "../support/records.ts";
import { HOSTILE_TEXTS, hostileText, type SchemaNode, Schemas } from "./schemas.ts";

/** What a run found. */
export interface FuzzReport {
  readonly seed: number;
  readonly requests: number;
  /** How often each status came, by operation. */
  readonly statuses: ReadonlyMap<string, Map<number, number>>;
  readonly findings: readonly string[];
}

interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body?: SchemaNode;
  /** What the body may be sent as. */
  readonly types: readonly string[];
}

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly schema: SchemaNode;
}

interface FuzzRequest {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  /** Nothing in it breaks a schema, so only rules beyond the schemas may refuse it. */
  readonly isValid: boolean;
}

const IN_FLIGHT = 24;
const AT_ONCE = 400;
const ENOUGH_FINDINGS = 50;

/** Sends random requests to every operation of the document and holds each answer against the document. */
export async function fuzzRequests(
  api: TestApi,
  options: { readonly seed: number; readonly requests: number; readonly progress?: (done: number) => void },
): Promise<FuzzReport> {
  const studio = await newStudio(api);
  const arbitrary = requestTo(
    operationsOf(api.document),
    new Schemas(api.document, studio.ids, studio.known),
  );
  const agent = new Agent({ keepAlive: true, maxSockets: IN_FLIGHT });
  const statuses = new Map<string, Map<number, number>>();
  const findings: string[] = [];
  const tags = new Map<string, string>();
  let done = 0;
  try {
    while (done < options.requests && findings.length < ENOUGH_FINDINGS) {
      const numRuns = Math.min(AT_ONCE, options.requests - done);
      const batch = fc.sample(arbitrary, { seed: options.seed + done, numRuns });
      const waiting = batch.values();
      const caller = async () => {
        for (const request of waiting) {
          const sent = withLastTag(request, tags.get(request.path));
          const answer = await exchange(api.url, agent, studio.key, sent).catch((error: Error) => error);
          const found = judge(api, sent, answer);
          if (!(answer instanceof Error)) {
            note(statuses, request.operation, answer.status);
            const tag = answer.headers.get("etag");
            if (tag !== null) tags.set(request.path, tag);
          }
          if (found.length > 0) findings.push(explain(request, answer, found));
        }
      };
      await Promise.all(Array.from({ length: IN_FLIGHT }, caller));
      done += numRuns;
      options.progress?.(done);
    }
  } finally {
    agent.destroy();
  }
  return { seed: options.seed, requests: done, statuses, findings };
}

function withLastTag(request: FuzzRequest, tag = '"none"'): FuzzRequest {
  const headers = Object.entries(request.headers).map(([name, value]) => [
    name,
    value.replace(LAST_TAG, () => tag),
  ]);
  return { ...request, headers: Object.fromEntries(headers) };
}

interface Studio extends TestOrganization {
  readonly ids: string[];
  readonly known: Record<string, fc.Arbitrary<unknown>>;
}

/** An organization that has at least one record of each kind. */
async function newStudio(api: TestApi): Promise<Studio> {
  const studio = await api.newOrganization();
  const { db } = api;
  const timezone = "America/Sao_Paulo";
  const locationId = await addLocation(db, studio.id);
  const serviceTypeId = await addServiceType(db, studio.id);
  const planId = await addPlan(db, studio.id, { locationIds: [locationId] });
  const clientIds: string[] = [];
  for (const contactName of ["Ana", "José", "Zoë"]) {
    clientIds.push((await studio.call("POST", "/v1/clients", { body: { contactName } })).body.id);
  }
  const contractId = await addContract(db, studio.id, { clientId: clientIds[0] as string, planId });
  const place = { serviceTypeId, locationId, timezone };
  const scheduleId = await addSchedule(db, studio.id, {
    ...place,
    start: "2024-01-01T09:00",
    rrule: "FREQ=DAILY",
  });
  const sessionId = await addSession(db, studio.id, {
    ...place,
    scheduleId,
    originalStart: "2026-03-02T09:00",
    start: "2026-03-02T10:00",
  });
  const cursors: string[] = [];
  for (const list of [
    "clients?limit=1",
    "clients?limit=1&status=active",
    "plans?limit=1",
    "contracts?limit=1",
  ])
    cursors.push((await studio.get(`/v1/${list}`)).body.nextCursor ?? "0");
  const { nextCursor: begun } = (await studio.get("/v1/changes?limit=1")).body;
  return {
    ...studio,
    ids: [locationId, serviceTypeId, planId, contractId, scheduleId, sessionId, ...clientIds],
    known: {
      locationIds: fc.constantFrom([], [locationId], [locationId.toUpperCase(), locationId]),
      locationId: fc.constant(locationId),
      serviceTypeId: fc.constant(serviceTypeId),
      clientId: fc.constantFrom(...clientIds),
      scheduleId: fc.constant(scheduleId),
      resourceId: fc.constantFrom("ana", "room-1"),
      cursor: fc.constantFrom(...cursors),
      after: fc.constantFrom("now", begun),
      id: fc.constantFrom(planId, serviceTypeId, contractId, ...clientIds),
      from: fc.integer({ min: 0, max: 180 }).map((days) => instantOf(days)),
      to: fc.integer({ min: 181, max: 366 }).map((days) => instantOf(days)),
    },
  };
}

function instantOf(days: number): string {
  return new Date(Date.UTC(2026, 0, 1 + days)).toISOString();
}

function operationsOf(document: object): Operation[] {
  const { paths } = document as { paths: Record<string, Record<string, OperationObject>> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const content = operation.requestBody?.content ?? {};
      const body = content["application/json"]?.schema;
      return {
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        parameters: (operation.parameters ?? []).map(hurried),
        types: Object.keys(content),
        ...(body && { body }),
      };
    }),
  );
}

/** Whoever asks may wait for half a minute; here nobody does. */
function hurried(parameter: Parameter): Parameter {
  return parameter.name === "wait"
    ? { ...parameter, schema: { ...parameter.schema, maximum: 1 } }
    : parameter;
}

interface OperationObject {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: SchemaNode }>> };
}

/** A request to any of the operations: half of them with nothing wrong, half with one thing or several. */
function requestTo(operations: readonly Operation[], schemas: Schemas): fc.Arbitrary<FuzzRequest> {
  return fc.oneof(
    ...operations.map((operation) =>
      fc.boolean().chain((isValid) =>
        fc
          .record({
            path: pathOf(operation, schemas, isValid),
            query: queryOf(operation, schemas, isValid),
            headers: isValid ? fc.constant({}) : hostileHeaders,
            conditions: isValid ? conditions : fc.oneof(conditions, hostileConditions),
            key: isValid ? keys : fc.oneof(keys, hostileKeys),
            forms: isValid ? forms : fc.oneof(forms, hostileForms),
            type: fc.constantFrom(
              ...operation.types,
              ...(operation.types.length > 0 ? [] : ["application/json"]),
            ),
            body: bodyOf(operation, schemas, isValid),
            asHead: fc.boolean(),
          })
          .map(
            ({ path, query, headers, conditions: demanded, key, forms: accepted, type, body, asHead }) => ({
              operation: operation.id,
              method: operation.method === "GET" && asHead ? "HEAD" : operation.method,
              path: query === "" ? path : `${path}?${query}`,
              headers: {
                ...accepted,
                ...demanded,
                ...key,
                ...(body && { "content-type": type }),
                ...headers,
              },
              ...(body && { body }),
              isValid,
            }),
          ),
      ),
    ),
  );
}

function pathOf(operation: Operation, schemas: Schemas, isValid: boolean): fc.Arbitrary<string> {
  const parameter = operation.parameters.find((one) => one.in === "path");
  if (!parameter) return fc.constant(operation.path);
  const valid = schemas.validNamed(parameter.name, parameter.schema).map(String);
  const value = isValid ? valid : fc.oneof(valid, hostileText);
  // An empty segment is another address, and so are one or two dots.
  const usable = value.filter((text) => !["", ".", ".."].includes(text));
  return usable.map((text) => operation.path.replace(/\{\w+\}/, () => encode(text).slice(0, 8000)));
}

function queryOf(operation: Operation, schemas: Schemas, isValid: boolean): fc.Arbitrary<string> {
  const parameters = operation.parameters.filter((one) => one.in === "query");
  const pairs = parameters.map(({ name, required, schema }) => {
    const valid = schemas.validNamed(name, schema).map((value) => [`${name}=${encode(String(value))}`]);
    if (isValid) return required ? valid : fc.option(valid, { nil: [] });
    const hostile = fc.oneof(
      hostileText.map((text) => [`${name}=${encode(text).slice(0, 3000)}`]),
      // As it is, without the escapes that a browser would make.
      fc.constantFrom(...ASCII_TEXTS).map((text) => [`${name}=${text}`]),
      fc.constantFrom([`${name}=%zz`], [`${name}=%c3`], [`${name}=%ed%a0%80`], [name], [`${name}=%00`]),
      fc.tuple(valid, valid).map(([one, two]) => [...one, ...two]),
    );
    return fc.oneof(valid, fc.constant([]), hostile);
  });
  const unknown = isValid
    ? fc.constant<string[]>([])
    : fc.oneof(
        fc.constant<string[]>([]),
        fc.constantFrom(["__proto__=1"], ["=1"], ["constructor[x]=1"], ["%zz=%zz"], ["a".repeat(2000)]),
      );
  return fc.tuple(unknown, ...pairs).map((given) => given.flat().join("&").slice(0, 12_000));
}

function bodyOf(operation: Operation, schemas: Schemas, isValid: boolean): fc.Arbitrary<Buffer | undefined> {
  if (!operation.body) {
    return isValid || operation.method === "GET"
      ? fc.constant(undefined)
      : fc.option(
          fc.constantFrom(...UNASKED_BODIES).map((text) => Buffer.from(text)),
          {
            nil: undefined,
          },
        );
  }
  if (isValid) return schemas.valid(operation.body).map((value) => Buffer.from(JSON.stringify(value)));
  const mutated = schemas.mutated(operation.body).map((value) => JSON.stringify(value));
  return fc.oneof(
    { weight: 8, arbitrary: mutated.map((text) => Buffer.from(text)) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(mutated, fc.nat(), fc.constantFrom('"', "{", "}", ",", "\\", "\u0000", "\\ud800", "[[[["))
        .map(([text, place, piece]) => {
          const at = place % (text.length + 1);
          return Buffer.from(text.slice(0, at) + piece + text.slice(at));
        }),
    },
    {
      weight: 2,
      arbitrary: fc.tuple(mutated, fc.nat()).map(([text, place]) => {
        return Buffer.from(text).subarray(0, place % (text.length + 1));
      }),
    },
    {
      weight: 2,
      // A member twice.
      arbitrary: fc.tuple(mutated, hostileText).map(([text, value]) => {
        const member = `"contactName":${JSON.stringify(value)}`;
        return Buffer.from(text.replace(/^\{/, () => `{${member},${member},`));
      }),
    },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(...ODD_BODIES).map((text) => Buffer.from(text, "latin1")),
    },
  );
}

const UNASKED_BODIES = [...Array.from({ length: 20 }, (_, i) => "x".repeat(i)), "x".repeat(1_100_000)];

const ODD_BODIES = [
  "",
  "null",
  "[]",
  "0",
  '"text"',
  "{}",
  "\xff\xfe{\x00}\x00",
  "\xef\xbb\xbf{}",
  '{"contactName":"\xc3\x28"}',
  '{"contactName":"\xed\xa0\x80"}',
  '{"contactName":1e999}',
  '{"contactName":"a","notes":"\\u0000"}',
  `${"[".repeat(100_000)}`,
  `${"[".repeat(50_000)}${"]".repeat(50_000)}`,
  `${'{"a":'.repeat(30_000)}1${"}".repeat(30_000)}`,
  '{"contactName":"a","locationIds":["x","x"],"contactName":"b"}',
  " ".repeat(1_048_577),
];

const ASCII_TEXTS = HOSTILE_TEXTS.filter((text) => /^[\x21-\x7e]{1,100}$/.test(text)).filter(
  (text) => !/[#&\s]/.test(text),
);

const hostileHeaders: fc.Arbitrary<Record<string, string>> = fc
  .tuple(
    fc.oneof(
      { weight: 4, arbitrary: fc.constant({}) },
      {
        weight: 1,
        arbitrary: fc
          .oneof(
            fc.constantFrom(
              "pt-BR,pt;q=0.9",
              "es-MX",
              "de",
              "*",
              "en;q=0, es;q=0",
              ";;q=,=",
              ",".repeat(9_000),
            ),
            fc.string({ unit: "binary-ascii", maxLength: 60 }).map((text) => text.replace(/[^\t -~]/g, "-")),
          )
          .map((language) => ({ "accept-language": language })),
      },
    ),
    fc.oneof(
      { weight: 12, arbitrary: fc.constant({}) },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          { authorization: "" },
          { authorization: "Bearer" },
          { authorization: "Basic dXNlcjpwYXNz" },
          { authorization: `Bearer rbk_${"0".repeat(38)}` },
          { authorization: `Bearer ${"é".repeat(50)}` },
        ),
      },
    ),
    fc.oneof(
      { weight: 8, arbitrary: fc.constant({}) },
      {
        weight: 1,
        arbitrary: fc
          .constantFrom(
            "",
            "text/plain",
            "application/json; charset=utf-16",
            "application/json;charset=",
            "application/problem+json",
            "application/json, application/json",
            "multipart/form-data",
            ";;;",
            "/",
            "a".repeat(4000),
            "application/json\xff",
          )
          .map((type) => ({ "content-type": type })),
      },
    ),
    fc.oneof(
      { weight: 8, arbitrary: fc.constant({}) },
      {
        weight: 1,
        arbitrary: fc.constantFrom<Record<string, string>>(
          { "x-request-id": "a b" },
          { "x-request-id": "x".repeat(129) },
          { "x-request-id": "<script>" },
          { "x-request-id": "caller.1_2-3" },
          { "content-encoding": "gzip" },
          { "accept-encoding": "gzip, br;q=0, *;q=x" },
          { accept: "text/html" },
          { range: "bytes=0-1" },
          { "x-http-method-override": "DELETE" },
          { "x-forwarded-host": "evil.example", forwarded: "host=evil.example" },
          { expect: "100-continue" },
          { expect: "nothing" },
          { upgrade: "websocket", connection: "upgrade" },
          { "x-long": "y".repeat(17_000) },
          { cookie: "a=b; ".repeat(1000) },
        ),
      },
    ),
  )
  .map((parts) => Object.assign({}, ...parts) as Record<string, string>);

/** Stands for the tag that the address was last seen with. */
const LAST_TAG = '"last"';

const conditions: fc.Arbitrary<Record<string, string>> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom("if-match", "if-none-match"),
        fc.constantFrom("*", '"x"', 'W/"x", "y"', ',"a,b", ,', LAST_TAG, LAST_TAG, `W/${LAST_TAG}`),
      )
      .map(([name, value]) => ({ [name]: value })),
  },
);

const accepting = (accept: string) => ({ accept });

/** Of every address, whether it has that form or not. */
const forms: fc.Arbitrary<Record<string, string>> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(
        "text/csv",
        "text/csv, */*;q=0.1",
        "application/x-ndjson",
        "application/jsonl",
        "application/ndjson;q=0.5, application/json;q=0.4",
        "text/csv, application/json",
        "text/html, */*",
      )
      .map(accepting),
  },
);

const hostileForms: fc.Arbitrary<Record<string, string>> = fc
  .oneof(
    fc.constantFrom(
      "",
      ",",
      ";q=",
      "text/csv;q=9",
      'text/csv;x="',
      "text/csv,".repeat(1_500),
      '"\\'.repeat(3_000),
      "text/csv;q=0",
    ),
    fc.string({ unit: "binary-ascii", maxLength: 60 }).map((text) => text.replace(/[^\t -~]/g, "-")),
  )
  .map(accepting);

const withKey = (key: string) => ({ "idempotency-key": key });

/** Few enough that some are used again, for the same request or for another. */
const keys: fc.Arbitrary<Record<string, string>> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 200 }).map((n) => withKey(`fuzz-${n}`)) },
  { weight: 1, arbitrary: fc.uuid().map((key) => withKey(`"${key}"`)) },
);

const hostileKeys: fc.Arbitrary<Record<string, string>> = fc
  .constantFrom("", '""', '"', "a b", "a,b", "a, a", "a\\b", "é", '"a";b', "k".repeat(255), "k".repeat(9000))
  .map(withKey);

const hostileConditions: fc.Arbitrary<Record<string, string>> = fc
  .tuple(
    fc.constantFrom("if-match", "if-none-match"),
    fc.constantFrom(
      "",
      "x",
      '"',
      '"x" "y"',
      'w/"x"',
      "*, *",
      '"\xff"',
      ",".repeat(9000),
      '"a",'.repeat(3000),
      '"'.repeat(9999),
    ),
  )
  .map(([name, value]) => ({ [name]: value }));

function exchange(url: string, agent: Agent, key: string, request: FuzzRequest): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
      ...request.headers,
      ...(request.body && { "content-length": String(request.body.length) }),
    };
    // Node's parser passes over an error in the head of a request that follows one with Upgrade, and waits for the rest of
    // it: such a request has a connection to itself.
    const own = "upgrade" in request.headers ? false : agent;
    const outgoing = send(url + request.path, { method: request.method, agent: own, headers });
    outgoing.on("upgrade", () => reject(new Error("the connection was upgraded")));
    outgoing.on("response", (response) => {
      const pieces: Buffer[] = [];
      response.on("data", (piece: Buffer) => pieces.push(piece));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(pieces).toString("utf8");
        const type = String(response.headers["content-type"] ?? "");
        const answered = new Headers();
        for (const [name, value] of Object.entries(response.headers)) answered.set(name, String(value));
        let body: unknown;
        try {
          body = /[/+]json/.test(type) && text !== "" ? JSON.parse(text) : undefined;
        } catch {
          return reject(new Error(`the body is no JSON: ${text.slice(0, 200)}`));
        }
        resolve({ status: response.statusCode ?? 0, headers: answered, text, body });
      });
    });
    outgoing.on("error", reject);
    outgoing.setTimeout(20_000, () => outgoing.destroy(new Error("no answer within 20 s")));
    outgoing.end(request.body);
  });
}

/** Places where a rule that no schema can express may refuse a value. */
const BEYOND_SCHEMAS =
  /^(?:header\.Idempotency-Key|body\.birthdate|body\.idDocument\.(?:type|value)|body\.locationIds(?:\[\d+\])?|query\.(?:to|cursor|after)|body\.contactEmail)$/;

function judge(api: TestApi, request: FuzzRequest, answer: Answer | Error): string[] {
  if (answer instanceof Error) {
    // A refusal of a body that is still on its way may reset the connection: the caller need not have read it.
    const isCut = /ECONNRESET|EPIPE|socket hang up/.test(
      `${(answer as NodeJS.ErrnoException).code} ${answer.message}`,
    );
    // What method a head had is not known any more when the piece that makes it too large is not its first one.
    const isBodyOfHead = request.method === "HEAD" && /Data after `Connection: close`/.test(answer.message);
    const isKnown = isBodyOfHead || (isCut && (request.body?.length ?? 0) > 1_000_000);
    return isKnown ? [] : [`failed: ${answer.message}`];
  }
  if (answer.status >= 500) return [`answered ${answer.status}`];
  if (answer.status === 408) return ["a request that was sent whole was waited for"];
  const found = api.contract(request.method, request.path, answer);
  const isConditional = "if-match" in request.headers || "if-none-match" in request.headers;
  if (answer.headers.has("idempotent-replayed") && !("idempotency-key" in request.headers))
    found.push("an answer was replayed to a request without a key");
  if (answer.status === 412 && !isConditional) found.push("a condition failed that was not given");
  if (answer.status === 406 && !("accept" in request.headers))
    found.push("a form was refused that was not asked for");
  if (request.isValid && answer.status >= 400 && ![404, 406, 409, 412].includes(answer.status)) {
    const faults: { location: string; code: string }[] =
      request.method === "HEAD" ? [] : (answer.body?.errors ?? []);
    const unexpected = faults.filter(
      ({ location, code }) => !BEYOND_SCHEMAS.test(location) && code !== "not_with_download",
    );
    const isExpected = answer.status === 422 && unexpected.length === 0;
    if (!isExpected) found.push("a request that the document allows was refused");
  }
  return found;
}

function explain(request: FuzzRequest, answer: Answer | Error, found: readonly string[]): string {
  const sent = `${request.method} ${request.path.slice(0, 600)} ${JSON.stringify(request.headers).slice(0, 200)}`;
  const body = request.body ? ` ${request.body.toString("latin1").slice(0, 600)}` : "";
  const came = answer instanceof Error ? answer.message : `${answer.status} ${answer.text.slice(0, 400)}`;
  return `${found.join("; ")}\n  ${sent}${body}\n  ${came}`;
}

function note(statuses: Map<string, Map<number, number>>, operation: string, status: number): void {
  const counts = statuses.get(operation) ?? new Map<number, number>();
  counts.set(status, (counts.get(status) ?? 0) + 1);
  statuses.set(operation, counts);
}

/** As in an address; unpaired surrogates, which have no encoding, as the bytes they would have. */
function encode(text: string): string {
  return [...text].map((one) => (/\p{Cs}/u.test(one) ? "%ed%a0%80" : encodeURIComponent(one))).join("");
}
