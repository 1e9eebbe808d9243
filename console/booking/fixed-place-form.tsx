import { useState } from "preact/hooks";
import { useDryRun } from "../api/dry-runs.ts";
import type { Schemas } from "../api/operations.ts";
import { useRead } from "../api/reads.ts";
import { type Input, type Result, useWrite } from "../api/writes.ts";
import { useMe } from "../frame/me.ts";
import { dayWindow } from "../languages/day-window.ts";
import { addDays, isDate } from "../languages/days.ts";
import { shortDate, timeOf, weekdayOf } from "../languages/format.ts";
import { isolate } from "../languages/given-text.ts";
import { Button } from "../parts/button.tsx";
import { DateField } from "../parts/date-field.tsx";
import { Actions } from "../parts/dialog.tsx";
import { ChecksField, SelectField } from "../parts/field.tsx";
import { Notice, ProblemNotice } from "../parts/notice.tsx";
import { Shown } from "../parts/page.tsx";
import type { PickedClient } from "./client-picker.tsx";
import {
  fixedPlaceWords,
  type Weekday,
  weekdayName,
  weekdayPlace,
  weekdayText,
} from "./fixed-place-words.ts";
import { words } from "./words.ts";
import "../parts/action-dialog.css";

type ListedSession = Schemas["NamedCalendarSession"];
type SlotResult = Result<"bookMany">[number];

/** A slot of the week. */
export interface ChosenPlace {
  readonly scheduleId: string;
  readonly weekday: Weekday;
}

interface WeeklySlot extends ChosenPlace {
  readonly session: ListedSession;
}

/** A fixed place that is to be another one. */
interface MovedPlace {
  readonly id: string;
  readonly lastDay: string;
}

/** So long is proposed. */
const WEEKS = 12;
/** What takes place every other week is seen too. */
const SHOWN_DAYS = 14;
const MOST_DAYS = 92;

/** The same from their keys. */
const pickedOf = (keys: readonly string[]): readonly ChosenPlace[] =>
  keys.map((key) => {
    const [scheduleId = "", weekday] = key.split(" ");
    return { scheduleId, weekday: weekday as Weekday };
  });

const keyOf = ({ scheduleId, weekday }: ChosenPlace) => `${scheduleId} ${weekday}`;

