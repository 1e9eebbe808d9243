import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Problem } from "../../api/problem.ts";
import { useRead } from "../../api/reads.ts";
import { useWrite } from "../../api/writes.ts";
import { useMe } from "../../frame/me.ts";
import { isDate } from "../../languages/days.ts";
import { shortDate, timeOf, weekdayOf } from "../../languages/format.ts";
import { Button } from "../../parts/button.tsx";
import { DateField, TimeField } from "../../parts/date-field.tsx";
import { Actions } from "../../parts/dialog.tsx";
import { SelectField } from "../../parts/field.tsx";
import { LeaveGuard } from "../../parts/leave-guard.tsx";
import { Notice, ProblemNotice } from "../../parts/notice.tsx";
import { Page, Section } from "../../parts/page.tsx";
import { firstDate, isComplete, newRepeat, writeRule } from "../../recurrence/repeat.ts";
import { go, route, setQuery } from "../../routing/router.ts";
import { type Catalog, useOwnLocations } from "../../sessions/catalog.ts";
import {
  ResourceFields,
  SESSION_MEMBERS,
  type SessionDraft,
  SessionFields,
  toSession,
} from "../../sessions/session-fields.tsx";
import { DateList } from "./date-list.tsx";
import { moveDraft, withTime } from "./draft-moves.ts";
import { EditEffects } from "./edit-effects.tsx";
import { NextDates } from "./next-dates.tsx";
import { RepeatFields } from "./repeat-fields.tsx";
import { type Schedule, sayRepeat, sayRule, sentenceOf, windowOf } from "./schedule.ts";
import { changesOf, type Draft, draftOf, following, newDraft } from "./schedule-draft.ts";
import { typeName } from "./schedule-list.tsx";
import { words } from "./words.ts";

const SHOWN = [...SESSION_MEMBERS, "start", "exdates", "rdates"];

/** A new entry of the timetable, or what changes about one from a slot on. */
export function ScheduleForm({
  schedule,
  isGone = false,
  catalog,
}: {
  readonly schedule?: Schedule;
  /** Somebody has deleted it since the form was opened. */
  readonly isGone?: boolean;
  readonly catalog: Catalog;
}) {
  const { organization } = useMe();
  const timezone = catalog.locations.find(({ id }) => id === schedule?.locationId)?.timezone;
  const zone = timezone ?? organization.timezone;
  const settings = useRead("/app/v1/settings");
  const weekStart = settings.data?.weekStart === "sunday" ? 6 : 0;
  const sessions = useRead(
    schedule && "/app/v1/calendar",
    schedule ? windowOf(schedule, zone, Date.now()) : {},
  );
  // The next hour, or another rule, has another address: until it is answered the form stays with the dates it has.
  const known = useRef(sessions.data);
  known.current = sessions.data ?? known.current;
  const slots = (known.current?.data ?? []).flatMap(({ originalStart, startAt }) =>
    originalStart !== undefined && Date.parse(startAt) > Date.now() ? [originalStart] : [],
  );
  if (schedule && !known.current) return null;
  // A rule that is begun before it is known when weeks begin would mean other weeks.
  if (!settings.data && !settings.problem) return null;
  const asked = slotOf(route.value.query.get("from"), schedule);
  const from = asked ?? slots[0];
  return (
    <OpenForm
      key={schedule?.id}
      schedule={schedule}
      isGone={isGone}
      from={from}
      slots={asked !== undefined && !slots.includes(asked) ? [asked, ...slots] : slots}
      zone={zone}
      weekStart={weekStart}
      catalog={catalog}
    />
  );
}

