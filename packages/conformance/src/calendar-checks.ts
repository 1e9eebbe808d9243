import { NOBODY } from "./access-checks.ts";
import { type Check, demand, demandNone, needs } from "./check.ts";
import { calendarPath, type List, type Probe } from "./probe.ts";
import { SESSION, WHOLE } from "./records.ts";
import type { Json } from "./shapes.ts";

const DAY_MS = 86_400_000;
const HALF_HOUR_MS = 1_800_000;

function startOf(session: Json): number {
  return Date.parse(String(session.startAt));
}

async function someSessions(probe: Probe): Promise<List> {
  const list = await probe.sessions();
  needs(list.data.length > 0, "there are no sessions in four weeks");
  return list;
}

function instantAt(ms: number): string {
  return new Date(ms).toISOString();
}

/** Sessions by what names them, to compare two lists whatever their order. */
function namesOf({ data }: List): string[] {
  return data
    .map(({ id, scheduleId, startAt, locationId, serviceTypeId }) =>
      [id, scheduleId, startAt, locationId, serviceTypeId].join(" "),
    )
    .sort();
}

export const calendarChecks: readonly Check[] = [
  {
    id: "calendar.list",
    title: "The calendar has its envelope, and sessions their fields",
    source: "section 4",
    says: "200 returns {data: [Session], total}. Not paginated; the window is the bound.",
    run: async (probe) => {
      const list = await probe.sessions();
      demandNone(WHOLE(SESSION)(list, "calendar"));
      demand(
        list.total === list.data.length,
        `total is ${list.total}, and there are ${list.data.length} sessions`,
      );
      demand(!("limit" in list) && !("offset" in list), "the list has limit or offset");
    },
  },
  {
    id: "calendar.inside",
    title: "Sessions lie in the window",
    source: "section 4",
    says: "from: window start, inclusive; to: window end, exclusive.",
    run: async (probe) => {
      const { from, to } = probe.window();
      const wrong = (await someSessions(probe)).data.filter(
        (session) => startOf(session) < Date.parse(from) || startOf(session) >= Date.parse(to),
      );
      demand(wrong.length === 0, `${wrong.length} sessions start outside of the window`);
    },
  },
  {
    id: "calendar.start-inclusive",
    title: "A session that starts with the window is in it",
    source: "section 4",
    says: "from: window start, inclusive.",
    run: async (probe) => {
      const [session = {}] = (await someSessions(probe)).data;
      const from = String(session.startAt);
      const to = instantAt(startOf(session) + DAY_MS);
      const { data } = await probe.list(calendarPath({ from, to }));
      demand(
        data.some(({ startAt }) => startAt === from),
        `no session starts at ${from} when the window begins then`,
      );
    },
  },
  {
    id: "calendar.end-exclusive",
    title: "A session that starts with the end of the window is not in it",
    source: "section 4",
    says: "to: window end, exclusive.",
    run: async (probe) => {
      const [session = {}] = (await someSessions(probe)).data;
      const to = String(session.startAt);
      const from = instantAt(startOf(session) - DAY_MS);
      const { data } = await probe.list(calendarPath({ from, to }));
      demand(
        data.every(({ startAt }) => startAt !== to),
        `a session starts at ${to} although the window ends then`,
      );
    },
  },
  {
    id: "calendar.offsets",
    title: "The window is an instant, whatever the offset it is written with",
    source: "section 4",
    says: "any UTC offset is accepted, the window is resolved as an instant.",
    run: async (probe) => {
      // An hour around one session: a window that was shifted by its offset would miss it, whatever the time of day.
      const [session = {}] = (await someSessions(probe)).data;
      const middle = Math.floor(startOf(session) / 1000) * 1000;
      const [from, to] = [middle - HALF_HOUR_MS, middle + HALF_HOUR_MS];
      const list = await probe.list(calendarPath({ from: instantAt(from), to: instantAt(to) }));
      const written = (ms: number, hours: number, offset: string) =>
        instantAt(ms + hours * 2 * HALF_HOUR_MS).replace(/\.\d+Z$/, offset);
      for (const [hours, offset] of [
        [-3, "-03:00"],
        [5.5, "+05:30"],
      ] as const) {
        const window = { from: written(from, hours, offset), to: written(to, hours, offset) };
        const other = await probe.list(calendarPath(window));
        demand(
          namesOf(other).join() === namesOf(list).join(),
          `with ${offset} there are ${other.total} sessions, in UTC ${list.total}`,
        );
      }
    },
  },
  {
    id: "calendar.window-needed",
    title: "from and to are needed, with an offset",
    source: "section 4",
    says: "from, to: string (date-time, RFC 3339), required.",
    run: async (probe) => {
      const { from, to } = probe.window();
      const cases = [{}, { from }, { to }, { from: "2026-11-16", to }, { from: "2026-11-16T07:00:00", to }];
      for (const query of cases) {
        const { status } = await probe.get(calendarPath(query as Record<string, string>));
        demand(
          status >= 400 && status < 500,
          `${JSON.stringify(query)} answered ${status}, and is no window`,
        );
      }
    },
  },
  {
    id: "calendar.window-length",
    title: "A window has at most 366 days",
    source: "section 8",
    says: "Window length: to at most 366 days after from.",
    run: async (probe) => {
      const begin = Date.parse("2026-01-01T00:00:00Z");
      const query = (ms: number) => ({
        from: instantAt(begin),
        to: instantAt(begin + ms),
        // Of a location that is not there, so that no server need compute a year.
        locationId: NOBODY,
      });
      const whole = await probe.get(calendarPath(query(366 * DAY_MS)));
      demand(whole.status === 200, `366 days answered ${whole.status}, not 200`);
      const longer = await probe.get(calendarPath(query(366 * DAY_MS + 1)));
      demand(
        longer.status >= 400 && longer.status < 500,
        `366 days and a millisecond answered ${longer.status}, and is too long`,
      );
    },
  },
  {
    id: "calendar.window-faults",
    title: "A window that cannot be is 422, at its place",
    source: "details",
    says: "to must be after from; a fault of the window as a whole is reported at query.to. 24:00, :60 and Feb 30 are 422.",
    run: async (probe) => {
      const { from, to } = probe.window();
      const reversed = await probe.get(calendarPath({ from: to, to: from }));
      demand(reversed.status === 422, `to before from answered ${reversed.status}, not 422`);
      demand(reversed.text.includes("query.to"), "the fault of a reversed window is not at query.to");
      for (const wrong of ["2026-02-30T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:00:60Z"]) {
        const { status } = await probe.get(calendarPath({ from: wrong, to: "2026-03-10T00:00:00Z" }));
        demand(status === 422, `from=${wrong} answered ${status}, not 422`);
      }
    },
  },
  {
    id: "calendar.filters",
    title: "locationId and serviceTypeId select sessions",
    source: "section 4",
    says: "locationId, serviceTypeId (uuid): filter.",
    run: async (probe) => {
      const list = await someSessions(probe);
      for (const member of ["locationId", "serviceTypeId"]) {
        const wanted = list.data[0]?.[member];
        const some = await probe.list(calendarPath({ ...probe.window(), [member]: String(wanted) }));
        const expected = list.data.filter((session) => session[member] === wanted).length;
        demand(
          some.data.every((session) => session[member] === wanted),
          `${member} gives sessions of another one`,
        );
        demand(some.total === expected, `${member} gives ${some.total} sessions, and ${expected} are of it`);
        const none = await probe.list(calendarPath({ ...probe.window(), [member]: NOBODY }));
        demand(none.total === 0, `${member} of nobody gives sessions`);
      }
    },
  },
  {
    id: "calendar.ends-after-start",
    title: "A session ends after it starts, and seats are counted",
    source: "section 2",
    says: "startAt, endAt (UTC); capacity; bookedCount: seats taken.",
    run: async (probe) => {
      demandNone(
        (await someSessions(probe)).data.flatMap(({ startAt, endAt, capacity, bookedCount }) => [
          ...(Date.parse(String(endAt)) > Date.parse(String(startAt))
            ? []
            : [`a session at ${startAt} ends before`]),
          ...(Number(capacity) >= 0 && Number(bookedCount) >= 0 ? [] : ["a session has fewer than no seats"]),
        ]),
      );
    },
  },
  {
    id: "calendar.references",
    title: "Sessions name locations and service types that there are",
    source: "section 2",
    says: "Location.id: the value the rest of the API means by locationId.",
    run: async (probe) => {
      const { data } = await someSessions(probe);
      const places = new Set((await probe.locations()).data.map(({ id }) => id));
      demand(
        data.every(({ locationId }) => places.has(locationId)),
        "a session is at a location that is not in the list",
      );
      for (const id of new Set(data.slice(0, 20).map(({ serviceTypeId }) => serviceTypeId))) {
        const { status } = await probe.sample(`/v1/service-types/${id}`);
        demand(status === 200, `the service type of a session answered ${status}`);
      }
    },
  },
  {
    id: "calendar.nobody-named",
    title: "Who is booked is not told",
    source: "section 4",
    says: "The response does not report who is booked.",
    run: async (probe) => {
      const { data } = await someSessions(probe);
      const names = new Set(data.flatMap((session) => Object.keys(session)));
      const telling = [...names].filter((name) =>
        /client|contact|member|attendee|participant|booking(?!Count)/i.test(name),
      );
      demand(telling.length === 0, `sessions have ${telling.join(", ")}`);
    },
  },
  {
    id: "calendar.order",
    title: "Sessions come in the order of their start",
    source: "details",
    says: "Sessions by startAt, then locationId, serviceTypeId, scheduleId, id (an absent one first).",
    run: async (probe) => {
      const keys = (await someSessions(probe)).data.map((session) =>
        ["startAt", "locationId", "serviceTypeId", "scheduleId", "id"]
          .map((name) => String(session[name] ?? ""))
          .join(" "),
      );
      const wrong = keys.findIndex((key, place) => place > 0 && key < String(keys[place - 1]));
      demand(wrong < 0, `session ${wrong + 1} comes after a later one`);
    },
  },
];
