import type { TSchema } from "typebox";
import { AppError, type Detail, type ErrorKind, refusal } from "../core/errors.ts";
import type { Fault, FaultCode } from "../core/faults.ts";
import { Body, Line, OneOf } from "../core/fields.ts";
import { BODY_LIMIT, HEAD_LIMIT, MAX_FAULTS } from "../core/limits.ts";
import type { RefusalCode } from "../core/refusals.ts";
import Type from "../core/schema-type.ts";
import { DICTIONARIES } from "../languages/dictionaries.ts";
import type { Language } from "../languages/dictionary.ts";
import { en } from "../languages/en.ts";
import type { HttpErrorKind, HttpRefusalCode, ProblemKind } from "../languages/http-refusals.ts";
import { describeFault, wordDetail } from "../languages/wording.ts";
import { HttpError, isHttpKind } from "./http-error.ts";

interface KindOfProblem {
  readonly status: number;
  /** Holds for any scope; a document may say more. */
  readonly when: string;
  /** What whoever reads it can do. */
  readonly fix: string;
}

/** The one place where an error gains a status. */
const KINDS: Record<ProblemKind, KindOfProblem> = {
  malformed: {
    status: 400,
    when: "The body is empty, not JSON or not valid UTF-8, or the HTTP request is malformed.",
    fix: "Send UTF-8 JSON in the body and well-formed HTTP. For broken JSON, `detail` says at which line and column it stops being JSON.",
  },
  unauthorized: {
    status: 401,
    when: "The request does not say who calls, or not validly.",
    fix: "Check the credential. The answer is the same whatever is wrong with it; the operator sees the cause in the log.",
  },
  payment_required: {
    status: 402,
    when: "The organization's plan does not include this.",
    fix: "Ask the operator for a plan that includes the API.",
  },
  forbidden: {
    status: 403,
    when: "The caller may not do this.",
    fix: "Ask the operator whether the organization is active; in the staff application, ask an owner for the role.",
  },
  not_found: {
    status: 404,
    when: "There is no such record or address.",
    fix: "Check the address and the id. A record of another organization looks exactly like one that does not exist.",
  },
  method_not_allowed: {
    status: 405,
    when: "The address exists, but not with this method. `Allow` lists those it has.",
    fix: "Use one of the methods that `detail` and `Allow` list.",
  },
  not_acceptable: {
    status: 406,
    when: "`Accept` names only forms that this address does not have.",
    fix: "Accept `application/json`: this address cannot be had as a file.",
  },
  timeout: {
    status: 408,
    when: "The request did not arrive in time.",
    fix: "Send the request without pauses: it must arrive within 8 seconds, its headers within 5.",
  },
  conflict: {
    status: 409,
    when: "The request contradicts what is stored.",
    fix: "Read `detail`. If another client holds the id document, go on with `clientId`, whose status is `clientStatus`.",
  },
  in_progress: {
    status: 409,
    when: "A request with the same `Idempotency-Key` is still being carried out. Retry after `Retry-After` seconds.",
    fix: "Wait `Retry-After` seconds and send the same request with the same key again.",
  },
  gone: {
    status: 410,
    when: "The cursor belongs to data that was replaced since.",
    fix: "Begin again without the cursor.",
  },
  precondition_failed: {
    status: 412,
    when: "`If-Match` or `If-None-Match` does not hold: the record is not as it was read.",
    fix: "Read the record again, repeat your change, and send it with the new `ETag`.",
  },
  too_large: {
    status: 413,
    when: `The body is larger than ${BODY_LIMIT.text}.`,
    fix: "Send less: a body has at most 1 MiB.",
  },
  unsupported_media_type: {
    status: 415,
    when: "The body's `Content-Type` is absent or not `application/json`, or a body came where none is taken.",
    fix: "Send `Content-Type: application/json`, or `application/merge-patch+json` with `PATCH`; send no body where none is taken.",
  },
  invalid: {
    status: 422,
    when: "A value breaks its schema or a rule. Every fault is listed in `errors`.",
    fix: "Fix every place that `errors` lists. `errors[].code` says what is wrong there; the codes are listed below.",
  },
  precondition_required: {
    status: 428,
    when: "The operator demands `If-Match` on this request, and it is absent.",
    fix: "Send `If-Match` with the `ETag` that you read.",
  },
  rate_limited: {
    status: 429,
    when: "Too many requests in a short time. Waiting `Retry-After` seconds succeeds.",
    fix: "Wait `Retry-After` seconds and send the request again.",
  },
  headers_too_large: {
    status: 431,
    when: `Request line and headers are larger than ${HEAD_LIMIT.text}.`,
    fix: "Send shorter headers or a shorter address: together they have at most 16 KiB.",
  },
  internal: {
    status: 500,
    when: "A failure on our side.",
    fix: "This is a defect of the server. Report the `requestId`.",
  },
  not_implemented: {
    status: 501,
    when: "The request has a transfer coding other than `chunked`.",
    fix: "Send the body with a `Content-Length`, or `chunked`.",
  },
  unavailable: {
    status: 503,
    when: "The database is unavailable, the server is shutting down or has too much to do. Retry after `Retry-After` seconds.",
    fix: "Wait `Retry-After` seconds and try again. Send a write with an `Idempotency-Key`: the first try may have been carried out.",
  },
};

