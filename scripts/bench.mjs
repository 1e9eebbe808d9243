// Measures the program: `npm run bench`, or `npm run bench -- --help` for what can be chosen.
import { buildIfStale } from "./build.mjs";

if (!(await buildIfStale())) process.exit(1);
await import("../dist/bench/main.js");
