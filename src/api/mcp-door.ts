import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { AppError, refusal } from "../core/errors.ts";
import { MAX_BODY_VALUES } from "../core/limits.ts";
import { noteStep } from "../core/steps.ts";
import { JSON_ALONE, readJson } from "../http/body.ts";
import type { Verdict } from "../http/caller.ts";
import type { ApiDocument } from "../http/declaration.ts";
import { HttpError } from "../http/http-error.ts";
import { type AnsweredCall, AnswerTooLong, InnerCalls } from "../http/inner-calls.ts";
import { negotiate } from "../http/negotiation.ts";
import { problemReply } from "../http/problem.ts";
import type { Sender } from "../http/sending.ts";
import { CatalogNames } from "../sync/mcp/catalog-names.ts";
import { guidesOf } from "../sync/mcp/guides.ts";
import { answerMessage } from "../sync/mcp/mcp-server.ts";
import { type AskedOperation, type PlainJson, ToolFailure, tooLong } from "../sync/mcp/operation-calls.ts";
import type { ToolContext } from "../sync/mcp/tool.ts";
import { makeTools } from "../sync/mcp/tools.ts";
import type { ApiCaller } from "./gate.ts";

/** Where assistants read, and where they also write. Whoever connects one sees by the address what it may do. */
export const MCP_READ = "/mcp";
export const MCP_WRITE = "/mcp/write";

export interface McpDoor {
  readonly app: FastifyInstance;
  readonly sender: Sender;
  readonly version: string;
  readonly publicUrl: string;
  /** Websites whose pages may call, beside those of the public address. */
  readonly origins: readonly string[];
  readonly admit: (request: FastifyRequest, decide: (verdict: Verdict<ApiCaller>) => void) => void;
  /** An empty document with the public one's addresses. */
  readonly newDocument: () => ApiDocument;
  /** Declares the operations of the API; those that keep nothing are for dry runs. */
  readonly declare: (calls: InnerCalls<ApiCaller>, keepsNothing: boolean) => void;
  /** Called for what a tool itself refused, and for each operation that it called, but for a dry run that succeeded. */
  readonly onAnswered: (caller: ApiCaller, answered: AnsweredCall) => void;
  readonly onDefect: (requestId: string, error: unknown) => void;
}

/** An answer that is longer fills no model's memory any better; a list of all locations of a chain is shorter. */
const MAX_ANSWER_BYTES = 2 * 1024 * 1024;

export function registerMcp(door: McpDoor): void {
  const { app, sender, version, publicUrl, admit, onDefect } = door;
  const origins = new Set([new URL(publicUrl).origin, ...door.origins]);
  // To declare the operations once more takes some time, which a server without assistants need not spend.
  let opened: ReturnType<typeof openTools> | undefined;

  const answer = async (request: FastifyRequest, reply: FastifyReply, caller: ApiCaller, writes: boolean) => {
    opened ??= openTools(door);
    const { tools, document } = opened;
    const read = readMessage(request);
    const answered =
      read.refusal ??
      (await answerMessage(
        {
          headers: plainHeaders(request),
          message: read.message,
          tools: writes ? [...tools.reading, ...tools.writing] : tools.reading,
          context: contextOf(door, request, caller, opened),
          problemOfDefect: (error) => {
            onDefect(request.id, error);
            return problemOf(error, document, request.id);
          },
        },
        { version, publicUrl },
      ));
    const form = {
      status: answered.status,
      route: writes ? MCP_WRITE : MCP_READ,
      vary: undefined,
      isKept: false,
    };
    sender.sendText(request, reply, form, answered.body, {}, undefined);
  };

  for (const writes of [false, true])
    app.route({
      method: "POST",
      url: writes ? MCP_WRITE : MCP_READ,
      onRequest: (request, _reply, done) => {
        request.operationId = "mcp";
        const { origin } = request.headers;
        // A page that somebody visits must not speak to a server on that person's machine.
        if (origin !== undefined && !origins.has(origin)) return done(refusal("origin_unknown"));
        admit(request, (verdict) => {
          noteStep(request.times ?? undefined, "gate", request.arrivedAt, verdict.refusal !== undefined);
          request.caller = verdict.caller ?? null;
          request.identity = verdict.caller ?? verdict.refused ?? null;
          request.rate = verdict.rate ?? null;
          if (verdict.refusal) return done(verdict.refusal);
          done(negotiate(request.headers.accept, []) === undefined ? new HttpError("only_json") : undefined);
        });
      },
      handler: (request, reply) => {
        // Only the gate, called above, sets it.
        const caller = request.caller as ApiCaller | null;
        if (!caller) throw new Error("an assistant was answered without passing the gate");
        return answer(request, reply, caller, writes);
      },
    });
}

