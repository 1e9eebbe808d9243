import { refusal } from "../../core/errors.ts";
import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import { isChanged } from "../../core/undo.ts";
import { repeatedBy, type StaffCall, staffWrite } from "../writes/staff-write.ts";
import { addStaff, editStaff, linkStaff, removeStaff, revokeLink } from "./operations.ts";
import { endSignIn } from "./own-sign-ins.ts";
import { findStaff } from "./queries.ts";
import {
  AddStaff,
  EditStaff,
  EndedSignIns,
  EndSignIn,
  LinkedStaff,
  NameLink,
  NameStaff,
  Staff,
  StaffLink,
} from "./schema.ts";

const TAG = "Staff";
const PLACE = ["role", "allLocations", "locationIds", "resourceId"];
const example = { staffId: EXAMPLE_IDS.staff };

/** A repeat shows the colleague as they are now, and no link. */
const linked = {
  idOf: ({ staff }: LinkedStaff) => staff.id,
  read: async ({ db, organizationId }: StaffCall, id: string) => {
    const staff = await findStaff(db, organizationId, id);
    return staff && { staff };
  },
};
const alone = repeatedBy(findStaff);

export const staffMemberWrites = [
  staffWrite({
    name: "addStaff",
    role: "owner",
    needsPassword: true,
    tag: TAG,
    summary: "Add a colleague",
    description:
      "Adds somebody to the staff and makes the link by which they come in. It holds for 72 hours. A teacher is one of the " +
      "people of the timetable, `resourceId`, and sees and marks the sessions that this person runs.",
    input: AddStaff,
    example: { name: "Carla Dias", email: "carla@example.com", role: "manager", allLocations: true },
    result: LinkedStaff,
    secrets: ["link", "expiresAt"],
    refusals: [refusal("email_taken")],
    perform: addStaff,
    repeat: linked,
  }),
  staffWrite({
    name: "editStaff",
    role: "owner",
    needsPassword: true,
    tag: TAG,
    summary: "Change a colleague",
    description:
      "Changes name, address, role or places of work. It holds from their next request on; links that somebody made who is " +
      "no owner any more end.",
    input: EditStaff,
    example: { ...example, changes: { role: "front_desk" } },
    result: Staff,
    refusals: [refusal("no_staff"), refusal("email_taken"), refusal("last_owner")],
    perform: editStaff,
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
    perform: linkStaff,
    repeat: linked,
  }),
  staffWrite({
    name: "revokeLink",
    role: "owner",
    needsPassword: true,
    tag: TAG,
    summary: "Revoke a link",
    description: "Ends a link that was not used yet, whoever made it. `linkStaff` makes another.",
    input: NameLink,
    example: { linkId: EXAMPLE_IDS.link },
    result: StaffLink,
    refusals: [refusal("no_link")],
    perform: revokeLink,
    repeat: { idOf: ({ id }) => id, read: async () => undefined },
  }),
  staffWrite({
    name: "removeStaff",
    role: "owner",
    needsPassword: true,
    tag: TAG,
    summary: "Remove a colleague",
    description:
      "Ends their access at once, everywhere, and the links that they made for others. Keys that they minted go on. The " +
      "audit trail goes on to show their name.",
    input: NameStaff,
    example,
    result: Staff,
    refusals: [refusal("no_staff"), refusal("last_owner")],
    perform: removeStaff,
    repeat: alone,
  }),
];

/** What people do to their own sign-ins. */
export const ownSignInWrites = [
  staffWrite({
    name: "endSignIn",
    role: "teacher",
    tag: "Signing in",
    summary: "End sign-ins of yours",
    description:
      "Ends one sign-in of yours, or all but the current one; none if it has ended already. Links that you made for " +
      "others end too.",
    input: EndSignIn,
    example: { signInId: EXAMPLE_IDS.signIn },
    result: EndedSignIns,
    refusals: [],
    perform: endSignIn,
  }),
];
