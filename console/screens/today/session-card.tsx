import type { ComponentChild } from "preact";
import { queuedBookings, writeOrTell } from "../../api/writes.ts";
import { BookingState, byClientName } from "../../booking/booking-state.tsx";
import { hasSeat } from "../../booking/seat-state.ts";
import { SeatNotes, Seats } from "../../booking/seats.tsx";
import { fetchSessionPanel } from "../../booking/session-panel.tsx";
import { useMay, useMe } from "../../frame/me.ts";
import { relative, timeOf } from "../../languages/format.ts";
import { isolate } from "../../languages/given-text.ts";
import { Button } from "../../parts/button.tsx";
import { Badge } from "../../parts/notice.tsx";
import { setQuery } from "../../routing/router.ts";
import { nameOf, textOfName } from "../../routing/session-name.ts";
import type { RosterOfToday } from "./day.ts";
import { words } from "./words.ts";

interface CardProps {
  readonly roster: RosterOfToday;
  readonly now: number;
  /** Named where sessions of several locations are shown. */
  readonly hasPlace: boolean;
}

/** A session that runs or comes next, with its people and the way in for each. */
export function SessionCard({ roster, now, hasPlace }: CardProps) {
  const t = words();
  const { session, bookings, checkInFrom } = roster;
  const seated = byClientName(bookings.filter(hasSeat));
  const isOpen = Date.parse(checkInFrom) <= now;
  const hasBegun = Date.parse(session.startAt) <= now;
  const when = hasBegun ? t.ends(relative(session.endAt, now)) : t.begins(relative(session.startAt, now));
  return (
    <article class="card session-card">
      <SessionHead roster={roster} now={now} hasPlace={hasPlace} note={when} />
      {seated.length === 0 ? (
        <p class="soft">{t.nobody}</p>
      ) : (
        <ul class="card-people">
          {seated.map((booking) => (
            <li key={booking.id}>
              <span class="card-name">{booking.clientName}</span>
              <BookingState booking={booking} timezone={session.timezone} isBrief />
              {isOpen && booking.state === "booked" && !queuedBookings.value.has(booking.id) && (
                <Button
                  isSmall
                  icon="check"
                  onClick={() =>
                    void writeOrTell(
                      "setAttendance",
                      { bookingId: booking.id, state: "attended" },
                      {
                        said: t.checkedIn(
                          booking.clientName,
                          `${isolate(session.serviceTypeName)} ${timeOf(session.localStart)}`,
                        ),
                      },
                    )
                  }
                >
                  {t.checkIn}
                  <span class="for-readers"> {booking.clientName}</span>
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
    </article>
  );
}

/** A session in one line. */
export function SessionRow({ roster, now, hasPlace }: CardProps) {
  const t = words();
  const isOver = Date.parse(roster.session.endAt) <= now;
  const unmarked = roster.bookings.filter(({ state }) => state === "booked").length;
  return (
    <li class="session-row">
      <SessionHead
        roster={roster}
        now={now}
        hasPlace={hasPlace}
        badge={isOver && unmarked > 0 ? <Badge tone="warning">{t.unmarked(unmarked)}</Badge> : undefined}
      />
    </li>
  );
}

function SessionHead({
  roster,
  now,
  hasPlace,
  note,
  badge,
}: {
  readonly roster: RosterOfToday;
  readonly now: number;
  readonly hasPlace: boolean;
  readonly note?: string;
  readonly badge?: ComponentChild;
}) {
  const t = words();
  const { session } = roster;
  const { organization, staff } = useMe();
  const isDesk = useMay("front_desk");
  const mayBook =
    isDesk &&
    (staff.allLocations || staff.locationIds.includes(session.locationId)) &&
    session.status === "scheduled" &&
    Date.parse(session.endAt) > now;
  const open = (book?: string) =>
    setQuery({ session: textOfName(nameOf(session)), book }, { replace: false });
  const facts = [
    ...(hasPlace ? [session.locationName] : []),
    ...(session.resourceNames ?? []),
    ...(session.timezone === organization.timezone ? [] : [session.timezone.replaceAll("_", " ")]),
  ];
  return (
    <header class="session-head">
      <span class="session-time">
        {timeOf(session.localStart)}–{timeOf(session.localEnd)}
      </span>
      <span class="session-what">
        <button
          type="button"
          class={session.status === "cancelled" ? "session-link session-struck" : "session-link"}
          aria-haspopup="dialog"
          onPointerEnter={() => void fetchSessionPanel().catch(() => {})}
          onClick={() => open()}
        >
          {session.serviceTypeName}
          <span class="for-readers"> {timeOf(session.localStart)}</span>
        </button>
        {note && <span class="soft session-note">{note}</span>}
        <span class="soft session-facts-line">{facts.join(" · ")}</span>
      </span>
      <span class="session-seats">
        {badge}
        <SeatNotes {...roster} />
        <Seats session={session} />
        {mayBook && (
          <Button isSmall icon="plus" onClick={() => open("1")}>
            {t.book}
            <span class="for-readers"> {session.serviceTypeName}</span>
          </Button>
        )}
      </span>
    </header>
  );
}
