import { instantText } from "../../core/clock.ts";
import type { Database, ShortReads } from "../../db/database.ts";
import { ELSEWHERE, type Elsewhere, isHere } from "../../db/elsewhere.ts";
import { violatedConstraint } from "../../db/statement-errors.ts";
import { pooled, read } from "../../db/statements.ts";
import type { OrganizationStatus } from "../organizations/values.ts";
import type { OwnSignIn, Staff } from "./schema.ts";
import { IDLE, LIFETIME } from "./sign-in-admission.ts";

const columns = `
  s.id, s.name, s.email, s.role, s.all_locations as "allLocations",
  array(
    select l.location_id from staff_locations l
    where l.organization_id = s.organization_id and l.staff_id = s.id order by l.location_id
  ) as "locationIds",
  s.resource_id as "resourceId", s.status`;

const findStatement = read(
  "find_staff",
  `select ${columns} from staff s where s.organization_id = $1 and s.id = $2`,
);

export async function findStaff(
  db: Database,
  organizationId: string,
  id: string,
): Promise<Staff | undefined> {
  const [staff] = await db.query<Staff>(findStatement, [organizationId, id]);
  return staff;
}

const lockStatement = pooled(
  "lock_staff",
  `select ${columns} from staff s where s.organization_id = $1 and s.id = $2 for no key update of s`,
);

/** The colleague, whom nobody else can change now. */
export async function lockStaff(
  tx: Database,
  organizationId: string,
  id: string,
): Promise<Staff | undefined> {
  const [staff] = await tx.query<Staff>(lockStatement, [organizationId, id]);
  return staff;
}

const lockByEmailStatement = pooled(
  "lock_staff_by_email",
  `select ${columns} from staff s
   where s.organization_id = $1 and s.email_key = $2 and s.status <> 'removed' for no key update of s`,
);

export async function lockStaffByEmail(
  tx: Database,
  organizationId: string,
  key: string,
): Promise<Staff | undefined> {
  const [staff] = await tx.query<Staff>(lockByEmailStatement, [organizationId, key]);
  return staff;
}

const listStatement = pooled(
  "list_staff",
  `select ${columns} from staff s where s.organization_id = $1
   order by s.status = 'removed', s.name, s.id`,
);

/** Everybody, those who were removed last. */
export function listStaff(db: Database, organizationId: string): Promise<Staff[]> {
  return db.query<Staff>(listStatement, [organizationId]);
}

const hasOtherOwnerStatement = pooled(
  "has_other_owner",
  `select exists (
     select from staff where organization_id = $1 and id <> $2 and role = 'owner' and status = 'active'
   ) as found`,
);

/** Whether somebody else is an active owner. The organization's row must be locked. */
export async function hasOtherOwner(tx: Database, organizationId: string, id: string): Promise<boolean> {
  const [row] = await tx.query<{ found: boolean }>(hasOtherOwnerStatement, [organizationId, id]);
  return row?.found ?? false;
}

export interface StaffContent
  extends Pick<Staff, "name" | "email" | "role" | "allLocations" | "locationIds"> {
  readonly resourceId?: string | undefined;
}

const insertStatement = pooled(
  "insert_staff",
  `insert into staff (organization_id, id, name, email, email_key, role, all_locations, resource_id, status, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, 'invited', $9)`,
);
const insertPlacesStatement = pooled(
  "insert_staff_locations",
  `insert into staff_locations (organization_id, staff_id, location_id)
   select $1, $2, l.id from unnest($3::uuid[]) as l (id)`,
);
const deletePlacesStatement = pooled(
  "delete_staff_locations",
  "delete from staff_locations where organization_id = $1 and staff_id = $2",
);

/** Whether it was stored: false if somebody else on the staff has the address. */
export async function insertStaff(
  tx: Database,
  organizationId: string,
  id: string,
  { name, email, role, allLocations, locationIds, resourceId }: StaffContent,
  key: string,
  at: string,
): Promise<boolean> {
  return unlessTaken(async () => {
    const values = [organizationId, id, name, email, key, role, allLocations, resourceId ?? null, at];
    await tx.query(insertStatement, values);
    if (locationIds.length > 0) await tx.query(insertPlacesStatement, [organizationId, id, locationIds]);
  });
}

const updateStatement = pooled(
  "update_staff",
  `update staff set name = $3, email = $4, email_key = $5, role = $6, all_locations = $7, resource_id = $8
   where organization_id = $1 and id = $2`,
);

