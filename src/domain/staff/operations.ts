import { randomBytes } from "node:crypto";
import { instantText } from "../../core/clock.ts";
import { refusal, refuseFaults } from "../../core/errors.ts";
import type { Static } from "../../core/fields.ts";
import { newId } from "../../core/ids.ts";
import type { Written } from "../../core/written.ts";
import { listLocationIds } from "../locations/queries.ts";
import { findResource } from "../resources/queries.ts";
import { exclusiveWrite, type OpenWrite, type Outcome, recorded } from "../writes/recorded-write.ts";
import type { StaffCall } from "../writes/staff-write.ts";
import { exclusiveTransaction, type OpenOrganization, type WriteCall } from "../writes/transactions.ts";
import * as links from "./link-queries.ts";
import * as queries from "./queries.ts";
import {
  checkAddress,
  checkTeacher,
  checkWorkplaces,
  emailKey,
  hashToken,
  LINK_MS,
  linkAddress,
} from "./rules.ts";
import type { AddStaff, EditStaff, LinkedStaff, NameLink, NameStaff, Staff, StaffLink } from "./schema.ts";

/**
 * Who works for an organization. Everything runs under the lock of the organization's row, so that of two owners who
 * remove each other at once one stays.
 */

/** What links are made with: the sign-in is that of the owner who makes one; the operator is not signed in. */
export type LinkMaker = Pick<StaffCall, "keySecret" | "publicUrl" | "signIn">;

/** A new colleague, who gets in by the link. */
export const addStaff = exclusiveWrite(
  "addStaff",
  async (
    open: OpenWrite & LinkMaker,
    { locationIds = [], ...given }: Static<typeof AddStaff>,
  ): Promise<Outcome<LinkedStaff>> => {
    await requireMaker(open);
    refuseFaults(checkAddress(given.email, "body.email"));
    const content = tidied({ ...given, locationIds });
    await refuseWorkplaces(open, content, "body.");
    const id = await store(open, content);
    return linked(open, id, placeOf(content));
  },
);

/** Changes a colleague. It holds from their next request on; of an owner who is none any more, the database ends the links. */
export const editStaff = exclusiveWrite(
  "editStaff",
  async (open, { staffId, changes }: Static<typeof EditStaff>): Promise<Outcome<Staff>> => {
    const { tx, organizationId } = open;
    refuseFaults(checkAddress(changes.email, "body.changes.email"));
    const before = await lockKnown(open, staffId);
    // Whoever comes to work everywhere needs no list any more.
    const places = changes.allLocations ? { locationIds: [] } : {};
    const { resourceId, ...content } = contentOf(before);
    // Who is no teacher any more is nobody of the timetable.
    const person = (changes.role ?? before.role) === "teacher" ? { resourceId } : {};
    const after = tidied({ ...content, ...person, ...places, ...changes });
    await refuseWorkplaces(open, after, "body.changes.");
    if (after.role !== "owner") await requireOtherOwner(open, before);
    if (!(await queries.updateStaff(tx, organizationId, before.id, after, emailKey(after.email))))
      throw refusal("email_taken");
    const changed = Object.keys(changes).sort();
    const details = { changed, before: placeOf(before), after: placeOf(after) };
    return { result: await lockKnown(open, before.id), entry: { subject: before.id, details } };
  },
);

/** A new link for a colleague who has lost the old one or forgot the password. */
export const linkStaff = exclusiveWrite(
  "linkStaff",
  async (
    open: OpenWrite & LinkMaker,
    { staffId }: Static<typeof NameStaff>,
  ): Promise<Outcome<LinkedStaff>> => {
    await requireMaker(open);
    const { id } = await lockKnown(open, staffId);
    return linked(open, id);
  },
);

/** Ends a link before somebody uses it. */
export const revokeLink = exclusiveWrite(
  "revokeLink",
  async ({ tx, at, organizationId }, { linkId }: Static<typeof NameLink>): Promise<Outcome<StaffLink>> => {
    const link = await links.deleteLink(tx, organizationId, linkId, at);
    if (!link) throw refusal("no_link");
    const { id, staffId, madeBy } = link;
    return {
      result: link,
      entry: {
        subject: staffId,
        details: { linkId: id, madeBy },
      },
    };
  },
);

/**
 * Ends a colleague's access at once. The database removes their passkeys and the links that they made for others too. The row
 * stays for the audit trail.
 */
export const removeStaff = exclusiveWrite(
  "removeStaff",
  async (open, { staffId }: Static<typeof NameStaff>): Promise<Outcome<Staff>> => {
    const { tx, at, organizationId } = open;
    const before = await queries.lockStaff(tx, organizationId, staffId);
    if (!before) throw refusal("no_staff");
    if (before.status !== "removed") {
      await requireOtherOwner(open, before);
      await queries.writeRemoved(tx, organizationId, before.id);
      await queries.endSignIns(tx, organizationId, before.id, at);
      await links.deleteLinks(tx, organizationId, before.id);
    }
    return {
      result: { ...before, status: "removed" },
      entry: {
        subject: before.id,
        details: { before: before.status, after: "removed" },
      },
    };
  },
);

