import { instantText } from "../../core/clock.ts";
import { daysAfter } from "../../core/dates.ts";
import type { TakeRecords } from "../../core/record-stream.ts";
import type { Database } from "../../db/database.ts";
import {
  type Page,
  type PageReach,
  type PageRow,
  pageStatement,
  pageValues,
  reachOf,
  readWhole,
  toPage,
} from "../../db/pages.ts";
import type { Statement } from "../../db/statements.ts";
import { actorName } from "../audit/list-audit-queries.ts";
import { shownState } from "../bookings/rules.ts";
import { recordClosesAt } from "../recurrence/record-days.ts";
import { dayStart, zoneOfLocation } from "../recurrence/zones.ts";
import type { ReportedSale, ReportedSession, ReportedVisit, ReportQuery } from "./schema.ts";

/** What is taken along as files: visits, sales and attendance of some days. */

/** Whose reports they are, and when. */
export interface Reporter {
  readonly organizationId: string;
  readonly timezone: string;
  readonly now: number;
}

/** A list by days: `$4` and `$5` are its bounds, `$6` a location or null. */
interface Report<Row, Item> {
  readonly name: string;
  readonly table: string;
  readonly columns: string;
  /** The condition on a row called `r`. */
  readonly holds: string;
  readonly bounds: (query: ReportSpan, reporter: Reporter) => readonly [string, string];
  readonly toItem: (row: Row, reporter: Reporter) => Item;
}

type ReportSpan = Pick<ReportQuery, "from" | "until" | "locationId">;

const ofSession = (id: string) =>
  `(select s.start from sessions s where s.organization_id = r.organization_id and s.id = ${id}) as "localStart",
   (select t.name from sessions s join service_types t on (t.organization_id, t.id) = (s.organization_id, s.service_type_id)
    where s.organization_id = r.organization_id and s.id = ${id}) as "serviceTypeName",
   (select l.name from sessions s join locations l on (l.organization_id, l.id) = (s.organization_id, s.location_id)
    where s.organization_id = r.organization_id and s.id = ${id}) as "locationName",
   (select l.timezone from sessions s join locations l on (l.organization_id, l.id) = (s.organization_id, s.location_id)
    where s.organization_id = r.organization_id and s.id = ${id}) as timezone`;

const clientName = `(
  select c.contact_name from clients c where c.organization_id = r.organization_id and c.id = r.client_id
) as "clientName"`;

const byDays = ({ from, until }: ReportSpan): readonly [string, string] => [from, until];

const visits: Report<ReportedVisit & { readonly timezone: string }, ReportedVisit> = {
  name: "report_visits",
  table: "bookings",
  columns: `r.id, r.visit_date as day, ${ofSession("r.session_id")}, r.client_id as "clientId", ${clientName}, r.state,
    (select k.plan_name from contracts k where k.organization_id = r.organization_id and k.id = r.contract_id) as "planName",
    r.uncovered_reason as "uncoveredReason", r.booked_at as "bookedAt", r.checked_in_at as "checkedInAt",
    r.ended_at as "endedAt"`,
  holds: `r.visit_date between $4::date and $5::date and ($6::uuid is null or exists (
    select from sessions s where s.organization_id = r.organization_id and s.id = r.session_id and s.location_id = $6))`,
  bounds: byDays,
  toItem: ({ timezone, ...visit }, { now }) => ({
    ...visit,
    state: shownState(visit.state, recordClosesAt(visit.day, zoneOfLocation(timezone)), now),
  }),
};

