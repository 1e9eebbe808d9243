import { createHash } from "node:crypto";
import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import type { IncomingHttpHeaders } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { invalid, unavailable } from "../core/errors.ts";
import type { Fault } from "../core/faults.ts";
import { FILE_LIMIT, FORM_INPUT_LIMIT, MAX_FORM_VALUES } from "../core/limits.ts";
import { parseJson } from "./body.ts";
import type { Caller } from "./caller.ts";
import { boundaryOf, readParts } from "./form-parts.ts";
import { HttpError } from "./http-error.ts";
import {
  LONGEST_ARRIVAL_MS,
  TRANSFER_PATIENCE,
  type Transfer,
  TransferLimiter,
  type TransferLimits,
} from "./transfer-limiter.ts";

/** A file that came with a request. It is there while the request is carried out, under no name. */
export interface UploadedFile {
  readonly handle: FileHandle;
  readonly bytes: number;
  /** By which a repeated request is known: SHA-256. */
  readonly hash: string;
}

/** What came with a request that has a file: the parts `input` and `file` of a form. */
export interface ReceivedForm {
  /** The JSON value of `input`, an empty object if the part is absent. */
  readonly value: unknown;
  /** Members that are given twice, and parts that are missing or given twice. */
  readonly repeated: readonly Fault[];
  readonly file: UploadedFile | undefined;
}

export interface UploadLimits extends Pick<TransferLimits, "lagMs" | "patienceMs"> {
  /** How many are received and worked on at a time, in all and for one organization. */
  readonly atOnce: number;
  readonly atOnceForOne: number;
  /** How long a file may take to arrive, in milliseconds. */
  readonly arrivalMs: number;
  /** How long its sender waits for the answer on a silent connection, in milliseconds. */
  readonly answerMs: number;
}

export const UPLOAD_LIMITS: UploadLimits = {
  atOnce: 8,
  atOnceForOne: 2,
  arrivalMs: LONGEST_ARRIVAL_MS,
  answerMs: 120_000,
  ...TRANSFER_PATIENCE,
};

/** Counts what organizations upload, and throws what an upload is refused with that is more than they may. */
export interface UploadCounter {
  require(caller: Caller, bytes: number): Promise<void>;
  count(caller: Caller, bytes: number): Promise<void>;
}

/** What a form has beside its file: boundaries and headers of its parts. */
const FORM_BYTES = 8 * 1024;

/** Receives the files of a process, few at a time. Of a file nothing but the piece that arrives is in memory. */
export class UploadLimiter {
  readonly #limits: UploadLimits;
  readonly #places: TransferLimiter;
  readonly #counter: UploadCounter | undefined;
  readonly #receiving = new WeakSet<Duplex>();

  constructor(given: Partial<UploadLimits> = {}, counter?: UploadCounter) {
    this.#counter = counter;
    this.#limits = { ...UPLOAD_LIMITS, ...given };
    const { atOnce, atOnceForOne } = this.#limits;
    this.#places = new TransferLimiter(
      { ...this.#limits, atOnce: [atOnce, atOnceForOne, atOnceForOne] },
      "uploads_taken",
    );
  }

  /** Whether a file is arriving on this connection, which has more time for it than other requests. */
  isReceiving(socket: Duplex): boolean {
    return this.#receiving.has(socket);
  }