/** Whether it was stored: false if somebody else on the staff has the address. */
export async function updateStaff(
  tx: Database,
  organizationId: string,
  id: string,
  { name, email, role, allLocations, locationIds, resourceId }: StaffContent,
  key: string,
): Promise<boolean> {
  return unlessTaken(async () => {
    const values = [organizationId, id, name, email, key, role, allLocations, resourceId ?? null];
    await tx.query(updateStatement, values);
    await tx.query(deletePlacesStatement, [organizationId, id]);
    if (locationIds.length > 0) await tx.query(insertPlacesStatement, [organizationId, id, locationIds]);
  });
}

async function unlessTaken(write: () => Promise<void>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if (violatedConstraint(error) === "staff_email") return false;
    throw error;
  }
}

const removeStatement = pooled(
  "remove_staff",
  "update staff set status = 'removed', password = null where organization_id = $1 and id = $2",
);

export async function writeRemoved(tx: Database, organizationId: string, id: string): Promise<void> {
  await tx.query(removeStatement, [organizationId, id]);
}

const lockPasswordStatement = pooled(
  "lock_password",
  `select from staff where organization_id = $1 and id = $2 and status = 'active' and password = $3
   for no key update`,
);

/** Whether this is still the password of somebody, whom nobody else can change now. */
export async function lockPassword(
  tx: Database,
  organizationId: string,
  id: string,
  password: string,
): Promise<boolean> {
  return (await tx.query(lockPasswordStatement, [organizationId, id, password])).length > 0;
}

const activateStatement = pooled(
  "activate_staff",
  `update staff set status = 'active', password = $3, name = coalesce($4, name)
   where organization_id = $1 and id = $2 and status <> 'removed'`,
);

export async function writePassword(
  tx: Database,
  organizationId: string,
  id: string,
  password: string,
  name: string | undefined,
): Promise<void> {
  await tx.query(activateStatement, [organizationId, id, password, name ?? null]);
}

/** Sign-ins. */

/** An account that an e-mail address may be signed in to. */
export interface StaffAccount {
  readonly organizationId: string;
  readonly organizationName: string;
  readonly organizationStatus: OrganizationStatus;
  readonly elsewhere?: Elsewhere;
  readonly staffId: string;
  readonly password: string;
}

/** Nobody is on the staff of more; each costs at most one hash. */
const MOST_ACCOUNTS = 50;

const accountsStatement = read(
  "find_accounts",
  `select s.organization_id as "organizationId", o.name as "organizationName", o.status as "organizationStatus",
     ${ELSEWHERE} as elsewhere, s.id as "staffId", s.password
   from staff s join organizations o on o.id = s.organization_id
   where s.email_key = $1 and s.status = 'active' and ($2::uuid is null or s.organization_id = $2)
     and ${ELSEWHERE} is distinct from ''
   order by o.name, o.id limit $3`,
);

export function findAccounts(
  db: ShortReads,
  key: string,
  organizationId: string | undefined,
): Promise<StaffAccount[]> {
  return db.query<StaffAccount>(accountsStatement, [key, organizationId ?? null, MOST_ACCOUNTS]);
}

// Who sets a new password or removes somebody writes to the row of the person first. So they wait for this one, and end
// what it has begun, or this one waits for them, and finds another password.
const insertSignInStatement = pooled(
  "insert_sign_in",
  `insert into sign_ins (id, organization_id, staff_id, hash, created_at, seen_at, fresh_at, device)
   select $1, s.organization_id, s.id, $4, $5, $5, $5, $7 from staff s
   where s.organization_id = $2 and s.id = $3 and s.status = 'active' and s.password = $6
   for share of s
   returning id`,
);

export interface NewSignIn {
  readonly id: string;
  readonly organizationId: string;
  readonly staffId: string;
  readonly hash: Buffer;
  readonly at: string;
  /** What the password was compared with. */
  readonly password: string;
  readonly device: string | undefined;
}

/** Whether it was stored: false if the password is another by now, or the person removed. */
export async function insertSignIn(tx: Database, signIn: NewSignIn): Promise<boolean> {
  const { id, organizationId, staffId, hash, at, password, device } = signIn;
  const values = [id, organizationId, staffId, hash, at, password, device ?? null];
  const rows = await tx.query(insertSignInStatement, values);
  return rows.length > 0;
}

