import { useMemo } from "preact/hooks";
import { type ReadOptions, useRead, useWholeList } from "../../api/reads.ts";
import { useMay, useMe } from "../../frame/me.ts";
import { frameWords } from "../../frame/words.ts";
import { count, localIn, shortDate, timeOf } from "../../languages/format.ts";
import { language } from "../../languages/words.ts";
import { Button } from "../../parts/button.tsx";
import { Folded } from "../../parts/folded.tsx";
import { Empty } from "../../parts/notice.tsx";
import { Page, Section, Shown } from "../../parts/page.tsx";
import { WEEKDAYS } from "../../recurrence/repeat.ts";
import { weekdayName } from "../../recurrence/repeat-words.ts";
import type { Catalog } from "../../sessions/catalog.ts";
import { SessionFilters, sessionFilters } from "../../sessions/session-filters.tsx";
import { addMinutes, repeatOf, type Schedule, sentenceOf } from "./schedule.ts";
import { words } from "./words.ts";

/** The timetable as it hangs on the wall: by location and weekday, in the order of the day. */
export function ScheduleList({ catalog }: { readonly catalog: Catalog }) {
  const t = words();
  const { organization } = useMe();
  const mayWrite = useMay("manager");
  const { location, service, resource, isFiltered } = sessionFilters();
  const today = localIn(Date.now(), organization.timezone).slice(0, 10);
  const filter = { locationId: location ?? undefined, serviceTypeId: service ?? undefined };
  const running = useWholeList("/app/v1/schedules", { ...filter, endsFrom: today }, { keepsLast: true });
  const isOver = { ...filter, endsBefore: today };
  const over = useRead("/app/v1/schedules", { query: { ...isOver, limit: 1 } }, { keepsLast: true });
  const isWithIt = ({ resourceIds = [] }: Schedule) => resource === null || resourceIds.includes(resource);
  return (
    <Page
      title={frameWords().screens.timetable}
      actions={
        mayWrite && (
          <Button kind="main" icon="plus" href="/console/timetable/new">
            {t.add}
          </Button>
        )
      }
    >
      <div class="timetable-filters">
        <SessionFilters catalog={catalog} />
      </div>
      <Shown reading={running} lines={10}>
        {({ data }) => {
          const shown = data.filter(isWithIt);
          if (shown.length === 0)
            return (
              <Empty
                icon="repeat"
                title={isFiltered ? t.noneFiltered : t.none}
                action={
                  mayWrite &&
                  !isFiltered && (
                    <Button kind="main" icon="plus" href="/console/timetable/new">
                      {t.add}
                    </Button>
                  )
                }
              >
                {isFiltered ? undefined : t.noneLead}
              </Empty>
            );
          return catalog.locations
            .filter(({ id }) => shown.some(({ locationId }) => locationId === id))
            .map(({ id, name, timezone }) => (
              <Section key={id} title={name}>
                <LocationWeek
                  schedules={shown.filter(({ locationId }) => locationId === id)}
                  timezone={timezone}
                  catalog={catalog}
                  today={today}
                />
              </Section>
            ));
        }}
      </Shown>
      {over.data && over.data.total > 0 && (
        <div class="timetable-over">
          <Folded summary={resource === null ? t.ended(count(over.data.total)) : t.endedAny}>
            {() => <EndedSchedules query={isOver} isShown={isWithIt} catalog={catalog} />}
          </Folded>
        </div>
      )}
    </Page>
  );
}

/** What is over: in years there may be thousands of them. */
function EndedSchedules({
  query,
  isShown,
  catalog,
}: {
  readonly query: ReadOptions<"/app/v1/schedules">["query"];
  readonly isShown: (schedule: Schedule) => boolean;
  readonly catalog: Catalog;
}) {
  const schedules = useWholeList("/app/v1/schedules", query, { keepsLast: true });
  return (
    <Shown reading={schedules} lines={5}>
      {({ data }) => (
        <ul class="timetable-list">
          {data.filter(isShown).map((schedule) => (
            <ScheduleLine key={schedule.id} schedule={schedule} catalog={catalog} isOver />
          ))}
        </ul>
      )}
    </Shown>
  );
}

