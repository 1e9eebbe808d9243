import { longDate, timeOf } from "../languages/format.ts";
import { dictionary } from "../languages/words.ts";
import { keyOfSession } from "../routing/session-name.ts";
import { byClientName } from "./booking-state.tsx";
import type { Roster } from "./roster-types.ts";
import { hasSeat } from "./seat-state.ts";

const words = dictionary(
  { cancelled: "cancelled", uncovered: "uncovered", waiting: "Waiting" },
  { cancelled: "cancelada", uncovered: "sem cobertura", waiting: "Na espera" },
  { cancelled: "cancelada", uncovered: "sin cobertura", waiting: "En espera" },
);

type RosterOfSheet = Pick<Roster, "session" | "bookings" | "waiting" | "unnamed">;

/** A session on paper: who comes, with a box to tick. */
export function RosterSheet({
  roster,
  hasDate = true,
}: {
  readonly roster: RosterOfSheet;
  readonly hasDate?: boolean;
}) {
  const t = words();
  const { session, waiting, unnamed } = roster;
  const seated = byClientName(roster.bookings.filter(hasSeat));
  const facts = [session.locationName, ...(session.resourceNames ?? [])];
  return (
    <section class="sheet-session">
      <h2>
        {timeOf(session.localStart)}–{timeOf(session.localEnd)} {session.serviceTypeName}
        {session.status === "cancelled" && ` (${t.cancelled})`}
      </h2>
      <p>
        {hasDate && `${longDate(session.localStart)} · `}
        {facts.join(" · ")} · {session.bookedCount}/{session.capacity}
      </p>
      <ul class="sheet-people">
        {seated.map(({ id, clientName, state, contractId }) => (
          <li key={id}>
            <span class="sheet-box">{state === "attended" ? "✓" : ""}</span> {clientName}
            {contractId === undefined && ` (${t.uncovered})`}
          </li>
        ))}
        {Array.from({ length: unnamed }, (_, place) => (
          <li key={place}>
            <span class="sheet-box" /> ____________________
          </li>
        ))}
      </ul>
      {waiting.length > 0 && (
        <p>
          {t.waiting}: {waiting.map(({ clientName }) => clientName).join(", ")}
        </p>
      )}
    </section>
  );
}

/** A day on paper: who comes to each of its sessions. */
export function DaySheet({
  date,
  rosters,
}: {
  readonly date: string | undefined;
  readonly rosters: readonly RosterOfSheet[];
}) {
  return (
    <>
      <h1>{date && longDate(date)}</h1>
      {rosters.map((roster) => (
        <RosterSheet key={keyOfSession(roster.session)} roster={roster} hasDate={false} />
      ))}
    </>
  );
}
