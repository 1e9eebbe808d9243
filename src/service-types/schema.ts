import { EXAMPLE_IDS } from "../core/example-ids.ts";
import {
  Body,
  Id,
  Instant,
  Line,
  OneOf,
  PageQuery,
  page,
  SearchQuery,
  type Static,
  Text,
} from "../core/fields.ts";
import Type from "../core/schema-type.ts";

export const SERVICE_TYPE_STATUSES = ["active", "archived"] as const;

/** A record of the demo studio. */
const exampleServiceType = {
  id: EXAMPLE_IDS.serviceType,
  name: "Pilates solo",
  description: "Aula no colchonete, para todos os níveis.",
  holdsResource: false,
  status: "active" as const,
  createdAt: "2023-11-21T18:33:29.362Z",
  updatedAt: "2023-11-21T18:33:29.362Z",
};

export const ServiceType = Body(
  "ServiceType",
  {
    id: Id(),
    name: Line(200, { minLength: 1, examples: ["Pilates"] }),
    description: Type.Optional(Text(10_000, { examples: ["Mat class for all levels"] })),
    holdsResource: Type.Boolean({
      description: "Booking one reserves its resource exclusively: an appointment rather than a class.",
    }),
    status: OneOf(SERVICE_TYPE_STATUSES),
    createdAt: Instant(),
    updatedAt: Instant(),
  },
  { examples: [exampleServiceType] },
);

export const ServiceTypePage = page("ServiceTypePage", ServiceType, exampleServiceType);

export const ServiceTypeQuery = Type.Object({
  query: SearchQuery("Terms to find in the name, whatever their case and accents.", "pilates"),
  status: Type.Optional(OneOf(SERVICE_TYPE_STATUSES, { description: "Every status if absent." })),
  ...PageQuery,
});

export type ServiceType = Static<typeof ServiceType>;
export type ServiceTypeQuery = Static<typeof ServiceTypeQuery>;
