import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import type { AppError } from "../core/errors.ts";
import { JSON_ALONE } from "./body.ts";
import type { CachedBody } from "./cache.ts";
import type { Caller } from "./caller.ts";
import type { ApiDocument, Operation, OperationScope } from "./declaration.ts";
import type { HttpError } from "./http-error.ts";
import { type ProblemReply, problemReply, toKnownError } from "./problem.ts";
import { type AnswerForm, Sender } from "./sending.ts";

/** What an operation is asked for, as a request would ask it. */
export interface InnerCall {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly idempotencyKey?: string | undefined;
}

export interface InnerAnswer {
  readonly status: number;
  /** The record, or the problem. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

/** An operation that was called, and how it ended. */
export interface AnsweredCall {
  readonly operationId: string;
  readonly requestId: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly refusal?: AppError | HttpError | undefined;
}

/** Thrown where an answer is longer than whoever asked can use. Nothing more of it is then computed. */
export class AnswerTooLong extends Error {}

/**
 * Operations that are called from within the server, for a caller who has been let in already. They are declared as at any
 * other door, and read, check, cache and record as there; only the connection is missing.
 */
export class InnerCalls<Who extends Caller> {
  readonly #document: ApiDocument;
  readonly #maxBytes: number;
  readonly #onDefect: (requestId: string, error: unknown) => void;
  readonly #onAnswered: ((caller: Who, answered: AnsweredCall) => void) | undefined;
  readonly #routes = new Map<string, { readonly declared: Operation; readonly route: RouteOptions }>();
  readonly #callers = new WeakMap<FastifyRequest, Who>();
  readonly #sender = new GatheringSender();

  constructor(options: {
    /** A document of its own, with the addresses of the public one. */
    readonly document: ApiDocument;
    readonly maxBytes: number;
    /** Called with errors that are no refusals. */
    readonly onDefect: (requestId: string, error: unknown) => void;
    readonly onAnswered?: (caller: Who, answered: AnsweredCall) => void;
  }) {
    this.#document = options.document;
    this.#maxBytes = options.maxBytes;
    this.#onDefect = options.onDefect;
    this.#onAnswered = options.onAnswered;
  }

  /** What a scope has that declares its operations here. */
  scopeParts(): Pick<OperationScope<Who>, "app" | "admit" | "document" | "sender"> {
    const app: Pick<FastifyInstance, "route"> = {
      route: (route) => {
        const declared = this.#document.operations.at(-1);
        if (declared)
          this.#routes.set(declared.operationId, { declared, route: route as unknown as RouteOptions });
        return this as never;
      },
    };
    return {
      app: app as FastifyInstance,
      document: this.#document,
      sender: this.#sender,
      admit: (request, decide) => {
        const caller = this.#callers.get(request);
        if (!caller) throw new Error("an inner call has no caller");
        decide({ caller, rate: undefined });
      },
    };
  }

  /** The operations as they are declared, in that order. */
  get operations(): readonly Operation[] {
    return this.#document.operations;
  }

