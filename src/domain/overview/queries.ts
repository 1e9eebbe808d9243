import type { Database } from "../../db/database.ts";
import { expensive, isRecord, pooled, type Statement } from "../../db/statements.ts";
import type { Month } from "./rules.ts";
import type { DayOfKey, MonthOfMembers, VisitsOf, VisitsQuery, WeekOfVisits } from "./schema.ts";

// Contracts are read once, whatever the number of months. Each stretch in which one ran without a pause becomes the range of
// counting days that it covers; of a client's ranges only what no earlier one covers is kept, so that nobody counts twice:
//
// Counting days 1 to 4. A client has contracts over 1 to 2, and 2 to 4: the ranges kept are 1 to 2, and 3 to 4. At 1 and at
// 3 one more client is there, after 2 and after 4 one less: the sums from the first day on are 1, 1, 1, 1.
//
// A contract that was cancelled elsewhere and imported may have its agreed last day: it ended when it was cancelled.
const membersStatement = expensive(
  "count_members",
  `with terms as materialized (
     select c.client_id, c.id, c.start_date as first_day,
       case
         when c.status = 'cancelled' and c.cancelled_by is null
           then coalesce(least(c.end_date, (c.cancelled_at at time zone 'UTC')::date), c.start_date - 1)
         when c.status = 'expired' then coalesce(c.end_date, c.start_date - 1)
         else coalesce(c.end_date, 'infinity')
       end as last_day
     from contracts c where c.organization_id = $1 and c.start_date <= $4::date
       -- What ended before is not looked at again.
       and (c.end_date is null or c.end_date >= ($2::date[])[1])
   ), gaps as (
     select p.contract_id, p.first_day, coalesce(p.last_day, 'infinity') as last_day,
       coalesce(lag(coalesce(p.last_day, 'infinity')) over w, '-infinity') as day_before,
       lead(p.first_day) over w is null as is_last
     from contract_pauses p where p.organization_id = $1
     window w as (partition by p.contract_id order by p.first_day)
   ), stretches as (
     select t.client_id, t.first_day, t.last_day from terms t
     where not exists (select from gaps g where g.contract_id = t.id)
     union all
     select t.client_id, greatest(t.first_day, g.day_before + 1), least(t.last_day, g.first_day - 1)
     from terms t join gaps g on g.contract_id = t.id
     union all
     select t.client_id, greatest(t.first_day, g.last_day + 1), t.last_day
     from terms t join gaps g on g.contract_id = t.id and g.is_last and g.last_day < 'infinity'
   ), ranges as (
     select client_id, width_bucket(first_day - 1, $3::date[]) + 1 as low, width_bucket(last_day, $3::date[]) as high
     from stretches where first_day <= last_day
   ), kept as (
     select greatest(low, coalesce(max(high) over (
       partition by client_id order by low, high rows between unbounded preceding and 1 preceding
     ), 0) + 1) as low, high
     from ranges where low <= high
   ), steps as materialized (
     select low as place, count(*) as step from kept where low <= high group by 1
     union all
     select high + 1, -count(*) from kept where low <= high group by 1
   )
   select m.place,
     coalesce((select sum(s.step) from steps s where s.place <= m.place), 0)::int as members,
     coalesce(b.number, 0)::int as began, coalesce(e.number, 0)::int as ended
   from generate_series(1, cardinality($2::date[])) as m (place)
   left join (
     select width_bucket(first_day, $2::date[]) as place, count(*) as number from terms
     where first_day between ($2::date[])[1] and $4::date group by 1
   ) b on b.place = m.place
   left join (
     select width_bucket(last_day, $2::date[]) as place, count(*) as number from terms
     where last_day between ($2::date[])[1] and $4::date and last_day >= first_day group by 1
   ) e on e.place = m.place
   order by m.place`,
);

/** How many clients had a running contract at the end of each month, and how many contracts began and ended in it. */
export async function countMembers(
  db: Database,
  organizationId: string,
  months: readonly Month[],
): Promise<MonthOfMembers[]> {
  const rows = await db.query<Omit<MonthOfMembers, "month" | "day"> & { place: number }>(membersStatement, [
    organizationId,
    months.map(({ firstDay }) => firstDay),
    months.map(({ lastDay }) => lastDay),
    months.at(-1)?.lastDay,
  ]);
  return rows.map(({ place, ...counts }) => {
    const { month = "", lastDay = "" } = months[place - 1] ?? {};
    return { month, day: lastDay, ...counts };
  });
}

