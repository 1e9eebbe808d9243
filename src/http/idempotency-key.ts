import { hash } from "node:crypto";
import type { Fault } from "../core/errors.ts";
import { canonicalJson } from "../core/json.ts";

/** Where faults of the key are located. */
const LOCATION = "header.Idempotency-Key";

/** Visible ASCII without quotes, backslashes and commas: what a header can hold in one piece, quoted or not. */
const KEY = /^[!#-+\--[\]-~]{1,255}$/;

const NONE: readonly Fault[] = [];
const ABSENT = { faults: NONE };
const REQUIRED = { faults: [{ location: LOCATION, code: "required" } as const] };
const INVALID = {
  faults: [{ location: LOCATION, code: "idempotency_key_invalid" } as const],
};

export const KEY_REUSED: Fault = { location: LOCATION, code: "idempotency_key_reused" };

/** What a header says: a key, or why it is none. */
export function readKeyHeader(
  header: string | string[] | undefined,
  isRequired: boolean,
): { readonly key?: string; readonly faults: readonly Fault[] } {
  if (header === undefined) return isRequired ? REQUIRED : ABSENT;
  const key = readKey(String(header));
  return key === undefined ? INVALID : { key, faults: NONE };
}

/** The key that a header names, bare or in quotes; undefined if it names none. Two headers arrive joined by a comma. */
export function readKey(header: string): string | undefined {
  const key = /^".*"$/s.test(header) ? header.slice(1, -1) : header;
  return KEY.test(key) ? key : undefined;
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
