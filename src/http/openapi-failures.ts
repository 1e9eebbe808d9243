import { invalid } from "../core/errors.ts";
import { LANGUAGE_TAGS, type Language } from "../languages/dictionary.ts";
import type { AboutApi } from "./about-api.ts";
import type { Operation } from "./declaration.ts";
import type { ProblemKind } from "./http-error.ts";
import { headerRefs } from "./openapi-headers.ts";
import type { Json } from "./openapi-schemas.ts";
import { describeKind, generalError, PROBLEM_KINDS, PROBLEM_TYPE, problemReply } from "./problem.ts";

/** The failures of operations as a document tells of them, with what callers read in each language. */

/** By their kinds: the failures that look the same at every operation. */
export type KnownFailures = Map<string, Json>;

export function describeFailures(
  operation: Operation,
  kinds: ReadonlySet<ProblemKind>,
  about: AboutApi,
  schema: Json,
  known: KnownFailures,
): Json {
  const byStatus = new Map<number, ProblemKind[]>();
  for (const kind of kinds) {
    const { status } = describeError(about, kind);
    byStatus.set(status, [...(byStatus.get(status) ?? []), kind]);
  }
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, some]) => [status, describeFailure(operation, some, about, schema, known)]),
  );
}

function describeFailure(
  operation: Operation,
  kinds: readonly ProblemKind[],
  about: AboutApi,
  schema: Json,
  known: KnownFailures,
): Json {
  if (kinds.some((kind) => ownExample(operation, kind))) return failure(operation, kinds, about, schema);
  const name = kinds.join(" ");
  const described = known.get(name) ?? failure(operation, kinds, about, schema);
  known.set(name, described);
  return described;
}

/** An answer that one kind of failure has, or several that share a status. */
function failure(operation: Operation, kinds: readonly ProblemKind[], about: AboutApi, schema: Json): Json {
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
        examples: Object.assign({}, ...kinds.map((kind) => problemExamples(operation, kind))),
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

/** What callers read, in each language. Most kinds look the same everywhere; those examples are components. */
function problemExamples(operation: Operation, kind: ProblemKind): Json {
  const error = ownExample(operation, kind);
  return Object.fromEntries(
    LANGUAGE_TAGS.map((language) => [
      exampleName(kind, language),
      error
        ? { value: problemExample(error, language) }
        : { $ref: `#/components/examples/${exampleName(kind, language)}` },
    ]),
  );
}

/** What an operation itself is refused with, if that is known. */
function ownExample(operation: Operation, kind: ProblemKind): Error | undefined {
  const declared = operation.errors?.find((error) => error.kind === kind);
  return declared ?? (kind === "invalid" ? exampleFault(operation) : undefined);
}

/** Those that the paths refer to. */
export function referredExamples(paths: Json): Json {
  const text = JSON.stringify(paths);
  return Object.fromEntries(
    PROBLEM_KINDS.filter((kind) => text.includes(`"#/components/examples/${kind}.`)).flatMap((kind) =>
      LANGUAGE_TAGS.map((language) => [
        exampleName(kind, language),
        { value: problemExample(generalError(kind), language) },
      ]),
    ),
  );
}

function exampleName(kind: ProblemKind, language: Language): string {
  return `${kind}.${language}`;
}

/** Without the link to the schema, which depends on where the server is. */
function problemExample(error: unknown, language: Language): Json {
  const { $schema, ...problem } = JSON.parse(problemReply(error, "", { language }).body) as Json;
  return problem;
}

/** A value that an operation refuses, by how it is declared. */
function exampleFault({ query, params }: Operation): Error {
  return invalid([
    query
      ? { location: "query.limit", code: "above_maximum", params: { max: 200 } }
      : params
        ? { location: "path.id", code: "uuid_invalid" }
        : { location: "header.If-None-Match", code: "header_invalid" },
  ]);
}
