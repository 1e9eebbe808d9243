import type { FastifyInstance } from "fastify";
import type { ApiDocument } from "./declaration.ts";
import { DOCUMENT_METHODS, type OpenDocument, openDocument, sendDocument } from "./open-document.ts";
import { describeApi } from "./openapi.ts";
import { type Json, namedSchemas, plain } from "./openapi-schemas.ts";
import { nothingHere } from "./operation.ts";

/** Where callers find what the API promises: the document of a scope, and its schemas one by one. */

const DIALECT = "https://json-schema.org/draft/2020-12/schema";

/**
 * Serves a scope's `/openapi.json`, `/openapi.yaml` and the JSON Schema of each component. They are written for the first
 * request: a start would take a twentieth longer, and a server that was killed is awaited.
 */
export function registerDocument(app: FastifyInstance, document: ApiDocument): void {
  const { folder } = document;
  let written: ReturnType<typeof writeDocument> | undefined;
  const published = () => {
    written ??= writeDocument(document);
    return written;
  };
  let yaml: Promise<OpenDocument> | undefined;

  app.route({
    method: DOCUMENT_METHODS,
    url: `${folder}/openapi.json`,
    handler: (request, reply) => sendDocument(request, reply, published().json),
  });
  app.route({
    method: DOCUMENT_METHODS,
    url: `${folder}/openapi.yaml`,
    handler: async (request, reply) => {
      yaml ??= writeYaml(published().described);
      return sendDocument(request, reply, await yaml);
    },
  });
  app.route<{ Params: { file: string } }>({
    method: DOCUMENT_METHODS,
    url: `${folder}/schemas/:file`,
    handler: (request, reply) => {
      const name = /^(\w+)\.json$/.exec(request.params.file)?.[1];
      const schema = published().schemas.get(name ?? "");
      if (!schema) throw nothingHere();
      return sendDocument(request, reply, schema);
    },
  });
}

/** A document with the JSON Schemas of its components, as they are sent. */
function writeDocument(document: ApiDocument) {
  const { schemaUrl } = document;
  const described = describeApi(document);
  const schemas = new Map(
    [...namedSchemas(document)].map(([name, schema]) => {
      const text = JSON.stringify({ $schema: DIALECT, ...plain(schema), $id: schemaUrl(name) });
      return [name, openDocument("application/schema+json", text)];
    }),
  );
  return { described, schemas, json: openDocument("application/json", JSON.stringify(described)) };
}

async function writeYaml(document: Json): Promise<OpenDocument> {
  const { stringify } = await import("yaml");
  return openDocument("application/yaml", stringify(document, { aliasDuplicateObjects: false }));
}
