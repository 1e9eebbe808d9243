import { useEffect, useMemo } from "preact/hooks";
import type { Answer } from "../../api/reads.ts";
import { preload as preloadRead, refreshReads, useRead } from "../../api/reads.ts";
import { useNow } from "../../booking/now.ts";
import { fetchCheckInDialog, fetchSessionPanel, SessionPanel } from "../../booking/session-panel.tsx";
import { FirstSteps } from "../../first-steps/first-steps.tsx";
import { useNeedsFirstSteps } from "../../first-steps/progress.ts";
import { useMay, useMe } from "../../frame/me.ts";
import { frameWords } from "../../frame/words.ts";
import { localIn, longDate } from "../../languages/format.ts";
import { Button } from "../../parts/button.tsx";
import { SelectField } from "../../parts/field.tsx";
import { Folded } from "../../parts/folded.tsx";
import { lazyDialog } from "../../parts/lazy-dialog.tsx";
import { Empty } from "../../parts/notice.tsx";
import { Page, Section, Shown } from "../../parts/page.tsx";
import { usePrintSheet } from "../../parts/print-sheet.ts";
import { route, setQuery } from "../../routing/router.ts";
import { keyOfSession, nameFromText } from "../../routing/session-name.ts";
import { CheckInField } from "./check-in-field.tsx";
import { chooseLocation, EVERYWHERE, likelyLocation, useChosenLocation } from "./chosen-location.ts";
import { divideDay, type RosterOfToday } from "./day.ts";
import { SessionCard, SessionRow } from "./session-card.tsx";
import { TodoList } from "./todo-list.tsx";
import { words } from "./words.ts";
import "./today.css";

/** Nobody prints before the day is there. */
const [DaySheet, fetchDaySheet] = lazyDialog(
  async () => (await import("../../booking/roster-sheet.tsx")).DaySheet,
);

type Today = Answer<"/app/v1/today">;

/** Before that, nobody asks what day it is: the first clock of a time zone costs a slow phone a tenth of a second. */
const OLD_MS = 10_000;

/** A new organization is led to its first class; afterwards this is the day. */
export default function TodayScreen() {
  const needsFirstSteps = useNeedsFirstSteps();
  // Kept, so that the day is not drawn again with every answer about the first steps.
  const day = useMemo(() => <Day />, []);
  return needsFirstSteps ? <FirstSteps /> : day;
}

/** Asked for while the server says who is signed in: a slow phone waits for one answer less. */
export function preload(): void {
  preloadRead("/app/v1/locations");
  preloadRead("/app/v1/today", { query: { locationId: likelyLocation() } });
}

/** The day at the front desk: who comes now, who is next, and what is left to do. */
function Day() {
  const t = words();
  const { locationId, locations } = useChosenLocation();
  const today = useRead("/app/v1/today", { query: { locationId } }, { keepsLast: true });
  const now = useNow(today.data);
  const { timezone } = useMe().organization;
  const isDesk = useMay("front_desk");
  const opened = nameFromText(route.value.query.get("session"));
  const rosters = today.data?.sessions ?? [];
  const date = today.data?.date;
  // A page that is open over midnight shows the new day.
  const isOld = today.data !== undefined && now - Date.parse(today.data.now) > OLD_MS;
  const isYesterday = isOld && date !== undefined && localIn(now, timezone).slice(0, 10) > date;
  useEffect(() => {
    if (isYesterday) refreshReads();
  }, [isYesterday]);
  const isThere = date !== undefined;
  useEffect(() => {
    // Before the connection may be lost.
    if (isThere)
      void Promise.all([fetchDaySheet(), fetchSessionPanel(), fetchCheckInDialog()]).catch(() => {});
  }, [isThere]);
  usePrintSheet(() => <DaySheet date={date} rosters={rosters} />);
  return (
    <Page
      title={frameWords().screens.today}
      subtitle={date && longDate(date)}
      actions={
        <>
          {locations.length > 1 && (
            <SelectField
              label={t.location}
              isLabelHidden
              value={locationId ?? EVERYWHERE}
              choices={[
                { value: EVERYWHERE, label: t.everywhere },
                ...locations.map(({ id, name }) => ({ value: id, label: name })),
              ]}
              onChoose={chooseLocation}
            />
          )}
          <Button icon="print" data-print="" onClick={() => void fetchDaySheet().then(print)}>
            {t.print}
          </Button>
        </>
      }
    >
      <div class={isDesk ? "today" : undefined}>
        {isDesk && (
          <div class="today-desk">
            <CheckInField rosters={rosters} now={now} />
          </div>
        )}
        {isDesk && (
          <div class="today-todo">
            <TodoList locationId={locationId} />
          </div>
        )}
        <div class="today-day">
          <Shown reading={today} lines={8}>
            {(data) => (
              <Sessions today={data} now={now} hasPlace={locationId === undefined && locations.length > 1} />
            )}
          </Shown>
        </div>
      </div>
      {opened && (
        <SessionPanel
          session={opened}
          isBooking={route.value.query.has("book")}
          onClose={() => setQuery({ session: undefined, book: undefined })}
        />
      )}
    </Page>
  );
}

function Sessions({
  today,
  now,
  hasPlace,
}: {
  readonly today: Today;
  readonly now: number;
  readonly hasPlace: boolean;
}) {
  const t = words();
  const isDesk = useMay("front_desk");
  const { running, next, later, earlier } = divideDay(today.sessions, now);
  const row = (roster: RosterOfToday) => (
    <SessionRow key={keyOfSession(roster.session)} roster={roster} now={now} hasPlace={hasPlace} />
  );
  const card = (roster: RosterOfToday) => (
    <SessionCard key={keyOfSession(roster.session)} roster={roster} now={now} hasPlace={hasPlace} />
  );
  if (today.sessions.length === 0)
    return (
      <Empty
        icon="calendar"
        title={t.none}
        action={isDesk && <Button href="/console/timetable">{t.toTimetable}</Button>}
      >
        {isDesk && t.noneText}
      </Empty>
    );
  return (
    <>
      {running.length > 0 && <Section title={t.now}>{running.map(card)}</Section>}
      {next.length > 0 && <Section title={t.next}>{next.map(card)}</Section>}
      {running.length + next.length + later.length === 0 && <p class="soft">{t.over}</p>}
      {later.length > 0 && (
        <Section title={t.later}>
          <ul class="session-rows">{later.map(row)}</ul>
        </Section>
      )}
      {earlier.length > 0 && (
        <Folded summary={t.earlier(earlier.length)}>
          {() => <ul class="session-rows">{earlier.map(row)}</ul>}
        </Folded>
      )}
    </>
  );
}
