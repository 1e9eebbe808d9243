import { refusal } from "../../core/errors.ts";
import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import { undoneBy, undoneByEdit, withoutSessions } from "../../core/undo.ts";
import { findServiceType } from "../service-types/queries.ts";
import {
  ArchiveServiceType,
  EditServiceType,
  NameServiceType,
  ServiceType,
} from "../service-types/schema.ts";
import { repeatedBy, staffWrite } from "../writes/staff-write.ts";
import { archiveServiceType, editServiceType, restoreServiceType } from "./service-type-operations.ts";

const tag = "Service types";
const role = "manager";
const serviceTypeId = EXAMPLE_IDS.serviceType;
const result = ServiceType;
const repeat = repeatedBy(findServiceType);

/** What a manager does to a service type that its sessions follow. */
export const serviceTypeSessionWrites = [
  staffWrite({
    name: "editServiceType",
    role,
    tag,
    summary: "Change a service type",
    description:
      "Turning `holdsResource` on claims the resources of its booked sessions to come, and is refused if one of them is " +
      "taken; turning it off lets them go, and is refused if one of its sessions, a class now, has a resource that another " +
      "session has taken.",
    input: EditServiceType,
    example: { serviceTypeId, changes: { name: "Pilates solo" } },
    result,
    refusals: [
      refusal("no_service_type"),
      refusal("resource_busy", { params: { name: "Carla", from: "10:00", to: "10:50" } }),
    ],
    perform: editServiceType,
    undo: undoneByEdit("editServiceType", {
      member: "serviceTypeId",
      changes: Object.keys(EditServiceType.properties.changes.properties),
    }),
    repeat,
  }),
  staffWrite({
    name: "archiveServiceType",
    role,
    tag,
    summary: "Archive a service type",
    description:
      "Its schedules produce no sessions any more. Stored sessions that have not begun are cancelled; if somebody is " +
      "booked, only with `cancelBooked`.",
    input: ArchiveServiceType,
    example: { serviceTypeId, cancelBooked: false },
    result,
    refusals: [
      refusal("no_service_type"),
      refusal("has_bookings", { params: { count: 3 }, facts: { sessions: 1, bookings: 3 } }),
      refusal("checked_in", { params: { count: 2 } }),
    ],
    perform: archiveServiceType,
    undo: undoneBy("restoreServiceType", "serviceTypeId", withoutSessions),
    repeat,
  }),
  staffWrite({
    name: "restoreServiceType",
    role,
    tag,
    summary: "Bring an archived service type back",
    description:
      "Its schedules produce sessions again. Sessions that were cancelled with it stay cancelled. It is refused if one " +
      "of its classes has a resource that was taken meanwhile.",
    input: NameServiceType,
    example: { serviceTypeId },
    result,
    refusals: [
      refusal("no_service_type"),
      refusal("resource_busy", { params: { name: "Carla", from: "10:00", to: "10:50" } }),
    ],
    perform: restoreServiceType,
    undo: undoneBy("archiveServiceType", "serviceTypeId"),
    repeat,
  }),
];
