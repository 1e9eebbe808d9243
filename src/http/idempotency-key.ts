import { hash } from "node:crypto";
import type { Fault } from "../core/errors.ts";
import { canonicalJson } from "../core/json.ts";

/** Where faults of the key are located. */
const LOCATION = "header.Idempotency-Key";

/** What keys a scope takes, and what its callers are told of others. */
export interface KeyForm {
  readonly pattern: RegExp;
  readonly phrase?: "plain_key";
}

/** Visible ASCII without quotes, backslashes and commas: what a header can hold in one piece, quoted or not. */
export const ANY_KEY: KeyForm = { pattern: /^[!#-+\--[\]-~]{1,255}$/ };

/** What can be stored beside an audit entry and typed by anybody who looks for it. */
export const PLAIN_KEY: KeyForm = { pattern: /^[A-Za-z0-9._-]{1,128}$/, phrase: "plain_key" };

const NONE: readonly Fault[] = [];
const ABSENT = { faults: NONE };
const REQUIRED = { faults: [{ location: LOCATION, code: "required" } as const] };
const invalidAs = (phrase?: "plain_key") => ({
  faults: [{ location: LOCATION, code: "idempotency_key_invalid", ...(phrase && { phrase }) } as const],
});

export const KEY_REUSED: Fault = { location: LOCATION, code: "idempotency_key_reused" };

/** What a header says: a key, or why it is none. */
export function readKeyHeader(
  header: string | string[] | undefined,
  isRequired: boolean,
  form = ANY_KEY,
): { readonly key?: string; readonly faults: readonly Fault[] } {
  if (header === undefined) return isRequired ? REQUIRED : ABSENT;
  const key = readKey(String(header), form);
  return key === undefined ? invalidAs(form.phrase) : { key, faults: NONE };
}

/** The key that a header names, bare or in quotes; undefined if it names none. Two headers arrive joined by a comma. */
export function readKey(header: string, { pattern } = ANY_KEY): string | undefined {
  const key = /^".*"$/s.test(header) ? header.slice(1, -1) : header;
  return pattern.test(key) ? key : undefined;
}

/** What makes two requests the same one. */
export interface RequestIdentity {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly ifMatch: string | undefined;
  /** The JSON value of the body: the order of members and white space do not matter. Undefined if there is no body. */
  readonly body: unknown;
}

export function fingerprintOf({ method, path, ifMatch, body }: RequestIdentity): string {
  const head = JSON.stringify([method, path, ifMatch ?? null]);
  return hash("sha256", body === undefined ? head : head + canonicalJson(body), "hex");
}
