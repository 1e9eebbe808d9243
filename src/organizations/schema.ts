import { Body, Currency, Id, Instant, Line, OneOf, type Static, Timezone } from "../fields.ts";

/** The tiers an organization can subscribe to, lowest first. On the wire the tier is called `plan`. */
export const TIERS = ["Free", "Starter", "Pro", "Enterprise"] as const;
export const ORGANIZATION_STATUSES = ["active", "suspended", "closed"] as const;

export type Tier = (typeof TIERS)[number];
export type OrganizationStatus = (typeof ORGANIZATION_STATUSES)[number];

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
  { description: "The organization a key belongs to." },
);

export type Organization = Static<typeof Organization>;
