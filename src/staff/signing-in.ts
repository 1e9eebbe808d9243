import { instantText } from "../core/clock.ts";
import { refusal } from "../core/errors.ts";
import type { Static } from "../core/fields.ts";
import type { SharedDatabase } from "../db/database.ts";
import { type BegunSignIn, beginSignIn } from "./begin-sign-in.ts";
import type { Passwords } from "./passwords.ts";
import * as queries from "./queries.ts";
import { emailKey, hashToken, isToken, passwordSalt, triesMark } from "./rules.ts";
import type { AcceptLink, SignIn } from "./schema.ts";
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

  /** `presented` is the token of the sign-in that the browser had before: it ends when another begins. */
  async signIn(
    { email, password, organizationId }: Static<typeof SignIn>,
    presented: string | undefined,
  ): Promise<BegunSignIn | OrganizationChoice> {
    const key = emailKey(email);
    const accounts = await this.#match(key, password, organizationId);
    const [account] = accounts;
    if (!account) throw refusal("wrong_sign_in");
    if (accounts.length > 1)
      return {
        organizations: accounts.map(({ organizationId: id, organizationName: name }) => ({ id, name })),
      };
    if (account.organizationStatus !== "active") throw refusal("organization_inactive");
    return this.#db.for(account.organizationId).transaction(async (tx) => {
      const begun = await beginSignIn(tx, account, this.#keySecret, presented);
      if (!begun) throw refusal("wrong_sign_in");
      return begun;
    });
  }

  /** Enters the password again: for a while, what needs it can be done. Returns until when. */
  async confirm(
    { organizationId, email, staffId, signInId }: SignedInPerson,
    password: string,
  ): Promise<string> {
    const accounts = await this.#match(emailKey(email), password, organizationId);
    if (!accounts.some((account) => account.staffId === staffId)) throw refusal("wrong_sign_in");
    const db = this.#db.for(organizationId);
    const now = await db.now();
    await queries.refreshSignIn(db, signInId, now);
    return instantText(now + FRESH_MS);
  }

  /**
   * Sets a password by a link, and signs its holder in. Every other sign-in of theirs ends, and their passkeys are removed
   * with the old password, by the database.
   */
  async acceptLink({ token, name, password }: Static<typeof AcceptLink>): Promise<BegunSignIn> {
    const hash = hashToken("link", token, this.#keySecret);
    const known = isToken(token) ? await queries.findLink(this.#db, hash) : undefined;
    if (!known) throw refusal("link_used");
    const { organizationId, staffId } = known;
    const db = this.#db.for(organizationId);
    if (Date.parse(known.expiresAt) <= (await db.now())) throw refusal("link_used");
    if (known.organizationStatus !== "active") throw refusal("organization_inactive");
    // Before the transaction: it takes longer than everything else.
    const stored = await this.#passwords.hash(password, passwordSalt(known.emailKey, this.#keySecret));
    return db.transaction(async (tx) => {
      const at = instantText(await tx.now());
      // The person before the link, as who makes another link for them does.
      await queries.lockStaff(tx, organizationId, staffId);
      if (!(await queries.lockLink(tx, hash))) throw refusal("link_used");
      await queries.writePassword(tx, organizationId, staffId, stored, name);
      await queries.endSignIns(tx, organizationId, staffId, at);
      await queries.writeLinkUsed(tx, hash, at);
      const begun = await beginSignIn(tx, { organizationId, staffId, password: stored }, this.#keySecret);
      if (!begun) throw refusal("link_used");
      return begun;
    });
  }

  async signOut({ organizationId, signInId }: SignedInPerson): Promise<void> {
    const db = this.#db.for(organizationId);
    await queries.endSignIn(db, { id: signInId }, instantText(await db.now()));
  }

  /** The accounts of this address and password. Counts as a try, unless there is one. */
  async #match(
    key: string,
    password: string,
    organizationId: string | undefined,
  ): Promise<queries.StaffAccount[]> {
    const mark = triesMark(key, this.#keySecret);
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
    return found;
  }
}

/** Whose password is asked for again. */
export interface SignedInPerson {
  readonly organizationId: string;
  readonly staffId: string;
  readonly signInId: string;
  readonly email: string;
}