function OpenForm({
  schedule,
  isGone,
  from,
  slots,
  zone,
  weekStart,
  catalog,
}: {
  readonly schedule: Schedule | undefined;
  readonly isGone: boolean;
  readonly from: string | undefined;
  readonly slots: readonly string[];
  readonly zone: string;
  readonly weekStart: number;
  readonly catalog: Catalog;
}) {
  const t = words();
  const own = useOwnLocations(catalog.locations);
  const content = JSON.stringify(schedule);
  const opened = useRef(content);
  const initial = useMemo<Draft>(
    () =>
      schedule
        ? draftOf(schedule, from, zone)
        : newDraft(own.length === 1 ? own[0]?.id : "", zone, weekStart),
    [from, content],
  );
  const [draft, setDraft] = useState(initial);
  const begunWith = useRef(initial);
  // It is to hold from another slot on, or somebody else has changed it: what was typed stays.
  useLayoutEffect(() => {
    const before = begunWith.current;
    begunWith.current = initial;
    if (before !== initial) setDraft((typed) => moveDraft(before, typed, initial));
  }, [initial]);
  const [isLooking, setLooking] = useState(false);
  const [leaving, setLeaving] = useState<string>();
  const [refused, setRefused] = useState<Problem>();
  const add = useWrite("addSchedule");
  const set = (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes }));
  const { session, date, time, repeat, rdates } = draft;
  const exdates = draft.exdates.map((exdate) => withTime(initial, time, exdate));
  const changeSession = (changes: Partial<SessionDraft>) => set({ session: { ...session, ...changes } });
  const first = repeat && isDate(date) ? firstDate(repeat, date) : isDate(date) ? date : undefined;
  const start = first === undefined || time === "" ? undefined : `${first}T${time}`;
  const rrule = repeat ? writeRule(repeat) : schedule?.rrule;
  const isReady = start !== undefined && (!repeat || isComplete(repeat)) && session.locationId !== "";
  const changes = schedule && changesOf(schedule, initial, draft, start, rrule);
  const isChanged = schedule ? Object.keys(changes ?? {}).length > 0 : draft !== initial;
  const problem = (schedule ? refused : add.problem)?.named({ from: t.applies });
  const at = schedule ? "changes." : "";
  const fault = (member: string) => problem?.faultAt(at + member);
  const isOver = schedule !== undefined && from === undefined;
  const name = typeName({ ...(schedule ?? EMPTY), serviceTypeId: session.serviceTypeId }, catalog);
  const back = schedule ? `/console/timetable/${schedule.id}` : "/console/timetable";
  const submit = async () => {
    if (!start) return;
    if (schedule) {
      setLooking(true);
      return;
    }
    const done = await add.run(
      {
        ...toSession(session),
        start,
        ...(rrule !== undefined && { rrule }),
        ...(exdates.length > 0 && { exdates }),
        ...(rdates.length > 0 && { rdates }),
      },
      { said: t.added(name) },
    );
    if (done?.result) setLeaving(`/console/timetable/${done.result.id}`);
  };
  // Left once nothing is guarded any more.
  useEffect(() => {
    if (leaving !== undefined) void go(leaving, { replace: true });
  }, [leaving]);
  return (
    <Page
      title={schedule ? t.editTitle(typeName(schedule, catalog)) : t.newTitle}
      actions={
        <Button icon="left" kind="quiet" href={back}>
          {t.back}
        </Button>
      }
    >
      <form
        class="schedule-form"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <div class="stack">
          <ProblemNotice problem={problem} shown={SHOWN.map((member) => at + member)} />
          {isGone ? (
            <Notice tone="bad">{t.gone}</Notice>
          ) : (
            schedule &&
            (isOver || content !== opened.current) &&
            leaving === undefined && (
              <Notice tone="warning">
                <div role="status">
                  {content !== opened.current && <p>{t.changedByOther(sentenceOf(schedule, zone))}</p>}
                  {isOver && <p>{t.over}</p>}
                </div>
              </Notice>
            )
          )}
          {schedule && from !== undefined && (
            <SelectField
              label={t.applies}
              hint={t.appliesHint}
              value={from}
              choices={slots.slice(0, 60).map((slot, place) => ({
                value: slot,
                label: place === 0 && slot === slots[0] ? t.appliesNext(shown(slot)) : shown(slot),
              }))}
              onChoose={(slot) => setQuery({ from: slot })}
            />
          )}
          <SessionFields
            draft={session}
            catalog={catalog}
            problem={problem}
            at={at}
            onChange={changeSession}
          />
          <div class="columns">
            {!schedule && (
              <DateField
                label={t.startDate}
                value={date}
                isRequired
                onInput={(value) =>
                  set({
                    date: value,
                    repeat: repeat && isDate(value) ? following(repeat, date, value) : repeat,
                  })
                }
                fault={fault("start")}
              />
            )}
            <TimeField
              label={t.time}
              value={time}
              isRequired
              onInput={(value) => set({ time: value })}
              fault={schedule ? fault("start") : undefined}
            />
          </div>
          {repeat ? (
            <RepeatFields
              repeat={repeat}
              weekStart={weekStart}
              onChange={(changed) => set({ repeat: changed })}
            />
          ) : (
            <Notice>
              <p>{t.ruleAsText}</p>
              <Button isSmall onClick={() => set({ repeat: newRepeat(date, weekStart) })}>
                {t.replaceRule}
              </Button>
            </Notice>
          )}
          <DateList
            label={t.exceptionDates}
            dates={exdates}
            time={time}
            fault={fault("exdates")}
            onChange={(dates) =>
              set({
                exdates: dates.map(
                  (date) =>
                    initial.exdates.find((exdate) => withTime(initial, time, exdate) === date) ?? date,
                ),
              })
            }
          />
          <DateList
            label={t.extraDates}
            dates={rdates}
            time={time}
            fault={fault("rdates")}
            onChange={(dates) => set({ rdates: dates })}
          />
          <ResourceFields
            draft={session}
            before={schedule?.resourceIds}
            catalog={catalog}
            fault={fault("resourceIds")}
            onChange={changeSession}
          />
          {schedule && !isChanged && <p class="soft">{t.nothingChanged}</p>}
          <Actions>
            <Button
              kind="main"
              isSubmit
              isBusy={add.isBusy}
              isDisabled={!isReady || isGone || isOver || (schedule !== undefined && !isChanged)}
            >
              {schedule ? t.saveMore : t.save}
            </Button>
            <Button href={back}>{t.cancel}</Button>
          </Actions>
        </div>
        <div class="card schedule-preview">
          <p class="schedule-sentence" role="status">
            {start === undefined
              ? ""
              : repeat
                ? isComplete(repeat)
                  ? sayRepeat(repeat, start)
                  : ""
                : sayRule(rrule ?? "", start, zone)}
          </p>
          <Section title={t.preview}>
            <NextDates
              slots={
                isReady && start !== undefined
                  ? {
                      start,
                      rrule,
                      exdates,
                      rdates,
                      durationMinutes:
                        Number(session.durationMinutes) > 0 ? Number(session.durationMinutes) : undefined,
                      locationId: session.locationId,
                    }
                  : undefined
              }
            />
          </Section>
        </div>
      </form>
      {isLooking && schedule && changes && from !== undefined && (
        <EditEffects
          schedule={schedule}
          from={from}
          changes={changes}
          name={name}
          onDone={(id) => {
            setLooking(false);
            setLeaving(`/console/timetable/${id}`);
          }}
          onRefused={(found) => {
            setRefused(found);
            setLooking(false);
          }}
          onClose={() => setLooking(false)}
        />
      )}
      <LeaveGuard isChanged={isChanged && !isGone && leaving === undefined} />
    </Page>
  );
}

const EMPTY: Schedule = {
  id: "",
  serviceTypeId: "",
  locationId: "",
  start: "",
  durationMinutes: 0,
  capacity: 0,
};

const MOST_YEARS_AHEAD = 5;

/** The slot that an address names, if it can be one of the schedule. */
function slotOf(text: string | null, schedule: Schedule | undefined): string | undefined {
  const [date, time = ""] = text?.split("T") ?? [];
  if (!text || !schedule || !isDate(date) || !/^\d{2}:\d{2}$/.test(time)) return undefined;
  const isNear = Number(date.slice(0, 4)) <= new Date().getUTCFullYear() + MOST_YEARS_AHEAD;
  return text >= schedule.start && isNear ? text : undefined;
}

function shown(local: string): string {
  return `${weekdayOf(local)} ${shortDate(local)}, ${timeOf(local)}`;
}
