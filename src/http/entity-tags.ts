import { hash } from "node:crypto";
import type { DataClass } from "../core/data-snapshot.ts";
import { CONTENT_CODINGS, type ContentCoding } from "./compression.ts";

/**
 * The tag of one record: a hash of its bytes, so that it cannot miss a change, whoever made it and whatever the clock
 * said. It stays as it is when other records change.
 */
export function recordTag(body: string | Buffer): string {
  return tagOf(body);
}

/** What an answer was made of. */
export interface AnswerSource {
  /** Which past the database has: after a restore, versions repeat with other data. */
  readonly history: string;
  /** What else decides the bytes of an answer: the program, its time-zone data and its public address. */
  readonly release: string;
  readonly organizationId: string;
  readonly classes: readonly DataClass[];
  /** The version of those classes in the snapshot that the answer was read from. */
  readonly version: number;
  readonly mediaType: string;
  /** The request target as it was received. */
  readonly target: string;
}

/**
 * The tag of an answer that is made of many records. It is known without computing the answer, so that an answer that
 * has not changed costs nothing but the gate.
 */
export function answerTag(source: AnswerSource): string {
  const { history, release, organizationId, classes, version, mediaType, target } = source;
  return tagOf(`${history}\n${release}\n${organizationId}\n${classes}\n${version}\n${mediaType}\n${target}`);
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/** 22 digits have 132 bits, 16 bytes have 128: the last digit has four to spare. */
const TAG_LENGTH = 24;
const SPARE_BITS = 0b1111;

/**
 * The tag of the same state as other bytes. The bits to spare say which, so that equal tags are equal bytes:
 *
 *     "3q2-7wAAAAAAAAAAAAAAAA" as it is, "3q2-7wAAAAAAAAAAAAAAAB" as br, "3q2-7wAAAAAAAAAAAAAAAC" as gzip
 */
export function encodedTag(tag: string, encoding: ContentCoding): string {
  return withSpareBits(tag, 1 + CONTENT_CODINGS.indexOf(encoding));
}

/** The tag of the state that a tag is of, in whatever encoding it was sent. */
export function plainTag(tag: string): string {
  return tag.length === TAG_LENGTH ? withSpareBits(tag, 0) : tag;
}

function withSpareBits(tag: string, bits: number): string {
  const last = DIGITS.indexOf(tag.charAt(tag.length - 2));
  return last < 0 ? tag : `${tag.slice(0, -2)}${DIGITS[(last & ~SPARE_BITS) | bits]}"`;
}

/** In hex, by way of which a hash costs half as much as in bytes. */
const TAG_DIGITS = 2 * 16;

function tagOf(content: string | Buffer): string {
  const digits = hash("sha256", content, "hex").slice(0, TAG_DIGITS);
  return `"${Buffer.from(digits, "hex").toString("base64url")}"`;
}
