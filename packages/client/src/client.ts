import { OPERATIONS } from "./api-operations.ts";
import type { Client, ClientInput, Downloads, Operations } from "./api-types.ts";
import { type ChangesOptions, readChanges, type TypedChange } from "./changes.ts";
import { countRows, type Download, type DownloadOptions, FORMS } from "./download.ts";
import { errorOf, PreconditionFailedError } from "./errors.ts";
import { type AnyPage, type CallOptions, type Operation, Pages, type Tagged } from "./results.ts";
import { type ApiRequest, type ClientOptions, pause, Transport } from "./transport.ts";

/** What a call was told, before it is known what of it is of the query. */
type Given = CallOptions & Readonly<Record<string, unknown>>;

const EDITS = 8;
const EDIT_PAUSE_SECONDS = 0.1;
/** How much longer a request may take than it was told to wait. */
const WAIT_MARGIN_SECONDS = 10;

export interface RollbookClient extends Operations {}

/** A caller of one organization's API. It sends nothing before it is asked to, and may be shared. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the constructor makes a method of every operation of the table
export class RollbookClient {
  readonly #transport: Transport;
  /** Answers by their address, the one that was asked for last at the end. */
  readonly #kept = new Map<string, { readonly etag: string; readonly text: string }>();
  readonly #memory: number;

  constructor(options: ClientOptions = {}) {
    if ("document" in globalThis)
      throw new TypeError("A key in a browser is everybody's: call from a server.");
    this.#transport = new Transport(options);
    this.#memory = options.memory ?? 0;
    for (const [name, operation] of Object.entries(OPERATIONS))
      Object.defineProperty(this, name, { value: (...given: unknown[]) => this.#call(operation, given) });
  }

  /**
   * Changes a client as it is: `change` gets it, and either changes it in place or returns what it shall be, whole. If somebody
   * else was faster, it is called again with what they have made of it.
   */
  async editClient(
    id: string,
    change: (
      client: Client,
    ) => ClientInput | undefined | Promise<ClientInput | undefined> | void | Promise<void>,
    options: CallOptions = {},
  ): Promise<Tagged<Client>> {
    for (let tried = 1; ; tried++) {
      const client = await this.getClient(id, options);
      const { etag } = client;
      if (etag === undefined) throw new TypeError("The answer had no ETag.");
      const body = (await change(client)) ?? client;
      try {
        return await this.replaceClient(id, body, { ...options, ifMatch: etag });
      } catch (error) {
        if (!(error instanceof PreconditionFailedError) || tried === EDITS) throw error;
        await pause(EDIT_PAUSE_SECONDS * tried * Math.random(), options.signal);
      }
    }
  }

  /** Every change from where `store` says, in order, for ever: see `ChangesOptions`. */
  changes(options: ChangesOptions): AsyncGenerator<TypedChange, never> {
    return readChanges((query) => this.listChanges(query), options);
  }

  /**
   * A whole list as a file, from one moment. The stream fails if it has other rows than the server has announced. With
   * `ifNoneMatch` it is undefined if the list is still the one with that tag.
   */
  download<List extends keyof Downloads>(
    list: List,
    form: Downloads[List]["form"],
    options: Downloads[List]["filters"] & DownloadOptions & { readonly ifNoneMatch: string },
  ): Promise<Download | undefined>;
  download<List extends keyof Downloads>(
    list: List,
    form: Downloads[List]["form"],
    ...options: object extends Downloads[List]["filters"]
      ? [(Downloads[List]["filters"] & DownloadOptions)?]
      : [Downloads[List]["filters"] & DownloadOptions]
  ): Promise<Download>;
  download(list: string, form: keyof typeof FORMS, options: Given = {}): Promise<Download | undefined> {
    const operation = Object.values(OPERATIONS).find(
      ({ method, path }) => method === "GET" && path === `/v1/${list}`,
    );
    const accept = FORMS[form];
    if (!operation?.accepts.includes(accept)) throw new TypeError(`There is no ${list} as ${form}.`);
    const { ifNoneMatch, ...filters } = options;
    const headers = { accept, "if-none-match": ifNoneMatch as string | undefined };
    const request = this.#request(operation, operation.path, filters, headers);
    return this.#transport.send(request, async (response, limit) => {
      if (response.status !== 304) return countRows(response, limit, form);
      limit.end();
      return undefined;
    });
  }

  /** Whatever the operation takes, in this order: the parts of its path, its body, its options. */
  #call(operation: Operation, given: unknown[]): unknown {
    const { method, sends, accepts } = operation;
    const path = operation.path.replace(/\{\w+\}/g, () => encodeURIComponent(nonEmpty(given.shift())));
    const body = sends && JSON.stringify(given.shift());
    const options = (given.shift() ?? {}) as Given;
    const headers: Record<string, string | undefined> = { accept: "application/json", "content-type": sends };
    for (const name of operation.headers ?? [])
      headers[name] = options[optionName(name)] as string | undefined;
    // One key for all tries of this call.
    if (method !== "GET") headers["Idempotency-Key"] ??= crypto.randomUUID();
    const load = (asked: Given) => this.#read(this.#request(operation, path, asked, headers, body));
    if (!accepts.includes(FORMS.ndjson)) return load(options);
    return new Pages(
      () => load(options) as Promise<Tagged<AnyPage>>,
      () => walk(operation, options, load),
    );
  }

  /** What is no option is of the query, so that a misspelt filter is refused by the server and not passed over. */
  #request(
    { method, headers: names = [] }: Operation,
    path: string,
    options: Given,
    headers: ApiRequest["headers"],
    body?: string,
  ): ApiRequest {
    const { signal, timeoutSeconds, acceptLanguage, ...rest } = options;
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(rest))
      if (value !== undefined && !names.some((header) => optionName(header) === name))
        search.set(name, String(value));
    const waited = Number(rest.wait ?? 0);
    return {
      method,
      url: `${this.#transport.baseUrl}${path}?${search}`.replace(/\?$/, ""),
      headers,
      body,
      signal,
      timeoutSeconds: timeoutSeconds ?? (waited > 0 ? waited + WAIT_MARGIN_SECONDS : undefined),
      acceptLanguage,
    };
  }

  /** The body of the answer; of an answer that is kept and holds, what was kept. */
  #read(request: ApiRequest): Promise<unknown> {
    const { method, url, headers } = request;
    const isRead = method === "GET";
    const known = isRead ? this.#kept.get(url) : undefined;
    const conditional = {
      ...request,
      headers: { ...headers, ...(known && { "if-none-match": known.etag }) },
    };
    return this.#transport.send(conditional, async (response, limit) => {
      const text = known && response.status === 304 ? known.text : await response.text();
      limit.end();
      if (response.status === 204) return undefined;
      const etag = response.headers.get("etag") ?? undefined;
      if (isRead) this.#keep(url, etag, text);
      return parse(text, response.status, etag);
    });
  }

  #keep(url: string, etag: string | undefined, text: string): void {
    this.#kept.delete(url);
    if (etag !== undefined) this.#kept.set(url, { etag, text });
    for (const oldest of this.#kept.keys()) if (this.#kept.size > this.#memory) this.#kept.delete(oldest);
  }
}

