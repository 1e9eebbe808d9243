// An operation as it is called: in a shell, in TypeScript and in Python, with the examples of its document.
import { readOperations, snakeCase } from "./client-document.mjs";
import { argument } from "./client-python.mjs";

/** Each operation's three calls, and the filters that they name. They work as they stand with a demo studio. */
export function snippetsOf(document) {
  return new Map(
    readOperations(document).map((operation) => {
      const { parameters = [], requestBody } = document.paths[operation.path][operation.method.toLowerCase()];
      const request = requestOf(operation, parameters, requestBody);
      return [
        operation.name,
        {
          shell: inShell(request),
          typescript: inTypeScript(request),
          python: inPython(request),
          query: request.query,
        },
      ];
    }),
  );
}

/** Optional parameters that a first call is clearer with, and of which operations if not of all. */
const SHOWN = { include: ["listSessions", "listContracts"], limit: undefined };

function requestOf({ name, method, path, sends, result, item }, parameters, requestBody) {
  const path_ = parameters.filter(({ in: place }) => place === "path");
  const query = parameters.filter(
    ({ name: parameter, in: place, required }) =>
      place === "query" &&
      (required || (parameter in SHOWN && (SHOWN[parameter]?.includes(name) ?? parameter === "limit"))),
  );
  return {
    name,
    method,
    path: path_.reduce((text, { name: part, schema }) => text.replace(`{${part}}`, exampleOf(schema)), path),
    ids: path_.map(({ schema }) => exampleOf(schema)),
    query: Object.fromEntries(query.map(({ name: key, schema }) => [key, exampleOf(schema)])),
    sends,
    body: sends && requestBody.content[sends].example,
    isList: item !== undefined,
    hasResult: result !== undefined,
  };
}

function exampleOf({ examples, enum: values, type }) {
  return examples?.[0] ?? values?.[0] ?? (type === "integer" ? 10 : "");
}

function inShell({ method, path, query, sends, body }) {
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  const address = `http://localhost:8080${path}${search.size > 0 ? `?${search}` : ""}`;
  return [
    `curl ${method === "GET" ? "" : `-X ${method} `}"${address}"`,
    '-H "Authorization: Bearer $KEY"',
    ...(method === "GET" ? [] : ['-H "Idempotency-Key: $(uuidgen)"']),
    ...(body ? [`-H "Content-Type: ${sends}"`, `-d '${JSON.stringify(body, null, 2)}'`] : []),
  ].join(" \\\n  ");
}

function inTypeScript({ name, ids, query, body, isList, hasResult }) {
  const given = [
    ...ids.map((id) => JSON.stringify(id)),
    ...(body ? [asTypeScript(body)] : []),
    ...(Object.keys(query).length > 0 ? [asTypeScript(query)] : []),
  ];
  const call = `await api.${name}(${given.join(", ")});`;
  return `import { RollbookClient } from "@rollbook/client";

const api = new RollbookClient({ baseUrl: "http://localhost:8080", key: process.env.KEY });
${hasResult ? `const ${isList ? "page" : "record"} = ${call}\nconsole.log(${isList ? "page.data" : "record"});` : call}`;
}

function asTypeScript(value) {
  return JSON.stringify(value, null, 2).replace(/^(\s*)"([A-Za-z_]\w*)":/gm, "$1$2:");
}

function inPython({ name, ids, query, body, isList, hasResult }) {
  const given = [
    ...ids.map((id) => JSON.stringify(id)),
    ...(body ? [asPython(body)] : []),
    ...Object.entries(query).map(([key, value]) => `${argument(key)}=${asPython(value)}`),
  ];
  const call = `api.${snakeCase(name)}(${given.join(", ")})`;
  return `import os
from rollbook_client import Client

api = Client("http://localhost:8080", os.environ["KEY"])
${hasResult ? `${isList ? "page" : "record"} = ${call}\nprint(${isList ? 'page["data"]' : "record"})` : call}`;
}

function asPython(value) {
  return JSON.stringify(value, null, 4).replace(
    /("(?:[^"\\]|\\.)*")|\b(true|false|null)\b/g,
    (_, text, word) => text ?? { true: "True", false: "False", null: "None" }[word],
  );
}
