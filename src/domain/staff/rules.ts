import { createHmac } from "node:crypto";
import type { Role } from "../../core/actor.ts";
import { MS_PER_HOUR } from "../../core/dates.ts";
import type { Fault } from "../../core/errors.ts";
import { hasInvisible } from "../../core/patterns.ts";
import type { Resource } from "../resources/schema.ts";
import type { Staff } from "./schema.ts";

/** An e-mail address as addresses are compared. */
export function emailKey(email: string): string {
  return email.trim().normalize("NFKC").toLowerCase();
}

/** The faults of the address that somebody is to sign in with: nobody could type what is not seen in it. */
export function checkAddress(email: string | undefined, location: string): Fault[] {
  return email !== undefined && hasInvisible(email) ? [{ location, code: "characters_invalid" }] : [];
}

/** What random tokens are for. One that was made for a link cannot be used as a sign-in, even by who sees all hashes. */
type TokenUse = "link" | "sign-in";

/** What is stored of a token, and what a presented one is looked up by. */
export function hashToken(use: TokenUse, token: string, secret: string): Buffer {
  return createHmac("sha256", secret).update(`${use}:${token}`, "utf8").digest();
}

/** 32 bytes in base64url. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

/**
 * Whose tries are counted together: those of strangers by the address, those of somebody who is signed in by the sign-in. So
 * strangers use up none of the latter, and a stolen cookie has no more than ten.
 */
export type Tried = { readonly emailKey: string } | { readonly signInId: string };

/** By what tries are counted: whether an address is anybody's cannot be read from it. */
export function triesMark(tried: Tried, secret: string): Buffer {
  const text = "emailKey" in tried ? `tries:${tried.emailKey}` : `sign-in-tries:${tried.signInId}`;
  return createHmac("sha256", secret).update(text, "utf8").digest();
}

const SALT_BYTES = 16;

/**
 * The salt of the passwords of an e-mail address. It is the same in every organization, so that one hash is enough to
 * try a password for somebody who is on the staff of several, and for nobody at all.
 */
export function passwordSalt(key: string, secret: string): Buffer {
  return createHmac("sha256", secret).update(`salt:${key}`, "utf8").digest().subarray(0, SALT_BYTES);
}

/** How long links hold: those of an owner, and those of the operator. */
export const LINK_MS = { owner: 72 * MS_PER_HOUR, operator: 24 * MS_PER_HOUR };

/** The address of a link. The token is in the fragment, which browsers send to nobody. */
export function linkAddress(publicUrl: string, token: string): string {
  return `${publicUrl}/console/#link=${token}`;
}

/** The faults of where somebody works; `known` are the organization's locations. */
export function checkWorkplaces(
  { role, allLocations, locationIds }: Pick<Staff, "role" | "allLocations" | "locationIds">,
  known: readonly string[],
  path: string,
): Fault[] {
  const location = `${path}locationIds`;
  if (role === "owner" && !allLocations)
    return [{ location: `${path}allLocations`, code: "owner_everywhere" }];
  if (allLocations) return locationIds.length === 0 ? [] : [{ location, code: "not_with_all_locations" }];
  if (locationIds.length === 0) return [{ location, code: "location_required" }];
  return locationIds.flatMap((id, index) =>
    known.includes(id) ? [] : [{ location: `${location}[${index}]`, code: "location_unknown" } as const],
  );
}

/** The faults of whom a teacher is in the timetable; `resource` is what the id names. */
export function checkTeacher(
  { role, resourceId }: { readonly role: Role; readonly resourceId?: string | undefined },
  resource: Pick<Resource, "kind" | "status"> | undefined,
  path: string,
): Fault[] {
  const location = `${path}resourceId`;
  if (role !== "teacher") return resourceId === undefined ? [] : [{ location, code: "only_for_teachers" }];
  if (resourceId === undefined) return [{ location, code: "required" }];
  if (!resource) return [{ location, code: "resource_unknown" }];
  if (resource.kind !== "person") return [{ location, code: "not_a_person" }];
  return resource.status === "active" ? [] : [{ location, code: "resource_archived" }];
}

const BROWSERS = [
  ["Edge", /Edg(e|A|iOS)?\//],
  ["Opera", /OPR\//],
  ["Samsung Internet", /SamsungBrowser\//],
  ["Firefox", /(Firefox|FxiOS)\//],
  ["Chrome", /(Chrome|CriOS)\//],
  ["Safari", /Safari\//],
] as const;
const SYSTEMS = [
  ["iPhone", /iPhone/],
  ["iPad", /iPad/],
  ["Android", /Android/],
  ["Windows", /Windows/],
  ["macOS", /Macintosh/],
  ["ChromeOS", /CrOS/],
  ["Linux", /Linux/],
] as const;

/** What a person knows a browser again by: "Firefox, Windows". Nothing else of `User-Agent` is stored. */
export function deviceOf(userAgent = ""): string | undefined {
  const known = [BROWSERS, SYSTEMS].flatMap(
    (names) => names.find(([, sign]) => sign.test(userAgent))?.[0] ?? [],
  );
  return known.length === 0 ? undefined : known.join(", ");
}

/** Whether the staff is told how little room is left: who is told at the limit has been told too late. */
export function isNearlyFull({
  records,
  limit,
}: {
  readonly records: number;
  readonly limit: number;
}): boolean {
  return records >= limit * 0.9;
}
