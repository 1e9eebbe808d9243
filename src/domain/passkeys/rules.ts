import {
  createHash,
  createHmac,
  createPublicKey,
  type KeyObject,
  timingSafeEqual,
  verify,
} from "node:crypto";
import type { Static } from "../../core/fields.ts";
import type { AddPasskey, SignInByPasskey } from "./schema.ts";

/**
 * What a browser and an authenticator must have said so that somebody is let in (WebAuthn, level 3, sections 7.1 and 7.2).
 * Attestation is not asked for, so a registration proves nothing about the key: it is whatever the person who is signed in
 * gives. That is why the key may be taken from beside the authenticator's data, and nothing here reads CBOR.
 */

/** The application as browsers and authenticators name it. */
export interface RelyingParty {
  /** Of its pages. */
  readonly origin: string;
  /** The host that passkeys are bound to. */
  readonly id: string;
}

export function relyingParty(publicUrl: string): RelyingParty {
  const { origin, hostname } = new URL(publicUrl);
  return { origin, id: hostname };
}

/** What a challenge is issued for: one for signing in adds no passkey, and one person's adds none for another. */
export type ChallengeUse = "sign-in" | `add:${string}`;

/** How long an answer is waited for. */
export const CHALLENGE_MS = 5 * 60_000;
/** As much as nobody guesses. */
export const CHALLENGE_RANDOM_BYTES = 16;
const TIME_BYTES = 6;
const HEAD_BYTES = CHALLENGE_RANDOM_BYTES + TIME_BYTES;

/** Random bytes and the time, with a keyed hash of both: it is known as ours again without having been stored. */
export function issueChallenge(use: ChallengeUse, random: Buffer, now: number, secret: string): string {
  const head = Buffer.alloc(HEAD_BYTES);
  random.copy(head, 0, 0, CHALLENGE_RANDOM_BYTES);
  head.writeUIntBE(now, CHALLENGE_RANDOM_BYTES, TIME_BYTES);
  return Buffer.concat([head, sealOf(use, head, secret)]).toString("base64url");
}

function sealOf(use: ChallengeUse, head: Buffer, secret: string): Buffer {
  return createHmac("sha256", secret).update(`challenge:${use}:`, "utf8").update(head).digest();
}

/** What an answer is compared with. */
export interface Expected {
  readonly party: RelyingParty;
  readonly use: ChallengeUse;
  readonly now: number;
  readonly secret: string;
}

/** When a challenge of ours was issued; undefined if it is none, or too old. */
function issuedAt(challenge: unknown, { use, now, secret }: Expected): number | undefined {
  if (typeof challenge !== "string") return undefined;
  const bytes = Buffer.from(challenge, "base64url");
  const head = bytes.subarray(0, HEAD_BYTES);
  const seal = bytes.subarray(HEAD_BYTES);
  const right = sealOf(use, head, secret);
  if (seal.length !== right.length || !timingSafeEqual(seal, right)) return undefined;
  const issued = head.readUIntBE(CHALLENGE_RANDOM_BYTES, TIME_BYTES);
  return issued <= now && now < issued + CHALLENGE_MS ? issued : undefined;
}

/** The identity of a person for authenticators: the organization and the person, 16 bytes each. */
export function userHandle(organizationId: string, staffId: string): string {
  return Buffer.from((organizationId + staffId).replaceAll("-", ""), "hex").toString("base64url");
}

/** Whom a user handle names; undefined if it is not one of ours. */
export function readUserHandle(
  handle: string,
): { readonly organizationId: string; readonly staffId: string } | undefined {
  const bytes = Buffer.from(handle, "base64url");
  if (bytes.length !== 32) return undefined;
  return { organizationId: uuidOf(bytes.subarray(0, 16)), staffId: uuidOf(bytes.subarray(16)) };
}

