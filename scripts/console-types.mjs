// Writes console/api/operations.ts: the types of what the staff application takes and answers, made from its document.
// `npm run console:types`; a test compares the file with the server's document.
import { writeFileSync } from "node:fs";
import { buildIfStale } from "./build.mjs";

if (!(await buildIfStale(["src"]))) process.exit(1);
const { publishedStaffDocument } = await import("../dist/src/process/published.js");
const { operationTypes } = await import("./openapi-types.mjs");
const document = JSON.parse(await publishedStaffDocument());
writeFileSync(new URL("../console/api/operations.ts", import.meta.url), operationTypes(document));
