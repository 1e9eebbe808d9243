import { refusal } from "../core/errors.ts";
import { EXAMPLE_IDS } from "../core/example-ids.ts";
import { undoneBy, undoneByEdit, withoutSessions } from "../core/undo.ts";
import { type StaffCall, staffWrite } from "../staff/staff-write.ts";
import {
  addServiceType,
  archiveServiceType,
  deleteServiceType,
  editServiceType,
  restoreServiceType,
} from "./operations.ts";
import { findServiceType } from "./queries.ts";
import {
  AddServiceType,
  ArchiveServiceType,
  DeletedServiceType,
  EditServiceType,
  NameServiceType,
  ServiceType,
} from "./schema.ts";

const tag = "Service types";
const role = "manager";
const serviceTypeId = EXAMPLE_IDS.serviceType;
const result = ServiceType;
const repeat = {
  idOf: ({ id }: ServiceType) => id,
  read: ({ db, organizationId }: StaffCall, id: string) => findServiceType(db, organizationId, id),
};

export const serviceTypeWrites = [
  staffWrite({
    name: "addServiceType",
    role,
    tag,
    summary: "Add a service type",
    description:
      "A kind of class or appointment. With `holdsResource` a booking takes its resources for itself.",
    input: AddServiceType,
    example: { name: "Fisioterapia", description: "Sessão individual de 50 minutos.", holdsResource: true },
    result,
    refusals: [],
    perform: ({ db, actor, organizationId }, input) => addServiceType(db, actor, organizationId, input),
    repeat,
  }),
  staffWrite({
    name: "editServiceType",
    role,
    tag,
    summary: "Change a service type",
    description:
      "Turning `holdsResource` on claims the resources of its booked sessions to come, and is refused if one of them is " +
      "taken; turning it off lets them go.",
    input: EditServiceType,
    example: { serviceTypeId, changes: { name: "Pilates solo" } },
    result,
    refusals: [
      refusal("no_service_type"),
      refusal("resource_busy", { params: { name: "Carla", from: "10:00", to: "10:50" } }),
    ],
    perform: ({ db, actor, organizationId }, input) => editServiceType(db, actor, organizationId, input),
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
    ],
    perform: ({ db, actor, organizationId }, input) => archiveServiceType(db, actor, organizationId, input),
    undo: undoneBy("restoreServiceType", "serviceTypeId", withoutSessions),
    repeat,
  }),
  staffWrite({
    name: "restoreServiceType",
    role,
    tag,
    summary: "Bring an archived service type back",
    description: "Its schedules produce sessions again. Sessions that were cancelled with it stay cancelled.",
    input: NameServiceType,
    example: { serviceTypeId },
    result,
    refusals: [refusal("no_service_type")],
    perform: ({ db, actor, organizationId }, input) => restoreServiceType(db, actor, organizationId, input),
    undo: undoneBy("archiveServiceType", "serviceTypeId"),
    repeat,
  }),
  staffWrite({
    name: "deleteServiceType",
    role: "owner",
    needsPassword: true,
    tag,
    summary: "Delete a service type",
    description: "Only one that nothing refers to. It cannot be undone.",
    input: NameServiceType,
    example: { serviceTypeId },
    result: DeletedServiceType,
    refusals: [
      refusal("no_service_type"),
      refusal("in_use", { params: { uses: [{ kind: "schedules", count: 2 }] } }),
    ],
    perform: ({ db, actor, organizationId }, input) => deleteServiceType(db, actor, organizationId, input),
  }),
];
