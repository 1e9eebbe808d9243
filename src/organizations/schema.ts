import { EXAMPLE_IDS } from "../core/example-ids.ts";
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

export type Organization = Static<typeof Organization>;
