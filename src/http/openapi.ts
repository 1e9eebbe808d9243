import type { TObject } from "typebox";
import { FAULT_TOPICS } from "../core/faults.ts";
import Type from "../core/schema-type.ts";
import { LANGUAGE_TAGS, type Language } from "../languages/dictionary.ts";
import type { ProblemKind } from "../languages/http-refusals.ts";
import type { AboutApi, PublishedWebhook } from "./about-api.ts";
import { JSON_ALONE } from "./body.ts";
import type { RequestBody } from "./call.ts";
import { requiresIfMatch } from "./conditions.ts";
import type { ApiDocument, Operation } from "./declaration.ts";
import { CsvForm, type Download } from "./downloads.ts";
import { wordsOfMember } from "./member-words.ts";
import { describeFailures } from "./openapi-failures.ts";
import { describeFiles } from "./openapi-files.ts";
import { headerRefs, isLimited, referredHeaders } from "./openapi-headers.ts";
import { exampleOf, type Json, plain, refer } from "./openapi-schemas.ts";
import { type DescribedApi, type DescribedOperation, shareParts } from "./openapi-shared.ts";
import { problemSchema } from "./problem.ts";

/** What every operation can answer whose request may come with a body, if only to be refused. */
const BODY_ERRORS: readonly ProblemKind[] = ["too_large", "unsupported_media_type"];
/** What every operation can answer whose request may bear an Idempotency-Key. */
const KEY_ERRORS: readonly ProblemKind[] = ["in_progress"];

/** A document without operations yet, published after `folder`: "" gives `/openapi.json`, "/app" `/app/openapi.json`. */
export function newDocument(publicUrl: string, folder: string, about: AboutApi): ApiDocument {
  const schemaUrl = (name: string) => `${publicUrl}${folder}/schemas/${name}.json`;
  return {
    operations: [],
    publicUrl,
    folder,
    schemaUrl,
    about,
    problem: problemSchema(
      about.facts,
      about.faults.flatMap((topic) => FAULT_TOPICS[topic]),
    ),
  };
}

/** The OpenAPI 3.1 document of a scope's operations, with its failures in one language. */
export function describeApi(document: ApiDocument, language: Language = "en"): Json {
  return shareParts(describeInFull(document, language));
}

/** The same with all that an operation can be asked and answer written in it. Schemas and headers alone are components. */
export function describeInFull(document: ApiDocument, language: Language): DescribedApi {
  const { operations, publicUrl, about, problem } = document;
  const schemas: Json = {};
  const paths: DescribedApi["paths"] = {};
  for (const operation of operations) {
    paths[operation.path] ??= {};
    const described = describeOperation(operation, document, schemas, language);
    (paths[operation.path] as Json)[operation.method.toLowerCase()] = described;
  }
  refer(problem, schemas);
  const webhooks = about.webhooks?.map((webhook) => describeWebhook(webhook, schemas));
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
    ...(webhooks && { webhooks: Object.fromEntries(webhooks) }),
    components: {
      schemas: sorted(schemas),
      securitySchemes: { [about.security.name]: about.security.scheme },
      headers: referredHeaders(JSON.stringify(paths), about),
    },
  };
}

/** A message that receivers get: their answer alone matters. */
function describeWebhook(
  { name, summary, schema }: PublishedWebhook,
  components: Json,
): [name: string, item: { post: DescribedOperation }] {
  const post = {
    operationId: `on${name.replace(/(?:^|\.)\w/g, (start) => start.replace(".", "").toUpperCase())}`,
    summary,
    security: [],
    requestBody: {
      required: true,
      description:
        "Signed as Standard Webhooks 1.0 says, by `webhook-id`, `webhook-timestamp` and `webhook-signature`.",
      content: { "application/json": { schema: refer(schema, components), example: exampleOf(schema) } },
    },
    responses: {
      "2XX": { description: "Taken." },
      410: { description: "Nothing more is to be sent." },
      default: { description: "Not taken; sent again later." },
    },
  };
  return [name, { post }];
}

function describeOperation(
  operation: Operation,
  document: ApiDocument,
  components: Json,
  language: Language,
): DescribedOperation {
  const { about, problem } = document;
  const errors = new Set<ProblemKind>([
    ...about.errors,
    ...(operation.errors ?? []).map(({ kind }) => kind),
    // For a parameter that it does not have, if for nothing else.
    "invalid",
  ]);
  const conditions = conditionsOf(operation);
  if (operation.method !== "GET") for (const kind of BODY_ERRORS) errors.add(kind);
  else if (!operation.download || operation.download.types) errors.add("not_acceptable");
  if (conditions) errors.add("precondition_failed");
  if (requiresIfMatch(operation.method)) errors.add("precondition_required");
  if (takesKey(operation, about)) for (const kind of KEY_ERRORS) errors.add(kind);
  const given = [
    ...parameters(operation.params, "path"),
    ...parameters(operation.query, "query"),
    ...(operation.download && operation.download.types === undefined ? [CSV_FORM] : []),
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
      ...describeFailures(operation, errors, document, refer(problem, components), language),
    },
  };
}

function requestContent({ schema, example, mediaTypes, file }: RequestBody<TObject>, components: Json): Json {
  const referred = refer(schema, components);
  if (file) return { "multipart/form-data": describeForm({ schema: referred, example }, file.description) };
  const content = { schema: referred, example: example ?? exampleOf(schema) };
  return Object.fromEntries((mediaTypes ?? JSON_ALONE).map((type) => [type, content]));
}

/** A form with a file: the example shows the file as the text that it may be. */
function describeForm({ schema, example }: { schema: Json; example: unknown }, description: string): Json {
  return {
    schema: {
      type: "object",
      required: ["file"],
      properties: {
        input: { ...schema, description: "What is said beside the file." },
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
      ...(required.has(name) && rest.default === undefined && { required: true }),
      description: description ?? wordsOfMember(undefined, name) ?? name,
      // Several values are one text with commas.
      ...(rest.type === "array" && { explode: false }),
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
  description: `The language in which failures are told: ${LANGUAGE_TAGS.map((tag) => `\`${tag}\``).join(", ")}. English if it is none of these.`,
  schema: { type: "string", examples: ["pt-BR,pt;q=0.9"] },
};

function keyParameter({ idempotencyKey }: AboutApi): Json {
  const { required, ...rest } = idempotencyKey ?? {};
  return { name: "Idempotency-Key", in: "header", ...(required && { required }), ...rest };
}

function success(operation: Operation, about: AboutApi, components: Json): Record<string, Json> {
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
        ...(schema && headerRefs("Content-Encoding")),
        ...(takesKey(operation, about) && headerRefs("Idempotent-Replayed")),
        ...(download && headerRefs("Content-Disposition", "X-Total-Count")),
        ...(download && isFollowed(download, about) && headerRefs("Changes-Cursor")),
        ...(operation.deprecated && { Deprecation: DEPRECATION_HEADER }),
      },
      ...(schema && {
        content: {
          "application/json": {
            schema: refer(schema, components),
            example: operation.answer.example ?? exampleOf(schema),
          },
          ...describeFiles(operation, components),
        },
      }),
    },
    ...(operation.method === "GET" && operation.etag && { 304: notModified(about) }),
  };
}

/** Whether a file says from where the change feed goes on; the feed's own does too. */
function isFollowed({ isFollowed, types }: Download, { hasChangeFeed }: AboutApi): boolean {
  return hasChangeFeed === true && (isFollowed === true || types !== undefined);
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

const CSV_FORM: Json = parameters(Type.Object({ csv: CsvForm }), "query")[0] as Json;

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
