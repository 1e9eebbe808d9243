import type { Static, TObject, TSchema } from "typebox";
import type { Role } from "../../core/actor.ts";
import type { AppError, Fault } from "../../core/errors.ts";
import type { CallRules } from "../../core/network-addresses.ts";
import type { FindUndo } from "../../core/undo.ts";
import type { Written } from "../../core/written.ts";
import type { Database } from "../../db/database.ts";
import type { WriteCall } from "./transactions.ts";

/**
 * A write of the application, declared once. Two doors open it: `POST /app/v1/{name}` for staff who are signed in, and
 * `rollbook do {name}` for the operator. Both read the input by the same schema, carry the write out in one transaction
 * with one audit entry, know `dryRun` and answer the same result.
 */
export interface StaffWrite<Input extends TObject = TObject, Result extends TSchema = TSchema> {
  readonly name: string;
  /** Who may do it, with every role above. */
  readonly role: Role;
  /** Below this role only what the caller did themselves can be taken back by it, and not for long: see `OWN_WRITE_MS`. */
  readonly ownBelow?: Role;
  /** Whether the password must have been entered within the last 15 minutes. */
  readonly needsPassword?: boolean;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly input: Input;
  /**
   * Brings a raw input into the form that is checked: trimmed, empty boxes dropped. Nothing about it is known yet. If
   * absent, texts that must not be empty are trimmed.
   */
  readonly tidy?: (raw: unknown) => unknown;
  /**
   * Faults of a tidy input beyond its schema. Asked for even if the schema found some, so that all are reported at once:
   * nothing about the value may be taken for granted. `perform` checks again, under its locks.
   */
  readonly faults?: (call: StaffCall, tidy: unknown) => Promise<readonly Fault[]>;
  /**
   * What is asked of others than the database, of an input with which nothing is wrong and before a transaction is open: it
   * may take seconds. Throws what the write is refused with.
   */
  readonly prepare?: (call: Pick<StaffCall, "callRules">, input: Static<Input>) => Promise<void>;
  /** For the document. */
  readonly example: Static<Input>;
  readonly result: Result;
  /** What it is refused with beside its input's faults, role and location, each as the document's example of it. */
  readonly refusals: readonly AppError[];
  /** Carries it out in a transaction of `db`, with its audit entry. */
  readonly perform: (call: StaffCall, input: Static<Input>) => Promise<Written<Static<Result>>>;
  /** How it is undone by what its audit entry holds; absent if nothing undoes it. */
  readonly undo?: FindUndo;
  /** Whether the result is what it is for and the audit entry says who was given it: a dry run then has no result. */
  readonly isGivenOut?: boolean;
  /** Members of the result that are shown once: neither a dry run nor a repeated request shows them. */
  readonly secrets?: readonly string[];
  /**
   * How a repeat of the request is answered: with the record as it is now, read by the id that was stored with the audit
   * entry. If absent, the result itself is stored: it then holds ids, dates and numbers, no secret and nothing personal.
   */
  readonly repeat?: {
    readonly idOf: (result: Static<Result>) => string;
    readonly read: (call: StaffCall, id: string) => Promise<Static<Result> | undefined>;
  };
}

/** The usual `repeat`: by the function that finds a record by its id. */
export const repeatedBy = <Found>(
  find: (db: Database, organizationId: string, id: string) => Promise<Found | undefined>,
) => ({
  idOf: ({ id }: { readonly id: string }) => id,
  read: ({ db, organizationId }: StaffCall, id: string) => find(db, organizationId, id),
});

/** What a write is carried out with. */
export interface StaffCall extends WriteCall {
  /** Of whoever is signed in; the operator is not. */
  readonly signIn?: { readonly id: string; readonly staffId: string };
  /** What keyed hashes are made with: of keys, links, and the evidence of an erasure. */
  readonly keySecret: string;
  /** What the addresses of links begin with. */
  readonly publicUrl: string;
  /** Whom the server may call. */
  readonly callRules: CallRules;
}

/** The sign-in of a write that people do to their own account. */
export function requireSignIn({ signIn }: Pick<StaffCall, "signIn">): NonNullable<StaffCall["signIn"]> {
  if (!signIn) throw new Error("this is done by somebody who is signed in");
  return signIn;
}

/** Declares a write: its input and result are typed by their schemas. */
export function staffWrite<Input extends TObject, Result extends TSchema>(
  declared: StaffWrite<Input, Result>,
): StaffWrite {
  // Its own types are those of its functions, which are given what its schemas have read.
  return declared as unknown as StaffWrite;
}
