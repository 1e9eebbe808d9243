import { useState } from "preact/hooks";
import { type Input, queuedBookings, writeOrTell } from "../api/writes.ts";
import { useMay } from "../frame/me.ts";
import { count } from "../languages/format.ts";
import { Button } from "../parts/button.tsx";
import { Folded } from "../parts/folded.tsx";
import { Menu, type MenuItem } from "../parts/menu.tsx";
import { go } from "../routing/router.ts";
import { BookingState, byClientName } from "./booking-state.tsx";
import { CancelBookingDialog } from "./cancel-booking-dialog.tsx";
import { CoverDialog } from "./cover-dialog.tsx";
import type { Roster, RosterBooking } from "./roster-types.ts";
import { hasSeat } from "./seat-state.ts";
import { WaitingLine } from "./waiting-line.tsx";
import { words } from "./words.ts";

interface RosterListsProps {
  readonly roster: Roster;
  readonly now: number;
  /** Say who came: teachers may, too. */
  readonly mayMark: boolean;
  readonly mayWrite: boolean;
  /** Covering is possible after the record is closed too. */
  readonly mayCover: boolean;
}

/** Who has a seat, who waits, and who cancelled. */
export function RosterLists({ roster, now, mayMark, mayWrite, mayCover }: RosterListsProps) {
  const t = words();
  const seated = byClientName(roster.bookings.filter(hasSeat));
  const ended = byClientName(roster.bookings.filter((booking) => !hasSeat(booking)));
  const { session } = roster;
  const isOver = now >= Date.parse(session.endAt);
  const unmarked = seated.filter(({ state }) => state === "booked").length;
  const row = (booking: RosterBooking) => (
    <BookingRow
      key={booking.id}
      booking={booking}
      roster={roster}
      now={now}
      mayMark={mayMark}
      mayWrite={mayWrite}
      mayCover={mayCover}
    />
  );
  return (
    <>
      <section class="stack roster">
        <h3>{t.people(seated.length)}</h3>
        {seated.length === 0 && <p class="soft">{t.nobody}</p>}
        <ul class="people">{seated.map(row)}</ul>
        {mayMark && now >= Date.parse(session.startAt) && unmarked > 0 && session.id !== undefined && (
          <MarkRestButtons sessionId={session.id} unmarked={unmarked} isOver={isOver} />
        )}
      </section>
      <WaitingLine roster={roster} now={now} mayWrite={mayWrite} />
      {ended.length > 0 && (
        <Folded summary={t.ended(count(ended.length))}>
          {() => <ul class="people">{ended.map(row)}</ul>}
        </Folded>
      )}
    </>
  );
}

/** Of all who are not marked yet: they came, or, once it is over, they did not. */
export function MarkRestButtons({
  sessionId,
  unmarked,
  isOver = true,
  onDone,
}: {
  readonly sessionId: string;
  readonly unmarked: number;
  readonly isOver?: boolean;
  readonly onDone?: () => void;
}) {
  const t = words();
  const mark = async (input: Input<"markRest">, said: string) => {
    if (await writeOrTell("markRest", input, { said })) onDone?.();
  };
  return (
    <div class="row">
      <Button
        isSmall
        icon="check"
        onClick={() => void mark({ sessionId, state: "attended" }, t.cameMarked(unmarked))}
      >
        {t.allCame(unmarked)}
      </Button>
      {isOver && (
        <Button isSmall onClick={() => void mark({ sessionId }, t.restMarked(unmarked))}>
          {t.markRest(unmarked)}
        </Button>
      )}
    </div>
  );
}

interface BookingRowProps extends RosterListsProps {
  readonly booking: RosterBooking;
}

function BookingRow({ booking, roster, now, mayMark, mayWrite, mayCover }: BookingRowProps) {
  const t = words();
  const isDesk = useMay("front_desk");
  const [asked, setAsked] = useState<"cancel" | "cover">();
  const { id, clientName: name, state, planName, uncoveredReason } = booking;
  const isCheckInOpen = now >= Date.parse(roster.checkInFrom);
  const hasBegun = now >= Date.parse(roster.session.startAt);
  const set = (wanted: "booked" | "attended" | "no_show", said: string) => () =>
    void writeOrTell("setAttendance", { bookingId: id, state: wanted }, { said });
  const checkIn = set("attended", t.checkedIn(name));
  const item = (isOffered: boolean, entry: MenuItem): MenuItem[] => (isOffered ? [entry] : []);
  const isSeated = hasSeat(booking);
  const items: MenuItem[] = [
    ...item(mayMark && state === "no_show" && isCheckInOpen, {
      label: t.checkIn,
      icon: "check",
      onChoose: checkIn,
    }),
    ...item(mayMark && (state === "booked" || state === "attended") && hasBegun, {
      label: t.noShow,
      icon: "close",
      onChoose: set("no_show", t.isNoShow(name)),
    }),
    ...item(mayMark && (state === "attended" || state === "no_show"), {
      label: t.unmark,
      icon: "undo",
      onChoose: set("booked", t.unmarked(name)),
    }),
    ...item(mayCover && isSeated && booking.contractId === undefined, {
      label: t.cover,
      icon: "ticket",
      onChoose: () => setAsked("cover"),
    }),
    ...item(mayCover && booking.toTell, {
      label: t.told,
      icon: "phone",
      onChoose: () => void writeOrTell("markTold", { bookingIds: [id] }, { said: t.wasTold(name) }),
    }),
    ...item(mayWrite && !isSeated && roster.session.status === "scheduled", {
      label: t.restore,
      icon: "restore",
      onChoose: () => void writeOrTell("restoreBooking", { bookingId: id }, { said: t.restored(name) }),
    }),
    ...item(isDesk, {
      label: t.profile,
      icon: "user",
      onChoose: () => void go(`/console/clients/${booking.clientId}`),
    }),
    ...item(mayWrite && (state === "booked" || state === "no_show"), {
      label: t.cancel,
      icon: "close",
      isDangerous: true,
      onChoose: () => setAsked("cancel"),
    }),
  ];
  return (
    <li class="person">
      <div class="person-name">
        <strong>{name}</strong>
        <small class="soft">{planName ?? uncoveredReason}</small>
        {booking.clientNotes !== undefined && <small class="person-notes">{booking.clientNotes}</small>}
      </div>
      <div class="person-state">
        <BookingState booking={booking} timezone={roster.session.timezone} />
        {mayMark && state === "booked" && isCheckInOpen && !queuedBookings.value.has(id) && (
          <Button isSmall icon="check" onClick={checkIn}>
            {t.checkIn}
            <span class="for-readers"> {name}</span>
          </Button>
        )}
        {items.length > 0 && <Menu label={t.actionsFor(name)} items={items} />}
      </div>
      {asked === "cancel" && (
        <CancelBookingDialog booking={booking} roster={roster} onClose={() => setAsked(undefined)} />
      )}
      {asked === "cover" && <CoverDialog booking={booking} onClose={() => setAsked(undefined)} />}
    </li>
  );
}
