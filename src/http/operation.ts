import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Static, TObject, TSchema } from "typebox";
import { type DataClass, Snapshot } from "../core/data-snapshot.ts";
import { type AppError, type Fault, refusal } from "../core/errors.ts";
import { compileBody } from "../core/render.ts";
import type { KeyClaim, KeyedAnswer, StoredAnswer } from "../core/stored-answer.ts";
import type { SharedDatabase } from "../db/database.ts";
import type { AboutApi } from "./about-api.ts";
import type { BodyHeaders, ResponseCache } from "./cache.ts";
import { type Call, type CallContext, compileCall, type Input } from "./call.ts";
import { type Caller, type RateState, type Verdict, versionOf } from "./caller.ts";
import {
  type Conditions,
  checkWrite,
  isNotModified,
  preconditionRequired,
  readConditions,
  requiresIfMatch,
} from "./conditions.ts";
import { compileDownload, type Download, type DownloadableList, type DownloadDesk } from "./downloads.ts";
import { answerTag, recordTag } from "./entity-tags.ts";
import { HttpError } from "./http-error.ts";
import type { Idempotency } from "./idempotency.ts";
import { fingerprintOf, readKeyHeader } from "./idempotency-key.ts";
import { type MediaType, negotiate } from "./negotiation.ts";
import { ListPaging } from "./paging.ts";
import type { AnswerForm, Sender } from "./sending.ts";
import { ByteStream, gather } from "./streaming.ts";

/**
 * One operation, declared once: from it come the route, the strict reading of path, query and body, the type of
 * what the handler is given, the text of the response and the OpenAPI description.
 */
export interface Operation<
  Who extends Caller = Caller,
  Path extends TObject = TObject,
  Query extends TObject = TObject,
  Body extends TObject = TObject,
  Answer extends TSchema = TSchema,
  Facts = undefined,
> extends Input<Who, Path, Query, Body, Facts> {
  readonly operationId: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** As OpenAPI writes it: `/v1/clients/{id}`. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly answer: {
    readonly status: 200 | 201 | 204;
    readonly description: string;
    readonly schema?: Answer;
    /** Where the record that was made can be read: `/v1/clients/{id}`, by members of the answer. */
    readonly location?: string;
    /** For the document, if another than the first example of the schema. */
    readonly example?: Static<Answer>;
  };
  /**
   * The failures it can answer beside those that follow from its scope, method and input, each as the document's
   * example of it: `errors: [unknownClient()]`.
   */
  readonly errors?: readonly AppError[];
  /** The classes of data its answer is made of. Given for reads: the body may then be cached. */
  readonly reads?: readonly DataClass[];
  /**
   * How the entity tag of its answer is made. `record`: of the bytes of one record. `answer`: of the version of the data,
   * which the handler gives with what it has read (a `Snapshot`).
   */
  readonly etag?: "record" | "answer";
  /**
   * Whether it answers a list page by page: its query and its answer then have a cursor. To the handler a cursor is the id
   * of the record that a page begins after, and that it ends with; callers carry a text of `paging.ts`.
   */
  readonly pages?: boolean;
  /** The list as a file, for a caller that asks for one by `Accept`. */
  readonly download?: Download<Who, Query>;
  /** The record whose tag the conditions of a write are compared with, if it is not what is answered. */
  readonly record?: TSchema;
  /**
   * A write that may be stored in one statement with those of other requests: what it answers is known before it is
   * stored. Its handler is then given `shared`, except inside a transaction.
   */
  readonly isShared?: boolean;
  readonly handle: (
    call: Call<Who, Path, Query, Body, Facts>,
  ) => Promise<AnswerOf<Answer> | Snapshot<AnswerOf<Answer>>>;
}

/** A record to be written by the answer's schema, or a body that writes itself. */
export type AnswerOf<Answer extends TSchema> = Static<Answer> | ByteStream;

/**
 * Where operations are declared. Two scopes differ in who is admitted and in where their operations are published,
 * not in how an operation is declared, read or answered:
 *
 *     const api: OperationScope<ApiCaller> = { admit: by key, document: /openapi.json, … }
 *     const staff: OperationScope<StaffMember> = { admit: by sign-in, document: /app/openapi.json, … }
 */
export interface OperationScope<Who extends Caller = Caller> {
  readonly app: FastifyInstance;
  /** Decides who is admitted: gives the caller of a request, or the error that refuses it. */
  readonly admit: (request: FastifyRequest, decide: (verdict: Verdict<Who>) => void) => void;
  readonly document: ApiDocument;
  readonly cache: ResponseCache;
  readonly sender: Sender;
  readonly db: SharedDatabase;
  /** What decides the bytes of an answer beside the data: the program, its time-zone data and its public address. */
  readonly release: string;
  readonly idempotency: Idempotency;
  /** Whether a change must say by `If-Match` which state of the record it is made on. */
  readonly requiresIfMatch: boolean;
  readonly downloads: DownloadDesk;
}

