import type { Readable, Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";

/** The Model Context Protocol over standard input and output, one message a line, forwarded to a server's address. */

export interface Forwarding {
  readonly address: string;
  readonly key: string;
  /** Aborted when the program is to end. */
  readonly signal: AbortSignal;
  readonly input: Readable;
  readonly output: Writable;
}

interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly uri?: string;
    readonly protocolVersion?: string;
    readonly _meta?: Readonly<Record<string, unknown>>;
  };
}

/** Longer messages the server refuses. */
const MAX_LINE = 1024 * 1024;
const ANSWER_MS = 60_000;
const VERSION_IN_MESSAGE = "io.modelcontextprotocol/protocolVersion";
const FAILED = -32603;

/** Forwards messages until the input ends or the program is to end. Each is answered, whatever goes wrong. */
export async function forwardMessages({ address, key, signal, input, output }: Forwarding): Promise<void> {
  /** The revision that an older assistant has agreed on, for its later messages. */
  let agreed: string | undefined;
  const underWay = new Set<Promise<void>>();
  const write = (message: object) => {
    if (!output.writableEnded) output.write(`${JSON.stringify(message)}\n`);
  };

  const forward = async (line: string): Promise<void> => {
    const message = parse(line);
    if (message === undefined) return write(failure(null, -32700, "The line is not a message in JSON."));
    const id = message.id;
    try {
      const response = await fetch(address, {
        method: "POST",
        headers: { ...headersOf(message, agreed), authorization: `Bearer ${key}` },
        body: line,
        signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
        // A key is sent nowhere but to the address that was given.
        redirect: "error",
      });
      const answer = answerOf(await response.text());
      if (message.method === "initialize") agreed = agreedVersion(answer);
      if (id === undefined) return;
      write(
        isMessage(answer)
          ? { ...answer, id: answer.id ?? id }
          : failure(id, FAILED, refusalOf(response.status, answer)),
      );
    } catch (error) {
      if (id !== undefined && !signal.aborted)
        write(failure(id, FAILED, `The server at ${address} did not answer: ${reasonOf(error)}.`));
    }
  };

  // What begins a conversation must be known before the next message goes on its way.
  let last: Promise<void> = Promise.resolve();
  for await (const line of linesOf(input, signal)) {
    if (line === "") continue;
    await last;
    const work = forward(line);
    underWay.add(work);
    void work.finally(() => underWay.delete(work));
    last = /"initialize"/.test(line) ? work : Promise.resolve();
  }
  await Promise.all(underWay);
}

function parse(line: string): Message | undefined {
  try {
    const message: unknown = JSON.parse(line);
    return typeof message === "object" && message !== null && !Array.isArray(message) ? message : undefined;
  } catch {
    return undefined;
  }
}

/** What the protocol says of a message in headers. */
function headersOf({ method, params = {} }: Message, agreed: string | undefined): Record<string, string> {
  const version = params._meta?.[VERSION_IN_MESSAGE];
  const common = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  if (typeof version !== "string")
    return {
      ...common,
      ...(agreed !== undefined && method !== "initialize" && { "mcp-protocol-version": agreed }),
    };
  const name = params.name ?? params.uri;
  return {
    ...common,
    "mcp-protocol-version": version,
    ...(method !== undefined && { "mcp-method": headerText(method) }),
    ...(typeof name === "string" && { "mcp-name": headerText(name) }),
  };
}

/** A header has visible ASCII alone; any other text is written in base64, as the protocol says. */
function headerText(text: string): string {
  return /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith("=?base64?")
    ? text
    : `=?base64?${Buffer.from(text).toString("base64")}?=`;
}

function answerOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isMessage(answer: Readonly<Record<string, unknown>> | undefined): answer is Record<string, unknown> {
  return answer?.jsonrpc === "2.0";
}

function agreedVersion(answer: Readonly<Record<string, unknown>> | undefined): string | undefined {
  return (answer?.result as { protocolVersion?: string } | undefined)?.protocolVersion;
}

/** A problem document: what the gate refuses. */
function refusalOf(status: number, problem: Readonly<Record<string, unknown>> | undefined): string {
  return problem?.detail === undefined
    ? `The server answered ${status}.`
    : `${status} ${problem.code}: ${problem.detail}`;
}

function reasonOf(error: unknown): string {
  const { cause, message } = error as Error;
  return cause instanceof Error && cause.message !== "" ? cause.message : message;
}

function failure(id: string | number | null, code: number, message: string): object {
  return { jsonrpc: "2.0", id, error: { code, message } };
}

/** The lines of a text that arrives in pieces. One that is too long is cut, so that it is answered as broken. */
async function* linesOf(input: Readable, signal: AbortSignal): AsyncGenerator<string> {
  const decoder = new StringDecoder("utf8");
  const stop = () => input.destroy();
  signal.addEventListener("abort", stop, { once: true });
  let begun = "";
  try {
    for await (const piece of input) {
      const parts = (begun + decoder.write(piece as Buffer)).split("\n");
      begun = (parts.pop() ?? "").slice(0, MAX_LINE + 1);
      for (const part of parts) yield part.trim();
    }
    yield (begun + decoder.end()).trim();
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
