import { randomBytes } from "node:crypto";
import { parseDuration } from "../../core/duration.ts";
import { type Fault, refusal, refuseFaults } from "../../core/errors.ts";
import { newId } from "../../core/ids.ts";
import { unknownClient } from "../../domain/clients/operations.ts";
import { lockClient } from "../../domain/clients/queries.ts";
import { hashKey, KEY_ENTROPY_BYTES } from "../../domain/keys/rules.ts";
import { type OpenWrite, type Outcome, sharedWrite } from "../../domain/writes/recorded-write.ts";
import {
  findReferences,
  insertCalendarLink,
  lockCalendarLink,
  type NewCalendarLinkRow,
  revokeLinkRow,
  shortenLink,
} from "./queries.ts";
import { composeToken, linkAddresses, requireLinkRole, unknownLink } from "./rules.ts";
import type { CalendarLink, MintCalendarLink, NewCalendarLink } from "./schema.ts";
import { AHEAD_DAYS, PAST_DAYS } from "./values.ts";

/** What addresses of links are made of. */
export interface LinkSite {
  readonly keySecret: string;
  readonly publicUrl: string;
}

export const mintCalendarLink = sharedWrite(
  "mintCalendarLink",
  async (
    open: OpenWrite & LinkSite,
    { expires, ...given }: MintCalendarLink,
  ): Promise<Outcome<NewCalendarLink>> => {
    const { tx, actor, organizationId } = open;
    const { clientId } = given;
    requireLinkRole(actor, clientId);
    if (clientId !== undefined) {
      const { client, isErased } = await lockClient(tx, organizationId, clientId, undefined);
      if (!client) throw unknownClient();
      if (isErased) throw refusal("erased_client");
    }
    const found = await findReferences(tx, organizationId, given);
    refuseFaults(
      REFERENCES.flatMap(([member, code]): Fault[] =>
        given[member] === undefined || found[member] ? [] : [{ location: `body.${member}`, code }],
      ),
    );
    const link = await storeLink(open, {
      ...given,
      pastDays: given.pastDays ?? PAST_DAYS,
      aheadDays: given.aheadDays ?? AHEAD_DAYS,
      language: given.language ?? "en",
      showSeats: given.showSeats ?? false,
      lifetimeSeconds: expires === undefined ? undefined : parseDuration(expires),
    });
    const { locationId, serviceTypeId, resourceId, expiresAt } = link;
    return outcome(link, link.id, { locationId, serviceTypeId, resourceId, expiresAt });
  },
);

const REFERENCES = [
  ["locationId", "location_unknown"],
  ["serviceTypeId", "service_type_unknown"],
  ["resourceId", "resource_unknown"],
] as const;

/** A new link that shows the same; the old one goes on working for the overlap, so that calendars can be changed over. */
export const rotateCalendarLink = sharedWrite(
  "rotateCalendarLink",
  async (
    open: OpenWrite & LinkSite,
    { calendarLinkId, overlapSeconds }: { readonly calendarLinkId: string; readonly overlapSeconds: number },
  ): Promise<Outcome<NewCalendarLink>> => {
    const { tx, now, actor, organizationId } = open;
    const old = await lockCalendarLink(tx, organizationId, calendarLinkId, now);
    if (!old) throw unknownLink();
    requireLinkRole(actor, old.clientId);
    if (old.status !== "active") throw refusal("calendar_link_ended", { params: { status: old.status } });
    const link = await storeLink(open, old);
    await shortenLink(tx, organizationId, old.id, overlapSeconds, now);
    return outcome(link, old.id, { newCalendarLinkId: link.id, overlapSeconds });
  },
);

/** Ends a link: its address answers from the next fetch on as if it had never been. */
export const revokeCalendarLink = sharedWrite(
  "revokeCalendarLink",
  async (
    { tx, now, actor, organizationId },
    { calendarLinkId }: { readonly calendarLinkId: string },
  ): Promise<Outcome<CalendarLink>> => {
    const old = await lockCalendarLink(tx, organizationId, calendarLinkId, now);
    if (!old) throw unknownLink();
    requireLinkRole(actor, old.clientId);
    const link = await revokeLinkRow(tx, organizationId, old.id, now);
    if (!link) throw new Error("a link that is locked is gone");
    return outcome(link, link.id, {});
  },
);

async function storeLink(
  { tx, organizationId, now, keySecret, publicUrl }: OpenWrite & LinkSite,
  scope: Omit<NewCalendarLinkRow, "id" | "hash">,
): Promise<NewCalendarLink> {
  const token = composeToken(randomBytes(KEY_ENTROPY_BYTES));
  const addresses = linkAddresses(publicUrl, token);
  const link = { ...scope, id: newId(now), hash: hashKey(token, keySecret) };
  return { ...(await insertCalendarLink(tx, organizationId, link, now)), ...addresses };
}

/** What was done to a link. The trail has neither the token nor a name. */
function outcome<Link extends CalendarLink>(
  result: Link,
  subject: string,
  details: Readonly<Record<string, unknown>>,
): Outcome<Link> {
  const { clientId } = result;
  return { result, entry: { subject, ...(clientId !== undefined && { clientId }), details } };
}
