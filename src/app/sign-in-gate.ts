import type { FastifyRequest } from "fastify";
import { hasRole, type Role } from "../core/actor.ts";
import { ClockReading } from "../core/clock.ts";
import { type AppError, refusal } from "../core/errors.ts";
import { versionsOf } from "../db/data-version.ts";
import type { SharedDatabase } from "../db/database.ts";
import { storageUse } from "../domain/organizations/organization-limits.ts";
import { refusedElsewhere } from "../domain/organizations/rules.ts";
import type { Browser } from "../domain/staff/begin-sign-in.ts";
import { touchSignIn } from "../domain/staff/queries.ts";
import { deviceOf, hashToken } from "../domain/staff/rules.ts";
import { admitSignIn, type SignInAdmission } from "../domain/staff/sign-in-admission.ts";
import { FRESH_MS } from "../domain/staff/signing-in.ts";
import type { Caller, Verdict } from "../http/caller.ts";
import type { StaffMember } from "../http/staff-scope.ts";
import type { SignInAddress, SignInCookie } from "./sign-in-cookie.ts";

export interface SignInGateOptions {
  readonly db: SharedDatabase;
  readonly keySecret: string;
  readonly address: SignInAddress;
  /** How many records an organization may store that has no limit of its own; 0 for any number. */
  readonly maxRecords: number;
  /** Carries out what is due in an organization up to an instant, and gives the versions of its data afterwards. */
  readonly applyDue: (organizationId: string, instant: number) => Promise<Caller["versions"]>;
  /** Called with failures that no request waits for. */
  readonly onError: (error: unknown) => void;
}

// One object for every cause, so that the answers cannot differ.
const SIGNED_OUT = refusal("signed_out");
const INACTIVE = refusal("organization_inactive");
const NOT_ALLOWED = refusal("not_allowed");
const STALE = refusal("stale_sign_in");
const INSECURE = refusal("insecure_address");

/** Says of a read that the person at the page has done something since the one before. */
const ATTENDED = "rollbook-attended";

type Judged<Who extends Caller> = (verdict: Verdict<Who>) => void;

/**
 * Decides who may call the application. Each request is looked up by one statement and nothing is kept: whoever is
 * removed, or has another role, is treated so from the next request on, on every node.
 */
export class SignInGate {
  readonly #options: SignInGateOptions;
  /** Somebody who opened the console by another name of this machine is told the one that works. */
  readonly #wrongOrigin: AppError;

  constructor(options: SignInGateOptions) {
    this.#options = options;
    this.#wrongOrigin = refusal("wrong_origin", { params: { address: options.address.console } });
  }

  /**
   * Admits whoever is signed in and has a role, to a write only from the application's own pages, and with the password in mind
   * if that is needed.
   */
  passAs(role: Role, needsPassword: boolean, request: FastifyRequest, decide: Judged<StaffMember>): void {
    const judged = (verdict: Verdict<StaffMember>) => {
      const { caller } = verdict;
      if (!caller) decide(verdict);
      else if (!hasRole(caller.actor, role)) decide(refused(NOT_ALLOWED, caller));
      else if (needsPassword && caller.freshUntil <= caller.clock.now()) decide(refused(STALE, caller));
      else decide(verdict);
    };
    this.#judge(request).then(judged, (error: unknown) => decide(refused(error)));
  }

  /** Admits anybody who comes from the application's own pages to sign in. */
  passToSignIn(request: FastifyRequest, decide: Judged<Newcomer>): void {
    const { cookie } = this.#options.address;
    if (!cookie) decide(refused(INSECURE));
    else if (!this.#isOwnPage(request)) decide(refused(this.#wrongOrigin));
    else decide({ caller: { ...NOBODY, ...browserOf(request, cookie) }, rate: undefined });
  }

  /** Admits whoever is signed in to leave, also an organization that is not active. */
  passToLeave(request: FastifyRequest, decide: Judged<StaffMember>): void {
    this.#judge(request, "leaving").then(decide, (error: unknown) => decide(refused(error)));
  }

  async #judge(request: FastifyRequest, purpose: "use" | "leaving" = "use"): Promise<Verdict<StaffMember>> {
    const { db, keySecret, address, maxRecords, applyDue, onError } = this.#options;
    const token = address.cookie?.read(request.headers.cookie);
    if (token === undefined) return refused(SIGNED_OUT);
    const admission = await admitSignIn(db, hashToken("sign-in", token, keySecret));
    if (!admission) return refused(SIGNED_OUT);
    const clockReading = new ClockReading(admission.clockMs + db.clockOffsetMs);
    const caller = memberOf(admission, clockReading, maxRecords);
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (!isRead && !this.#isOwnPage(request)) return refused(this.#wrongOrigin, caller);
    const { organizationId, clock } = caller;
    if (admission.elsewhere !== undefined) return refused(refusedElsewhere(admission.elsewhere), caller);
    // An open page reads by itself whenever somebody else writes: that is no use of the sign-in.
    if (admission.lastUseIsStale && (!isRead || request.headers[ATTENDED] !== undefined))
      touchSignIn(db.for(organizationId), caller, clock.now()).catch(onError);
    if (purpose === "leaving") return { caller, rate: undefined };
    if (admission.organizationStatus !== "active") return refused(INACTIVE, caller);
    if (!admission.isDue) return { caller, rate: undefined };
    const versions = await applyDue(organizationId, clock.now());
    return { caller: { ...caller, versions }, rate: undefined };
  }

  /** Browsers say where a request comes from, and let no page say it for another one. */
  #isOwnPage({ headers }: FastifyRequest): boolean {
    return headers.origin === this.#options.address.origin;
  }
}

/** Whoever is about to sign in: nobody yet, and of no organization. */
export interface Newcomer extends Caller, Browser {}

function browserOf({ headers }: FastifyRequest, cookie: SignInCookie): Browser {
  return { token: cookie.read(headers.cookie), device: deviceOf(headers["user-agent"]) };
}

const NOBODY: Caller = {
  organizationId: "",
  actor: { name: "" },
  timezone: "UTC",
  clock: new ClockReading(0),
  history: "",
  versions: { catalog: 0, clients: 0, contracts: 0, sessions: 0 },
};

function refused(error: unknown, who?: StaffMember): Verdict<never> {
  const refusal = error instanceof Error ? error : new Error("The gate failed.", { cause: error });
  return { refusal, refused: who as never, rate: undefined };
}

function memberOf(admission: SignInAdmission, clock: ClockReading, maxRecords: number): StaffMember {
  const { staffId, signInId, device, name, email, organizationId, timezone, history } = admission;
  const { cancelWindowMinutes, checkInOpensMinutes, weekStart } = admission;
  return {
    organizationId,
    timezone,
    history,
    clock,
    versions: versionsOf(admission),
    storage: storageUse(admission, maxRecords),
    staffId,
    signInId,
    device,
    name,
    email,
    actor: {
      name: `staff:${staffId}`,
      role: admission.role,
      locationIds: admission.allLocations ? undefined : admission.locationIds,
      resourceId: admission.resourceId,
    },
    organization: { name: admission.organizationName, currency: admission.currency },
    settings: { cancelWindowMinutes, checkInOpensMinutes, weekStart },
    freshUntil: Date.parse(admission.freshAt) + FRESH_MS,
  };
}
