import type { Command } from "./command.ts";
import { ORGANIZATION } from "./flag-values.ts";

/** Commands for links to calendars: short forms of the operations of the application, whose input the flags become. */
export const icsCommands: readonly Command[] = [
  {
    name: "ics mint",
    summary: "make a link to a calendar; its address is shown once, on standard output alone",
    flags: {
      org: ORGANIZATION,
      location: { value: "ID", help: "only sessions at this location" },
      "service-type": { value: "ID", help: "only sessions of this service type" },
      resource: { value: "TEXT", help: "only sessions that this teacher, room or equipment runs" },
      client: { value: "ID", help: "only what this client has booked" },
      name: { value: "NAME", help: "what the calendar is called" },
      past: { value: "DURATION", help: "how far back it goes, in days (default 31d)" },
      ahead: { value: "DURATION", help: "how far ahead it goes, in days (default 90d)" },
      language: { value: "en|pt-BR|es", help: "of the word for what is cancelled (default en)" },
      "show-seats": { help: "how many seats there are and are taken" },
      expires: { value: "DURATION", help: "such as 365d; without it the link does not expire" },
      "dry-run": { help: "commit nothing, and say what would change" },
    },
    run: async (call) => (await import("./ics-run.ts")).mintLink(call),
  },
  {
    name: "ics list",
    summary: "list the links to the calendars of an organization",
    flags: { org: ORGANIZATION },
    run: async (call) => (await import("./ics-run.ts")).showCalendarLinks(call),
  },
  {
    name: "ics revoke",
    summary: "end a link to a calendar; its address is unknown from the next fetch on, everywhere",
    arguments: ["ID"],
    run: async (call) => (await import("./ics-run.ts")).endCalendarLink(call),
  },
  {
    name: "ics rotate",
    summary: "make a successor to a link; the old one works until the overlap ends",
    arguments: ["ID"],
    flags: { overlap: { value: "DURATION", help: "how long both work (default 24h)" } },
    run: async (call) => (await import("./ics-run.ts")).rotateLink(call),
  },
];
