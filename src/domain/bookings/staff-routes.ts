import { unboundedEffort } from "../../core/effort.ts";
import { type Fault, invalid, refusal } from "../../core/errors.ts";
import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import { Id } from "../../core/fields.ts";
import Type from "../../core/schema-type.ts";
import { operation } from "../../http/operation.ts";
import type { StaffMember, StaffScope } from "../../http/staff-scope.ts";
import { ByteStream } from "../../http/streaming.ts";
import type { SessionName } from "../calendar/schema.ts";
import { type Desk, findCoverageFor, readRoster, readToday, readTodo, type SessionLists } from "./desk.ts";
import { findNearestVisits, listVisits } from "./desk-queries.ts";
import { readFixedPlaces } from "./fixed-place-list.ts";
import {
  CoverageAnswer,
  CoverageQuery,
  FixedPlaces,
  NearestVisits,
  Roster,
  RosterQuery,
  Today,
  TodayQuery,
  Todo,
  TodoQuery,
  VisitPage,
  VisitQuery,
} from "./schema.ts";

const TAG = "Bookings";

export function bookingStaffRoutes(scope: StaffScope, calendar: SessionLists): void {
  operation(scope.forRole("teacher"), {
    operationId: "getRoster",
    method: "GET",
    path: "/app/v1/roster",
    tag: TAG,
    summary: "Who comes to a session",
    description:
      "The bookings of one session, its line, and how many seats are taken without a name. To a teacher, of their own " +
      "sessions, with the notes about those who come and without what they owe.",
    query: RosterQuery,
    queryRules: checkName,
    answer: { status: 200, description: "The roster.", schema: Roster },
    errors: [refusal("no_slot"), refusal("not_allowed")],
    handle: ({ caller, db, query }) => readRoster(deskOf(caller, db), nameOf(query)),
  });

  operation(scope.forRole("teacher"), {
    operationId: "getToday",
    method: "GET",
    path: "/app/v1/today",
    tag: TAG,
    summary: "The sessions of today",
    description: "With seats and names, for one location or for all; to a teacher, their own.",
    query: TodayQuery,
    answer: { status: 200, description: "The day.", schema: Today },
    errors: [invalid([{ location: "query.locationId", code: "day_too_full" }])],
    handle: async ({ caller, db, query }) => {
      const { organizationId, history, versions } = caller;
      const reader = { organizationId, history, catalogVersion: versions.catalog };
      const today = await readToday(
        deskOf(caller, db),
        (window) => calendar.listRecords(reader, window),
        query.locationId,
      );
      return new ByteStream((opening) => writeToday(opening, today), today);
    },
  });

  operation(scope, {
    operationId: "getTodo",
    method: "GET",
    path: "/app/v1/todo",
    tag: TAG,
    summary: "What is left to do",
    description:
      "Whom to tell something, seats that draw on nothing, sessions nobody has marked, and contracts that end; for one " +
      "location or for all.",
    query: TodoQuery,
    answer: { status: 200, description: "The lists.", schema: Todo },
    handle: ({ caller, db, query }) => readTodo(deskOf(caller, db), query.locationId),
  });

  operation(scope, {
    operationId: "getCoverage",
    method: "GET",
    path: "/app/v1/coverage",
    tag: TAG,
    summary: "What would cover a client",
    description: "What a booking would draw on now, or why nothing covers it. Nothing is booked.",
    query: CoverageQuery,
    queryRules: checkName,
    answer: { status: 200, description: "The coverage.", schema: CoverageAnswer },
    errors: [refusal("no_client"), refusal("no_slot")],
    handle: ({ caller, db, query }) => findCoverageFor(deskOf(caller, db), query.clientId, nameOf(query)),
  });

  operation(scope, {
    operationId: "listVisits",
    method: "GET",
    path: "/app/v1/clients/{id}/visits",
    tag: TAG,
    summary: "The visits of a client",
    description: "All bookings of a client, the latest session first.",
    params: Type.Object({ id: Id("The client.", EXAMPLE_IDS.client) }),
    query: VisitQuery,
    pages: true,
    answer: { status: 200, description: "A page of bookings.", schema: VisitPage },
    errors: [refusal("no_client")],
    handle: async ({ caller, db, params, query }) => {
      const visits = await listVisits(db, caller.organizationId, params.id, query, caller.clock.now());
      if (!visits) throw refusal("no_client");
      return visits;
    },
  });

  operation(scope, {
    operationId: "listFixedPlaces",
    method: "GET",
    path: "/app/v1/clients/{id}/fixed-places",
    tag: TAG,
    summary: "The fixed places of a client",
    description:
      "What was booked by `bookMany` and is to come: when the client comes every time. Nothing of a client who is not known.",
    params: Type.Object({ id: Id("The client.", EXAMPLE_IDS.client) }),
    answer: { status: 200, description: "The fixed places.", schema: FixedPlaces },
    handle: ({ caller, db, params }) =>
      readFixedPlaces(db, caller.organizationId, params.id, caller.clock.now()),
  });

  operation(scope, {
    operationId: "getNearestVisits",
    method: "GET",
    path: "/app/v1/clients/{id}/nearest-visits",
    tag: TAG,
    summary: "The next and the last visit of a client",
    description:
      "The session to come that the client is booked into first, and the last one to which they came.",
    params: Type.Object({ id: Id("The client.", EXAMPLE_IDS.client) }),
    answer: { status: 200, description: "Both, as far as there are any.", schema: NearestVisits },
    errors: [refusal("no_client")],
    handle: async ({ caller, db, params }) => {
      const visits = await findNearestVisits(db, caller.organizationId, params.id, caller.clock.now());
      if (!visits) throw refusal("no_client");
      return visits;
    },
  });
}

function deskOf({ organizationId, timezone, clock, settings, actor }: StaffMember, db: Desk["db"]): Desk {
  return { db, organizationId, timezone, now: clock.now(), settings, actor };
}

interface NameQuery {
  readonly sessionId?: string;
  readonly scheduleId?: string;
  readonly originalStart?: string;
}

/** A session is named by its id, or by its schedule and slot. */
function checkName({ sessionId, scheduleId, originalStart }: Partial<NameQuery>): Fault[] {
  if (sessionId !== undefined)
    return scheduleId === undefined && originalStart === undefined
      ? []
      : [{ location: "query.sessionId", code: "not_together_with", params: { member: "scheduleId" } }];
  const missing = { scheduleId, originalStart };
  return Object.entries(missing).flatMap(([member, value]) =>
    value === undefined ? [{ location: `query.${member}`, code: "required" as const }] : [],
  );
}

function nameOf({ sessionId, scheduleId = "", originalStart = "" }: NameQuery): SessionName {
  return sessionId === undefined ? { scheduleId, originalStart } : { sessionId };
}

/** Session by session: there may be thousands, each with many people. */
async function* writeToday(
  opening: string,
  { sessions, ...rest }: Omit<Today, "$schema">,
): AsyncGenerator<Buffer> {
  const effort = unboundedEffort();
  yield Buffer.from(`${opening}${JSON.stringify(rest).slice(1, -1)},"sessions":[`);
  for (const [index, session] of sessions.entries()) {
    const text = JSON.stringify(session);
    yield Buffer.from(index === 0 ? text : `,${text}`);
    if (effort.isDue) await effort.pause();
  }
  yield Buffer.from("]}");
}
