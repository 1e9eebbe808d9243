import type { FastifyRequest } from "fastify";
import type { Static, TObject } from "typebox";
import { type Fault, invalid } from "../core/errors.ts";
import type { Precondition } from "../core/precondition.ts";
import type { KeyClaim, SharedWrite } from "../core/stored-answer.ts";
import { compileCheck } from "../core/validation.ts";
import type { Database } from "../db/database.ts";
import { chooseLanguage } from "../languages/accept-language.ts";
import type { Language } from "../languages/dictionary.ts";
import { JSON_ALONE, readJson, refuseBody } from "./body.ts";
import type { Caller } from "./caller.ts";
import { type ListPaging, withAnyCursor } from "./paging.ts";
import { compilePath, compileQuery, type ParametersWithoutEffect, queryString } from "./parameters.ts";
import type { UploadedFile } from "./uploads.ts";

/** What an operation takes. */
export interface Input<
  Who extends Caller,
  Path extends TObject = TObject,
  Query extends TObject = TObject,
  Body extends TObject = TObject,
  Facts = undefined,
> {
  readonly params?: Path;
  readonly query?: Query;
  /** Parameters that are accepted beside those. */
  readonly withoutEffect?: ParametersWithoutEffect;
  /** Rules of the query as a whole. They run even if single parameters are invalid. */
  readonly queryRules?: (query: Partial<Static<Query>>) => Fault[];
  readonly body?: RequestBody<Body, Who, Facts>;
  /**
   * Faults of a body that depend on the record which it changes. The handler finds them, under the lock of the record. But a
   * request that is refused for other faults does not get there, so they are asked for here: all are reported at once.
   */
  readonly recordFaults?: (
    refused: Pick<Call<Who, Path, Query, Body, Facts>, "caller" | "params" | "facts"> & {
      /** As `rules` get it: nothing about it may be taken for granted. */
      readonly tidy: unknown;
    },
  ) => Promise<readonly Fault[]>;
}

export interface RequestBody<Body extends TObject, Who extends Caller = Caller, Facts = undefined> {
  readonly schema: Body;
  readonly description: string;
  readonly example: Static<Body>;
  /** What it may be sent as, if not as `application/json` alone. */
  readonly mediaTypes?: readonly string[];
  /**
   * A file that comes with it. The request is then a form (`multipart/form-data`) with two parts: the body as `input`, and
   * the bytes as `file`.
   */
  readonly file?: { readonly description: string };
  /** Brings a raw body into the form that is checked: trimmed, empty boxes dropped. */
  readonly tidy?: (raw: unknown) => unknown;
  /**
   * Rules beyond the schema. They run even if the schema found faults, so that all are reported at once:
   * nothing about the value may be taken for granted. The facts they used are handed to the handler, so that a
   * request is carried out by what it was checked against.
   */
  readonly rules?: (tidy: unknown, caller: Who) => Promise<RuleFindings<Facts>>;
}

export interface RuleFindings<Facts> {
  readonly faults: readonly Fault[];
  readonly facts: Facts;
}

/** What a handler is given: everything in it has been checked. */
export interface Call<
  Who extends Caller,
  Path extends TObject,
  Query extends TObject,
  Body extends TObject,
  Facts = undefined,
> {
  readonly caller: Who;
  /** What its answer is marked with: the `X-Request-Id` of the caller, or one that was made. */
  readonly requestId: string;
  /** The database on behalf of the caller's organization; with an Idempotency-Key, the transaction that has claimed it. */
  readonly db: Database;
  /** The key that `db` has claimed, if it has: for an operation that stores the request with what it writes. */
  readonly claim?: KeyClaim | undefined;
  /** Given if the operation may store its write in one statement with those of other requests. */
  readonly shared: SharedWrite | undefined;
  /** What the caller demands of the record that the operation changes. */
  readonly precondition: Precondition;
  /** Aborted when the caller leaves; given to an operation that keeps callers waiting. */
  readonly left?: AbortSignal | undefined;
  readonly params: Static<Path>;
  readonly query: Static<Query>;
  readonly body: Static<Body>;
  /** What the rules of the body were checked against. */
  readonly facts: Facts;
  /** What came with the body, if the operation takes a file. */
  readonly file: UploadedFile | undefined;
  /** The language that the caller reads, for answers that have sentences. */
  readonly language: () => Language;
}

/** What a call has beside its input. */
export type CallContext<Who extends Caller> = Pick<
  Call<Who, TObject, TObject, TObject>,
  "caller" | "db" | "shared" | "precondition"
>;