/** Every `code` of a problem document. */
export const PROBLEM_KINDS = Object.keys(KINDS) as ProblemKind[];

/** The schema of problem documents. The facts that go with some of them are described by who throws those. */
export function problemSchema<Facts extends Record<string, TSchema>>(
  facts: Facts,
  faultCodes: readonly FaultCode[],
) {
  return Body(
    "Problem",
    {
      type: Type.String({
        format: "uri",
        description: "Address of a page about this `code`, for people.",
        examples: ["https://api.example.com/docs/errors#invalid"],
      }),
      title: Line(100, { description: "The name of the status.", examples: ["Unprocessable Entity"] }),
      status: Type.Integer({
        minimum: 400,
        maximum: 599,
        description: "The status of the response.",
        examples: [422],
      }),
      code: OneOf(PROBLEM_KINDS, { description: "What went wrong, for programs." }),
      detail: Line(1000, { description: "What went wrong, for people." }),
      requestId: Type.Optional(
        Line(128, {
          description:
            "`X-Request-Id` of the response, which finds the request in the server's log. A 401 has none here.",
          examples: [EXAMPLE_REQUEST_ID],
        }),
      ),
      errors: Type.Optional(
        Type.Array(
          Type.Object({
            location: Line(300, {
              description:
                "Where the fault is: `path.id`, `query.to`, `header.If-Match`, `body.locationIds[1]`.",
              examples: ["body.idDocument.value"],
            }),
            code: Type.Unsafe<string>({
              anyOf: [
                { type: "string", enum: faultCodes },
                { type: "string", pattern: "^[a-z_]+$", maxLength: 64 },
              ],
              description:
                "What is wrong there, for programs: one of those listed. They are never renamed, but new ones come: " +
                "treat one that you do not know as `invalid`.",
              examples: ["cpf_invalid"],
            }),
            params: Type.Optional(
              Type.Unsafe<Readonly<Record<string, unknown>>>({
                type: "object",
                additionalProperties: {
                  anyOf: [
                    { type: "string" },
                    { type: "number" },
                    { type: "array", items: { type: "string" } },
                  ],
                },
                description: "The numbers and words that the message has, never a value of yours.",
                examples: [{ max: 200 }],
              }),
            ),
            message: Line(300, { description: "What is wrong there.", examples: ["is not a valid CPF"] }),
          }),
          { description: "Every fault of the request (the first 100 of them)." },
        ),
      ),
      ...facts,
    },
    {
      description:
        "A failure (RFC 9457). The content type is `application/problem+json`. `title`, `detail` and " +
        "`errors[].message` are in the language that `Accept-Language` asks for, if it is one of `en`, `pt-BR` and `es`.",
    },
  );
}

export const PROBLEM_TYPE = "application/problem+json";
export const EXAMPLE_REQUEST_ID = "8e03978e-40d5-43dd-bc93-6894a57f9324";
/** The page about every `code`, after the public address. */
const ERRORS_PAGE = "/docs/errors";
const NO_FAULTS: readonly Fault[] = [];
const RETRY_AFTER_SECONDS = 1;

export interface ProblemReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Where the schema of problem documents and the page about them are: those of an `ApiDocument`. */
export interface ProblemAddresses {
  readonly publicUrl: string;
  readonly schemaUrl: (name: string) => string;
}

interface ProblemCircumstances {
  readonly language?: Language | undefined;
  readonly challenge?: string | undefined;
  readonly requestId?: string;
}

/** What a caller reads of each kind of failure, whichever scope answers it. */
export function describeKind(kind: ProblemKind): KindOfProblem & { readonly title: string } {
  return { ...KINDS[kind], title: en.titles[kind] };
}

