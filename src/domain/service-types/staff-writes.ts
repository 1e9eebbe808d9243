import { refusal } from "../../core/errors.ts";
import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import { repeatedBy, staffWrite } from "../writes/staff-write.ts";
import { addServiceType, deleteServiceType } from "./operations.ts";
import { findServiceType } from "./queries.ts";
import { AddServiceType, DeletedServiceType, NameServiceType, ServiceType } from "./schema.ts";

const tag = "Service types";
const role = "manager";
const serviceTypeId = EXAMPLE_IDS.serviceType;
const result = ServiceType;
const repeat = repeatedBy(findServiceType);

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
    perform: addServiceType,
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
    perform: deleteServiceType,
  }),
];
