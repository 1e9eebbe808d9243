import { refusal } from "../../core/errors.ts";
import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import { changesBack, detailsOf, type UndoFacts } from "../../core/undo.ts";
import { EditSettings, OrganizationSettings } from "../organizations/schema.ts";
import { staffWrite } from "../writes/staff-write.ts";
import { colorCalendar, editOrganization, editSettings, findStaffOrganization } from "./operations.ts";
import { CalendarColors, ColorCalendar, EditOrganization, StaffOrganization } from "./schema.ts";

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
  staffWrite({
    name: "editOrganization",
    role: "owner",
    needsPassword: true,
    tag: "Settings",
    summary: "Change the organization's name, time zone or currency",
    description:
      "Days begin and contracts end by the organization's clocks, from now on by the new ones. The currency stays while a plan, a " +
      "contract that is not over, an invoice or a payment has its amount in it.",
    input: EditOrganization,
    example: { changes: { name: "Estúdio Aurora Centro" } },
    result: StaffOrganization,
    refusals: [
      refusal("currency_in_use", { params: { plans: 3, contracts: 41 } }),
      refusal("currency_has_money"),
    ],
    perform: editOrganization,
    repeat: {
      idOf: ({ id }) => id,
      read: ({ db, organizationId }) => findStaffOrganization(db, organizationId),
    },
    undo: ({ details }) => {
      const changes = changesBack(details, Object.keys(EditOrganization.properties.changes.properties));
      return changes && { operation: "editOrganization", input: { changes } };
    },
  }),
  staffWrite({
    name: "colorCalendar",
    role: "owner",
    tag: "Settings",
    summary: "Choose the colours of the calendar",
    description:
      "What it colours sessions by, and the colours of services and people. A colour that is `null` is the console's choice again.",
    input: ColorCalendar,
    example: { by: "service", colors: [{ id: EXAMPLE_IDS.serviceType, color: "violet" }] },
    result: CalendarColors,
    refusals: [],
    perform: colorCalendar,
    undo: colorsBack,
  }),
];

/** What was chosen comes back; what was not is chosen no more. */
function colorsBack({ details }: UndoFacts) {
  const [was, is] = [detailsOf(details.before), detailsOf(details.after)];
  const [before, after] = [colorsOf(was.colors), colorsOf(is.colors)];
  const kept = new Set(before.map(({ id }) => id));
  const colors = [
    ...before,
    ...after.filter(({ id }) => !kept.has(id)).map(({ id }) => ({ id, color: null })),
  ];
  if (was.by === undefined && colors.length === 0) return undefined;
  return {
    operation: "colorCalendar",
    input: { ...(was.by !== undefined && { by: was.by }), ...(colors.length > 0 && { colors }) },
  };
}

function colorsOf(value: unknown): readonly { readonly id: string; readonly color: unknown }[] {
  return Array.isArray(value) ? value : [];
}
