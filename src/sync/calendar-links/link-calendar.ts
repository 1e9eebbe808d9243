import type { ClockReading } from "../../core/clock.ts";
import { Snapshot } from "../../core/data-snapshot.ts";
import { calendarDateOf, daysBefore, MS_PER_DAY, MS_PER_MINUTE } from "../../core/dates.ts";
import { unboundedEffort } from "../../core/effort.ts";
import { refusal } from "../../core/errors.ts";
import type { Database, SharedDatabase } from "../../db/database.ts";
import { type Agenda, type SessionSink, walkAgenda } from "../../domain/calendar/agenda.ts";
import type { CalendarWindow } from "../../domain/calendar/calendar-rows.ts";
import type { CalendarReader } from "../../domain/calendar/operations.ts";
import { openSnapshot } from "../../domain/calendar/queries.ts";
import type { SessionTemplate } from "../../domain/calendar/session-text.ts";
import {
  dateIn,
  dayStart,
  instantToWall,
  wallToInstant,
  type Zone,
  zoneOfLocation,
} from "../../domain/recurrence/zones.ts";
import { numberSome } from "../changes/numbering.ts";
import type { AdmittedLink } from "./queries.ts";
import {
  type BookedSessionRow,
  listBookedSessions,
  listPlaces,
  listServiceTypeNames,
  type PlaceRow,
} from "./shown-queries.ts";
import { type ChangeStamps, findStampHead, readStamps, type StampHead } from "./stamps.ts";
import { MOST_EVENTS } from "./values.ts";

/** A link, and what its admission told of its organization. */
export interface OpenedLink {
  readonly link: AdmittedLink;
  readonly organizationId: string;
  readonly timezone: string;
  readonly history: string;
  readonly versions: { readonly catalog: number };
  readonly clock: ClockReading;
}

/** A session as a link shows it. */
export interface LinkSession {
  /** Absent for one that nobody has booked, cancelled or moved. */
  readonly id: string | undefined;
  /** The local date-time of its slot in milliseconds; nothing of one without a schedule. */
  readonly slotMs: number;
  readonly startMs: number;
  readonly kind: LinkKind;
}

/** What sessions that are alike share. */
export interface LinkKind {
  /** Empty if it has none. */
  readonly scheduleId: string;
  readonly serviceTypeId: string;
  readonly locationId: string;
  readonly durationMs: number;
  readonly capacity: number;
  readonly bookedCount: number;
  readonly isCancelled: boolean;
}

/** All that the text of a link is made of, from one snapshot. */
export interface LinkCalendar {
  readonly sessions: readonly LinkSession[];
  /** The last day of them, if there were too many for the whole window. */
  readonly shownUntil: string | undefined;
  readonly places: ReadonlyMap<string, PlaceRow>;
  readonly serviceTypes: ReadonlyMap<string, string>;
  readonly stamps: ChangeStamps;
}

/** The days that a link shows now. */
export interface LinkWindow extends CalendarWindow {
  /** The date that it begins with: until that changes, so does nothing. */
  readonly firstDay: string;
  readonly zone: Zone;
}

export function windowOf({ link, timezone, clock }: OpenedLink): LinkWindow {
  const zone = zoneOfLocation(link.locationTimezone ?? timezone);
  const now = instantToWall(zone, clock.now());
  const today = now - (now % MS_PER_DAY);
  const first = today - link.pastDays * MS_PER_DAY;
  const { locationId, serviceTypeId, resourceId } = link;
  return {
    firstDay: calendarDateOf(first),
    zone,
    fromMs: wallToInstant(zone, first),
    toMs: wallToInstant(zone, today + (link.aheadDays + 1) * MS_PER_DAY),
    locationId,
    serviceTypeId,
    resourceId,
  };
}

/** How often a link is read in which something changes all the while. */
const TRIES = 5;

/**
 * Reads what a link shows now: the timetable, or what its client has booked. What has changed has its number before it is
 * read: a calendar that saw the change with the number from before would pass over it for good. A change that came between
 * the two is in the snapshot without one, so both are done again. After an import so large that one request does not number
 * all of it, whoever fetches comes again.
 */
export async function readLinkCalendar(
  db: SharedDatabase,
  calendar: CalendarReader,
  opened: OpenedLink,
  window: LinkWindow,
): Promise<Snapshot<LinkCalendar>> {
  const { organizationId } = opened;
  for (let tries = 0; tries < TRIES; tries++) {
    if (await numberSome(db.for(organizationId), organizationId)) break;
    const { content, version } = await readNumbered(db, calendar, opened, window);
    if (content) return new Snapshot(content, version);
  }
  throw refusal("organization_busy");
}

