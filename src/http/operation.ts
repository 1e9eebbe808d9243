import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Static, TObject, TSchema } from "typebox";
import { type ErrorKind, type Fault, invalid } from "../core/errors.ts";
import { compileCheck } from "../core/validation.ts";
import { readJson } from "./body.ts";
import type { ResponseCache } from "./cache.ts";
import type { Caller, RateState } from "./caller.ts";
import { compilePath, compileQuery } from "./parameters.ts";
import { compileBody } from "./render.ts";
import type { AnswerForm, Sender } from "./sending.ts";

/**
 * One operation of the API, declared once: from it come the route, the strict reading of path, query and
 * body, the type of what the handler is given, the text of the response and the OpenAPI description.
 */
export interface Operation<
  Path extends TObject = TObject,
  Query extends TObject = TObject,
  Body extends TObject = TObject,
  Answer extends TSchema = TSchema,
> {
  readonly operationId: string;
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** As OpenAPI writes it: `/v1/clients/{id}`. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly params?: Path;
  readonly query?: Query;
  /** Rules of the query as a whole, asked even if single parameters are at fault. */
  readonly queryRules?: (query: Partial<Static<Query>>) => Fault[];
  readonly body?: RequestBody<Body>;
  readonly answer: {
    readonly status: 200 | 201 | 204;
    readonly description: string;
    readonly schema?: Answer;
  };
  /** The failures it can answer beside those that every keyed operation can. */
  readonly errors?: readonly ErrorKind[];
  /** Which data its answer is made of. Given for reads: a computed body may then be sent again. */
  readonly reads?: "catalog" | "clients";
  readonly handle: (call: Call<Path, Query, Body>) => Promise<AnswerOf<Answer>>;
}

export interface RequestBody<Body extends TObject> {
  readonly schema: Body;
  readonly description: string;
  readonly example: Static<Body>;
  /** Brings a raw body into the form that is checked: trimmed, empty boxes dropped. */
  readonly tidy?: (raw: unknown) => unknown;
  /**
   * Rules beyond the schema. They are asked even if the schema found faults, so that all are reported at once:
   * nothing about the value may be taken for granted.
   */
  readonly rules?: (tidy: unknown, caller: Caller) => Promise<Fault[]>;
}

/** What a handler is given: everything in it has been checked. */
export interface Call<Path extends TObject, Query extends TObject, Body extends TObject> {
  readonly caller: Caller;
  readonly params: Static<Path>;
  readonly query: Static<Query>;
  readonly body: Static<Body>;
}

/** A record to be written by the answer's schema, or a body that writes itself. */
export type AnswerOf<Answer extends TSchema> = Static<Answer> | ByteStream;

/**
 * A body written piece by piece. Its first piece begins with the opening, which holds the `$schema` link. The memory of
 * a piece may be written to again when the next one is asked for.
 */
export class ByteStream {
  readonly write: (opening: string) => AsyncIterable<Buffer>;
  constructor(write: (opening: string) => AsyncIterable<Buffer>) {
    this.write = write;
  }
}

declare module "fastify" {
  interface FastifyRequest {
    caller: Caller | null;
    rate: RateState | null;
    /** By `performance.now()`. */
    arrivedAt: number;
    isRecorded: boolean;
  }
}

export interface OperationScope {
  readonly app: FastifyInstance;
  readonly schemaUrl: (name: string) => string;
  readonly cache: ResponseCache;
  readonly sender: Sender;
  /** Every operation registered so far, for the OpenAPI document. */
  readonly operations: Operation[];
}

/** Declares an operation and serves it. */
export function operation<
  Path extends TObject,
  Query extends TObject,
  Body extends TObject,
  Answer extends TSchema,
