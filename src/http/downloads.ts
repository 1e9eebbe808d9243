import type { FastifyReply, FastifyRequest } from "fastify";
import type { Static, TObject, TSchema } from "typebox";
import { Snapshot } from "../core/data-snapshot.ts";
import { refusal } from "../core/errors.ts";
import type { Fault } from "../core/faults.ts";
import { OneOf } from "../core/fields.ts";
import type { RecordStream, TakeRecords } from "../core/record-stream.ts";
import Type from "../core/schema-type.ts";
import { Turns } from "../core/turns.ts";
import { csvText, type FileText, ndjsonText } from "../downloads/file-text.ts";
import { type Call, type CallContext, compileCall, type Input } from "./call.ts";
import type { Caller } from "./caller.ts";
import type { DownloadType } from "./negotiation.ts";
import type { AnswerForm, Sender, StreamTimeLimits } from "./sending.ts";

/** What makes a list a file as well: all records that its filters match, as CSV and NDJSON. */
export interface Download<Who extends Caller = Caller, Query extends TObject = TObject> {
  /** What its files are called: `clients` in `clients-2026-11-15.csv`. */
  readonly name: string;
  /** A record as NDJSON shows it. */
  readonly record: TSchema;
  /** The columns of the CSV file; every member of the record if absent. */
  readonly columns?: readonly string[];
  /** For the document: what its records have beside those of the list. */
  readonly example?: object;
  /** Reads the records. Absent for a list whose handler gives it whole. */
  readonly read?: (call: DownloadCall<Who, Query>, take: TakeRecords<object>) => Promise<void>;
}

/** What the reader of a download is given. */
export interface DownloadCall<Who extends Caller, Query extends TObject>
  extends Pick<Call<Who, TObject, Query, TObject>, "caller" | "db"> {
  /** The filters: a download has no pages. */
  readonly query: Omit<Static<Query>, PagingName>;
  readonly type: DownloadType;
}

/** Parameters that a download refuses: all of the list is in it. */
const PAGING_NAMES = ["limit", "offset", "cursor", "wait"] as const;
type PagingName = (typeof PAGING_NAMES)[number];

/** How a CSV file is written; no parameter of the other forms. */
export const CsvForm = Type.Optional(
  OneOf(["plain", "excel"], {
    description:
      "Only with `Accept: text/csv`. `excel`: divided by semicolons and with a byte order mark, as Excel opens it by a " +
      "double click where the comma is decimal. `plain` (commas, no mark) if absent.",
  }),
);

/** A snapshot that is held keeps PostgreSQL from cleaning up. */
export const DOWNLOAD_TIME_LIMITS: StreamTimeLimits = { stall: 30_000, whole: 15 * 60_000 };

const RETRY_AFTER_SECONDS = 5;

/** Gives out the downloads of a process, few at a time, and the turns of the event loop in which they are written. */
export class DownloadDesk {
  /** The date of a caller's organization. */
  readonly today: (caller: Caller) => string;
  readonly timeLimits: StreamTimeLimits;
  readonly turns = new Turns();
  #free: number;

  constructor(options: {
    readonly today: (caller: Caller) => string;
    readonly atOnce: number;
    readonly timeLimits?: StreamTimeLimits | undefined;
  }) {
    this.today = options.today;
    this.timeLimits = options.timeLimits ?? DOWNLOAD_TIME_LIMITS;
    this.#free = options.atOnce;
  }

