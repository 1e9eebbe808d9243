import { EXAMPLE_IDS } from "../core/example-ids.ts";
import { Id, Line, OneOf, type Static, Timezone, whole } from "../core/fields.ts";
import Type from "../core/schema-type.ts";

export const LOCATION_STATUSES = ["active", "closed"] as const;

export const Location = Type.Object(
  {
    id: Id("The value that the rest of the API means by `locationId`."),
    name: Line(200, { minLength: 1, examples: ["Vila Madalena"] }),
    address: Type.Optional(Line(500, { examples: ["Rua Harmonia 100, São Paulo"] })),
    status: OneOf(LOCATION_STATUSES, { description: "Open and closed locations are both returned." }),
    timezone: Timezone("IANA name; sessions at the location are scheduled on this clock."),
  },
  { $id: "Location" },
);

export const LocationList = whole("LocationList", Location, {
  id: EXAMPLE_IDS.location,
  name: "Vila Madalena",
  address: "Rua das Acácias 210, Vila Madalena, São Paulo",
  status: "active",
  timezone: "America/Sao_Paulo",
});

export type Location = Static<typeof Location>;
