import type { Schemas } from "../api/operations.ts";
import { useRead } from "../api/reads.ts";
import { listOf } from "../languages/format.ts";
import { Notice } from "../parts/notice.tsx";
import type { SessionName } from "../routing/session-name.ts";
import { words } from "./words.ts";

type Returning = Schemas["ReturningBooking"];

/** Who comes back when a session is reinstated, who uncovered, and who does not. */
export function ReturningNotice({
  session,
  bookings,
}: {
  readonly session: SessionName;
  readonly bookings: readonly Returning[];
}) {
  const t = words();
  const { data } = useRead("/app/v1/roster", { query: session });
  if (!data) return null;
  const names = new Map(data.bookings.map(({ id, clientName }) => [id, clientName]));
  const lines = Object.entries(t.returning).flatMap(([outcome, say]) => {
    const those = bookings.filter((each) => each.outcome === outcome);
    if (those.length === 0) return [];
    return [{ outcome, text: say(listOf(those.map(({ bookingId }) => names.get(bookingId) ?? "…"))) }];
  });
  const isWhole = bookings.every(({ outcome }) => outcome === "booked");
  return (
    <Notice tone={isWhole ? "info" : "warning"}>
      {lines.length === 0 ? (
        <p>{t.reinstatesNobody}</p>
      ) : (
        <>
          {lines.map(({ outcome, text }) => (
            <p key={outcome}>{text}</p>
          ))}
          <p>{t.tellThem}</p>
        </>
      )}
    </Notice>
  );
}
