import { findZone, instantToWall, type Zone } from "../recurrence/zones.ts";
import type { SessionSink } from "./agenda.ts";
import type { Session } from "./schema.ts";
import type { SessionTemplate } from "./session-text.ts";

/** What people call the places and kinds of sessions, by their ids. */
export interface CalendarNames {
  readonly serviceTypes: ReadonlyMap<string, string>;
  readonly locations: ReadonlyMap<string, { readonly name: string; readonly timezone: string }>;
}

/** A session as a table for people shows it. */
export interface NamedSession extends Session {
  readonly serviceTypeName: string | undefined;
  readonly locationName: string | undefined;
  /** On the location's clock: `2026-11-15 06:30`. */
  readonly localStart: string | undefined;
  readonly localEnd: string | undefined;
  readonly timezone: string | undefined;
}

/** Counts sessions. */
export class SessionCount implements SessionSink {
  total = 0;

  add(): void {
    this.total++;
  }
}

/** Gathers sessions as records, with names if they are given. */
export class SessionRecords implements SessionSink {
  readonly #names: CalendarNames | undefined;
  readonly #zones = new Map<string, Zone | undefined>();
  #records: Session[] = [];

  constructor(names: CalendarNames | undefined) {
    this.#names = names;
  }

  add(template: SessionTemplate, startMs: number, slotMs: number, id: string | undefined): void {
    const { session, scheduleId, durationMs } = template;
    const record = {
      ...session,
      id,
      originalStart: scheduleId === "" ? undefined : wallClock(slotMs),
      startAt: new Date(startMs).toISOString(),
      endAt: new Date(startMs + durationMs).toISOString(),
      // What is undefined here is written nowhere.
    } as Session;
    this.#records.push(this.#names ? this.#withNames(record, this.#names, template, startMs) : record);
  }

  /** What was added since it was last taken. */
  take(): Session[] {
    const records = this.#records;
    this.#records = [];
    return records;
  }

  #withNames(
    session: Session,
    { serviceTypes, locations }: CalendarNames,
    { durationMs }: SessionTemplate,
    startMs: number,
  ): NamedSession {
    const location = locations.get(session.locationId);
    const zone = location && this.#zoneOf(location.timezone);
    const onClock = (ms: number) => zone && wallClock(instantToWall(zone, ms)).replace("T", " ");
    return {
      ...session,
      serviceTypeName: serviceTypes.get(session.serviceTypeId),
      locationName: location?.name,
      localStart: onClock(startMs),
      localEnd: onClock(startMs + durationMs),
      timezone: location?.timezone,
    };
  }

  #zoneOf(timezone: string): Zone | undefined {
    if (!this.#zones.has(timezone)) this.#zones.set(timezone, findZone(timezone));
    return this.#zones.get(timezone);
  }
}

/** `2026-11-15T09:30`, whatever the year. */
function wallClock(wallMs: number): string {
  return new Date(wallMs).toISOString().slice(0, -":00.000Z".length);
}
