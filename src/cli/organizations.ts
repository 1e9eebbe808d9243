import { operatingSystemUser } from "../audit/queries.ts";
import { notFound } from "../core/errors.ts";
import { changeOrganization, createOrganization } from "../organizations/operations.ts";
import {
  findOrganization,
  listOrganizations,
  type OrganizationChange,
  type OrganizationRecord,
} from "../organizations/queries.ts";
import { ORGANIZATION_STATUSES, TIERS } from "../organizations/values.ts";
import { type Command, table, textFlag, UsageError } from "./command.ts";
import { readCurrency, readId, readLine, readOneOf, readTimezone } from "./values.ts";

export const organizationCommands: readonly Command[] = [
  {
    name: "org create",
    summary: "create an organization",
    flags: {
      name: { value: "NAME", help: "its name", needed: true },
      timezone: { value: "ZONE", help: "IANA name, such as America/Sao_Paulo", needed: true },
      currency: { value: "CODE", help: "such as BRL", needed: true },
      plan: { value: "PLAN", help: `${TIERS.join(", ")} (default Pro)` },
    },
    run: async (call) => {
      const wish = {
        name: readLine(textFlag(call, "name") ?? "", "name"),
        timezone: readTimezone(textFlag(call, "timezone") ?? ""),
        currency: readCurrency(textFlag(call, "currency") ?? ""),
        plan: readOneOf(textFlag(call, "plan") ?? "Pro", TIERS, "plan"),
      };
      const db = (await call.store()).open({ applicationName: "rollbook org" });
      const organization = await createOrganization(db, operatingSystemUser(), wish);
      call.out.result(organization, describe(organization));
    },
  },
  {
    name: "org list",
    summary: "list the organizations",
    run: async (call) => {
      const db = (await call.store()).open({ applicationName: "rollbook org" });
      const data = await listOrganizations(db);
      const rows = data.map(({ id, name, plan, status, timezone }) => [id, name, plan, status, timezone]);
      call.out.result(
        { data, total: data.length },
        data.length === 0
          ? "No organizations yet."
          : table(["ID", "NAME", "PLAN", "STATUS", "TIMEZONE"], rows),
      );
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
      if (!organization) throw notFound("There is no organization with this id.");
      call.out.result(organization, describe(organization));
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
    },
    run: async (call) => {
      const id = readId(call.arguments[0] ?? "", "ID");
      const plan = textFlag(call, "plan");
      const status = textFlag(call, "status");
      const name = textFlag(call, "name");
      const change: OrganizationChange = {
        ...(plan !== undefined && { plan: readOneOf(plan, TIERS, "plan") }),
        ...(status !== undefined && { status: readOneOf(status, ORGANIZATION_STATUSES, "status") }),
        ...(name !== undefined && { name: readLine(name, "name") }),
      };
      if (Object.keys(change).length === 0)
        throw new UsageError("Give at least one of --plan, --status, --name.");
      const db = (await call.store()).open({ applicationName: "rollbook org" });
      const organization = await changeOrganization(db, operatingSystemUser(), id, change);
      call.out.result(organization, describe(organization));
    },
  },
];

function describe(organization: OrganizationRecord): string {
  return Object.entries(organization)
    .map(([name, value]) => `${name.padEnd(9)} ${value}`)
    .join("\n");
}
