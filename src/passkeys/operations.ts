import { randomBytes } from "node:crypto";
import { recordAudit } from "../audit/queries.ts";
import { instantText } from "../core/clock.ts";
import { refusal } from "../core/errors.ts";
import type { Static } from "../core/fields.ts";
import { newId } from "../core/ids.ts";
import { NO_CHANGES, type Written } from "../core/written.ts";
import type { Database, SharedDatabase } from "../db/database.ts";
import { readClock } from "../db/read-clock.ts";
import { type BegunSignIn, beginSignIn } from "../staff/begin-sign-in.ts";
import { lockStaff } from "../staff/queries.ts";
import type { StaffCall } from "../staff/staff-write.ts";
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
export async function addPasskey(
  call: StaffCall,
  { name, credential }: Static<typeof AddPasskey>,
): Promise<Written<Passkey>> {
  const { db, actor, organizationId } = call;
  const signIn = requireSignIn(call);
  return db.transaction(async (tx) => {
    const now = await tx.now();
    const passkey = checkNewPasskey(credential, expected(`add:${signIn.staffId}`, now, call));
    if (!passkey) throw refusal("passkey_refused");
    // Who sets a password by a link locks the person, and ends this sign-in with all that came by it.
    await lockStaff(tx, organizationId, signIn.staffId);
    if (!(await queries.isSignedIn(tx, organizationId, signIn.id))) throw refusal("signed_out");
    const known = await queries.listCredentialIds(tx, organizationId, signIn.staffId);
    if (known.length >= MOST_PASSKEYS) throw tooMany();
    const id = newId(now);
    const at = instantText(now);
    const added = { ...passkey, id, staffId: signIn.staffId, name, at };
    if (!(await queries.insertPasskey(tx, organizationId, added))) throw refusal("passkey_known");
    const auditId = await recordAudit(tx, actor.name, {
      action: "addPasskey",
      organizationId,
      subject: signIn.staffId,
      details: { passkeyId: id },
    });
    return { auditId, result: { id, name, createdAt: at }, changes: NO_CHANGES };
  });
}

/** Removes a passkey of whoever is signed in: nobody comes in by it any more. */
export async function removePasskey(
  call: StaffCall,
  { passkeyId }: Static<typeof NamePasskey>,
): Promise<Written<Passkey>> {
  const { db, actor, organizationId } = call;
  const { staffId } = requireSignIn(call);
  return db.transaction(async (tx) => {
    const result = await queries.deletePasskey(tx, organizationId, staffId, passkeyId);
    if (!result) throw refusal("no_passkey");
    const auditId = await recordAudit(tx, actor.name, {
      action: "removePasskey",
      organizationId,
      subject: staffId,
      details: { passkeyId: result.id },
    });
    return { auditId, result, changes: NO_CHANGES };
  });
}

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

/** `presented` is the token of the sign-in that the browser had before: it ends when another begins. */
export async function signInByPasskey(
  shared: SharedDatabase,
  answer: Static<typeof SignInByPasskey>,
  presented: string | undefined,
  site: PasskeySite,
): Promise<BegunSignIn> {
  const person = readUserHandle(answer.response.userHandle);
  const credentialId = Buffer.from(answer.id, "base64url");
  const known =
    person && (await queries.findPresented(shared, person.organizationId, person.staffId, credentialId));
  if (!known) throw refusal("wrong_sign_in");
  const { organizationId, staffId } = person;
  const db = shared.for(organizationId);
  const now = await db.now();
  const stored = { ...known, challengedAt: Date.parse(known.challengedAt) };
  const state = checkSignature(answer, stored, expected("sign-in", now, site));
  if (!state) throw refusal("wrong_sign_in");
  if (known.organizationStatus !== "active") throw refusal("organization_inactive");
  return db.transaction(async (tx) => {
    // Locks the person before the passkey, as who removes both does.
    const account = { organizationId, staffId, password: known.password };
    const begun = await beginSignIn(tx, account, site.keySecret, presented);
    const isUsed = await queries.writePasskeyUsed(tx, organizationId, known.id, state, instantText(now));
    if (!begun || !isUsed) throw refusal("wrong_sign_in");
    return begun;
  });
}

function newChallenge(use: ChallengeUse, now: number, { keySecret }: PasskeySite): string {
  return issueChallenge(use, randomBytes(CHALLENGE_RANDOM_BYTES), now, keySecret);
}

function expected(use: ChallengeUse, now: number, { keySecret, publicUrl }: PasskeySite): Expected {
  return { party: relyingParty(publicUrl), use, now, secret: keySecret };
}

function requireSignIn({ signIn }: StaffCall): NonNullable<StaffCall["signIn"]> {
  if (!signIn) throw new Error("a passkey belongs to somebody who is signed in");
  return signIn;
}

function tooMany() {
  return refusal("too_many_passkeys", { params: { count: MOST_PASSKEYS } });
}
