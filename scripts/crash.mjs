// Kills, restarts, fills disks: `npm run crash`, or `npm run crash -- --help` for what can be chosen.
import { buildIfStale } from "./build.mjs";

if (!(await buildIfStale())) process.exit(1);
await import("../dist/test/crash/main.js");