/** "Every Tuesday and Thursday until …": what will be booked, and what not and why, is said before. */
export function FixedPlaceForm({
  client,
  today,
  chosen = [],
  moved,
  onDone,
}: {
  readonly client: PickedClient;
  readonly today: string;
  readonly chosen?: readonly ChosenPlace[];
  readonly moved?: MovedPlace;
  readonly onDone: () => void;
}) {
  const t = fixedPlaceWords();
  const [picked, setPicked] = useState<readonly ChosenPlace[]>(chosen);
  const [fromDay, setFromDay] = useState(today);
  const [untilDay, setUntilDay] = useState(moved?.lastDay ?? addDays(today, WEEKS * 7 - 1));
  const booking = useWrite("bookMany");
  const moving = useWrite("moveFixedPlace");
  const isBusy = booking.isBusy || moving.isBusy;
  const isReady = picked.length > 0 && isDate(fromDay) && isDate(untilDay);
  const span = { places: placesOf(picked), fromDay, untilDay };
  const toBook: Input<"bookMany"> | undefined =
    isReady && !moved ? { clientId: client.id, ...span } : undefined;
  const toMove: Input<"moveFixedPlace"> | undefined =
    isReady && moved ? { fixedPlaceId: moved.id, ...span } : undefined;
  const booked = useDryRun("bookMany", isBusy ? undefined : toBook);
  const replaced = useDryRun("moveFixedPlace", isBusy ? undefined : toMove);
  const preview = moved ? replaced : booked;
  const problem = booking.problem ?? moving.problem ?? preview.problem;
  const slots = isReady && (moved ? replaced.run?.result?.booked : booked.run?.result);
  const bookable = slots ? slots.filter(({ bookingId }) => bookingId !== undefined).length : 0;
  const submit = async () => {
    const name = client.contactName;
    const isDone = toBook
      ? await booking.run(toBook, { said: t.booked(name, bookable) })
      : toMove && (await moving.run(toMove, { said: t.moved(name) }));
    if (isDone) onDone();
  };
  return (
    <form
      class="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy && bookable > 0) void submit();
      }}
    >
      <div class="columns">
        <DateField
          label={t.from}
          value={fromDay}
          min={today}
          onInput={setFromDay}
          fault={problem?.faultAt("fromDay")}
        />
        <DateField
          label={t.until}
          hint={t.untilHint}
          value={untilDay}
          min={fromDay}
          max={isDate(fromDay) ? addDays(fromDay, MOST_DAYS - 1) : undefined}
          onInput={setUntilDay}
          fault={problem?.faultAt("untilDay")}
        />
      </div>
      <WeeklySlots fromDay={isDate(fromDay) ? fromDay : today} picked={picked} onPick={setPicked} />
      <ProblemNotice problem={problem} shown={["fromDay", "untilDay"]} />
      <section class="action-effects" aria-live="polite" aria-busy={preview.isLoading}>
        <h3>{t.effects}</h3>
        {!isReady ? (
          <p class="soft">{t.choose}</p>
        ) : slots ? (
          <Effects slots={slots} ended={replaced.run?.result?.ended} />
        ) : (
          !problem && <p class="soft">{t.checking}</p>
        )}
      </section>
      <Actions>
        <Button
          kind="main"
          icon="repeat"
          isSubmit
          isBusy={isBusy}
          isDisabled={bookable === 0 || preview.problem !== undefined}
        >
          {moved ? t.move : t.book(bookable)}
        </Button>
      </Actions>
    </form>
  );
}

/** Days of one schedule are one place. */
function placesOf(picked: readonly ChosenPlace[]): NonNullable<Input<"bookMany">["places"]> {
  const days = new Map<string, Weekday[]>();
  for (const { scheduleId, weekday } of picked)
    days.set(scheduleId, [...(days.get(scheduleId) ?? []), weekday]);
  return [...days].map(([scheduleId, weekdays]) => ({ scheduleId, weekdays }));
}

/** The week of the timetable, each class once. */
function WeeklySlots({
  fromDay,
  picked,
  onPick,
}: {
  readonly fromDay: string;
  readonly picked: readonly ChosenPlace[];
  readonly onPick: (picked: readonly ChosenPlace[]) => void;
}) {
  const t = fixedPlaceWords();
  const { timezone } = useMe().organization;
  const [service, setService] = useState("");
  const [location, setLocation] = useState("");
  const sessions = useRead(
    "/app/v1/calendar",
    { query: dayWindow(fromDay, SHOWN_DAYS, timezone) },
    { keepsLast: true },
  );
  const isPicked = (slot: ChosenPlace) => picked.some((each) => keyOf(each) === keyOf(slot));
  return (
    <Shown reading={sessions}>
      {({ data }) => {
        const all = weekOf(data);
        const services = new Map(
          all.map(({ session }) => [session.serviceTypeId, session.serviceTypeName ?? ""]),
        );
        const locations = new Map(all.map(({ session }) => [session.locationId, session.locationName ?? ""]));
        // What is chosen stays in sight.
        const shown = all.filter(
          (slot) =>
            isPicked(slot) ||
            ((!services.has(service) || slot.session.serviceTypeId === service) &&
              (!locations.has(location) || slot.session.locationId === location)),
        );
        const days = [...new Set(shown.map(({ weekday }) => weekday))];
        if (all.length === 0) return <Notice>{t.none}</Notice>;
        return (
          <>
            <div class="columns">
              {services.size > 1 && (
                <SelectField
                  label={t.service}
                  value={services.has(service) ? service : ""}
                  choices={choicesOf(t.all, services)}
                  onChoose={setService}
                />
              )}
              {locations.size > 1 && (
                <SelectField
                  label={t.location}
                  value={locations.has(location) ? location : ""}
                  choices={choicesOf(t.everywhere, locations)}
                  onChoose={setLocation}
                />
              )}
            </div>
            <h3>{t.every}</h3>
            <div class="fixed-week">
              {days.map((day) => {
                const slots = shown.filter(({ weekday }) => weekday === day);
                return (
                  <ChecksField
                    key={day}
                    label={weekdayText(day, "long")}
                    values={picked.map(keyOf)}
                    choices={slots.map((slot) => ({
                      value: keyOf(slot),
                      label: slotText(slot.session, locations.size > 1),
                    }))}
                    onChange={(keys) => onPick(pickedOf(keys))}
                  />
                );
              })}
            </div>
          </>
        );
      }}
    </Shown>
  );
}

