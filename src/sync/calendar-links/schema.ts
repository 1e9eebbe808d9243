import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import { CalendarDate, Id, Instant, Line, OneOf, type Static, whole } from "../../core/fields.ts";
import { DURATION_PATTERN, LIFETIME_PATTERN } from "../../core/patterns.ts";
import Type from "../../core/schema-type.ts";
import { ResourceId } from "../../domain/resources/schema.ts";
import { AHEAD_DAYS, LINK_LANGUAGES, MOST_LINK_DAYS, PAST_DAYS } from "./values.ts";

const CALENDAR_LINK_STATUSES = ["active", "expired", "revoked"] as const;

const Days = (description: string, example: number) =>
  Type.Integer({ format: "int32", minimum: 0, maximum: MOST_LINK_DAYS, description, examples: [example] });

const scope = {
  name: Type.Optional(
    Line(100, {
      minLength: 1,
      description: "What the calendar is called; that of a client is called as the organization.",
      examples: ["Vila Madalena"],
    }),
  ),
  clientId: Type.Optional(Id("Only what this client has booked.", EXAMPLE_IDS.client)),
  locationId: Type.Optional(Id("Only sessions at this location.", EXAMPLE_IDS.location)),
  serviceTypeId: Type.Optional(Id("Only sessions of this service type.", EXAMPLE_IDS.serviceType)),
  resourceId: Type.Optional(ResourceId("Only sessions that this teacher, room or equipment runs.")),
};

/** A link as the staff sees it. The token itself is nowhere. */
export const CalendarLink = Type.Object(
  {
    id: Id(),
    ...scope,
    clientName: Type.Optional(Line(200, { examples: ["Ana Prado"] })),
    pastDays: Days("How many days before today it shows.", PAST_DAYS),
    aheadDays: Days("How many days after today it shows.", AHEAD_DAYS),
    language: OneOf(LINK_LANGUAGES, { description: "Of the word for what is cancelled." }),
    showSeats: Type.Boolean({ description: "Whether it says how many seats there are and are taken." }),
    status: OneOf(CALENDAR_LINK_STATUSES),
    createdAt: Instant(),
    expiresAt: Type.Optional(Instant("Absent if it does not expire.")),
    revokedAt: Type.Optional(Instant()),
    lastFetchedAt: Type.Optional(Instant("To the minute.")),
    shownUntil: Type.Optional(
      CalendarDate("The last day that was shown, if there are too many sessions for the whole window."),
    ),
  },
  { $id: "CalendarLink" },
);

export const CalendarLinkList = whole("CalendarLinkList", CalendarLink, {
  id: EXAMPLE_IDS.calendarLink,
  name: "Vila Madalena",
  locationId: EXAMPLE_IDS.location,
  pastDays: PAST_DAYS,
  aheadDays: AHEAD_DAYS,
  language: "pt-BR",
  showSeats: false,
  status: "active",
  createdAt: "2026-11-15T09:30:00.000Z",
});

const Address = (description: string, example: string) =>
  Type.Optional(
    Type.String({
      description: `${description} Shown once: a repeat of the request answers without it.`,
      examples: [example],
    }),
  );

/** A link that was just made. */
export const NewCalendarLink = Type.Object(
  {
    ...CalendarLink.properties,
    url: Address("What calendar programs subscribe to.", "https://api.example.com/ics/rbc_….ics"),
    webcalUrl: Address("The same for telephones.", "webcal://api.example.com/ics/rbc_….ics"),
    jsonUrl: Address("The same sessions for a website.", "https://api.example.com/ics/rbc_….json"),
  },
  { $id: "NewCalendarLink" },
);

/** What the operations of the staff application take. */

const calendarLinkId = Id("The link.", EXAMPLE_IDS.calendarLink);

export const MintCalendarLink = Type.Object(
  {
    ...scope,
    pastDays: Type.Optional(
      Days(`How many days before today it shows, ${PAST_DAYS} if not given.`, PAST_DAYS),
    ),
    aheadDays: Type.Optional(
      Days(`How many days after today it shows, ${AHEAD_DAYS} if not given.`, AHEAD_DAYS),
    ),
    language: Type.Optional(
      OneOf(LINK_LANGUAGES, { description: "Of the word for what is cancelled, `en` if not given." }),
    ),
    showSeats: Type.Optional(
      Type.Boolean({
        default: false,
        description: "Whether it says how many seats there are and are taken.",
      }),
    ),
    expires: Type.Optional(
      Type.String({
        maxLength: 7,
        pattern: LIFETIME_PATTERN,
        description: "How long it works, such as `365d`; without it the link does not expire.",
        examples: ["365d"],
      }),
    ),
  },
  { additionalProperties: false },
);
export const RotateCalendarLink = Type.Object(
  {
    calendarLinkId,
    overlap: Type.Optional(
      Type.String({
        maxLength: 7,
        pattern: DURATION_PATTERN,
        default: "24h",
        description: "How long the old link works beside the new one.",
        examples: ["24h"],
      }),
    ),
  },
  { additionalProperties: false },
);
export const NameCalendarLink = Type.Object({ calendarLinkId }, { additionalProperties: false });

export const CalendarLinksQuery = Type.Object({
  clientId: Type.Optional(
    Id("Only links to the bookings of this client. All others are for owners.", EXAMPLE_IDS.client),
  ),
});

export type CalendarLink = Static<typeof CalendarLink>;
export type NewCalendarLink = Static<typeof NewCalendarLink>;
export type MintCalendarLink = Static<typeof MintCalendarLink>;