function uuidOf(bytes: Buffer): string {
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** What changes with each use of a passkey. */
export interface PasskeyState {
  readonly signCount: number;
  /** Whether it may be on several devices at once. */
  readonly isSynced: boolean;
  /** When the challenge was issued that was answered, in milliseconds. */
  readonly challengedAt: number;
}

export interface CheckedPasskey extends PasskeyState {
  readonly credentialId: Buffer;
  readonly publicKey: Buffer;
}

/** A new passkey; undefined if anything about it is not as expected. */
export function checkNewPasskey(
  { id, response }: Static<typeof AddPasskey>["credential"],
  expected: Expected,
): CheckedPasskey | undefined {
  const state = readState(response, "webauthn.create", expected);
  const publicKey = Buffer.from(response.publicKey, "base64url");
  if (!state || !readKey(publicKey)) return undefined;
  return { ...state, credentialId: Buffer.from(id, "base64url"), publicKey };
}

/** What is stored of a passkey that signs. */
export interface KnownPasskey {
  readonly publicKey: Buffer;
  readonly signCount: number;
  /** Undefined of one that was made before it was stored: what it says now is believed, once. */
  readonly isSynced: boolean | undefined;
}

/**
 * The state of a known passkey after it has signed; undefined if anything about the answer is not as expected. Whether the
 * same answer was used before is for who stores the state to see.
 */
export function checkSignature(
  { response }: Pick<Static<typeof SignInByPasskey>, "response">,
  known: KnownPasskey,
  expected: Expected,
): PasskeyState | undefined {
  const state = readState(response, "webauthn.get", expected);
  const key = readKey(known.publicKey);
  if (!state || !key || isCopy(state, known)) return undefined;
  const signed = Buffer.concat([
    Buffer.from(response.authenticatorData, "base64url"),
    sha256(Buffer.from(response.clientDataJSON, "base64url")),
  ]);
  const isRight = verify(key.digest, signed, key.key, Buffer.from(response.signature, "base64url"));
  return isRight ? state : undefined;
}

/**
 * Whether it was signed by a copy of a passkey that has none: a counter that does not grow, or one that says of itself now
 * that it is synced. Authenticators that do not count say 0; those of a synced passkey count each for itself.
 */
function isCopy(state: PasskeyState, { signCount, isSynced = state.isSynced }: KnownPasskey): boolean {
  if (state.isSynced !== isSynced) return true;
  if (isSynced || (state.signCount === 0 && signCount === 0)) return false;
  return state.signCount <= signCount;
}

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const BACKUP_ELIGIBLE = 0x08;
const FLAGS_AT = 32;
const COUNT_AT = 33;
const LEAST_DATA = 37;

/** What both kinds of answers have: the browser's part and the authenticator's, if they are for us. */
function readState(
  given: { readonly clientDataJSON: string; readonly authenticatorData: string },
  type: "webauthn.create" | "webauthn.get",
  expected: Expected,
): PasskeyState | undefined {
  const client = readObject(Buffer.from(given.clientDataJSON, "base64url").toString("utf8"));
  const challengedAt = issuedAt(client.challenge, expected);
  const isOurs =
    client.type === type && client.origin === expected.party.origin && client.crossOrigin !== true;
  if (challengedAt === undefined || !isOurs) return undefined;
  const data = Buffer.from(given.authenticatorData, "base64url");
  if (data.length < LEAST_DATA || !data.subarray(0, FLAGS_AT).equals(sha256(expected.party.id)))
    return undefined;
  const flags = data.readUInt8(FLAGS_AT);
  if ((flags & USER_PRESENT) === 0 || (flags & USER_VERIFIED) === 0) return undefined;
  const isSynced = (flags & BACKUP_ELIGIBLE) !== 0;
  return { signCount: data.readUInt32BE(COUNT_AT), isSynced, challengedAt };
}

function readObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** The algorithms that passkeys may have, by their numbers in COSE: ES256, RS256, EdDSA. */
export const ALGORITHMS = [-7, -257, -8];

const RSA_BITS = { least: 2_048, most: 4_096 };
const RSA_EXPONENT = 65_537n;

/** A key of one of the algorithms. Of RSA, none whose signatures would take long to check. */
function readKey(spki: Buffer): { readonly key: KeyObject; readonly digest: "sha256" | null } | undefined {
  let key: KeyObject;
  try {
    key = createPublicKey({ key: spki, format: "der", type: "spki" });
  } catch {
    return undefined;
  }
  const { namedCurve, modulusLength = 0, publicExponent } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === "ed25519") return { key, digest: null };
  const isKnown =
    key.asymmetricKeyType === "ec"
      ? namedCurve === "prime256v1"
      : key.asymmetricKeyType === "rsa" &&
        modulusLength >= RSA_BITS.least &&
        modulusLength <= RSA_BITS.most &&
        publicExponent === RSA_EXPONENT;
  return isKnown ? { key, digest: "sha256" } : undefined;
}

function sha256(content: Buffer | string): Buffer {
  return createHash("sha256").update(content).digest();
}
