import { errorOf } from "./errors.ts";
import type { CallOptions } from "./results.ts";
import type { TimeLimit } from "./transport.ts";

export const FORMS = { csv: "text/csv", ndjson: "application/x-ndjson" } as const;

export interface DownloadOptions extends CallOptions {
  /** With CSV: `excel` is what Excel opens by a double click where the comma is decimal. */
  readonly csv?: "plain" | "excel" | undefined;
  /** The tag of what you have. */
  readonly ifNoneMatch?: string | undefined;
}

/** The bytes of a file, and what was said of it. */
export type Download = ReadableStream<Uint8Array> & {
  readonly etag: string | undefined;
  /** How many records it has. */
  readonly totalCount: number;
  /** Where the change feed goes on from this file: `after` of `listChanges`. */
  readonly changesCursor: string | undefined;
};

const LINE_FEED = 10;
const QUOTE = 34;

/** The body, which fails at its end if it has other rows than were announced, and if nothing comes for too long. */
export function countRows(response: Response, limit: TimeLimit, form: keyof typeof FORMS): Download {
  const announced = Number(response.headers.get("x-total-count") ?? Number.NaN);
  // The first line of CSV has the names.
  let rows = form === "csv" ? -1 : 0;
  let isQuoted = false;
  const reader = response.body?.getReader();
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = (await reader?.read()) ?? { done: true };
          limit.renew();
          for (const byte of value ?? []) {
            if (byte === QUOTE && form === "csv") isQuoted = !isQuoted;
            else if (byte === LINE_FEED && !isQuoted) rows++;
          }
          if (value) controller.enqueue(value);
          if (!done) return;
        } catch (cause) {
          limit.end();
          throw incomplete(rows, announced, { cause });
        }
        limit.end();
        if (rows !== announced) throw incomplete(rows, announced);
        controller.close();
      },
      cancel(reason) {
        limit.end();
        return reader?.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return Object.assign(stream, {
    etag: response.headers.get("etag") ?? undefined,
    totalCount: announced,
    changesCursor: response.headers.get("changes-cursor") ?? undefined,
  });
}

function incomplete(rows: number, announced: number, options?: ErrorOptions): Error {
  const detail = `The download has ${Math.max(rows, 0)} of ${announced} records.`;
  return errorOf({ status: 0, code: "incomplete", detail }, options);
}