/** The body of a request as JSON, not checked yet. */
export interface ReceivedBody {
  readonly value: unknown;
  /** Members that are given twice: then the value is not all that was said. */
  readonly repeated: readonly Fault[];
  readonly file?: UploadedFile | undefined;
  /** What the request is refused with unless it has been answered before. */
  readonly refusal?: Error | undefined;
}

/** Reads requests in two steps: an answer that is stored already depends on the first alone. */
export function compileCall<
  Who extends Caller,
  Path extends TObject,
  Query extends TObject,
  Body extends TObject,
  Facts,
>(input: Input<Who, Path, Query, Body, Facts>, paging?: ListPaging) {
  type Read = Call<Who, Path, Query, Body, Facts>;
  const readPath = input.params && compilePath(input.params);
  const readQuery = compileQuery(
    paging && input.query ? withAnyCursor(input.query) : input.query,
    input.withoutEffect,
  );
  const { queryRules, recordFaults } = input;
  const checkBody = input.body && compileBodyCheck(input.body);
  const mediaTypes = input.body?.mediaTypes ?? JSON_ALONE;

  const toCall = (
    request: FastifyRequest,
    context: CallContext<Who>,
    headers: readonly Fault[],
    body: CheckedBody<Facts> | undefined,
  ): Read | Promise<Read> => {
    const path = readPath?.(request.params);
    const query = readQuery(queryString(request.url));
    const broken = queryRules ? queryRules(query.value as Partial<Static<Query>>) : [];
    const misplaced = paging ? paging.readCursor(request.url, query) : [];
    const faults = [
      ...headers,
      ...(path?.faults ?? []),
      ...query.faults,
      ...misplaced,
      ...broken,
      ...(body?.faults ?? []),
    ];
    if (faults.length > 0) {
      if (!recordFaults || !body || (path && path.faults.length > 0)) throw invalid(faults);
      return recordFaults({
        caller: context.caller,
        params: (path?.value ?? {}) as Static<Path>,
        facts: body.facts as Facts,
        tidy: body.value,
      }).then((found) => {
        throw invalid(withFurther(faults, found));
      });
    }
    return {
      caller: context.caller,
      requestId: request.id,
      // Most reads are looked up together and never ask for it.
      get db() {
        return context.db;
      },
      shared: context.shared,
      precondition: context.precondition,
      params: (path?.value ?? {}) as Static<Path>,
      query: query.value as Static<Query>,
      body: (body?.value ?? {}) as Static<Body>,
      facts: body?.facts as Facts,
      file: body?.file,
      language: () => chooseLanguage(request.headers["accept-language"]),
    };
  };
  return {
    /** The body as JSON, undefined if the operation takes none. Throws if it cannot be read. */
    receive(request: FastifyRequest): ReceivedBody | undefined {
      if (checkBody) {
        const raw = request.body instanceof Uint8Array ? request.body : new Uint8Array();
        return readJson(raw, request.headers, mediaTypes);
      }
      refuseBody(request.body);
      return undefined;
    },
    /** Reads path, query and body, and throws with all faults together; waits only for a body's rules. */
    read(
      request: FastifyRequest,
      received: ReceivedBody | undefined,
      context: CallContext<Who>,
      headerFaults: readonly Fault[] = NO_FAULTS,
    ): Read | Promise<Read> {
      if (!checkBody || !received) return toCall(request, context, headerFaults, undefined);
      return checkBody(received, context.caller).then((body) => toCall(request, context, headerFaults, body));
    },
  };
}

const NO_FAULTS: readonly Fault[] = [];

interface CheckedBody<Facts> {
  readonly value: unknown;
  readonly faults: readonly Fault[];
  readonly facts: Facts | undefined;
  readonly file: UploadedFile | undefined;
}

function compileBodyCheck<Body extends TObject, Who extends Caller, Facts>(
  declared: RequestBody<Body, Who, Facts>,
) {
  const check = compileCheck(declared.schema, declared.file ? "body.input" : "body");
  return async ({ value, repeated, file }: ReceivedBody, caller: Who): Promise<CheckedBody<Facts>> => {
    const tidy = declared.tidy ? declared.tidy(value) : value;
    const shape = [...repeated, ...check(tidy)];
    if (!declared.rules) return { value: tidy, faults: shape, facts: undefined, file };
    const { faults, facts } = await declared.rules(tidy, caller);
    return { value: tidy, faults: withFurther(shape, faults), facts, file };
  };
}

/** Faults and those found after them, but for places that are known to be wrong already. */
function withFurther(faults: readonly Fault[], further: readonly Fault[]): readonly Fault[] {
  if (faults.length === 0) return further;
  const faulty = new Set(faults.map(({ location }) => location));
  return [...faults, ...further.filter(({ location }) => !faulty.has(location))];
}
