import type { TSchema } from "typebox";
import type { FaultTopic } from "../core/faults.ts";
import type { ProblemKind } from "../languages/http-refusals.ts";

/** What an OpenAPI document says beside its operations: all in which the documents of two scopes differ. */
export interface AboutApi {
  readonly title: string;
  readonly version: string;
  readonly summary: string;
  readonly description: string;
  /** A page for people, after the public address: `/docs`. */
  readonly page: string;
  readonly security: SecurityScheme;
  /** A description of each tag that operations of the scope have. */
  readonly tags: Readonly<Record<string, string>>;
  /**
   * What every operation of the scope can answer, whatever it does. With `rate_limited`, answers tell what is left of
   * the limit.
   */
  readonly errors: readonly ProblemKind[];
  /** What its operations can find wrong with a value. */
  readonly faults: readonly FaultTopic[];
  /** Members that problem documents of the scope may have beside those of all: `{ clientId: Type.Optional(…) }`. */
  readonly facts: Readonly<Record<string, TSchema>>;
  /** When a kind of failure is answered, where the scope can say more than `http/problem.ts`. */
  readonly causes: Readonly<Partial<Record<ProblemKind, string>>>;
  /** What is sent to addresses that callers name, beside what they ask for. */
  readonly webhooks?: readonly PublishedWebhook[];
  /** Whether it has a change feed, in which a list that was taken as a file can be followed. */
  readonly hasChangeFeed?: boolean;
  /** The header that makes a write safe to repeat, as OpenAPI writes a parameter; absent if writes take none. */
  readonly idempotencyKey?: {
    readonly required: boolean;
    readonly description: string;
    readonly schema: Readonly<Record<string, unknown>>;
  };
}

/** A message that the server sends by itself. */
export interface PublishedWebhook {
  readonly name: string;
  readonly summary: string;
  /** With an example. */
  readonly schema: TSchema;
}

/** How callers of a scope say who they are. */
export interface SecurityScheme {
  /** Its name among the document's components. */
  readonly name: string;
  /** As OpenAPI writes it: `{ type: "http", scheme: "bearer" }`. */
  readonly scheme: Readonly<Record<string, string>>;
  /** The request header that has the credential: answers to reads vary by it. */
  readonly header: "Authorization" | "Cookie";
  /** What `WWW-Authenticate` says in a 401; absent where browsers sign in by a page. */
  readonly challenge?: string;
}