/** The OpenAPI document that the operations of a scope are published in. */
export interface ApiDocument {
  /** In the order of their declaration. */
  readonly operations: Operation[];
  /** What the addresses of operations are put after. */
  readonly publicUrl: string;
  /** The path under which the document and its schemas are published: "" or "/app". */
  readonly folder: string;
  /** Where the JSON Schema of a body is published. */
  readonly schemaUrl: (name: string) => string;
  readonly about: AboutApi;
  /** The schema of its problem documents. */
  readonly problem: TSchema;
}

declare module "fastify" {
  interface FastifyRequest {
    /** The caller that the scope of the operation has admitted. */
    caller: Caller | null;
    /** Whose credential was presented, admitted or not: for the log. */
    identity: Caller | null;
    /** What was wrong with the request, if that is why it was refused: for the log. */
    faults: readonly Fault[] | null;
    rate: RateState | null;
    /** The form in which the caller wants what is read. */
    answerType: MediaType;
    /** By `performance.now()`. */
    arrivedAt: number;
    isRecorded: boolean;
  }
}

/** Declares an operation, publishes it and serves it. */
export function operation<
  Who extends Caller,
  Path extends TObject,
  Query extends TObject,
  Body extends TObject,
  Answer extends TSchema,
  Facts = undefined,
>(scope: OperationScope<Who>, declared: Operation<Who, Path, Query, Body, Answer, Facts>): void {
  const { admit, cache, document, sender, db, idempotency } = scope;
  document.operations.push(declared as unknown as Operation);
  const { method, reads, etag, download } = declared;
  const { status, schema, location } = declared.answer;
  const url = schemaUrl(document, schema);
  const address = declared.path.replace(/\{(\w+)\}/g, ":$1");
  const link = url === undefined ? undefined : `<${url}>; rel="describedBy"`;
  const form: AnswerForm = { status, route: address, isRead: method === "GET" };
  const render = schema && url !== undefined ? compileBody(schema, url) : undefined;
  const locate = location === undefined ? undefined : compileLocation(document.publicUrl + location);
  const opening = `{"$schema":${JSON.stringify(url)},`;
  const paging =
    declared.pages && declared.query
      ? new ListPaging(declared.path, document.publicUrl, declared.query)
      : undefined;
  const input = compileCall(declared, paging);
  const readRecordTag = compileRecordTag(document, declared.record ?? schema);
  const isIfMatchRequired = scope.requiresIfMatch && requiresIfMatch(method);
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

  const contextOf = (caller: Who, conditions: Conditions | undefined): CallContext<Who> => ({
    caller,
    get db() {
      return db.for(caller.organizationId);
    },
    shared: declared.isShared ? {} : undefined,
    precondition: {
      isGiven: conditions !== undefined || isIfMatchRequired,
      check: (current, isUnchanged) => {
        if (isIfMatchRequired && conditions?.ifMatch === undefined) throw preconditionRequired();
        if (conditions) checkWrite(conditions, readRecordTag(current), isUnchanged);
      },
    },
  });

  async function answer(request: FastifyRequest, reply: FastifyReply, caller: Who, conditions?: Conditions) {
    const context = contextOf(caller, conditions);
    const call = input.read(request, input.receive(request), context, conditions?.faults);
    const read = call instanceof Promise ? await call : call;
    const handled = await declared.handle(read);
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

  /** What a write answers with this record, or with none. */
  const answerWith = (content: unknown): StoredAnswer => {
    if (content instanceof ByteStream || content instanceof Snapshot)
      throw new Error("a write answers with one record");
    const body = render?.(content);
    return {
      status,
      body,
      etag: etag === "record" && body !== undefined ? recordTag(body) : undefined,
      location: body === undefined ? undefined : locate?.(content),
    };
  };

  async function write(request: FastifyRequest, reply: FastifyReply, caller: Who, conditions?: Conditions) {
    const received = input.receive(request);
    const { key, faults } = readKeyHeader(request.headers["idempotency-key"], idempotency.isRequired);
    const context = contextOf(caller, conditions);
    const headerFaults = conditions ? [...conditions.faults, ...faults] : faults;
    const read = async () => input.read(request, received, context, headerFaults);
    const send = (answered: StoredAnswer, sentForm: AnswerForm) => {
      const headers = { etag: answered.etag, link };
      return sender.sendText(request, reply, sentForm, answered.body, headers, answered.location);
    };
    // A body that says something twice is refused, whatever it says.
    if (key === undefined || (received && received.repeated.length > 0))
      return send(answerWith(await declared.handle(await read())), form);

    const claim: KeyClaim = {
      organizationId: caller.organizationId,
      key,
      fingerprint: fingerprintOf({
        method,
        path: pathOf(request.url),
        ifMatch: request.headers["if-match"],
        body: received?.value,
      }),
      now: caller.clock.now(),
    };
    const { answer: answered, isReplay } = await idempotency.once(claim, context.db, async () => {
      const call = await read();
      const recordId = (content: unknown) => idOf(content) ?? idOf(call.params);
      return {
        ...(declared.isShared && {
          together: async () => {
            let known: { readonly record: object; readonly answer: KeyedAnswer } | undefined;
            const answerOf = (record: object) => {
              known = { record, answer: { ...answerWith(record), claim, recordId: recordId(record) } };
              return known.answer;
            };
            const content = await declared.handle({ ...call, shared: { answerOf } });
            if (known?.record !== content) throw new Error("what was stored is not what is answered");
            return known.answer;
          },
        }),
        alone: async (tx) => {
          const content = await declared.handle({ ...call, db: tx, shared: undefined });
          return { ...answerWith(content), claim, recordId: recordId(content) };
        },
      };
    });
    return send(answered, isReplay ? { ...form, status: answered.status, isReplay } : form);
  }

  scope.app.route({
    method: method === "GET" ? ["GET", "HEAD"] : method,
    url: address,
    onRequest: (request, _reply, done) => {
      // The router takes `/v1/clients/` for a client whose id is empty.
      if (declared.params && hasEmptyParameter(request.params)) return done(nothingHere());
      admit(request, (verdict) => {
        request.caller = verdict.caller ?? null;
        request.identity = verdict.caller ?? verdict.refused ?? null;
        request.rate = verdict.rate ?? null;
        if (verdict.refusal || method !== "GET") return done(verdict.refusal);
        const type = negotiate(request.headers.accept, download !== undefined);
        if (type === undefined) return done(new HttpError("only_json"));
        request.answerType = type;
        done();
      });
    },
    handler: (request, reply) => {
      // Only this scope's gate, called above, sets it.
      const caller = request.caller as Who | null;
      if (!caller) throw new Error("an operation was reached without passing its gate");
      const conditions = method === "POST" ? undefined : readConditions(request.headers);
      if (method !== "GET") return write(request, reply, caller, conditions);
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
        return sendDownload(request, reply, contextOf(caller, conditions), request.answerType, checkTag);
      }
      const known = cache.find(cacheKey(request, caller), version);
      if (!known) return answer(request, reply, caller, conditions);
      const { body, headers } = known;
      if (headers.etag !== undefined && isKnownToCaller(conditions, headers.etag)) {
        sender.sendNotModified(request, reply, form, headers.etag);
      } else sender.send(request, reply, form, body, headers);
      return undefined;
    },
  });
}

