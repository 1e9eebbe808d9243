import type { TSchema } from "typebox";
import type { AppError } from "../../core/errors.ts";
import type { CatalogNames } from "./catalog-names.ts";
import type { Guide } from "./guides.ts";
import type { OperationCalls, PlainJson, ToolFailure } from "./operation-calls.ts";

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly hints: ToolHints;
  /** What its arguments are checked by. */
  readonly arguments: TSchema;
  /** The same, and what it gives, as they are told. */
  readonly inputSchema: PlainJson;
  readonly outputSchema: PlainJson;
  /** Its own arguments are narrower: they have been checked by its schema. */
  perform(args: PlainJson, context: ToolContext): Promise<PlainJson>;
}

/** All are said, so that no host has to guess. */
export interface ToolHints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: false;
}

export interface ToolContext {
  readonly calls: OperationCalls;
  readonly names: CatalogNames;
  readonly guides: () => Promise<readonly Guide[]>;
  /** Milliseconds since 1970, by the clock of the data. */
  readonly now: () => number;
  /** What is thrown for faults of arguments, with what the model can do next. */
  readonly refuse: (error: AppError, advice?: readonly string[]) => ToolFailure;
  /** Called with what a tool itself refused, for whoever asks later what came of the call. */
  readonly onRefused: (tool: string, refusal: AppError, milliseconds: number) => void;
}
