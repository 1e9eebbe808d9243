import { operator } from "../domain/audit/queries.ts";
import { addLocation } from "../domain/locations/operations.ts";
import { findDeletion } from "../domain/organizations/deletion-queries.ts";
import { countStored } from "../domain/organizations/limit-queries.ts";
import { createOrganization } from "../domain/organizations/operations.ts";
import { limitOf } from "../domain/organizations/organization-limits.ts";
import {
  findPlacedOrganization,
  GENERAL_LIMIT,
  type ListedOrganization,
  listOrganizations,
  type OrganizationChange,
} from "../domain/organizations/queries.ts";
import { unknownOrganization } from "../domain/organizations/rules.ts";
import { ORGANIZATION_STATUSES, TIERS } from "../domain/organizations/values.ts";
import { changeOrganization } from "../domain/settings/operations.ts";
import {
  type Command,
  type CommandCall,
  describeRecord,
  showRecord,
  table,
  textFlag,
  UsageError,
} from "./command.ts";
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
    summary: "list the organizations, page by page",
    flags: {
      after: { value: "ID", help: "only those that follow this one" },
      limit: { value: "N", help: "how many at most (default 100)" },
      deleted: { help: "instead those that are to be deleted, and the evidence of those that were" },
    },
    run: async (call) => {
      if (call.flags.deleted) return (await import("./organization-deletion-run.ts")).listDeleted(call);
      const after = textFlag(call, "after");
      const limit = textFlag(call, "limit") ?? "100";
      if (!/^[1-9]\d{0,6}$/.test(limit)) throw new UsageError("--limit must be a whole number from 1.");
      const asked = {
        after: after === undefined ? undefined : readId(after, "--after"),
        limit: Number(limit),
      };
      const db = (await call.store()).open({ applicationName: "rollbook org" });
      const page = await listOrganizations(db, asked);
      const rows = page.data.map(({ id, name, plan, status, timezone, movedTo, arriving, ...use }) => [
        id,
        name,
        plan,
        movedTo === undefined ? (arriving ? "arriving" : status) : `moved to ${movedTo}`,
        timezone,
        storedText(use, call.config.orgRecords),
      ]);
      const none = after === undefined ? "No organizations yet." : "None follow this one.";
      call.out.result(
        page,
        rows.length === 0 ? none : table(["ID", "NAME", "PLAN", "STATUS", "TIMEZONE", "RECORDS"], rows),
      );
      if (page.next !== undefined)
        call.out.say(`${page.total} in all. Those that follow: rollbook org list --after ${page.next}`);
    },
  },
  {
    name: "org show",
    summary: "show one organization",
    arguments: ["ID"],
    run: async (call) => {
      const id = readId(call.arguments[0] ?? "", "ID");
      const db = (await call.store()).open({ applicationName: "rollbook org" });
      const organization = await findPlacedOrganization(db, id);
      if (!organization) throw unknownOrganization();
      const deletion = await findDeletion(db, id);
      showOrganization(call, {
        ...organization,
        records: await countStored(db, id),
        ...(deletion && { deleteAfter: deletion.deleteAfter }),
      });
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
      "requests-per-minute": {
        value: "N|none|default",
        help: "how many all of its keys may make together; default: what ORG_REQUESTS_PER_MINUTE says",
      },
      records: { value: "N|none|default", help: "how many it may store; default: what ORG_RECORDS says" },
      "upload-mb": {
        value: "N|none|default",
        help: "how many megabytes it may upload a day; default: what ORG_UPLOAD_MB says",
      },
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
        ...readLimits(call),
      };
      if (Object.keys(change).length === 0)
        throw new UsageError(
          "Give at least one of --plan, --status, --name, --timezone, --currency, --requests-per-minute, --records, --upload-mb.",
        );
      const db = (await call.store()).open({ applicationName: "rollbook org" });
      const organization = await changeOrganization(db, operator().name, id, change);
      await showCommitted(call.out, () => showOrganization(call, organization));
    },
  },
];

/** A limit of 0 is none: as JSON the number that is stored, otherwise the word that sets it. */
function showOrganization(call: CommandCall, organization: object): void {
  const told = Object.entries(organization).map(([name, value]) => [
    name,
    name in LIMIT_FLAGS && value === 0 ? "none" : value,
  ]);
  call.out.result(organization, describeRecord(Object.fromEntries(told)));
}

/** `9,312 of 10,000` */
function storedText(
  { records, maxRecords }: Pick<ListedOrganization, "records" | "maxRecords">,
  general: number,
) {
  const limit = limitOf(maxRecords, general);
  const [stored, most] = [records, limit].map((number) => number?.toLocaleString("en-US"));
  return most === undefined ? `${stored}` : `${stored} of ${most}`;
}

const LIMIT_FLAGS = {
  requestsPerMinute: ["requests-per-minute", 7],
  maxRecords: ["records", 12],
  uploadMegabytesPerDay: ["upload-mb", 6],
} as const;

/** The limits that are given, each as it is stored. */
function readLimits(call: CommandCall): OrganizationChange {
  const given = Object.entries(LIMIT_FLAGS).flatMap(([name, [flag, digits]]) => {
    const text = textFlag(call, flag);
    if (text === undefined) return [];
    if (text === "default") return [[name, GENERAL_LIMIT] as const];
    if (text === "none") return [[name, 0] as const];
    if (!/^[1-9]\d*$/.test(text) || text.length > digits)
      throw new UsageError(
        `--${flag} must be a whole number from 1, of at most ${digits} digits, or none, or default.`,
      );
    return [[name, Number(text)] as const];
  });
  return Object.fromEntries(given);
}
