import { createHash } from "node:crypto";
import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import type { IncomingHttpHeaders } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { invalid, refusal, unavailable } from "../core/errors.ts";
import type { Fault } from "../core/faults.ts";
import { FILE_LIMIT, FORM_INPUT_LIMIT } from "../core/limits.ts";
import { parseJson } from "./body.ts";
import { boundaryOf, readParts } from "./form-parts.ts";
import { HttpError } from "./http-error.ts";

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

export interface UploadLimits {
  /** How many are received and worked on at a time, in all and for one organization. */
  readonly atOnce: number;
  readonly atOnceForOne: number;
  /** How long a file may take to arrive, in milliseconds: the largest one, at the slowest pace. */
  readonly arrivalMs: number;
  /** How far a file may be behind that pace before another one gets its place, in milliseconds. */
  readonly lagMs: number;
  /** How long its sender waits for the answer on a silent connection, in milliseconds. */
  readonly answerMs: number;
}

/** 20 MiB arrive in two minutes over 1.4 Mbit/s. */
export const UPLOAD_LIMITS: UploadLimits = {
  atOnce: 8,
  atOnceForOne: 2,
  arrivalMs: 120_000,
  lagMs: 5_000,
  answerMs: 120_000,
};

interface IncomingFile {
  lagMs(): number;
  giveWay(): void;
}

const RETRY_AFTER_SECONDS = 2;
/** `input` values of a form: more than a person corrects by hand, and quick to check. */
const MAX_INPUT_VALUES = 12_000;

/** Receives the files of a process, few at a time. Of a file nothing but the piece that arrives is in memory. */
export class UploadDesk {
  readonly #limits: UploadLimits;
  readonly #underWay = new Map<string, number>();
  readonly #receiving = new WeakSet<Duplex>();
  readonly #incoming = new Set<IncomingFile>();
  #free: number;

  constructor(limits: UploadLimits = UPLOAD_LIMITS) {
    this.#limits = limits;
    this.#free = limits.atOnce;
  }

  /** Whether a file is arriving on this connection, which has more time for it than other requests. */
  isReceiving(socket: Duplex): boolean {
    return this.#receiving.has(socket);
  }

  /** Receives the form of a request, lets `work` use it and removes the file, whatever happens. */
  async run<Result>(
    request: FastifyRequest,
    reply: FastifyReply,
    organizationId: string,
    work: (form: ReceivedForm) => Promise<Result>,
  ): Promise<Result> {
    const own = this.#underWay.get(organizationId) ?? 0;
    if (own >= this.#limits.atOnceForOne || !this.#makeRoom())
      throw refusal("uploads_taken", { retryAfterSeconds: RETRY_AFTER_SECONDS });
    const leave = this.#enter(organizationId);
    const { socket } = request.raw;
    const usualMs = socket.timeout ?? 0;
    let spool: Spool | undefined;
    try {
      spool = await Spool.open();
      const form = await this.#receive(request, reply, spool, leave);
      socket.setTimeout(this.#limits.answerMs);
      return await work(form);
    } finally {
      // Once the answer is sent, Node has set what holds until the next request.
      if (!reply.raw.writableEnded) socket.setTimeout(usualMs);
      await spool?.close();
      leave();
    }
  }

  /**
   * Whether there is a place for one more, if need be that of the file that is furthest behind: organizations whose files
   * hardly arrive would otherwise keep all others waiting for two minutes at a time.
   */
  #makeRoom(): boolean {
    if (this.#free > 0) return true;
    let [slowest] = this.#incoming;
    for (const file of this.#incoming) if (file.lagMs() > (slowest?.lagMs() ?? 0)) slowest = file;
    if (!slowest || slowest.lagMs() < this.#limits.lagMs) return false;
    slowest.giveWay();
    return true;
  }

  /** Takes a place; what is returned gives it back, once. */
  #enter(organizationId: string): () => void {
    this.#free--;
    this.#underWay.set(organizationId, (this.#underWay.get(organizationId) ?? 0) + 1);
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      const left = (this.#underWay.get(organizationId) ?? 1) - 1;
      if (left > 0) this.#underWay.set(organizationId, left);
      else this.#underWay.delete(organizationId);
      this.#free++;
    };
  }

  async #receive(
    request: FastifyRequest,
    reply: FastifyReply,
    spool: Spool,
    leave: () => void,
  ): Promise<ReceivedForm> {
    const { raw } = request;
    const { socket } = raw;
    const chunks = raw.iterator({ destroyOnReturn: false });
    const { arrivalMs } = this.#limits;
    const begun = performance.now();
    let endArrival = (): void => undefined;
    const late = new Promise<never>((_resolve, reject) => {
      endArrival = () => reject(new HttpError("request_late"));
    });
    const timer = setTimeout(endArrival, arrivalMs);
    const file: IncomingFile = {
      lagMs: () => performance.now() - begun - (spool.bytes / FILE_LIMIT.bytes) * arrivalMs,
      giveWay: () => {
        this.#incoming.delete(file);
        leave();
        endArrival();
      },
    };
    this.#incoming.add(file);
    this.#receiving.add(socket);
    try {
      return await Promise.race([readForm(request.headers, chunks, spool), late]);
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
      this.#incoming.delete(file);
      this.#receiving.delete(socket);
    }
  }
}

/** A file without a name: it goes when it is closed, or with the process. */
class Spool {
  readonly #handle: FileHandle;
  readonly #hash = createHash("sha256");
  #bytes = 0;

  private constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  static async open(): Promise<Spool> {
    try {
      const folder = await mkdtemp(join(tmpdir(), "rollbook-upload-"));
      try {
        // Personal data: for this user alone.
        return new Spool(await open(join(folder, "file"), "wx+", 0o600));
      } finally {
        // Before the first byte: however the process ends, none stays behind.
        await rm(folder, { recursive: true, force: true });
      }
    } catch (error) {
      throw unavailable("The folder for temporary files cannot be used.", error);
    }
  }

  get bytes(): number {
    return this.#bytes;
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
  spool: Spool,
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
      await spool.take(bytes);
    } else if (name === "input" && !input) input = await gatherInput(bytes);
    else if (name === "file" || name === "input")
      faults.push({ location: `body.${name}`, code: "given_twice" });
    else throw invalid([{ location: "body", code: "unknown_member" }]);
  }
  if (!hasFile) faults.push({ location: "body.file", code: "required" });
  const { value, repeated } = input
    ? parseJson(input, "body.input", MAX_INPUT_VALUES)
    : { value: {}, repeated: [] };
  return { value, repeated: [...faults, ...repeated], file: hasFile ? spool.finish() : undefined };
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
