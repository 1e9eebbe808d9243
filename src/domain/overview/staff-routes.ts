import { invalid } from "../../core/errors.ts";
import type { SharedDatabase } from "../../db/database.ts";
import { operation } from "../../http/operation.ts";
import type { StaffScope } from "../../http/staff-scope.ts";
import { MOST_SESSIONS, readAttendance, TimetableReader } from "./operations.ts";
import { countMembers, listKeyUse } from "./queries.ts";
import { checkSpanOfDays, checkTimetableWindow, monthsBetween } from "./rules.ts";
import {
  AttendanceByWeek,
  DaysQuery,
  KeyUseByDay,
  MembersByMonth,
  TimetableUse,
  TimetableUseQuery,
} from "./schema.ts";

const TAG = "Overview";
const reversed = invalid([{ location: "query.until", code: "window_reversed" }]);

export function overviewStaffRoutes(scope: StaffScope, db: SharedDatabase): void {
  const timetable = new TimetableReader(db);

  operation(scope, {
    operationId: "getMembersByMonth",
    method: "GET",
    path: "/app/v1/overview/members",
    tag: TAG,
    summary: "Members by month",
    description:
      "How many clients had a running contract at the end of each month, and how many contracts began and ended in it.",
    query: DaysQuery,
    queryRules: checkSpanOfDays,
    answer: { status: 200, description: "The months, the first one first.", schema: MembersByMonth },
    errors: [reversed],
    reads: ["contracts"],
    handle: async ({ caller, db: own, query }) => {
      const months = monthsBetween(query.from, query.until);
      return listed(await countMembers(own, caller.organizationId, months));
    },
  });

  operation(scope, {
    operationId: "getTimetableUse",
    method: "GET",
    path: "/app/v1/overview/timetable",
    tag: TAG,
    summary: "How full the timetable is",
    description:
      "Sessions, seats and seats taken by the weekday and hour at which sessions begin. Slots that nobody has booked count.",
    query: TimetableUseQuery,
    queryRules: checkTimetableWindow,
    answer: { status: 200, description: "The hours of the week that have sessions.", schema: TimetableUse },
    errors: [
      invalid([{ location: "query.to", code: "window_reversed" }]),
      invalid([{ location: "query.to", code: "timetable_too_full", params: { max: MOST_SESSIONS } }]),
    ],
    reads: ["catalog", "sessions"],
    handle: async ({ caller: { organizationId, history, versions }, query }) =>
      listed(await timetable.read({ organizationId, history, catalogVersion: versions.catalog }, query)),
  });

  operation(scope, {
    operationId: "getAttendanceByWeek",
    method: "GET",
    path: "/app/v1/overview/attendance",
    tag: TAG,
    summary: "Who came, by week",
    description: "Visits, those who did not come and those who cancelled late, by the week of the session.",
    query: DaysQuery,
    queryRules: checkSpanOfDays,
    answer: { status: 200, description: "The weeks that have bookings.", schema: AttendanceByWeek },
    errors: [reversed],
    // Not cached: attendance moves no version.
    handle: async ({ caller, db: own, query }) => {
      const { weekStart } = caller.settings;
      return listed(
        await readAttendance(own, caller.organizationId, query, { now: caller.clock.now(), weekStart }),
      );
    },
  });

  operation(scope.forRole("owner"), {
    operationId: "getKeyUse",
    method: "GET",
    path: "/app/v1/overview/keys",
    tag: TAG,
    summary: "Requests of each key, by day",
    description:
      "How many requests came with each key on each day. Counted about once a minute; a key without any has no day. For owners.",
    query: DaysQuery,
    queryRules: checkSpanOfDays,
    answer: { status: 200, description: "The days, the first one first.", schema: KeyUseByDay },
    errors: [reversed],
    handle: async ({ caller, db: own, query }) => listed(await listKeyUse(own, caller.organizationId, query)),
  });
}

function listed<Item>(data: Item[]): { data: Item[]; total: number } {
  return { data, total: data.length };
}
