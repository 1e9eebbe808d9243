// A mixed load for long: `npm run soak -- --minutes 30`.
import { buildIfStale } from "./build.mjs";

if (!(await buildIfStale())) process.exit(1);
await import("../dist/test/security/soaking.js");