/** Versions repeat with other data in another past of the database. */
function cacheKey({ url }: FastifyRequest, { history, organizationId }: Caller): string {
  return history + organizationId + url;
}

function isKnownToCaller(conditions: Conditions | undefined, tag: string): boolean {
  return conditions !== undefined && isNotModified(conditions, tag);
}

/** Makes the tag that a record has when it is read by its id. */
function compileRecordTag(document: ApiDocument, schema: TSchema | undefined): (record: object) => string {
  const url = schemaUrl(document, schema);
  if (!schema || url === undefined) return () => "";
  const render = compileBody(schema, url);
  return (record) => recordTag(render(record));
}

function schemaUrl(document: ApiDocument, schema: TSchema | undefined): string | undefined {
  const name = schema && componentName(schema);
  return name === undefined ? undefined : document.schemaUrl(name);
}

export function componentName(schema: TSchema): string | undefined {
  return (schema as { $id?: string }).$id;
}

export function nothingHere(): Error {
  return refusal("nothing_here");
}

function compileLocation(template: string): (record: unknown) => string {
  return (record) =>
    template.replace(/\{(\w+)\}/g, (_all, name: string) =>
      encodeURIComponent(String((record as Record<string, unknown>)[name])),
    );
}

/** The id of a record, or among the parameters of a path. */
function idOf(value: unknown): string | undefined {
  return (value as { readonly id?: string } | undefined)?.id;
}

function pathOf(url: string): string {
  const end = url.indexOf("?");
  return end < 0 ? url : url.slice(0, end);
}

function hasEmptyParameter(params: unknown): boolean {
  for (const value of Object.values(params as Record<string, string>)) if (value === "") return true;
  return false;
}
