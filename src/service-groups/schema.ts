import { EXAMPLE_IDS } from "../core/example-ids.ts";
import { Id, Line, type Static, whole } from "../core/fields.ts";
import Type from "../core/schema-type.ts";

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

export type ServiceGroup = Static<typeof ServiceGroup>;
