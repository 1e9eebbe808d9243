import type { ErrorKind } from "../core/errors.ts";
import type { Unfilled } from "../core/faults.ts";
import { BODY_LIMIT, FILE_LIMIT, FORM_INPUT_LIMIT, HEAD_LIMIT } from "../core/limits.ts";

/** Failures that only a caller over HTTP can meet; the domain has its own in `core/errors.ts`. */
export type HttpErrorKind =
  | "method_not_allowed"
  | "not_acceptable"
  | "timeout"
  | "in_progress"
  | "precondition_failed"
  | "too_large"
  | "unsupported_media_type"
  | "precondition_required"
  | "headers_too_large"
  | "internal"
  | "not_implemented";

/** Every `code` of a problem document. */
export type ProblemKind = ErrorKind | HttpErrorKind;

/** Every sentence of these failures, with its kind. */
export const HTTP_REFUSALS = {
  method_missing: "method_not_allowed",
  no_tunnels: "method_not_allowed",
  only_json: "not_acceptable",
  request_late: "timeout",
  request_in_progress: "in_progress",
  record_changed: "precondition_failed",
  tag_weak: "precondition_failed",
  body_too_large: "too_large",
  file_too_large: "too_large",
  input_too_large: "too_large",
  body_not_json_type: "unsupported_media_type",
  body_not_patch_type: "unsupported_media_type",
  body_not_form_type: "unsupported_media_type",
  body_encoded: "unsupported_media_type",
  body_not_taken: "unsupported_media_type",
  if_match_required: "precondition_required",
  head_too_large: "headers_too_large",
  failure: "internal",
  transfer_coding_unknown: "not_implemented",
} as const satisfies Readonly<Record<string, HttpErrorKind>>;

export type HttpRefusalCodes = {
  readonly [Code in keyof typeof HTTP_REFUSALS]: Code extends keyof typeof HTTP_REFUSAL_PARAMS
    ? (typeof HTTP_REFUSAL_PARAMS)[Code]
    : Unfilled;
};

/** What sentences are filled with, unless whoever throws knows better. */
export const HTTP_REFUSAL_PARAMS = {
  method_missing: { methods: "GET, HEAD" as string },
  body_too_large: { limit: BODY_LIMIT.text },
  file_too_large: { limit: FILE_LIMIT.text },
  input_too_large: { limit: FORM_INPUT_LIMIT.text },
  head_too_large: { limit: HEAD_LIMIT.text },
} as const;

export type HttpRefusalCode = keyof HttpRefusalCodes;
