import type { Schemas } from "../../api/operations.ts";
import { fitsName, rankOfName } from "../../booking/name-search.ts";
import { phoneEnds } from "../../booking/namesakes.ts";
import { hasSeat } from "../../booking/seat-state.ts";
import type { CheckInOrder, RosterOfToday } from "./day.ts";

type Booking = RosterOfToday["bookings"][number];
type Person = Pick<Schemas["FoundPerson"], "id" | "contactName" | "contactPhone" | "status">;

/** What Enter or a click does: checks a booking in, or finds a class for somebody first. */
export type CheckInOption = {
  /** The last digits of the phone, where two people have the same name. */
  readonly phoneEnd?: string | undefined;
} & (
  | { readonly booking: Booking; readonly roster: RosterOfToday }
  | {
      readonly client: Person;
      /** Booked, but for no session that they can be checked in to now. */
      readonly isBookedToday: boolean;
    }
);

export interface FoundPeople {
  readonly people: readonly Person[];
  /** They are those of what was typed before. */
  readonly isOld: boolean;
}

const MOST_BOOKED = 8;
const MOST_OTHERS = 5;

/**
 * Who may be meant by what was typed, the likeliest first. Whatever it was, a name, a phone or an e-mail address: the client
 * who was found decides, and if they are booked today it is their booking that is offered.
 */
export function checkInOptions(
  order: CheckInOrder,
  { people, isOld }: FoundPeople,
  typed: string,
): CheckInOption[] {
  // Until the answer is there, Enter must not take somebody whom the last one found.
  const known = isOld ? people.filter(({ contactName }) => fitsName(contactName, typed)) : people;
  const foundIds = new Set(known.map(({ id }) => id));
  const groups = [order.open, order.notYet, order.over];
  const all = groups.flatMap((rosters, group) =>
    rosters.flatMap((roster) =>
      roster.bookings
        .filter((booking) => hasSeat(booking))
        .map((booking) => ({ booking, roster, group, rank: rankOfName(booking.clientName, typed) })),
    ),
  );
  const isHere = ({ booking }: (typeof all)[number]) => booking.state === "attended";
  const booked = all
    .filter(({ booking, rank }) => rank !== undefined || foundIds.has(booking.clientId))
    .sort(
      (one, other) =>
        Number(isHere(one)) - Number(isHere(other)) ||
        one.group - other.group ||
        (one.rank ?? 0) - (other.rank ?? 0),
    );
  const shown = booked.slice(0, MOST_BOOKED);
  const checkable = new Set(
    all.filter((entry) => entry.group === 0 && !isHere(entry)).map(({ booking }) => booking.clientId),
  );
  const bookedIds = new Set(all.map(({ booking }) => booking.clientId));
  const others = known
    .filter(({ id, status }) => status === "active" && !checkable.has(id))
    .sort((one, other) => Number(bookedIds.has(one.id)) - Number(bookedIds.has(other.id)))
    .slice(0, MOST_OTHERS);
  const phones = new Map(people.map(({ id, contactPhone }) => [id, contactPhone]));
  const ends = phoneEnds([
    ...shown.map(({ booking: { clientId: id, clientName: name } }) => ({ id, name, phone: phones.get(id) })),
    ...others.map(({ id, contactName: name, contactPhone: phone }) => ({ id, name, phone })),
  ]);
  return [
    ...shown.map(({ booking, roster }) => ({ booking, roster, phoneEnd: ends.get(booking.clientId) })),
    ...others.map((client) => ({
      client,
      isBookedToday: bookedIds.has(client.id),
      phoneEnd: ends.get(client.id),
    })),
  ];
}
