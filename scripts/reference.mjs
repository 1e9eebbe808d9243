// Writes docs/reference.md from the program itself. A test compares the two.
import { writeFileSync } from "node:fs";
import { buildIfStale } from "./build.mjs";

if (!(await buildIfStale())) process.exit(1);
const { writeReference } = await import("../dist/test/support/reference.js");
writeFileSync(new URL("../docs/reference.md", import.meta.url), await writeReference());
