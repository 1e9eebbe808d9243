// Runs a program of the checkout that is no part of the product, after building what has changed: `npm run bench -- --help`.
import { buildIfStale } from "./build.mjs";

const PROGRAMS = {
  bench: "bench/main",
  "bench against": "bench/against",
  "bench docs": "bench/docs",
  "bench explain": "bench/explain",
  "bench feed": "bench/feed",
  "bench import": "bench/import",
  "bench nodes": "bench/nodes",
  "bench requests": "bench/requests",
  "bench organizations": "bench/organizations",
  "bench start": "bench/start",
  crash: "test/crash/main",
  feed: "test/feed/main",
  fuzz: "test/fuzz/main",
  "fuzz calendar": "test/fuzz/calendar",
  interleave: "test/interleave/main",
  "load-attacks": "test/security/load-attacks",
  look: "test/console/look",
  soak: "test/security/soaking",
  walk: "test/walk/main",
};

const [name, word] = process.argv.slice(2);
const isTwoWords = `${name} ${word}` in PROGRAMS;
const program = PROGRAMS[isTwoWords ? `${name} ${word}` : name];
// The program reads its own arguments.
process.argv.splice(2, isTwoWords ? 2 : 1);
if (!(await buildIfStale())) process.exit(1);
await import(`../dist/${program}.js`);
