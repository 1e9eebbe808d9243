import { randomBytes } from "node:crypto";
import { type AppError, refusal } from "../../core/errors.ts";
import type { Static } from "../../core/fields.ts";
import { newId } from "../../core/ids.ts";
import type { Database, SharedDatabase } from "../../db/database.ts";
import { readClock } from "../../db/read-clock.ts";
import { recordFailedSignIn, type TriedAccount } from "../audit/queries.ts";
import { refusedElsewhere } from "../organizations/rules.ts";
import { type BegunSignIn, type Browser, beginSignIn, recordSignIn } from "../staff/begin-sign-in.ts";
import { lockStaff } from "../staff/queries.ts";
import { accountWrite, type OpenAccount, type Outcome } from "../writes/recorded-write.ts";
import { requireSignIn, type StaffCall } from "../writes/staff-write.ts";
import * as queries from "./queries.ts";
import {
  ALGORITHMS,
  CHALLENGE_MS,
  CHALLENGE_RANDOM_BYTES,
  type ChallengeUse,
  checkNewPasskey,
  checkSignature,
  type Expected,
  issueChallenge,
  readUserHandle,
  relyingParty,
  userHandle,
} from "./rules.ts";
import {
  type AddPasskey,
  MOST_PASSKEYS,
  type NamePasskey,
  type Passkey,
  type PasskeyCreation,
  type PasskeyRequest,
  type SignInByPasskey,
} from "./schema.ts";

/** What challenges are issued and answers checked with. */
interface PasskeySite {
  readonly keySecret: string;
  readonly publicUrl: string;
}

/** Whose passkey is made. */
export interface PasskeyOwner {
  readonly organizationId: string;
  readonly staffId: string;
  readonly name: string;
  readonly email: string;
  readonly organization: { readonly name: string };
}

/** What a browser makes a passkey by. Nothing is stored. */
export async function beginPasskey(
  db: Database,
  { organizationId, staffId, name, email, organization }: PasskeyOwner,
  site: PasskeySite,
): Promise<PasskeyCreation> {
  const known = await queries.listCredentialIds(db, organizationId, staffId);
  if (known.length >= MOST_PASSKEYS) throw tooMany();
  return {
    challenge: newChallenge(`add:${staffId}`, await db.now(), site),
    rp: { id: relyingParty(site.publicUrl).id, name: "Rollbook" },
    user: {
      id: userHandle(organizationId, staffId),
      // Somebody on the staff of several organizations chooses among passkeys by this name.
      name: `${email} (${organization.name})`,
      displayName: name,
    },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: "public-key", alg })),
    timeout: CHALLENGE_MS,
    excludeCredentials: known.map((id) => ({ type: "public-key", id: id.toString("base64url") })),
    authenticatorSelection: {
      residentKey: "required",
      requireResidentKey: true,
      userVerification: "required",
    },
    attestation: "none",
  };
}

/** Stores the passkey that a browser has made for whoever is signed in. */
export const addPasskey = accountWrite(
  "addPasskey",
  async (
    open: OpenAccount & PasskeySite & Pick<StaffCall, "signIn">,
    { name, credential }: Static<typeof AddPasskey>,
  ): Promise<Outcome<Passkey>> => {
    const { tx, organizationId, now, at } = open;
    const signIn = requireSignIn(open);
    const passkey = checkNewPasskey(credential, expected(`add:${signIn.staffId}`, now, open));
    if (!passkey) throw refusal("passkey_refused");
    // Who sets a password by a link locks the person, and ends this sign-in with all that came by it.
    await lockStaff(tx, organizationId, signIn.staffId);
    if (!(await queries.isSignedIn(tx, organizationId, signIn.id))) throw refusal("signed_out");
    const known = await queries.listCredentialIds(tx, organizationId, signIn.staffId);
    if (known.length >= MOST_PASSKEYS) throw tooMany();
    const id = newId(now);
    const added = { ...passkey, id, staffId: signIn.staffId, name, at };
    if (!(await queries.insertPasskey(tx, organizationId, added))) throw refusal("passkey_known");
    const entry = { subject: signIn.staffId, details: { passkeyId: id } };
    return { result: { id, name, createdAt: at }, entry };
  },
);

/** Removes a passkey of whoever is signed in: nobody comes in by it any more. */
export const removePasskey = accountWrite(
  "removePasskey",
  async (
    open: OpenAccount & Pick<StaffCall, "signIn">,
    { passkeyId }: Static<typeof NamePasskey>,
  ): Promise<Outcome<Passkey>> => {
    const { staffId } = requireSignIn(open);
    const result = await queries.deletePasskey(open.tx, open.organizationId, staffId, passkeyId);
    if (!result) throw refusal("no_passkey");
    return { result, entry: { subject: staffId, details: { passkeyId: result.id } } };
  },
);

/** What a browser asks for a passkey by, whoever sits before it. Nothing is stored. */
export async function beginPasskeySignIn(db: SharedDatabase, site: PasskeySite): Promise<PasskeyRequest> {
  const now = await readClock(db.query.bind(db), db);
  return {
    challenge: newChallenge("sign-in", now, site),
    rpId: relyingParty(site.publicUrl).id,
    timeout: CHALLENGE_MS,
    userVerification: "required",
  };
}

export async function signInByPasskey(
  shared: SharedDatabase,
  answer: Static<typeof SignInByPasskey>,
  browser: Browser,
  site: PasskeySite,
): Promise<BegunSignIn> {
  const person = readUserHandle(answer.response.userHandle);
  const credentialId = Buffer.from(answer.id, "base64url");
  const known =
    person && (await queries.findPresented(shared, person.organizationId, person.staffId, credentialId));
  if (!known) throw await failedSignIn(shared, []);
  const { organizationId, staffId } = person;
  const db = shared.for(organizationId);
  const now = await db.now();
  const state = checkSignature(answer, known, expected("sign-in", now, site));
  if (!state) throw await failedSignIn(shared, [person]);
  if (known.elsewhere !== undefined) throw refusedElsewhere(known.elsewhere);
  if (known.organizationStatus !== "active") throw refusal("organization_inactive");
  return db.transaction(async (tx) => {
    // Locks the person before the passkey, as who removes both does.
    const account = { organizationId, staffId, password: known.password };
    const begun = await beginSignIn(tx, account, site.keySecret, browser);
    const isUsed = await queries.writePasskeyUsed(tx, organizationId, known.id, state, now);
    if (!begun || !isUsed) throw refusal("wrong_sign_in");
    await recordSignIn(tx, person, "passkey");
    return begun;
  });
}

async function failedSignIn(shared: SharedDatabase, accounts: readonly TriedAccount[]): Promise<AppError> {
  await recordFailedSignIn(shared, accounts);
  return refusal("wrong_sign_in");
}

function newChallenge(use: ChallengeUse, now: number, { keySecret }: PasskeySite): string {
  return issueChallenge(use, randomBytes(CHALLENGE_RANDOM_BYTES), now, keySecret);
}

function expected(use: ChallengeUse, now: number, { keySecret, publicUrl }: PasskeySite): Expected {
  return { party: relyingParty(publicUrl), use, now, secret: keySecret };
}

function tooMany() {
  return refusal("too_many_passkeys", { params: { count: MOST_PASSKEYS } });
}
