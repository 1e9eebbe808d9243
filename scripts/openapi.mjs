// Writes openapi.json, the committed description of the API, as the server would serve it on its default address, the examples
// of files that it names, and what the client libraries have of it. Tests compare them.
import { writeFileSync } from "node:fs";
import { buildIfStale } from "./build.mjs";
import { writeClients } from "./clients.mjs";

if (!(await buildIfStale())) process.exit(1);
const { publishedDocument, publishedExamples } = await import("../dist/src/process/published.js");
writeFileSync(new URL("../openapi.json", import.meta.url), await publishedDocument());
const examples = Object.fromEntries(await publishedExamples());
writeFileSync(
  new URL("../site/file-examples.json", import.meta.url),
  `${JSON.stringify(examples, null, 2)}\n`,
);
writeClients();
