import type { FastifyReply, FastifyRequest } from "fastify";
import { Snapshot } from "../core/data-snapshot.ts";
import type { KeyClaim, KeyedAnswer, StoredAnswer } from "../core/stored-answer.ts";
import type { AnswerText } from "./answer-text.ts";
import { type CallContext, compileCall, type ReceivedBody } from "./call.ts";
import type { Caller } from "./caller.ts";
import {
  type Conditions,
  checkWrite,
  preconditionRequired,
  readConditions,
  requiresIfMatch,
} from "./conditions.ts";
import { type Operation, type OperationScope, WithHeaders } from "./declaration.ts";
import { recordTag } from "./entity-tags.ts";
import { fingerprintOf, readKeyHeader } from "./idempotency-key.ts";
import type { AnswerForm } from "./sending.ts";
import { ByteStream, inTurns } from "./streaming.ts";

/** Carries out the requests of an operation that writes, each with an Idempotency-Key once. */
export function compileWrite<Who extends Caller>(
  scope: OperationScope<Who>,
  declared: Operation<Who>,
  { form, link, render, renderLong, locate, recordTag: recordTagOf }: AnswerText,
) {
  const { sender, db, idempotency } = scope;
  const { method, etag, repeat, takesKey } = declared;
  const { status } = form;
  const input = compileCall(declared);
  const isIfMatchRequired = scope.requiresIfMatch && requiresIfMatch(method);

  const contextOf = (
    { times }: FastifyRequest,
    caller: Who,
    conditions: Conditions | undefined,
  ): CallContext<Who> => ({
    caller,
    get db() {
      return db.for(caller.organizationId, times ?? undefined);
    },
    shared: declared.isShared ? {} : undefined,
    precondition: {
      isGiven: conditions !== undefined || isIfMatchRequired,
      check: (current, isUnchanged) => {
        if (isIfMatchRequired && conditions?.ifMatch === undefined) throw preconditionRequired();
        if (conditions) checkWrite(conditions, recordTagOf(current), isUnchanged);
      },
    },
  });

  /** What a write answers with this record, or with none. Of what is stored or tagged the whole text is needed. */
  const answerWith = (content: unknown): StoredAnswer => {
    if (content instanceof ByteStream || content instanceof Snapshot || content instanceof WithHeaders)
      throw new Error("a write answers with one record");
    const body = (repeat && etag === undefined ? renderLong : render)?.(content);
    return {
      status,
      body,
      etag: etag === "record" && typeof body === "string" ? recordTag(body) : undefined,
      location: body === undefined ? undefined : locate?.(content),
    };
  };

  const carryOut = async (
    request: FastifyRequest,
    reply: FastifyReply,
    caller: Who,
    received: ReceivedBody | undefined,
  ): Promise<void> => {
    // What is made has no tag yet.
    const conditions = method === "POST" ? undefined : readConditions(request.headers);
    const isKeyed = typeof takesKey === "function" ? takesKey(received?.value) : takesKey !== false;
    const { key, faults } = isKeyed
      ? readKeyHeader(request.headers["idempotency-key"], idempotency.isRequired, idempotency.keyForm)
      : UNKEYED;
    const context = contextOf(request, caller, conditions);
    const headerFaults = conditions ? [...conditions.faults, ...faults] : faults;
    const read = async () => {
      const call = await input.read(request, received, context, headerFaults);
      await declared.prepare?.(call);
      return call;
    };
    // By then its key is known to be new: a repeated request is answered, whatever it would be refused with.
    const handle = (call: Awaited<ReturnType<typeof read>>) => {
      if (received?.refusal) throw received.refusal;
      return declared.handle(call);
    };
    const send = (answered: StoredAnswer, sentForm: AnswerForm, more?: readonly string[]) => {
      const { body, etag: tag, location } = answered;
      const headers = { etag: tag, link, more };
      if (body === undefined || typeof body === "string")
        return sender.sendText(request, reply, sentForm, body, headers, location);
      return sender.stream(request, reply, sentForm, inTurns(body), headers);
    };
    // A body that says something twice is refused, whatever it says.
    if (key === undefined || (received && received.repeated.length > 0)) {
      const handled = await handle(await read());
      return handled instanceof WithHeaders
        ? send(answerWith(handled.content), form, handled.headers)
        : send(answerWith(handled), form);
    }

    const claim: KeyClaim = {
      organizationId: caller.organizationId,
      owner: idempotency.isPersonal ? caller.actor.name : "",
      key,
      fingerprint: fingerprintOf({
        method,
        path: pathOf(request.url),
        ifMatch: request.headers["if-match"],
        body: received?.file ? { input: received.value, file: received.file.hash } : received?.value,
      }),
      now: caller.clock.now(),
    };
    const { answer: answered, isReplay } = await idempotency.once(claim, context.db, async () => {
      const call = await read();
      const recordId = (content: unknown) => idOf(content) ?? idOf(call.params);
      return {
        hasFile: received?.file !== undefined,
        ...(declared.isShared && {
          together: async () => {
            const known = new Map<unknown, KeyedAnswer>();
            const answerOf = (record: object) => {
              const answer = { ...answerWith(record), claim, recordId: recordId(record) };
              known.set(record, answer);
              return answer;
            };
            const stored = known.get(await handle({ ...call, shared: { answerOf } }));
            if (!stored) throw new Error("what was stored is not what is answered");
            return stored;
          },
        }),
        alone: async (tx) => {
          const content = await handle({ ...call, db: tx, claim, shared: undefined });
          const source = repeat?.sourceOf(content);
          return { ...answerWith(content), claim, recordId: recordId(content), source };
        },
      };
    });
    if (!isReplay) return send(answered, form);
    // Also for who waited for the first request here: its text may have what is shown once.
    const again =
      repeat && answered.source ? answerWith(await repeat.answer(answered.source, context)) : answered;
    return send(again, { ...form, status: again.status, isReplay });
  };

  if (!declared.body?.file)
    return async (request: FastifyRequest, reply: FastifyReply, caller: Who): Promise<void> =>
      carryOut(request, reply, caller, input.receive(request));
  return (request: FastifyRequest, reply: FastifyReply, caller: Who): Promise<void> =>
    scope.uploads.run(request, reply, caller, (received) => carryOut(request, reply, caller, received));
}

const UNKEYED = { key: undefined, faults: [] };

/** The id of a record, or among the parameters of a path. */
function idOf(value: unknown): string | undefined {
  return (value as { readonly id?: string } | undefined)?.id;
}

function pathOf(url: string): string {
  const end = url.indexOf("?");
  return end < 0 ? url : url.slice(0, end);
}
