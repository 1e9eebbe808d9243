import { count } from "../languages/format.ts";
import { dictionary, plural } from "../languages/words.ts";
import { Badge } from "../parts/notice.tsx";

const words = dictionary(
  {
    taken: (taken: string, capacity: string) => `Seats taken: ${taken} of ${capacity}`,
    full: "Full",
    waiting: (number: string) => `${number} waiting`,
    here: (number: number) => `${count(number)} here`,
    cancelled: "Cancelled",
    unnamed: (number: number) => `${count(number)} ${plural(number, "seat", "seats")} without a name`,
  },
  {
    taken: (taken: string, capacity: string) => `Vagas ocupadas: ${taken} de ${capacity}`,
    full: "Lotada",
    waiting: (number: string) => `${number} na espera`,
    here: (number: number) => `${count(number)} ${plural(number, "chegou", "chegaram")}`,
    cancelled: "Cancelada",
    unnamed: (number: number) => `${count(number)} ${plural(number, "vaga", "vagas")} sem nome`,
  },
  {
    taken: (taken: string, capacity: string) => `Plazas ocupadas: ${taken} de ${capacity}`,
    full: "Completa",
    waiting: (number: string) => `${number} en espera`,
    here: (number: number) => `${count(number)} ${plural(number, "llegó", "llegaron")}`,
    cancelled: "Cancelada",
    unnamed: (number: number) => `${count(number)} ${plural(number, "plaza", "plazas")} sin nombre`,
  },
);

export interface SeatCounts {
  readonly capacity: number;
  readonly bookedCount: number;
  readonly status: "scheduled" | "cancelled";
}

/** `7/12`, with a bar beside it. */
export function Seats({ session }: { readonly session: SeatCounts }) {
  const t = words();
  const { capacity, bookedCount, status } = session;
  if (status === "cancelled") return <Badge tone="bad">{t.cancelled}</Badge>;
  const isFull = bookedCount >= capacity;
  const share = capacity === 0 ? 1 : Math.min(bookedCount / capacity, 1);
  return (
    <span class="seats">
      {isFull && <Badge tone="warning">{t.full}</Badge>}
      <span class="seats-count">
        <span aria-hidden="true">
          {count(bookedCount)}/{count(capacity)}
        </span>
        <span class="for-readers">{t.taken(count(bookedCount), count(capacity))}</span>
      </span>
      <span class={isFull ? "seats-bar seats-bar-full" : "seats-bar"} aria-hidden="true">
        <span style={{ width: `${share * 100}%` }} />
      </span>
    </span>
  );
}

interface SeatNotesProps {
  readonly bookings: readonly { readonly state: string }[];
  readonly waiting: readonly unknown[];
  readonly unnamed: number;
}

/** What else there is to say of the seats: who is here, who waits, which have no name. */
export function SeatNotes({ bookings, waiting, unnamed }: SeatNotesProps) {
  const t = words();
  const here = bookings.filter(({ state }) => state === "attended").length;
  const notes = [
    here > 0 && t.here(here),
    waiting.length > 0 && t.waiting(count(waiting.length)),
    unnamed > 0 && t.unnamed(unnamed),
  ].filter((note) => note !== false);
  return notes.length === 0 ? null : <span class="soft">{notes.join(" · ")}</span>;
}
