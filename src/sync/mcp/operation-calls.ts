import type { TObject, TSchema } from "typebox";
import type { AppError } from "../../core/errors.ts";

/** What an operation is asked for. */
export interface AskedOperation {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly idempotencyKey?: string | undefined;
  /** Carries it out and keeps nothing. */
  readonly dryRun?: boolean | undefined;
}

export type PlainJson = Readonly<Record<string, unknown>>;

/** Operations of the API, on behalf of whoever has sent the request that is being answered. */
export interface OperationCalls {
  /** The record or list that the operation answers. Throws a `ToolFailure` if it refuses. */
  ask(operationId: string, asked?: AskedOperation): Promise<PlainJson>;
}

/** An operation as it is declared, as far as tools are made of it. */
export interface DeclaredOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly params?: TObject | undefined;
  readonly query?: TObject | undefined;
  readonly body?: { readonly schema: TObject } | undefined;
  readonly answer: { readonly schema?: TSchema };
}

/** Why a tool has not done what it was asked: a problem document, and what can be done next. */
export class ToolFailure extends Error {
  readonly problem: PlainJson;
  /** Sentences for the model. */
  readonly advice: readonly string[];
  /** What the tool itself refused; undefined if an operation did, which is recorded as such. */
  readonly refusal: AppError | undefined;

  constructor(problem: PlainJson, advice: readonly string[] = [], refusal?: AppError) {
    super(String(problem.detail ?? problem.code));
    this.problem = problem;
    this.advice = advice;
    this.refusal = refusal;
  }
}

/** More than can be said at once. */
export function tooLong(detail: string, advice: string): ToolFailure {
  return new ToolFailure({ title: "Content Too Large", status: 413, code: "too_large", detail }, [advice]);
}
