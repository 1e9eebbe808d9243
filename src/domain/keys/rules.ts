import { createHmac } from "node:crypto";
import { crc32 } from "node:zlib";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** What keys for the API begin with; tokens of other kinds have another beginning, so that nobody takes one for the other. */
const KEY_PREFIX = "rbk_";
const RANDOM_LENGTH = 32;
const CHECK_LENGTH = 6;

/** How many random bytes `composeKey` should be offered: enough that it practically never runs short. */
export const KEY_ENTROPY_BYTES = 64;

/**
 * The text of a key made of the given random bytes: prefix, 32 characters, and a checksum that lets secret
 * scanners and humans tell a key from a typing error.
 */
export function composeKey(randomBytes: Uint8Array, prefix = KEY_PREFIX): string {
  // 248 is the largest multiple of 62 that fits a byte: taking the rest as well would favour some characters.
  const characters = [...randomBytes].filter((byte) => byte < 248).slice(0, RANDOM_LENGTH);
  if (characters.length < RANDOM_LENGTH) throw new Error("too few random bytes for a key");
  const body = prefix + characters.map((byte) => ALPHABET[byte % 62]).join("");
  return body + checkDigits(body);
}

/** What is stored of a key, and what a presented one is looked up by. */
export function hashKey(key: string, secret: string): Buffer {
  return createHmac("sha256", secret).update(key, "utf8").digest();
}

/** What the database keeps to know the right secret again. It says nothing of the secret itself. */
export function secretCheck(secret: string): string {
  return createHmac("sha256", secret).update("the secret of rollbook's keys", "utf8").digest("hex");
}

/** Six base62 digits of the CRC-32, most significant first. */
export function checkDigits(body: string): string {
  let rest = crc32(body);
  let digits = "";
  for (let i = 0; i < CHECK_LENGTH; i++) {
    digits = ALPHABET[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
