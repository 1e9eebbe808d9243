import { AppError, invalid } from "../core/errors.ts";
import { findOrganization } from "../domain/organizations/queries.ts";
import { unknownOrganization } from "../domain/organizations/rules.ts";
import { findOrganizationOfLink, listCalendarLinks } from "../sync/calendar-links/queries.ts";
import { unknownLink } from "../sync/calendar-links/rules.ts";
import type { CalendarLink, NewCalendarLink } from "../sync/calendar-links/schema.ts";
import { LINK_LANGUAGES, MOST_LINK_DAYS } from "../sync/calendar-links/values.ts";
import { type CommandCall, showRecords, textFlag, UsageError } from "./command.ts";
import { carryOutNamed } from "./do-run.ts";
import { readDuration, readId, readLine, readOneOf, readOrganization } from "./flag-values.ts";

export async function mintLink(call: CommandCall): Promise<void> {
  const organizationId = readOrganization(call);
  const id = (flag: string) => given(call, flag, (text) => readId(text, `--${flag}`));
  const input = {
    locationId: id("location"),
    serviceTypeId: id("service-type"),
    clientId: id("client"),
    resourceId: given(call, "resource", (text) => readLine(text, "resource", 64)),
    name: given(call, "name", (text) => readLine(text, "name", 100)),
    pastDays: given(call, "past", (text) => readDays(text, "past")),
    aheadDays: given(call, "ahead", (text) => readDays(text, "ahead")),
    language: given(call, "language", (text) => readOneOf(text, LINK_LANGUAGES, "language")),
    expires: textFlag(call, "expires"),
    showSeats: call.flags["show-seats"] === true,
  };
  if (input.expires !== undefined) readDuration(input.expires, "expires", 1);
  const named = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  await showNewLink(call, "mintCalendarLink", organizationId, named);
}

export async function rotateLink(call: CommandCall): Promise<void> {
  const overlap = textFlag(call, "overlap") ?? "24h";
  readDuration(overlap, "overlap");
  const { calendarLinkId, organizationId } = await findLink(call);
  await showNewLink(call, "rotateCalendarLink", organizationId, { calendarLinkId, overlap });
}

export async function endCalendarLink(call: CommandCall): Promise<void> {
  const { calendarLinkId, organizationId } = await findLink(call);
  await carryOutNamed(call, "revokeCalendarLink", organizationId, { calendarLinkId }, (done) => {
    const { result } = done as { readonly result: CalendarLink };
    call.out.result(result, `Link ${result.id} is revoked.`);
  });
}

export async function showCalendarLinks(call: CommandCall): Promise<void> {
  const organizationId = readOrganization(call);
  const db = (await call.store()).open({ applicationName: "rollbook ics" });
  if (!(await findOrganization(db, organizationId))) throw unknownOrganization();
  const data = await listCalendarLinks(db, organizationId, await db.now());
  showRecords(call, data, {
    header: ["ID", "NAME", "SHOWS", "STATUS", "CREATED", "EXPIRES", "LAST FETCHED", "SHOWN UNTIL"],
    row: (link) => [
      link.id,
      link.name ?? "",
      describeScope(link),
      link.status,
      link.createdAt,
      link.expiresAt ?? "never",
      link.lastFetchedAt ?? "never",
      link.shownUntil ?? "",
    ],
    none: "No links yet.",
  });
}

function describeScope({ clientId, locationId, serviceTypeId, resourceId }: CalendarLink): string {
  const limits = {
    client: clientId,
    location: locationId,
    "service-type": serviceTypeId,
    resource: resourceId,
  };
  const named = Object.entries(limits).filter(([, id]) => id !== undefined);
  return named.length === 0 ? "everything" : named.map(([name, id]) => `${name} ${id}`).join(", ");
}

/** The link that is named, and whose it is: its id is all that the command asks for. */
async function findLink(
  call: CommandCall,
): Promise<{ readonly calendarLinkId: string; readonly organizationId: string }> {
  const calendarLinkId = readId(call.arguments[0] ?? "", "ID");
  const db = (await call.store()).open({ applicationName: "rollbook ics" });
  const organizationId = await findOrganizationOfLink(db, calendarLinkId);
  if (organizationId === undefined) throw unknownLink();
  return { calendarLinkId, organizationId };
}

async function showNewLink(
  call: CommandCall,
  operation: string,
  organizationId: string,
  input: object,
): Promise<void> {
  try {
    await carryOutNamed(call, operation, organizationId, input, (done) => {
      if (call.flags["dry-run"]) return call.out.result(done, JSON.stringify(done, null, 2));
      const { result } = done as { readonly result: NewCalendarLink };
      const { id, url = "", webcalUrl = "", expiresAt } = result;
      call.out.say(
        `Link ${id}, ${expiresAt === undefined ? "does not expire" : `expires ${expiresAt}`}. Whoever has its address reads ` +
          `the sessions; it is shown once. For telephones: ${webcalUrl}`,
      );
      call.out.result(result, url);
    });
  } catch (error) {
    throw byFlag(error);
  }
}

/** A fault is located in a body; here a flag is what was given. */
function byFlag(error: unknown): unknown {
  if (!(error instanceof AppError) || error.faults.length === 0) return error;
  return invalid(
    error.faults.map((fault) => ({ ...fault, location: fault.location.replace(/^body\./, "") })),
  );
}

function given<Value>(call: CommandCall, flag: string, read: (text: string) => Value): Value | undefined {
  const text = textFlag(call, flag);
  return text === undefined ? undefined : read(text);
}

/** Days of a duration such as `31d`. */
function readDays(text: string, flag: string): number {
  const days = readDuration(text, flag) / 86_400;
  if (!Number.isInteger(days) || days > MOST_LINK_DAYS)
    throw new UsageError(`--${flag} must be whole days, at most ${MOST_LINK_DAYS}d.`);
  return days;
}
