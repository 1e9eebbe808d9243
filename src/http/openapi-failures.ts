import { invalid } from "../core/errors.ts";
import type { Language } from "../languages/dictionary.ts";
import type { ProblemKind } from "../languages/http-refusals.ts";
import type { AboutApi } from "./about-api.ts";
import type { ApiDocument, Operation } from "./declaration.ts";
import { headerRefs } from "./openapi-headers.ts";
import type { Json } from "./openapi-schemas.ts";
import { describeKind, EXAMPLE_REQUEST_ID, generalError, PROBLEM_TYPE, problemReply } from "./problem.ts";

/** The failures of operations as a document tells of them, with what callers read in its language. */

export function describeFailures(
  operation: Operation,
  kinds: ReadonlySet<ProblemKind>,
  document: ApiDocument,
  schema: Json,
  language: Language,
): Record<string, Json> {
  const byStatus = new Map<number, ProblemKind[]>();
  for (const kind of kinds) {
    const { status } = describeError(document.about, kind);
    byStatus.set(status, [...(byStatus.get(status) ?? []), kind]);
  }
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, some]) => [status, failure(operation, some, document, schema, language)]),
  );
}

/** An answer that one kind of failure has, or several that share a status. */
function failure(
  operation: Operation,
  kinds: readonly ProblemKind[],
  document: ApiDocument,
  schema: Json,
  language: Language,
): Json {
  const { about } = document;
  const [first, ...others] = kinds;
  return {
    description: kinds
      .map((kind) => `${others.length > 0 ? `\`${kind}\`: ` : ""}${describeError(about, kind).when}`)
      .join(" "),
    headers: {
      ...headerRefs("X-Request-Id", "Content-Language", "Vary"),
      ...(kinds.some((kind) => RETRIED.has(kind)) && headerRefs("Retry-After")),
      ...(first === "unauthorized" &&
        about.security.challenge !== undefined &&
        headerRefs("WWW-Authenticate")),
    },
    content: {
      [PROBLEM_TYPE]: {
        schema,
        examples: Object.fromEntries(
          kinds.map((kind) => {
            const error = ownExample(operation, kind) ?? generalError(kind);
            return [kind, { value: problemExample(error, language, document) }];
          }),
        ),
      },
    },
  };
}

/** Failures that say when to try again. */
const RETRIED: ReadonlySet<ProblemKind> = new Set(["rate_limited", "unavailable", "in_progress"]);

/** A kind of failure as a document tells of it. */
export function describeError({ causes }: AboutApi, kind: ProblemKind): ReturnType<typeof describeKind> {
  const known = describeKind(kind);
  return { ...known, when: causes[kind] ?? known.when };
}

/** What an operation itself is refused with, if that is known. */
function ownExample(operation: Operation, kind: ProblemKind): Error | undefined {
  const declared = operation.errors?.find((error) => error.kind === kind);
  return declared ?? (kind === "invalid" ? exampleFault(operation) : undefined);
}

/** Without the link to the schema, as all examples are. */
function problemExample(error: unknown, language: Language, document: ApiDocument): Json {
  const { body } = problemReply(error, document, { language, requestId: EXAMPLE_REQUEST_ID });
  const { $schema, ...problem } = JSON.parse(body) as Json;
  return problem;
}

/** What an operation refuses, by how it is declared. */
function exampleFault({ query, params, etag, record }: Operation): Error {
  const { limit } = (query?.properties ?? {}) as Record<string, { readonly maximum?: number }>;
  if (limit?.maximum !== undefined)
    return invalid([{ location: "query.limit", code: "above_maximum", params: { max: limit.maximum } }]);
  if (params) return invalid([{ location: "path.id", code: "uuid_invalid" }]);
  if (etag ?? record) return invalid([{ location: "header.If-None-Match", code: "header_invalid" }]);
  const known = Object.keys(query?.properties ?? {});
  return invalid([{ location: "query.page", code: "unknown_parameter", params: { known } }]);
}
