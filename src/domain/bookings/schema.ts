import type { TObject, TProperties } from "typebox";
import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import {
  Body,
  CalendarDate,
  Cents,
  Id,
  Instant,
  Int32,
  Line,
  LocalDateTime,
  OneOf,
  PageQuery,
  page,
  type Static,
  Text,
} from "../../core/fields.ts";
import Type from "../../core/schema-type.ts";
import {
  exampleRosterSession,
  exampleSessionNames,
  RosterSession,
  SESSION_STATUSES,
  SessionName,
  sessionNames,
} from "../calendar/schema.ts";
import { ENTITLEMENT_TYPES } from "../plans/schema.ts";

export const BOOKING_STATES = ["booked", "attended", "no_show", "cancelled", "late_cancelled"] as const;
/** The states in which a seat is taken. */
export const SEATED_STATES = ["booked", "attended", "no_show"] as const;

/** What becomes of a booking when its session is reinstated; the last three stay cancelled. */
export const RETURN_OUTCOMES = ["booked", "uncovered", "full", "archived", "erased"] as const;
export type ReturnOutcome = (typeof RETURN_OUTCOMES)[number];

const bookingFields = {
  id: Id(),
  clientId: Id(),
  sessionId: Id(),
  day: CalendarDate("The date of the session on its location's clock: visits are counted by it."),
  state: OneOf(BOOKING_STATES, {
    description: "`booked` reads `no_show` once the record of the session is closed.",
  }),
  contractId: Type.Optional(Id("What it draws on; absent if it is uncovered.")),
  entitlementId: Type.Optional(Id()),
  uncoveredReason: Type.Optional(Text(500, { description: "Why it draws on nothing." })),
  isCourtesy: Type.Optional(
    Type.Boolean({ description: "True if it draws on nothing and is left so: nobody is to cover it." }),
  ),
  fixedPlaceId: Type.Optional(Id("The fixed place that it belongs to.")),
  moved: Type.Boolean({
    description: "The studio moved the session since: it may be cancelled without loss.",
  }),
  toTell: Type.Boolean({ description: "The client does not know yet what the studio did." }),
  bookedAt: Instant(),
  checkedInAt: Type.Optional(Instant()),
  endedAt: Type.Optional(Instant("When it was cancelled.")),
};

const exampleBooking = {
  id: EXAMPLE_IDS.booking,
  clientId: EXAMPLE_IDS.client,
  sessionId: EXAMPLE_IDS.session,
  day: "2026-11-16",
  state: "booked" as const,
  contractId: EXAMPLE_IDS.contract,
  entitlementId: EXAMPLE_IDS.entitlement,
  moved: false,
  toTell: false,
  bookedAt: "2026-11-15T09:30:00.000Z",
};

export const Booking = Body("Booking", bookingFields, { examples: [exampleBooking] });

/** Who has come, as the front desk is answered. */
export const CheckedIn = Body(
  "CheckedIn",
  {
    ...bookingFields,
    owesSince: Type.Optional(
      CalendarDate("Since when the client owes something that is overdue; it never keeps anybody out."),
    ),
  },
  { examples: [{ ...exampleBooking, state: "attended", checkedInAt: "2026-11-16T09:40:00.000Z" }] },
);
export type CheckedIn = Static<typeof CheckedIn>;

const waitingFields = {
  id: Id(),
  clientId: Id(),
  sessionId: Id(),
  position: Type.Optional(Int32("The first in line has 1; absent once the place was left.", 1)),
  joinedAt: Instant(),
};

const exampleWaiting = {
  id: EXAMPLE_IDS.waiting,
  clientId: EXAMPLE_IDS.client,
  sessionId: EXAMPLE_IDS.session,
  position: 1,
  joinedAt: "2026-11-15T09:30:00.000Z",
};

export const Waiting = Body("Waiting", waitingFields, { examples: [exampleWaiting] });

/** What the operations take. */

const Reason = () => Text(500, { minLength: 1 });
const input = <Properties extends TProperties>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: false });
const bookingId = Id("The booking.", EXAMPLE_IDS.booking);
const waitingId = Id("The place in the line.", EXAMPLE_IDS.waiting);
const choice = {
  entitlementId: Type.Optional(Id("Another one of those that cover the session; the first if absent.")),
  uncovered: Type.Optional(
    Type.Object(
      { reason: Reason() },
      { additionalProperties: false, description: "Draws on nothing: a courtesy, a make-up class, owed." },
    ),
  ),
};

