import type { IncomingHttpHeaders } from "node:http";
import type { Fault } from "../core/errors.ts";
import { plainTag } from "./entity-tags.ts";
import { HttpError } from "./http-error.ts";

/** What `If-Match` or `If-None-Match` names: whatever there is, or any of these tags. */
export type TagList = "*" | readonly ListedTag[];

interface ListedTag {
  readonly isWeak: boolean;
  /** With its quotes, without `W/`. */
  readonly tag: string;
}

/** The conditions of a request (RFC 9110, 13.1); each is absent if its header is. */
export interface Conditions {
  readonly ifMatch: TagList | undefined;
  readonly ifNoneMatch: TagList | undefined;
  /** What is no list of tags is a fault: passed over, it would let a change be lost. */
  readonly faults: readonly Fault[];
}

/** The conditions that a request names, or undefined if there are none, as in most requests. */
export function readConditions(headers: IncomingHttpHeaders): Conditions | undefined {
  const { "if-match": match, "if-none-match": noneMatch } = headers;
  if (match === undefined && noneMatch === undefined) return undefined;
  const faults: Fault[] = [];
  const read = (name: string, value: string | undefined): TagList | undefined => {
    if (value === undefined) return undefined;
    const list = parseTagList(value);
    if (list === undefined) faults.push({ location: `header.${name}`, code: "header_invalid" });
    return list;
  };
  return { ifMatch: read("If-Match", match), ifNoneMatch: read("If-None-Match", noneMatch), faults };
}

/**
 * The tag by which the caller has an answer already, so that it need not be sent: the one of its state, or of that state as
 * it was encoded then. Throws if it is not the one that is wanted, which is looked at first (RFC 9110, 13.2.2).
 */
export function findKnownTag({ ifMatch, ifNoneMatch }: Conditions, etag: string): string | undefined {
  if (ifMatch !== undefined && !matchesStrongly(ifMatch, etag)) throw preconditionFailed(ifMatch, etag);
  return ifNoneMatch && findWeakly(ifNoneMatch, etag);
}

/** Throws unless a write may go on, by the tag of the record as it is now. */
export function checkWrite(
  { ifMatch, ifNoneMatch }: Conditions,
  etag: string,
  /** Whether the record is already what the write would make of it: then nothing can be lost. */
  isUnchanged: boolean,
): void {
  if (ifMatch !== undefined && !isUnchanged && !matchesStrongly(ifMatch, etag))
    throw preconditionFailed(ifMatch, etag);
  if (ifNoneMatch && findWeakly(ifNoneMatch, etag) !== undefined) throw new HttpError("record_changed");
}

/** What is wrong with an `If-Match`: the state, or only that something on the way has made the tag weak. */
function preconditionFailed(list: TagList, etag: string): HttpError {
  return new HttpError(findWeakly(list, etag) === undefined ? "record_changed" : "tag_weak");
}

export function preconditionRequired(): HttpError {
  return new HttpError("if_match_required");
}

/**
 * Whether an operator may demand `If-Match` for this method. Not for DELETE: it archives, so nothing is lost.
 */
export function requiresIfMatch(method: string): boolean {
  return method === "PUT" || method === "PATCH";
}

/** By strong comparison, in which a weak tag equals nothing. `etag` is strong, as all of ours are. */
function matchesStrongly(list: TagList, etag: string): boolean {
  return list === "*" || list.some(({ isWeak, tag }) => !isWeak && plainTag(tag) === etag);
}

/** The tag of this state that the list names by weak comparison, in which `W/` does not count. */
export function findWeakly(list: TagList, etag: string): string | undefined {
  return list === "*" ? etag : list.find(({ tag }) => plainTag(tag) === etag)?.tag;
}

const [TAB, SPACE, QUOTE, COMMA, SLASH, CAPITAL_W, DELETE] = [0x09, 0x20, 0x22, 0x2c, 0x2f, 0x57, 0x7f];

/**
 * A list of entity tags (RFC 9110, 8.8.3 and 5.6.1), in one pass over its characters; undefined if it is none. Empty
 * elements are passed over, but a list of nothing else is none: whoever sent it meant to name a tag.
 */
export function parseTagList(value: string): TagList | undefined {
  if (value.trim() === "*") return "*";
  const tags: ListedTag[] = [];
  let expectsTag = true;
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i);
    if (code === SPACE || code === TAB) continue;
    if (code === COMMA) {
      expectsTag = true;
      continue;
    }
    const isWeak = code === CAPITAL_W && value.charCodeAt(i + 1) === SLASH;
    const start = isWeak ? i + 2 : i;
    const end = endOfTag(value, start);
    if (!expectsTag || end === undefined) return undefined;
    tags.push({ isWeak, tag: value.slice(start, end) });
    expectsTag = false;
    i = end - 1;
  }
  return tags.length === 0 ? undefined : tags;
}

/** Where the quoted tag that begins here is over, if one does. */
function endOfTag(value: string, start: number): number | undefined {
  if (value.charCodeAt(start) !== QUOTE) return undefined;
  for (let i = start + 1; i < value.length; i++) {
    const code = value.charCodeAt(i);
    if (code === QUOTE) return i + 1;
    if (code <= SPACE || code === DELETE || code > 0xff) return undefined;
  }
  return undefined;
}
