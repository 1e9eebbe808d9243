import type { Json } from "./openapi-schemas.ts";
import { PROBLEM_TYPE } from "./problem.ts";

/**
 * The parts of a document that several operations have alike: each is written once, and they refer to it. `writtenOut` in
 * `scripts/openapi-document.mjs` is the way back.
 */

/** A document with everything in its place. */
export interface DescribedApi extends Json {
  readonly paths: Record<string, Record<string, DescribedOperation>>;
  readonly webhooks?: Record<string, { readonly post: DescribedOperation }>;
  readonly components: { readonly schemas: Json; readonly securitySchemes: Json; readonly headers: Json };
}

export interface DescribedOperation extends Json {
  readonly operationId: string;
  readonly parameters?: Json[];
  requestBody?: Json;
  readonly responses: Record<string, Json>;
}

/** The same document without repetition. */
export function shareParts(described: DescribedApi): Json {
  const document: DescribedApi = structuredClone(described);
  const { schemas, ...rest } = document.components;
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const webhooks = Object.values(document.webhooks ?? {}).map(({ post }) => post);
  for (const operation of [...operations, ...webhooks]) leaveOutExamples(operation, schemas);
  const failures = gatherFailures(operations);
  const parameters = shareRepeated(operations.flatMap(sharableParameters), "parameters");
  const responses = { ...shareRepeated(operations.flatMap(sharableResponses), "responses"), ...failures };
  const requestBodies = shareRepeated(webhooks.flatMap(sharableMessage), "requestBodies");
  const examples = shareRepeated(sharableExamples(operations, responses), "examples");
  const shared = { parameters, responses, requestBodies, examples };
  const used = Object.entries(shared).filter(([, parts]) => Object.keys(parts).length > 0);
  return { ...document, components: { schemas, ...Object.fromEntries(used), ...rest } };
}

/** A body's example that is the first one of its schema stands there alone. */
function leaveOutExamples({ requestBody, responses }: DescribedOperation, schemas: Json): void {
  for (const body of [requestBody, ...Object.values(responses)])
    for (const content of Object.values((body?.content ?? {}) as Record<string, Content>)) {
      const name = content.schema.$ref?.split("/").at(-1) ?? "";
      const [first] = (schemas[name] as { examples?: readonly unknown[] } | undefined)?.examples ?? [];
      if (first !== undefined && JSON.stringify(content.example) === JSON.stringify(first))
        delete content.example;
    }
}

interface Content {
  readonly schema: { readonly $ref?: string };
  example?: unknown;
  readonly examples?: Record<string, Json>;
}

/**
 * Failures that all operations have, and that nothing but their code tells apart, become one: what an operation answers by
 * `default`. Each is an example of it whose summary says when it comes.
 */
function gatherFailures(operations: readonly DescribedOperation[]): Json {
  const [first, ...others] = operations;
  if (!first || others.length === 0) return {};
  const common = Object.entries(first.responses).filter(
    ([status, response]) =>
      Object.keys(examplesIn(response)).length === 1 &&
      others.every(({ responses }) => JSON.stringify(responses[status]) === JSON.stringify(response)),
  );
  const byHeaders = new Map<string, typeof common>();
  for (const one of common) {
    const headers = JSON.stringify(one[1].headers);
    byHeaders.set(headers, [...(byHeaders.get(headers) ?? []), one]);
  }
  const most = [...byHeaders.values()].sort((one, other) => other.length - one.length)[0] ?? [];
  if (most.length < 2) return {};
  const [, alike] = most[0] as [string, Json];
  const examples = most.map(([, response]) => {
    const [[code, example]] = Object.entries(examplesIn(response)) as [[string, Json]];
    return [code, { summary: response.description, ...example }];
  });
  for (const { responses } of operations) {
    for (const [status] of most) delete responses[status];
    responses.default = { $ref: "#/components/responses/failure" };
  }
  const content = { ...problemIn(alike), examples: Object.fromEntries(examples) };
  return {
    failure: {
      description:
        "What every operation can answer as well, each with its own status. `code` says which it is.",
      headers: alike.headers,
      content: { [PROBLEM_TYPE]: content },
    },
  };
}