export const Book = input({
  clientId: Id(),
  session: SessionName,
  ...choice,
  takeUnnamed: Type.Optional(
    Type.Boolean({ description: "Puts the name to a seat that is counted already, without one." }),
  ),
});
export const WEEKDAYS = [
  "monday",
  "tuesday",
  "wednesday",
  "thursday",
  "friday",
  "saturday",
  "sunday",
] as const;

/** Slots of the timetable that a client comes to every time. */
const places = Type.Array(
  input({
    scheduleId: Id(),
    weekdays: Type.Optional(
      Type.Array(OneOf(WEEKDAYS), {
        minItems: 1,
        maxItems: 7,
        description:
          "On these days of the week alone, by the date of the slot; on all that it has if absent.",
      }),
    ),
  }),
  { minItems: 1, maxItems: 7, description: "Schedules, each with the days of the week." },
);
const untilDay = CalendarDate("Inclusive; at most 92 days and 60 sessions.");

export const BookMany = input({
  clientId: Id(),
  scheduleId: Type.Optional(Id("All of one schedule; or else `places`.")),
  places: Type.Optional(places),
  fromDay: CalendarDate(),
  untilDay,
});
const fixedPlaceId = Id("The fixed place: the audit entry of `bookMany` that made it.", EXAMPLE_IDS.audit);
const ending = {
  fromDay: Type.Optional(CalendarDate("The first day that is given up; today if absent.")),
  waive: Type.Optional(
    Type.Boolean({ description: "Without loss also where it is too late; needs a reason." }),
  ),
  reason: Type.Optional(Reason()),
};
export const EndFixedPlace = input({ fixedPlaceId, ...ending });
export const MoveFixedPlace = input({
  fixedPlaceId,
  places,
  ...ending,
  untilDay: Type.Optional({ ...untilDay, description: "The last day of what is given up if absent." }),
});
export const CancelBooking = input({
  bookingId,
  waive: Type.Optional(Type.Boolean({ description: "In time whatever the hour; needs a reason." })),
  reason: Type.Optional(Reason()),
});
export const RestoreBooking = input({ bookingId });
export const CheckIn = input({ clientId: Id(), session: SessionName, ...choice });
export const SetAttendance = input({ bookingId, state: OneOf(SEATED_STATES) });
const MARKS = ["no_show", "attended"] as const;
export const MarkRest = input({
  sessionId: Id(),
  state: Type.Optional(
    OneOf(MARKS, { description: "`no_show` if absent. `attended` is from the check-in on." }),
  ),
});
/** How many bookings can be unmarked at once; `markRest` has no undo for more. */
export const MOST_UNMARKED = 1_000;
export const UnmarkRest = input({
  sessionId: Id(),
  bookingIds: Type.Array(Id(), {
    minItems: 1,
    maxItems: MOST_UNMARKED,
    description: "Bookings of the session. Those that are marked otherwise stay as they are.",
  }),
  state: Type.Optional(OneOf(MARKS, { description: "As they were marked; `no_show` if absent." })),
});
export type Mark = (typeof MARKS)[number];
export const CoverBooking = input({ bookingId, entitlementId: choice.entitlementId });
export const MarkCourtesy = input({ bookingId });
export const JoinWaiting = input({ clientId: Id(), session: SessionName });
export const LeaveWaiting = input({ waitingId });
export const PromoteWaiting = input({ waitingId, ...choice });
export const MarkTold = input({ bookingIds: Type.Array(Id(), { minItems: 1, maxItems: 200 }) });

const BookedSlot = Type.Object(
  {
    scheduleId: Id(),
    originalStart: LocalDateTime("The slot, on the location's clock."),
    bookingId: Type.Optional(Id("Absent if it was not booked.")),
    wasBooked: Type.Optional(Type.Boolean({ description: "True if the client had a seat there before." })),
    reason: Type.Optional(Line(64, { description: "Why it was not.", examples: ["full"] })),
    whyNot: Type.Optional(
      Line(64, {
        description: "Of `not_covered`: why the likeliest contract does not.",
        examples: ["ended"],
      }),
    ),
  },
  { $id: "BookedSlot" },
);
const exampleSlot = {
  scheduleId: EXAMPLE_IDS.schedule,
  originalStart: "2026-11-16T07:00",
  bookingId: EXAMPLE_IDS.booking,
};
/** What became of each slot. */
export const BookedSlots = Type.Array(BookedSlot, { examples: [[exampleSlot]] });

