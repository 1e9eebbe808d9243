// Takes pictures of the console's screens: `npm run look -- /console/clients`.
import { buildIfStale } from "./build.mjs";

if (!(await buildIfStale())) process.exit(1);
await import("../dist/test/console/look.js");
