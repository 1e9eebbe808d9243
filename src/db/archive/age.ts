import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";
import { Transform, type TransformCallback } from "node:stream";
import { bytesOfBech32, toBech32 } from "./bech32.ts";

/**
 * The file format of age (age-encryption.org/v1) with X25519 keys: whoever has the public key can encrypt, and the `age`
 * command decrypts what is written here. docs/decisions/point-in-time.md says why it is written out.
 */
const VERSION = "age-encryption.org/v1";
const RECIPIENT_PREFIX = "age";
const IDENTITY_PREFIX = "AGE-SECRET-KEY-";
const KEY_BYTES = 32;
const FILE_KEY_BYTES = 16;
const NONCE_BYTES = 16;
const TAG_BYTES = 16;
const CHUNK_BYTES = 64 * 1024;
/** Longer than any header of ours, and than those of a hundred recipients. */
const HEADER_MAX_BYTES = 32 * 1024;

/** What is wrong with a key or with what is decrypted, as a clause. */
export class AgeError extends Error {}

/** A new pair: the recipient is public, the identity is to be kept. */
export function newAgePair(): { recipient: string; identity: string } {
  const { privateKey } = generateKeyPairSync("x25519");
  const secret = privateKey.export({ format: "der", type: "pkcs8" }).subarray(-KEY_BYTES);
  const identity = toBech32(IDENTITY_PREFIX.toLowerCase(), secret).toUpperCase();
  return { identity, recipient: toBech32(RECIPIENT_PREFIX, rawPublic(privateKey)) };
}

/** Throws an `AgeError` unless it is a public key such as `age1…`. */
export function checkRecipient(recipient: string): void {
  publicBytes(recipient);
}

/** The public key that belongs to the first private key in the text of a file, as `age-keygen` writes it. */
export function recipientOf(identityText: string): string {
  return toBech32(RECIPIENT_PREFIX, rawPublic(readIdentity(identityText)));
}

export function encryptFor(recipient: string): Transform {
  const theirs = publicBytes(recipient);
  const ephemeral = generateKeyPairSync("x25519").privateKey;
  const ours = rawPublic(ephemeral);
  const fileKey = randomBytes(FILE_KEY_BYTES);
  const wrapped = seal(wrapKey(ephemeral, theirs, ours, theirs), Buffer.alloc(12), fileKey);
  const start = `${VERSION}\n-> X25519 ${base64(ours)}\n${base64(wrapped)}\n---`;
  const nonce = randomBytes(NONCE_BYTES);
  const key = derive(fileKey, nonce, "payload");
  let counter = 0;
  const opening = Buffer.concat([Buffer.from(`${start} ${base64(macOf(fileKey, start))}\n`), nonce]);
  return inChunks(CHUNK_BYTES, {
    opening,
    take: (chunk, isLast) => seal(key, chunkNonce(counter++, isLast), chunk),
  });
}

export function decryptWith(identityText: string): Transform {
  const identity = readIdentity(identityText);
  let header: Buffer = Buffer.alloc(0);
  let key: Buffer | undefined;
  let counter = 0;
  const payload = inChunks(CHUNK_BYTES + TAG_BYTES, {
    take(chunk, isLast) {
      if (key === undefined) throw new AgeError("it ends too early");
      return open(key, chunkNonce(counter++, isLast), chunk);
    },
  });
  const pass = payload._transform.bind(payload);
  payload._transform = (chunk: Buffer, encoding, done) => {
    if (key !== undefined) return pass(chunk, encoding, done);
    header = Buffer.concat([header, chunk]);
    try {
      const end = endOfHeader(header);
      if (end === undefined || header.length < end + NONCE_BYTES) {
        if (header.length > HEADER_MAX_BYTES) throw new AgeError("it is not encrypted by age");
        return done();
      }
      const fileKey = readHeader(header.subarray(0, end).toString("latin1"), identity);
      key = derive(fileKey, header.subarray(end, end + NONCE_BYTES), "payload");
      return pass(header.subarray(end + NONCE_BYTES), encoding, done);
    } catch (error) {
      return done(error as Error);
    }
  };
  return payload;
}

/** Content that is read from any place. */
export interface RandomReads {
  readonly size: number;
  /** Fewer bytes at the end. */
  read(position: number, length: number): Promise<Buffer>;
}

/** Whether a file that begins so is encrypted. */
export function isAge(beginning: Buffer): boolean {
  return beginning.toString("latin1").startsWith(`${VERSION}\n`);
}

/** What a file has encrypted, chunk by chunk: for who reads it twice, or its end first. */
export async function decryptedReads(sealed: RandomReads, identityText: string): Promise<RandomReads> {
  const identity = readIdentity(identityText);
  const start = await sealed.read(0, HEADER_MAX_BYTES + NONCE_BYTES);
  const end = endOfHeader(start);
  if (end === undefined || start.length < end + NONCE_BYTES) throw new AgeError("it is not encrypted by age");
  const fileKey = readHeader(start.subarray(0, end).toString("latin1"), identity);
  const begin = end + NONCE_BYTES;
  const key = derive(fileKey, start.subarray(end, begin), "payload");
  const sealedChunk = CHUNK_BYTES + TAG_BYTES;
  const chunks = Math.ceil((sealed.size - begin) / sealedChunk);
  const size = sealed.size - begin - chunks * TAG_BYTES;
  const chunk = async (index: number) => {
    const bytes = await sealed.read(begin + index * sealedChunk, sealedChunk);
    return open(key, chunkNonce(index, index === chunks - 1), bytes);
  };
  // A file that was cut off ends in none.
  await chunk(chunks - 1);
  return {
    size,
    async read(position, length) {
      const pieces: Buffer[] = [];
      for (let at = position; at < Math.min(position + length, size); ) {
        const skipped = at % CHUNK_BYTES;
        const content = await chunk(Math.floor(at / CHUNK_BYTES));
        const piece = content.subarray(skipped, skipped + position + length - at);
        if (piece.length === 0) break;
        pieces.push(piece);
        at += piece.length;
      }
      return Buffer.concat(pieces);
    },
  };
}

