import { refusal } from "../../core/errors.ts";
import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import { undoneBy, undoneByEdit, withoutSessions } from "../../core/undo.ts";
import { findLocation } from "../locations/queries.ts";
import { checkLocationMembers } from "../locations/rules.ts";
import { CloseLocation, EditLocation, Location, NameLocation } from "../locations/schema.ts";
import { repeatedBy, staffWrite } from "../writes/staff-write.ts";
import { closeLocation, editLocation, reopenLocation } from "./location-operations.ts";

const tag = "Locations";
const role = "owner";
const locationId = EXAMPLE_IDS.location;
const result = Location;
const repeat = repeatedBy(findLocation);

/** What an owner does to a location that its sessions follow. */
export const locationSessionWrites = [
  staffWrite({
    name: "editLocation",
    role,
    tag,
    summary: "Change a location",
    description:
      "With another timezone its schedules and sessions keep their local times: the class at seven is at seven on the " +
      "new clock, so the instants of its sessions move, and their days do not. It is refused if one of them then meets " +
      "another that has its resource.",
    input: EditLocation,
    faults: async (_, given) =>
      checkLocationMembers((given as { changes?: unknown } | null)?.changes, "body.changes"),
    example: { locationId, changes: { name: "Vila Madalena" } },
    result,
    refusals: [
      refusal("no_location"),
      refusal("resource_busy", { params: { name: "Carla", from: "10:00", to: "10:50" } }),
    ],
    perform: editLocation,
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
      refusal("checked_in", { params: { count: 2 } }),
    ],
    perform: closeLocation,
    undo: undoneBy("reopenLocation", "locationId", withoutSessions),
    repeat,
  }),
  staffWrite({
    name: "reopenLocation",
    role,
    tag,
    summary: "Open a closed location again",
    description:
      "Its schedules produce sessions again. Sessions that were cancelled when it closed stay cancelled. It is " +
      "refused if one of its classes has a resource that was taken meanwhile.",
    input: NameLocation,
    example: { locationId },
    result,
    refusals: [
      refusal("no_location"),
      refusal("resource_busy", { params: { name: "Carla", from: "10:00", to: "10:50" } }),
    ],
    perform: reopenLocation,
    undo: undoneBy("closeLocation", "locationId"),
    repeat,
  }),
];
