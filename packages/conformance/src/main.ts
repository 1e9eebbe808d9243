#!/usr/bin/env node
import { writeFile } from "node:fs/promises";
import process from "node:process";
import { parseArgs } from "node:util";
import { count, NotBegun, reportJson, reportJunit, reportText, runChecks } from "./index.ts";

const USAGE = `rollbook-conformance --url URL --key KEY [--write] [--only specification|details] [--check ID] [--json] [--junit FILE]

Checks whether a server speaks the Organization Data REST API. Nothing is changed, unless --write is given: then clients are
created, changed and archived, in an organization that nobody needs.

  --url URL     where the server is, without /v1 (or ROLLBOOK_URL)
  --key KEY     a key of the organization (better: in ROLLBOOK_KEY, where no list of processes shows it)
  --write       also what writes
  --only WHICH  specification: what the specification says; details: what was settled beside it
  --check ID    only checks whose id begins so; may be given several times
  --json        the report as JSON
  --junit FILE  the report as JUnit's XML, into a file

Ends with 0 if all checks passed, 1 if any failed, 2 if the run could not begin.
`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      url: { type: "string" },
      key: { type: "string" },
      write: { type: "boolean" },
      only: { type: "string" },
      check: { type: "string", multiple: true },
      json: { type: "boolean" },
      junit: { type: "string" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const { only, check = [], json = false, junit, write = false } = values;
  if (only !== undefined && only !== "specification" && only !== "details")
    throw new NotBegun("--only must be specification or details.");
  const url = values.url ?? process.env.ROLLBOOK_URL;
  const key = values.key ?? process.env.ROLLBOOK_KEY;
  if (!url || !key) throw new NotBegun("--url and --key must be given. See: rollbook-conformance --help");
  const report = await runChecks({ url, key, writes: write, only, checks: check });
  if (junit !== undefined) await writeFile(junit, reportJunit(report));
  process.stdout.write(json ? reportJson(report) : reportText(report));
  return count(report).failed > 0 ? 1 : 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`rollbook-conformance: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
