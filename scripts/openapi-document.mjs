// An OpenAPI document of ours as it reads without components: what operations share stands in each of them.

/**
 * Operations with their own parameters, answers and examples: those that every operation answers by `default` stand at
 * their statuses, and texts where they are used. Schemas of objects stay components, and headers too.
 */
export function writtenOut(published) {
  const document = withTexts(published);
  const { components } = document;
  const resolve = ({ $ref, ...rest }) =>
    $ref === undefined
      ? rest
      : $ref
          .split("/")
          .slice(1)
          .reduce((part, name) => part[name], document);
  const content = ({ schema, example, examples, ...rest }) => {
    const first = schema?.$ref && components.schemas[schema.$ref.split("/").at(-1)].examples?.[0];
    const shown = example === undefined ? first : example;
    return {
      schema,
      ...rest,
      ...(examples ? { examples: mapped(examples, resolve) } : shown !== undefined && { example: shown }),
    };
  };
  const body = (part) => {
    const resolved = resolve(part);
    return resolved.content ? { ...resolved, content: mapped(resolved.content, content) } : resolved;
  };
  const operation = ({ parameters, requestBody, responses, ...rest }) => ({
    ...rest,
    ...(parameters && {
      parameters: parameters.map((parameter) => ({ required: false, ...resolve(parameter) })),
    }),
    ...(requestBody && { requestBody: body(requestBody) }),
    responses: byStatus(mapped(responses, body)),
  });
  const { schemas, securitySchemes, headers } = components;
  return {
    ...document,
    paths: mapped(document.paths, (methods) => mapped(methods, operation)),
    ...(document.webhooks && {
      webhooks: mapped(document.webhooks, (methods) => mapped(methods, operation)),
    }),
    components: { schemas, securitySchemes, headers },
  };
}

/** Each failure of \`default\` as the answer of its status: its summary says when it comes. */
function byStatus({ default: others, ...responses }) {
  const [[type, { examples, ...problem }] = [undefined, {}]] = Object.entries(others?.content ?? {});
  if (!examples) return others ? { ...responses, default: others } : responses;
  const failures = Object.entries(examples).map(([code, { summary, ...example }]) => [
    example.value.status,
    {
      description: summary,
      headers: others.headers,
      content: { [type]: { ...problem, examples: { [code]: example } } },
    },
  ]);
  return { ...responses, ...Object.fromEntries(failures) };
}

/** Components that are no objects are only names: they stand where they are used. */
function withTexts(document) {
  const { schemas } = document.components;
  const isObject = ({ type }) => [type].flat().includes("object");
  const put = (part) => {
    if (typeof part !== "object" || part === null) return part;
    if (Array.isArray(part)) return part.map(put);
    const { $ref, ...rest } = mapped(part, put);
    const named = typeof $ref === "string" && /^#\/components\/schemas\/(.*)$/.exec($ref)?.[1];
    if ($ref === undefined) return rest;
    return named && !isObject(schemas[named]) ? { ...schemas[named], ...rest } : { $ref, ...rest };
  };
  const kept = Object.entries(schemas).filter(([, schema]) => isObject(schema));
  return put({ ...document, components: { ...document.components, schemas: Object.fromEntries(kept) } });
}

function mapped(record, change) {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}