const choicesOf = (all: string, names: ReadonlyMap<string, string>) => [
  { value: "", label: all },
  ...[...names].map(([value, label]) => ({ value, label })),
];

/** By weekday and time. A series that has two classes on a day is one choice, as both are booked. */
function weekOf(sessions: readonly ListedSession[]): readonly WeeklySlot[] {
  const slots = new Map<string, WeeklySlot>();
  for (const session of sessions) {
    const { scheduleId, originalStart, status } = session;
    if (scheduleId === undefined || originalStart === undefined || status === "cancelled") continue;
    const slot = { scheduleId, weekday: weekdayName(originalStart), session };
    if (!slots.has(keyOf(slot))) slots.set(keyOf(slot), slot);
  }
  const timeIn = ({ session }: WeeklySlot) => timeOf(session.originalStart ?? "");
  return [...slots.values()].sort(
    (one, other) =>
      weekdayPlace(one.weekday) - weekdayPlace(other.weekday) || timeIn(one).localeCompare(timeIn(other)),
  );
}

function slotText(session: ListedSession, hasPlace: boolean): string {
  const { originalStart = "", serviceTypeName = "", resourceNames = [], locationName = "" } = session;
  const facts = [serviceTypeName, ...resourceNames, ...(hasPlace ? [locationName] : [])];
  return `${timeOf(originalStart)} ${facts.map(isolate).join(" · ")}`;
}

function Effects({
  slots,
  ended = [],
}: {
  readonly slots: readonly SlotResult[];
  readonly ended?: readonly Schemas["EndedBooking"][] | undefined;
}) {
  const t = fixedPlaceWords();
  const refused = slots.filter(({ bookingId }) => bookingId === undefined);
  const booked = slots.length - refused.length;
  const known = slots.filter(({ wasBooked }) => wasBooked).length;
  const late = ended.filter(({ state }) => state === "late_cancelled").length;
  if (slots.length === 0) return <p>{t.noSlots}</p>;
  return (
    <>
      <p>{refused.length === 0 ? t.allBooked(booked) : t.someBooked(booked, slots.length)}</p>
      {refused.length > 0 && (
        <ul>
          {refused.map((slot) => (
            <li key={`${slot.scheduleId} ${slot.originalStart}`}>
              {t.slot(
                `${weekdayOf(slot.originalStart)} ${shortDate(slot.originalStart)}`,
                timeOf(slot.originalStart),
                whyNot(slot),
              )}
            </li>
          ))}
        </ul>
      )}
      {known > 0 && <p>{t.known(known)}</p>}
      {ended.length > late && <p>{t.given(ended.length - late)}</p>}
      {late > 0 && <p>{t.late(late)}</p>}
    </>
  );
}

function whyNot({ reason, whyNot: why }: SlotResult): string {
  const t = fixedPlaceWords();
  const { reasons } = words();
  if (reason === "full") return t.full;
  if (reason === "session_cancelled") return t.closed;
  if (reason === "resource_busy") return t.busy;
  if (reason === "record_closed") return t.over;
  if (reason !== "not_covered") return t.other;
  const known = reasons[why as keyof typeof reasons];
  return known === undefined ? t.uncovered : t.uncoveredWhy(known);
}
