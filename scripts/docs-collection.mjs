// The operations as a collection that Postman opens, and Bruno imports.
import { writtenOut } from "./openapi-document.mjs";

/** In the format of Postman 2.1: a folder for each tag, each request with its examples; `baseUrl` and `key` are variables. */
export function collectionOf(published, publicUrl) {
  const { info, tags, paths } = writtenOut(published);
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  );
  return {
    info: {
      name: info.title,
      description: info.description,
      version: info.version,
      schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
    },
    auth: { type: "bearer", bearer: [{ key: "token", value: "{{key}}", type: "string" }] },
    variable: [
      { key: "baseUrl", value: publicUrl, type: "string" },
      { key: "key", value: "", type: "string", description: "A key of the organization: rbk_…" },
    ],
    item: tags.map(({ name, description }) => ({
      name,
      description,
      item: operations.filter(({ tags: own }) => own[0] === name).map(requestItem),
    })),
  };
}

function requestItem({ path, method, operationId, summary, description, parameters = [], requestBody }) {
  const placed = (place) => parameters.filter(({ in: where }) => where === place);
  const segments = path
    .slice(1)
    .replace(/\{(\w+)\}/g, ":$1")
    .split("/");
  const query = placed("query").map((parameter) => ({
    key: parameter.name,
    value: exampleOf(parameter.schema),
    description: parameter.description,
    ...(!parameter.required && { disabled: true }),
  }));
  const asked = query
    .filter(({ disabled }) => !disabled)
    .map(({ key, value }) => `${key}=${encodeURIComponent(value)}`);
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  return {
    name: summary,
    request: {
      method: method.toUpperCase(),
      description: `\`${operationId}\`: ${description}`,
      header: [
        ...(type ? [{ key: "Content-Type", value: type }] : []),
        ...placed("header").map((parameter) => ({
          key: parameter.name,
          value: parameter.name === "Idempotency-Key" ? "{{$guid}}" : exampleOf(parameter.schema),
          description: parameter.description,
          ...(parameter.name !== "Idempotency-Key" && { disabled: true }),
        })),
      ],
      url: {
        raw: `{{baseUrl}}/${segments.join("/")}${asked.length > 0 ? `?${asked.join("&")}` : ""}`,
        host: ["{{baseUrl}}"],
        path: segments,
        ...(query.length > 0 && { query }),
        ...(placed("path").length > 0 && {
          variable: placed("path").map((parameter) => ({
            key: parameter.name,
            value: exampleOf(parameter.schema),
            description: parameter.description,
          })),
        }),
      },
      ...(content && {
        body: {
          mode: "raw",
          raw: JSON.stringify(content.example, null, 2),
          options: { raw: { language: "json" } },
        },
      }),
    },
    response: [],
  };
}

function exampleOf({ examples, enum: values, default: usual }) {
  return String(examples?.[0] ?? usual ?? values?.[0] ?? "");
}