const EndedBooking = Type.Object(
  {
    bookingId: Id(),
    localStart: LocalDateTime("When its session begins, on the clock of its location."),
    state: OneOf(["cancelled", "late_cancelled"]),
  },
  { $id: "EndedBooking" },
);
const exampleEnded = {
  bookingId: EXAMPLE_IDS.booking,
  localStart: "2026-11-16T07:00",
  state: "cancelled" as const,
};
/** What became of each booking that is given up. */
export const EndedBookings = Type.Array(EndedBooking, { examples: [[exampleEnded]] });
export const MovedPlace = Type.Object(
  {
    ended: Type.Array(EndedBooking, { description: "What was booked at the place that ends." }),
    booked: Type.Array(BookedSlot, { description: "What is booked at the new one." }),
  },
  { $id: "MovedPlace", examples: [{ ended: [exampleEnded], booked: [exampleSlot] }] },
);

export const ChangeCount = Type.Object(
  {
    contracts: Int32("Contracts whose answer on the API changed."),
    sessions: Int32("Sessions whose seats changed."),
    bookings: Int32(),
    creditsReturned: Int32(),
    promoted: Int32("People who were booked from the waitlist."),
  },
  {
    $id: "ChangeCount",
    examples: [{ contracts: 0, sessions: 0, bookings: 3, creditsReturned: 0, promoted: 0 }],
  },
);

/** What the reads answer. */

const clientName = Line(200, { examples: ["Ana Souza"] });
const planName = Line(200, { examples: ["Mensal 2x por semana"] });
const namedBookingFields = {
  ...bookingFields,
  clientName,
  planName: Type.Optional(
    Line(200, {
      description: "The plan of the contract that it draws on; absent if it is uncovered.",
      examples: ["Mensal 2x por semana"],
    }),
  ),
};
const owesSince = Type.Optional(
  CalendarDate("Since when the client owes something that is overdue; absent if nothing is."),
);
const clientNotes = Type.Optional(
  Text(10_000, {
    description: "What is noted about the client; to teachers alone, who cannot read clients.",
  }),
);
const RosterBooking = Type.Object(
  { ...namedBookingFields, owesSince, clientNotes },
  { $id: "RosterBooking" },
);
const exampleRosterBooking = {
  ...exampleBooking,
  clientName: "Ana Souza",
  planName: "Mensal 2x por semana",
};
const rosterFields = {
  session: RosterSession,
  bookings: Type.Array(RosterBooking, {
    description: "Those that have a seat first, in the order of names.",
  }),
  waiting: Type.Array(Type.Object({ ...waitingFields, clientName }, { $id: "RosterWaiting" }), {
    description: "The first in line first; nobody once the session has begun.",
  }),
  unnamed: Int32("Seats that are taken without a name."),
  checkInFrom: Instant("From then on people can be checked in."),
  freeUntil: Instant("Until then a booking can be cancelled without loss."),
  recordClosesAt: Instant("Until then people can be booked in, checked in and corrected."),
};
const now = Instant("The instant of the answer, by the server's clock.");
const exampleRoster = {
  session: exampleRosterSession,
  bookings: [exampleRosterBooking],
  waiting: [],
  unnamed: 8,
  checkInFrom: "2026-11-16T09:00:00.000Z",
  freeUntil: "2026-11-16T07:00:00.000Z",
  recordClosesAt: "2026-11-24T03:00:00.000Z",
};
const exampleNow = "2026-11-16T09:40:00.000Z";

export const Roster = Body(
  "Roster",
  { ...rosterFields, now },
  { examples: [{ ...exampleRoster, now: exampleNow }] },
);

export const Today = Body(
  "Today",
  {
    date: CalendarDate("Today in the organization's timezone."),
    now,
    sessions: Type.Array(Type.Object(rosterFields, { $id: "SessionOfToday" }), {
      description: "The sessions whose date is today on their location's clock, in the order of their start.",
    }),
  },
  { examples: [{ date: "2026-11-16", now: exampleNow, sessions: [exampleRoster] }] },
);

export const TodayQuery = Type.Object({
  locationId: Type.Optional(Id("Only sessions at this location.", EXAMPLE_IDS.location)),
});

export const TodoQuery = Type.Object({
  locationId: Type.Optional(
    Id(
      "Only bookings and sessions at this location, and contracts that can be used there.",
      EXAMPLE_IDS.location,
    ),
  ),
});

