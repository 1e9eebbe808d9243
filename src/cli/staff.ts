import { ROLES } from "../core/actor.ts";
import type { Command } from "./command.ts";
import { ORGANIZATION } from "./flag-values.ts";

export const staffCommands: readonly Command[] = [
  {
    name: "staff link",
    summary: "a link by which somebody on the staff sets a password; makes the person if need be",
    flags: {
      org: ORGANIZATION,
      email: { value: "ADDRESS", help: "whose", needed: true },
      name: { value: "NAME", help: "of somebody new; the address if absent" },
      role: { value: "ROLE", help: `of somebody new: ${ROLES.join(", ")} (default owner)` },
      resource: { value: "TEXT", help: "of a new teacher: the person of the timetable that they are" },
    },
    run: async (call) => (await import("./staff-run.ts")).makeLink(call),
  },
  {
    name: "staff links",
    summary: "list the links that somebody can still come in by, and who made them",
    flags: { org: ORGANIZATION },
    run: async (call) => (await import("./staff-run.ts")).showLinks(call),
  },
  {
    name: "staff list",
    summary: "list the staff of an organization",
    flags: { org: ORGANIZATION },
    run: async (call) => (await import("./staff-run.ts")).showStaff(call),
  },
];
