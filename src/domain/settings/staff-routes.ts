import { operation } from "../../http/operation.ts";
import type { StaffScope } from "../../http/staff-scope.ts";
import type { UseReader } from "./organization-use.ts";
import { findCalendarColors } from "./queries.ts";
import { CalendarColors, OrganizationUse } from "./schema.ts";

export function settingsStaffRoutes(scope: StaffScope, use: UseReader): void {
  operation(scope.forRole("owner"), {
    operationId: "getUse",
    method: "GET",
    path: "/app/v1/use",
    tag: "Settings",
    summary: "The organization's limits and use",
    description: "What it stores, asks for and uploads, and how much of it the operator allows. For owners.",
    answer: { status: 200, description: "Limits and use.", schema: OrganizationUse },
    handle: ({ caller, db }) => use.read(db, caller),
  });

  operation(scope.forRole("teacher"), {
    operationId: "getCalendarColors",
    method: "GET",
    path: "/app/v1/calendar-colors",
    tag: "Settings",
    summary: "The colours of the calendar",
    description: "What it colours sessions by, and the colours that were chosen.",
    answer: { status: 200, description: "The colours.", schema: CalendarColors },
    handle: async ({ caller, db }) => {
      const colors = await findCalendarColors(db, caller.organizationId);
      if (!colors) throw new Error("somebody who is signed in has no organization");
      return colors;
    },
  });
}
