import { changesBack } from "../core/undo.ts";
import { staffWrite } from "../staff/staff-write.ts";
import { editSettings } from "./operations.ts";
import { EditSettings, OrganizationSettings } from "./schema.ts";

export const organizationWrites = [
  staffWrite({
    name: "editSettings",
    role: "owner",
    needsPassword: true,
    tag: "Settings",
    summary: "Change how the studio works with bookings",
    description:
      "It holds from the next operation on, for what is booked already too. Nothing of it is on the API.",
    input: EditSettings,
    example: { changes: { cancelWindowMinutes: 720 } },
    result: OrganizationSettings,
    refusals: [],
    perform: ({ db, actor, organizationId }, input) => editSettings(db, actor, organizationId, input),
    undo: ({ details }) => {
      const changes = changesBack(details, Object.keys(EditSettings.properties.changes.properties));
      return changes && { operation: "editSettings", input: { changes } };
    },
  }),
];