function readNumbered(
  db: SharedDatabase,
  calendar: CalendarReader,
  { organizationId, history, versions, link }: OpenedLink,
  window: LinkWindow,
): Promise<Snapshot<LinkCalendar | undefined>> {
  const complete = async (tx: Database, find: () => Promise<readonly LinkSession[]>) => {
    const head = await findStampHead(tx, organizationId);
    return head.isBehind ? undefined : withNames(tx, organizationId, await find(), window, head);
  };
  if (link.clientId !== undefined)
    return db.for(organizationId).transaction(async (tx) => {
      const { version } = await openSnapshot(tx, organizationId);
      const find = () => listBookedSessions(tx, organizationId, link, window, MOST_EVENTS + 1);
      return new Snapshot(await complete(tx, async () => (await find()).map(bookedSession)), version);
    });
  const reader = { organizationId, history, catalogVersion: versions.catalog };
  return calendar.readWith(reader, window, (tx, agenda) => complete(tx, () => gather(agenda, window)));
}

/** The sessions of an agenda, up to one more than a link shows. */
async function gather(agenda: Agenda, window: LinkWindow): Promise<LinkSession[]> {
  const gathered = new GatheredSessions();
  const effort = unboundedEffort();
  for (const _ of walkAgenda(agenda, window, gathered)) {
    if (gathered.sessions.length > MOST_EVENTS) break;
    if (effort.isDue) await effort.pause();
  }
  return gathered.sessions;
}

class GatheredSessions implements SessionSink {
  readonly sessions: LinkSession[] = [];
  readonly #kinds = new Map<SessionTemplate, LinkKind>();

  add(template: SessionTemplate, startMs: number, slotMs: number, id: string | undefined): void {
    let kind = this.#kinds.get(template);
    if (!kind) {
      kind = kindOf(template);
      this.#kinds.set(template, kind);
    }
    this.sessions.push({ id, slotMs, startMs, kind });
  }
}

function kindOf({ session, scheduleId, serviceTypeId, locationId, durationMs }: SessionTemplate): LinkKind {
  return {
    ...{ scheduleId, serviceTypeId, locationId, durationMs },
    capacity: session.capacity ?? 0,
    bookedCount: session.bookedCount ?? 0,
    isCancelled: session.status === "cancelled",
  };
}

function bookedSession({
  id,
  startMs,
  slotMs = 0,
  scheduleId = "",
  durationMinutes,
  ...alike
}: BookedSessionRow): LinkSession {
  return { id, startMs, slotMs, kind: { ...alike, scheduleId, durationMs: durationMinutes * MS_PER_MINUTE } };
}

async function withNames(
  tx: Database,
  organizationId: string,
  found: readonly LinkSession[],
  { zone }: LinkWindow,
  head: StampHead,
): Promise<LinkCalendar> {
  const { sessions, shownUntil } = wholeDays(found, zone);
  const kinds = [...new Set(sessions.map(({ kind }) => kind))];
  const locationIds = [...new Set(kinds.map(({ locationId }) => locationId))];
  const serviceTypeIds = [...new Set(kinds.map(({ serviceTypeId }) => serviceTypeId))];
  const [places, serviceTypes, stamps] = await Promise.all([
    listPlaces(tx, organizationId, locationIds),
    listServiceTypeNames(tx, organizationId, serviceTypeIds),
    readStamps(tx, organizationId, sessions, head),
  ]);
  return {
    sessions,
    shownUntil,
    places: new Map(places.map((place) => [place.id, place])),
    serviceTypes: new Map(serviceTypes.map(({ id, name }) => [id, name])),
    stamps,
  };
}

/**
 * The first sessions that fit, of whole days: a calendar that ends in the middle of one would be wrong about it. If not even
 * the first day fits, its first sessions.
 */
function wholeDays(
  sessions: readonly LinkSession[],
  zone: Zone,
  most = MOST_EVENTS,
): { readonly sessions: readonly LinkSession[]; readonly shownUntil: string | undefined } {
  const next = sessions[most];
  if (!next) return { sessions, shownUntil: undefined };
  const cutDay = dateIn(zone.name, next.startMs);
  const cutMs = dayStart(zone, cutDay);
  const whole = sessions.filter(({ startMs }) => startMs < cutMs);
  if (whole.length === 0) return { sessions: sessions.slice(0, most), shownUntil: cutDay };
  return { sessions: whole, shownUntil: daysBefore(cutDay, 1) };
}