/**
 * The answer to an error, in a language. One that we do not know is our defect: one fixed sentence, nothing of the cause.
 * A 401 has the challenge of its scope, if that has one.
 */
export function problemReply(
  error: unknown,
  { publicUrl, schemaUrl }: ProblemAddresses,
  { language = "en", challenge, requestId }: ProblemCircumstances = {},
): ProblemReply {
  const known = toKnownError(error);
  const { status } = KINDS[known.kind];
  const dictionary = DICTIONARIES[language];
  const title = dictionary.titles[known.kind];
  const { faults, facts, retryAfterSeconds } =
    known instanceof AppError ? known : { faults: NO_FAULTS, facts: {}, retryAfterSeconds: undefined };
  const schema = schemaUrl("Problem");
  const body = JSON.stringify({
    $schema: schema,
    type: `${publicUrl}${ERRORS_PAGE}#${known.kind}`,
    title,
    status,
    code: known.kind,
    detail: wordDetail(detailOf(known), dictionary),
    // All refusals of a credential are the same answer, byte for byte.
    ...(known.kind !== "unauthorized" && { requestId }),
    ...(faults.length > 0 && {
      errors: faults.slice(0, MAX_FAULTS).map((fault) => describeFault(fault, dictionary)),
    }),
    ...facts,
  });
  return {
    status,
    body,
    headers: {
      "content-type": PROBLEM_TYPE,
      "x-content-type-options": "nosniff",
      "content-language": language,
      vary: "accept-language",
      "cache-control": "no-store",
      link: `<${schema}>; rel="describedBy"`,
      ...(known.kind === "unauthorized" && challenge !== undefined && { "www-authenticate": challenge }),
      ...((retryAfterSeconds !== undefined ||
        known.kind === "unavailable" ||
        known.kind === "in_progress") && {
        "retry-after": String(retryAfterSeconds ?? RETRY_AFTER_SECONDS),
      }),
    },
  };
}

/**
 * The general sentence of each kind. Callers are told it instead of a sentence that is for the operator and may name
 * files and hosts.
 */
const GENERAL: Readonly<Record<ErrorKind, RefusalCode>> & Readonly<Record<HttpErrorKind, HttpRefusalCode>> = {
  malformed: "malformed_request",
  unauthorized: "key_required",
  payment_required: "api_not_included",
  forbidden: "organization_inactive",
  not_found: "nothing_here",
  method_not_allowed: "method_missing",
  not_acceptable: "only_json",
  timeout: "request_late",
  conflict: "data_changed",
  in_progress: "request_in_progress",
  gone: "cursor_gone",
  precondition_failed: "record_changed",
  too_large: "body_too_large",
  unsupported_media_type: "body_not_json_type",
  invalid: "values_invalid",
  precondition_required: "if_match_required",
  rate_limited: "rate_exceeded",
  headers_too_large: "head_too_large",
  internal: "failure",
  not_implemented: "transfer_coding_unknown",
  unavailable: "database_unavailable",
};

/** An error of this kind with its general sentence, for the document. */
export function generalError(kind: ProblemKind): AppError | HttpError {
  return isHttpKind(kind) ? new HttpError(GENERAL[kind]) : new AppError(kind, "");
}

function detailOf(error: AppError | HttpError): Detail<RefusalCode | HttpRefusalCode> {
  if (error instanceof HttpError) return error.detail;
  return error.detail ?? { code: GENERAL[error.kind], params: { count: Math.max(1, error.faults.length) } };
}

/**
 * Errors of Fastify and Node become ours by their code. Those that Fastify itself blames the caller for are never internal,
 * even if a later version of it has new ones; any other stranger is.
 */
export function toKnownError(error: unknown): AppError | HttpError {
  if (error instanceof AppError || error instanceof HttpError) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  switch (code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return new HttpError("body_too_large");
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
      return refusal("body_length_wrong");
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
    case "FST_ERR_CTP_EMPTY_TYPE":
      return new HttpError("body_not_json_type");
    case "FST_ERR_BAD_URL":
      return refusal("address_malformed");
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new HttpError("request_late");
    case "HPE_HEADER_OVERFLOW":
      return new HttpError("head_too_large");
    default:
      if (code.startsWith("HPE_") || (code.startsWith("FST_") && blamesCaller(error)))
        return refusal("malformed_request");
      return new HttpError("failure", { cause: error });
  }
}

function blamesCaller(error: unknown): boolean {
  const { statusCode } = error as { readonly statusCode?: unknown };
  return typeof statusCode === "number" && statusCode >= 400 && statusCode < 500;
}
