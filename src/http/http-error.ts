import type { Detail } from "../core/errors.ts";
import {
  HTTP_REFUSAL_PARAMS,
  HTTP_REFUSALS,
  type HttpErrorKind,
  type HttpRefusalCode,
  type ProblemKind,
} from "../languages/http-refusals.ts";

/** The address has other methods: `GET, HEAD`. */
export function methodMissing(methods: string): HttpError {
  return new HttpError("method_missing", { params: { methods } });
}

export class HttpError extends Error {
  readonly kind: HttpErrorKind;
  readonly detail: Detail<HttpRefusalCode>;

  constructor(code: HttpRefusalCode, options: { readonly cause?: unknown; readonly params?: object } = {}) {
    super(code, options);
    this.name = "HttpError";
    this.kind = HTTP_REFUSALS[code];
    const params =
      options.params ??
      (code in HTTP_REFUSAL_PARAMS
        ? HTTP_REFUSAL_PARAMS[code as keyof typeof HTTP_REFUSAL_PARAMS]
        : undefined);
    this.detail = params ? { code, params } : { code };
  }
}

export function isHttpKind(kind: ProblemKind): kind is HttpErrorKind {
  return Object.values<string>(HTTP_REFUSALS).includes(kind);
}
