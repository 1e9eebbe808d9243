import { useState } from "preact/hooks";
import type { Schemas } from "../../api/operations.ts";
import { useRead } from "../../api/reads.ts";
import { writeOrTell } from "../../api/writes.ts";
import { byClientName, hasSeat, Owes } from "../../booking/booking-state.tsx";
import type { PickedClient } from "../../booking/client-picker.tsx";
import { fitsName } from "../../booking/name-search.ts";
import { LEAST_LETTERS } from "../../booking/search-letters.ts";
import { CheckInDialog, fetchCheckInDialog } from "../../booking/session-panel.tsx";
import { instantTimeIn, timeOf } from "../../languages/format.ts";
import { isolate } from "../../languages/given-text.ts";
import { Combobox } from "../../parts/combobox.tsx";
import { Icon } from "../../parts/icon.tsx";
import { type CheckInOrder, orderForCheckIn, type RosterOfToday } from "./day.ts";
import { words } from "./words.ts";

type Booking = RosterOfToday["bookings"][number];
type Option =
  | { readonly booking: Booking; readonly roster: RosterOfToday }
  | { readonly client: Schemas["FoundPerson"] };

const MOST_BOOKED = 8;
const MOST_OTHERS = 5;

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
  const [walkIn, setWalkIn] = useState<PickedClient>();
  const wanted = text.trim();
  const isAsked = wanted.length >= LEAST_LETTERS;
  const found = useRead(
    isAsked ? "/app/v1/people" : undefined,
    { query: { query: wanted, limit: MOST_BOOKED + MOST_OTHERS } },
    { keepsLast: true },
  );
  const order = orderForCheckIn(rosters, now);
  const booked = isAsked ? findBooked(order, wanted) : [];
  const bookedIds = new Set(booked.map(({ booking }) => booking.clientId));
  const others = (isAsked ? (found.data?.data ?? []) : [])
    .filter(
      ({ id, contactName, status }) =>
        status === "active" && !bookedIds.has(id) && (found.isLoading ? fitsName(contactName, wanted) : true),
    )
    .slice(0, MOST_OTHERS)
    .map((client): Option => ({ client }));
  const choose = (option: Option) => {
    setText("");
    setNote(undefined);
    if ("client" in option) return setWalkIn(option.client);
    const { booking, roster } = option;
    const session = `${isolate(roster.session.serviceTypeName)} ${timeOf(roster.session.localStart)}`;
    if (Date.parse(roster.checkInFrom) > now)
      return setNote(t.opensAt(session, instantTimeIn(roster.checkInFrom, roster.session.timezone)));
    if (booking.state === "attended") return undefined;
    void writeOrTell(
      "setAttendance",
      { bookingId: booking.id, state: "attended" },
      { said: t.checkedIn(booking.clientName, session) },
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
        options={[...booked, ...others]}
        isReady={isAsked && !found.isLoading}
        fault={found.problem?.sentence}
        keyOf={(option) => ("client" in option ? option.client.id : option.booking.id)}
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
          client={walkIn}
          rosters={[...order.open, ...order.over]}
          now={now}
          onClose={() => setWalkIn(undefined)}
        />
      )}
    </div>
  );
}

function OptionText({ option, now }: { readonly option: Option; readonly now: number }) {
  const t = words();
  if ("client" in option)
    return (
      <>
        <Icon name="plus" /> <span>{option.client.contactName}</span>
        <small>{t.notBooked}</small>
      </>
    );
  const { booking, roster } = option;
  const { session, checkInFrom } = roster;
  const isOpen = Date.parse(checkInFrom) <= now;
  return (
    <>
      <Icon name={booking.state === "attended" ? "check" : isOpen ? "user" : "clock"} />
      <span>{booking.clientName}</span>
      <Owes since={booking.owesSince} isBrief />
      <small>
        {timeOf(session.localStart)} <bdi>{session.serviceTypeName}</bdi>
        {booking.state === "attended" ? ` · ${t.here}` : Date.parse(session.endAt) <= now && ` · ${t.isOver}`}
        {!isOpen && ` · ${t.from(instantTimeIn(checkInFrom, session.timezone))}`}
      </small>
    </>
  );
}

/** Those who can be checked in now first; then who comes later, who is left of what is over, and who is here already. */
function findBooked({ open, notYet, over }: CheckInOrder, wanted: string) {
  const found = [...open, ...notYet, ...over].flatMap((roster) =>
    byClientName(
      roster.bookings.filter((booking) => hasSeat(booking) && fitsName(booking.clientName, wanted)),
    ).map((booking) => ({ booking, roster })),
  );
  const isHere = ({ booking }: (typeof found)[number]) => booking.state === "attended";
  return [...found.filter((entry) => !isHere(entry)), ...found.filter(isHere)].slice(0, MOST_BOOKED);
}
