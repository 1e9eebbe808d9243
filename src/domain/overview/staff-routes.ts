import { invalid } from "../../core/errors.ts";
import type { RecordStream } from "../../core/record-stream.ts";
import type { SharedDatabase } from "../../db/database.ts";
import { operation } from "../../http/operation.ts";
import type { StaffMember, StaffScope } from "../../http/staff-scope.ts";
import { readMemberChanges } from "./member-changes-queries.ts";
import {
  GivenClassReader,
  MOST_CLASSES,
  MOST_SESSIONS,
  readAttendance,
  readMemberChangeSums,
  readVisits,
  reportDays,
  TimetableReader,
} from "./operations.ts";
import { countMembers, listKeyUse } from "./queries.ts";
import { attendanceReport, type Reporter, saleReport, visitReport } from "./report-queries.ts";
import { checkSpanOfDays, checkTimetableWindow, monthsBetween, sumByTeacher } from "./rules.ts";
import {
  AttendanceByWeek,
  AttendanceReport,
  ClassesGiven,
  ClassesQuery,
  DaysQuery,
  exampleGivenClass,
  exampleMemberChange,
  GivenClass,
  KeyUseByDay,
  MemberChange,
  MemberChanges,
  MembersByMonth,
  MOST_TIMETABLE_DAYS,
  ReportedSale,
  ReportedSession,
  ReportedVisit,
  ReportQuery,
  SaleReport,
  TimetableUse,
  TimetableUseQuery,
  VisitReport,
  Visits,
  VisitsOf,
  VisitsQuery,
} from "./schema.ts";

const TAG = "Overview";
const reversed = invalid([{ location: "query.until", code: "window_reversed" }]);

