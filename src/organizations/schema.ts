import { Body, Currency, Id, Instant, Line, OneOf, type Static, Timezone } from "../core/fields.ts";
import { TIERS } from "./values.ts";

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
