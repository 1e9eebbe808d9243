// A mixed load for long: `npm run soak -- --minutes 30`.
import { buildIfStale } from "./build.mjs";

if (!buildIfStale()) process.exit(1);
await import("../dist/test/security/soaking.js");
