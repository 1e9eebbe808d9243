import type { FastifyReply, FastifyRequest } from "fastify";
import { Snapshot } from "../core/data-snapshot.ts";
import type { Precondition } from "../core/precondition.ts";
import type { AnswerText } from "./answer-text.ts";
import type { BodyHeaders } from "./cache.ts";
import { type CallContext, compileCall } from "./call.ts";
import { type Caller, versionOf } from "./caller.ts";
import { type Conditions, isNotModified, readConditions } from "./conditions.ts";
import type { Operation, OperationScope } from "./declaration.ts";
import { compileDownload, type DownloadableList } from "./downloads.ts";
import { answerTag, recordTag } from "./entity-tags.ts";
import { ListPaging } from "./paging.ts";
import { ByteStream, gather } from "./streaming.ts";
import { whileWaiting } from "./waiting.ts";

const NOTHING_DEMANDED: Precondition = { isGiven: false, check: () => {} };

/** Answers the requests of an operation that reads: by 304, from the cache, as a file, or by computing the answer. */
export function compileRead<Who extends Caller>(
  scope: OperationScope<Who>,
  declared: Operation<Who>,
  { form, link, opening, render }: AnswerText,
) {
  const { cache, document, sender, db } = scope;
  const { reads, etag, download, longestWaitMs } = declared;
  const paging =
    declared.pages && declared.query
      ? new ListPaging(declared.path, document.publicUrl, declared.query)
      : undefined;
  const input = compileCall(declared, paging);
  const sendDownload =
    download &&
    compileDownload({
      desk: scope.downloads,
      sender,
      form,
      // Of a download only the filters are read, by whichever schema they have.
      list: declared as unknown as DownloadableList<Who>,
    });

  /** The tag of the answer to this request, if it is read at this version of the data. */
  const answerTagAt = (request: FastifyRequest, caller: Who, version: number) =>
    answerTag({
      history: caller.history,
      release: scope.release,
      organizationId: caller.organizationId,
      classes: reads ?? [],
      version,
      mediaType: request.answerType,
      target: request.url,
    });

  const contextOf = (caller: Who): CallContext<Who> => ({
    caller,
    get db() {
      return db.for(caller.organizationId);
    },
    shared: undefined,
    precondition: NOTHING_DEMANDED,
  });

  async function answer(request: FastifyRequest, reply: FastifyReply, caller: Who, conditions?: Conditions) {
    const context = contextOf(caller);
    const call = input.read(request, input.receive(request), context, conditions?.faults);
    const read = call instanceof Promise ? await call : call;
    const handled = await (longestWaitMs === undefined
      ? declared.handle(read)
      : whileWaiting(reply.raw, longestWaitMs, (left) => declared.handle({ ...read, left })));
    const snapshot = handled instanceof Snapshot ? handled : undefined;
    const content = handled instanceof Snapshot ? handled.content : handled;
    if (etag === "answer" && snapshot === undefined) throw new Error("an answer has no version");
    const version = snapshot ? snapshot.version : reads && versionOf(caller, reads);
    const keep = (body: string | readonly Buffer[], headers: BodyHeaders) => {
      if (version !== undefined) cache.store(cacheKey(request, caller), version, body, headers);
    };
    let tag = snapshot && etag === "answer" ? answerTagAt(request, caller, snapshot.version) : undefined;
    if (content instanceof ByteStream) {
      const headers = { etag: tag, link };
      if (tag !== undefined && isKnownToCaller(conditions, tag)) {
        return sender.sendNotModified(request, reply, form, tag);
      }
      const { whole, pieces } = await gather(content.write(opening));
      if (pieces) return sender.stream(request, reply, form, pieces, headers);
      keep(whole, headers);
      return sender.send(request, reply, form, whole, headers);
    }
    const page = paging?.finish(request.url, read.query as Record<string, unknown>, content);
    const text = render?.(page ? page.body : content);
    if (text === undefined) throw new Error("a read has no answer");
    if (etag === "record") tag = recordTag(text);
    const headers = { etag: tag, link: page?.link === undefined ? link : `${link}, ${page.link}` };
    keep(text, headers);
    if (tag !== undefined && isKnownToCaller(conditions, tag)) {
      return sender.sendNotModified(request, reply, form, tag);
    }
    return sender.sendText(request, reply, form, text, headers, undefined);
  }

  return (request: FastifyRequest, reply: FastifyReply, caller: Who): Promise<void> | undefined => {
    const conditions = readConditions(request.headers);
    const hasFaults = conditions !== undefined && conditions.faults.length > 0;
    if (reads === undefined || hasFaults) return answer(request, reply, caller, conditions);
    const version = versionOf(caller, reads);
    // Such a tag can only have come from an answer of this address, so the query need not be looked at again.
    if (etag === "answer" && Array.isArray(conditions?.ifNoneMatch) && conditions.ifMatch === undefined) {
      const tag = answerTagAt(request, caller, version);
      if (isKnownToCaller(conditions, tag)) {
        sender.sendNotModified(request, reply, form, tag);
        return undefined;
      }
    }
    if (request.answerType !== "application/json" && sendDownload) {
      const checkTag = (at: number) => {
        const tag = answerTagAt(request, caller, at);
        return { tag, isKnown: isKnownToCaller(conditions, tag) };
      };
      return sendDownload(request, reply, contextOf(caller), request.answerType, checkTag);
    }
    const known = cache.find(cacheKey(request, caller), version);
    if (!known) return answer(request, reply, caller, conditions);
    const { body, headers } = known;
    if (headers.etag !== undefined && isKnownToCaller(conditions, headers.etag)) {
      sender.sendNotModified(request, reply, form, headers.etag);
    } else sender.send(request, reply, form, body, headers);
    return undefined;
  };
}

/** Versions repeat with other data in another past of the database. */
function cacheKey({ url }: FastifyRequest, { history, organizationId }: Caller): string {
  return history + organizationId + url;
}

function isKnownToCaller(conditions: Conditions | undefined, tag: string): boolean {
  return conditions !== undefined && isNotModified(conditions, tag);
}