  async run(work: () => Promise<void>): Promise<void> {
    if (this.#free === 0) throw refusal("downloads_taken", { retryAfterSeconds: RETRY_AFTER_SECONDS });
    this.#free--;
    try {
      await work();
    } finally {
      this.#free++;
    }
  }
}

/** What an operation says of a list that can be downloaded. */
export interface DownloadableList<Who extends Caller> extends Input<Who> {
  readonly download: Download<Who>;
  /** For a download without a reader of its own. */
  readonly handle: (call: Call<Who, TObject, TObject, TObject>) => Promise<unknown>;
}

/** What sends the downloads of a list. */
export interface DownloadRoute<Who extends Caller> {
  readonly desk: DownloadDesk;
  readonly sender: Sender;
  readonly form: AnswerForm;
  readonly list: DownloadableList<Who>;
}

/** Whether the caller has this very file already; and the tag of the file. */
export type CheckTag = (version: number) => { readonly tag: string; readonly isKnown: boolean };

/** Answers requests for a list as a file. */
export function compileDownload<Who extends Caller>({ desk, sender, form, list }: DownloadRoute<Who>) {
  const { download } = list;
  const compile = (type: DownloadType) => compileCall(downloadInput(list, type));
  const readers = new Map<DownloadType, ReturnType<typeof compile>>();

  // Compiled when they are first asked for: most programs serve few of them, and a start should not wait for any.
  const readerOf = (type: DownloadType) => {
    const reader = readers.get(type) ?? compile(type);
    readers.set(type, reader);
    return reader;
  };

  return async (
    request: FastifyRequest,
    reply: FastifyReply,
    context: CallContext<Who>,
    type: DownloadType,
    checkTag: CheckTag,
  ): Promise<void> => {
    const input = readerOf(type);
    const call = await input.read(request, input.receive(request), context);
    const csvForm = (call.query as { csv?: "plain" | "excel" }).csv;
    const { turns } = desk;
    const writer =
      type === "text/csv" ? csvText(download.record, download.columns, csvForm) : ndjsonText(download.record);
    const take = async ({ total, version, batches }: RecordStream<object>): Promise<void> => {
      const { tag, isKnown } = checkTag(version);
      if (isKnown) return sender.sendNotModified(request, reply, form, tag);
      const file = `${download.name}-${desk.today(context.caller)}.${type === "text/csv" ? "csv" : "ndjson"}`;
      const headers = {
        etag: tag,
        type: type === "text/csv" ? "text/csv; charset=utf-8; header=present" : type,
        more: ["content-disposition", `attachment; filename="${file}"`, "x-total-count", String(total)],
      };
      const pieces = request.method === "HEAD" ? noPieces() : writePieces(writer, batches, turns);
      await sender.stream(request, reply, form, pieces, headers, desk.timeLimits);
    };
    await desk.run(async () => {
      if (download.read)
        return download.read({ caller: call.caller, db: call.db, query: call.query, type }, take);
      return take(wholeAnswer(await list.handle(call)));
    });
  };
}

/** The query of a list as its download takes it: the same filters, no pages. */
function downloadInput<Who extends Caller>(input: Input<Who>, type: DownloadType): Input<Who> {
  const filters = Object.entries(input.query?.properties ?? {}).filter(([name]) => !isPagingName(name));
  const paging = PAGING_NAMES.map((name) => [name, Type.Optional(Type.Unknown())]);
  const form = type === "text/csv" ? [["csv", CsvForm]] : [];
  const query: TObject = Type.Object(Object.fromEntries([...filters, ...paging, ...form]));
  return {
    ...(input.params && { params: input.params }),
    query,
    queryRules: (given) => [
      ...(input.queryRules?.(given) ?? []),
      ...PAGING_NAMES.filter((name) => name in given).map(notWithDownload),
    ],
  };
}

function isPagingName(name: string): boolean {
  return PAGING_NAMES.some((one) => one === name);
}

function notWithDownload(name: PagingName): Fault {
  return {
    location: `query.${name}`,
    code: "not_with_download",
  };
}

/** A list that its handler gives whole. */
function wholeAnswer(answer: unknown): RecordStream<object> {
  if (!(answer instanceof Snapshot)) throw new Error("a list that is downloaded has no version");
  const { data } = answer.content as { data: readonly object[] };
  return { total: data.length, version: answer.version, batches: oneBatch(data) };
}

async function* oneBatch(records: readonly object[]): AsyncGenerator<readonly object[]> {
  yield records;
}

async function* noPieces(): AsyncGenerator<Buffer> {}

/** As many records as are written in one turn of the event loop, unless they are long. */
const RECORDS_A_TURN = 200;
const BYTES_A_TURN = 1 << 17;
/** A character of UTF-16 has at most so many bytes in UTF-8. */
const MOST_BYTES_A_CHARACTER = 3;

/**
 * Writes records as they are taken, in pieces that never hold the event loop for long. Each piece is written over the one
 * before, which has left by then: with new memory for each, a download would keep the garbage collector busy.
 */
async function* writePieces(
  { head, line }: FileText,
  batches: AsyncIterable<readonly object[]>,
  turns: Turns,
): AsyncGenerator<Buffer> {
  let bytes = Buffer.allocUnsafe(2 * BYTES_A_TURN);
  let end = 0;
  const add = (text: string) => {
    const most = MOST_BYTES_A_CHARACTER * text.length;
    if (end + most > bytes.length) {
      const larger = Buffer.allocUnsafe(2 * (end + most));
      bytes.copy(larger, 0, 0, end);
      bytes = larger;
    }
    end += bytes.write(text, end);
  };
  add(head);
  for await (const batch of batches) {
    for (let next = 0; next < batch.length; ) {
      await turns.next();
      const last = Math.min(next + RECORDS_A_TURN, batch.length);
      while (next < last && end < BYTES_A_TURN) add(line(batch[next++] as object));
      yield bytes.subarray(0, end);
      end = 0;
    }
  }
  if (end > 0) yield bytes.subarray(0, end);
}