/** Where and when a session is that is listed on its own. */
const namedSession = { startAt: Instant(), serviceTypeId: Id(), locationId: Id(), ...sessionNames };
const exampleNamedSession = {
  startAt: "2026-11-16T10:00:00.000Z",
  serviceTypeId: EXAMPLE_IDS.serviceType,
  locationId: EXAMPLE_IDS.location,
  ...exampleSessionNames,
};
const OpenBooking = Type.Object(
  {
    ...namedBookingFields,
    ...namedSession,
    sessionStatus: OneOf(SESSION_STATUSES),
    reason: Type.Optional(
      Text(500, { description: "Why it was cancelled, as it was typed: of those who are to be told." }),
    ),
    clientEmail: Type.Optional(Line(254, { examples: ["ana@example.com"] })),
    clientPhone: Type.Optional(Line(40, { examples: ["+55 11 91234-5678"] })),
  },
  { $id: "OpenBooking" },
);
const exampleOpenBooking = {
  ...exampleRosterBooking,
  ...exampleNamedSession,
  sessionStatus: "scheduled" as const,
  clientPhone: "+55 11 91234-5678",
};

const EndingContract = Type.Object(
  { contractId: Id(), clientId: Id(), clientName, planName, endDate: CalendarDate() },
  { $id: "EndingContract" },
);
const exampleEnding = {
  contractId: EXAMPLE_IDS.contract,
  clientId: EXAMPLE_IDS.client,
  clientName: "Ana Souza",
  planName: "Mensal 2x por semana",
  endDate: "2026-11-30",
};
const OwingClient = Type.Object(
  {
    clientId: Id(),
    clientName,
    clientEmail: Type.Optional(Line(254, { examples: ["ana@example.com"] })),
    clientPhone: Type.Optional(Line(40, { examples: ["+55 11 91234-5678"] })),
    since: CalendarDate("When the first of what is overdue was due."),
    openCents: Cents("What is open of all invoices."),
  },
  { $id: "OwingClient" },
);
const exampleOwing = {
  clientId: EXAMPLE_IDS.client,
  clientName: "Ana Souza",
  clientPhone: "+55 11 91234-5678",
  since: "2026-11-13",
  openCents: 28_900,
};
const most = "At most 200; `total` counts all.";
const listed = <Item extends TObject>(name: string, item: Item, description: string) =>
  Type.Object(
    { data: Type.Array(item), total: Int32() },
    { $id: name, description: `${description} ${most}` },
  );

export const Todo = Body(
  "Todo",
  {
    toTell: listed(
      "ToTell",
      OpenBooking,
      "Whom the studio moved, cancelled or promoted, and who does not know yet.",
    ),
    uncovered: listed("Uncovered", OpenBooking, "Seats that draw on nothing."),
    unmarked: listed(
      "Unmarked",
      Type.Object({ sessionId: Id(), ...namedSession, bookings: Int32() }, { $id: "UnmarkedSession" }),
      "Sessions that are over, with people of whom nobody has said whether they came.",
    ),
    ending: listed("Ending", EndingContract, "Contracts whose last day is within 14 days."),
    overdue: listed(
      "Overdue",
      EndingContract,
      "Contracts that were brought in as running after their last day.",
    ),
    owes: listed("Owes", OwingClient, "Who owes something that is overdue, the longest first."),
  },
  {
    examples: [
      {
        toTell: { data: [exampleOpenBooking], total: 1 },
        uncovered: { data: [], total: 0 },
        unmarked: { data: [], total: 0 },
        ending: { data: [exampleEnding], total: 1 },
        overdue: { data: [], total: 0 },
        owes: { data: [exampleOwing], total: 1 },
      },
    ],
  },
);

export const CoverageAnswer = Body(
  "Coverage",
  {
    covered: Type.Boolean(),
    contractId: Type.Optional(Id()),
    entitlementId: Type.Optional(Id("What a booking would draw on.")),
    choices: Type.Array(
      Type.Object(
        {
          contractId: Id(),
          entitlementId: Id(),
          planName,
          type: OneOf(ENTITLEMENT_TYPES),
          remainingCredits: Type.Optional(Int32("Before the booking.")),
          endDate: Type.Optional(CalendarDate("The last day of the contract.")),
        },
        { $id: "CoverageChoice" },
      ),
      { description: "All that cover it, the one that a booking draws on first." },
    ),
    reasons: Type.Array(
      Type.Object(
        {
          contractId: Id(),
          entitlementId: Type.Optional(Id()),
          planName,
          reason: Line(64, { examples: ["no_credits"] }),
        },
        { $id: "CoverageReason", description: "Why a contract, or an entitlement of it, does not cover it." },
      ),
    ),
  },
  {
    examples: [
      {
        covered: true,
        contractId: EXAMPLE_IDS.contract,
        entitlementId: EXAMPLE_IDS.entitlement,
        choices: [
          {
            contractId: EXAMPLE_IDS.contract,
            entitlementId: EXAMPLE_IDS.entitlement,
            planName: "Pacote 10 aulas",
            type: "credits",
            remainingCredits: 7,
            endDate: "2026-12-31",
          },
        ],
        reasons: [],
      },
    ],
  },
);

