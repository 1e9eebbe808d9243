import { randomBytes } from "node:crypto";
import { type AuditAction, recordAudit } from "../audit/queries.ts";
import { inOrganization, type OpenOrganization } from "../contracts/open-organization.ts";
import type { Actor } from "../core/actor.ts";
import { instantText } from "../core/clock.ts";
import { refusal, refuseFaults } from "../core/errors.ts";
import type { Static } from "../core/fields.ts";
import { newId } from "../core/ids.ts";
import { NO_CHANGES, type Written } from "../core/written.ts";
import type { Database } from "../db/database.ts";
import { listLocationIds } from "../locations/queries.ts";
import * as queries from "./queries.ts";
import { checkWorkplaces, emailKey, hashToken, LINK_MS, linkAddress } from "./rules.ts";
import type { AddStaff, EditStaff, LinkedStaff, NameStaff, Staff } from "./schema.ts";

/**
 * Who works for an organization. Everything runs under the lock of the organization's row, so that of two owners who
 * remove each other at once one stays.
 */

/** What links are made with. */
export interface LinkMaker {
  readonly keySecret: string;
  readonly publicUrl: string;
}

/** A new colleague, who gets in by the link. */
export async function addStaff(
  db: Database,
  actor: Actor,
  organizationId: string,
  { locationIds = [], ...given }: Static<typeof AddStaff>,
  maker: LinkMaker,
): Promise<Written<LinkedStaff>> {
  return inOrganization(db, organizationId, async (open) => {
    const content = tidied({ ...given, locationIds });
    await refuseWorkplaces(open, content, "body.");
    const id = await store(open, content);
    return finishLinked(open, actor, "addStaff", id, maker, placeOf(content));
  });
}

/** Changes a colleague. It holds from their next request on. */
export async function editStaff(
  db: Database,
  actor: Actor,
  organizationId: string,
  { staffId, changes }: Static<typeof EditStaff>,
): Promise<Written<Staff>> {
  return inOrganization(db, organizationId, async (open) => {
    const { tx } = open;
    const before = await lockKnown(open, staffId);
    // Whoever comes to work everywhere needs no list any more.
    const places = changes.allLocations ? { locationIds: [] } : {};
    const after = tidied({ ...contentOf(before), ...places, ...changes });
    await refuseWorkplaces(open, after, "body.changes.");
    if (after.role !== "owner") await requireOtherOwner(open, before);
    if (!(await queries.updateStaff(tx, organizationId, before.id, after, emailKey(after.email))))
      throw refusal("email_taken");
    const auditId = await recordAudit(tx, actor.name, {
      action: "editStaff",
      organizationId,
      subject: before.id,
      details: { changed: Object.keys(changes).sort(), before: placeOf(before), after: placeOf(after) },
    });
    const result = await lockKnown(open, before.id);
    return { auditId, result, changes: NO_CHANGES };
  });
}

/** A new link for a colleague who has lost the old one or forgot the password. */
export async function linkStaff(
  db: Database,
  actor: Actor,
  organizationId: string,
  { staffId }: Static<typeof NameStaff>,
  maker: LinkMaker,
): Promise<Written<LinkedStaff>> {
  return inOrganization(db, organizationId, async (open) => {
    const { id } = await lockKnown(open, staffId);
    return finishLinked(open, actor, "linkStaff", id, maker, {});
  });
}

/** Ends a colleague's access at once: the database removes their passkeys too. The row stays for the audit trail. */
export async function removeStaff(
  db: Database,
  actor: Actor,
  organizationId: string,
  { staffId }: Static<typeof NameStaff>,
): Promise<Written<Staff>> {
  return inOrganization(db, organizationId, async (open) => {
    const { tx, at } = open;
    const before = await queries.lockStaff(tx, organizationId, staffId);
    if (!before) throw refusal("no_staff");
    if (before.status !== "removed") {
      await requireOtherOwner(open, before);
      await queries.writeRemoved(tx, organizationId, before.id);
      await queries.endSignIns(tx, organizationId, before.id, at);
      await queries.deleteLinks(tx, organizationId, before.id);
    }
    const auditId = await recordAudit(tx, actor.name, {
      action: "removeStaff",
      organizationId,
      subject: before.id,
      details: { before: before.status, after: "removed" },
    });
    return { auditId, result: { ...before, status: "removed" }, changes: NO_CHANGES };
  });
}

/** Whom the operator wants a link for. */
export interface StaffToLink {
  readonly email: string;
  /** Of a new colleague; the address unless given. */
  readonly name?: string | undefined;
  /** Of a new colleague: an owner unless given. */
  readonly role?: Staff["role"] | undefined;
}

/** A link for whoever has this e-mail address on the staff; if nobody has, for a new colleague. */
export async function linkByEmail(
  db: Database,
  actor: Actor,
  organizationId: string,
  { email, name = email, role = "owner" }: StaffToLink,
  maker: LinkMaker,
): Promise<Written<LinkedStaff>> {
  return inOrganization(db, organizationId, async (open) => {
    const known = await queries.lockStaffByEmail(open.tx, organizationId, emailKey(email));
    if (known) return finishLinked(open, actor, "linkStaff", known.id, maker, {});
    const content = tidied({ name, email, role, allLocations: true, locationIds: [] });
    const id = await store(open, content);
    return finishLinked(open, actor, "addStaff", id, maker, placeOf(content));
  });
}

/** A link for the owner of an organization; if it has none yet, for a new one. */
export async function linkOwner(
  db: Database,
  actor: Actor,
  organizationId: string,
  first: StaffToLink,
  maker: LinkMaker,
): Promise<Written<LinkedStaff>> {
  const owner = (await queries.listStaff(db, organizationId)).find(
    ({ role, status }) => role === "owner" && status !== "removed",
  );
  return linkByEmail(db, actor, organizationId, owner ?? first, maker);
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

async function finishLinked(
  open: OpenOrganization,
  actor: Actor,
  action: AuditAction,
  staffId: string,
  { keySecret, publicUrl }: LinkMaker,
  details: Readonly<Record<string, unknown>>,
): Promise<Written<LinkedStaff>> {
  const { tx, organizationId, now } = open;
  const token = newToken();
  const expiresAt = instantText(now + (actor.role === undefined ? LINK_MS.operator : LINK_MS.owner));
  const hash = hashToken("link", token, keySecret);
  await queries.insertLink(tx, organizationId, { id: newId(now), staffId, hash, expiresAt });
  const auditId = await recordAudit(tx, actor.name, {
    action,
    organizationId,
    subject: staffId,
    details: { ...details, expiresAt },
  });
  const staff = await lockKnown(open, staffId);
  return { auditId, result: { staff, link: linkAddress(publicUrl, token), expiresAt }, changes: NO_CHANGES };
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
  refuseFaults(checkWorkplaces(content, await listLocationIds(tx, organizationId), path));
}

function tidied({
  name,
  email,
  role,
  allLocations,
  locationIds,
}: queries.StaffContent): queries.StaffContent {
  const ids = [...new Set(locationIds.map((id) => id.toLowerCase()))].sort();
  return { name, email, role, allLocations, locationIds: ids };
}

function contentOf({ name, email, role, allLocations, locationIds }: Staff): queries.StaffContent {
  return { name, email, role, allLocations, locationIds };
}

/** What the audit trail may show of somebody: no name and no address. */
function placeOf({ role, allLocations, locationIds }: queries.StaffContent): Record<string, unknown> {
  return { role, allLocations, locationIds };
}
