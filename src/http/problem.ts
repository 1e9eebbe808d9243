import type { TSchema } from "typebox";
import { AppError, type Detail, type ErrorKind, refusal } from "../core/errors.ts";
import type { Fault, FaultCode } from "../core/faults.ts";
import { Body, Line, OneOf } from "../core/fields.ts";
import { MAX_FAULTS } from "../core/limits.ts";
import type { RefusalCode } from "../core/refusals.ts";
import Type from "../core/schema-type.ts";
import { ADVICE, type ProblemAdvice } from "../languages/advice.ts";
import { DICTIONARIES } from "../languages/dictionaries.ts";
import type { Language } from "../languages/dictionary.ts";
import { en } from "../languages/en.ts";
import type { HttpErrorKind, HttpRefusalCode, ProblemKind } from "../languages/http-refusals.ts";
import { describeFault, wordDetail } from "../languages/wording.ts";
import { HttpError, isHttpKind } from "./http-error.ts";

/** The one place where an error gains a status. */
const STATUSES: Readonly<Record<ProblemKind, number>> = {
  moved: 307,
  malformed: 400,
  unauthorized: 401,
  payment_required: 402,
  storage_full: 403,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  timeout: 408,
  conflict: 409,
  in_progress: 409,
  gone: 410,
  precondition_failed: 412,
  too_large: 413,
  unsupported_media_type: 415,
  invalid: 422,
  precondition_required: 428,
  rate_limited: 429,
  headers_too_large: 431,
  internal: 500,
  not_implemented: 501,
  unavailable: 503,
};

/** Every `code` of a problem document. */
export const PROBLEM_KINDS = Object.keys(STATUSES) as ProblemKind[];

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
        minimum: 300,
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
          { description: "Every fault of the request (the first 100)." },
        ),
      ),
      ...facts,
    },
    {
      description:
        "A failure (RFC 9457). The content type is `application/problem+json`. `title`, `detail` and " +
        "`errors[].message` are in the language that `Accept-Language` asks for, if it is `en`, `pt-BR` or `es`.",
    },
  );
}

export const PROBLEM_TYPE = "application/problem+json";
export const EXAMPLE_REQUEST_ID = "8e03978e-40d5-43dd-bc93-6894a57f9324";
/** The page about every `code`, after the public address. */
const ERRORS_PAGE = "/docs/errors";
const NO_FAULTS: readonly Fault[] = [];
const RETRY_AFTER_SECONDS = 1;
const FULL_EXAMPLE = { records: 10_000, limit: 10_000 };
const MOVED_EXAMPLE = "https://other.example.com";

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
  /** The address of the request, if whoever sent it may be led to the same one on another server. */
  readonly path?: string | undefined;
  readonly language?: Language | undefined;
  readonly challenge?: string | undefined;
  readonly requestId?: string;
}

/** What a caller reads of each kind of failure, whichever scope answers it. */
export function describeKind(
  kind: ProblemKind,
): ProblemAdvice & { readonly status: number; readonly title: string } {
  return { ...ADVICE[kind], status: STATUSES[kind], title: en.titles[kind] };
}

/**
 * The answer to an error, in a language. One that we do not know is our defect: one fixed sentence, nothing of the cause.
 * A 401 has the challenge of its scope, if that has one.
 */
export function problemReply(
  error: unknown,
  { publicUrl, schemaUrl }: ProblemAddresses,
  { language = "en", challenge, requestId, path }: ProblemCircumstances = {},
): ProblemReply {
  const known = toKnownError(error);
  const status = STATUSES[known.kind];
  const dictionary = DICTIONARIES[language];
  const title = dictionary.titles[known.kind];
  const { faults, facts, retryAfterSeconds } =
    known instanceof AppError ? known : { faults: NO_FAULTS, facts: {}, retryAfterSeconds: undefined };
  const schema = schemaUrl("Problem");
  const location = path === undefined ? undefined : locationOf(known, path);
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
      ...(location !== undefined && { location }),
      ...((retryAfterSeconds !== undefined ||
        known.kind === "unavailable" ||
        known.kind === "in_progress") && {
        "retry-after": String(retryAfterSeconds ?? RETRY_AFTER_SECONDS),
      }),
    },
  };
}

/** Where the same request is answered, if the organization is on another server. */
function locationOf(error: AppError | HttpError, path: string): string | undefined {
  if (error.kind !== "moved" || !(error.detail?.params && "address" in error.detail.params)) return undefined;
  return `${error.detail.params.address}${path}`;
}

/**
 * The general sentence of each kind. Callers are told it instead of a sentence that is for the operator and may name
 * files and hosts.
 */
const GENERAL: Readonly<Record<ErrorKind, RefusalCode>> & Readonly<Record<HttpErrorKind, HttpRefusalCode>> = {
  moved: "organization_moved",
  malformed: "malformed_request",
  unauthorized: "key_required",
  payment_required: "api_not_included",
  storage_full: "storage_full",
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
  if (kind === "moved") return refusal("organization_moved", { params: { address: MOVED_EXAMPLE } });
  if (kind === "storage_full") return refusal("storage_full", { params: FULL_EXAMPLE });
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
