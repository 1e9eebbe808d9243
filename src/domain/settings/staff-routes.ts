import { operation } from "../../http/operation.ts";
import type { StaffScope } from "../../http/staff-scope.ts";
import { findCalendarColors } from "./queries.ts";
import { CalendarColors } from "./schema.ts";

export function settingsStaffRoutes(scope: StaffScope): void {
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
