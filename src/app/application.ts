import type { FastifyInstance } from "fastify";
import { refusal } from "../core/errors.ts";
import type { CallRules } from "../core/network-addresses.ts";
import { sheetStaffRoutes } from "../data/spreadsheet/staff-routes.ts";
import { pastDeadlocks } from "../db/retry.ts";
import { claimRequest, findRequest, storeRequest } from "../domain/audit/request-queries.ts";
import { auditStaffRoutes } from "../domain/audit/staff-routes.ts";
import { bookingStaffRoutes } from "../domain/bookings/staff-routes.ts";
import { CalendarReader } from "../domain/calendar/operations.ts";
import { calendarStaffRoutes } from "../domain/calendar/staff-routes.ts";
import { clientStaffRoutes } from "../domain/clients/staff-routes.ts";
import { contractStaffRoutes } from "../domain/contracts/staff-routes.ts";
import { keyStaffRoutes } from "../domain/keys/staff-routes.ts";
import { locationRoutes } from "../domain/locations/routes.ts";
import { moneyStaffRoutes } from "../domain/money/staff-routes.ts";
import type { OrganizationLimits } from "../domain/organizations/organization-limits.ts";
import { organizationStaffRoutes } from "../domain/organizations/staff-routes.ts";
import { VersionWatch } from "../domain/organizations/version-watch.ts";
import { overviewStaffRoutes } from "../domain/overview/staff-routes.ts";
import { passkeyStaffRoutes } from "../domain/passkeys/staff-routes.ts";
import { planRoutes } from "../domain/plans/routes.ts";
import { planStaffRoutes } from "../domain/plans/staff-routes.ts";
import { resourceStaffRoutes } from "../domain/resources/staff-routes.ts";
import { scheduleStaffRoutes } from "../domain/schedules/staff-routes.ts";
import { serviceGroupRoutes } from "../domain/service-groups/routes.ts";
import { serviceTypeRoutes } from "../domain/service-types/routes.ts";
import { UseReader } from "../domain/settings/organization-use.ts";
import { settingsStaffRoutes } from "../domain/settings/staff-routes.ts";
import { Passwords } from "../domain/staff/passwords.ts";
import { SigningIn } from "../domain/staff/signing-in.ts";
import { staffMemberRoutes } from "../domain/staff/staff-routes.ts";
import type { Caller } from "../http/caller.ts";
import type { ApiDocument, OperationScope } from "../http/declaration.ts";
import { Idempotency, type KeyOutcome } from "../http/idempotency.ts";
import { PLAIN_KEY } from "../http/idempotency-key.ts";
import { newDocument } from "../http/openapi.ts";
import type { StaffMember, StaffScope } from "../http/staff-scope.ts";
import { calendarLinkStaffRoutes } from "../sync/calendar-links/staff-routes.ts";
import { webhookStaffRoutes } from "../sync/webhooks/staff-routes.ts";
import { OWN_WRITES, STAFF_WRITES } from "./all-writes.ts";
import { servePasskeys } from "./passkey-operations.ts";
import { SignInCookie, signInAddress } from "./sign-in-cookie.ts";
import { type Newcomer, SignInGate } from "./sign-in-gate.ts";
import { serveSigningIn } from "./sign-in-operations.ts";
import { aboutApplication } from "./staff-document.ts";
import { serveWrite, undoFor } from "./write-operation.ts";

/** What the scopes of the application share with that of the public API. */
export type SharedParts = Pick<
  OperationScope,
  | "cache"
  | "sender"
  | "db"
  | "release"
  | "downloads"
  | "recordDownload"
  | "uploads"
  | "longAnswers"
  | "stalls"
>;

export interface ApplicationDeps {
  readonly parts: SharedParts;
  readonly document: ApiDocument;
  readonly keySecret: string;
  /** Of organizations that have none of their own. */
  readonly limits: OrganizationLimits;
  readonly publicUrl: string;
  readonly callRules: CallRules;
  /** How long a request waits for one with the same Idempotency-Key. */
  readonly keyPatienceMs: number;
  /** The process's own unless given: tests count what is computed. */
  readonly passwords?: Passwords | undefined;
  readonly applyDue: (organizationId: string, instant: number) => Promise<Caller["versions"]>;
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
  const { parts, document, keySecret, limits, publicUrl } = deps;
  const { db } = parts;
  const address = signInAddress(publicUrl);
  const { maxRecords } = limits;
  const { applyDue, onError } = deps;
  const gate = new SignInGate({ db, keySecret, address, maxRecords, applyDue, onError });
  const common = {
    ...parts,
    app,
    document,
    requiresIfMatch: false,
    idempotency: new Idempotency({
      isRequired: true,
      isPersonal: true,
      keyForm: PLAIN_KEY,
      patienceMs: deps.keyPatienceMs,
      answers: { claim: claimRequest, store: storeRequest, find: findRequest },
      pastDeadlocks,
      reused: () => refusal("key_reused"),
      observe: deps.observeKeyedWrite,
    }),
  };
  const open: OperationScope<Newcomer> = {
    ...common,
    admit: (request, decide) => gate.passToSignIn(request, decide),
  };
  const leaving: OperationScope<StaffMember> = {
    ...common,
    admit: (request, decide) => gate.passToLeave(request, decide),
  };
  const forRole: StaffScope["forRole"] = (role, { needsPassword = false } = {}) => ({
    ...common,
    admit: (request, decide) => gate.passAs(role, needsPassword, request, decide),
  });
  const scope: StaffScope = { ...forRole("front_desk"), forRole };

  const passwords = deps.passwords ?? new Passwords();
  // Where nobody can be signed in, no answer sets one.
  const cookie = address.cookie ?? new SignInCookie("__Host-rollbook", true);
  const site = { keySecret, publicUrl, callRules: deps.callRules };
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
  webhookStaffRoutes(scope);
  calendarLinkStaffRoutes(scope);
  const forAll = scope.forRole("teacher");
  locationRoutes(forAll);
  serviceGroupRoutes(forAll);
  serviceTypeRoutes(forAll, db);
  resourceStaffRoutes(scope);
  settingsStaffRoutes(scope, new UseReader(limits));
  planRoutes(scope, db);
  planStaffRoutes(scope);
  clientStaffRoutes(scope, db);
  contractStaffRoutes(scope);
  moneyStaffRoutes(scope);
  const calendar = new CalendarReader(db);
  bookingStaffRoutes(scope, calendar);
  scheduleStaffRoutes(scope);
  calendarStaffRoutes(scope, calendar);
  overviewStaffRoutes(scope, db);
  auditStaffRoutes(scope, undoFor);
  sheetStaffRoutes(scope);
}
