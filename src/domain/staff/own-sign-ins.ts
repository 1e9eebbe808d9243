import type { Static } from "../../core/fields.ts";
import { accountWrite, type OpenAccount, type Outcome } from "../writes/recorded-write.ts";
import { requireSignIn, type StaffCall } from "../writes/staff-write.ts";
import { deleteMadeLinks } from "./link-queries.ts";
import { endOwnSignIns, lockStaff } from "./queries.ts";
import type { EndedSignIns, EndSignIn } from "./schema.ts";

/**
 * Ends sign-ins of whoever is signed in. Somebody else may have used one, so the links end too that were made by then.
 */
export const endSignIn = accountWrite(
  "endSignIn",
  async (
    open: OpenAccount & Pick<StaffCall, "signIn">,
    { signInId }: Static<typeof EndSignIn>,
  ): Promise<Outcome<EndedSignIns>> => {
    const { tx, organizationId, at } = open;
    const signIn = requireSignIn(open);
    // Who makes a link holds the maker: see `holdLinkMaker`.
    await lockStaff(tx, organizationId, signIn.staffId);
    const ended = await endOwnSignIns(tx, organizationId, signIn, signInId, at);
    // Also if none was open: whoever used one may have signed out since.
    await deleteMadeLinks(tx, organizationId, signIn.staffId);
    return { result: { ended }, entry: { subject: signIn.staffId, details: { ended } } };
  },
);
