// An OpenAPI document of ours as it reads without components: what operations share stands in each of them.

/** Operations with their own parameters, answers and examples. Schemas stay components, and headers too. */
export function writtenOut(document) {
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
    return {
      schema,
      ...rest,
      ...(examples
        ? { examples: mapped(examples, resolve) }
        : { example: example === undefined ? first : example }),
    };
  };
  const body = (part) => {
    const resolved = resolve(part);
    return resolved.content ? { ...resolved, content: mapped(resolved.content, content) } : resolved;
  };
  const operation = ({ parameters, requestBody, responses, ...rest }) => ({
    ...rest,
    ...(parameters && { parameters: parameters.map(resolve) }),
    ...(requestBody && { requestBody: body(requestBody) }),
    responses: mapped(responses, body),
  });
  const paths = mapped(document.paths, (methods) => mapped(methods, operation));
  return {
    ...document,
    paths,
    ...(document.webhooks && {
      webhooks: mapped(document.webhooks, (methods) => mapped(methods, operation)),
    }),
  };
}

function mapped(record, change) {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}