/** The session that a read is about: by its id, or by its slot. */
const sessionQuery = {
  sessionId: Type.Optional(Id("The session.", EXAMPLE_IDS.session)),
  scheduleId: Type.Optional(Id("Or its schedule, together with `originalStart`.", EXAMPLE_IDS.schedule)),
  originalStart: Type.Optional(LocalDateTime("The slot, on the location's clock.")),
};
export const RosterQuery = Type.Object(sessionQuery);
export const CoverageQuery = Type.Object({
  clientId: Id("The client.", EXAMPLE_IDS.client),
  ...sessionQuery,
});

export const Visit = Type.Object(
  {
    ...bookingFields,
    startAt: Instant(),
    localStart: LocalDateTime("The start on the location's clock."),
    timezone: Line(64, { description: "Of the location.", examples: ["America/Sao_Paulo"] }),
    serviceTypeId: Id(),
    serviceTypeName: Line(200),
    locationId: Id(),
    locationName: Line(200),
    planName: Type.Optional(Line(200, { description: "Of the contract that it draws on." })),
  },
  { $id: "Visit", description: "A booking of a client with its session, contract and place." },
);
export const VisitPage = page("VisitPage", Visit, {
  ...exampleBooking,
  startAt: "2026-11-16T10:00:00.000Z",
  localStart: "2026-11-16T07:00",
  timezone: "America/Sao_Paulo",
  serviceTypeId: EXAMPLE_IDS.serviceType,
  serviceTypeName: "Pilates",
  locationId: EXAMPLE_IDS.location,
  locationName: "Centro",
  planName: "Mensal 2x por semana",
});
export const NearestVisits = Body(
  "NearestVisits",
  {
    next: Type.Optional(Visit),
    last: Type.Optional(Visit),
  },
  { examples: [{}] },
);
export const VisitQuery = Type.Object({
  limit: PageQuery.limit,
  offset: PageQuery.offset,
  cursor: PageQuery.cursor,
});

const FixedPlace = Type.Object(
  {
    id: Id(),
    firstDay: CalendarDate("Of the visits to come."),
    lastDay: CalendarDate("Of the visits to come."),
    visits: Int32("How many are to come."),
    places: Type.Array(
      Type.Object(
        {
          scheduleId: Type.Optional(Id("Absent if the session is of none.")),
          weekday: OneOf(WEEKDAYS, { description: "On the clock of the location." }),
          time: Line(5, { description: "On the clock of the location.", examples: ["18:00"] }),
          serviceTypeName: Line(200),
          locationName: Line(200),
          timezone: Line(64),
        },
        { $id: "WeeklyPlace" },
      ),
      { description: "When they come every time, in the order of the week." },
    ),
  },
  { $id: "FixedPlace" },
);
export const FixedPlaces = Body(
  "FixedPlaces",
  { data: Type.Array(FixedPlace, { description: "Those with visits to come, the next ones first." }) },
  {
    examples: [
      {
        data: [
          {
            id: EXAMPLE_IDS.audit,
            firstDay: "2026-11-17",
            lastDay: "2026-12-17",
            visits: 10,
            places: [
              {
                scheduleId: EXAMPLE_IDS.schedule,
                weekday: "tuesday" as const,
                time: "18:00",
                serviceTypeName: "Pilates",
                locationName: "Centro",
                timezone: "America/Sao_Paulo",
              },
            ],
          },
        ],
      },
    ],
  },
);
export type FixedPlaces = Static<typeof FixedPlaces>;

export type Booking = Static<typeof Booking>;
export type BookingState = Booking["state"];
export type Waiting = Static<typeof Waiting>;
export type Visit = Static<typeof Visit>;
export type NearestVisits = Static<typeof NearestVisits>;
export type Roster = Static<typeof Roster>;
export type Today = Static<typeof Today>;
export type Todo = Static<typeof Todo>;
export type CoverageAnswer = Static<typeof CoverageAnswer>;
