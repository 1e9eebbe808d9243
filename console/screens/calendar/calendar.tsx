import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import type { Schemas } from "../../api/operations.ts";
import { preload, useRead } from "../../api/reads.ts";
import { fetchSessionPanel } from "../../booking/session-panel.tsx";
import { useMay, useMe } from "../../frame/me.ts";
import { frameWords } from "../../frame/words.ts";
import { addDays, isDate, weekBegin } from "../../languages/days.ts";
import {
  dateRange,
  fullDate,
  listOf,
  localIn,
  monthOf,
  weekdayOf,
  zoneName,
} from "../../languages/format.ts";
import { Button, IconButton } from "../../parts/button.tsx";
import { DateField } from "../../parts/date-field.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Menu, type MenuItem } from "../../parts/menu.tsx";
import { Empty, Notice } from "../../parts/notice.tsx";
import { Page } from "../../parts/page.tsx";
import { route, setQuery } from "../../routing/router.ts";
import { keyOfSession } from "../../routing/session-name.ts";
import { type Catalog, useCatalog, useOwnLocations } from "../../sessions/catalog.ts";
import { OpenedSession } from "../../sessions/opened-session.tsx";
import { SessionFilters, sessionFilters } from "../../sessions/session-filters.tsx";
import { AddSession } from "./add-session.tsx";
import { CloseDays } from "./close-days.tsx";
import { ColorDialog } from "./color-dialog.tsx";
import { coloredIdOf, coloredThings, type Hue } from "./hues.ts";
import { MoveSession } from "./move-session.tsx";
import type { CalendarSession } from "./placement.ts";
import { WeekGrid } from "./week-grid.tsx";
import { words } from "./words.ts";
import "./calendar.css";

type Opened =
  | { readonly kind: "add"; readonly date: string; readonly time: string }
  | { readonly kind: "close" }
  | { readonly kind: "colors" }
  | { readonly kind: "move"; readonly session: CalendarSession; readonly start: string };

const NO_SESSIONS: readonly CalendarSession[] = [];

