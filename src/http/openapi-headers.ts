import type { AboutApi } from "./about-api.ts";
import { isKept, varyText } from "./answer-text.ts";
import type { Json } from "./openapi-schemas.ts";

/** The response headers of a scope, as components that answers refer to. */

/** Those that a text refers to. */
export function referredHeaders(text: string, about: AboutApi): Json {
  return Object.fromEntries(
    Object.entries(describeHeaders(about)).filter(([name]) =>
      text.includes(`"#/components/headers/${name}"`),
    ),
  );
}

function describeHeaders(about: AboutApi): Json {
  const { challenge } = about.security;
  return {
    ...HEADERS,
    Vary: {
      description: "The request headers that the answer depends on: another key may be shown another one.",
      schema: { type: "string", examples: [varyText(about)] },
    },
    "Cache-Control": {
      description: isKept(about)
        ? "`private, no-cache`: you may keep the answer and ask whether it is still good. `no-store`: not even that."
        : "`no-store`: browsers keep nothing that somebody could read after signing out.",
      schema: { type: "string", examples: [isKept(about) ? "private, no-cache" : "no-store"] },
    },
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
  "Content-Encoding": {
    description: "Only of answers above 1 KiB to those whose `Accept-Encoding` has it: `br` or `gzip`.",
    schema: { type: "string", examples: ["br"] },
  },
  // Said for each scope: see `describeHeaders`.
  "Cache-Control": {},
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
  "Changes-Cursor": {
    description:
      "Only of CSV and NDJSON: `after` of the change feed, for whoever follows what was downloaded from there on.",
    schema: { type: "string" },
  },
  "Content-Language": {
    description: "The language of the problem: `en`, `pt-BR` or `es`.",
    schema: { type: "string", examples: ["en"] },
  },
  "Retry-After": { description: "Whole seconds to wait before trying again.", schema: { type: "integer" } },
};

const LIMIT_HEADERS: Json = {
  RateLimit: {
    description:
      "`r`: requests admitted right now; `t`: seconds until the whole burst is there again. `organization` is the limit that " +
      "all its keys share, told of while it has less left.",
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

export function headerRefs(...names: string[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Whether answers tell how much of a rate limit is left. */
export function isLimited({ errors }: AboutApi): boolean {
  return errors.includes("rate_limited");
}
