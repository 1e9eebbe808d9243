import type { FastifyReply, FastifyRequest } from "fastify";
import type { TObject } from "typebox";
import { Snapshot } from "../core/data-snapshot.ts";
import type { Precondition } from "../core/precondition.ts";
import Type from "../core/schema-type.ts";
import type { AnswerText } from "./answer-text.ts";
import type { BodyHeaders } from "./cache.ts";
import { type CallContext, compileCall } from "./call.ts";
import { type Caller, versionOf } from "./caller.ts";
import { type Conditions, findKnownTag, readConditions } from "./conditions.ts";
import type { Operation, OperationScope } from "./declaration.ts";
import { CsvForm, compileDownload, type DownloadableList } from "./downloads.ts";
import { answerTag, recordTag } from "./entity-tags.ts";
import { ListPaging } from "./paging.ts";
import { type ParametersWithoutEffect, queryPairs, queryString } from "./parameters.ts";
import { ByteStream, gather, inTurns } from "./streaming.ts";
import { whileWaiting } from "./waiting.ts";

const NOTHING_DEMANDED: Precondition = { isGiven: false, check: () => {} };

/** Answers the requests of an operation that reads: by 304, from the cache, as a file, or by computing the answer. */
export function compileRead<Who extends Caller>(
  scope: OperationScope<Who>,
  declared: Operation<Who>,
  { form, link, opening, render, renderLong }: AnswerText,
) {
  const { cache, document, sender, longAnswers, db } = scope;
  const { etag, download, longestWaitMs } = declared;
  const classesOf = compileClasses(declared);
  const paging =
    declared.pages && declared.query
      ? new ListPaging(declared.path, document.publicUrl, declared.query)
      : undefined;
  const input = compileCall({ ...declared, withoutEffect: parametersWithoutEffect(declared) }, paging);
  const sendDownload =
    download &&
    compileDownload({
      record: scope.recordDownload,
      feedCursor: scope.feedCursor,
      limiter: scope.downloads,
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
      classes: classesOf(request) ?? [],
      version,
      mediaType: request.answerType,
      target: request.url,
    });

  const contextOf = (request: FastifyRequest, caller: Who): CallContext<Who> => ({
    caller,
    get db() {
      return db.for(caller.organizationId, request.times ?? undefined);
    },
    shared: undefined,
    precondition: NOTHING_DEMANDED,
  });

  async function answer(request: FastifyRequest, reply: FastifyReply, caller: Who, conditions?: Conditions) {
    const context = contextOf(request, caller);
    const call = input.read(request, input.receive(request), context, conditions?.faults);
    const read = call instanceof Promise ? await call : call;
    request.isLong = longestWaitMs !== undefined;
    const handled = await (longestWaitMs === undefined
      ? declared.handle(read)
      : whileWaiting(reply.raw, longestWaitMs, (left) => declared.handle({ ...read, left })));
    const snapshot = handled instanceof Snapshot ? handled : undefined;
    const content = handled instanceof Snapshot ? handled.content : handled;
    if (etag === "answer" && snapshot === undefined) throw new Error("an answer has no version");
    const reads = classesOf(request);
    const version = snapshot ? snapshot.version : reads && versionOf(caller, reads);
    const keep = (body: string | readonly Buffer[], headers: BodyHeaders) => {
      if (version !== undefined) cache.store(cacheKey(request, caller), version, body, headers);
    };
    let tag = snapshot && etag === "answer" ? answerTagAt(request, caller, snapshot.version) : undefined;
    if (content instanceof ByteStream) {
      const headers = { etag: tag, link };
      const known = knownToCaller(conditions, tag);
      if (known !== undefined) return sender.sendNotModified(request, reply, form, known);
      const { whole, pieces } = await gather(content.write(opening));
      if (pieces)
        return longAnswers.send(caller.organizationId, content.records, () =>
          sender.stream(request, reply, form, pieces, headers),
        );
      keep(whole, headers);
      return sender.send(request, reply, form, whole, headers);
    }
    const page = paging?.finish(request.url, read.query as Record<string, unknown>, content);
    // The tag of a record is made of its whole text.
    const text = (etag === "record" ? render : renderLong)?.(page ? page.body : content);
    if (text === undefined) throw new Error("a read has no answer");
    const headers = { etag: tag, link: page?.link === undefined ? link : `${link}, ${page.link}` };
    if (typeof text !== "string") {
      const named = knownToCaller(conditions, tag);
      if (named !== undefined) return sender.sendNotModified(request, reply, form, named);
      return longAnswers.send(caller.organizationId, content, () =>
        sender.stream(request, reply, form, inTurns(text), headers),
      );
    }
    if (etag === "record") headers.etag = tag = recordTag(text);
    keep(text, headers);
    const known = knownToCaller(conditions, tag);
    if (known !== undefined) return sender.sendNotModified(request, reply, form, known);
    return sender.sendText(request, reply, form, text, headers, undefined);
  }

  return (request: FastifyRequest, reply: FastifyReply, caller: Who): Promise<void> | undefined => {
    const conditions = readConditions(request.headers);
    const hasFaults = conditions !== undefined && conditions.faults.length > 0;
    const reads = classesOf(request);
    if (reads === undefined && !hasFaults && request.answerType !== "application/json" && sendDownload)
      return sendDownload(request, reply, contextOf(request, caller), request.answerType, untagged);
    if (reads === undefined || hasFaults) return answer(request, reply, caller, conditions);
    const version = versionOf(caller, reads);
    // Such a tag can only have come from an answer of this address, so the query need not be looked at again.
    if (etag === "answer" && Array.isArray(conditions?.ifNoneMatch) && conditions.ifMatch === undefined) {
      const named = knownToCaller(conditions, answerTagAt(request, caller, version));
      if (named !== undefined) {
        sender.sendNotModified(request, reply, form, named);
        return undefined;
      }
    }
    if (request.answerType !== "application/json" && sendDownload) {
      const checkTag = (at: number) => {
        const tag = answerTagAt(request, caller, at);
        return { tag, known: knownToCaller(conditions, tag) };
      };
      return sendDownload(request, reply, contextOf(request, caller), request.answerType, checkTag);
    }
    const key = cacheKey(request, caller);
    const cached = cache.find(key, version);
    if (!cached) return answer(request, reply, caller, conditions);
    const named = knownToCaller(conditions, cached.headers.etag);
    if (named !== undefined) sender.sendNotModified(request, reply, form, named);
    else
      sender.send(
        request,
        reply,
        form,
        cached.body,
        cached.headers,
        request.headers["accept-encoding"] === undefined
          ? undefined
          : {
              compressed: cached.compressed,
              keep: (encoding, bytes) => cache.storeCompressed(key, cached, encoding, bytes),
            },
      );
    return undefined;
  };
}

