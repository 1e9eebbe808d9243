import type { Actor, Role } from "../core/actor.ts";
import type { Caller } from "./caller.ts";
import type { OperationScope } from "./declaration.ts";

/** Somebody on the staff of an organization, signed in. */
export interface StaffMember extends Caller {
  readonly staffId: string;
  readonly signInId: string;
  /** What they signed in with, in a few words. */
  readonly device: string | undefined;
  readonly actor: Actor;
  readonly name: string;
  readonly email: string;
  readonly organization: { readonly name: string; readonly currency: string };
  readonly settings: {
    readonly cancelWindowMinutes: number;
    readonly checkInOpensMinutes: number;
    readonly weekStart: "monday" | "sunday";
  };
  /** Until when what needs the password can be done, in milliseconds. */
  readonly freshUntil: number;
}

/** The scope of the staff application: everybody but teachers may call what is declared in it. */
export interface StaffScope extends OperationScope<StaffMember> {
  /** The same for those alone who have this role, or one above it; `teacher` is everybody who is signed in. */
  forRole(
    role: Role,
    options?: { readonly needsPassword?: boolean | undefined },
  ): OperationScope<StaffMember>;
}
