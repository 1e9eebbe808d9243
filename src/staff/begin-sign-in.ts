import { instantText } from "../core/clock.ts";
import { newId } from "../core/ids.ts";
import type { Database } from "../db/database.ts";
import { newToken } from "./operations.ts";
import * as queries from "./queries.ts";
import { hashToken } from "./rules.ts";
import type { Staff } from "./schema.ts";

/** A sign-in that has begun: the token is for its holder alone. */
export interface BegunSignIn {
  readonly staff: Staff;
  readonly token: string;
}

/**
 * Signs somebody in who has shown who they are. Undefined if they were removed or have another password by now.
 * `presented` is the token of the sign-in that the browser had before: it ends.
 */
export async function beginSignIn(
  tx: Database,
  {
    organizationId,
    staffId,
    password,
  }: Pick<queries.StaffAccount, "organizationId" | "staffId" | "password">,
  keySecret: string,
  presented?: string | undefined,
): Promise<BegunSignIn | undefined> {
  const now = await tx.now();
  const at = instantText(now);
  const token = newToken();
  const hash = hashToken("sign-in", token, keySecret);
  const isStored = await queries.insertSignIn(tx, {
    id: newId(now),
    organizationId,
    staffId,
    hash,
    at,
    password,
  });
  const staff = isStored ? await queries.findStaff(tx, organizationId, staffId) : undefined;
  if (!staff) return undefined;
  if (presented !== undefined)
    await queries.endSignIn(tx, { hash: hashToken("sign-in", presented, keySecret) }, at);
  return { staff, token };
}