/** What takes place in a week or on a day. The address has the date, the view and the filters. */
export default function CalendarScreen() {
  const t = words();
  const { organization } = useMe();
  const { query } = route.value;
  const isNarrow = useNarrow();
  const settings = useRead("/app/v1/settings").data;
  const catalog = useCatalog();
  const own = useOwnLocations(catalog.locations);
  const mayClose = useMay("manager");
  const mayColor = useMay("owner");
  const colors = useRead("/app/v1/calendar-colors").data;
  const [opened, setOpened] = useState<Opened>();

  const today = localIn(Date.now(), organization.timezone).slice(0, 10);
  const asked = query.get("date");
  const date = isDate(asked) ? asked : today;
  const view = (query.get("view") ?? (isNarrow ? "day" : "week")) === "day" ? "day" : "week";
  const first = weekBegin(date, settings?.weekStart ?? "monday");
  const dates = useMemo(() => Array.from({ length: 7 }, (_, day) => addDays(first, day)), [first]);
  const reading = useRead(settings ? "/app/v1/calendar" : undefined, windowOf(first));
  useEffect(() => {
    if (!reading.data) return;
    // So that turning the page shows the next one at once.
    preload("/app/v1/calendar", windowOf(addDays(first, 7)));
    preload("/app/v1/calendar", windowOf(addDays(first, -7)));
    void fetchSessionPanel().catch(() => {});
  }, [first, reading.data === undefined]);

  const { location, service, resource, isFiltered } = sessionFilters();
  const all = reading.data?.data ?? NO_SESSIONS;
  const sessions = useMemo(
    () =>
      all.filter(
        ({ locationId, serviceTypeId, resourceIds = [] }) =>
          (location === null || locationId === location) &&
          (service === null || serviceTypeId === service) &&
          (resource === null || resourceIds.includes(resource)),
      ),
    [all, location, service, resource],
  );
  const days = view === "week" ? dates : [date];
  const { hueOf, legend } = useHues(
    colors,
    catalog,
    useMemo(
      () => sessions.filter(({ localStart = "" }) => days.includes(localStart.slice(0, 10))),
      [sessions, days.join()],
    ),
  );
  const isEmpty = reading.data !== undefined && sessions.length === 0;
  const timezone = catalog.locations.find(({ id }) => id === location)?.timezone ?? organization.timezone;
  const range = view === "week" ? dateRange(first, addDays(first, 6)) : fullDate(date);
  const turn = (step: number) =>
    setQuery({ date: addDays(date, view === "week" ? 7 * step : step) }, { replace: false });
  const canMove = (session: CalendarSession) =>
    session.status === "scheduled" &&
    Date.parse(session.startAt) > Date.now() &&
    own.some(({ id }) => id === session.locationId);
  const close = () => setOpened(undefined);

  const menu: MenuItem[] = [
    {
      label: query.get("hours") === "all" ? t.usedHours : t.wholeDay,
      icon: "clock",
      onChoose: () => setQuery({ hours: query.get("hours") === "all" ? undefined : "all" }),
    },
    { label: t.print, icon: "print", onChoose: () => print() },
    ...(mayColor && colors
      ? [{ label: t.colors, icon: "edit" as const, onChoose: () => setOpened({ kind: "colors" }) }]
      : []),
    ...(mayClose
      ? [{ label: t.close, icon: "block" as const, onChoose: () => setOpened({ kind: "close" }) }]
      : []),
  ];
  return (
    <Page
      title={frameWords().screens.calendar}
      subtitle={isNarrow ? monthOf(date) : view === "day" ? `${weekdayOf(date, "long")}, ${range}` : range}
      actions={
        <>
          {own.length > 0 && (
            <Button
              kind="main"
              icon="plus"
              onClick={() => setOpened({ kind: "add", date: date < today ? today : date, time: "09:00" })}
            >
              {t.add}
            </Button>
          )}
          <Menu label={t.more} items={menu} />
        </>
      }
    >
      <div class="calendar-bar no-print">
        <div class="row">
          <IconButton icon="left" label={t.before[view]} onClick={() => turn(-1)} />
          <Button isSmall onClick={() => setQuery({ date: undefined }, { replace: false })}>
            {t.today}
          </Button>
          <IconButton icon="right" label={t.next[view]} onClick={() => turn(1)} />
          <GoTo date={date} />
        </div>
        <fieldset class="calendar-switch" aria-label={t.views}>
          {(["week", "day"] as const).map((name) => (
            <button
              key={name}
              type="button"
              aria-pressed={view === name}
              onClick={() => setQuery({ view: name }, { replace: false })}
            >
              {name === "week" ? t.week : t.day}
            </button>
          ))}
        </fieldset>
        <Filters isNarrow={isNarrow} isFiltered={isFiltered}>
          <SessionFilters catalog={catalog} />
        </Filters>
      </div>
      {reading.problem && <Notice tone="bad">{reading.problem.message}</Notice>}
      <ZoneNote sessions={sessions} dates={dates} />
      {view === "day" && isNarrow && (
        <nav class="week-strip no-print" aria-label={t.week}>
          {dates.map((day) => (
            <button
              key={day}
              type="button"
              aria-current={day === date ? "date" : undefined}
              onClick={() => setQuery({ date: day })}
            >
              <span>{weekdayOf(day, "narrow")}</span> <strong>{Number(day.slice(8))}</strong>
            </button>
          ))}
        </nav>
      )}
      <WeekGrid
        label={t.grid(range)}
        dates={dates}
        sessions={sessions}
        isLoading={reading.data === undefined}
        view={view}
        date={date}
        today={localIn(Date.now(), timezone).slice(0, 10)}
        isNarrow={isNarrow}
        hasWholeDay={query.get("hours") === "all"}
        hasLocations={location === null && catalog.locations.length > 1}
        timezone={timezone}
        hueOf={hueOf}
        canMove={canMove}
        onOpen={(session) => setQuery({ session: keyOfSession(session) }, { replace: false })}
        onMove={(session, start) => setOpened({ kind: "move", session, start })}
        onAdd={own.length > 0 ? (day, time) => setOpened({ kind: "add", date: day, time }) : undefined}
        onDay={(day) => setQuery({ date: day, view: "day" }, { replace: false })}
        onSwipe={(day) => setQuery({ date: day })}
        onTurn={turn}
      />
      {legend.length > 1 && (
        <ul class="calendar-legend soft" aria-label={t.colors}>
          {legend.map(({ id, name, hue }) => (
            <li key={id}>
              <span class={`hue-spot hue-${hue}`} aria-hidden="true" /> {name}
            </li>
          ))}
        </ul>
      )}
      {isEmpty && (
        <Empty
          icon="calendar"
          title={isFiltered ? t.noneFiltered : t.none}
          action={
            isFiltered ? (
              <Button onClick={() => setQuery({ location: "", service: "", with: "" })}>
                {t.clearFilters}
              </Button>
            ) : (
              own.length > 0 && <Button href="/console/timetable">{t.toTimetable}</Button>
            )
          }
        >
          {isFiltered ? undefined : t.noneLead}
        </Empty>
      )}
      <OpenedSession />
      {opened?.kind === "add" && (
        <AddSession
          date={opened.date}
          time={opened.time}
          locationId={location ?? undefined}
          serviceTypeId={service ?? undefined}
          known={all}
          catalog={catalog}
          onClose={close}
        />
      )}
      {opened?.kind === "colors" && colors && (
        <ColorDialog stored={colors} catalog={catalog} onClose={close} />
      )}
      {opened?.kind === "close" && (
        <CloseDays
          catalog={catalog}
          locationId={location ?? undefined}
          date={date < today ? today : date}
          onClose={close}
        />
      )}
      {opened?.kind === "move" && (
        <MoveSession session={opened.session} start={opened.start} onClose={close} />
      )}
    </Page>
  );
}

