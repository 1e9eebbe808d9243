import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import { clearables, Id, Line, OneOf, type Static, Timezone, whole } from "../../core/fields.ts";
import Type from "../../core/schema-type.ts";

const LOCATION_STATUSES = ["active", "closed"] as const;

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

/** What the operations of the staff application take. */

const locationId = Id("The location.", EXAMPLE_IDS.location);
const { name, address, timezone } = Location.properties;

export const AddLocation = Type.Object({ name, address, timezone }, { additionalProperties: false });
export const EditLocation = Type.Object(
  {
    locationId,
    changes: Type.Object(
      { name: Type.Optional(name), ...clearables({ address }), timezone: Type.Optional(timezone) },
      { additionalProperties: false, description: "Members that are not named stay; null clears." },
    ),
  },
  { additionalProperties: false },
);
export const CloseLocation = Type.Object(
  {
    locationId,
    cancelBooked: Type.Optional(
      Type.Boolean({
        default: false,
        description: "Cancels its sessions to come even if somebody is booked.",
      }),
    ),
  },
  { additionalProperties: false },
);
export const NameLocation = Type.Object({ locationId }, { additionalProperties: false });

/** What is left of a location that was deleted. */
export const DeletedLocation = Type.Object({ id: locationId });

export type Location = Static<typeof Location>;
