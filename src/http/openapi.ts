import type { FastifyInstance } from "fastify";
import type { TObject, TSchema } from "typebox";
import { invalid } from "../core/errors.ts";
import Type from "../core/schema-type.ts";
import { csvText, type FileText, ndjsonText } from "../downloads/file-text.ts";
import { LANGUAGE_TAGS, type Language } from "../languages/dictionary.ts";
import type { AboutApi } from "./about-api.ts";
import { varyText } from "./answer-text.ts";
import { JSON_ALONE } from "./body.ts";
import type { RequestBody } from "./call.ts";
import { requiresIfMatch } from "./conditions.ts";
import { type ApiDocument, componentName, type Operation } from "./declaration.ts";
import { CsvForm, type Download } from "./downloads.ts";
import type { ProblemKind } from "./http-error.ts";
import { DOCUMENT_METHODS, type OpenDocument, openDocument, sendDocument } from "./open-document.ts";
import { nothingHere } from "./operation.ts";
import {
  describeKind,
  generalError,
  PROBLEM_KINDS,
  PROBLEM_TYPE,
  problemReply,
  problemSchema,
} from "./problem.ts";

/** What every operation can answer whose request may come with a body, if only to be refused. */
const BODY_ERRORS: readonly ProblemKind[] = ["too_large", "unsupported_media_type"];
/** What every operation can answer whose request may bear an Idempotency-Key. */
const KEY_ERRORS: readonly ProblemKind[] = ["in_progress", "invalid"];

const DIALECT = "https://json-schema.org/draft/2020-12/schema";

type Json = Record<string, unknown>;

/** A document without operations yet, published after `folder`: "" gives `/openapi.json`, "/app" `/app/openapi.json`. */
export function newDocument(publicUrl: string, folder: string, about: AboutApi): ApiDocument {
  const schemaUrl = (name: string) => `${publicUrl}${folder}/schemas/${name}.json`;
  return { operations: [], publicUrl, folder, schemaUrl, about, problem: problemSchema(about.facts) };
}

/** The OpenAPI 3.1 document of a scope's operations. */
export function describeApi({ operations, publicUrl, about, problem }: ApiDocument): Json {
  const components: Json = {};
  const paths: Record<string, Json> = {};
  const known: KnownFailures = new Map();
  for (const operation of operations) {
    paths[operation.path] ??= {};
    (paths[operation.path] as Json)[operation.method.toLowerCase()] = describeOperation(
      operation,
      about,
      problem,
      components,
      known,
    );
  }
  refer(problem, components);
  return {
    openapi: "3.1.1",
    info: {
      title: about.title,
      version: about.version,
      summary: about.summary,
      description: about.description,
      contact: { name: "Rollbook", url: publicUrl + about.page },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: serverUrl(publicUrl) }],
    security: [{ [about.security.name]: [] }],
    tags: tagsOf(operations, about.tags),
    paths,
    components: {
      schemas: sorted(components),
      securitySchemes: { [about.security.name]: about.security.scheme },
      headers: headersOf(about),
      examples: referredExamples(paths),
    },
  };
}

/**
 * Serves a scope's `/openapi.json`, `/openapi.yaml` and the JSON Schema of each component. They are written at once, or
 * for the first request if the document is a long one.
 */
export function registerContract(
  app: FastifyInstance,
  document: ApiDocument,
  { isLate = false }: { readonly isLate?: boolean } = {},
): void {
  const { folder } = document;
  let written = isLate ? undefined : writeContract(document);
  const contract = () => {
    written ??= writeContract(document);
    return written;
  };
  let yaml: Promise<OpenDocument> | undefined;

  app.route({
    method: DOCUMENT_METHODS,
    url: `${folder}/openapi.json`,
    handler: (request, reply) => sendDocument(request, reply, contract().json),
  });
  app.route({
    method: DOCUMENT_METHODS,
    url: `${folder}/openapi.yaml`,
    handler: async (request, reply) => {
      yaml ??= writeYaml(contract().described);
      return sendDocument(request, reply, await yaml);
    },
  });
  app.route<{ Params: { file: string } }>({
    method: DOCUMENT_METHODS,
    url: `${folder}/schemas/:file`,
    handler: (request, reply) => {
      const name = /^(\w+)\.json$/.exec(request.params.file)?.[1];
      const schema = contract().schemas.get(name ?? "");
      if (!schema) throw nothingHere();
      return sendDocument(request, reply, schema);
    },
  });
}