const endAllStatement = pooled(
  "end_sign_ins",
  "update sign_ins set ended_at = $3 where organization_id = $1 and staff_id = $2 and ended_at is null",
);

/** Ends every sign-in of a person. */
export async function endSignIns(
  tx: Database,
  organizationId: string,
  staffId: string,
  at: string,
): Promise<void> {
  await tx.query(endAllStatement, [organizationId, staffId, at]);
}

const listSignInsStatement = pooled(
  "list_sign_ins",
  `select id, device, created_at as "createdAt", seen_at as "lastUsedAt", id = $3 as "isCurrent" from sign_ins
   where organization_id = $1 and staff_id = $2 and ended_at is null
     and seen_at > $4::timestamptz - ${IDLE} and created_at > $4::timestamptz - ${LIFETIME}
   order by id = $3 desc, seen_at desc, id`,
);

/** The sign-ins of a person that hold, the current one first. */
export function listSignIns(
  db: Database,
  organizationId: string,
  { staffId, signInId }: { readonly staffId: string; readonly signInId: string },
  at: string,
): Promise<OwnSignIn[]> {
  return db.query<OwnSignIn>(listSignInsStatement, [organizationId, staffId, signInId, at]);
}

const endSomeStatement = pooled(
  "end_some_sign_ins",
  `update sign_ins set ended_at = $3
   where organization_id = $1 and staff_id = $2 and ended_at is null
     and case when $4::uuid is null then id <> $5 else id = $4 end
   returning id`,
);

/** Ends one sign-in of a person, or all but the current one, and returns how many. */
export async function endOwnSignIns(
  tx: Database,
  organizationId: string,
  { id: current, staffId }: { readonly id: string; readonly staffId: string },
  chosen: string | undefined,
  at: string,
): Promise<number> {
  const values = [organizationId, staffId, at, chosen ?? null, current];
  return (await tx.query(endSomeStatement, values)).length;
}

const endOneStatement = pooled(
  "end_one_sign_in",
  "update sign_ins set ended_at = $3 where (id = $1 or hash = $2) and ended_at is null",
);

/** Ends one sign-in, found by its id or by the hash of its token. */
export async function endOneSignIn(
  db: Database,
  { id, hash }: { readonly id?: string; readonly hash?: Buffer },
  at: string,
): Promise<void> {
  await db.query(endOneStatement, [id ?? null, hash ?? null, at]);
}

interface SignInPlace {
  readonly organizationId: string;
  readonly signInId: string;
}

const touchStatement = pooled(
  "touch_sign_in",
  `update sign_ins set seen_at = $2::timestamptz
   where organization_id = $3 and id = $1 and ended_at is null and seen_at < $2::timestamptz - interval '1 minute'`,
);

/** Records that a sign-in was used; at most once a minute, however many processes say so. */
export async function touchSignIn(
  db: Database,
  { organizationId, signInId }: SignInPlace,
  now: number,
): Promise<void> {
  await db.query(touchStatement, [signInId, instantText(now), organizationId]);
}

const refreshStatement = pooled(
  "refresh_sign_in",
  "update sign_ins set fresh_at = $2 where organization_id = $3 and id = $1 and ended_at is null",
);

/** Records that the password was entered again. */
export async function refreshSignIn(
  db: Database,
  { organizationId, signInId }: SignInPlace,
  now: number,
): Promise<void> {
  await db.query(refreshStatement, [signInId, instantText(now), organizationId]);
}

// Rows that another process is removing are passed over.
const sweepStatement = pooled(
  "sweep_sign_ins",
  `with over as (
     select id from sign_ins
     where seen_at <= $1::timestamptz - ${IDLE} - ${LIFETIME} and ${isHere("organization_id")}
     order by seen_at limit $2 for update skip locked
   ), swept as (
     delete from sign_ins i using over where i.id = over.id returning 1
   ), tries as (
     delete from sign_in_tries where free_at < $1::timestamptz - interval '1 day'
   )
   select count(*) as count from swept`,
);

/** Removes sign-ins that ended two weeks ago, at most so many, and returns how many. */
export async function sweepSignIns(db: Database, now: number, limit: number): Promise<number> {
  const [row] = await db.query<{ count: number }>(sweepStatement, [instantText(now), limit]);
  return row?.count ?? 0;
}
