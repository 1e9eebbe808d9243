import type { Actor } from "../../core/actor.ts";
import { instantText } from "../../core/clock.ts";
import { refusal, refuseFaults } from "../../core/errors.ts";
import type { Static } from "../../core/fields.ts";
import type { Database, SharedDatabase } from "../../db/database.ts";
import { recordAudit, recordFailedSignIn } from "../audit/queries.ts";
import { refusedElsewhere } from "../organizations/rules.ts";
import { type BegunSignIn, type Browser, beginSignIn, recordSignIn } from "./begin-sign-in.ts";
import { isGuessable } from "./guessable-passwords.ts";
import * as links from "./link-queries.ts";
import type { Passwords } from "./passwords.ts";
import * as queries from "./queries.ts";
import { emailKey, hashToken, isToken, passwordSalt, type Tried, triesMark } from "./rules.ts";
import type { AcceptLink, ChangePassword, LinkFor, ReadLink, SignIn } from "./schema.ts";
import { countTry, returnTry } from "./sign-in-admission.ts";

/** For so long after the password was entered, what needs it can be done. */
export const FRESH_MS = 15 * 60_000;

/** Organizations of which the one meant must be named. */
export interface OrganizationChoice {
  readonly organizations: readonly { readonly id: string; readonly name: string }[];
}

/** Lets people in. What it is asked before anybody is known has equal answers and equal work for every failure. */
export class SigningIn {
  readonly #db: SharedDatabase;
  readonly #keySecret: string;
  readonly #passwords: Passwords;

  constructor(options: {
    readonly db: SharedDatabase;
    readonly keySecret: string;
    readonly passwords: Passwords;
  }) {
    this.#db = options.db;
    this.#keySecret = options.keySecret;
    this.#passwords = options.passwords;
  }

