import { refusal } from "../../core/errors.ts";
import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import { undoneByEdit } from "../../core/undo.ts";
import { repeatedBy, staffWrite } from "../writes/staff-write.ts";
import {
  addServiceGroup,
  deleteServiceGroup,
  editServiceGroup,
  findUnknownServiceTypes,
} from "./operations.ts";
import { findServiceGroup } from "./queries.ts";
import {
  AddServiceGroup,
  DeletedServiceGroup,
  EditServiceGroup,
  NameServiceGroup,
  ServiceGroup,
} from "./schema.ts";

const tag = "Service types";
const serviceGroupId = EXAMPLE_IDS.serviceGroup;
const result = ServiceGroup;
const repeat = repeatedBy(findServiceGroup);

export const serviceGroupWrites = [
  staffWrite({
    name: "addServiceGroup",
    role: "manager",
    tag,
    summary: "Add a service group",
    description: "A group of service types that an entitlement may be limited to.",
    input: AddServiceGroup,
    faults: ({ db, organizationId }, given) => findUnknownServiceTypes(db, organizationId, given, "body"),
    example: { name: "Iniciantes", serviceTypeIds: [EXAMPLE_IDS.serviceType] },
    result,
    refusals: [],
    perform: addServiceGroup,
    repeat,
  }),
  staffWrite({
    name: "editServiceGroup",
    role: "manager",
    tag,
    summary: "Change a service group",
    description:
      "Membership is live: a service type that joins is covered by the next booking on, one that leaves is not. What " +
      "was booked stands, and no contract changes.",
    input: EditServiceGroup,
    faults: ({ db, organizationId }, given) =>
      findUnknownServiceTypes(
        db,
        organizationId,
        (given as { changes?: unknown } | null)?.changes,
        "body.changes",
      ),
    example: { serviceGroupId, changes: { serviceTypeIds: [EXAMPLE_IDS.serviceType] } },
    result,
    refusals: [refusal("no_service_group")],
    perform: editServiceGroup,
    undo: undoneByEdit("editServiceGroup", {
      member: "serviceGroupId",
      changes: Object.keys(EditServiceGroup.properties.changes.properties),
    }),
    repeat,
  }),
  staffWrite({
    name: "deleteServiceGroup",
    role: "owner",
    needsPassword: true,
    tag,
    summary: "Delete a service group",
    description: "Only one that no plan and no contract names. It cannot be undone.",
    input: NameServiceGroup,
    example: { serviceGroupId },
    result: DeletedServiceGroup,
    refusals: [
      refusal("no_service_group"),
      refusal("in_use", { params: { uses: [{ kind: "plans", count: 2 }] } }),
    ],
    perform: deleteServiceGroup,
  }),
];
