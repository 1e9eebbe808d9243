import { AppError, type Fault, malformed } from "../core/errors.ts";
import { Body, Id, Line, OneOf } from "../core/fields.ts";
import { BODY_LIMIT, HEAD_LIMIT, MAX_FAULTS } from "../core/limits.ts";
import Type from "../core/schema-type.ts";
import { HttpError, type ProblemKind } from "./http-error.ts";

/** The one place where an error gains a status. `when` holds for any scope; a document may say more. */
const KINDS: Record<ProblemKind, { status: number; title: string; when: string }> = {
  malformed: {
    status: 400,
    title: "Bad Request",
    when: "The body is empty, not JSON or not valid UTF-8, or the HTTP request is malformed.",
  },
  unauthorized: {
    status: 401,
    title: "Unauthorized",
    when: "The request does not say who calls, or not validly.",
  },
  payment_required: {
    status: 402,
    title: "Payment Required",
    when: "The organization's plan does not include this.",
  },
  forbidden: { status: 403, title: "Forbidden", when: "The caller may not do this." },
  not_found: { status: 404, title: "Not Found", when: "There is no such record or address." },
  method_not_allowed: {
    status: 405,
    title: "Method Not Allowed",
    when: "The address exists, but not with this method. `Allow` lists those it has.",
  },
  not_acceptable: {
    status: 406,
    title: "Not Acceptable",
    when: "`Accept` names only forms that this address does not have.",
  },
  timeout: { status: 408, title: "Request Timeout", when: "The request did not arrive in time." },
  conflict: { status: 409, title: "Conflict", when: "The request contradicts what is stored." },
  in_progress: {
    status: 409,
    title: "Conflict",
    when: "A request with the same `Idempotency-Key` is still being carried out. Retry after `Retry-After` seconds.",
  },
  precondition_failed: {
    status: 412,
    title: "Precondition Failed",
    when: "`If-Match` or `If-None-Match` does not hold: the record is not as it was read.",
  },
  too_large: { status: 413, title: "Content Too Large", when: `The body is larger than ${BODY_LIMIT.text}.` },
  unsupported_media_type: {
    status: 415,
    title: "Unsupported Media Type",
    when: "The body's `Content-Type` is absent or not `application/json`, or a body came where none is taken.",
  },
  invalid: {
    status: 422,
    title: "Unprocessable Entity",
    when: "A value breaks its schema or a rule. Every fault is listed in `errors`.",
  },
  precondition_required: {
    status: 428,
    title: "Precondition Required",
    when: "The operator demands `If-Match` on this request, and it is absent.",
  },
  rate_limited: {
    status: 429,
    title: "Too Many Requests",
    when: "Too many requests in a short time. Waiting `Retry-After` seconds succeeds.",
  },
  headers_too_large: {
    status: 431,
    title: "Request Header Fields Too Large",
    when: `Request line and headers are larger than ${HEAD_LIMIT.text}.`,
  },
  internal: { status: 500, title: "Internal Server Error", when: "A failure on our side." },
  not_implemented: {
    status: 501,
    title: "Not Implemented",
    when: "The request has a transfer coding other than `chunked`.",
  },
  unavailable: {
    status: 503,
    title: "Service Unavailable",
    when: "The database is away or the server is shutting down. Retry after `Retry-After` seconds.",
  },
};

export const Problem = Body(
  "Problem",
  {
    title: Line(100, { examples: ["Unprocessable Entity"] }),
    status: Type.Integer({ minimum: 400, maximum: 599, examples: [422] }),
    code: OneOf(Object.keys(KINDS) as ProblemKind[], { description: "What went wrong, for programs." }),
    detail: Line(1000, { description: "What went wrong, for people." }),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          location: Line(300, {
            description: "Where the fault is: `path.id`, `query.to`, `body.locationIds[1]`.",
            examples: ["body.idDocument.value"],
          }),
          message: Line(300, { description: "What is wrong there.", examples: ["is not a valid CPF"] }),
        }),
        { description: "Every fault of the request (the first 100 of them)." },
      ),
    ),
    clientId: Type.Optional(Id("With `conflict`: the client that holds the id document.")),
    clientStatus: Type.Optional(
      OneOf(["active", "archived"], { description: "With `conflict`: the status of that client." }),
    ),
  },
  { description: "A failure (RFC 9457). The content type is `application/problem+json`." },
);

export const PROBLEM_TYPE = "application/problem+json";
const NO_FAULTS: readonly Fault[] = [];
const RETRY_AFTER_SECONDS = "1";

export interface ProblemReply {
  readonly status: number;
  readonly title: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a caller reads of each kind of failure, whichever scope answers it. */
export function describeKind(kind: ProblemKind): { status: number; title: string; when: string } {
  return KINDS[kind];
}

/**
 * The answer to an error. One that we do not know is our defect: one fixed sentence, nothing of the cause. A 401 has
 * the challenge of its scope, if that has one.
 */
export function problemReply(error: unknown, schemaUrl: string, challenge?: string): ProblemReply {
  const known = toKnownError(error);
  const { status, title } = KINDS[known.kind];
  const { faults, facts } = known instanceof AppError ? known : { faults: NO_FAULTS, facts: {} };
  const body = JSON.stringify({
    $schema: schemaUrl,
    title,
    status,
    code: known.kind,
    detail: known.kind === "internal" ? "Something went wrong on our side." : known.message,
    ...(faults.length > 0 && { errors: faults.slice(0, MAX_FAULTS).map(placeAndMessage) }),
    ...facts,
  });
  return {
    status,
    title,
    body,
    headers: {
      "content-type": PROBLEM_TYPE,
      link: `<${schemaUrl}>; rel="describedBy"`,
      ...(known.kind === "unauthorized" && challenge !== undefined && { "www-authenticate": challenge }),
      ...((known.kind === "unavailable" || known.kind === "in_progress") && {
        "retry-after": RETRY_AFTER_SECONDS,
      }),
    },
  };
}

/** Codes and their parameters are for logs and other languages; the wire has the words. */
function placeAndMessage({ location, message }: Fault): Pick<Fault, "location" | "message"> {
  return { location, message };
}

/** Errors of Fastify and Node become ours by their code; any other stranger is internal. */
export function toKnownError(error: unknown): AppError | HttpError {
  if (error instanceof AppError || error instanceof HttpError) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  switch (code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return new HttpError("too_large", `The body is larger than ${BODY_LIMIT.text}.`);
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
      return malformed("The body is not as long as Content-Length says.");
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
    case "FST_ERR_CTP_EMPTY_TYPE":
      return new HttpError(
        "unsupported_media_type",
        "The body must be sent as Content-Type: application/json.",
      );
    case "FST_ERR_BAD_URL":
      return malformed("The address is not valid percent-encoding.");
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new HttpError("timeout", "The request did not arrive in time.");
    case "HPE_HEADER_OVERFLOW":
      return new HttpError(
        "headers_too_large",
        `Request line and headers are larger than ${HEAD_LIMIT.text}.`,
      );
    default:
      if (code.startsWith("HPE_")) return malformed("The HTTP request is malformed.");
      return new HttpError("internal", "Unexpected failure.", { cause: error });
  }
}
