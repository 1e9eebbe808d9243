import { useState } from "preact/hooks";
import { useRead } from "../../api/reads.ts";
import { writeOrTell } from "../../api/writes.ts";
import { Owes } from "../../booking/booking-state.tsx";
import type { PickedClient } from "../../booking/client-picker.tsx";
import { LEAST_LETTERS } from "../../booking/search-letters.ts";
import { CheckInDialog, fetchCheckInDialog } from "../../booking/session-panel.tsx";
import { nameOfClient } from "../../languages/client-name.ts";
import { instantTimeIn, timeOf } from "../../languages/format.ts";
import { isolate } from "../../languages/given-text.ts";
import { Combobox } from "../../parts/combobox.tsx";
import { Icon } from "../../parts/icon.tsx";
import { type CheckInOption, checkInOptions } from "./check-in-choice.ts";
import { orderForCheckIn, type RosterOfToday } from "./day.ts";
import { words } from "./words.ts";

const MOST_FOUND = 13;

/**
 * The queue at the desk: two letters, Enter, the next one. Who is booked today is known already and comes first; anybody
 * else is looked up, and booked before they are checked in.
 */
export function CheckInField({
  rosters,
  now,
}: {
  readonly rosters: readonly RosterOfToday[];
  readonly now: number;
}) {
  const t = words();
  const [text, setText] = useState("");
  const [note, setNote] = useState<string>();
  const [walkIn, setWalkIn] = useState<{ client?: PickedClient; typed: string }>();
  const wanted = text.trim();
  const isAsked = wanted.length >= LEAST_LETTERS;
  const found = useRead(
    isAsked ? "/app/v1/people" : undefined,
    { query: { query: wanted, limit: MOST_FOUND } },
    { keepsLast: true },
  );
  const order = orderForCheckIn(rosters, now);
  const people = found.data?.data ?? [];
  const known = isAsked ? checkInOptions(order, { people, isOld: found.isLoading }, wanted) : [];
  const isAnswered = isAsked && !found.isLoading && found.problem === undefined;
  // Somebody else may have the same name, or one that begins so.
  const options: Option[] = isAnswered ? [...known, { newName: wanted }] : known;
  const choose = (option: Option) => {
    setText("");
    setNote(undefined);
    if ("newName" in option) return setWalkIn({ typed: option.newName });
    if ("client" in option) return setWalkIn({ client: option.client, typed: "" });
    const { booking, roster } = option;
    const session = `${isolate(roster.session.serviceTypeName)} ${timeOf(roster.session.localStart)}`;
    if (Date.parse(roster.checkInFrom) > now)
      return setNote(t.opensAt(session, instantTimeIn(roster.checkInFrom, roster.session.timezone)));
    if (booking.state === "attended") return undefined;
    void writeOrTell(
      "setAttendance",
      { bookingId: booking.id, state: "attended" },
      { said: t.checkedIn(nameOfClient(booking.clientName), session) },
    );
    return undefined;
  };
  return (
    <div class="check-in">
      <Combobox<Option>
        label={t.checkInField}
        text={text}
        onText={(typed) => {
          setText(typed);
          setNote(undefined);
          if (typed.length === 1) void fetchCheckInDialog().catch(() => {});
        }}
        options={options}
        isReady={isAsked && !found.isLoading}
        fault={found.problem?.sentence}
        keyOf={(option) =>
          "newName" in option ? "new" : "client" in option ? option.client.id : option.booking.id
        }
        show={(option) => <OptionText option={option} now={now} />}
        onChoose={choose}
        placeholder={t.hint}
        hasFocus={!matchMedia("(pointer: coarse)").matches}
      />
      <p class="field-hint" role="status">
        {note ?? t.help}
      </p>
      {walkIn && (
        <CheckInDialog
          known={walkIn.client}
          typed={walkIn.typed}
          open={order.open}
          over={order.over}
          now={now}
          onClose={() => setWalkIn(undefined)}
        />
      )}
    </div>
  );
}

/** Or somebody whom nobody knows yet. */
type Option = CheckInOption | { readonly newName: string };

function OptionText({ option, now }: { readonly option: Option; readonly now: number }) {
  const t = words();
  if ("newName" in option)
    return (
      <>
        <Icon name="plus" /> <span>{t.addClient(option.newName)}</span>
      </>
    );
  const phoneEnd = option.phoneEnd && <small class="phone-end">{option.phoneEnd}</small>;
  if ("client" in option)
    return (
      <>
        <Icon name="plus" /> <span>{option.client.contactName}</span> {phoneEnd}
        <small>{option.isBookedToday ? t.anotherSession : t.notBooked}</small>
      </>
    );
  const { booking, roster } = option;
  const { session, checkInFrom } = roster;
  const isOpen = Date.parse(checkInFrom) <= now;
  return (
    <>
      <Icon name={booking.state === "attended" ? "check" : isOpen ? "user" : "clock"} />
      <span>{nameOfClient(booking.clientName)}</span> {phoneEnd}
      <Owes since={booking.owesSince} isBrief />
      <small>
        {timeOf(session.localStart)} <bdi>{session.serviceTypeName}</bdi>
        {booking.state === "attended" ? ` · ${t.here}` : Date.parse(session.endAt) <= now && ` · ${t.isOver}`}
        {!isOpen && ` · ${t.from(instantTimeIn(checkInFrom, session.timezone))}`}
      </small>
    </>
  );
}
