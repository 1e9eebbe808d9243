import type { Schemas } from "../api/operations.ts";
import { queuedBookings } from "../api/writes.ts";
import { nameOfClient } from "../languages/client-name.ts";
import { instantTimeIn, shortDate } from "../languages/format.ts";
import { inOrderOf } from "../languages/order.ts";
import { dictionary, language } from "../languages/words.ts";
import { Badge } from "../parts/notice.tsx";
import { hasSeat } from "./seat-state.ts";

type RosterBooking = Schemas["RosterBooking"];

const words = dictionary(
  {
    here: (time: string) => `Here since ${time}`,
    noShow: "No-show",
    cancelled: "Cancelled",
    late: "Cancelled late",
    uncovered: "Uncovered",
    courtesy: "Courtesy",
    toTell: "To tell",
    queued: "Waiting to be sent",
    moved: "Moved",
    owes: "Owes",
    owesSince: (date: string) => `Owes since ${date}`,
  },
  {
    here: (time: string) => `Chegou às ${time}`,
    noShow: "Faltou",
    cancelled: "Cancelado",
    late: "Cancelado tarde",
    uncovered: "Sem cobertura",
    courtesy: "Cortesia",
    toTell: "Avisar",
    queued: "Aguardando envio",
    moved: "Remarcado",
    owes: "Deve",
    owesSince: (date: string) => `Deve desde ${date}`,
  },
  {
    here: (time: string) => `Llegó a las ${time}`,
    noShow: "No vino",
    cancelled: "Cancelada",
    late: "Cancelada tarde",
    uncovered: "Sin cobertura",
    courtesy: "Cortesía",
    toTell: "Avisar",
    queued: "Pendiente de envío",
    moved: "Movida",
    owes: "Debe",
    owesSince: (date: string) => `Debe desde el ${date}`,
  },
);

/** Whether a person came, and what else there is to know of a booking, in a word each. */
export function BookingState({
  booking,
  timezone,
  isBrief = false,
}: {
  readonly booking: RosterBooking;
  readonly timezone: string;
  /** Only what matters when the person stands at the desk. */
  readonly isBrief?: boolean;
}) {
  const t = words();
  const { state, checkedInAt, contractId, isCourtesy, toTell, moved } = booking;
  return (
    <>
      {queuedBookings.value.has(booking.id) && <Badge tone="accent">{t.queued}</Badge>}
      {state === "attended" && checkedInAt && (
        <Badge tone="good">{t.here(instantTimeIn(checkedInAt, timezone))}</Badge>
      )}
      {state === "no_show" && <Badge tone="bad">{t.noShow}</Badge>}
      {state === "cancelled" && <Badge>{t.cancelled}</Badge>}
      {state === "late_cancelled" && <Badge tone="warning">{t.late}</Badge>}
      {hasSeat(booking) &&
        contractId === undefined &&
        (isCourtesy ? <Badge>{t.courtesy}</Badge> : <Badge tone="warning">{t.uncovered}</Badge>)}
      {toTell && <Badge tone="accent">{t.toTell}</Badge>}
      {moved && !isBrief && hasSeat(booking) && <Badge>{t.moved}</Badge>}
      {hasSeat(booking) && <Owes since={booking.owesSince} isBrief={isBrief} />}
    </>
  );
}

/** That the client owes something that is overdue. It keeps nobody out. */
export function Owes({ since, isBrief }: { readonly since: string | undefined; readonly isBrief?: boolean }) {
  const t = words();
  if (since === undefined) return null;
  return <Badge tone="warning">{isBrief ? t.owes : t.owesSince(shortDate(since))}</Badge>;
}

/** By name, as the person's language names and sorts; the server knows neither. */
export function byClientName<Booking extends Pick<RosterBooking, "clientName">>(
  bookings: readonly Booking[],
): Booking[] {
  const named = bookings.map((booking) => ({ ...booking, clientName: nameOfClient(booking.clientName) }));
  return inOrderOf(named, ({ clientName }) => clientName, language.value);
}
