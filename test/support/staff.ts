import type { Role } from "../../src/core/actor.ts";
import type { Database } from "../../src/db/database.ts";
import { pooled } from "../../src/db/statements.ts";
import { newToken } from "../../src/domain/staff/operations.ts";
import { type PasswordCost, Passwords } from "../../src/domain/staff/passwords.ts";
import { hashToken } from "../../src/domain/staff/rules.ts";
import { type Answer, type CallOptions, PUBLIC_URL, type TestApi } from "./api.ts";
import { newId } from "./ids.ts";

/** So that a hash takes a millisecond; what it costs in earnest is tested beside `passwords.ts`. */
export const CHEAP: PasswordCost = { logN: 4, r: 8, p: 1 };

/** Somebody on the staff of a test's organization, signed in. */
export interface TestStaff {
  readonly id: string;
  readonly email: string;
  readonly cookie: string;
  /** `POST /app/v1/{operation}`, with a key of its own unless the headers have one. */
  write(operation: string, body?: object, options?: StaffCallOptions): Promise<Answer>;
  /** `GET /app/v1/{path}` */
  read(path: string, options?: StaffCallOptions): Promise<Answer>;
}

export interface StaffCallOptions extends Pick<CallOptions, "headers" | "raw"> {
  /** Another node, or another server, than the one where the sign-in was made. */
  readonly through?: TestApi;
}

const insertStaff = pooled(
  "test_insert_staff",
  `with person as (
     insert into staff (
       organization_id, id, name, email, email_key, role, all_locations, resource_id, status, password, created_at
     )
     values ($1, $2, $3, $4, lower($4), $5, $6::uuid[] is null, $11, 'active', $8, now())
   ), resource as (
     insert into resources (organization_id, id, name, kind, status)
     select $1, $11, $3, 'person', 'active' where $11 is not null
     on conflict do nothing
   ), places as (
     insert into staff_locations (organization_id, staff_id, location_id) select $1, $2, unnest($6::uuid[])
   )
   insert into sign_ins (id, organization_id, staff_id, hash, created_at, seen_at, fresh_at)
   values (
     gen_random_uuid(), $1, $2, $7, now() + $9::interval, now() + $9::interval, now() + $9::interval - $10::interval
   )`,
);

export interface NewTestStaff {
  readonly role?: Role;
  /** All of them unless given. */
  readonly locationIds?: readonly string[];
  readonly email?: string;
  readonly name?: string;
  /** As it is stored; nobody knows it unless given. */
  readonly password?: string;
  /** How long ago the password was entered. */
  readonly passwordAge?: string;
  /** Of a teacher: who they are in the timetable; a person of their own unless given. */
  readonly resourceId?: string;
}

/** Made without a link and a password, which would cost a hash each: how people come in is tested elsewhere. */
export async function newStaff(
  api: TestApi,
  organizationId: string,
  {
    role = "owner",
    locationIds,
    email = `${newId()}@example.com`,
    name = "Carla Dias",
    password = "unknown",
    passwordAge = "0",
    resourceId,
  }: NewTestStaff = {},
): Promise<TestStaff> {
  const id = newId();
  const token = newToken();
  await api.db.query(insertStaff, [
    organizationId,
    id,
    name,
    email,
    role,
    locationIds ?? null,
    hashToken("sign-in", token, api.keySecret),
    password,
    `${api.served.clockOffsetMs} milliseconds`,
    passwordAge,
    role === "teacher" ? (resourceId ?? id) : null,
  ]);
  return { id, email, ...callerWith(api, `__Host-rollbook=${token}`) };
}

/** Signs an owner in past the program, and returns the token of the sign-in. */
export async function signInOwner(db: Database, organizationId: string, keySecret: string): Promise<string> {
  const token = newToken();
  const hash = hashToken("sign-in", token, keySecret);
  const [id, email] = [newId(), `${newId()}@example.com`];
  const password = await new Passwords(CHEAP).hash(newId(), Buffer.alloc(16));
  const ahead = `${db.clockOffsetMs} milliseconds`;
  const values = [organizationId, id, "Carla Dias", email, "owner", null, hash, password, ahead, "0", null];
  await db.query(insertStaff, values);
  return token;
}

/** Calls the application with a cookie. */
export function callerWith(api: TestApi, cookie: string): Pick<TestStaff, "cookie" | "write" | "read"> {
  return {
    cookie,
    write: (operation, body = {}, { headers, raw, through = api } = {}) =>
      through.call("POST", `/app/v1/${operation}`, {
        ...(raw === undefined ? { body } : { raw }),
        headers: { cookie, origin: PUBLIC_URL, "idempotency-key": newId(), ...headers },
      }),
    read: (path, { headers, through = api } = {}) =>
      through.call("GET", `/app/v1/${path}`, { headers: { cookie, ...headers } }),
  };
}
