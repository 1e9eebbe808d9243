// What rollbook.mcpb runs: messages of an assistant, forwarded to a server. `scripts/mcpb.mjs` makes one file of it.
import { forwardMessages } from "../src/sync/mcp/forwarding.ts";

const { ROLLBOOK_URL = "", ROLLBOOK_KEY = "", ROLLBOOK_WRITE } = process.env;
const server = ROLLBOOK_URL.trim().replace(/\/+$/, "");
const key = ROLLBOOK_KEY.trim();
if (!URL.canParse(server) || !/^https?:/.test(server))
  fail("The address of the server must begin with https://.");
if (!/^[\x21-\x7e]+$/.test(key)) fail("The key must be an API key of the organization.");

const ended = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => ended.abort());
await forwardMessages({
  address: `${server}${ROLLBOOK_WRITE === "true" ? "/mcp/write" : "/mcp"}`,
  key,
  signal: ended.signal,
  input: process.stdin,
  output: process.stdout,
});

function fail(sentence) {
  // Standard output is for the protocol alone.
  console.error(`rollbook: ${sentence}`);
  process.exit(2);
}
