import { formatWallClock } from "../../core/dates.ts";
import { unboundedEffort } from "../../core/effort.ts";
import { instantToWall, type Zone, zoneOfLocation } from "../../domain/recurrence/zones.ts";
import { CALENDAR_END, calendarHead, EventPages, eventWords, NO_EVENTS } from "./ics-text.ts";
import type { LinkCalendar, LinkKind } from "./link-calendar.ts";
import type { AdmittedLink } from "./queries.ts";
import type { PlaceRow } from "./shown-queries.ts";

/** The two forms of what a link shows, each written in turns of the event loop. */

/** For calendar programs. `timezone` is what they are told to show it in. */
export async function writeIcs(
  calendar: LinkCalendar,
  link: AdmittedLink,
  { organizationId, timezone }: { readonly organizationId: string; readonly timezone: string },
): Promise<Buffer> {
  const effort = unboundedEffort();
  const wordsOf = wordsOfKinds(calendar, link);
  const events = new EventPages(organizationId);
  for (const session of calendar.sessions) {
    const { id = "", kind, slotMs, startMs } = session;
    const { sequence, changedMs } = calendar.stamps.of(session);
    const times = { sequence, changedMs, startMs, endMs: startMs + kind.durationMs };
    const isOfSlot = kind.scheduleId !== "";
    events.add(
      { id: isOfSlot ? kind.scheduleId : id, slotMs: isOfSlot ? slotMs : undefined, ...times },
      wordsOf(kind),
    );
    if (effort.isDue) await effort.pause();
  }
  const head = calendarHead({ name: calendarName(link), timezone });
  const isEmpty = calendar.sessions.length === 0;
  return Buffer.concat([
    Buffer.from(isEmpty ? head + NO_EVENTS : head),
    ...events.pages,
    Buffer.from(CALENDAR_END),
  ]);
}

/** What events of a kind say, written once for all kinds that say the same. */
function wordsOfKinds(calendar: LinkCalendar, link: AdmittedLink): (kind: LinkKind) => Buffer {
  const ofKinds = new Map<LinkKind, Buffer>();
  const known = new Map<string, Buffer>();
  const write = ({ serviceTypeId, locationId, isCancelled, bookedCount, capacity }: LinkKind) => {
    const seats = link.showSeats ? `${bookedCount}/${capacity}` : undefined;
    const name = `${serviceTypeId} ${locationId} ${isCancelled} ${seats}`;
    const place = calendar.places.get(locationId);
    const words =
      known.get(name) ??
      eventWords(
        {
          summary: calendar.serviceTypes.get(serviceTypeId) ?? "",
          location: place && describePlace(place),
          description: seats,
          isCancelled,
        },
        link.language,
      );
    known.set(name, words);
    return words;
  };
  return (kind) => {
    const words = ofKinds.get(kind) ?? write(kind);
    ofKinds.set(kind, words);
    return words;
  };
}

/** A client's calendar lies open on a telephone, so it is called as the organization, whatever the link is called. */
function calendarName({ name, clientId, organizationName }: AdmittedLink): string {
  return clientId === undefined ? (name ?? organizationName) : organizationName;
}

function describePlace({ name, address }: PlaceRow): string {
  return address === undefined ? name : `${name}, ${address}`;
}

/** For a website. */
export async function writeJson(calendar: LinkCalendar, { showSeats }: AdmittedLink): Promise<Buffer> {
  const effort = unboundedEffort();
  const zones = new Map<string, Zone>();
  const zoneOf = (timezone: string) => {
    const known = zones.get(timezone) ?? zoneOfLocation(timezone);
    zones.set(timezone, known);
    return known;
  };
  const records: string[] = [];
  for (const session of calendar.sessions) {
    const { id, startMs, kind } = session;
    const { capacity, bookedCount } = kind;
    const endMs = startMs + kind.durationMs;
    const place = calendar.places.get(kind.locationId);
    const onClock = (ms: number) =>
      place && formatWallClock(instantToWall(zoneOf(place.timezone), ms)).replace("T", " ");
    records.push(
      JSON.stringify({
        id,
        serviceTypeName: calendar.serviceTypes.get(kind.serviceTypeId),
        locationName: place?.name,
        startAt: new Date(startMs).toISOString(),
        endAt: new Date(endMs).toISOString(),
        localStart: onClock(startMs),
        localEnd: onClock(endMs),
        timezone: place?.timezone,
        status: kind.isCancelled ? "cancelled" : "scheduled",
        ...(showSeats && { capacity, bookedCount }),
      }),
    );
    if (effort.isDue) await effort.pause();
  }
  return Buffer.from(`{"data":[${records.join(",")}]}`);
}
