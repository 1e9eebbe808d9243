import { operator } from "../domain/audit/queries.ts";
import { addLocation } from "../domain/locations/operations.ts";
import { createOrganization } from "../domain/organizations/operations.ts";
import {
  findOrganization,
  listOrganizations,
  type OrganizationChange,
} from "../domain/organizations/queries.ts";
import { unknownOrganization } from "../domain/organizations/rules.ts";
import { ORGANIZATION_STATUSES, TIERS } from "../domain/organizations/values.ts";
import { changeOrganization } from "../domain/settings/operations.ts";
import { type Command, showRecord, showRecords, textFlag, UsageError } from "./command.ts";
import { readCurrency, readId, readLine, readOneOf, readTimezone } from "./flag-values.ts";
import { showCommitted } from "./shown-once.ts";

export const organizationCommands: readonly Command[] = [
  {
    name: "org create",
    summary: "create an organization",
    createsDatabase: true,
    flags: {
      name: { value: "NAME", help: "its name", needed: true },
      timezone: { value: "ZONE", help: "IANA name, such as America/Sao_Paulo", needed: true },
      currency: { value: "CODE", help: "such as BRL", needed: true },
      plan: { value: "PLAN", help: `${TIERS.join(", ")} (default Pro)` },
      location: { value: "NAME", help: "its first location, in the same timezone" },
    },
    run: async (call) => {
      const given = {
        name: readLine(textFlag(call, "name") ?? "", "name"),
        timezone: readTimezone(textFlag(call, "timezone") ?? ""),
        currency: readCurrency(textFlag(call, "currency") ?? ""),
        plan: readOneOf(textFlag(call, "plan") ?? "Pro", TIERS, "plan"),
      };
      const location = textFlag(call, "location");
      const first =
        location === undefined
          ? undefined
          : { name: readLine(location, "location"), timezone: given.timezone };
      const db = (await call.store()).open({ applicationName: "rollbook org" });
      const actor = operator();
      const created = await db.transaction(async (tx) => {
        const organization = await createOrganization(tx, actor.name, given);
        if (!first) return organization;
        const { result } = await addLocation({ db: tx, actor, organizationId: organization.id }, first);
        return { ...organization, locationId: result.id };
      });
      await showCommitted(call.out, () => showRecord(call, created));
    },
  },
  {
    name: "org list",
    summary: "list the organizations",
    run: async (call) => {
      const db = (await call.store()).open({ applicationName: "rollbook org" });
      const data = await listOrganizations(db);
      showRecords(call, data, {
        header: ["ID", "NAME", "PLAN", "STATUS", "TIMEZONE"],
        row: ({ id, name, plan, status, timezone }) => [id, name, plan, status, timezone],
        none: "No organizations yet.",
      });
    },
  },
  {
    name: "org show",
    summary: "show one organization",
    arguments: ["ID"],
    run: async (call) => {
      const id = readId(call.arguments[0] ?? "", "ID");
      const db = (await call.store()).open({ applicationName: "rollbook org" });
      const organization = await findOrganization(db, id);
      if (!organization) throw unknownOrganization();
      showRecord(call, organization);
    },
  },
  {
    name: "org set",
    summary: "change an organization; callers notice on their next request",
    arguments: ["ID"],
    flags: {
      plan: { value: "PLAN", help: TIERS.join(", ") },
      status: { value: "STATUS", help: ORGANIZATION_STATUSES.join(", ") },
      name: { value: "NAME", help: "its name" },
      timezone: { value: "ZONE", help: "IANA name; locations keep their own" },
      currency: { value: "CODE", help: "such as BRL; refused while prices in another one are in use" },
    },
    run: async (call) => {
      const id = readId(call.arguments[0] ?? "", "ID");
      const plan = textFlag(call, "plan");
      const status = textFlag(call, "status");
      const name = textFlag(call, "name");
      const timezone = textFlag(call, "timezone");
      const currency = textFlag(call, "currency");
      const change: OrganizationChange = {
        ...(plan !== undefined && { plan: readOneOf(plan, TIERS, "plan") }),
        ...(status !== undefined && { status: readOneOf(status, ORGANIZATION_STATUSES, "status") }),
        ...(name !== undefined && { name: readLine(name, "name") }),
        ...(timezone !== undefined && { timezone: readTimezone(timezone) }),
        ...(currency !== undefined && { currency: readCurrency(currency) }),
      };
      if (Object.keys(change).length === 0)
        throw new UsageError("Give at least one of --plan, --status, --name, --timezone, --currency.");
      const db = (await call.store()).open({ applicationName: "rollbook org" });
      const organization = await changeOrganization(db, operator().name, id, change);
      await showCommitted(call.out, () => showRecord(call, organization));
    },
  },
];
