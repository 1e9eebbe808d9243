import type { Change, ChangePage, ListChangesQuery, Schemas } from "./api-types.ts";
import { GoneError } from "./errors.ts";
import type { CallOptions, Tagged } from "./results.ts";

/** Where the place in the feed is kept: with your data if you can, in one transaction with what you make of it. */
export interface CursorStore {
  load(): string | undefined | Promise<string | undefined>;
  save(cursor: string): void | Promise<void>;
}

export interface ChangesOptions extends CallOptions {
  readonly store: CursorStore;
  readonly kinds?: Change["kind"][] | undefined;
  /** `record`: each change with the record as it is now. */
  readonly include?: "record" | undefined;
  /** How long one request waits for a change, 30 seconds unless given. */
  readonly wait?: number | undefined;
  /** The size of a page: so many entries are repeated at the most after a crash. */
  readonly limit?: number | undefined;
  /** What is done when the data was replaced: `raise` the error, or begin again with every record there is. */
  readonly onGone?: "raise" | "restart" | undefined;
  /** Called before it begins again: what you have made of the feed so far may be of a past that is gone. */
  readonly onRestart?: ((error: GoneError) => void | Promise<void>) | undefined;
}

type ChangeOf<Kind extends Change["kind"]> = Omit<Change, "kind" | "record"> & {
  kind: Kind;
  record?: Capitalize<Kind> extends keyof Schemas ? Schemas[Capitalize<Kind>] : never;
};

/** A change, whose `kind` says which record it has. */
export type TypedChange = { [Kind in Change["kind"]]: ChangeOf<Kind> }[Change["kind"]];

/**
 * Every change after the place that is stored. The place moves when the consumer asks for more than a page had, so whoever
 * is killed in the middle of a page sees that page again, and skips nothing.
 */
export async function* readChanges(
  listChanges: (query: ListChangesQuery & CallOptions) => PromiseLike<Tagged<ChangePage>>,
  { store, onGone = "raise", onRestart, wait = 30, ...query }: ChangesOptions,
): AsyncGenerator<TypedChange, never> {
  let after = (await store.load()) || undefined;
  for (;;) {
    let page: ChangePage;
    try {
      page = await listChanges({ ...query, wait, after });
    } catch (error) {
      if (!(error instanceof GoneError) || onGone !== "restart" || after === undefined) throw error;
      await onRestart?.(error);
      after = undefined;
      continue;
    }
    yield* page.data as TypedChange[];
    await store.save(page.nextCursor);
    after = page.nextCursor;
  }
}