/**
 * The classes of data that an answer is made of. They are known before the query is checked, so the target alone decides:
 * whatever is answered at one address is of one set of classes.
 */
function compileClasses({ reads, readsForNames }: Operation<never>) {
  if (!reads || !readsForNames) return () => reads;
  const withNames = [...reads, ...readsForNames];
  return ({ url }: FastifyRequest) => {
    for (const [name] of queryPairs(queryString(url))) if (name === "include") return withNames;
    return reads;
  };
}

/** Of what has no version. */
const untagged = () => ({ tag: undefined, known: undefined });

/**
 * Callers that read all lists alike give `limit` and `offset` to those that are not paged too; how a CSV file is written
 * says nothing about JSON.
 */
function parametersWithoutEffect({ answer, query, download }: Operation<never>): ParametersWithoutEffect {
  const members = (answer.schema as Partial<TObject> | undefined)?.properties ?? {};
  const isList = "data" in members && "total" in members;
  const all = {
    ...(isList && { limit: Type.Integer(), offset: Type.Integer() }),
    ...(download && download.types === undefined && { csv: CsvForm }),
  };
  return Object.fromEntries(Object.entries(all).filter(([name]) => !(name in (query?.properties ?? {}))));
}

/** Versions repeat with other data in another past of the database. */
function cacheKey({ url }: FastifyRequest, { history, organizationId }: Caller): string {
  return history + organizationId + url;
}

function knownToCaller(conditions: Conditions | undefined, tag: string | undefined): string | undefined {
  return conditions && tag !== undefined ? findKnownTag(conditions, tag) : undefined;
}
