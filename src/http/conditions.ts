import type { IncomingHttpHeaders } from "node:http";
import { invalid } from "../core/errors.ts";
import { HttpError } from "./http-error.ts";

/** The conditions of a request (RFC 9110, 13.1): tags as they were sent, or `*`. */
export interface Conditions {
  readonly ifMatch: TagList | undefined;
  readonly ifNoneMatch: TagList | undefined;
}

export type TagList = "*" | readonly string[];

/** The conditions that a request names, or undefined if there are none, as in most requests. */
export function readConditions(headers: IncomingHttpHeaders): Conditions | undefined {
  const { "if-match": match, "if-none-match": noneMatch } = headers;
  if (match === undefined && noneMatch === undefined) return undefined;
  return { ifMatch: readTags("If-Match", match), ifNoneMatch: readTags("If-None-Match", noneMatch) };
}

/** Whether a tag is in the list, without regard to `W/`: for answers that need not be sent again. */
export function matchesWeakly(list: TagList, tag: string): boolean {
  return list === "*" || list.some((one) => (one.startsWith("W/") ? one.slice(2) : one) === tag);
}

/** Whether a tag is in the list as it stands: a weak one does not protect a record. */
export function matchesStrongly(list: TagList, tag: string): boolean {
  return list === "*" || list.includes(tag);
}

/** Whether an answer with this tag need not be sent, because the caller has it; throws if it is not the one wanted. */
export function isNotModified({ ifMatch, ifNoneMatch }: Conditions, tag: string): boolean {
  if (ifMatch && !matchesStrongly(ifMatch, tag)) throw preconditionFailed();
  return ifNoneMatch !== undefined && matchesWeakly(ifNoneMatch, tag);
}

/** Throws unless a write may go on, by the tag of the record as it is now. */
export function checkWrite(conditions: Conditions | undefined, tag: string): void {
  if (!conditions) return;
  const { ifMatch, ifNoneMatch } = conditions;
  if (ifMatch && !matchesStrongly(ifMatch, tag)) throw preconditionFailed();
  if (ifNoneMatch && matchesWeakly(ifNoneMatch, tag)) throw preconditionFailed();
}

export function preconditionFailed(): HttpError {
  return new HttpError("record_changed");
}

/** One tag and what follows it: a comma, or the end. */
const TAG = /[ \t]*((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[ \t]*(?:,|$)|[ \t]*(?:,|$)/y;

function readTags(name: string, value: string | undefined): TagList | undefined {
  if (value === undefined) return undefined;
  if (value.trim() === "*") return "*";
  const tags: string[] = [];
  TAG.lastIndex = 0;
  while (TAG.lastIndex < value.length) {
    const found = TAG.exec(value);
    if (!found) throw notTags(name);
    if (found[1] !== undefined) tags.push(found[1]);
  }
  if (tags.length === 0) throw notTags(name);
  return tags;
}

function notTags(name: string): Error {
  return invalid([{ location: `header.${name}`, code: "header_invalid" }]);
}
