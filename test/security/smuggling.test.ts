import assert from "node:assert/strict";
import { test } from "node:test";
import { startApi } from "../support/api.ts";
import { exchange } from "../support/wire.ts";

const api = await startApi();

/** What an intermediary that reads the length differently would take for a second request. */
const INNER = "GET /openapi.json HTTP/1.1\r\nHost: inner\r\n\r\n";
const LENGTH = `Content-Length: ${INNER.length}`;

test("a request whose length can be read in two ways is refused, and what may be a second one is not answered", async () => {
  const { key } = await api.newOrganization();
  const head = `POST /v1/clients HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`;
  const chunked = "Transfer-Encoding: chunked";
  const doubtful: [string, string][] = [
    ["length, then chunks", `${LENGTH}\r\n${chunked}\r\n\r\n0\r\n\r\n${INNER}`],
    ["chunks, then length", `${chunked}\r\n${LENGTH}\r\n\r\n0\r\n\r\n${INNER}`],
    ["two lengths", `Content-Length: 0\r\n${LENGTH}\r\n\r\n${INNER}`],
    ["the same length twice", `${LENGTH}\r\n${LENGTH}\r\n\r\n${INNER}`],
    ["two lengths in one header", `Content-Length: 0, ${INNER.length}\r\n\r\n${INNER}`],
    ["a length with a sign", `Content-Length: +${INNER.length}\r\n\r\n${INNER}`],
    ["a negative length", `Content-Length: -1\r\n\r\n${INNER}`],
    ["a length in hexadecimal", `Content-Length: 0x10\r\n\r\n${INNER}`],
    ["a length that is no number", `Content-Length: 1e2\r\n\r\n${INNER}`],
    ["a length with a space inside", `Content-Length: 1 0\r\n\r\n${INNER}`],
    ["a length beyond 64 bits", `Content-Length: 18446744073709551617\r\n\r\n${INNER}`],
    ["another encoding", `Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${INNER}`],
    ["another encoding, then chunks", `Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n${INNER}`],
    ["chunks within chunks", `Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n${INNER}`],
    ["an encoding in a header of its own", `Transfer-Encoding: gzip\r\n${chunked}\r\n\r\n0\r\n\r\n${INNER}`],
    ["chunks, then another encoding", `Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${INNER}`],
    ["a space before the colon", `Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${INNER}`],
    ["the header in two lines", `Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n${INNER}`],
    ["a bare line feed between headers", `X: a\n${chunked}\r\n\r\n0\r\n\r\n${INNER}`],
    ["a bare carriage return in a header", `X: a\r${chunked}\r\n\r\n0\r\n\r\n${INNER}`],
    ["bare line feeds around a chunk", `${chunked}\r\n\r\n1\nx\n0\n\n${INNER}`],
    ["a chunk size with a sign", `${chunked}\r\n\r\n+0\r\n\r\n${INNER}`],
    ["a chunk size beyond 64 bits", `${chunked}\r\n\r\n10000000000000000\r\nx\r\n0\r\n\r\n${INNER}`],
    ["a chunk longer than it says", `${chunked}\r\n\r\n1\r\nxyz\r\n0\r\n\r\n${INNER}`],
    ["a NUL in a header's name", `Content\0-Length: 5\r\n\r\n${INNER}`],
  ];
  for (const [name, rest] of doubtful) {
    const { text } = await exchange(api.url, head + rest);
    assert.match(text, /^HTTP\/1\.1 (4\d\d|501) /, `${name}: ${text.slice(0, 300)}`);
    assert.doesNotMatch(text, /"openapi"/, `${name}: the inner request was answered`);
    assert.match(text, /\r\nconnection: close\r\n/i, `${name}: the connection stays usable`);
  }
});
