import { refusal } from "../../core/errors.ts";
import { operation } from "../../http/operation.ts";
import type { StaffScope } from "../../http/staff-scope.ts";
import { listCalendarLinks } from "./queries.ts";
import { requireLinkRole } from "./rules.ts";
import { CalendarLinkList, CalendarLinksQuery } from "./schema.ts";

export function calendarLinkStaffRoutes(scope: StaffScope): void {
  operation(scope, {
    operationId: "listCalendarLinks",
    method: "GET",
    path: "/app/v1/calendar-links",
    tag: "Calendar links",
    summary: "List the links to calendars",
    description:
      "Every link, those that have ended too, oldest first, without its address. With `clientId` those to the bookings of one " +
      "client, for everybody on the staff; otherwise for owners.",
    query: CalendarLinksQuery,
    answer: { status: 200, description: "The links.", schema: CalendarLinkList },
    errors: [refusal("not_allowed")],
    handle: async ({ caller, db, query }) => {
      requireLinkRole(caller.actor, query.clientId);
      const data = await listCalendarLinks(db, caller.organizationId, caller.clock.now(), query.clientId);
      return { data, total: data.length };
    },
  });
}
