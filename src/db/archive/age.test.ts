import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import {
  AgeError,
  checkRecipient,
  decryptedReads,
  decryptWith,
  encryptFor,
  newAgePair,
  type RandomReads,
  recipientOf,
} from "./age.ts";

/** One of the published vectors of the format (c2sp.org/CCTV/age), whose content is known by its SHA-256. */
const VECTOR = {
  identity: "AGE-SECRET-KEY-1XMWWC06LY3EE5RYTXM9MFLAZ2U56JJJ36S0MYPDRWSVLUL66MV4QX3S7F6",
  sha256: "013f54400c82da08037759ada907a8b864e97de81c088a182062c4b5622fd2ab",
  file: "YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSBURWlGMHlwcXIrYnB2Y3FYTnlDVkpwTDdPdXdQZFZ3UEw3S1FFYkZET0NjCkVtRUNBRWNLTituL1ZzOVNiV2lWK0h1MHIrRThSNzdEZFdZeWQ4M253N1UKLS0tIFZuKzU0anFpaVVDRStXWmNFVlkzZjFzcUhqbHUvejFMQ1EvVDdYbTdxSTAK7s9ix86RtDMnTmjU8vkTTLdMW/73vqpSyPC8DpksHoMx+2Y=",
};

test("what age has encrypted is read", async () => {
  const plain = await decrypt(VECTOR.identity, Buffer.from(VECTOR.file, "base64"));
  assert.equal(createHash("sha256").update(plain).digest("hex"), VECTOR.sha256);
});

test("what is encrypted with the public key comes back with the private one, whatever its length and its pieces", async () => {
  const { recipient, identity } = newAgePair();
  assert.equal(recipientOf(`# a comment\n${identity}\n`), recipient);
  for (const length of [0, 1, 65_535, 65_536, 65_537, 131_072, 300_000]) {
    const plain = randomBytes(length);
    const sealed = await encrypt(recipient, plain);
    assert.ok(length < 32 || !sealed.includes(plain.subarray(0, 32)));
    for (const size of [7, 1_000, 1e9])
      if (size > 7 || length < 70_000)
        assert.ok((await decrypt(identity, sealed, size)).equals(plain), `${length} in pieces of ${size}`);
  }
});

test("an encrypted file is read from any place, and refused where it was changed or cut off", async () => {
  const { recipient, identity } = newAgePair();
  for (const length of [0, 1, 65_536, 65_537, 200_000]) {
    const plain = randomBytes(length);
    const sealed = await encrypt(recipient, plain);
    const { size, read } = await decryptedReads(readsOf(sealed), identity);
    assert.equal(size, length);
    for (const [position, asked] of [
      [0, length],
      [65_530, 12],
      [length - 5, 5],
      [length - 1, 10],
      [70_000, 131_072],
    ] as const)
      if (position >= 0)
        assert.ok(
          (await read(position, asked)).equals(plain.subarray(position, position + asked)),
          `${length}`,
        );
    if (length < 65_537) continue;
    const changed = Buffer.from(sealed);
    changed.writeUInt8((changed[sealed.length - 1] ?? 0) ^ 1, sealed.length - 1);
    // Also where a chunk ends, which only its being the last one tells.
    const begin = sealed.length - length - 16 * Math.ceil(length / 65_536);
    for (const file of [changed, sealed.subarray(0, -1), sealed.subarray(0, begin + 65_552)])
      await assert.rejects(decryptedReads(readsOf(file), identity), AgeError);
    changed.writeUInt8((changed[begin] ?? 0) ^ 1, begin);
    changed.writeUInt8(sealed.at(-1) ?? 0, sealed.length - 1);
    const { read: readChanged } = await decryptedReads(readsOf(changed), identity);
    await assert.rejects(readChanged(0, length), AgeError);
  }
  const sealed = await encrypt(recipient, randomBytes(100));
  await assert.rejects(decryptedReads(readsOf(sealed), newAgePair().identity), /another key/);
  await assert.rejects(decryptedReads(readsOf(sealed.subarray(0, 150)), identity), AgeError);
});

test("another key, a changed byte and a part that is cut off are refused", async () => {
  const { recipient, identity } = newAgePair();
  const sealed = await encrypt(recipient, randomBytes(200_000));
  const refuses = (file: Buffer, reason: RegExp, key = identity) =>
    assert.rejects(decrypt(key, file), (error) => error instanceof AgeError && reason.test(error.message));
  await refuses(sealed, /another key/, newAgePair().identity);
  await refuses(Buffer.from("a plain text"), /ends too early/);
  await refuses(randomBytes(100_000), /not encrypted by age/);
  for (const at of [60, 120, sealed.length - 100_000, sealed.length - 1]) {
    const changed = Buffer.from(sealed);
    changed.writeUInt8((changed[at] ?? 0) ^ 1, at);
    await refuses(changed, /damaged|another key|not encrypted by age/);
  }
  for (const length of [0, 100, 210, sealed.length - 1, 65_552 + 200])
    await refuses(sealed.subarray(0, length), /ends too early|damaged/);
});

test("keys with a typing error are refused", () => {
  const { recipient, identity } = newAgePair();
  checkRecipient(recipient);
  for (const wrong of ["", "age1", recipient.slice(0, -1), `${recipient.slice(0, -1)}b`, identity])
    assert.throws(() => checkRecipient(wrong), AgeError, wrong);
  assert.throws(() => recipientOf(recipient), AgeError);
});

function readsOf(file: Buffer): RandomReads {
  return {
    size: file.length,
    read: (position, length) => Promise.resolve(file.subarray(position, position + length)),
  };
}

function encrypt(recipient: string, plain: Buffer): Promise<Buffer> {
  return buffer(Readable.from([plain], { objectMode: false }).pipe(encryptFor(recipient)));
}

async function decrypt(identity: string, sealed: Buffer, size = 1e9): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (let at = 0; at < sealed.length; at += size) pieces.push(sealed.subarray(at, at + size));
  const stream = decryptWith(identity);
  const read = buffer(stream);
  for (const piece of pieces) stream.write(piece);
  stream.end();
  return read;
}
