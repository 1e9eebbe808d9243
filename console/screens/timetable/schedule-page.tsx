import { useState } from "preact/hooks";
import { useRead } from "../../api/reads.ts";
import { useWrite } from "../../api/writes.ts";
import { useMay, useMe } from "../../frame/me.ts";
import { listOf, localIn, shortDate, timeOf, weekdayOf } from "../../languages/format.ts";
import { Button } from "../../parts/button.tsx";
import { ConfirmDialog } from "../../parts/form-dialog.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Badge, ProblemNotice } from "../../parts/notice.tsx";
import { Page, Section, Shown } from "../../parts/page.tsx";
import { Table } from "../../parts/table.tsx";
import { go, setQuery } from "../../routing/router.ts";
import { keyOfSession } from "../../routing/session-name.ts";
import type { Catalog } from "../../sessions/catalog.ts";
import { OpenedSession } from "../../sessions/opened-session.tsx";
import { EndSchedule } from "./end-schedule.tsx";
import { type Schedule, sentenceOf, windowOf } from "./schedule.ts";
import { resourceNames, typeName } from "./schedule-list.tsx";
import { words } from "./words.ts";

const NEXT = 10;

/** One entry of the timetable: what it is, and its next sessions. */
export function SchedulePage({
  schedule,
  catalog,
}: {
  readonly schedule: Schedule;
  readonly catalog: Catalog;
}) {
  const t = words();
  const { organization } = useMe();
  const mayWrite = useMay("manager");
  const location = catalog.locations.find(({ id }) => id === schedule.locationId);
  const timezone = location?.timezone ?? organization.timezone;
  const sessions = useRead("/app/v1/calendar", windowOf(schedule, timezone, Date.now()));
  const [opened, setOpened] = useState<"end" | "remove">();
  const name = typeName(schedule, catalog);
  const address = `/console/timetable/${schedule.id}`;
  const today = localIn(Date.now(), timezone).slice(0, 10);
  const coming = (dates: readonly string[]) => dates.filter((local) => local.slice(0, 10) >= today);
  const facts: readonly (readonly [string, string | undefined])[] = [
    [t.length, t.minutes(schedule.durationMinutes)],
    [t.capacity, String(schedule.capacity)],
    [
      t.with,
      resourceNames(schedule, catalog).length > 0 ? listOf(resourceNames(schedule, catalog)) : t.nobody,
    ],
    [t.exceptions, listed(coming(schedule.exdates ?? []))],
    [t.extras, listed(coming(schedule.rdates ?? []))],
  ];
  return (
    <Page
      title={name}
      subtitle={[location?.name, timezone === organization.timezone ? undefined : timezone]
        .filter(Boolean)
        .join(" · ")}
      actions={
        <>
          <Button icon="left" kind="quiet" href="/console/timetable">
            {t.back}
          </Button>
          {mayWrite && (
            <>
              <Button kind="main" icon="edit" href={`${address}/edit`}>
                {t.edit}
              </Button>
              <Menu
                label={t.more}
                items={[
                  { label: t.end, icon: "block", onChoose: () => setOpened("end") },
                  {
                    label: t.remove,
                    icon: "delete",
                    isDangerous: true,
                    onChoose: () => setOpened("remove"),
                  },
                ]}
              />
            </>
          )}
        </>
      }
    >
      <div class="card schedule-facts">
        <p class="schedule-sentence">{sentenceOf(schedule, timezone)}</p>
        <dl>
          {facts.map(
            ([term, text]) =>
              text !== undefined && (
                <div key={term}>
                  <dt>{term}</dt>
                  <dd>{text}</dd>
                </div>
              ),
          )}
          {schedule.continuesId && (
            <div>
              <dt>{t.continues}</dt>
              <dd>
                <a href={`/console/timetable/${schedule.continuesId}`}>{t.continuesLink}</a>
              </dd>
            </div>
          )}
        </dl>
      </div>
      <Section title={t.next}>
        <Shown reading={sessions} lines={8}>
          {({ data }) => {
            const next = data.filter(({ endAt }) => Date.parse(endAt) > Date.now()).slice(0, NEXT);
            if (next.length === 0) return <p class="soft">{t.nextNone}</p>;
            return (
              <Table
                caption={t.next}
                rows={next}
                keyOf={keyOfSession}
                columns={[
                  {
                    title: t.date,
                    cell: ({ localStart = "", status }) => (
                      <span class={status === "cancelled" ? "struck" : undefined}>
                        {weekdayOf(localStart)} {shortDate(localStart)}, {timeOf(localStart)}
                      </span>
                    ),
                  },
                  {
                    title: t.booked,
                    cell: ({ bookedCount, capacity, status }) =>
                      status === "cancelled" ? (
                        <Badge>{t.cancelled}</Badge>
                      ) : (
                        t.bookedOf(bookedCount, capacity)
                      ),
                  },
                  {
                    title: t.sessionActions,
                    isTitleHidden: true,
                    cell: (session) => (
                      <div class="row schedule-choices">
                        <Button
                          isSmall
                          onClick={() => setQuery({ session: keyOfSession(session) }, { replace: false })}
                        >
                          {t.thisOne}
                        </Button>
                        {mayWrite &&
                          session.originalStart !== undefined &&
                          Date.parse(session.startAt) > Date.now() && (
                            <Button isSmall href={`${address}/edit?from=${session.originalStart}`}>
                              {t.following}
                            </Button>
                          )}
                      </div>
                    ),
                  },
                ]}
              />
            );
          }}
        </Shown>
        <p>
          <a href={`/console/calendar?location=${schedule.locationId}&service=${schedule.serviceTypeId}`}>
            {t.inCalendar}
          </a>
        </p>
      </Section>
      <OpenedSession />
      {opened === "end" && (
        <EndSchedule schedule={schedule} name={name} today={today} onClose={() => setOpened(undefined)} />
      )}
      {opened === "remove" && (
        <RemoveSchedule schedule={schedule} name={name} onClose={() => setOpened(undefined)} />
      )}
    </Page>
  );
}

function RemoveSchedule({
  schedule,
  name,
  onClose,
}: {
  readonly schedule: Schedule;
  readonly name: string;
  readonly onClose: () => void;
}) {
  const t = words();
  const remove = useWrite("deleteSchedule");
  const confirm = async () => {
    if (await remove.run({ scheduleId: schedule.id }, { said: t.removed(name) }))
      await go("/console/timetable");
  };
  return (
    <ConfirmDialog
      title={t.removeTitle(name)}
      confirm={t.removeConfirm}
      isBusy={remove.isBusy}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <p>{t.removeText}</p>
      <ProblemNotice problem={remove.problem} />
    </ConfirmDialog>
  );
}

function listed(dates: readonly string[]): string | undefined {
  return dates.length === 0
    ? undefined
    : dates.map((local) => `${shortDate(local)}, ${timeOf(local)}`).join(" · ");
}
