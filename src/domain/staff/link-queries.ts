import type { Database, ShortReads } from "../../db/database.ts";
import { ELSEWHERE, type Elsewhere } from "../../db/elsewhere.ts";
import { pooled, read } from "../../db/statements.ts";
import type { OrganizationStatus } from "../organizations/values.ts";
import type { StaffLink } from "./schema.ts";

const deleteLinksStatement = pooled(
  "delete_staff_links",
  "delete from staff_links where organization_id = $1 and staff_id = $2",
);

/** Ends every link of a person. */
export async function deleteLinks(tx: Database, organizationId: string, staffId: string): Promise<void> {
  await tx.query(deleteLinksStatement, [organizationId, staffId]);
}

// Whoever removes or demotes the maker, or ends their sign-ins, waits for this one and ends what it has made; or this one
// waits for them, and makes nothing.
const holdMakerStatement = pooled(
  "hold_link_maker",
  `select from staff m join sign_ins i on i.organization_id = m.organization_id and i.staff_id = m.id
   where m.organization_id = $1 and m.id = $2 and m.status = 'active' and m.role = 'owner'
     and i.id = $3 and i.ended_at is null
   for share of m, i`,
);

/** Whether somebody is an owner and signed in, which stays so until the end of the transaction. */
export async function holdLinkMaker(
  tx: Database,
  organizationId: string,
  { id, staffId }: { readonly id: string; readonly staffId: string },
): Promise<boolean> {
  return (await tx.query(holdMakerStatement, [organizationId, staffId, id])).length > 0;
}

const insertLinkStatement = pooled(
  "insert_staff_link",
  `insert into staff_links (id, organization_id, staff_id, hash, expires_at, made_by)
   values ($1, $2, $3, $4, $5, $6)`,
);

export interface NewLink {
  readonly id: string;
  readonly staffId: string;
  readonly hash: Buffer;
  readonly expiresAt: string;
  /** As the audit trail names them. */
  readonly madeBy: string;
}

/** Stores a link, which voids the older ones of the same person. */
export async function insertLink(
  tx: Database,
  organizationId: string,
  { id, staffId, hash, expiresAt, madeBy }: NewLink,
): Promise<void> {
  await deleteLinks(tx, organizationId, staffId);
  await tx.query(insertLinkStatement, [id, organizationId, staffId, hash, expiresAt, madeBy]);
}

const openLinks = `
  select k.id, k.staff_id as "staffId", s.name as "staffName", k.made_by as "madeBy",
    (select m.name from staff m where m.organization_id = k.organization_id and k.made_by = 'staff:' || m.id)
      as "madeByName",
    k.expires_at as "expiresAt"
  from staff_links k join staff s on s.organization_id = k.organization_id and s.id = k.staff_id
  where k.organization_id = $1 and k.used_at is null and k.expires_at > $2`;

const listLinksStatement = pooled("list_staff_links", `${openLinks} order by s.name, k.id`);

/** Every link that somebody can still come in by. */
export function listLinks(db: Database, organizationId: string, at: string): Promise<StaffLink[]> {
  return db.query<StaffLink>(listLinksStatement, [organizationId, at]);
}

const lockOpenLinkStatement = pooled("lock_open_link", `${openLinks} and k.id = $3 for no key update of k`);
const deleteLinkStatement = pooled(
  "delete_staff_link",
  "delete from staff_links where organization_id = $1 and id = $2",
);

/** Ends a link and returns it; undefined if nobody could come in by it any more. */
export async function deleteLink(
  tx: Database,
  organizationId: string,
  id: string,
  at: string,
): Promise<StaffLink | undefined> {
  const [link] = await tx.query<StaffLink>(lockOpenLinkStatement, [organizationId, at, id]);
  if (link) await tx.query(deleteLinkStatement, [organizationId, id]);
  return link;
}

const deleteMadeLinksStatement = pooled(
  "delete_made_links",
  "delete from staff_links where organization_id = $1 and made_by = 'staff:' || $2::uuid and used_at is null",
);

/** Ends the links that a person made for others. */
export async function deleteMadeLinks(tx: Database, organizationId: string, staffId: string): Promise<void> {
  await tx.query(deleteMadeLinksStatement, [organizationId, staffId]);
}

/** Whom a link is for. */
export interface LinkHolder {
  readonly id: string;
  readonly madeBy?: string;
  readonly name: string;
  readonly email: string;
  readonly organizationName: string;
  readonly organizationId: string;
  readonly staffId: string;
  readonly emailKey: string;
  readonly organizationStatus: OrganizationStatus;
  readonly elsewhere?: Elsewhere;
  readonly expiresAt: string;
}

const holder = `
  k.id, k.made_by as "madeBy", k.organization_id as "organizationId", k.staff_id as "staffId",
  s.name, s.email, s.email_key as "emailKey", o.name as "organizationName", o.status as "organizationStatus",
  ${ELSEWHERE} as elsewhere, k.expires_at as "expiresAt"
  from staff_links k
  join staff s on s.organization_id = k.organization_id and s.id = k.staff_id and s.status <> 'removed'
  join organizations o on o.id = k.organization_id
  where k.hash = $1 and k.used_at is null`;

const findLinkStatement = read("find_staff_link", `select ${holder}`);
const lockLinkStatement = pooled("lock_staff_link", `select ${holder} for no key update of k`);

/** Whom an unused link is for; whether its time is over is for the caller to see. */
export async function findLink(db: ShortReads, hash: Buffer): Promise<LinkHolder | undefined> {
  const [found] = await db.query<LinkHolder>(findLinkStatement, [hash]);
  return found;
}

/** The same, and nobody else can use it now. */
export async function lockLink(tx: Database, hash: Buffer): Promise<LinkHolder | undefined> {
  const [found] = await tx.query<LinkHolder>(lockLinkStatement, [hash]);
  return found;
}

const useLinkStatement = pooled(
  "use_staff_link",
  "update staff_links set used_at = $2 where organization_id = $3 and hash = $1",
);

export async function writeLinkUsed(
  tx: Database,
  { organizationId }: Pick<LinkHolder, "organizationId">,
  hash: Buffer,
  at: string,
): Promise<void> {
  await tx.query(useLinkStatement, [hash, at, organizationId]);
}
