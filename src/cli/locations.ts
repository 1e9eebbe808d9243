import { operator } from "../audit/queries.ts";
import { conflict, notFound } from "../core/errors.ts";
import type { Database } from "../db/database.ts";
import { addLocation, closeLocation, editLocation, reopenLocation } from "../locations/operations.ts";
import { listLocations, listOrganizationsOfLocation } from "../locations/queries.ts";
import type { Location } from "../locations/schema.ts";
import { findOrganization } from "../organizations/queries.ts";
import { type Command, type CommandCall, describeRecord, table, textFlag, UsageError } from "./command.ts";
import { readId, readLine, readTimezone } from "./flag-values.ts";

const ADDRESS_LENGTH = 500;
const whose = { value: "ID", help: "its organization; needed only if two have a location with this id" };

export const locationCommands: readonly Command[] = [
  {
    name: "location create",
    summary: "add a location to an organization",
    flags: {
      org: { value: "ID", help: "the organization", needed: true },
      name: { value: "NAME", help: "its name", needed: true },
      timezone: { value: "ZONE", help: "IANA name; without it, that of the organization" },
      address: { value: "TEXT", help: "where it is, in one line" },
    },
    run: async (call) => {
      const organizationId = readId(textFlag(call, "org") ?? "", "--org");
      const timezone = textFlag(call, "timezone");
      const address = textFlag(call, "address");
      const given = {
        name: readLine(textFlag(call, "name") ?? "", "name"),
        timezone: timezone === undefined ? undefined : readTimezone(timezone),
        address: address === undefined ? undefined : readLine(address, "address", ADDRESS_LENGTH),
      };
      const db = await openLocations(call);
      show(call, await addLocation(db, operator().name, organizationId, given));
    },
  },
  {
    name: "location list",
    summary: "list the locations of an organization, in order of creation",
    flags: { org: { value: "ID", help: "the organization", needed: true } },
    run: async (call) => {
      const organizationId = readId(textFlag(call, "org") ?? "", "--org");
      const db = await openLocations(call);
      if (!(await findOrganization(db, organizationId)))
        throw notFound("There is no organization with this id.");
      const data = await listLocations(db, organizationId);
      const rows = data.map(({ id, name, status, timezone, address = "" }) => [
        id,
        name,
        status,
        timezone,
        address,
      ]);
      call.out.result(
        { data, total: data.length },
        data.length === 0
          ? "No locations yet."
          : table(["ID", "NAME", "STATUS", "TIMEZONE", "ADDRESS"], rows),
      );
    },
  },
  {
    name: "location set",
    summary: "change a location; with another timezone its sessions keep their local times",
    arguments: ["ID"],
    flags: {
      org: whose,
      name: { value: "NAME", help: "its name" },
      timezone: { value: "ZONE", help: "IANA name" },
      address: { value: "TEXT", help: 'where it is, in one line; "" takes the address away' },
    },
    run: async (call) => {
      const name = textFlag(call, "name");
      const timezone = textFlag(call, "timezone");
      const address = textFlag(call, "address");
      const change = {
        ...(name !== undefined && { name: readLine(name, "name") }),
        ...(timezone !== undefined && { timezone: readTimezone(timezone) }),
        ...(address !== undefined && {
          address: address.trim() === "" ? "" : readLine(address, "address", ADDRESS_LENGTH),
        }),
      };
      if (Object.keys(change).length === 0)
        throw new UsageError("Give at least one of --name, --timezone, --address.");
      await changeOne(call, (db, actor, organizationId, id) =>
        editLocation(db, actor, organizationId, id, change),
      );
    },
  },
  {
    name: "location close",
    summary: "close a location: its schedules produce no sessions any more, stored sessions still show",
    arguments: ["ID"],
    flags: { org: whose },
    run: (call) => changeOne(call, closeLocation),
  },
  {
    name: "location reopen",
    summary: "open a closed location again",
    arguments: ["ID"],
    flags: { org: whose },
    run: (call) => changeOne(call, reopenLocation),
  },
];

async function changeOne(
  call: CommandCall,
  change: (db: Database, actor: string, organizationId: string, id: string) => Promise<Location>,
): Promise<void> {
  const id = readId(call.arguments[0] ?? "", "ID");
  const org = textFlag(call, "org");
  const named = org === undefined ? undefined : readId(org, "--org");
  const db = await openLocations(call);
  const organizationId = named ?? (await findOrganizationOf(db, id));
  show(call, await change(db, operator().name, organizationId, id));
}

async function findOrganizationOf(db: Database, locationId: string): Promise<string> {
  const [organizationId, another] = await listOrganizationsOfLocation(db, locationId);
  if (organizationId === undefined) throw notFound("There is no location with this id.");
  if (another !== undefined)
    throw conflict("Two organizations have a location with this id: say which with --org.");
  return organizationId;
}

async function openLocations(call: CommandCall): Promise<Database> {
  return (await call.store()).open({ applicationName: "rollbook location" });
}

function show({ out }: CommandCall, location: Location): void {
  out.result(location, describeRecord(location));
}
