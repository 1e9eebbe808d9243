import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../core/errors.ts";
import { versionsOf } from "../db/data-version.ts";
import type { SharedDatabase } from "../db/database.ts";
import type { CalendarReader } from "../domain/calendar/operations.ts";
import type { ResponseCache } from "../http/cache.ts";
import { type Caller, type Verdict, versionOf } from "../http/caller.ts";
import { findWeakly, parseTagList } from "../http/conditions.ts";
import { answerTag, recordTag } from "../http/entity-tags.ts";
import { DOCUMENT_METHODS } from "../http/open-document.ts";
import type { AnswerForm, Sender } from "../http/sending.ts";
import {
  type LinkWindow,
  type OpenedLink,
  readLinkCalendar,
  windowOf,
} from "../sync/calendar-links/link-calendar.ts";
import { CALENDAR_LINKS } from "../sync/calendar-links/link-credentials.ts";
import { writeIcs, writeJson } from "../sync/calendar-links/link-text.ts";
import { type AdmittedLink, storeShownUntil, touchLink } from "../sync/calendar-links/queries.ts";
import type { Credentials } from "./gate.ts";

/** Whoever fetches a link. */
interface LinkCaller extends Caller, OpenedLink {
  readonly calendarLinkId: string;
  readonly versions: Caller["versions"];
}

/** Tokens of links to calendars. */
export const LINK_TOKENS: Credentials<LinkCaller, AdmittedLink> = {
  table: CALENDAR_LINKS,
  callerOf: (admission, clock) => {
    const { keyId: calendarLinkId, organizationId, timezone, history } = admission;
    const actor = { name: `calendar-link:${calendarLinkId}` };
    const versions = versionsOf(admission);
    return { calendarLinkId, organizationId, actor, timezone, history, clock, versions, link: admission };
  },
  recordUse: touchLink,
};

/** What links are opened with. */
export interface CalendarDoor {
  readonly app: FastifyInstance;
  readonly db: SharedDatabase;
  readonly sender: Sender;
  readonly cache: ResponseCache;
  readonly calendar: CalendarReader;
  /** What decides the bytes of an answer beside the data. */
  readonly release: string;
  /** Lets in whoever has the token of a link, or gives the error that refuses it. */
  readonly admit: (token: string, decide: (verdict: Verdict<LinkCaller>) => void) => void;
  /** Answers that there is nothing here: the same to the byte, whatever is wrong with a link. */
  readonly hide: (request: FastifyRequest, reply: FastifyReply) => void;
  /** Called with failures that no fetch waits for. */
  readonly onError: (error: unknown) => void;
}

/** What sessions of a timetable are made of, and so what their versions cover. */
const CLASSES = ["catalog", "sessions"] as const;

/** How long programs use what they have unasked. */
const CACHE_CONTROL = "private, max-age=900";

interface LinkForm {
  readonly extension: "ics" | "json";
  readonly mediaType: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
}

// The address is the credential: search engines and other websites shall not learn it.
const SILENT = ["x-robots-tag", "noindex", "referrer-policy", "no-referrer"];
const FORMS: readonly LinkForm[] = [
  {
    extension: "ics",
    mediaType: "text/calendar; charset=utf-8",
    headers: [...SILENT, "content-disposition", 'inline; filename="calendar.ics"'],
  },
  {
    extension: "json",
    mediaType: "application/json",
    headers: [...SILENT, "access-control-allow-origin", "*"],
  },
];

/** Serves `/ics/{token}.ics` and `/ics/{token}.json`, without a key: the token is all that is asked for. */
export function registerCalendars(door: CalendarDoor): void {
  for (const form of FORMS) serveForm(door, form);
}

function serveForm(door: CalendarDoor, { extension, mediaType, headers }: LinkForm): void {
  const { app, db, sender, cache, release } = door;
  const route = `/ics/:token.${extension}`;
  const form: AnswerForm = {
    ...{ status: 200, route, vary: "Accept-Encoding", isKept: true, cacheControl: CACHE_CONTROL, headers },
  };

  const answer = async (request: FastifyRequest, reply: FastifyReply, caller: LinkCaller) => {
    const { organizationId, calendarLinkId, link, history } = caller;
    const window = windowOf(caller);
    const target = `${calendarLinkId} ${window.firstDay}`;
    const tagAt = (version: number) =>
      answerTag({ history, release, organizationId, classes: CLASSES, version, mediaType, target });
    const known = parseTagList(request.headers["if-none-match"] ?? "");
    const send = (body: Buffer, etag: string) => {
      const named = known && findWeakly(known, etag);
      if (named !== undefined) sender.sendNotModified(request, reply, form, named);
      else sender.send(request, reply, form, [body], { etag, type: mediaType });
    };

    // Bookings move no version of their own; a client has few, so that their calendar is told by its bytes.
    if (link.clientId !== undefined) {
      const { body } = await write(caller, window);
      return send(body, recordTag(body));
    }
    const version = versionOf(caller, CLASSES);
    const current = known && findWeakly(known, tagAt(version));
    if (current !== undefined) return sender.sendNotModified(request, reply, form, current);
    const address = `${history}${organizationId}${mediaType}${target}`;
    const cached = cache.find(address, version);
    if (cached) return sender.send(request, reply, form, cached.body, { ...cached.headers, type: mediaType });
    const { body, version: readVersion } = await write(caller, window);
    const etag = tagAt(readVersion);
    cache.store(address, readVersion, [body], { etag });
    send(body, etag);
  };

  const write = async (caller: LinkCaller, window: LinkWindow) => {
    const { organizationId, calendarLinkId, link } = caller;
    const { content, version } = await readLinkCalendar(db, door.calendar, caller, window);
    const { shownUntil } = content;
    if (shownUntil !== link.shownUntil)
      storeShownUntil(db.for(organizationId), organizationId, calendarLinkId, shownUntil).catch(door.onError);
    const body =
      extension === "ics"
        ? await writeIcs(content, link, { organizationId, timezone: window.zone.name })
        : await writeJson(content, link);
    return { body, version };
  };

  app.route<{ Params: { token: string } }>({
    method: DOCUMENT_METHODS,
    url: route,
    onRequest: (request, reply, done) => {
      for (let i = 0; i < headers.length; i += 2) reply.header(headers[i] as string, headers[i + 1]);
      door.admit(request.params.token, ({ caller, refusal, rate }) => {
        request.caller = caller ?? null;
        request.identity = caller ?? null;
        request.rate = rate ?? null;
        if (refusal instanceof AppError && refusal.kind === "unauthorized") door.hide(request, reply);
        else done(refusal);
      });
    },
    handler: (request, reply) => {
      // Only the gate of links, called above, sets it.
      const caller = request.caller as LinkCaller | null;
      if (!caller) throw new Error("a calendar was reached without passing its gate");
      return answer(request, reply, caller);
    },
  });
}