>(scope: OperationScope, declared: Operation<Path, Query, Body, Answer>): void {
  scope.operations.push(declared as unknown as Operation);
  const { sender, cache } = scope;
  const { reads } = declared;
  const { status, schema } = declared.answer;
  const name = schema && componentName(schema);
  const url = name === undefined ? undefined : scope.schemaUrl(name);
  const address = declared.path.replace(/\{(\w+)\}/g, ":$1");
  const link = url === undefined ? undefined : `<${url}>; rel="describedBy"`;
  const form: AnswerForm = { status, route: address, link };
  const render = schema && url !== undefined ? compileBody(schema, url) : undefined;
  const opening = `{"$schema":${JSON.stringify(url)},`;
  const readCall = compileCall(declared);

  async function answer(request: FastifyRequest, reply: FastifyReply, caller: Caller, keep?: Keep) {
    const call = readCall(request, caller);
    const answered = await declared.handle(call instanceof Promise ? await call : call);
    if (answered instanceof ByteStream) {
      const { whole, pieces } = await gather(answered.write(opening));
      if (pieces) return sender.stream(request, reply, form, pieces);
      keep?.(whole);
      return sender.send(request, reply, form, whole);
    }
    const text = render?.(answered);
    if (text !== undefined) keep?.(text);
    return sender.sendText(request, reply, form, text);
  }

  scope.app.route({
    method: declared.method === "GET" ? ["GET", "HEAD"] : declared.method,
    url: address,
    handler: (request, reply) => {
      const { caller } = request;
      if (!caller) throw new Error("a keyed operation was reached without passing the gate");
      if (reads === undefined) return answer(request, reply, caller, undefined);
      const version = reads === "clients" ? caller.clientsVersion : caller.catalogVersion;
      const cacheKey = caller.organizationId + request.url;
      const known = cache.find(cacheKey, version);
      if (!known) return answer(request, reply, caller, (body) => cache.keep(cacheKey, version, body));
      sender.send(request, reply, form, known);
      return undefined;
    },
  });
}

export function componentName(schema: TSchema): string | undefined {
  return (schema as { $id?: string }).$id;
}

/** Reads path, query and body of a request and throws with all their faults together; waits only for a body's rules. */
function compileCall<
  Path extends TObject,
  Query extends TObject,
  Body extends TObject,
  Answer extends TSchema,
>(declared: Operation<Path, Query, Body, Answer>) {
  type Read = Call<Path, Query, Body>;
  const readPath = declared.params && compilePath(declared.params);
  const readQuery = declared.query && compileQuery(declared.query);
  const { queryRules } = declared;
  const readBody = declared.body && compileBodyReader(declared.body);

  const toCall = (request: FastifyRequest, caller: Caller, body: ReadBody | undefined): Read => {
    const path = readPath?.(request.params);
    const query = readQuery?.(queryString(request.url));
    const broken = query && queryRules ? queryRules(query.value as Partial<Static<Query>>) : [];
    const faults = [...(path?.faults ?? []), ...(query?.faults ?? []), ...broken, ...(body?.faults ?? [])];
    if (faults.length > 0) throw invalid(faults);
    return {
      caller,
      params: (path?.value ?? {}) as Static<Path>,
      query: (query?.value ?? {}) as Static<Query>,
      body: (body?.value ?? {}) as Static<Body>,
    };
  };
  return (request: FastifyRequest, caller: Caller): Read | Promise<Read> =>
    readBody
      ? readBody(request, caller).then((body) => toCall(request, caller, body))
      : toCall(request, caller, undefined);
}

interface ReadBody {
  readonly value: unknown;
  readonly faults: readonly Fault[];
}

function compileBodyReader<Body extends TObject>(declared: RequestBody<Body>) {
  const check = compileCheck(declared.schema, "body");
  return async (request: FastifyRequest, caller: Caller): Promise<ReadBody> => {
    const raw = request.body instanceof Uint8Array ? request.body : new Uint8Array();
    const { value, repeated } = readJson(raw, request.headers["content-type"]);
    const tidy = declared.tidy ? declared.tidy(value) : value;
    const faults = [...repeated, ...check(tidy)];
    const atFault = new Set(faults.map(({ location }) => location));
    const broken = (await declared.rules?.(tidy, caller)) ?? [];
    return { value: tidy, faults: [...faults, ...broken.filter(({ location }) => !atFault.has(location))] };
  };
}

/** Short ones are gathered whole, so that they can be kept; of a long one the pieces are handed on. */
async function gather(
  pieces: AsyncIterable<Buffer>,
): Promise<{ whole: Buffer[]; pieces?: never } | { whole?: never; pieces: AsyncIterable<Buffer> }> {
  const iterator = pieces[Symbol.asyncIterator]();
  const begun: Buffer[] = [];
  for (let length = 0; length < STREAM_FROM_BYTES; ) {
    const next = await iterator.next();
    if (next.done) return { whole: begun };
    begun.push(Buffer.from(next.value));
    length += next.value.length;
  }
  return { pieces: following(begun, iterator) };
}

async function* following(begun: readonly Buffer[], rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* begun;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

type Keep = ((body: string | readonly Buffer[]) => void) | undefined;

const STREAM_FROM_BYTES = 1 << 18;

function queryString(url: string): string {
  const start = url.indexOf("?");
  return start < 0 ? "" : url.slice(start + 1);
}
