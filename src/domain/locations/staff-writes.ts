import { refusal } from "../../core/errors.ts";
import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import { repeatedBy, staffWrite } from "../writes/staff-write.ts";
import { addLocation, deleteLocation } from "./operations.ts";
import { findLocation } from "./queries.ts";
import { checkLocationMembers } from "./rules.ts";
import { AddLocation, DeletedLocation, Location, NameLocation } from "./schema.ts";

const tag = "Locations";
const role = "owner";
const locationId = EXAMPLE_IDS.location;
const result = Location;
const repeat = repeatedBy(findLocation);

export const locationWrites = [
  staffWrite({
    name: "addLocation",
    role,
    tag,
    summary: "Add a location",
    description:
      "It is open. With the second location, a new client on the API must say to which one it belongs.",
    input: AddLocation,
    faults: async (_, given) => checkLocationMembers(given, "body"),
    example: {
      name: "Pinheiros",
      address: "Rua dos Pinheiros 800, São Paulo",
      timezone: "America/Sao_Paulo",
    },
    result,
    refusals: [],
    perform: addLocation,
    repeat,
  }),
  staffWrite({
    name: "deleteLocation",
    role,
    needsPassword: true,
    tag,
    summary: "Delete a location",
    description: "Only one that nothing refers to. It cannot be undone.",
    input: NameLocation,
    example: { locationId },
    result: DeletedLocation,
    refusals: [
      refusal("no_location"),
      refusal("in_use", { params: { uses: [{ kind: "schedules", count: 2 }] } }),
    ],
    perform: deleteLocation,
  }),
];