  async signIn(
    { email, password, organizationId }: Static<typeof SignIn>,
    browser: Browser,
  ): Promise<BegunSignIn | OrganizationChoice> {
    const key = emailKey(email);
    const accounts = await this.#match({ emailKey: key }, { key, password, organizationId });
    const [account] = accounts;
    if (!account) throw refusal("wrong_sign_in");
    if (accounts.length > 1)
      return {
        organizations: accounts.map(({ organizationId: id, organizationName: name }) => ({ id, name })),
      };
    if (account.elsewhere !== undefined) throw refusedElsewhere(account.elsewhere);
    if (account.organizationStatus !== "active") throw refusal("organization_inactive");
    return this.#db.for(account.organizationId).transaction(async (tx) => {
      const begun = await beginSignIn(tx, account, this.#keySecret, browser);
      if (!begun) throw refusal("wrong_sign_in");
      await recordSignIn(tx, account, "password");
      return begun;
    });
  }

  /** Enters the password again: for a while, what needs it can be done. Returns until when. */
  async confirm(person: SignedInPerson, password: string): Promise<string> {
    await this.#matchOwn(person, password);
    const { organizationId } = person;
    const db = this.#db.for(organizationId);
    const now = await db.now();
    await queries.refreshSignIn(db, person, now);
    return instantText(now + FRESH_MS);
  }

  /** Whom a link is for, and of which organization: nobody chooses a password without knowing for what. */
  async readLink({ token }: Static<typeof ReadLink>): Promise<LinkFor> {
    const { name, email, organizationName, expiresAt } = await this.#findLink(token);
    return { name, email, organizationName, expiresAt };
  }

  /** A link that can be used. */
  async #findLink(token: string): Promise<links.LinkHolder> {
    const known = isToken(token)
      ? await links.findLink(this.#db, hashToken("link", token, this.#keySecret))
      : undefined;
    if (!known) throw refusal("link_used");
    const db = this.#db.for(known.organizationId);
    if (Date.parse(known.expiresAt) <= (await db.now())) throw refusal("link_used");
    if (known.elsewhere !== undefined) throw refusedElsewhere(known.elsewhere);
    if (known.organizationStatus !== "active") throw refusal("organization_inactive");
    return known;
  }

  /**
   * Sets a password by a link, and signs its holder in. Every other sign-in of theirs ends; the database removes their
   * passkeys and the links that they made with the old password.
   */
  async acceptLink(
    { token, name, password }: Static<typeof AcceptLink>,
    browser: Browser,
  ): Promise<BegunSignIn> {
    const hash = hashToken("link", token, this.#keySecret);
    const known = await this.#findLink(token);
    const { organizationId, organizationName, staffId, emailKey: key } = known;
    const db = this.#db.for(organizationId);
    refuseGuessable("password", password, [organizationName, name ?? known.name, key]);
    // Before the transaction: it takes longer than everything else.
    const stored = await this.#passwords.hash(password, passwordSalt(key, this.#keySecret));
    return db.transaction(async (tx) => {
      const at = instantText(await tx.now());
      // The person before the link, as who makes another link for them does.
      await queries.lockStaff(tx, organizationId, staffId);
      const link = await links.lockLink(tx, hash);
      if (!link) throw refusal("link_used");
      await links.writeLinkUsed(tx, known, hash, at);
      await recordAudit(tx, `staff:${staffId}`, {
        action: "acceptLink",
        organizationId,
        subject: staffId,
        details: { linkId: link.id, madeBy: link.madeBy },
      });
      const person = { organizationId, staffId, password: stored };
      const begun = await this.#beginAgain(tx, person, name, browser, at);
      if (!begun) throw refusal("link_used");
      return begun;
    });
  }

  /** Sets another password of whoever is signed in, who goes on in this browser alone. */
  async changePassword(
    person: SignedInPerson & {
      readonly actor: Actor;
      readonly name: string;
      readonly organization: { readonly name: string };
    },
    { password, newPassword }: Static<typeof ChangePassword>,
    browser: Browser,
  ): Promise<BegunSignIn> {
    const { organizationId, staffId, email, actor, name, organization } = person;
    const key = emailKey(email);
    refuseGuessable("newPassword", newPassword, [organization.name, name, key]);
    const account = await this.#matchOwn(person, password);
    const stored = await this.#passwords.hash(newPassword, passwordSalt(key, this.#keySecret));
    return this.#db.for(organizationId).transaction(async (tx) => {
      const at = instantText(await tx.now());
      if (!(await queries.lockPassword(tx, organizationId, staffId, account.password)))
        throw refusal("wrong_sign_in");
      await recordAudit(tx, actor.name, { action: "changePassword", organizationId, subject: staffId });
      const changed = { organizationId, staffId, password: stored };
      const begun = await this.#beginAgain(tx, changed, undefined, browser, at);
      if (!begun) throw refusal("wrong_sign_in");
      return begun;
    });
  }

  /** Writes a new password and ends all that came by the old one, but for the browser that brings it. */
  async #beginAgain(
    tx: Database,
    person: { readonly organizationId: string; readonly staffId: string; readonly password: string },
    name: string | undefined,
    browser: Browser,
    at: string,
  ): Promise<BegunSignIn | undefined> {
    const { organizationId, staffId, password } = person;
    await queries.writePassword(tx, organizationId, staffId, password, name);
    await queries.endSignIns(tx, organizationId, staffId, at);
    return beginSignIn(tx, person, this.#keySecret, browser);
  }

  async signOut({ organizationId, signInId }: SignedInPerson): Promise<void> {
    const db = this.#db.for(organizationId);
    await queries.endOneSignIn(db, { id: signInId }, instantText(await db.now()));
  }

  /** The account of somebody who is signed in, if the password is theirs. */
  async #matchOwn({ organizationId, email, staffId, signInId }: SignedInPerson, password: string) {
    const key = emailKey(email);
    const accounts = await this.#match({ signInId }, { key, password, organizationId });
    const account = accounts.find((one) => one.staffId === staffId);
    if (!account) throw refusal("wrong_sign_in");
    return account;
  }

  /** The accounts of this address and password. Counts as a try, unless there is one. */
  async #match(
    tried: Tried,
    given: { readonly key: string; readonly password: string; readonly organizationId: string | undefined },
  ): Promise<queries.StaffAccount[]> {
    const { key, password, organizationId } = given;
    const mark = triesMark(tried, this.#keySecret);
    const seconds = await countTry(this.#db, mark);
    if (seconds !== undefined)
      throw refusal("too_many_tries", { params: { seconds }, retryAfterSeconds: seconds });
    const accounts = await queries.findAccounts(this.#db, key, organizationId);
    const matches = await this.#passwords.findMatches(
      password,
      accounts.map((account) => account.password),
      passwordSalt(key, this.#keySecret),
    );
    const found = accounts.filter((_account, place) => matches[place]);
    if (found.length > 0) await returnTry(this.#db, mark);
    else await recordFailedSignIn(this.#db, accounts);
    return found;
  }
}

function refuseGuessable(member: string, password: string, names: readonly string[]): void {
  refuseFaults(
    isGuessable(password, names) ? [{ location: `body.${member}`, code: "password_guessable" }] : [],
  );
}

/** Whose password is asked for again. */
export interface SignedInPerson {
  readonly organizationId: string;
  readonly staffId: string;
  readonly signInId: string;
  readonly email: string;
}
