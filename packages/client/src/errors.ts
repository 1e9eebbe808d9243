import type { Problem } from "./api-types.ts";

/** What a failure of the API says. Nothing in it is a value of yours, and the key is nowhere. */
export class RollbookError extends Error {
  /** 0 if there was no whole answer. */
  declare readonly status: number;
  /** For programs: `invalid`, `conflict`, … of the API; `unreachable`, `timeout`, `incomplete`, `unexpected_answer` are the client's. */
  declare readonly code: string;
  declare readonly title: string;
  declare readonly detail: string;
  /** Every fault of the request, each with its place. */
  declare readonly errors: NonNullable<Problem["errors"]>;
  /** It finds the request in the server's log. */
  declare readonly requestId: string | undefined;
  /** With 409 `conflict`: the client that holds the id document. */
  declare readonly clientId: string | undefined;
  declare readonly clientStatus: string | undefined;
  /** How long to wait, if the server has said so. */
  declare readonly retryAfterSeconds: number | undefined;

  constructor(failure: Failure, options?: ErrorOptions) {
    super(sentenceOf(failure), options);
    const { status, code, title = "", detail = "", errors = [] } = failure;
    const { requestId, clientId, clientStatus, retryAfterSeconds } = failure;
    const told = {
      status,
      code,
      title,
      detail,
      errors,
      requestId,
      clientId,
      clientStatus,
      retryAfterSeconds,
    };
    Object.assign(this, { name: new.target.name, ...told });
  }
}

/** A failure before it is an error. */
export interface Failure extends Partial<Pick<Problem, "title" | "detail" | "errors" | "requestId">> {
  readonly status: number;
  readonly code: string;
  readonly clientId?: string;
  readonly clientStatus?: string;
  readonly retryAfterSeconds?: number | undefined;
}

/** The key is missing, unknown, revoked or expired. */
export class UnauthorizedError extends RollbookError {}
export class NotFoundError extends RollbookError {}
/** Another client holds the id document (`clientId`), or the request with this key is still under way. */
export class ConflictError extends RollbookError {}
/** The data behind a cursor was replaced: begin again. */
export class GoneError extends RollbookError {}
/** The record is not as you read it. */
export class PreconditionFailedError extends RollbookError {}
/** `errors` has every fault of the request. */
export class InvalidError extends RollbookError {}
export class RateLimitedError extends RollbookError {}
/** No answer came, or not all of it. */
export class UnreachableError extends RollbookError {}

const CLASSES: Readonly<Record<number, typeof RollbookError>> = {
  0: UnreachableError,
  401: UnauthorizedError,
  404: NotFoundError,
  409: ConflictError,
  410: GoneError,
  412: PreconditionFailedError,
  422: InvalidError,
  429: RateLimitedError,
};

export function errorOf(failure: Failure, options?: ErrorOptions): RollbookError {
  return new (CLASSES[failure.status] ?? RollbookError)(failure, options);
}

function sentenceOf({ status, code, detail, errors = [], requestId }: Failure): string {
  const faults = errors.map(({ location, message, code: fault }) => `${location} ${message} (${fault})`);
  const told = [detail, ...faults].filter(Boolean).join(" · ");
  return `${status || "no answer"} ${code}${told && `: ${told}`}${requestId ? ` [request ${requestId}]` : ""}`;
}
