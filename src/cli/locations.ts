import { conflict, notFound } from "../core/errors.ts";
import type { Written } from "../core/written.ts";
import type { Database } from "../db/database.ts";
import { operator } from "../domain/audit/queries.ts";
import { addLocation, deleteLocation } from "../domain/locations/operations.ts";
import { listLocations, listOrganizationsOfLocation } from "../domain/locations/queries.ts";
import { findOrganization } from "../domain/organizations/queries.ts";
import { unknownOrganization } from "../domain/organizations/rules.ts";
import { closeLocation, editLocation, reopenLocation } from "../domain/sessions/location-operations.ts";
import type { WriteCall } from "../domain/writes/transactions.ts";
import { type Command, type CommandCall, showRecord, showRecords, textFlag, UsageError } from "./command.ts";
import { ORGANIZATION, readId, readLine, readOrganization, readTimezone } from "./flag-values.ts";
import { showCommitted } from "./shown-once.ts";

const ADDRESS_LENGTH = 500;
const whose = { value: "ID", help: "its organization; needed only if two have a location with this id" };

export const locationCommands: readonly Command[] = [
  {
    name: "location create",
    summary: "add a location to an organization",
    flags: {
      org: ORGANIZATION,
      name: { value: "NAME", help: "its name", needed: true },
      timezone: { value: "ZONE", help: "IANA name; without it, that of the organization" },
      address: { value: "TEXT", help: "where it is, in one line" },
    },
    run: async (call) => {
      const organizationId = readOrganization(call);
      const timezone = textFlag(call, "timezone");
      const address = textFlag(call, "address");
      const given = {
        name: readLine(textFlag(call, "name") ?? "", "name"),
        ...(timezone !== undefined && { timezone: readTimezone(timezone) }),
        ...(address !== undefined && { address: readLine(address, "address", ADDRESS_LENGTH) }),
      };
      const db = await openLocations(call);
      const organization = await findOrganization(db, organizationId);
      if (!organization) throw unknownOrganization();
      const location = { timezone: organization.timezone, ...given };
      const { result } = await addLocation({ db, actor: operator(), organizationId }, location);
      await showCommitted(call.out, () => showRecord(call, result));
    },
  },
  {
    name: "location list",
    summary: "list the locations of an organization, in order of creation",
    flags: { org: ORGANIZATION },
    run: async (call) => {
      const organizationId = readOrganization(call);
      const db = await openLocations(call);
      if (!(await findOrganization(db, organizationId))) throw unknownOrganization();
      const data = await listLocations(db, organizationId);
      showRecords(call, data, {
        header: ["ID", "NAME", "STATUS", "TIMEZONE", "ADDRESS"],
        row: ({ id, name, status, timezone, address = "" }) => [id, name, status, timezone, address],
        none: "No locations yet.",
      });
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
      const changes = {
        ...(name !== undefined && { name: readLine(name, "name") }),
        ...(timezone !== undefined && { timezone: readTimezone(timezone) }),
        ...(address !== undefined && {
          address: address.trim() === "" ? "" : readLine(address, "address", ADDRESS_LENGTH),
        }),
      };
      if (Object.keys(changes).length === 0)
        throw new UsageError("Give at least one of --name, --timezone, --address.");
      await changeOne(call, (write, locationId) => editLocation(write, { locationId, changes }));
    },
  },
  {
    name: "location close",
    summary: "close a location: its schedules produce no sessions any more, sessions to come are cancelled",
    arguments: ["ID"],
    flags: { org: whose, "cancel-booked": { help: "also sessions that somebody is booked for" } },
    run: (call) =>
      changeOne(call, (write, locationId) =>
        closeLocation(write, { locationId, cancelBooked: call.flags["cancel-booked"] === true }),
      ),
  },
  {
    name: "location reopen",
    summary: "open a closed location again",
    arguments: ["ID"],
    flags: { org: whose },
    run: (call) => changeOne(call, (write, locationId) => reopenLocation(write, { locationId })),
  },
  {
    name: "location delete",
    summary: "delete a location that nothing refers to",
    arguments: ["ID"],
    flags: { org: whose },
    run: (call) => changeOne(call, (write, locationId) => deleteLocation(write, { locationId })),
  },
];

async function changeOne(
  call: CommandCall,
  change: (write: WriteCall, locationId: string) => Promise<Written<object>>,
): Promise<void> {
  const id = readId(call.arguments[0] ?? "", "ID");
  const org = textFlag(call, "org");
  const named = org === undefined ? undefined : readId(org, "--org");
  const db = await openLocations(call);
  const organizationId = named ?? (await findOrganizationOf(db, id));
  const { result } = await change({ db, actor: operator(), organizationId }, id);
  await showCommitted(call.out, () => showRecord(call, result));
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