/** Whom the operator wants a link for. */
export interface StaffToLink {
  readonly email: string;
  /** Of a new colleague; the address unless given. */
  readonly name?: string | undefined;
  /** Of a new colleague: an owner unless given. */
  readonly role?: Staff["role"] | undefined;
  /** Of a new teacher. */
  readonly resourceId?: string | undefined;
}

/** A link for whoever has this e-mail address on the staff; if nobody has, for a new colleague. */
export function linkByEmail(
  call: WriteCall & LinkMaker,
  { email, name = email, role = "owner", resourceId }: StaffToLink,
): Promise<Written<LinkedStaff>> {
  return exclusiveTransaction(call, async (open) => {
    const known = await queries.lockStaffByEmail(open.tx, open.organizationId, emailKey(email));
    if (known) return recorded("linkStaff", call, open, (write) => linked(write, known.id));
    refuseFaults(checkAddress(email, "email"));
    const place = { role, allLocations: true, locationIds: [], resourceId };
    const content = tidied({ name, email, ...place });
    await refuseWorkplaces(open, content, "");
    const id = await store(open, content);
    return recorded("addStaff", call, open, (write) => linked(write, id, placeOf(content)));
  });
}

/** A link for the owner of an organization; if it has none yet, for a new one. */
export async function linkOwner(
  call: WriteCall & LinkMaker,
  first: StaffToLink,
): Promise<Written<LinkedStaff>> {
  const owner = (await queries.listStaff(call.db, call.organizationId)).find(
    ({ role, status }) => role === "owner" && status !== "removed",
  );
  return linkByEmail(call, owner ?? first);
}

async function store(
  { tx, organizationId, now, at }: OpenOrganization,
  content: queries.StaffContent,
): Promise<string> {
  const id = newId(now);
  if (!(await queries.insertStaff(tx, organizationId, id, content, emailKey(content.email), at)))
    throw refusal("email_taken");
  return id;
}

const TOKEN_BYTES = 32;

/** 32 random bytes, as text. */
export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString("base64url");
}

/** Makes a link for somebody. */
async function linked(
  open: OpenWrite & LinkMaker,
  staffId: string,
  details: Readonly<Record<string, unknown>> = {},
): Promise<Outcome<LinkedStaff>> {
  const { tx, organizationId, now, actor, keySecret, publicUrl } = open;
  const token = newToken();
  const expiresAt = instantText(now + (actor.role === undefined ? LINK_MS.operator : LINK_MS.owner));
  const hash = hashToken("link", token, keySecret);
  const made = { id: newId(now), staffId, hash, expiresAt, madeBy: actor.name };
  await links.insertLink(tx, organizationId, made);
  const staff = await lockKnown(open, staffId);
  return {
    result: { staff, link: linkAddress(publicUrl, token), expiresAt },
    entry: { subject: staffId, details: { ...details, expiresAt } },
  };
}

/** Refuses an owner who was removed, demoted or signed out since the request was let in. Before anybody else is locked. */
async function requireMaker({ tx, organizationId, signIn }: OpenOrganization & LinkMaker): Promise<void> {
  if (signIn && !(await links.holdLinkMaker(tx, organizationId, signIn))) throw refusal("not_allowed");
}

async function lockKnown({ tx, organizationId }: OpenOrganization, id: string): Promise<Staff> {
  const staff = await queries.lockStaff(tx, organizationId, id);
  if (!staff || staff.status === "removed") throw refusal("no_staff");
  return staff;
}

async function requireOtherOwner(
  { tx, organizationId }: OpenOrganization,
  { id, role, status }: Staff,
): Promise<void> {
  if (role !== "owner" || status !== "active") return;
  if (!(await queries.hasOtherOwner(tx, organizationId, id))) throw refusal("last_owner");
}

async function refuseWorkplaces(
  { tx, organizationId }: OpenOrganization,
  content: queries.StaffContent,
  path: string,
): Promise<void> {
  const { resourceId } = content;
  const resource = resourceId === undefined ? undefined : await findResource(tx, organizationId, resourceId);
  refuseFaults([
    ...checkWorkplaces(content, await listLocationIds(tx, organizationId), path),
    ...checkTeacher(content, resource, path),
  ]);
}

function tidied({ locationIds, ...content }: queries.StaffContent): queries.StaffContent {
  const ids = [...new Set(locationIds.map((id) => id.toLowerCase()))].sort();
  return { ...content, locationIds: ids };
}

function contentOf({ id, status, ...content }: Staff): queries.StaffContent {
  return content;
}

/** What the audit trail may show of somebody: no name and no address. */
function placeOf({
  role,
  allLocations,
  locationIds,
  resourceId,
}: queries.StaffContent): Record<string, unknown> {
  return { role, allLocations, locationIds, ...(resourceId !== undefined && { resourceId }) };
}
