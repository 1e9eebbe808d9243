import type { ErrorKind } from "../core/errors.ts";

/** Failures that only a caller over HTTP can meet; the domain has its own in `core/errors.ts`. */
export type HttpErrorKind =
  | "method_not_allowed"
  | "timeout"
  | "too_large"
  | "unsupported_media_type"
  | "headers_too_large"
  | "internal"
  | "not_implemented"
  | "not_acceptable"
  | "in_progress"
  | "precondition_failed"
  | "precondition_required";

/** Every `code` of a problem document. */
export type ProblemKind = ErrorKind | HttpErrorKind;

export class HttpError extends Error {
  readonly kind: HttpErrorKind;

  constructor(kind: HttpErrorKind, message: string, options?: { readonly cause: unknown }) {
    super(message, options);
    this.name = "HttpError";
    this.kind = kind;
  }
}
