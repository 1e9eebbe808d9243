import { refusal } from "../core/errors.ts";
import { EXAMPLE_IDS } from "../core/example-ids.ts";
import { isChanged } from "../core/undo.ts";
import { addStaff, editStaff, linkStaff, removeStaff } from "./operations.ts";
import { findStaff } from "./queries.ts";
import { AddStaff, EditStaff, LinkedStaff, NameStaff, Staff } from "./schema.ts";
import { type StaffCall, staffWrite } from "./staff-write.ts";

const TAG = "Staff";
const PLACE = ["role", "allLocations", "locationIds"];
const example = { staffId: EXAMPLE_IDS.staff };

/** A repeat shows the colleague as they are now, and no link. */
const linked = {
  idOf: ({ staff }: LinkedStaff) => staff.id,
  read: async ({ db, organizationId }: StaffCall, id: string) => {
    const staff = await findStaff(db, organizationId, id);
    return staff && { staff };
  },
};
const alone = {
  idOf: ({ id }: Staff) => id,
  read: ({ db, organizationId }: StaffCall, id: string) => findStaff(db, organizationId, id),
};

export const staffMemberWrites = [
  staffWrite({
    name: "addStaff",
    role: "owner",
    needsPassword: true,
    tag: TAG,
    summary: "Add a colleague",
    description:
      "Adds somebody to the staff and makes the link by which they come in. It holds for 72 hours.",
    input: AddStaff,
    example: { name: "Carla Dias", email: "carla@example.com", role: "manager", allLocations: true },
    result: LinkedStaff,
    secrets: ["link", "expiresAt"],
    refusals: [refusal("email_taken")],
    perform: ({ db, actor, organizationId, ...maker }, input) =>
      addStaff(db, actor, organizationId, input, maker),
    repeat: linked,
  }),
  staffWrite({
    name: "editStaff",
    role: "owner",
    needsPassword: true,
    tag: TAG,
    summary: "Change a colleague",
    description: "Changes name, address, role or places of work. It holds from their next request on.",
    input: EditStaff,
    example: { ...example, changes: { role: "front_desk" } },
    result: Staff,
    refusals: [refusal("no_staff"), refusal("email_taken"), refusal("last_owner")],
    perform: ({ db, actor, organizationId }, input) => editStaff(db, actor, organizationId, input),
    // The trail has neither names nor addresses, so what changed one is not undone by it.
    undo: ({ subjectId, details }) =>
      isChanged(details) &&
      Array.isArray(details.changed) &&
      details.changed.every((name) => PLACE.includes(name))
        ? { operation: "editStaff", input: { staffId: subjectId, changes: details.before } }
        : undefined,
    repeat: alone,
  }),
  staffWrite({
    name: "linkStaff",
    role: "owner",
    needsPassword: true,
    tag: TAG,
    summary: "Make a link for a colleague",
    description:
      "For somebody who has lost the link or forgot the password. It holds for 72 hours, and older links of theirs end.",
    input: NameStaff,
    example,
    result: LinkedStaff,
    secrets: ["link", "expiresAt"],
    refusals: [refusal("no_staff")],
    perform: ({ db, actor, organizationId, ...maker }, input) =>
      linkStaff(db, actor, organizationId, input, maker),
    repeat: linked,
  }),
  staffWrite({
    name: "removeStaff",
    role: "owner",
    needsPassword: true,
    tag: TAG,
    summary: "Remove a colleague",
    description: "Ends their access at once, everywhere. The audit trail goes on to show their name.",
    input: NameStaff,
    example,
    result: Staff,
    refusals: [refusal("no_staff"), refusal("last_owner")],
    perform: ({ db, actor, organizationId }, input) => removeStaff(db, actor, organizationId, input),
    repeat: alone,
  }),
];
