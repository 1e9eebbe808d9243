import assert from "node:assert/strict";
import { test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { type ContentCoding, chooseEncoding, PieceCompressor } from "./compression.ts";

const LONG = 1024;

const CHOICES: readonly (readonly [
  header: string | undefined,
  long: ContentCoding | undefined,
  short: ContentCoding | undefined,
])[] = [
  [undefined, undefined, undefined],
  ["", undefined, undefined],
  ["gzip", "gzip", undefined],
  ["br", "br", undefined],
  ["gzip, deflate, br", "br", undefined],
  ["GZIP;q=0.8, BR;Q=0.3", "gzip", undefined],
  ["br;q=0, gzip", "gzip", undefined],
  ["br;q=0.000, gzip;q=0", undefined, undefined],
  ["deflate, zstd", undefined, undefined],
  ["*", "gzip", undefined],
  ["gzip;q=0, *", undefined, undefined],
  ["identity", undefined, undefined],
  ["identity, gzip;q=0.5", undefined, undefined],
  ["identity;q=0.5, gzip;q=0.5", "gzip", undefined],
  // Who cannot read a body as it is gets even a short one compressed.
  ["gzip, identity;q=0", "gzip", "gzip"],
  ["br, *;q=0", "br", "br"],
  ["identity;q=0", undefined, undefined],
  ["*;q=0", undefined, undefined],
  ["gzip;q=x, br;q=", undefined, undefined],
  [";;,,q=1", undefined, undefined],
];

for (const [header, long, short] of CHOICES) {
  test(`Accept-Encoding: ${header} is answered by ${long ?? "the body as it is"}`, () => {
    assert.deepEqual([chooseEncoding(header, LONG), chooseEncoding(header, LONG - 1)], [long, short]);
  });
}

test("a stream of pieces is one body, and each piece can be read when it has arrived", async () => {
  for (const [encoding, decompress] of [
    ["br", brotliDecompressSync],
    ["gzip", gunzipSync],
  ] as const) {
    const compressor = new PieceCompressor(encoding);
    const piece = Buffer.alloc(200_000);
    const sent: Buffer[] = [];
    const source: Buffer[] = [];
    for (let n = 0; n < 5; n++) {
      for (let at = 0; at < piece.length; at += 10)
        piece.write(`${n}:${(at * 7919) % 1000003}`.padEnd(10), at);
      source.push(Buffer.from(piece));
      const part = await compressor.compress(piece);
      assert.ok(part.length > 1_000, encoding);
      sent.push(part);
      // Written over, as streams do.
      piece.fill(0);
    }
    sent.push(await compressor.end());
    assert.deepEqual(decompress(Buffer.concat(sent)), Buffer.concat(source));
    compressor.close();
  }
});