/** One place of an operation where something stands that others may have too. */
interface SharablePart {
  /** What it is called if it is the only one of its name: `limit`, `unauthorized`. */
  readonly name: string;
  readonly operationId: string;
  readonly part: Json;
  /** Puts a reference in its place. */
  readonly replace: (reference: Json) => void;
}

function sharableParameters({ operationId, parameters = [] }: DescribedOperation): SharablePart[] {
  return parameters.map((part, index) => ({
    name: String(part.name),
    operationId,
    part,
    replace: (reference) => {
      parameters[index] = reference;
    },
  }));
}

/** Every answer but those with a body of the operation's own. */
function sharableResponses({ operationId, responses }: DescribedOperation): SharablePart[] {
  return Object.entries(responses)
    .filter(([status]) => Number(status) >= 300)
    .map(([status, part]) => ({
      name: nameOfResponse(Number(status), part),
      operationId,
      part,
      replace: (reference) => {
        responses[status] = reference;
      },
    }));
}

/** The codes that it has examples of: `conflict-in_progress`. */
function nameOfResponse(status: number, response: Json): string {
  return status === 304 ? "not_modified" : Object.keys(examplesIn(response)).join("-");
}

function sharableMessage(webhook: DescribedOperation): SharablePart[] {
  const { operationId, requestBody } = webhook;
  if (!requestBody) return [];
  const { schema } = (requestBody.content as Record<string, Content>)["application/json"] ?? {};
  const replace = (reference: Json) => {
    webhook.requestBody = reference;
  };
  return [{ name: schema?.$ref?.split("/").at(-1) ?? operationId, operationId, part: requestBody, replace }];
}

/** The failures that several answers give an example of. */
function sharableExamples(operations: readonly DescribedOperation[], shared: Json): SharablePart[] {
  const ofComponents = Object.entries(shared) as [operationId: string, response: Json][];
  const ofOperations = operations.flatMap(({ operationId, responses }) =>
    Object.values(responses).map((response): [string, Json] => [operationId, response]),
  );
  return [...ofComponents, ...ofOperations].flatMap(([operationId, response]) => {
    const examples = examplesIn(response);
    return Object.entries(examples).map(([name, part]) => ({
      name,
      operationId,
      part,
      replace: (reference: Json) => {
        examples[name] = reference;
      },
    }));
  });
}

function examplesIn(response: Json): Record<string, Json> {
  return problemIn(response)?.examples ?? {};
}

function problemIn({ content }: Json): Content | undefined {
  return (content as Record<string, Content> | undefined)?.[PROBLEM_TYPE];
}

/**
 * Gives the components, by name, and leaves references to them. What one operation alone has stays where it is. Of several
 * parts with one name the one that most operations have gets it, and the others are called after the first operation that
 * has them: `limit` of three lists is `limit`, that of two others `limit.listChanges`.
 */
function shareRepeated(parts: readonly SharablePart[], folder: string): Json {
  const byName = new Map<string, Map<string, SharablePart[]>>();
  for (const part of parts) {
    const alike = byName.get(part.name) ?? new Map<string, SharablePart[]>();
    const text = JSON.stringify(part.part);
    byName.set(part.name, alike.set(text, [...(alike.get(text) ?? []), part]));
  }
  const components: Json = {};
  for (const [name, alike] of [...byName].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const repeated = [...alike.values()].filter(({ length }) => length > 1);
    const mostUsed = repeated.toSorted((one, other) => other.length - one.length)[0];
    for (const uses of repeated) {
      const [first] = uses as [SharablePart, ...SharablePart[]];
      const key = uses === mostUsed ? name : `${name}.${first.operationId}`;
      components[key] = first.part;
      for (const { replace } of uses) replace({ $ref: `#/components/${folder}/${key}` });
    }
  }
  return components;
}
