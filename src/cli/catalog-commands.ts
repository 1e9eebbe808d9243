import { type Command, type CommandCall, type Flag, textFlag } from "./command.ts";
import { ORGANIZATION, readOneOf, readOrganization } from "./flag-values.ts";
import { edit, one, texts, write } from "./operation-commands.ts";

/**
 * Commands for the catalog. Each write is an operation of the application, carried out by its declaration: the flags only
 * become its input.
 */

const org = ORGANIZATION;
const name: Flag = { value: "NAME", help: "its name" };
const dryRun: Flag = { help: "commit nothing, and say what would change" };
const cancelBooked: Flag = { help: "also sessions that somebody is booked for" };
const data: Flag = { value: "JSON|@FILE", help: "its members, as JSON or in a file (@-: standard input)" };
const description: Flag = { value: "TEXT", help: 'what it is; "" takes the text away' };
const kind: Flag = { value: "KIND", help: "person, room or equipment" };
const holds: Flag = {
  value: "yes|no",
  help: "whether a booking takes the resources for itself, as an appointment does (default no)",
};
const members: Flag = { value: "ID,ID", help: 'the service types in it; "" for none' };

export const catalogCommands: readonly Command[] = [
  list("service-type", "list the service types of an organization, newest first"),
  write("service-type add", "add a service type", "addServiceType", {
    flags: { name: { ...name, needed: true }, description, "holds-resource": holds },
    input: (call) => ({ holdsResource: false, ...typeMembers(call) }),
  }),
  edit("service-type edit", "change a service type", "editServiceType", "serviceTypeId", {
    flags: { name, description, "holds-resource": holds },
    input: typeMembers,
  }),
  one(
    "service-type archive",
    "archive a service type: it is offered no more, sessions to come are cancelled",
    {
      operation: "archiveServiceType",
      id: "serviceTypeId",
      flags: { "cancel-booked": cancelBooked, "dry-run": dryRun },
      input: (call) => ({ cancelBooked: call.flags["cancel-booked"] === true }),
    },
  ),
  one("service-type restore", "bring an archived service type back", {
    operation: "restoreServiceType",
    id: "serviceTypeId",
  }),
  one("service-type delete", "delete a service type that nothing refers to", {
    operation: "deleteServiceType",
    id: "serviceTypeId",
  }),

  list("service-group", "list the service groups of an organization"),
  write("service-group add", "add a group of service types", "addServiceGroup", {
    flags: { name: { ...name, needed: true }, "service-types": members },
    input: (call) => ({ serviceTypeIds: [], ...groupMembers(call) }),
  }),
  edit("service-group edit", "change a service group", "editServiceGroup", "serviceGroupId", {
    flags: { name, "service-types": members },
    input: groupMembers,
  }),
  one("service-group delete", "delete a service group that no plan and no contract names", {
    operation: "deleteServiceGroup",
    id: "serviceGroupId",
  }),

  list("resource", "list the resources of an organization"),
  write("resource add", "add a person, a room or equipment", "addResource", {
    flags: { name: { ...name, needed: true }, kind: { ...kind, needed: true } },
    input: (call) => texts(call, ["name", "kind"]),
  }),
  edit("resource edit", "change a resource", "editResource", "resourceId", {
    flags: { name, kind },
    input: (call) => texts(call, ["name", "kind"]),
  }),
  one("resource archive", "archive a resource: it is offered nowhere and stays where it is", {
    operation: "archiveResource",
    id: "resourceId",
  }),
  one("resource restore", "bring an archived resource back", {
    operation: "restoreResource",
    id: "resourceId",
  }),

  list("plan", "list the plans of an organization, newest first"),
  write("plan add", "add a plan", "addPlan", {
    flags: { data: { ...data, needed: true } },
    input: readData,
  }),
  one("plan edit", "change a plan, for new contracts or for all that are not over", {
    operation: "editPlan",
    id: "planId",
    flags: {
      data: { ...data, needed: true },
      "apply-to": { value: "new|all", help: "whether contracts that are not over follow (default new)" },
      "dry-run": dryRun,
    },
    input: async (call) => ({
      changes: await readData(call),
      applyTo: readOneOf(textFlag(call, "apply-to") ?? "new", ["new", "all"], "apply-to"),
    }),
  }),
  one("plan archive", "take a plan out of sale", { operation: "archivePlan", id: "planId" }),
  one("plan restore", "put an archived plan on sale again", { operation: "restorePlan", id: "planId" }),
  one("plan delete", "delete a plan; its contracts keep what was agreed", {
    operation: "deletePlan",
    id: "planId",
  }),
];

function list(noun: "service-type" | "service-group" | "resource" | "plan", summary: string): Command {
  return {
    name: `${noun} list`,
    summary,
    flags: { org },
    run: async (call) => (await import("./catalog-run.ts")).listCatalog(call, noun, readOrganization(call)),
  };
}

function typeMembers(call: CommandCall): object {
  const holdsResource = textFlag(call, "holds-resource");
  return {
    ...texts(call, ["name", "description"]),
    ...(holdsResource !== undefined && {
      holdsResource: readOneOf(holdsResource, ["yes", "no"], "holds-resource") === "yes",
    }),
  };
}

function groupMembers(call: CommandCall): object {
  const ids = textFlag(call, "service-types");
  return {
    ...texts(call, ["name"]),
    ...(ids !== undefined && {
      serviceTypeIds: ids
        .split(",")
        .map((id) => id.trim())
        .filter((id) => id !== ""),
    }),
  };
}

async function readData(call: CommandCall): Promise<object> {
  const { readJsonFlag } = await import("./do-run.ts");
  return (await readJsonFlag(textFlag(call, "data") ?? "", call.signal)) as object;
}
