import { changesBack } from "../../core/undo.ts";
import { EditSettings, OrganizationSettings } from "../organizations/schema.ts";
import { staffWrite } from "../writes/staff-write.ts";
import { editSettings } from "./operations.ts";

export const settingsWrites = [
  staffWrite({
    name: "editSettings",
    role: "owner",
    needsPassword: true,
    tag: "Settings",
    summary: "Change how the studio works with bookings and invoices",
    description:
      "It holds from the next operation on, for what is booked already too; what is then to be invoiced is issued at once. " +
      "Nothing of it is on the API.",
    input: EditSettings,
    example: { changes: { cancelWindowMinutes: 720 } },
    result: OrganizationSettings,
    refusals: [],
    perform: editSettings,
    undo: ({ details }) => {
      const changes = changesBack(details, Object.keys(EditSettings.properties.changes.properties));
      return changes && { operation: "editSettings", input: { changes } };
    },
  }),
];