/** A week at a location: a column for each weekday, and below what takes place on other dates. */
function LocationWeek({
  schedules,
  timezone,
  catalog,
  today,
}: {
  readonly schedules: readonly Schedule[];
  readonly timezone: string;
  readonly catalog: Catalog;
  readonly today: string;
}) {
  const t = words();
  const weekStart = useRead("/app/v1/settings").data?.weekStart === "sunday" ? 6 : 0;
  const { byWeekday, others } = useMemo(() => {
    const sorted = [...schedules].sort((a, b) => a.start.slice(11).localeCompare(b.start.slice(11)));
    const weekdaysOf = (schedule: Schedule): readonly number[] => {
      const repeat = repeatOf(schedule, timezone);
      if (repeat?.every === "day" && repeat.interval === 1) return WEEKDAYS;
      return repeat?.every === "week" ? repeat.weekdays : [];
    };
    return {
      byWeekday: WEEKDAYS.map((weekday) => sorted.filter((one) => weekdaysOf(one).includes(weekday))),
      others: sorted.filter((one) => weekdaysOf(one).length === 0),
    };
  }, [schedules, timezone]);
  const order = WEEKDAYS.map((day) => (day + weekStart) % 7);
  const isWeekly = byWeekday.some((day) => day.length > 0);
  return (
    <>
      {isWeekly && (
        <div class="timetable-week">
          {order.map((weekday) => (
            <div
              key={weekday}
              class={byWeekday[weekday]?.length === 0 ? "timetable-day timetable-day-free" : "timetable-day"}
            >
              <h3>{weekdayName(weekday, language.value)}</h3>
              {byWeekday[weekday]?.length === 0 && <p class="soft">{t.noSessions}</p>}
              <ul>
                {byWeekday[weekday]?.map((schedule) => (
                  <li key={schedule.id}>
                    <ScheduleCard schedule={schedule} timezone={timezone} catalog={catalog} today={today} />
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </div>
      )}
      {others.length > 0 && (
        <div class="stack timetable-others">
          {isWeekly && <h3>{t.otherDates}</h3>}
          <ul class="timetable-list">
            {others.map((schedule) => (
              <ScheduleLine key={schedule.id} schedule={schedule} catalog={catalog} />
            ))}
          </ul>
        </div>
      )}
    </>
  );
}

/** A class on its weekday. */
function ScheduleCard({
  schedule,
  timezone,
  catalog,
  today,
}: {
  readonly schedule: Schedule;
  readonly timezone: string;
  readonly catalog: Catalog;
  readonly today: string;
}) {
  const t = words();
  const { start, durationMinutes, capacity } = schedule;
  const repeat = repeatOf(schedule, timezone);
  const notes = [
    repeat && repeat.interval > 1 ? t.everyWeeks(repeat.interval) : undefined,
    start.slice(0, 10) > today ? t.from(shortDate(start)) : undefined,
    repeat?.end.kind === "on" ? t.until(shortDate(repeat.end.date)) : undefined,
    repeat?.end.kind === "after" ? t.times(repeat.end.times) : undefined,
    isOffered(schedule, catalog) ? undefined : t.notOffered,
  ].filter((note) => note !== undefined);
  return (
    <a class="timetable-card" href={`/console/timetable/${schedule.id}`}>
      <span class="timetable-time">
        {timeOf(start)}–{timeOf(addMinutes(start, durationMinutes))}
      </span>{" "}
      <strong>{typeName(schedule, catalog)}</strong>{" "}
      <small>
        {[...resourceNames(schedule, catalog, "person"), t.seats(capacity)].join(" · ")}
        {notes.length > 0 && <em> {notes.join(", ")}</em>}
      </small>
    </a>
  );
}

/** A class on a line, with its sentence. */
function ScheduleLine({
  schedule,
  catalog,
  isOver = false,
}: {
  readonly schedule: Schedule;
  readonly catalog: Catalog;
  readonly isOver?: boolean;
}) {
  const t = words();
  const location = catalog.locations.find(({ id }) => id === schedule.locationId);
  const notes = [
    isOver ? location?.name : undefined,
    ...resourceNames(schedule, catalog),
    isOver && schedule.lastSlot ? t.endedOn(shortDate(schedule.lastSlot)) : t.seats(schedule.capacity),
    isOver || isOffered(schedule, catalog) ? undefined : t.notOffered,
  ].filter((note) => note !== undefined);
  return (
    <li>
      <a class="timetable-card" href={`/console/timetable/${schedule.id}`}>
        <strong>{typeName(schedule, catalog)}</strong>{" "}
        <span>{sentenceOf(schedule, location?.timezone ?? "UTC")}</span> <small>{notes.join(" · ")}</small>
      </a>
    </li>
  );
}

export function typeName({ serviceTypeId }: Schedule, catalog: Catalog): string {
  return catalog.serviceTypes.find(({ id }) => id === serviceTypeId)?.name ?? "";
}

/** Who and what runs it; of one kind alone where there is little room. */
export function resourceNames({ resourceIds = [] }: Schedule, catalog: Catalog, only?: "person"): string[] {
  return resourceIds.flatMap((wanted) => {
    const resource = catalog.resources.find(({ id }) => id === wanted);
    return only === undefined || resource?.kind === only ? [resource?.name ?? wanted] : [];
  });
}

function isOffered({ locationId, serviceTypeId }: Schedule, { locations, serviceTypes }: Catalog): boolean {
  return (
    locations.find(({ id }) => id === locationId)?.status !== "closed" &&
    serviceTypes.find(({ id }) => id === serviceTypeId)?.status !== "archived"
  );
}