  /** Carries out an operation. A refusal is an answer, as over HTTP. */
  async call(
    operationId: string,
    caller: Who,
    outer: Pick<FastifyRequest, "id" | "times">,
    { params = {}, query = {}, body, idempotencyKey }: InnerCall,
  ): Promise<InnerAnswer> {
    const found = this.#routes.get(operationId);
    if (!found) throw new Error(`there is no operation ${operationId}`);
    const { declared, route } = found;
    const gathered = new Gathered(this.#maxBytes);
    const search = new URLSearchParams(query).toString();
    const path = declared.path.replace(/\{(\w+)\}/g, (_all, name: string) =>
      encodeURIComponent(params[name] ?? ""),
    );
    const [mediaType] = declared.body?.mediaTypes ?? JSON_ALONE;
    const request = {
      id: outer.id,
      method: declared.method,
      url: search === "" ? path : `${path}?${search}`,
      params,
      headers: {
        ...(body !== undefined && { "content-type": mediaType }),
        ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
      },
      body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
      times: outer.times,
      answerType: "application/json",
      arrivedAt: performance.now(),
      caller: null,
      identity: null,
      rate: null,
      isLong: false,
    } as unknown as FastifyRequest;
    this.#callers.set(request, caller);
    const reply = { raw: gathered } as unknown as FastifyReply;
    const answered = (status: number, refusal?: AppError | HttpError) =>
      this.#onAnswered?.(caller, {
        operationId,
        requestId: outer.id,
        status,
        milliseconds: performance.now() - request.arrivedAt,
        refusal,
      });
    try {
      await admitted(route, request, reply);
      await (route.handler as (request: FastifyRequest, reply: FastifyReply) => unknown)(request, reply);
    } catch (error) {
      if (error instanceof AnswerTooLong) throw error;
      const known = toKnownError(error);
      const refused = this.#refuse(known, outer.id);
      answered(refused.status, known);
      return refused;
    }
    const answer = gathered.answer();
    answered(answer.status);
    return answer;
  }

  #refuse(known: AppError | HttpError, requestId: string): InnerAnswer {
    if (known.kind === "internal") this.#onDefect(requestId, known.cause ?? known);
    const problem: ProblemReply = problemReply(known, this.#document, { requestId });
    return { status: problem.status, body: JSON.parse(problem.body) };
  }
}

/** Lets the caller in, or throws what refuses the call. */
function admitted(route: RouteOptions, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  return new Promise((resolve, reject) => {
    const hook = route.onRequest as (
      request: FastifyRequest,
      reply: FastifyReply,
      done: (error?: Error) => void,
    ) => void;
    hook(request, reply, (error) => (error ? reject(error) : resolve()));
  });
}

/** Stands where a connection would. */
class Gathered {
  status = 0;
  headersSent = false;
  destroyed = false;
  readonly socket = null;
  readonly #pieces: Buffer[] = [];
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Nobody leaves. */
  once(): void {}
  off(): void {}

  take(piece: Buffer): void {
    this.#bytes += piece.length;
    if (this.#bytes > this.#maxBytes) throw new AnswerTooLong("an answer is longer than can be used");
    this.#pieces.push(piece);
  }

  answer(): InnerAnswer {
    if (this.status === 0) throw new Error("an operation has not answered");
    const text = Buffer.concat(this.#pieces).toString();
    return { status: this.status, body: text === "" ? undefined : JSON.parse(text) };
  }
}

/** Keeps answers instead of sending them. Whoever called records the request as a whole. */
class GatheringSender extends Sender {
  constructor() {
    super({ policy: undefined, isDraining: () => false, recordResponse: () => {}, onError: () => {} });
  }

  override sendText(_request: FastifyRequest, reply: FastifyReply, form: AnswerForm, text?: string): void {
    const gathered = begin(reply, form);
    if (text !== undefined) gathered.take(Buffer.from(text));
  }

  override send(
    _request: FastifyRequest,
    reply: FastifyReply,
    form: AnswerForm,
    body: CachedBody | readonly Buffer[],
  ): void {
    const gathered = begin(reply, form);
    if (typeof body === "string") gathered.take(Buffer.from(body, "latin1"));
    else if (Buffer.isBuffer(body)) gathered.take(body);
    else for (const piece of body) gathered.take(piece);
  }

  override async stream(
    _request: FastifyRequest,
    reply: FastifyReply,
    form: AnswerForm,
    pieces: AsyncIterable<Buffer>,
  ): Promise<void> {
    const gathered = begin(reply, form);
    // The memory of a piece may be written to again.
    for await (const piece of pieces) gathered.take(Buffer.from(piece));
  }
}

function begin(reply: FastifyReply, { status }: AnswerForm): Gathered {
  const gathered = reply.raw as unknown as Gathered;
  gathered.status = status;
  gathered.headersSent = true;
  return gathered;
}
