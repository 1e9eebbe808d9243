import type { EventLoopUtilization } from "node:perf_hooks";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Static, TObject, TSchema } from "typebox";
import type { DataClass, Snapshot } from "../core/data-snapshot.ts";
import type { AppError, Detail, Fault } from "../core/errors.ts";
import type { RecordedAnswer } from "../core/stored-answer.ts";
import type { DatabaseTimes, SharedDatabase } from "../db/database.ts";
import type { ProblemKind } from "../languages/http-refusals.ts";
import type { AboutApi } from "./about-api.ts";
import type { ResponseCache } from "./cache.ts";
import type { Call, CallContext, Input } from "./call.ts";
import type { Caller, RateState, Verdict } from "./caller.ts";
import type { Download, DownloadLimiter, RecordDownload } from "./downloads.ts";
import type { Idempotency } from "./idempotency.ts";
import type { LongAnswers } from "./long-answers.ts";
import type { MediaType } from "./negotiation.ts";
import type { Sender } from "./sending.ts";
import type { StallGuard } from "./stalls.ts";
import type { ByteStream } from "./streaming.ts";
import type { UploadLimiter } from "./uploads.ts";

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
  /** The classes of the names that `include=names` adds to it, beside those. */
  readonly readsForNames?: readonly DataClass[];
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
  /** For what another operation does better: it goes on to work, and says so. */
  readonly deprecated?: {
    /** From when on, as RFC 3339 writes it. */
    readonly since: string;
    /** A page that says what to use instead, after the public address. */
    readonly page: string;
  };
  /**
   * How long it keeps a caller waiting at the most, if that is longer than a connection may be silent. Its handler is then
   * told when the caller leaves.
   */
  readonly longestWaitMs?: number;
  /** The record whose tag the conditions of a write are compared with, if it is not what is answered. */
  readonly record?: TSchema;
  /**
   * A write that may be stored in one statement with those of other requests: what it answers is known before it is
   * stored. Its handler is then given `shared`, except inside a transaction.
   */
  readonly isShared?: boolean;
  /**
   * Whether a write can be repeated by its Idempotency-Key: all can if absent. Given as a function where it depends on the
   * body, which has not been checked.
   */
  readonly takesKey?: false | ((body: unknown) => boolean);
  /** How a repeated write is answered, if what is stored of its answer is not the text. */
  readonly repeat?: {
    readonly sourceOf: (content: Static<Answer>) => RecordedAnswer;
    readonly answer: (source: RecordedAnswer, call: CallContext<Who>) => Promise<Static<Answer>>;
  };
  /** Whether it is for callers whom nobody knows yet: the document then asks for no credential. */
  readonly isOpen?: boolean;
  /**
   * What a write must ask of others than the database, such as where a name leads. It is asked when nothing is wrong with the
   * input and before a transaction is open: nobody holds a connection for as long as a stranger takes to answer.
   */
  readonly prepare?: (call: Pick<Call<Who, Path, Query, Body, Facts>, "caller" | "body">) => Promise<void>;
  readonly handle: (
    call: Call<Who, Path, Query, Body, Facts>,
  ) => Promise<AnswerOf<Answer> | Snapshot<AnswerOf<Answer>> | WithHeaders<Static<Answer>>>;
}

/** What a write answers, with headers beside those that every answer has: names and values in turn. */
export class WithHeaders<Content> {
  readonly content: Content;
  readonly headers: readonly string[];

  constructor(content: Content, headers: readonly string[]) {
    this.content = content;
    this.headers = headers;
  }
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
  readonly downloads: DownloadLimiter;
  /** Records who takes a list as a file. The first byte of the file waits for it. */
  readonly recordDownload: RecordDownload;
  /** A cursor of the change feed for who takes a list as a file, if the scope has a feed. */
  readonly feedCursor?: (caller: Caller) => Promise<string>;
  readonly uploads: UploadLimiter;
  readonly longAnswers: LongAnswers;
  readonly stalls: StallGuard;
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

/** What is recorded of a refusal. */
export interface RecordedRefusal {
  readonly kind: ProblemKind;
  readonly detail?: Pick<Detail, "code"> | undefined;
}

declare module "fastify" {
  interface FastifyRequest {
    /** The caller that the scope of the operation has admitted. */
    caller: Caller | null;
    /** Whose credential was presented, admitted or not: for the log. */
    identity: Caller | null;
    /** What was wrong with the request, if that is why it was refused: for the log. */
    faults: readonly Fault[] | null;
    /** Why it was refused: for the log. */
    refusal: RecordedRefusal | null;
    /** Absent where there is none. */
    operationId: string | null;
    rate: RateState | null;
    /** The form in which the caller wants what is read. */
    answerType: MediaType;
    /** By `performance.now()`. */
    arrivedAt: number;
    /** What of its time was spent on the database, as far as it was spent for this request alone: for the log. */
    times: DatabaseTimes | null;
    /** Whether it lasts as long as the caller wants, by waiting for news or for a file: how long says nothing then. */
    isLong: boolean;
    /** How busy the event loop had been when it arrived. */
    loopBefore: EventLoopUtilization | null;
    isRecorded: boolean;
  }
}

export function componentName(schema: TSchema): string | undefined {
  return (schema as { $id?: string }).$id;
}