export function overviewStaffRoutes(scope: StaffScope, db: SharedDatabase): void {
  const timetable = new TimetableReader(db);
  const classes = new GivenClassReader(db);
  reportRoutes(scope);

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

  operation(scope, {
    operationId: "getMemberChanges",
    method: "GET",
    path: "/app/v1/overview/member-changes",
    tag: TAG,
    summary: "Members gained and lost",
    description:
      "How many clients became members and stopped being ones, by month, and why. Whose next contract follows without a day between has " +
      "stayed; a pause is no loss. What lies ahead of today has not happened. As a file, a line for each of them.",
    query: DaysQuery,
    queryRules: checkSpanOfDays,
    answer: { status: 200, description: "The months and the reasons.", schema: MemberChanges },
    errors: [reversed],
    download: {
      name: "member-changes",
      record: MemberChange,
      example: exampleMemberChange,
      read: ({ caller, db: own, query }, take) =>
        readMemberChanges(own, caller.organizationId, reportDays(query, caller), take),
    },
    handle: ({ caller, db: own, query }) =>
      readMemberChangeSums(own, caller.organizationId, reportDays(query, caller)),
  });

  operation(scope, {
    operationId: "getVisits",
    method: "GET",
    path: "/app/v1/overview/visits",
    tag: TAG,
    summary: "Who came, by service, hour or teacher",
    description:
      "Visits, those who did not come and those who cancelled late. A session with two teachers counts for both.",
    query: VisitsQuery,
    queryRules: checkSpanOfDays,
    answer: { status: 200, description: "What has bookings.", schema: Visits },
    errors: [reversed],
    download: {
      name: "visits",
      record: VisitsOf,
      columns: ({ by }) => VISIT_COLUMNS[by ?? "service"],
      read: async ({ caller, db: own, query }, take) =>
        take(recordsOf(await readVisits(own, caller.organizationId, query, caller.clock.now()))),
    },
    handle: async ({ caller, db: own, query }) =>
      listed(await readVisits(own, caller.organizationId, query, caller.clock.now())),
  });

  const readClasses = ({ organizationId, history, versions, clock }: StaffMember, query: ClassesQuery) =>
    classes.read({ organizationId, history, catalogVersion: versions.catalog }, query, clock.now());

  operation(scope, {
    operationId: "getClassesGiven",
    method: "GET",
    path: "/app/v1/overview/classes",
    tag: TAG,
    summary: "Classes that teachers gave",
    description:
      "Classes and appointments that have begun and were not cancelled, added up by teacher, for their pay: those to which nobody came too. " +
      "One with two teachers counts for both. As a file, a line for each class and teacher.",
    query: ClassesQuery,
    queryRules: (given) => checkSpanOfDays(given, MOST_TIMETABLE_DAYS),
    answer: { status: 200, description: "The teachers.", schema: ClassesGiven },
    errors: [
      reversed,
      invalid([{ location: "query.until", code: "timetable_too_full", params: { max: MOST_CLASSES } }]),
    ],
    download: {
      name: "classes",
      record: GivenClass,
      example: exampleGivenClass,
      read: async ({ caller, query }, take) => take(recordsOf(await readClasses(caller, query))),
    },
    handle: async ({ caller, query }) => listed(sumByTeacher(await readClasses(caller, query))),
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

/** The columns of a file of visits: what they are added up by stands first. */
const VISIT_SUMS = ["sessions", "attended", "noShows", "lateCancelled", "unmarked"];
const VISIT_COLUMNS = {
  service: ["serviceTypeId", "name", ...VISIT_SUMS],
  hour: ["weekday", "hour", ...VISIT_SUMS],
  teacher: ["resourceId", "name", ...VISIT_SUMS],
};

const RECORDS_AT_ONCE = 500;

/** A list that is there whole, as a file takes it. No version covers it. */
function recordsOf<Item>(data: readonly Item[]): RecordStream<Item> {
  async function* batches(): AsyncGenerator<readonly Item[]> {
    for (let next = 0; next < data.length; next += RECORDS_AT_ONCE)
      yield data.slice(next, next + RECORDS_AT_ONCE);
  }
  return { total: data.length, version: 0, batches: batches() };
}

function listed<Item>(data: Item[]): { data: Item[]; total: number } {
  return { data, total: data.length };
}

/** Lists by days, which are also taken as files. */
function reportRoutes(scope: StaffScope): void {
  const common = {
    method: "GET" as const,
    tag: TAG,
    query: ReportQuery,
    queryRules: checkSpanOfDays,
    pages: true,
    errors: [reversed],
  };

  operation(scope, {
    ...common,
    operationId: "reportVisits",
    path: "/app/v1/reports/visits",
    summary: "Visits by days",
    description: "Every booking of sessions on these days, by their own dates, the newest first.",
    answer: { status: 200, description: "A page of visits.", schema: VisitReport },
    download: {
      name: "visits",
      record: ReportedVisit,
      read: ({ caller, db, query }, take) => visitReport.read(db, reporterOf(caller), query, take),
    },
    handle: ({ caller, db, query }) => visitReport.list(db, reporterOf(caller), query),
  });

  operation(scope, {
    ...common,
    operationId: "reportSales",
    path: "/app/v1/reports/sales",
    summary: "Sales by days",
    description:
      "Every contract that was sold on these days in the organization's timezone, or brought in as created on them, the " +
      "newest first.",
    answer: { status: 200, description: "A page of sales.", schema: SaleReport },
    download: {
      name: "sales",
      record: ReportedSale,
      read: ({ caller, db, query }, take) => saleReport.read(db, reporterOf(caller), query, take),
    },
    handle: ({ caller, db, query }) => saleReport.list(db, reporterOf(caller), query),
  });

  operation(scope, {
    ...common,
    operationId: "reportAttendance",
    path: "/app/v1/reports/attendance",
    summary: "Attendance by days",
    description:
      "How many came to each session of these days, the newest first. A slot that nobody was ever booked into is no session.",
    answer: { status: 200, description: "A page of sessions.", schema: AttendanceReport },
    download: {
      name: "attendance",
      record: ReportedSession,
      read: ({ caller, db, query }, take) => attendanceReport.read(db, reporterOf(caller), query, take),
    },
    handle: ({ caller, db, query }) => attendanceReport.list(db, reporterOf(caller), query),
  });
}

function reporterOf({ organizationId, timezone, clock }: StaffMember): Reporter {
  return { organizationId, timezone, now: clock.now() };
}