// Who is booked reads as not come once the record of the session is closed, which is for its location's clock to say.
const attendanceStatement = expensive(
  "count_attendance",
  `select (b.visit_date - (extract(isodow from b.visit_date)::int - $4 + 7) % 7)::date as "firstDay",
     count(*) filter (where b.state = 'attended')::int as attended,
     count(*) filter (where b.state = 'no_show' or (b.state = 'booked' and b.visit_date <= l.closed_day))::int as "noShows",
     count(*) filter (where b.state = 'late_cancelled')::int as "lateCancelled",
     count(*) filter (where b.state = 'booked' and b.visit_date > l.closed_day)::int as unmarked
   from bookings b
   left join sessions s on b.state = 'booked' and ${isRecord("s", "b.session_id")}
   left join unnest($5::uuid[], $6::date[]) as l (id, closed_day) on l.id = s.location_id
   where b.organization_id = $1 and b.visit_date between $2::date and $3::date and b.state <> 'cancelled'
   group by 1 order by 1`,
);

/** A location, and the last day whose records are closed there. */
export interface ClosedRecords {
  readonly locationId: string;
  readonly day: string;
}

/** Who came and who did not, by weeks that begin with the weekday that ISO 8601 has this number for. */
export function countAttendance(
  db: Database,
  organizationId: string,
  { from, until, weekStart }: { readonly from: string; readonly until: string; readonly weekStart: number },
  closed: readonly ClosedRecords[],
): Promise<WeekOfVisits[]> {
  return db.query<WeekOfVisits>(attendanceStatement, [
    organizationId,
    from,
    until,
    weekStart,
    closed.map(({ locationId }) => locationId),
    closed.map(({ day }) => day),
  ]);
}

/** What bookings are added up by: the columns of a row, and the order of rows. */
const VISIT_GROUPS = {
  service: {
    columns: 's.service_type_id as "serviceTypeId", t.name',
    tables: "join service_types t on t.organization_id = $1 and t.id = s.service_type_id",
    order: "2, 1",
  },
  hour: {
    columns: "extract(isodow from s.start)::int as weekday, extract(hour from s.start)::int as hour",
    tables: "",
    order: "1, 2",
  },
  // Who was named with another one counts for both.
  teacher: {
    columns: 'p.id as "resourceId", p.name',
    tables: `left join lateral (
       select r.id, r.name from resources r
       where r.organization_id = $1 and r.id = any (s.resource_ids) and r.kind = 'person'
     ) p on true`,
    order: 'p.name nulls last, p.id collate "C"',
  },
} as const;

const visitsStatements = Object.fromEntries(
  Object.entries(VISIT_GROUPS).map(([by, { columns, tables, order }]) => [
    by,
    expensive(
      `count_visits_by_${by}`,
      `select ${columns}, count(distinct b.session_id)::int as sessions,
         count(*) filter (where b.state = 'attended')::int as attended,
         count(*) filter (where b.state = 'no_show' or (b.state = 'booked' and b.visit_date <= l.closed_day))::int as "noShows",
         count(*) filter (where b.state = 'late_cancelled')::int as "lateCancelled",
         count(*) filter (where b.state = 'booked' and b.visit_date > l.closed_day)::int as unmarked
       from bookings b
       join sessions s on ${isRecord("s", "b.session_id")}
       ${tables}
       left join unnest($5::uuid[], $6::date[]) as l (id, closed_day) on l.id = s.location_id
       where b.organization_id = $1 and b.visit_date between $2::date and $3::date and b.state <> 'cancelled'
         and ($4::uuid is null or s.location_id = $4)
       group by 1, 2 order by ${order}`,
    ),
  ]),
);

/** Who came and who did not, by service type, by weekday and hour, or by teacher. */
export function countVisits(
  db: Database,
  organizationId: string,
  { from, until, by, locationId }: VisitsQuery,
  closed: readonly ClosedRecords[],
): Promise<VisitsOf[]> {
  return db.query<VisitsOf>(visitsStatements[by] as Statement, [
    organizationId,
    from,
    until,
    locationId ?? null,
    closed.map((location) => location.locationId),
    closed.map(({ day }) => day),
  ]);
}

const attendedStatement = pooled(
  "count_attended",
  `select session_id as id, count(*)::int as attended from bookings
   where organization_id = $1 and session_id = any ($2::uuid[]) and state = 'attended' group by 1`,
);

/** How many came to sessions; those to which nobody came have no entry. */
export async function countAttended(
  db: Database,
  organizationId: string,
  sessionIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await db.query<{ id: string; attended: number }>(attendedStatement, [
    organizationId,
    sessionIds,
  ]);
  return new Map(rows.map(({ id, attended }) => [id, attended]));
}

const keyUseStatement = pooled(
  "list_key_usage",
  `select u.key_id as "keyId", k.name, u.day, u.requests, u.refused
   from key_usage u left join keys k on k.organization_id = $1 and k.id = u.key_id
   where u.organization_id = $1 and u.day between $2::date and $3::date
   order by u.day, u.key_id limit $4`,
);

/** As many rows as one answer has: a year of 25 keys. */
const MOST_USES = 10_000;

export function listKeyUse(
  db: Database,
  organizationId: string,
  { from, until }: { readonly from: string; readonly until: string },
): Promise<DayOfKey[]> {
  return db.query<DayOfKey>(keyUseStatement, [organizationId, from, until, MOST_USES]);
}
