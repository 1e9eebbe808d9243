import { parseArgs } from "node:util";
import { openApi } from "../support/api.ts";
import { fuzzBytes } from "./bytes.ts";
import { fuzzRequests } from "./requests.ts";

/** `npm run fuzz`: random requests by the published document, then random bytes; exit 1 if anything was found. */
const { values: flags } = parseArgs({
  options: {
    requests: { type: "string", default: "100000" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
  },
});
const requests = Number(flags.requests);
const seed = Number(flags.seed);
const connections = Math.ceil(requests / 10);
const say = (text: string) => process.stdout.write(`${text}\n`);
const progress = (what: string) => (done: number) => {
  if (process.stderr.isTTY) process.stderr.write(`\r${done} ${what}`);
};

const api = await openApi({ downloads: { atOnce: 30 } });
try {
  const begun = performance.now();
  const report = await fuzzRequests(api, { seed, requests, progress: progress("requests") });
  for (const finding of report.findings) say(`FOUND ${finding}`);
  for (const [operation, statuses] of [...report.statuses].sort()) {
    const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
    say(`${operation.padEnd(18)} ${counts.join(", ")}`);
  }
  const seconds = Math.round((performance.now() - begun) / 1000);
  say(`seed ${seed}: ${report.requests} requests in ${seconds} s, ${report.findings.length} findings`);

  const { key } = await api.newOrganization();
  const bytes = await fuzzBytes(api.url, key, { seed, connections, progress: progress("connections") });
  for (const finding of bytes.findings) say(`FOUND ${finding}`);
  const counts = [...bytes.statuses]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => `${status}: ${count}`);
  say(`bytes              ${counts.join(", ")}`);
  say(`seed ${seed}: ${bytes.connections} connections, ${bytes.findings.length} findings`);
  process.exitCode = report.findings.length + bytes.findings.length > 0 ? 1 : 0;
} finally {
  await api.close();
}