  /** Receives the form of a request, lets `work` use it and removes the file, whatever happens. */
  async run<Result>(
    request: FastifyRequest,
    reply: FastifyReply,
    caller: Caller,
    work: (form: ReceivedForm) => Promise<Result>,
  ): Promise<Result> {
    const { organizationId, actor } = caller;
    const { socket } = request.raw;
    const declared = Number(request.headers["content-length"] ?? 0);
    await this.#counter
      ?.require(caller, Math.max(1, declared - FORM_INPUT_LIMIT.bytes - FORM_BYTES))
      .catch((error: unknown) => {
        // Passed over, so that the caller reads the answer instead of a broken connection.
        request.raw.resume();
        throw error;
      });
    const usualMs = socket.timeout ?? 0;
    let file: TemporaryFile | undefined;
    this.#receiving.add(socket);
    try {
      return await this.#places.run([organizationId, actor.name], reply.raw, async (transfer) => {
        file = await TemporaryFile.open();
        const form = await this.#receive(request, reply, file, transfer);
        if (form.file) await this.#counter?.count(caller, form.file.bytes);
        socket.setTimeout(this.#limits.answerMs);
        return await work(form);
      });
    } finally {
      this.#receiving.delete(socket);
      // Once the answer is sent, Node has set what holds until the next request.
      if (!reply.raw.writableEnded) socket.setTimeout(usualMs);
      await file?.close();
    }
  }

  async #receive(
    request: FastifyRequest,
    reply: FastifyReply,
    file: TemporaryFile,
    transfer: Transfer,
  ): Promise<ReceivedForm> {
    const { raw } = request;
    const chunks = raw.iterator({ destroyOnReturn: false });
    let endArrival = (): void => undefined;
    const late = new Promise<never>((_resolve, reject) => {
      endArrival = () => reject(new HttpError("request_late"));
    });
    const timer = setTimeout(endArrival, this.#limits.arrivalMs);
    transfer.giveWay = endArrival;
    try {
      return await Promise.race([readForm(request.headers, paced(chunks, transfer), file), late]);
    } catch (error) {
      if (error instanceof HttpError && error.kind === "timeout") {
        // What does not arrive is not waited for after the answer either.
        reply.raw.shouldKeepAlive = false;
        throw error;
      }
      // What is left of the body is passed over, so that the caller reads the answer instead of a broken connection.
      await chunks.return?.();
      raw.resume();
      throw raw.errored ?? error;
    } finally {
      clearTimeout(timer);
      this.#receiving.delete(raw.socket);
    }
  }
}

/** The chunks of a body; the transfer is told how they come. */
async function* paced(chunks: AsyncIterable<Buffer>, transfer: Transfer): AsyncGenerator<Buffer> {
  transfer.waitForCaller();
  for await (const chunk of chunks) {
    transfer.advance(chunk.length);
    yield chunk;
    transfer.waitForCaller();
  }
  transfer.advance(0);
}

/** A file without a name: it goes when it is closed, or with the process. */
class TemporaryFile {
  readonly #handle: FileHandle;
  readonly #hash = createHash("sha256");
  #bytes = 0;

  private constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  static async open(): Promise<TemporaryFile> {
    try {
      const folder = await mkdtemp(join(tmpdir(), "rollbook-upload-"));
      try {
        // Personal data: for this user alone.
        return new TemporaryFile(await open(join(folder, "file"), "wx+", 0o600));
      } finally {
        // Before the first byte: however the process ends, none stays behind.
        await rm(folder, { recursive: true, force: true });
      }
    } catch (error) {
      throw unavailable("The folder for temporary files cannot be used.", error);
    }
  }

  async take(file: AsyncIterable<Buffer>): Promise<void> {
    for await (const piece of file) {
      this.#bytes += piece.length;
      if (this.#bytes > FILE_LIMIT.bytes) throw new HttpError("file_too_large");
      this.#hash.update(piece);
      await this.#handle.write(piece);
    }
  }

  finish(): UploadedFile {
    return { handle: this.#handle, bytes: this.#bytes, hash: this.#hash.digest("hex") };
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

async function readForm(
  headers: IncomingHttpHeaders,
  chunks: AsyncIterable<Buffer>,
  temporary: TemporaryFile,
): Promise<ReceivedForm> {
  const boundary = boundaryOf(headers["content-type"] ?? "");
  if (boundary === undefined) throw new HttpError("body_not_form_type");
  if (!/^(?:identity)?$/i.test(headers["content-encoding"] ?? "")) throw new HttpError("body_encoded");
  const faults: Fault[] = [];
  let input: Buffer | undefined;
  let hasFile = false;
  for await (const { name, bytes } of readParts(chunks, boundary)) {
    if (name === "file" && !hasFile) {
      hasFile = true;
      await temporary.take(bytes);
    } else if (name === "input" && !input) input = await gatherInput(bytes);
    else if (name === "file" || name === "input")
      faults.push({ location: `body.${name}`, code: "given_twice" });
    else throw invalid([{ location: "body", code: "unknown_member" }]);
  }
  if (!hasFile) faults.push({ location: "body.file", code: "required" });
  const { value, repeated } = input
    ? parseJson(input, "body.input", MAX_FORM_VALUES)
    : { value: {}, repeated: [] };
  return { value, repeated: [...faults, ...repeated], file: hasFile ? temporary.finish() : undefined };
}

async function gatherInput(bytes: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of bytes) {
    length += piece.length;
    if (length > FORM_INPUT_LIMIT.bytes) throw new HttpError("input_too_large");
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
