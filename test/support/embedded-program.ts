import { once } from "node:events";
import { openEmbedded } from "../../src/db/embedded/supervisor.ts";

// Another Rollbook process, as far as its database goes: opens the data directory that it is given, says so,
// and leaves when its input ends.
const embedded = await openEmbedded({ dataDir: process.argv[2] ?? "" });
process.stdout.write("open\n");
process.stdin.resume();
await once(process.stdin, "end");
await embedded.close();
