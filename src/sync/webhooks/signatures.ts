import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from "node:crypto";

/** Standard Webhooks 1.0: how a message is signed, and how what it is signed with is kept. */

const PREFIX = "whsec_";
export const SECRET_BYTES = 32;
export const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The text of a secret made of the given random bytes. */
export function composeSecret(randomBytes: Uint8Array): string {
  return PREFIX + Buffer.from(randomBytes).toString("base64");
}

export interface SignedMessage {
  /** `webhook-id`. */
  readonly id: string;
  /** `webhook-timestamp`: seconds since 1970, of this attempt. */
  readonly timestamp: number;
  readonly body: string;
}

/** `webhook-signature`: one for each secret, in their order. */
export function signatureHeader(secrets: readonly string[], message: SignedMessage): string {
  return secrets.map((secret) => `v1,${sign(secret, message)}`).join(" ");
}

function sign(secret: string, { id, timestamp, body }: SignedMessage): string {
  const key = Buffer.from(secret.slice(PREFIX.length), "base64");
  return createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
}

/** Where a sealed secret belongs: at another endpoint it does not open. */
export interface SealPlace {
  readonly organizationId: string;
  readonly webhookId: string;
}

/** A secret as it is stored: AES-256-GCM, with a key that is made of the server's secret. */
export function sealSecret(secret: string, keySecret: string, place: SealPlace, nonce: Uint8Array): string {
  const cipher = createCipheriv("aes-256-gcm", sealingKey(keySecret), nonce);
  cipher.setAAD(additionalData(place));
  const sealed = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString("base64url");
}

/** The secret, or undefined if it was sealed with another key or for another place. */
export function openSecret(sealed: string, keySecret: string, place: SealPlace): string | undefined {
  const bytes = Buffer.from(sealed, "base64url");
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv("aes-256-gcm", sealingKey(keySecret), bytes.subarray(0, NONCE_BYTES));
  decipher.setAAD(additionalData(place));
  decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
  const text = decipher.update(bytes.subarray(NONCE_BYTES, bytes.length - TAG_BYTES));
  try {
    return Buffer.concat([text, decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}

function sealingKey(keySecret: string): Buffer {
  return Buffer.from(hkdfSync("sha256", keySecret, "", "rollbook webhook secrets", 32));
}

function additionalData({ organizationId, webhookId }: SealPlace): Buffer {
  return Buffer.from(`${organizationId}/${webhookId}`);
}
