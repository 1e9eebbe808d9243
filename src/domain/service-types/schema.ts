import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import {
  Body,
  clearables,
  Id,
  Instant,
  Line,
  OneOf,
  PageQuery,
  page,
  SearchQuery,
  type Static,
  Text,
} from "../../core/fields.ts";
import Type from "../../core/schema-type.ts";

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

/** What the operations of the staff application take. */

const serviceTypeId = Id("The service type.", EXAMPLE_IDS.serviceType);
const { name, description, holdsResource } = ServiceType.properties;

export const AddServiceType = Type.Object(
  { name, description, holdsResource },
  { additionalProperties: false },
);
export const EditServiceType = Type.Object(
  {
    serviceTypeId,
    changes: Type.Object(
      {
        name: Type.Optional(name),
        ...clearables({ description }),
        holdsResource: Type.Optional(holdsResource),
      },
      { additionalProperties: false, description: "Members that are not named stay; null clears." },
    ),
  },
  { additionalProperties: false },
);
export const ArchiveServiceType = Type.Object(
  {
    serviceTypeId,
    cancelBooked: Type.Optional(
      Type.Boolean({
        default: false,
        description: "Cancels its sessions to come even if somebody is booked.",
      }),
    ),
  },
  { additionalProperties: false },
);
export const NameServiceType = Type.Object({ serviceTypeId }, { additionalProperties: false });

/** What is left of a service type that was deleted. */
export const DeletedServiceType = Type.Object({ id: serviceTypeId });

export type ServiceType = Static<typeof ServiceType>;
export type ServiceTypeQuery = Static<typeof ServiceTypeQuery>;
