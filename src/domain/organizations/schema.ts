import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import {
  Body,
  CalendarDate,
  Currency,
  clearables,
  Id,
  Instant,
  Line,
  OneOf,
  type Static,
  Timezone,
} from "../../core/fields.ts";
import Type from "../../core/schema-type.ts";
import { TIERS, WEEK_STARTS } from "./values.ts";

export const Organization = Body(
  "Organization",
  {
    id: Id(),
    name: Line(200, { minLength: 1, examples: ["Studio Aurora"] }),
    timezone: Timezone("IANA name of the zone in which the API's reporting is read."),
    currency: Currency(),
    plan: OneOf(TIERS, { description: "Name of the organization's subscription plan.", examples: ["Pro"] }),
    joinedAt: Instant(),
  },
  {
    description: "The organization a key belongs to.",
    examples: [
      {
        id: EXAMPLE_IDS.organization,
        name: "Estúdio Aurora",
        timezone: "America/Sao_Paulo",
        currency: "BRL",
        plan: "Pro",
        joinedAt: "2023-11-01T15:24:30.487Z",
      },
    ],
  },
);

const settings = {
  cancelWindowMinutes: Type.Integer({
    minimum: 0,
    maximum: 10_080,
    description: "A booking is cancelled without loss until this long before its session begins.",
    examples: [180],
  }),
  checkInOpensMinutes: Type.Integer({
    minimum: 0,
    maximum: 1_440,
    description: "People can be checked in from this long before a session begins.",
    examples: [60],
  }),
  weekStart: OneOf(WEEK_STARTS, {
    description: "Which day a week begins with, where visits are counted by the week.",
    examples: ["monday"],
  }),
  paymentDays: Type.Integer({
    minimum: 0,
    maximum: 90,
    description: "How many days after the day of an invoice it is due.",
    examples: [0],
  }),
};

const invoicesFrom = CalendarDate(
  "The day from which the organization invoices, 2000-01-01 at the earliest: nothing is issued for days before it. " +
    "Without it nothing is issued.",
);

/** How the studio works with bookings and invoices. Nothing of it is on the API. */
export const OrganizationSettings = Type.Object(
  { ...settings, invoicesFrom: Type.Optional(invoicesFrom) },
  { $id: "OrganizationSettings" },
);

/** What an organization begins with. */
export const DEFAULT_SETTINGS: OrganizationSettings = {
  cancelWindowMinutes: 180,
  checkInOpensMinutes: 60,
  weekStart: "monday",
  paymentDays: 0,
};

export const EditSettings = Type.Object(
  {
    changes: Type.Object(
      {
        cancelWindowMinutes: Type.Optional(settings.cancelWindowMinutes),
        checkInOpensMinutes: Type.Optional(settings.checkInOpensMinutes),
        weekStart: Type.Optional(settings.weekStart),
        paymentDays: Type.Optional(settings.paymentDays),
        ...clearables({ invoicesFrom }),
      },
      { additionalProperties: false, description: "Members that are not named stay." },
    ),
  },
  { additionalProperties: false },
);

const versions = {
  maxLength: 64,
  pattern: "^[A-Za-z0-9_-]+$",
  examples: ["vZ3nq0xJQ1uYk0d8m2Lr7A"],
};

/** The longest time a caller is kept waiting for a change. */
export const MAX_WAIT_SECONDS = 30;

export const VersionsQuery = Type.Object({
  after: Type.Optional(
    Type.String({ ...versions, description: "The versions that you know: what was answered before." }),
  ),
  wait: Type.Integer({
    minimum: 0,
    maximum: MAX_WAIT_SECONDS,
    default: 0,
    description: "How many seconds to wait for other versions than `after`.",
  }),
});

export const Versions = Body(
  "Versions",
  {
    versions: Type.String({
      ...versions,
      description: "Another text after every change to anything that the application shows.",
    }),
  },
  { examples: [{ versions: "vZ3nq0xJQ1uYk0d8m2Lr7A" }] },
);

export type OrganizationSettings = Static<typeof OrganizationSettings>;
export type Organization = Static<typeof Organization>;