/** Every record, page by page, as large as they come. */
async function* walk(
  { query: names = [], maxLimit }: Operation,
  options: Given,
  load: (options: Given) => Promise<unknown>,
): AsyncGenerator<unknown> {
  const next = ["cursor", "after"].find((name) => names.includes(name));
  for (let asked: Given = { ...(maxLimit && { limit: maxLimit }), ...options }; ; ) {
    const { data, nextCursor, hasMore } = (await load(asked)) as AnyPage;
    yield* data;
    if (!next || !nextCursor || hasMore === false) return;
    asked = { ...asked, offset: undefined, [next]: nextCursor };
  }
}

function parse(text: string, status: number, etag: string | undefined): unknown {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    // Told below.
  }
  if (typeof body !== "object" || body === null)
    throw errorOf({ status, code: "unexpected_answer", detail: "The answer is no JSON object." });
  // A proxy that compresses marks the tag as weak, and a weak one never matches: the server's own is behind the mark.
  return Object.defineProperty(body, "etag", { value: etag?.replace(/^W\//, "") });
}

/** An empty id would be the address of the list. */
function nonEmpty(id: unknown): string {
  if (typeof id !== "string" || id === "") throw new TypeError("An id must be a text that is not empty.");
  return id;
}

/** "If-Match" is told as ifMatch. */
function optionName(header: string): string {
  return header[0]?.toLowerCase() + header.slice(1).replaceAll("-", "");
}
