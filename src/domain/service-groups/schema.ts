import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import { Id, Line, type Static, whole } from "../../core/fields.ts";
import Type from "../../core/schema-type.ts";

export const ServiceGroup = Type.Object(
  {
    id: Id("The value that entitlements mean by `serviceGroupId`."),
    name: Line(200, { minLength: 1, examples: ["Mat classes"] }),
    serviceTypeIds: Type.Array(Id(), { description: "The service types that are in the group now." }),
  },
  { $id: "ServiceGroup" },
);

/** Its example is a record of the demo studio. */
export const ServiceGroupList = whole("ServiceGroupList", ServiceGroup, {
  id: EXAMPLE_IDS.beginnersGroup,
  name: "Iniciantes",
  serviceTypeIds: [EXAMPLE_IDS.serviceType],
});

/** What the operations of the staff application take. */

const serviceGroupId = Id("The service group.", EXAMPLE_IDS.serviceGroup);
const { name } = ServiceGroup.properties;
const serviceTypeIds = Type.Array(Id(), {
  maxItems: 1_000,
  description: "The service types in the group; coverage asks for them as they are when somebody books.",
});

export const AddServiceGroup = Type.Object({ name, serviceTypeIds }, { additionalProperties: false });
export const EditServiceGroup = Type.Object(
  {
    serviceGroupId,
    changes: Type.Object(
      { name: Type.Optional(name), serviceTypeIds: Type.Optional(serviceTypeIds) },
      { additionalProperties: false, description: "Members that are not named stay." },
    ),
  },
  { additionalProperties: false },
);
export const NameServiceGroup = Type.Object({ serviceGroupId }, { additionalProperties: false });

/** What is left of a service group that was deleted. */
export const DeletedServiceGroup = Type.Object({ id: serviceGroupId });

export type ServiceGroup = Static<typeof ServiceGroup>;