/** A document with the JSON Schemas of its components, as they are sent. */
function writeContract(document: ApiDocument) {
  const { schemaUrl } = document;
  const described = describeApi(document);
  const schemas = new Map(
    [...namedSchemas(document)].map(([name, schema]) => {
      const text = JSON.stringify({ $schema: DIALECT, ...plain(schema), $id: schemaUrl(name) });
      return [name, openDocument("application/schema+json", text)];
    }),
  );
  return { described, schemas, json: openDocument("application/json", JSON.stringify(described)) };
}

/** A kind of failure as a document tells of it. */
export function describeError({ causes }: AboutApi, kind: ProblemKind): ReturnType<typeof describeKind> {
  const known = describeKind(kind);
  return { ...known, when: causes[kind] ?? known.when };
}

/** When it is asked for: a start that wrote it too took a quarter longer, and a server that was killed is awaited. */
async function writeYaml(document: Json): Promise<OpenDocument> {
  const { stringify } = await import("yaml");
  return openDocument("application/yaml", stringify(document, { aliasDuplicateObjects: false }));
}

/** Every schema that has a name in the document, inputs and parts of others included. */
function namedSchemas({ operations, problem }: ApiDocument): Map<string, TSchema> {
  const named = new Map<string, TSchema>();
  const visit = (schema: TSchema): void => {
    const { properties, items } = schema as { properties?: Record<string, TSchema>; items?: TSchema };
    const name = componentName(schema);
    if (name !== undefined) named.set(name, schema);
    for (const part of [...Object.values(properties ?? {}), ...(items ? [items] : [])]) visit(part);
  };
  for (const { body, answer } of operations) {
    if (body) visit(body.schema);
    if (answer.schema) visit(answer.schema);
  }
  visit(problem);
  return named;
}

function describeOperation(
  operation: Operation,
  about: AboutApi,
  problem: TSchema,
  components: Json,
  known: KnownFailures,
): Json {
  const errors = new Set<ProblemKind>([...about.errors, ...(operation.errors ?? []).map(({ kind }) => kind)]);
  const conditions = conditionsOf(operation);
  if (operation.params || operation.query || operation.body || operation.download || conditions)
    errors.add("invalid");
  if (operation.method !== "GET") for (const kind of BODY_ERRORS) errors.add(kind);
  else if (!operation.download) errors.add("not_acceptable");
  if (conditions) errors.add("precondition_failed");
  if (requiresIfMatch(operation.method)) errors.add("precondition_required");
  if (takesKey(operation, about)) for (const kind of KEY_ERRORS) errors.add(kind);
  const given = [
    ...parameters(operation.params, "path"),
    ...parameters(operation.query, "query"),
    ...(operation.download ? [CSV_FORM] : []),
    ...(conditions ?? []),
    ...(takesKey(operation, about) ? [keyParameter(about)] : []),
    LANGUAGE_PARAMETER,
  ];
  return {
    operationId: operation.operationId,
    tags: [operation.tag],
    summary: operation.summary,
    description: operation.description,
    ...(operation.deprecated && { deprecated: true }),
    ...(operation.isOpen && { security: [] }),
    parameters: given,
    ...(operation.body && {
      requestBody: {
        required: true,
        description: operation.body.description,
        content: requestContent(operation.body, components),
      },
    }),
    responses: {
      ...success(operation, about, components),
      ...failures(operation, errors, about, refer(problem, components), known),
    },
  };
}

function requestContent({ schema, example, mediaTypes, file }: RequestBody<TObject>, components: Json): Json {
  const content = { schema: refer(schema, components), example };
  if (file) return { "multipart/form-data": describeForm(content, file.description) };
  return Object.fromEntries((mediaTypes ?? JSON_ALONE).map((type) => [type, content]));
}

/** A form with a file: the example shows the file as the text that it may be. */
function describeForm({ schema, example }: { schema: Json; example: unknown }, description: string): Json {
  return {
    schema: {
      type: "object",
      required: ["file"],
      properties: {
        input: schema,
        file: { type: "string", format: "binary", contentMediaType: "application/octet-stream", description },
      },
      additionalProperties: false,
    },
    encoding: {
      input: { contentType: "application/json" },
      file: { contentType: "application/octet-stream" },
    },
    example: { input: example, file: "Nome;CPF\nAna Souza;529.982.247-25\n" },
  };
}

