import type { FastifyReply, FastifyRequest } from "fastify";
import type { Static, TObject, TSchema } from "typebox";
import { Snapshot } from "../core/data-snapshot.ts";
import { nextTurn } from "../core/event-loop-turns.ts";
import type { Fault } from "../core/faults.ts";
import { OneOf } from "../core/fields.ts";
import { csvText, type FileText, ndjsonText } from "../core/file-text.ts";
import type { RecordStream, TakeRecords } from "../core/record-stream.ts";
import Type from "../core/schema-type.ts";
import { type Call, type CallContext, compileCall, type Input } from "./call.ts";
import type { Caller } from "./caller.ts";
import type { DownloadType } from "./negotiation.ts";
import type { AnswerForm, Sender, StreamTimeLimits } from "./sending.ts";
import {
  TRANSFER_PATIENCE,
  type Transfer,
  TransferLimiter,
  type TransferLimits,
} from "./transfer-limiter.ts";

/** What makes a list a file as well: all records that its filters match, as CSV and NDJSON. */
export interface Download<Who extends Caller = Caller, Query extends TObject = TObject> {
  /** What its files are called: `clients` in `clients-2026-11-15.csv`. */
  readonly name: string;
  /** A record as NDJSON shows it. */
  readonly record: TSchema;
  /** The forms that it can be had in, if not in all. */
  readonly types?: readonly DownloadType[];
  /** Whether the change feed goes on where the file ends: `Changes-Cursor` then says from where. */
  readonly isFollowed?: boolean;
  /** The columns of the CSV file; every member of the record if absent. Given as a function where the query adds some. */
  readonly columns?: readonly string[] | ((query: Omit<Static<Query>, PagingName>) => readonly string[]);
  /** For the document: what its lines of CSV have beside its records. */
  readonly csvExample?: object;
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

export interface DownloadLimits extends StreamTimeLimits, Pick<TransferLimits, "lagMs" | "patienceMs"> {
  readonly atOnce: number;
}

/** A snapshot that is held keeps PostgreSQL from cleaning up. */
export const DOWNLOAD_LIMITS: DownloadLimits = {
  atOnce: 4,
  stall: 30_000,
  whole: 15 * 60_000,
  ...TRANSFER_PATIENCE,
};

/** What part of the downloads is for one organization, and for one of its callers. */
const ORGANIZATION_PART = 0.75;
const CALLER_PART = 0.5;

/** Gives out the downloads of a process, few at a time: each holds a snapshot. */
export class DownloadLimiter {
  /** The date of a caller's organization. */
  readonly today: (caller: Caller) => string;
  readonly timeLimits: StreamTimeLimits;
  readonly #places: TransferLimiter;

  constructor(options: {
    readonly today: (caller: Caller) => string;
    readonly limits?: Partial<DownloadLimits> | undefined;
  }) {
    const limits = { ...DOWNLOAD_LIMITS, ...options.limits };
    const { atOnce } = limits;
    const partOf = (part: number) => Math.max(1, Math.floor(atOnce * part));
    this.today = options.today;
    this.timeLimits = limits;
    this.#places = new TransferLimiter(
      { ...limits, atOnce: [atOnce, partOf(ORGANIZATION_PART), partOf(CALLER_PART)] },
      "downloads_taken",
    );
  }

  run(
    { organizationId, actor }: Caller,
    { raw }: FastifyReply,
    work: (transfer: Transfer) => Promise<void>,
  ): Promise<void> {
    return this.#places.run([organizationId, actor.name], raw, work);
  }
}

/** What an operation says of a list that can be downloaded. */
export interface DownloadableList<Who extends Caller> extends Input<Who> {
  readonly download: Download<Who>;
  /** For a download without a reader of its own. */
  readonly handle: (call: Call<Who, TObject, TObject, TObject>) => Promise<unknown>;
}

/** A list that is taken as a file, as the audit trail has it. */
export interface TakenList {
  readonly list: string;
  readonly type: DownloadType;
  readonly rows: number;
  /** The names of its filters: what they look for may be a person. */
  readonly filters: readonly string[];
}

export type RecordDownload = (caller: Caller, requestId: string, taken: TakenList) => Promise<void>;

/** What sends the downloads of a list. */
export interface DownloadRoute<Who extends Caller> {
  readonly record: RecordDownload;
  /** A cursor of the change feed that is no newer than what is read after it was asked for. */
  readonly feedCursor?: ((caller: Caller) => Promise<string>) | undefined;
  readonly limiter: DownloadLimiter;
  readonly sender: Sender;
  readonly form: AnswerForm;
  readonly list: DownloadableList<Who>;
}

/** The tag of the file, if it has one, and the one by which the caller has it already. */
export type CheckTag = (version: number) => {
  readonly tag: string | undefined;
  readonly known: string | undefined;
};

/** Answers requests for a list as a file. */
export function compileDownload<Who extends Caller>({
  record,
  feedCursor,
  limiter,
  sender,
  form,
  list,
}: DownloadRoute<Who>) {
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
    const writer =
      type === "text/csv"
        ? csvText(download.record, columnsOf(download, call.query), csvForm)
        : ndjsonText(download.record);
    const take = async (
      { total, version, batches, cursor }: RecordStream<object>,
      transfer: Transfer,
    ): Promise<void> => {
      const { tag, known } = checkTag(version);
      if (known !== undefined) return sender.sendNotModified(request, reply, form, known);
      if (request.method !== "HEAD") {
        const filters = Object.keys(call.query).filter((name) => name !== "csv");
        await record(context.caller, call.requestId, { list: download.name, type, rows: total, filters });
      }
      const file = `${download.name}-${limiter.today(context.caller)}.${type === "text/csv" ? "csv" : "ndjson"}`;
      const headers = {
        etag: tag,
        type: type === "text/csv" ? "text/csv; charset=utf-8; header=present" : type,
        more: [
          ...["content-disposition", `attachment; filename="${file}"`, "x-total-count", String(total)],
          ...(cursor === undefined ? [] : ["changes-cursor", cursor]),
        ],
      };
      const pieces = request.method === "HEAD" ? noPieces() : writePieces(writer, batches);
      await sender.stream(request, reply, form, pieces, headers, {
        timeLimits: limiter.timeLimits,
        transfer,
      });
    };
    await limiter.run(context.caller, reply, async (transfer) => {
      // Before the snapshot of the records: they have all that was numbered by then.
      const cursor = download.isFollowed ? await feedCursor?.(context.caller) : undefined;
      const takeFollowed = (records: RecordStream<object>) =>
        take(cursor === undefined ? records : { ...records, cursor }, transfer);
      if (download.read)
        return download.read({ caller: call.caller, db: call.db, query: call.query, type }, takeFollowed);
      return takeFollowed(wholeAnswer(await list.handle(call)));
    });
  };
}

/** The columns of the CSV file that this query asks for. */
export function columnsOf<Query extends TObject>(
  { columns }: Download<never, Query>,
  query: Omit<Static<Query>, PagingName>,
) {
  return typeof columns === "function" ? columns(query) : columns;
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
    withoutEffect: type === "text/csv" ? {} : { csv: CsvForm },
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
      await nextTurn();
      const last = Math.min(next + RECORDS_A_TURN, batch.length);
      while (next < last && end < BYTES_A_TURN) add(line(batch[next++] as object));
      yield bytes.subarray(0, end);
      end = 0;
    }
  }
  if (end > 0) yield bytes.subarray(0, end);
}
