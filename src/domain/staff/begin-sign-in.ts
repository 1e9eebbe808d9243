import { instantText } from "../../core/clock.ts";
import { newId } from "../../core/ids.ts";
import type { Database } from "../../db/database.ts";
import { recordAudit } from "../audit/queries.ts";
import { newToken } from "./operations.ts";
import * as queries from "./queries.ts";
import { hashToken } from "./rules.ts";
import type { Staff } from "./schema.ts";

/** A sign-in that has begun: the token is for its holder alone. */
export interface BegunSignIn {
  readonly staff: Staff;
  readonly token: string;
}

/** What somebody signs in with. */
export interface Browser {
  /** Of the sign-in that it had before, whoever's that was: it ends when another begins. */
  readonly token: string | undefined;
  readonly device: string | undefined;
}

/** Signs somebody in who has shown who they are. Undefined if they were removed or have another password by now. */
export async function beginSignIn(
  tx: Database,
  {
    organizationId,
    staffId,
    password,
  }: Pick<queries.StaffAccount, "organizationId" | "staffId" | "password">,
  keySecret: string,
  browser: Browser,
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
    device: browser.device,
  });
  const staff = isStored ? await queries.findStaff(tx, organizationId, staffId) : undefined;
  if (!staff) return undefined;
  if (browser.token !== undefined)
    await queries.endOneSignIn(tx, { hash: hashToken("sign-in", browser.token, keySecret) }, at);
  return { staff, token };
}

/** That somebody has come in is in the audit trail, beside what they do then. */
export async function recordSignIn(
  tx: Database,
  { organizationId, staffId }: { readonly organizationId: string; readonly staffId: string },
  by: "password" | "passkey",
): Promise<void> {
  const actor = `staff:${staffId}`;
  await recordAudit(tx, actor, { action: "signIn", organizationId, subject: staffId, details: { by } });
}
