/** An operation as the table has it. */
export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly query?: readonly string[];
  readonly headers?: readonly string[];
  /** The media type of its body. */
  readonly sends?: string;
  /** The media types of what it answers. */
  readonly accepts: readonly string[];
  /** The largest page. */
  readonly maxLimit?: number;
}

/** What every call may be told. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** For one try; the client's own unless given. */
  readonly timeoutSeconds?: number | undefined;
  readonly acceptLanguage?: string | undefined;
}

/** A record as it was answered, with its `ETag` for `ifMatch`. It is no member of the record: it is not sent back. */
export type Tagged<T> = T & { readonly etag: string | undefined };

/** What chooses a page, and means nothing of a file. */
export type PagingName = "limit" | "offset" | "cursor" | "wait";

/** What a page of a list has. */
export interface AnyPage {
  readonly data: readonly unknown[];
  readonly nextCursor?: string;
  readonly hasMore?: boolean;
}

/** One page if it is awaited; every record, page by page, if it is iterated. Nothing is asked for before. */
export class Pages<Page extends AnyPage>
  implements PromiseLike<Tagged<Page>>, AsyncIterable<Page["data"][number]>
{
  readonly #load: () => Promise<Tagged<Page>>;
  readonly #walk: () => AsyncGenerator<Page["data"][number]>;
  #page: Promise<Tagged<Page>> | undefined;

  constructor(load: () => Promise<Tagged<Page>>, walk: () => AsyncGenerator<Page["data"][number]>) {
    this.#load = load;
    this.#walk = walk;
  }

  // biome-ignore lint/suspicious/noThenProperty: to be awaited is what it is for
  then<Value = Tagged<Page>, Other = never>(
    done?: ((page: Tagged<Page>) => Value | PromiseLike<Value>) | null,
    failed?: ((error: unknown) => Other | PromiseLike<Other>) | null,
  ): Promise<Value | Other> {
    this.#page ??= this.#load();
    return this.#page.then(done, failed);
  }

  catch<Other = never>(
    failed?: ((error: unknown) => Other | PromiseLike<Other>) | null,
  ): Promise<Tagged<Page> | Other> {
    return this.then(null, failed);
  }

  finally(done?: (() => void) | null): Promise<Tagged<Page>> {
    return this.then().finally(done);
  }

  [Symbol.asyncIterator](): AsyncGenerator<Page["data"][number]> {
    return this.#walk();
  }
}