const sales: Report<ReportedSale, ReportedSale> = {
  name: "report_sales",
  table: "contracts",
  columns: `r.id, r.created_at as "soldAt", r.client_id as "clientId", ${clientName}, r.plan_id as "planId",
    r.plan_name as "planName", r.price_cents as "priceCents", r.currency, r.billing_kind as "billingKind",
    r.is_trial as "isTrial", r.start_date as "startDate", r.end_date as "endDate", r.status,
    (select ${actorName("a")} from audit a
     where a.organization_id = r.organization_id and a.contract_id = r.id and a.action = 'sellContract'
     order by a.id limit 1) as "soldBy"`,
  holds: `r.created_at >= $4::timestamptz and r.created_at < $5::timestamptz and ($6::uuid is null or r.all_locations
    or exists (select from contract_locations l
      where l.organization_id = r.organization_id and l.contract_id = r.id and l.location_id = $6))`,
  bounds: ({ from, until }, { timezone }) => {
    const startOf = (day: string) => instantText(dayStart(zoneOfLocation(timezone), day));
    return [startOf(from), startOf(daysAfter(until, 1))];
  },
  toItem: (sale) => sale,
};

const bookingsOfSession =
  "select count(*)::int from bookings b where b.organization_id = r.organization_id and b.session_id = r.id";

const attendance: Report<ReportedSession & { readonly timezone: string }, ReportedSession> = {
  name: "report_attendance",
  table: "sessions",
  columns: `r.id, r.start::date as day, ${ofSession("r.id")},
    array_to_string(array(
      select coalesce(n.name, i.id) from unnest(r.resource_ids) with ordinality as i (id, place)
      left join resources n on n.organization_id = r.organization_id and n.id = i.id order by i.place
    ), ', ') as "resourceNames",
    r.status, r.capacity, r.booked_count as "bookedCount", (${bookingsOfSession} and b.state = 'attended') as attended,
    (${bookingsOfSession} and b.state = 'no_show') as "noShows", (${bookingsOfSession} and b.state = 'late_cancelled') as "lateCancelled",
    (${bookingsOfSession} and b.state = 'booked') as unmarked`,
  holds: `r.start::date between $4::date and $5::date and ($6::uuid is null or r.location_id = $6)`,
  bounds: byDays,
  // Whom nobody marked did not come, once nobody can say otherwise any more.
  toItem: ({ timezone, ...session }, { now }) => {
    const isClosed = now >= recordClosesAt(session.day, zoneOfLocation(timezone));
    const { noShows, unmarked } = session;
    return isClosed ? { ...session, noShows: noShows + unmarked, unmarked: 0 } : session;
  },
};

function statementOf(
  { name, table, columns, holds }: Pick<Report<never, never>, "name" | "table" | "columns" | "holds">,
  reach: PageReach,
): Statement {
  return pageStatement({
    name,
    // No version covers them: they are read as they are, and never kept.
    reads: ["clients"],
    table,
    columns,
    source: (range) =>
      `select r.id from ${table} r where r.organization_id = $1 and ${holds}${range.holds("r.id")}`,
    reach,
    isReplanned: true,
  });
}

function reportOf<Row extends object, Item>(report: Report<Row, Item>) {
  const valuesOf = (reporter: Reporter, query: ReportSpan) => [
    ...report.bounds(query, reporter),
    query.locationId ?? null,
  ];
  return {
    /** A page, the newest records first. */
    async list(db: Database, reporter: Reporter, query: ReportQuery): Promise<Page<Item>> {
      const rows = await db.query<Row & PageRow>(statementOf(report, reachOf(query)), [
        ...pageValues(reporter.organizationId, query),
        ...valuesOf(reporter, query),
      ]);
      return toPage(rows, query, (row) => report.toItem(recordOf(row), reporter)).content;
    },
    /** All of them. */
    read(db: Database, reporter: Reporter, query: ReportSpan, take: TakeRecords<Item>): Promise<void> {
      return readWhole(
        db,
        reporter.organizationId,
        (reach) => ({ statement: statementOf(report, reach), values: valuesOf(reporter, query) }),
        (row: Row) => report.toItem(recordOf(row), reporter),
        take,
      );
    },
  };
}

/** Without what a row of a page carries beside its record. */
function recordOf<Row extends object>(row: Row): Row {
  const { total, version, ...record } = row as Row & Partial<PageRow>;
  return record as Row;
}

export const visitReport = reportOf(visits);
export const saleReport = reportOf(sales);
export const attendanceReport = reportOf(attendance);
