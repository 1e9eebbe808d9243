import { refusal } from "../../core/errors.ts";
import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import { undoneBy, undoneByEdit } from "../../core/undo.ts";
import { repeatedBy, staffWrite } from "../writes/staff-write.ts";
import { addResource, archiveResource, editResource, restoreResource } from "./operations.ts";
import { findResource } from "./queries.ts";
import { AddResource, EditResource, NameResource, Resource } from "./schema.ts";

const tag = "Resources";
const role = "front_desk";
const resourceId = EXAMPLE_IDS.instructor;
const result = Resource;
const refusals = [refusal("no_resource")];
const repeat = repeatedBy(findResource);

const editBack = undoneByEdit("editResource", { member: "resourceId", changes: ["kind"] });

export const resourceWrites = [
  staffWrite({
    name: "addResource",
    role,
    tag,
    summary: "Add a resource",
    description: "Who or what runs sessions: a person, a room or equipment.",
    input: AddResource,
    example: { name: "Sala 2", kind: "room" },
    result,
    refusals: [],
    perform: addResource,
    repeat,
  }),
  staffWrite({
    name: "editResource",
    role,
    tag,
    summary: "Change a resource",
    description: "Its name or kind. One that an import named has its id as its name until it is given one.",
    input: EditResource,
    example: { resourceId, changes: { name: "Carla" } },
    result,
    refusals,
    perform: editResource,
    // The trail has no names, so what changed one is not undone by it.
    undo: (facts) => {
      const { members } = facts.details;
      return Array.isArray(members) && members.includes("name") ? undefined : editBack(facts);
    },
    repeat,
  }),
  staffWrite({
    name: "archiveResource",
    role,
    tag,
    summary: "Archive a resource",
    description: "It is offered nowhere any more, and stays where it is.",
    input: NameResource,
    example: { resourceId },
    result,
    refusals,
    perform: archiveResource,
    undo: undoneBy("restoreResource", "resourceId"),
    repeat,
  }),
  staffWrite({
    name: "restoreResource",
    role,
    tag,
    summary: "Bring an archived resource back",
    description: "It is offered again.",
    input: NameResource,
    example: { resourceId },
    result,
    refusals,
    perform: restoreResource,
    undo: undoneBy("archiveResource", "resourceId"),
    repeat,
  }),
];
