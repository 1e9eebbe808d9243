// Writes what the client libraries have of openapi.json: `npm run clients`. A test compares the files with the document.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { pythonModule } from "./client-python.mjs";
import { typescriptTable, typescriptTypes } from "./client-typescript.mjs";
import { writtenOut } from "./openapi-document.mjs";

/** Each generated file by its place in the checkout. */
export function clientSources(published) {
  const document = writtenOut(published);
  return {
    "packages/client/src/api-types.ts": typescriptTypes(document),
    "packages/client/src/api-operations.ts": typescriptTable(document),
    "packages/python/src/rollbook_client/_operations.py": pythonModule(document),
  };
}

export function writeClients() {
  const root = new URL("../", import.meta.url);
  const document = JSON.parse(readFileSync(new URL("openapi.json", root), "utf8"));
  for (const [path, text] of Object.entries(clientSources(document)))
    writeFileSync(new URL(path, root), text);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeClients();
