import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import { Body, clearables, Int64, Line, OneOf, type Static } from "../../core/fields.ts";
import Type from "../../core/schema-type.ts";
import { Organization } from "../organizations/schema.ts";

/** What the calendar can colour sessions by. */
const COLOR_BY = ["service", "teacher", "none"] as const;
/** What they are drawn as is the console's matter, which has two themes. */
const COLORS = ["teal", "blue", "violet", "orange", "pink", "green", "amber", "red"] as const;
/** As many as one edit names, and as are kept. */
export const MAX_COLORS = 500;

const by = OneOf(COLOR_BY, {
  description:
    "What the calendar colours sessions by: their service, the first of the people who run them, or nothing.",
});
const coloredId = Line(64, {
  minLength: 1,
  description: "A service type, or a resource that is a person.",
  examples: [EXAMPLE_IDS.serviceType],
});
const color = OneOf(COLORS, {
  description: "Drawn so that it can be read in both themes.",
  examples: ["teal"],
});

const example = {
  by: "service" as const,
  colors: [{ id: EXAMPLE_IDS.serviceType, color: "violet" as const }],
};

/** How the calendar looks. Nothing of it is on the API. */
export const CalendarColors = Body(
  "CalendarColors",
  {
    by,
    colors: Type.Array(Type.Object({ id: coloredId, color }), {
      description: "Those that were chosen, by id; what is not named here has one of the console's choice.",
    }),
  },
  { examples: [example] },
);

export const ColorCalendar = Type.Object(
  {
    by: Type.Optional(by),
    colors: Type.Optional(
      Type.Array(Type.Object({ id: coloredId, ...clearables({ color }) }, { additionalProperties: false }), {
        maxItems: MAX_COLORS,
        description: "What is not named here stays as it is.",
      }),
    ),
  },
  { additionalProperties: false },
);

const { id, name, timezone, currency } = Organization.properties;

/** The organization as its owner changes it. */
export const StaffOrganization = Body(
  "StaffOrganization",
  { id, name, timezone, currency },
  {
    examples: [
      {
        id: EXAMPLE_IDS.organization,
        name: "Estúdio Aurora",
        timezone: "America/Sao_Paulo",
        currency: "BRL",
      },
    ],
  },
);

export const EditOrganization = Type.Object(
  {
    changes: Type.Object(
      {
        name: Type.Optional(name),
        timezone: Type.Optional(timezone),
        currency: Type.Optional(currency),
      },
      { additionalProperties: false, description: "Members that are not named stay." },
    ),
  },
  { additionalProperties: false },
);

/** What the organization may do, and has done: for its owners. A limit that is absent is none. */
export const OrganizationUse = Body(
  "OrganizationUse",
  {
    requests: Type.Object(
      {
        today: Int64("What came with its keys today, up to a minute ago."),
        perMinute: Type.Optional(Int64("How many requests all keys may make together in a minute.")),
      },
      { description: "What its keys ask for." },
    ),
    storage: Type.Object(
      {
        records: Int64(
          "Clients, contracts, plans, schedules, stored sessions and all else that the change feed tells of, archived ones " +
            "included. Bookings, invoices and payments belong to those and do not count.",
        ),
        limit: Type.Optional(
          Int64("How many there may be: what would add more is refused as `storage_full`."),
        ),
      },
      { description: "What it stores." },
    ),
    uploads: Type.Object(
      {
        bytes: Int64("What was uploaded today."),
        megabytes: Type.Optional(Int64("How many megabytes may be uploaded in a day.")),
      },
      { description: "The files that it uploads." },
    ),
  },
  {
    examples: [
      {
        requests: { today: 5_120, perMinute: 1_200 },
        storage: { records: 9_312, limit: 10_000 },
        uploads: { bytes: 1_048_576, megabytes: 500 },
      },
    ],
  },
);

export type OrganizationUse = Static<typeof OrganizationUse>;
export type CalendarColors = Static<typeof CalendarColors>;
export type StaffOrganization = Static<typeof StaffOrganization>;
