import type { FastifyInstance } from "fastify";
import { claimRequest, findRequest, storeRequest } from "../audit/request-queries.ts";
import { auditStaffRoutes } from "../audit/staff-routes.ts";
import { bookingStaffRoutes } from "../bookings/staff-routes.ts";
import { calendarStaffRoutes } from "../calendar/staff-routes.ts";
import { clientStaffRoutes } from "../clients/staff-routes.ts";
import { contractStaffRoutes } from "../contracts/staff-routes.ts";
import { refusal } from "../core/errors.ts";
import type { Caller } from "../http/caller.ts";
import type { ApiDocument, OperationScope } from "../http/declaration.ts";
import { Idempotency, type KeyOutcome } from "../http/idempotency.ts";
import { PLAIN_KEY } from "../http/idempotency-key.ts";
import { newDocument } from "../http/openapi.ts";
import type { StaffMember, StaffScope } from "../http/staff-scope.ts";
import { keyStaffRoutes } from "../keys/staff-routes.ts";
import { locationRoutes } from "../locations/routes.ts";
import { organizationStaffRoutes } from "../organizations/staff-routes.ts";
import { VersionWatch } from "../organizations/version-watch.ts";
import { overviewStaffRoutes } from "../overview/staff-routes.ts";
import { passkeyStaffRoutes } from "../passkeys/staff-routes.ts";
import { planRoutes } from "../plans/routes.ts";
import { planStaffRoutes } from "../plans/staff-routes.ts";
import { resourceStaffRoutes } from "../resources/staff-routes.ts";
import { scheduleStaffRoutes } from "../schedules/staff-routes.ts";
import { serviceGroupRoutes } from "../service-groups/routes.ts";
import { serviceTypeRoutes } from "../service-types/routes.ts";
import { sheetStaffRoutes } from "../spreadsheet/staff-routes.ts";
import { OWN_WRITES, STAFF_WRITES } from "../staff/all-writes.ts";
import { Passwords } from "../staff/passwords.ts";
import { SigningIn } from "../staff/signing-in.ts";
import { staffMemberRoutes } from "../staff/staff-routes.ts";
import { servePasskeys } from "./passkey-operations.ts";
import { SignInCookie, signInAddress } from "./sign-in-cookie.ts";
import { type Newcomer, SignInGate } from "./sign-in-gate.ts";
import { serveSigningIn } from "./sign-in-operations.ts";
import { aboutApplication } from "./staff-document.ts";
import { serveWrite, undoFor } from "./write-door.ts";

/** What the scopes of the application share with that of the public API. */
export type SharedParts = Pick<
  OperationScope,
  "cache" | "sender" | "db" | "release" | "downloads" | "uploads"
>;

export interface ApplicationDeps {
  readonly parts: SharedParts;
  readonly document: ApiDocument;
  readonly keySecret: string;
  readonly publicUrl: string;
  /** How long a request waits for one with the same Idempotency-Key. */
  readonly keyPatienceMs: number;
  /** The process's own unless given: tests count what is computed. */
  readonly passwords?: Passwords | undefined;
  readonly settle: (organizationId: string, instant: number) => Promise<Caller["versions"]>;
  readonly observeKeyedWrite: (outcome: KeyOutcome) => void;
  /** True from the moment the process is asked to stop. */
  readonly isDraining: () => boolean;
  readonly onError: (error: unknown) => void;
}

/** The document of the application, before its operations are declared. */
export function applicationDocument(publicUrl: string, version: string): ApiDocument {
  const { cookie } = signInAddress(publicUrl);
  return newDocument(publicUrl, "/app", aboutApplication(version, cookie?.name ?? "__Host-rollbook"));
}

/** The staff application, in reading order: who is let in, signing in, writes, reads. */
export function serveApplication(app: FastifyInstance, deps: ApplicationDeps): void {
  const { parts, document, keySecret, publicUrl } = deps;
  const { db } = parts;
  const address = signInAddress(publicUrl);
  const gate = new SignInGate({ db, keySecret, address, settle: deps.settle, onError: deps.onError });
  const common = {
    ...parts,
    app,
    document,
    requiresIfMatch: false,
    idempotency: new Idempotency({
      isRequired: true,
      keyForm: PLAIN_KEY,
      patienceMs: deps.keyPatienceMs,
      answers: { claim: claimRequest, store: storeRequest, find: findRequest },
      reused: () => refusal("key_reused"),
      observe: deps.observeKeyedWrite,
    }),
  };
  const open: OperationScope<Newcomer> = {
    ...common,
    admit: (request, decide) => gate.passToSignIn(request, decide),
  };
  const signedIn: OperationScope<StaffMember> = {
    ...common,
    admit: (request, decide) => gate.pass(request, decide),
  };
  const leaving: OperationScope<StaffMember> = {
    ...common,
    admit: (request, decide) => gate.passToLeave(request, decide),
  };
  const scope: StaffScope = {
    ...signedIn,
    unattended: { ...common, admit: (request, decide) => gate.passUnattended(request, decide) },
    forRole: (role, { needsPassword = false } = {}) => ({
      ...signedIn,
      admit: (request, decide) => gate.passAs(role, needsPassword, request, decide),
    }),
  };

  const passwords = deps.passwords ?? new Passwords();
  // Where nobody can be signed in, no answer sets one.
  const cookie = address.cookie ?? new SignInCookie("__Host-rollbook", true);
  const site = { keySecret, publicUrl };
  serveSigningIn(
    { open, staff: scope, leaving },
    { signingIn: new SigningIn({ db, keySecret, passwords }), cookie },
  );
  servePasskeys({ open, staff: scope }, { site, cookie });

  for (const write of [...OWN_WRITES, ...STAFF_WRITES]) serveWrite(scope, write, site);

  const watch = new VersionWatch({ db, isDraining: deps.isDraining, onError: deps.onError });
  app.addHook("preClose", async () => watch.stop());
  organizationStaffRoutes(scope, watch);
  staffMemberRoutes(scope);
  passkeyStaffRoutes(scope);
  keyStaffRoutes(scope);
  locationRoutes(scope);
  serviceGroupRoutes(scope);
  serviceTypeRoutes(scope, db);
  resourceStaffRoutes(scope);
  planRoutes(scope, db);
  planStaffRoutes(scope);
  clientStaffRoutes(scope, db);
  contractStaffRoutes(scope);
  bookingStaffRoutes(scope);
  scheduleStaffRoutes(scope);
  calendarStaffRoutes(scope, db);
  overviewStaffRoutes(scope, db);
  auditStaffRoutes(scope, undoFor);
  sheetStaffRoutes(scope);
}
