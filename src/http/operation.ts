import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Static, TObject, TSchema } from "typebox";
import { type AppError, type Fault, notFound } from "../core/errors.ts";
import { compileBody } from "../core/render.ts";
import type { AboutApi } from "./about-api.ts";
import type { ResponseCache } from "./cache.ts";
import { type Call, compileCall, type Input } from "./call.ts";
import { type Caller, type DataClass, type RateState, type Verdict, versionOf } from "./caller.ts";
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
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
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
  readonly handle: (call: Call<Who, Path, Query, Body, Facts>) => Promise<AnswerOf<Answer>>;
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
  const { admit, cache, document, sender } = scope;
  document.operations.push(declared as unknown as Operation);
  const { reads } = declared;
  const { status, schema, location } = declared.answer;
  const name = schema && componentName(schema);
  const url = name === undefined ? undefined : document.schemaUrl(name);
  const address = declared.path.replace(/\{(\w+)\}/g, ":$1");
  const link = url === undefined ? undefined : `<${url}>; rel="describedBy"`;
  const form: AnswerForm = { status, route: address, link };
  const render = schema && url !== undefined ? compileBody(schema, url) : undefined;
  const locate = location === undefined ? undefined : compileLocation(document.publicUrl + location);
  const opening = `{"$schema":${JSON.stringify(url)},`;
  const readCall = compileCall(declared);

  async function answer(request: FastifyRequest, reply: FastifyReply, caller: Who, store?: StoreBody) {
    const call = readCall(request, caller);
    const answered = await declared.handle(call instanceof Promise ? await call : call);
    if (answered instanceof ByteStream) {
      const { whole, pieces } = await gather(answered.write(opening));
      if (pieces) return sender.stream(request, reply, form, pieces);
      store?.(whole);
      return sender.send(request, reply, form, whole);
    }
    const text = render?.(answered);
    if (text !== undefined) store?.(text);
    return sender.sendText(request, reply, form, text, locate?.(answered));
  }

  scope.app.route({
    method: declared.method === "GET" ? ["GET", "HEAD"] : declared.method,
    url: address,
    onRequest: (request, _reply, done) => {
      // The router takes `/v1/clients/` for a client whose id is empty.
      if (declared.params && hasEmptyParameter(request.params)) return done(nothingHere());
      admit(request, (verdict) => {
        request.caller = verdict.caller ?? null;
        request.identity = verdict.caller ?? verdict.refused ?? null;
        request.rate = verdict.rate ?? null;
        done(verdict.refusal);
      });
    },
    handler: (request, reply) => {
      // Only this scope's gate, called above, sets it.
      const caller = request.caller as Who | null;
      if (!caller) throw new Error("an operation was reached without passing its gate");
      if (reads === undefined) return answer(request, reply, caller);
      const version = versionOf(caller, reads);
      const cacheKey = caller.organizationId + request.url;
      const known = cache.find(cacheKey, version);
      if (!known) return answer(request, reply, caller, (body) => cache.store(cacheKey, version, body));
      sender.send(request, reply, form, known);
      return undefined;
    },
  });
}

type StoreBody = (body: string | readonly Buffer[]) => void;

export function componentName(schema: TSchema): string | undefined {
  return (schema as { $id?: string }).$id;
}

export function nothingHere(): Error {
  return notFound("There is nothing at this address.");
}

function compileLocation(template: string): (record: unknown) => string {
  return (record) =>
    template.replace(/\{(\w+)\}/g, (_all, name: string) =>
      encodeURIComponent(String((record as Record<string, unknown>)[name])),
    );
}

function hasEmptyParameter(params: unknown): boolean {
  for (const value of Object.values(params as Record<string, string>)) if (value === "") return true;
  return false;
}
