// Random requests by the published document, then random bytes: `npm run fuzz -- --requests 100000 --seed 1`.
import { buildIfStale } from "./build.mjs";

if (!(await buildIfStale())) process.exit(1);
await import("../dist/test/fuzz/main.js");
