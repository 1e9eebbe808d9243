import { instantText } from "../../core/clock.ts";
import { operation } from "../../http/operation.ts";
import type { StaffScope } from "../../http/staff-scope.ts";
import { findSettings } from "../organizations/queries.ts";
import { listLinks } from "./link-queries.ts";
import { findStaff, listSignIns, listStaff } from "./queries.ts";
import { isNearlyFull } from "./rules.ts";
import { Me, OwnSignInList, StaffLinkList, StaffList, StaffSettings } from "./schema.ts";

export function staffMemberRoutes(scope: StaffScope): void {
  operation(scope.forRole("teacher"), {
    operationId: "getMe",
    method: "GET",
    path: "/app/v1/me",
    tag: "Signing in",
    summary: "Who is signed in",
    description: "Who is signed in, with their role and places of work, and in which organization.",
    answer: { status: 200, description: "You.", schema: Me },
    handle: async ({ caller, db }) => {
      const { organizationId, staffId, timezone, organization, storage, freshUntil, clock } = caller;
      const staff = await findStaff(db, organizationId, staffId);
      if (!staff) throw new Error("somebody who is signed in is not on the staff");
      return {
        staff,
        organization: { id: organizationId, timezone, ...organization },
        ...(storage && isNearlyFull(storage) && { storage }),
        ...(freshUntil > clock.now() && { confirmedUntil: instantText(freshUntil) }),
      };
    },
  });

  operation(scope.forRole("teacher"), {
    operationId: "listSignIns",
    method: "GET",
    path: "/app/v1/sign-ins",
    tag: "Signing in",
    summary: "List your sign-ins",
    description: "The browsers that you are signed in with, this one first. `endSignIn` ends them.",
    answer: { status: 200, description: "Your sign-ins.", schema: OwnSignInList },
    handle: async ({ caller, db }) => {
      const data = await listSignIns(db, caller.organizationId, caller, instantText(caller.clock.now()));
      return { data, total: data.length };
    },
  });

  operation(scope.forRole("teacher"), {
    operationId: "getSettings",
    method: "GET",
    path: "/app/v1/settings",
    tag: "Settings",
    summary: "The organization's settings",
    description: "What holds for bookings and caps from the next operation on.",
    answer: { status: 200, description: "The settings.", schema: StaffSettings },
    handle: async ({ caller, db }) => {
      const settings = await findSettings(db, caller.organizationId);
      if (!settings) throw new Error("somebody who is signed in has no organization");
      return settings;
    },
  });

  operation(scope.forRole("owner"), {
    operationId: "listStaff",
    method: "GET",
    path: "/app/v1/staff",
    tag: "Staff",
    summary: "List the staff",
    description: "Everybody on the staff by name, those who were removed last. For owners.",
    answer: { status: 200, description: "The staff.", schema: StaffList },
    handle: async ({ caller, db }) => {
      const data = await listStaff(db, caller.organizationId);
      return { data, total: data.length };
    },
  });

  operation(scope.forRole("owner"), {
    operationId: "listLinks",
    method: "GET",
    path: "/app/v1/links",
    tag: "Staff",
    summary: "List the open links",
    description:
      "Every link that somebody can still come in by, and who made it. `revokeLink` ends one. For owners.",
    answer: { status: 200, description: "The links.", schema: StaffLinkList },
    handle: async ({ caller, db }) => {
      const data = await listLinks(db, caller.organizationId, instantText(caller.clock.now()));
      return { data, total: data.length };
    },
  });
}
