import { type Actor, hasRole } from "../../core/actor.ts";

/**
 * Everything that is recorded, by what it concerns. Operations of the application go by their names; those with a dot, and
 * imports, restores and demos, are of the command line, of signing in or of reading.
 */
const ACTIONS_ABOUT = {
  clients: [
    "addClient",
    "editClient",
    "archiveClient",
    "restoreClient",
    "exportClient",
    "eraseClient",
    "import",
    "undoImport",
  ],
  contracts: [
    "sellContract",
    "voidSale",
    "answerTerms",
    "blockAccess",
    "unblockAccess",
    "adjustCredits",
    "setEndDate",
    "pauseContract",
    "endPause",
    "cancelContract",
    "reinstateContract",
    "contracts.settle",
  ],
  money: ["recordPayment", "useBalance", "voidPayment", "refund", "addInvoice", "editInvoice", "voidInvoice"],
  calendar: [
    "addSchedule",
    "editSchedule",
    "endSchedule",
    "deleteSchedule",
    "addSession",
    "editSession",
    "cancelSession",
    "reinstateSession",
    "closeDays",
    "releaseUnnamed",
    "book",
    "bookMany",
    "endFixedPlace",
    "moveFixedPlace",
    "cancelBooking",
    "restoreBooking",
    "checkIn",
    "setAttendance",
    "markRest",
    "unmarkRest",
    "coverBooking",
    "markCourtesy",
    "unmarkCourtesy",
    "joinWaiting",
    "leaveWaiting",
    "promoteWaiting",
    "markTold",
    "unmarkTold",
  ],
  catalog: [
    "addLocation",
    "editLocation",
    "closeLocation",
    "reopenLocation",
    "deleteLocation",
    "addServiceGroup",
    "editServiceGroup",
    "deleteServiceGroup",
    "addServiceType",
    "editServiceType",
    "archiveServiceType",
    "restoreServiceType",
    "deleteServiceType",
    "addResource",
    "editResource",
    "archiveResource",
    "restoreResource",
    "addPlan",
    "editPlan",
    "archivePlan",
    "restorePlan",
    "deletePlan",
  ],
  organization: [
    "organization.create",
    "organization.change",
    "organization.export",
    "organization.import",
    "organization.move",
    "organization.delete",
    "organization.restore",
    "editSettings",
    "colorCalendar",
    "editOrganization",
    "list.download",
    "restore",
    "demo",
  ],
  staff: [
    "addStaff",
    "editStaff",
    "linkStaff",
    "revokeLink",
    "acceptLink",
    "removeStaff",
    "changePassword",
    "endSignIn",
    "addPasskey",
    "removePasskey",
    "signIn",
    "signIn.failed",
  ],
  calendarLinks: ["mintCalendarLink", "rotateCalendarLink", "revokeCalendarLink"],
  keys: ["mintKey", "revokeKey", "rotateKey", "key.replace-secret"],
  webhooks: [
    "addWebhook",
    "editWebhook",
    "rotateWebhook",
    "enableWebhook",
    "disableWebhook",
    "replayWebhook",
    "skipWebhook",
    "testWebhook",
    "removeWebhook",
  ],
} as const;

type Subject = keyof typeof ACTIONS_ABOUT;
export type AuditAction = (typeof ACTIONS_ABOUT)[Subject][number];

export const AUDIT_ACTIONS: readonly AuditAction[] = Object.values(ACTIONS_ABOUT).flat();

/** What the front desk sees the trail of: what it works with. An action that is new is seen by managers and owners alone. */
const SEEN_BY_FRONT_DESK: readonly Subject[] = ["clients", "contracts", "money", "calendar", "catalog"];
const FRONT_DESK_ACTIONS: readonly AuditAction[] = SEEN_BY_FRONT_DESK.flatMap(
  (subject) => ACTIONS_ABOUT[subject],
);

/** The actions whose entries somebody may read; undefined: all of them. */
export function readableActions(actor: Actor): readonly AuditAction[] | undefined {
  return hasRole(actor, "manager") ? undefined : FRONT_DESK_ACTIONS;
}