/** Hands the bytes over in chunks of one size; the last may be shorter, and is empty only if there are no bytes at all. */
function inChunks(
  size: number,
  { opening, take }: { opening?: Buffer; take: (chunk: Buffer, isLast: boolean) => Buffer },
): Transform {
  let pending: Buffer = Buffer.alloc(0);
  const attempt = (done: TransformCallback, work: () => void) => {
    try {
      work();
    } catch (error) {
      return done(error as Error);
    }
    return done();
  };
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      attempt(done, () => {
        pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
        let begin = 0;
        for (; pending.length - begin > size; begin += size)
          this.push(take(pending.subarray(begin, begin + size), false));
        pending = pending.subarray(begin);
      });
    },
    flush(done) {
      attempt(done, () => this.push(take(pending, true)));
    },
  });
  if (opening) stream.push(opening);
  return stream;
}

function endOfHeader(text: Buffer): number | undefined {
  const mac = text.indexOf("\n--- ");
  const end = mac < 0 ? -1 : text.indexOf("\n", mac + 1);
  return end < 0 ? undefined : end + 1;
}

/** The key of the file, by whichever entry of the header is for this identity. */
function readHeader(text: string, identity: KeyObject): Buffer {
  if (!text.startsWith(`${VERSION}\n`)) throw new AgeError("it is not encrypted by age");
  const start = text.slice(0, text.lastIndexOf("\n--- ") + 4);
  const mac = Buffer.from(text.slice(start.length + 1, -1), "base64");
  const own = rawPublic(identity);
  for (const [, share = "", body = ""] of start.matchAll(/\n-> X25519 (\S+)\n(\S+)(?=\n)/g)) {
    const ephemeral = Buffer.from(share, "base64");
    if (ephemeral.length !== KEY_BYTES) continue;
    let fileKey: Buffer;
    try {
      const wrap = wrapKey(identity, ephemeral, ephemeral, own);
      fileKey = open(wrap, Buffer.alloc(12), Buffer.from(body, "base64"));
    } catch {
      continue;
    }
    const expected = macOf(fileKey, start);
    if (mac.length !== expected.length || !timingSafeEqual(mac, expected))
      throw new AgeError("it is damaged");
    return fileKey;
  }
  throw new AgeError("it was encrypted for another key");
}

function wrapKey(own: KeyObject, other: Buffer, share: Buffer, recipient: Buffer): Buffer {
  const shared = diffieHellman({ privateKey: own, publicKey: publicKey(other) });
  return derive(shared, Buffer.concat([share, recipient]), `${VERSION}/X25519`);
}

function macOf(fileKey: Buffer, start: string): Buffer {
  return createHmac("sha256", derive(fileKey, Buffer.alloc(0), "header"))
    .update(start, "latin1")
    .digest();
}

function derive(key: Buffer, salt: Buffer, info: string): Buffer {
  return Buffer.from(hkdfSync("sha256", key, salt, info, 32));
}

/** The number of the chunk in eleven bytes, and whether it is the last. */
function chunkNonce(counter: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUIntBE(counter, 5, 6);
  nonce[11] = isLast ? 1 : 0;
  return nonce;
}

function seal(key: Buffer, nonce: Buffer, plain: Buffer): Buffer {
  const cipher = createCipheriv("chacha20-poly1305", key, nonce, { authTagLength: TAG_BYTES });
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function open(key: Buffer, nonce: Buffer, sealed: Buffer): Buffer {
  if (sealed.length < TAG_BYTES) throw new AgeError("it ends too early");
  const decipher = createDecipheriv("chacha20-poly1305", key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]);
  } catch {
    throw new AgeError("it is damaged");
  }
}

function publicBytes(recipient: string): Buffer {
  const bytes = bytesOfBech32(RECIPIENT_PREFIX, recipient);
  if (bytes?.length !== KEY_BYTES) throw new AgeError("must be a public key such as age1…");
  return bytes;
}

function readIdentity(text: string): KeyObject {
  const line = text.split(/\s+/).find((word) => word.startsWith(IDENTITY_PREFIX)) ?? "";
  const secret = bytesOfBech32(IDENTITY_PREFIX.toLowerCase(), line.toLowerCase());
  if (secret?.length !== KEY_BYTES) throw new AgeError(`it has no private key (${IDENTITY_PREFIX}1…)`);
  return createPrivateKey({
    key: Buffer.concat([Buffer.from("302e020100300506032b656e04220420", "hex"), secret]),
    format: "der",
    type: "pkcs8",
  });
}

function publicKey(raw: Buffer): KeyObject {
  const der = Buffer.concat([Buffer.from("302a300506032b656e032100", "hex"), raw]);
  return createPublicKey({ key: der, format: "der", type: "spki" });
}

function rawPublic(key: KeyObject): Buffer {
  return createPublicKey(key).export({ format: "der", type: "spki" }).subarray(-KEY_BYTES);
}

/** Without the padding, as the format wants it. */
function base64(bytes: Buffer): string {
  return bytes.toString("base64").replaceAll("=", "");
}
