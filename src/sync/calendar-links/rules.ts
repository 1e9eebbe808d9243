import { type Actor, hasRole } from "../../core/actor.ts";
import { type AppError, refusal } from "../../core/errors.ts";
import { composeKey } from "../../domain/keys/rules.ts";
import { MOST_ADDRESS_LENGTH } from "./values.ts";

/** So that nobody takes one for a key, which opens far more. */
const TOKEN_PREFIX = "rbc_";

export function composeToken(randomBytes: Uint8Array): string {
  return composeKey(randomBytes, TOKEN_PREFIX);
}

/** The addresses of a link, for those who made it: there is no other way to learn them. */
export interface LinkAddresses {
  readonly url: string;
  /** What telephones subscribe to when it is opened. */
  readonly webcalUrl: string;
  /** The same sessions for programs. */
  readonly jsonUrl: string;
}

/** Refuses a link whose address calendar programs would not take. */
export function linkAddresses(publicUrl: string, token: string): LinkAddresses {
  const address = `${publicUrl}/ics/${token}`;
  const url = `${address}.ics`;
  if (url.length > MOST_ADDRESS_LENGTH)
    throw refusal("calendar_address_too_long", { params: { count: url.length, max: MOST_ADDRESS_LENGTH } });
  return { url, webcalUrl: url.replace(/^https?:/, "webcal:"), jsonUrl: `${address}.json` };
}

/** Links to the timetable are the owners'; one to a client's own bookings may be made by whoever books for them. */
export function requireLinkRole(actor: Actor, clientId: string | undefined): void {
  if (clientId === undefined && !hasRole(actor, "owner")) throw refusal("not_allowed");
}

export function unknownLink(): AppError {
  return refusal("no_calendar_link");
}
