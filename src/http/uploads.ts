import { createHash } from "node:crypto";
import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
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
  /** What it is refused with if it is to be carried out: its organization has uploaded more than it may. */
  readonly refusal: Error | undefined;
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

/** Counts what organizations upload. Returns what an upload is refused with, if that is more than they may. */
export interface UploadCounter {
  count(caller: Caller, bytes: number): Promise<Error | undefined>;
}

/** The largest form: its file, what is said beside it, and boundaries and headers of the parts. */
const FORM_BYTES = FILE_LIMIT.bytes + FORM_INPUT_LIMIT.bytes + 8 * 1024;

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

  /**
   * Receives the form of a request, lets `work` use it and removes the file, whatever happens. What has arrived counts, read
   * completely or not. A form that is more than its organization may upload is handed on with its refusal all the same:
   * only what comes in it says whether it is a repeated request, which is answered.
   */
  async run<Result>(
    request: FastifyRequest,
    reply: FastifyReply,
    caller: Caller,
    work: (form: ReceivedForm) => Promise<Result>,
  ): Promise<Result> {
    const { organizationId, actor } = caller;
    const { socket } = request.raw;
    const usualMs = socket.timeout ?? 0;
    let file: TemporaryFile | undefined;
    this.#receiving.add(socket);
    try {
      return await this.#places.run([organizationId, actor.name], reply.raw, async (transfer) => {
        file = await TemporaryFile.open();
        const body = new ArrivingBody(request.raw, transfer);
        let form: Omit<ReceivedForm, "refusal">;
        let refusal: Error | undefined;
        try {
          form = await this.#receive(request, reply, body, file, transfer);
        } finally {
          if (body.bytes > 0) refusal = await this.#counter?.count(caller, body.bytes);
        }
        socket.setTimeout(this.#limits.answerMs);
        return await work({ ...form, refusal });
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
    body: ArrivingBody,
    file: TemporaryFile,
    transfer: Transfer,
  ): Promise<Omit<ReceivedForm, "refusal">> {
    const { raw } = request;
    let endArrival = (): void => undefined;
    const late = new Promise<never>((_resolve, reject) => {
      endArrival = () => reject(new HttpError("request_late"));
    });
    const timer = setTimeout(endArrival, this.#limits.arrivalMs);
    transfer.giveWay = endArrival;
    try {
      return await Promise.race([readForm(request.headers, body, file), late]);
    } catch (error) {
      // What is left of a form is passed over, so that the caller reads the answer instead of a broken connection. What does
      // not arrive in time, or is more than a form has, is not waited for.
      await Promise.race([body.passOver(), late]).catch(() => {
        reply.raw.shouldKeepAlive = false;
      });
      throw raw.errored ?? error;
    } finally {
      clearTimeout(timer);
      this.#receiving.delete(raw.socket);
    }
  }
}

/** The chunks of a body, counted, and no more of them than a form has; the transfer is told how they come. */
class ArrivingBody implements AsyncIterableIterator<Buffer, undefined> {
  readonly #chunks: AsyncIterator<Buffer, undefined>;
  readonly #transfer: Transfer;
  bytes = 0;

  constructor(raw: IncomingMessage, transfer: Transfer) {
    this.#chunks = raw.iterator({ destroyOnReturn: false });
    this.#transfer = transfer;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Buffer, undefined>> {
    if (this.bytes > FORM_BYTES) throw new HttpError("file_too_large");
    this.#transfer.waitForCaller();
    const next = await this.#chunks.next();
    const length = next.value?.length ?? 0;
    this.#transfer.advance(length);
    this.bytes += length;
    return next;
  }

  /** Reads what has not been read yet. */
  async passOver(): Promise<void> {
    for await (const _ of this);
  }
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
): Promise<Omit<ReceivedForm, "refusal">> {
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