/** The colour of each session, and what the colours of those that are shown stand for. */
function useHues(
  colors: Schemas["CalendarColors"] | undefined,
  { serviceTypes, resources, isLoaded }: Catalog,
  sessions: readonly CalendarSession[],
) {
  // The catalog is another one whenever the screen is drawn, though what is in it is the same.
  const things =
    colors && isLoaded ? coloredThings(colors.by, colors.colors, { serviceTypes, resources }) : [];
  const by = colors?.by ?? "none";
  const key = [by, ...things.map(({ id, hue }) => `${id} ${hue}`)].join();
  const hues = useMemo(() => new Map<string, Hue>(things.map(({ id, hue }) => [id, hue])), [key]);
  const hueOf = useCallback(
    (session: CalendarSession) => hues.get(coloredIdOf(by, session, hues) ?? ""),
    [hues],
  );
  const shown = useMemo(
    () => new Set(sessions.map((session) => coloredIdOf(by, session, hues))),
    [sessions, hues],
  );
  return { hueOf, legend: things.filter(({ id }) => shown.has(id)) };
}

/** Everything that is on these days on any clock of the world, and what began the day before. */
function windowOf(first: string) {
  return { query: { from: `${addDays(first, -2)}T10:00:00Z`, to: `${addDays(first, 7)}T12:00:00Z` } };
}

/** On a phone the filters are folded, so that the day has the room. */
function Filters({
  isNarrow,
  isFiltered,
  children,
}: {
  readonly isNarrow: boolean;
  readonly isFiltered: boolean;
  readonly children: preact.ComponentChildren;
}) {
  const t = words();
  if (!isNarrow) return <div class="calendar-filters">{children}</div>;
  return (
    <details open={isFiltered}>
      <summary class="button button-small">
        <Icon name="filter" size={16} /> <span>{t.filters}</span>
      </summary>
      <div class="calendar-filters">{children}</div>
    </details>
  );
}

/** A day is gone to once it is written whole. */
function GoTo({ date }: { readonly date: string }) {
  const t = words();
  const [draft, setDraft] = useState(date);
  useEffect(() => setDraft(date), [date]);
  return (
    <div class="calendar-goto">
      <DateField
        label={t.goTo}
        isLabelHidden
        value={draft}
        onInput={setDraft}
        onDone={(chosen) => {
          if (!isDate(chosen)) setDraft(date);
          else if (chosen !== date) setQuery({ date: chosen }, { replace: false });
        }}
      />
    </div>
  );
}

/** Which places have clocks of their own. */
function ZoneNote({
  sessions,
  dates,
}: {
  readonly sessions: readonly CalendarSession[];
  readonly dates: readonly string[];
}) {
  const t = words();
  const { organization } = useMe();
  const zones = new Map<string, Set<string>>();
  for (const { timezone, locationName, localStart = "" } of sessions) {
    if (timezone === undefined || timezone === organization.timezone) continue;
    if (!dates.includes(localStart.slice(0, 10))) continue;
    zones.set(timezone, (zones.get(timezone) ?? new Set()).add(locationName ?? ""));
  }
  if (zones.size === 0) return null;
  return (
    <p class="soft calendar-zones">
      <Icon name="clock" size={16} />{" "}
      {[...zones]
        .map(([zone, places]) =>
          t.otherZone(listOf([...places]), `${zone}, ${zoneName(`${dates[0]}T12:00:00Z`, zone)}`),
        )
        .join(" ")}
    </p>
  );
}

function useNarrow(): boolean {
  const narrow = matchMedia("(max-width: 720px)");
  const [isNarrow, setNarrow] = useState(narrow.matches);
  useEffect(() => {
    const onChange = () => setNarrow(narrow.matches);
    narrow.addEventListener("change", onChange);
    return () => narrow.removeEventListener("change", onChange);
  }, []);
  return isNarrow;
}