/** The headers by which a request can be made to depend on what is there. */
function conditionsOf({ method, etag, record }: Operation): Json[] | undefined {
  if (method === "POST" || (etag === undefined && record === undefined)) return undefined;
  const header = (name: string, description: string) => ({
    name,
    in: "header",
    required: false,
    description,
    schema: { type: "string" },
  });
  return method === "GET"
    ? [
        header("If-None-Match", "Tags of answers that you have, or `*`: 304 if one is still good."),
        header("If-Match", "The tag of the answer that you want, or `*`: 412 if it is another one."),
      ]
    : [
        header("If-Match", "The tag of the record as you read it, or `*`: 412 if it has changed since."),
        header("If-None-Match", "Tags that the record must not have, or `*`: 412 if it has one."),
      ];
}

function parameters(schema: TObject | undefined, where: "path" | "query"): Json[] {
  const required = new Set((schema?.required as string[] | undefined) ?? []);
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => {
    const { description, ...rest } = plain(property);
    return {
      name,
      in: where,
      required: required.has(name) && rest.default === undefined,
      description: description ?? name,
      schema: rest,
    };
  });
}

function takesKey({ method, takesKey: takes }: Operation, { idempotencyKey }: AboutApi): boolean {
  return method !== "GET" && takes !== false && idempotencyKey !== undefined;
}

const LANGUAGE_PARAMETER: Json = {
  name: "Accept-Language",
  in: "header",
  required: false,
  description: `The language in which failures are told: ${LANGUAGE_TAGS.map((tag) => `\`${tag}\``).join(", ")}. English if it is none of these.`,
  schema: { type: "string", examples: ["pt-BR,pt;q=0.9"] },
};

function keyParameter({ idempotencyKey }: AboutApi): Json {
  return { name: "Idempotency-Key", in: "header", ...idempotencyKey };
}

function success(operation: Operation, about: AboutApi, components: Json): Json {
  const { status, description, schema, location } = operation.answer;
  const { download } = operation;
  return {
    [status]: {
      description,
      headers: {
        ...headerRefs("X-Request-Id"),
        ...(isLimited(about) && headerRefs("RateLimit", "RateLimit-Policy")),
        ...(schema && headerRefs("Link")),
        ...(status === 201 && headerRefs("Location")),
        ...(location !== undefined && headerRefs("Content-Location")),
        ...(operation.etag && headerRefs("ETag")),
        ...headerRefs("Cache-Control"),
        ...(operation.method === "GET" && headerRefs("Vary")),
        ...(operation.method === "GET" && about.compresses && headerRefs("Content-Encoding")),
        ...(takesKey(operation, about) && headerRefs("Idempotent-Replayed")),
        ...(download && headerRefs("Content-Disposition", "X-Total-Count")),
        ...(operation.deprecated && { Deprecation: DEPRECATION_HEADER }),
      },
      ...(schema && {
        content: {
          "application/json": {
            schema: refer(schema, components),
            example: operation.answer.example ?? exampleOf(schema),
          },
          ...(download && describeFiles(download, schema)),
        },
      }),
    },
    ...(operation.method === "GET" && operation.etag && { 304: notModified(about) }),
  };
}

/** Written where it is used: usually no operation is deprecated. */
const DEPRECATION_HEADER: Json = {
  description: "Since when another operation does it better (RFC 9745); `Link` leads to a page about it.",
  schema: { type: "string", examples: ["@1767225600"] },
};

function notModified(about: AboutApi): Json {
  return {
    description: "What `If-None-Match` names is still what would be sent. There is no body.",
    headers: {
      ...headerRefs("X-Request-Id"),
      ...(isLimited(about) && headerRefs("RateLimit", "RateLimit-Policy")),
      ...headerRefs("ETag", "Cache-Control", "Vary"),
    },
  };
}

/** The files that a list can be had as, each with the example of the list as its only record. */
function describeFiles(download: Download, list: TSchema): Json {
  const [record] = (exampleOf(list) as { data: object[] }).data;
  const example = { ...record, ...download.example };
  const file = ({ head, line }: FileText) => head + line(example);
  return {
    "text/csv": {
      schema: {
        type: "string",
        description:
          "Every record that the filters match, whatever the page: a line of names, then a line for each record.",
      },
      example: file(csvText(download.record, download.columns, "plain")),
    },
    "application/x-ndjson": {
      schema: {
        type: "string",
        description: "Every record that the filters match, whatever the page, one a line as JSON.",
      },
      example: file(ndjsonText(download.record)),
    },
  };
}

const CSV_FORM: Json = parameters(Type.Object({ csv: CsvForm }), "query")[0] as Json;

/** By their kinds: the failures that look the same at every operation. */
type KnownFailures = Map<string, Json>;

function failures(
  operation: Operation,
  kinds: ReadonlySet<ProblemKind>,
  about: AboutApi,
  schema: Json,
  known: KnownFailures,
): Json {
  const byStatus = new Map<number, ProblemKind[]>();
  for (const kind of kinds) {
    const { status } = describeError(about, kind);
    byStatus.set(status, [...(byStatus.get(status) ?? []), kind]);
  }
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, some]) => [status, describeFailure(operation, some, about, schema, known)]),
  );
}

function describeFailure(
  operation: Operation,
  kinds: readonly ProblemKind[],
  about: AboutApi,
  schema: Json,
  known: KnownFailures,
): Json {
  if (kinds.some((kind) => ownExample(operation, kind))) return failure(operation, kinds, about, schema);
  const name = kinds.join(" ");
  const described = known.get(name) ?? failure(operation, kinds, about, schema);
  known.set(name, described);
  return described;
}

/** An answer that one kind of failure has, or several that share a status. */
function failure(operation: Operation, kinds: readonly ProblemKind[], about: AboutApi, schema: Json): Json {
  const [first, ...others] = kinds;
  return {
    description: kinds
      .map((kind) => `${others.length > 0 ? `\`${kind}\`: ` : ""}${describeError(about, kind).when}`)
      .join(" "),
    headers: {
      ...headerRefs("X-Request-Id", "Content-Language", "Vary"),
      ...(kinds.some((kind) => RETRIED.has(kind)) && headerRefs("Retry-After")),
      ...(first === "unauthorized" &&
        about.security.challenge !== undefined &&
        headerRefs("WWW-Authenticate")),
    },
    content: {
      [PROBLEM_TYPE]: {
        schema,
        examples: Object.assign({}, ...kinds.map((kind) => problemExamples(operation, kind))),
      },
    },
  };
}

/** Failures that say when to try again. */
const RETRIED: ReadonlySet<ProblemKind> = new Set(["rate_limited", "unavailable", "in_progress"]);

/** What callers read, in each language. Most kinds look the same everywhere; those examples are components. */
function problemExamples(operation: Operation, kind: ProblemKind): Json {
  const error = ownExample(operation, kind);
  return Object.fromEntries(
    LANGUAGE_TAGS.map((language) => [
      exampleName(kind, language),
      error
        ? { value: problemExample(error, language) }
        : { $ref: `#/components/examples/${exampleName(kind, language)}` },
    ]),
  );
}

