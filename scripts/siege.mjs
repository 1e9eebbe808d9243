// Hostile callers, measured at length: `npm run siege -- --only connections,unauthorized,rate`.
import { buildIfStale } from "./build.mjs";

if (!(await buildIfStale())) process.exit(1);
await import("../dist/test/security/siege.js");
