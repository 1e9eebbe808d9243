// What the client libraries need to know of an OpenAPI document that is written out: its operations, in their order, and its events.

/** How a list looks as a file: `download` asks for it, pages do not have it. */
const FILE_FORM = "csv";

/**
 * Each operation with its parameters by place, the media types it takes and gives, and the schemas of its bodies. A list
 * also has the name that `download` knows it by.
 */
export function readOperations(document) {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => readOperation(document, path, method, operation)),
  );
}

function readOperation(document, path, method, operation) {
  const placed = (place) => (operation.parameters ?? []).filter((parameter) => parameter.in === place);
  const [status, success] = Object.entries(operation.responses).find(([code]) => code.startsWith("2"));
  const given = success.content ?? {};
  const taken = operation.requestBody?.content;
  const result = given["application/json"]?.schema;
  const data = result && document.components.schemas[nameOf(result)].properties?.data;
  const query = placed("query");
  const accepts = Object.keys(given);
  const isRead = method === "get";
  return {
    name: operation.operationId,
    method: method.toUpperCase(),
    path,
    summary: operation.summary,
    description: operation.description,
    pathNames: placed("path").map(({ name }) => name),
    // Pages are walked and kept as JSON: what only a file has is asked for by `download`.
    query: query.filter(({ name }) => name !== FILE_FORM),
    // What a read may send is the transport's to know; its language is an option of every call.
    headers: isRead ? [] : placed("header").filter(({ name }) => name !== "Accept-Language"),
    sends: taken && Object.keys(taken)[0],
    body: taken && Object.values(taken)[0].schema,
    accepts,
    result: status === "204" ? undefined : result,
    item: data?.type === "array" ? data.items : undefined,
    maxLimit: query.find(({ name }) => name === "limit")?.schema.maximum,
    list: isRead && accepts.length > 1 ? path.replace(/^\/v1\//, "") : undefined,
  };
}

/** The names of all events that webhooks tell, by the schema of their message. */
export function readEvents(document) {
  const events = new Map();
  for (const [name, { post }] of Object.entries(document.webhooks ?? {})) {
    const schema = nameOf(Object.values(post.requestBody.content)[0].schema);
    events.set(schema, [...(events.get(schema) ?? []), name]);
  }
  return events;
}

export function nameOf(schema) {
  return schema.$ref?.split("/").at(-1);
}

/** "If-Match" as an option is called: ifMatch. */
export function camelCase(header) {
  return header.replace(/-?([A-Za-z])([A-Za-z]*)/g, (_, first, rest, at) =>
    at === 0 ? first.toLowerCase() + rest : first.toUpperCase() + rest,
  );
}

/** "updatedSince" as Python calls it: updated_since. */
export function snakeCase(name) {
  return camelCase(name).replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
