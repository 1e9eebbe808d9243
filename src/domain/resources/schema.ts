import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import { Line, OneOf, type Static, whole } from "../../core/fields.ts";
import Type from "../../core/schema-type.ts";

export const RESOURCE_KINDS = ["person", "room", "equipment"] as const;
export const RESOURCE_STATUSES = ["active", "archived"] as const;

/** What schedules and sessions name a resource by: any short text, as other systems have it. */
export const ResourceId = (description?: string) =>
  Line(64, description === undefined ? {} : { description });

export const Resource = Type.Object(
  {
    id: ResourceId("The value that sessions mean by `resourceIds`."),
    name: Line(200, { description: "The id, unless the resource was given a name.", examples: ["Room 2"] }),
    kind: OneOf(RESOURCE_KINDS, { description: "What it is; `person` unless said otherwise." }),
    status: OneOf(RESOURCE_STATUSES, {
      description: "Active and archived resources are both returned: an archived one stays where it is.",
    }),
  },
  { $id: "Resource" },
);

/** A record of the demo studio. */
export const EXAMPLE_RESOURCE = {
  id: EXAMPLE_IDS.instructor,
  name: "Marina Duarte",
  kind: "person" as const,
  status: "active" as const,
};

export const ResourceList = whole("ResourceList", Resource, EXAMPLE_RESOURCE);

/** What the operations of the staff application take. */

const resourceId = Line(64, {
  minLength: 1,
  description: "The resource, by the text that sessions name it by.",
  examples: [EXAMPLE_IDS.instructor],
});
const name = Line(200, { minLength: 1, examples: ["Room 2"] });
const { kind } = Resource.properties;

export const AddResource = Type.Object({ name, kind }, { additionalProperties: false });
export const EditResource = Type.Object(
  {
    resourceId,
    changes: Type.Object(
      { name: Type.Optional(name), kind: Type.Optional(kind) },
      { additionalProperties: false, description: "Members that are not named stay." },
    ),
  },
  { additionalProperties: false },
);
export const NameResource = Type.Object({ resourceId }, { additionalProperties: false });

export type Resource = Static<typeof Resource>;
