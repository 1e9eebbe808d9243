import { operator } from "../audit/queries.ts";
import { ROLES } from "../core/actor.ts";
import { notFound } from "../core/errors.ts";
import { compileCheck } from "../core/validation.ts";
import { findOrganization } from "../organizations/queries.ts";
import { publicUrl } from "../process/config.ts";
import { linkByEmail } from "../staff/operations.ts";
import { listStaff } from "../staff/queries.ts";
import { AddStaff } from "../staff/schema.ts";
import { type CommandCall, table, textFlag, UsageError } from "./command.ts";
import { readId, readLine, readOneOf } from "./flag-values.ts";

/** Makes a link. It alone is on standard output, so that a script can pass it on. */
export async function makeLink(call: CommandCall): Promise<void> {
  const organizationId = readId(textFlag(call, "org") ?? "", "--org");
  const email = (textFlag(call, "email") ?? "").trim();
  if (compileCheck(AddStaff.properties.email, "")(email).length > 0)
    throw new UsageError("--email must be an e-mail address.");
  const name = textFlag(call, "name");
  const role = textFlag(call, "role");
  const store = await call.store();
  const db = store.open({ applicationName: "rollbook staff", poolSize: 2 });
  const person = {
    email,
    name: name === undefined ? undefined : readLine(name, "name"),
    role: role === undefined ? undefined : readOneOf(role, ROLES, "role"),
  };
  const maker = { keySecret: await store.keySecret(), publicUrl: publicUrl(call.config) };
  const {
    staff,
    link = "",
    expiresAt,
  } = (await linkByEmail(db, operator(), organizationId, person, maker)).result;
  call.out.say(
    `For ${staff.email} (${staff.role}), until ${expiresAt}. It is shown once and can be used once; ` +
      "older links of the same person have ended.",
  );
  if ((person.role ?? staff.role) !== staff.role || (person.name ?? staff.name) !== staff.name)
    call.out.say(
      "They are on the staff already, with another name or role: --name and --role changed nothing.",
    );
  call.out.result({ staffId: staff.id, link, expiresAt }, link);
}

export async function showStaff(call: CommandCall): Promise<void> {
  const organizationId = readId(textFlag(call, "org") ?? "", "--org");
  const db = (await call.store()).open({ applicationName: "rollbook staff" });
  if (!(await findOrganization(db, organizationId))) throw notFound("There is no organization with this id.");
  const data = await listStaff(db, organizationId);
  const rows = data.map(({ id, name, email, role, status, allLocations, locationIds }) => [
    id,
    name,
    email,
    role,
    allLocations ? "all" : String(locationIds.length),
    status,
  ]);
  call.out.result(
    { data, total: data.length },
    data.length === 0
      ? "Nobody yet. Make a link for the owner with: rollbook staff link"
      : table(["ID", "NAME", "EMAIL", "ROLE", "LOCATIONS", "STATUS"], rows),
  );
}
