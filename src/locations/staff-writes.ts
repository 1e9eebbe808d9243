import { refusal } from "../core/errors.ts";
import { EXAMPLE_IDS } from "../core/example-ids.ts";
import { undoneBy, undoneByEdit, withoutSessions } from "../core/undo.ts";
import { type StaffCall, staffWrite } from "../staff/staff-write.ts";
import { addLocation, closeLocation, deleteLocation, editLocation, reopenLocation } from "./operations.ts";
import { findLocation } from "./queries.ts";
import { checkLocationMembers } from "./rules.ts";
import {
  AddLocation,
  CloseLocation,
  DeletedLocation,
  EditLocation,
  Location,
  NameLocation,
} from "./schema.ts";

const tag = "Locations";
const role = "owner";
const locationId = EXAMPLE_IDS.location;
const result = Location;
const repeat = {
  idOf: ({ id }: Location) => id,
  read: ({ db, organizationId }: StaffCall, id: string) => findLocation(db, organizationId, id),
};

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
    perform: ({ db, actor, organizationId }, input) => addLocation(db, actor, organizationId, input),
    repeat,
  }),
  staffWrite({
    name: "editLocation",
    role,
    tag,
    summary: "Change a location",
    description:
      "With another timezone its schedules and sessions keep their local times: the class at seven is at seven on the " +
      "new clock, so the instants of its sessions move, and their days do not.",
    input: EditLocation,
    faults: async (_, given) =>
      checkLocationMembers((given as { changes?: unknown } | null)?.changes, "body.changes"),
    example: { locationId, changes: { name: "Vila Madalena" } },
    result,
    refusals: [
      refusal("no_location"),
      refusal("resource_busy", { params: { name: "Carla", from: "10:00", to: "10:50" } }),
    ],
    perform: ({ db, actor, organizationId }, input) => editLocation(db, actor, organizationId, input),
    undo: undoneByEdit("editLocation", {
      member: "locationId",
      changes: Object.keys(EditLocation.properties.changes.properties),
    }),
    repeat,
  }),
  staffWrite({
    name: "closeLocation",
    role,
    tag,
    summary: "Close a location",
    description:
      "Its schedules produce no sessions any more. Stored sessions that have not begun are cancelled; if somebody is " +
      "booked, only with `cancelBooked`.",
    input: CloseLocation,
    example: { locationId, cancelBooked: false },
    result,
    refusals: [
      refusal("no_location"),
      refusal("has_bookings", { params: { count: 3 }, facts: { sessions: 1, bookings: 3 } }),
    ],
    perform: ({ db, actor, organizationId }, input) => closeLocation(db, actor, organizationId, input),
    undo: undoneBy("reopenLocation", "locationId", withoutSessions),
    repeat,
  }),
  staffWrite({
    name: "reopenLocation",
    role,
    tag,
    summary: "Open a closed location again",
    description:
      "Its schedules produce sessions again. Sessions that were cancelled when it closed stay cancelled.",
    input: NameLocation,
    example: { locationId },
    result,
    refusals: [refusal("no_location")],
    perform: ({ db, actor, organizationId }, input) => reopenLocation(db, actor, organizationId, input),
    undo: undoneBy("closeLocation", "locationId"),
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
    perform: ({ db, actor, organizationId }, input) => deleteLocation(db, actor, organizationId, input),
  }),
];
