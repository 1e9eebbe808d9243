import type { WebhookEvent } from "./api-types.ts";

/** A message that is not from who has the secret, is too old, or was changed on the way. */
export class WebhookError extends Error {
  readonly code: "header_missing" | "timestamp_out_of_range" | "signature_mismatch" | "body_invalid";

  constructor(code: WebhookError["code"], message: string) {
    super(message);
    this.name = "WebhookError";
    this.code = code;
  }
}

/** As `fetch` has them, or as Node does. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * The event of a message, if it was signed with one of the secrets (Standard Webhooks 1.0) and is not older than
 * `toleranceSeconds`. `rawBody` is the body as it came: JSON that was read and written again has another signature.
 */
export async function verifyWebhook(
  secrets: string | readonly string[],
  headers: WebhookHeaders,
  rawBody: string | Uint8Array,
  { toleranceSeconds = 300 }: { readonly toleranceSeconds?: number } = {},
): Promise<WebhookEvent> {
  const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) =>
    headerOf(headers, name),
  );
  if (!id || !timestamp || !signatures)
    throw new WebhookError("header_missing", "A header of the message is missing.");
  const ageSeconds = /^\d+$/.test(timestamp) ? Math.abs(Date.now() / 1000 - Number(timestamp)) : Number.NaN;
  if (!(ageSeconds <= toleranceSeconds))
    throw new WebhookError("timestamp_out_of_range", "The message is too old, or of the future.");
  const prefix = encode(`${id}.${timestamp}.`);
  const body = typeof rawBody === "string" ? encode(rawBody) : rawBody;
  const signed = new Uint8Array(prefix.length + body.length);
  signed.set(prefix);
  signed.set(body, prefix.length);
  const given = signatures
    .split(" ")
    .filter((one) => one.startsWith("v1,"))
    .map((one) => fromBase64(one.slice(3)));
  for (const secret of typeof secrets === "string" ? [secrets] : secrets) {
    const bytes = fromBase64(secret.replace(/^whsec_/, ""));
    if (!bytes?.length) throw new TypeError("A secret is whsec_ and base64.");
    const hmac = { name: "HMAC", hash: "SHA-256" };
    const key = await crypto.subtle.importKey("raw", bytes, hmac, false, ["verify"]);
    // It compares in constant time.
    for (const one of given)
      if (one && (await crypto.subtle.verify("HMAC", key, one, signed))) return parse(body);
  }
  throw new WebhookError("signature_mismatch", "No signature is of this secret and these bytes.");
}

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const [, value] = Object.entries(headers).find(([other]) => other.toLowerCase() === name) ?? [];
  return typeof value === "string" ? value : value?.[0];
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function parse(body: Uint8Array): WebhookEvent {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    throw new WebhookError("body_invalid", "The message is signed and is no JSON.");
  }
}