function openTools(door: McpDoor) {
  const open = (keepsNothing: boolean) => {
    const document = door.newDocument();
    const { onDefect, onAnswered } = door;
    const calls = new InnerCalls<ApiCaller>({
      document,
      maxBytes: MAX_ANSWER_BYTES,
      onDefect,
      onAnswered: (caller, answered) => {
        if (!keepsNothing || answered.status >= 400) onAnswered(caller, answered);
      },
    });
    door.declare(calls, keepsNothing);
    return { calls, document };
  };
  const { calls, document } = open(false);
  const dry = open(true).calls;
  const ask = async (
    request: FastifyRequest,
    caller: ApiCaller,
    operationId: string,
    { dryRun, ...asked }: AskedOperation,
  ): Promise<PlainJson> => {
    const { status, body = {} } = await (dryRun ? dry : calls).call(operationId, caller, request, asked);
    if (status >= 400) throw new ToolFailure(body);
    return body;
  };
  return { tools: makeTools(calls.operations), document, ask, guides: guidesOf(door.publicUrl) };
}

function contextOf(
  { onAnswered }: McpDoor,
  request: FastifyRequest,
  caller: ApiCaller,
  { ask, document, guides }: ReturnType<typeof openTools>,
): ToolContext {
  const calls = {
    ask: (operationId: string, asked: AskedOperation = {}) =>
      ask(request, caller, operationId, asked).catch((error: unknown) => {
        if (!(error instanceof AnswerTooLong)) throw error;
        throw tooLong(
          "There is far more than can be told.",
          "ask for less: a shorter window, or only one location.",
        );
      }),
  };
  return {
    calls,
    names: new CatalogNames(calls),
    guides,
    now: () => caller.clock.now(),
    refuse: (error, advice) => new ToolFailure(problemOf(error, document, request.id), advice, error),
    onRefused: (operationId, refusal, milliseconds) => {
      const { status } = problemReply(refusal, document, { requestId: request.id });
      onAnswered(caller, { operationId, requestId: request.id, status, milliseconds, refusal });
    },
  };
}

function problemOf(error: unknown, document: ApiDocument, requestId: string): PlainJson {
  return JSON.parse(problemReply(error, document, { requestId }).body) as PlainJson;
}

/** The message of a request. What is no JSON is told as the protocol tells it. */
function readMessage(request: FastifyRequest) {
  const body = request.body instanceof Uint8Array ? request.body : new Uint8Array();
  try {
    const { value, repeated } = readJson(body, request.headers, JSON_ALONE);
    if (repeated.length === 0) return { message: value };
    return { refusal: rpcRefusal(-32600, "A member of the message is given twice.") };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.kind === "malformed"
      ? { refusal: rpcRefusal(-32700, "The message is not JSON.") }
      : {
          refusal: rpcRefusal(
            -32600,
            `The message is nested too deep, or has more than ${MAX_BODY_VALUES} values.`,
          ),
        };
  }
}

function rpcRefusal(code: number, message: string) {
  return { status: 400, body: JSON.stringify({ jsonrpc: "2.0", id: null, error: { code, message } }) };
}

/** The headers that the protocol is about. */
function plainHeaders({ headers }: FastifyRequest): Record<string, string> {
  const kept = ["content-type", "mcp-protocol-version", "mcp-method", "mcp-name"];
  return Object.fromEntries(
    kept.flatMap((name) => {
      const value = headers[name];
      return typeof value === "string" ? [[name, value]] : [];
    }),
  );
}
