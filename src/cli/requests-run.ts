import { parseDuration } from "../core/duration.ts";
import { notFound } from "../core/errors.ts";
import type { Database } from "../db/database.ts";
import { findKey } from "../domain/keys/queries.ts";
import {
  findRequests,
  listRequestRows,
  newestFirst,
  REQUEST_DAYS,
  type RequestPage,
} from "../domain/keys/request-rows.ts";
import type { KeyRequest } from "../domain/keys/schema.ts";
import { findOrganization } from "../domain/organizations/queries.ts";
import { unknownOrganization } from "../domain/organizations/rules.ts";
import { type CommandCall, table, textFlag, UsageError } from "./command.ts";
import { readId, readInstant, readOrganization } from "./flag-values.ts";
import { paragraphOf } from "./request-paragraph.ts";

interface Wanted {
  readonly now: number;
  readonly organizationId: string;
  readonly keyId: string | undefined;
  readonly failed: boolean;
  readonly status: number | undefined;
  readonly since: number | undefined;
  readonly after: PagePlace | undefined;
  readonly limit: number;
}

/** Where a page ends: a row, and how many of its requests were looked at. */
interface PagePlace {
  readonly row: string;
  readonly seen: number;
}

export async function showRequests(call: CommandCall): Promise<void> {
  const db = (await call.store()).open({ applicationName: "rollbook requests" });
  const wanted = readWanted(call, await db.now());
  if (!(await findOrganization(db, wanted.organizationId))) throw unknownOrganization();
  const { data, leftOut, nextCursor } = await collect(db, wanted);
  const rows = data.map((request) => [
    request.at,
    request.keyId,
    request.operation,
    String(request.status),
    [request.code, ...(request.errors ?? []).map(({ location, code }) => `${location} ${code}`)].join(", "),
    String(request.milliseconds),
    request.requestId,
  ]);
  if (leftOut > 0)
    call.out.say(`${leftOut} more requests came in the same seconds, of which nothing else is kept.`);
  if (nextCursor !== undefined) call.out.say(`There are more: --after ${nextCursor}`);
  call.out.result(
    { data, leftOut, ...(nextCursor !== undefined && { nextCursor }) },
    data.length === 0
      ? `Nothing in the last ${REQUEST_DAYS} days.`
      : table(["AT", "KEY", "OPERATION", "STATUS", "WHAT WAS WRONG", "MS", "REQUEST ID"], rows),
  );
}

/** Reads rows until one more is found than is wanted: what is left out of a row begins the next page. */
async function collect(db: Database, wanted: Wanted): Promise<RequestPage> {
  const { now, organizationId, keyId, failed, status, since = 0, after, limit } = wanted;
  const isRecent = ({ at }: KeyRequest) => Date.parse(at) >= since;
  const data: KeyRequest[] = [];
  let leftOut = 0;
  for (let cursor = after && idBefore(after.row); ; ) {
    const { rows, nextCursor } = await listRequestRows(db, organizationId, {
      ...{ now, keyId, cursor },
      ...(failed && { failed }),
    });
    for (const row of rows) {
      const seen = row.id === after?.row ? after.seen : 0;
      const isWanted = (request: KeyRequest, place: number) =>
        place >= seen && isRecent(request) && (status === undefined || request.status === status);
      for (const [place, request] of row.requests.entries()) {
        if (!isWanted(request, place)) continue;
        if (data.length === limit) {
          if (place > 0 && seen === 0) leftOut += row.leftOut;
          return { data: newestFirst(data), leftOut, nextCursor: `${row.id}.${place}` };
        }
        data.push(request);
      }
      // Of a row that is begun the page before has told it.
      if (seen === 0) leftOut += row.leftOut;
    }
    const requests = rows.flatMap((row) => row.requests);
    const isOver = nextCursor === undefined || (requests.length > 0 && !requests.some(isRecent));
    if (isOver) return { data: newestFirst(data), leftOut };
    cursor = nextCursor;
  }
}

/** What comes just before a row, where the newest are first. */
function idBefore(row: string): string {
  return (BigInt(`0x${row.replaceAll("-", "")}`) + 1n).toString(16).padStart(32, "0");
}

function readPlace(text: string): PagePlace {
  const [row = "", seen = ""] = text.split(".");
  if (!/^\d{1,6}$/.test(seen)) throw new UsageError("--after must be a nextCursor of this list.");
  return { row: readId(row, "What --after begins with"), seen: Number(seen) };
}

function readWanted(call: CommandCall, now: number): Wanted {
  const text = (name: string) => textFlag(call, name);
  const [keyId, status, since, after, limit = "100"] = ["key", "status", "since", "after", "limit"].map(text);
  if (status !== undefined && !/^[1-5]\d\d$/.test(status))
    throw new UsageError("--status must be a status such as 422.");
  if (!/^[1-9]\d{0,4}$/.test(limit)) throw new UsageError("--limit must be a whole number from 1 to 99999.");
  return {
    now,
    organizationId: readOrganization(call),
    keyId: keyId === undefined ? undefined : readId(keyId, "--key"),
    failed: call.flags.failed === true || (status !== undefined && Number(status) >= 400),
    status: status === undefined ? undefined : Number(status),
    since: since === undefined ? undefined : readSince(since, now),
    after: after === undefined ? undefined : readPlace(after),
    limit: Number(limit),
  };
}

function readSince(text: string, now: number): number {
  const ago = parseDuration(text);
  return ago === undefined ? readInstant(text, "since", "an age such as 2h") : now - ago * 1000;
}

export async function explainRequest(call: CommandCall): Promise<void> {
  const requestId = call.arguments[0] ?? "";
  const db = (await call.store()).open({ applicationName: "rollbook explain" });
  const found = await findRequests(db, requestId, await db.now());
  if (found.length === 0)
    throw notFound(
      `No request of the last ${REQUEST_DAYS} days has this id. Not kept are those without a known key (401), of an ` +
        "organization that has moved (307), to addresses that are unknown or cannot be read or by methods that they do not have (400, 404, 405), and of the staff, nor are all of a busy key; a server's log may have it.",
    );
  const data = await Promise.all(
    found.map(async (request) => {
      const [organization, key] = await Promise.all([
        findOrganization(db, request.organizationId),
        findKey(db, request.organizationId, request.keyId),
      ]);
      const explanation = paragraphOf(request, { key: key?.name, organization: organization?.name });
      return { ...request, explanation };
    }),
  );
  call.out.result({ data }, data.map(({ explanation }) => explanation).join("\n\n"));
}