/** What an operation itself is refused with, if that is known. */
function ownExample(operation: Operation, kind: ProblemKind): Error | undefined {
  const declared = operation.errors?.find((error) => error.kind === kind);
  return declared ?? (kind === "invalid" ? exampleFault(operation) : undefined);
}

/** Those that the paths refer to. */
function referredExamples(paths: Json): Json {
  const text = JSON.stringify(paths);
  return Object.fromEntries(
    PROBLEM_KINDS.filter((kind) => text.includes(`"#/components/examples/${kind}.`)).flatMap((kind) =>
      LANGUAGE_TAGS.map((language) => [
        exampleName(kind, language),
        { value: problemExample(generalError(kind), language) },
      ]),
    ),
  );
}

function exampleName(kind: ProblemKind, language: Language): string {
  return `${kind}.${language}`;
}

/** Without the link to the schema, which depends on where the server is. */
function problemExample(error: unknown, language: Language): Json {
  const { $schema, ...problem } = JSON.parse(problemReply(error, "", { language }).body) as Json;
  return problem;
}

/** A value that an operation refuses, by how it is declared. */
function exampleFault({ query, params }: Operation): Error {
  return invalid([
    query
      ? { location: "query.limit", code: "above_maximum", params: { max: 200 } }
      : params
        ? { location: "path.id", code: "uuid_invalid" }
        : { location: "header.If-None-Match", code: "header_invalid" },
  ]);
}

function headerRefs(...names: string[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** A reference to a named schema, which is added to the components; an unnamed one stands where it is. */
function refer(schema: TSchema, components: Json): Json {
  const name = componentName(schema);
  if (name === undefined) return inner(schema, components);
  if (!(name in components)) {
    components[name] = {};
    components[name] = inner(schema, components);
  }
  return { $ref: `#/components/schemas/${name}` };
}

function inner(schema: TSchema, components: Json): Json {
  const { $id, properties, items, ...rest } = schema as Json;
  return {
    ...rest,
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties as Record<string, TSchema>).map(([name, member]) => [
          name,
          refer(member, components),
        ]),
      ),
    }),
    ...(items !== undefined && { items: refer(items as TSchema, components) }),
  };
}

