import { ROLES } from "../core/actor.ts";
import { instantText } from "../core/clock.ts";
import { compileCheck } from "../core/validation.ts";
import type { Database } from "../db/database.ts";
import { operator } from "../domain/audit/queries.ts";
import { findOrganization } from "../domain/organizations/queries.ts";
import { unknownOrganization } from "../domain/organizations/rules.ts";
import { listLinks } from "../domain/staff/link-queries.ts";
import { linkByEmail } from "../domain/staff/operations.ts";
import { listStaff } from "../domain/staff/queries.ts";
import { AddStaff } from "../domain/staff/schema.ts";
import { publicUrl } from "../process/config.ts";
import { type CommandCall, showRecords, textFlag, UsageError } from "./command.ts";
import { readLine, readOneOf, readOrganization } from "./flag-values.ts";
import { commitWhenShown } from "./shown-once.ts";

/** Makes a link. It alone is on standard output, so that a script can pass it on. */
export async function makeLink(call: CommandCall): Promise<void> {
  const organizationId = readOrganization(call);
  const email = (textFlag(call, "email") ?? "").trim();
  if (compileCheck(AddStaff.properties.email, "")(email).length > 0)
    throw new UsageError("--email must be an e-mail address.");
  const name = textFlag(call, "name");
  const role = textFlag(call, "role");
  const resourceId = textFlag(call, "resource");
  const store = await call.store();
  const db = store.open({ applicationName: "rollbook staff", poolSize: 2 });
  const person = {
    email,
    name: name === undefined ? undefined : readLine(name, "name"),
    role: role === undefined ? undefined : readOneOf(role, ROLES, "role"),
    resourceId,
  };
  const maker = { keySecret: await store.keySecret(), publicUrl: publicUrl(call.config) };
  const make = async (tx: Database) =>
    (await linkByEmail({ db: tx, actor: operator(), organizationId, ...maker }, person)).result;
  await commitWhenShown(db, call.out, make, ({ staff, link = "", expiresAt }) => {
    call.out.say(
      `For ${staff.email} (${staff.role}), until ${expiresAt}. It is shown once and can be used once; ` +
        "older links of the same person have ended.",
    );
    // A command does not know where a server runs that was given its port or address elsewhere.
    if (call.config.publicUrl === undefined)
      call.out.say(
        `It is for a server at ${maker.publicUrl}. If yours has another address, give it as PUBLIC_URL or --public-url.`,
      );
    if ((person.role ?? staff.role) !== staff.role || (person.name ?? staff.name) !== staff.name)
      call.out.say(
        "They are on the staff already, with another name or role: --name and --role changed nothing.",
      );
    call.out.result({ staffId: staff.id, link, expiresAt }, link);
  });
}

export async function showLinks(call: CommandCall): Promise<void> {
  const organizationId = readOrganization(call);
  const db = (await call.store()).open({ applicationName: "rollbook staff" });
  if (!(await findOrganization(db, organizationId))) throw unknownOrganization();
  const data = await listLinks(db, organizationId, instantText(await db.now()));
  showRecords(call, data, {
    header: ["ID", "FOR", "MADE BY", "EXPIRES"],
    row: ({ id, staffName, madeBy = "unknown", madeByName = madeBy, expiresAt }) => [
      id,
      staffName,
      madeByName,
      expiresAt,
    ],
    none: "No link is open.",
  });
}

export async function showStaff(call: CommandCall): Promise<void> {
  const organizationId = readOrganization(call);
  const db = (await call.store()).open({ applicationName: "rollbook staff" });
  if (!(await findOrganization(db, organizationId))) throw unknownOrganization();
  const data = await listStaff(db, organizationId);
  showRecords(call, data, {
    header: ["ID", "NAME", "EMAIL", "ROLE", "LOCATIONS", "STATUS"],
    row: ({ id, name, email, role, status, allLocations, locationIds }) => [
      id,
      name,
      email,
      role,
      allLocations ? "all" : String(locationIds.length),
      status,
    ],
    none: "Nobody yet. Make a link for the owner with: rollbook staff link",
  });
}
