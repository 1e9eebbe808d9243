import type { FastifyInstance } from "fastify";
import { LANGUAGE_TAGS } from "../languages/dictionary.ts";
import type { ApiDocument } from "./declaration.ts";
import { DOCUMENT_METHODS, type OpenDocument, openDocument, sendDocument } from "./open-document.ts";
import { describeApi } from "./openapi.ts";
import { fileExamples, fileSchemas } from "./openapi-files.ts";
import { type Json, namedSchemas, plain } from "./openapi-schemas.ts";
import { nothingHere } from "./operation.ts";

/** Where callers find what the API promises: the document of a scope, and its schemas one by one. */

const DIALECT = "https://json-schema.org/draft/2020-12/schema";

/**
 * Serves a scope's `/openapi.json`, `/openapi.yaml`, the same with failures in each other language (`/openapi.es.json`), the
 * JSON Schema of each component and the examples of files. They are written for the first request: a start would take a
 * twentieth longer, and a server that was killed is awaited.
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
  for (const language of LANGUAGE_TAGS.filter((tag) => tag !== "en")) {
    let translated: OpenDocument | undefined;
    app.route({
      method: DOCUMENT_METHODS,
      url: `${folder}/openapi.${language}.json`,
      handler: (request, reply) => {
        translated ??= writeJson(describeApi(document, language));
        return sendDocument(request, reply, translated);
      },
    });
  }
  app.route<{ Params: { file: string } }>({
    method: DOCUMENT_METHODS,
    url: `${folder}/examples/:file`,
    handler: (request, reply) => {
      const example = published().examples.get(request.params.file);
      if (!example) throw nothingHere();
      return sendDocument(request, reply, example);
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

/** A document with the JSON Schemas of its components and the examples of its files, as they are sent. */
function writeDocument(document: ApiDocument) {
  const { schemaUrl } = document;
  const described = describeApi(document);
  const schemas = new Map(
    [...namedSchemas(document), ...fileSchemas(document)].map(([name, schema]) => {
      const text = JSON.stringify({ $schema: DIALECT, ...plain(schema), $id: schemaUrl(name) });
      return [name, openDocument("application/schema+json", text)];
    }),
  );
  const examples = new Map(
    [...fileExamples(document)].map(([name, { type, text }]) => [
      name,
      openDocument(`${type}; charset=utf-8`, text),
    ]),
  );
  return { described, schemas, examples, json: writeJson(described) };
}

function writeJson(document: Json): OpenDocument {
  return openDocument("application/json", JSON.stringify(document));
}

async function writeYaml(document: Json): Promise<OpenDocument> {
  const { stringify } = await import("yaml");
  return openDocument("application/yaml", stringify(document, { aliasDuplicateObjects: false }));
}