function plain(schema: TSchema): Json {
  return JSON.parse(JSON.stringify(schema, (key, value) => (key === "$id" ? undefined : value))) as Json;
}

function exampleOf(schema: TSchema): unknown {
  const [example] = (schema as { examples?: readonly unknown[] }).examples ?? [];
  if (example === undefined) throw new Error(`${componentName(schema)} has no example`);
  return example;
}

/** `localhost` is another machine for each reader: what is served there is described by where the document came from. */
function serverUrl(publicUrl: string): string {
  const { hostname, pathname } = new URL(publicUrl);
  return hostname === "localhost" ? pathname : publicUrl;
}

function tagsOf(operations: readonly Operation[], tags: AboutApi["tags"]): Json[] {
  return [...new Set(operations.map(({ tag }) => tag))].map((name) => {
    const description = tags[name];
    if (description === undefined) throw new Error(`the tag ${name} has no description`);
    return { name, description };
  });
}

function sorted(record: Json): Json {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Whether answers tell how much of a rate limit is left. */
function isLimited({ errors }: AboutApi): boolean {
  return errors.includes("rate_limited");
}

function headersOf(about: AboutApi): Json {
  const { challenge } = about.security;
  return {
    ...HEADERS,
    Vary: {
      description: "The request headers that the answer depends on: another key may be shown another one.",
      schema: { type: "string", examples: [varyText(about)] },
    },
    ...(about.compresses && {
      "Content-Encoding": {
        description: "Only of large answers to those who accept it: `gzip`. The `ETag` is weak then.",
        schema: { type: "string", examples: ["gzip"] },
      },
    }),
    ...(isLimited(about) && LIMIT_HEADERS),
    ...(about.idempotencyKey && KEY_HEADERS),
    ...(challenge !== undefined && {
      "WWW-Authenticate": { description: `Always \`${challenge}\`.`, schema: { type: "string" } },
    }),
  };
}

const HEADERS: Json = {
  "X-Request-Id": {
    description: "Identifies the request in our logs: the caller's own id if one was sent, else a new one.",
    schema: { type: "string" },
  },
  Link: {
    description:
      'Address of the JSON Schema of the body, `rel="describedBy"`; of a page that is followed by another also the address ' +
      'of that one, `rel="next"`.',
    schema: { type: "string" },
  },
  Location: {
    description: "Address of the record that was made.",
    schema: { type: "string", format: "uri" },
  },
  "Content-Location": {
    description: "Address at which the body can be read again.",
    schema: { type: "string", format: "uri" },
  },
  ETag: {
    description: "Names this state of what was read. Equal tags are equal bytes.",
    schema: { type: "string", examples: ['"3q2-7wAAAAAAAAAAAAAAAA"'] },
  },
  "Cache-Control": {
    description:
      "`private, no-cache`: you may keep the answer and ask whether it is still good. `no-store`: not even that.",
    schema: { type: "string", examples: ["private, no-cache"] },
  },
  // Said for each scope: see `headersOf`.
  Vary: {},
  "Content-Disposition": {
    description:
      "Only of CSV and NDJSON: what the file is called, with today's date in the organization's timezone.",
    schema: { type: "string", examples: ['attachment; filename="clients-2026-11-15.csv"'] },
  },
  "X-Total-Count": {
    description: "Only of CSV and NDJSON: how many records follow. An answer with fewer was cut off.",
    schema: { type: "integer" },
  },
  "Content-Language": {
    description: "The language of the problem: `en`, `pt-BR` or `es`.",
    schema: { type: "string", examples: ["en"] },
  },
  "Retry-After": { description: "Whole seconds to wait before trying again.", schema: { type: "integer" } },
};

const LIMIT_HEADERS: Json = {
  RateLimit: {
    description: "`r`: requests admitted right now; `t`: seconds until the whole burst is there again.",
    schema: { type: "string", examples: ['"default";r=99;t=1'] },
  },
  "RateLimit-Policy": {
    description: "`q` requests are admitted in `w` seconds.",
    schema: { type: "string", examples: ['"default";q=600;w=60'] },
  },
};

const KEY_HEADERS: Json = {
  "Idempotent-Replayed": {
    description: "`true` if this is the stored answer of an earlier request with the same `Idempotency-Key`.",
    schema: { type: "string", enum: ["true"] },
  },
};
