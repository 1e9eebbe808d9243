import { hash } from "node:crypto";
import type { TObject } from "typebox";
import { parseInstant } from "../core/dates.ts";
import type { Fault } from "../core/errors.ts";
import Type from "../core/schema-type.ts";
import { queryPairs, queryString, type ReadParameters } from "./parameters.ts";

/**
 * How callers walk through a list page by page, whatever is written meanwhile: with a cursor, a page begins after the
 * record that the page before ended with. Inside the program a cursor is that record's id; here it gets the text that
 * callers carry, and its place in the body and in `Link`.
 */
export class ListPaging {
  readonly #path: string;
  readonly #publicUrl: string;
  readonly #parameters: readonly string[];
  readonly #filters: readonly ListFilter[];

  constructor(path: string, publicUrl: string, query: TObject) {
    this.#path = path;
    this.#publicUrl = publicUrl;
    this.#parameters = Object.keys(query.properties);
    this.#filters = Object.entries(query.properties)
      .filter(([name]) => !POSITION.includes(name))
      .map(([name, schema]) => ({ name, isInstant: "format" in schema && schema.format === "date-time" }));
  }

  /** Puts the id that the cursor stands for in its place, or says what is wrong with it. */
  readCursor(url: string, { value, faults }: ReadParameters): Fault[] {
    const { cursor } = value;
    if (cursor === undefined || faults.some(({ location }) => location === LOCATION)) return [];
    // Even the offset that is meant if there is none.
    for (const [name] of queryPairs(queryString(url))) if (name === "offset") return [WITH_OFFSET];
    const place = decodeCursor(String(cursor));
    // Of filters that are wrong themselves nobody can say whether they are the same.
    const isOfList = place && (faults.length > 0 || place.check.equals(this.#check(url, value, place)));
    if (!isOfList) return [INVALID];
    value.cursor = place.id;
    return [];
  }

  /** The page as callers get it, and the link to the next one, if there is one. */
  finish<Body>(url: string, query: Parameters, body: Body): { body: Body; link?: string } {
    const { nextCursor: lastId } = body as { readonly nextCursor?: string };
    if (lastId === undefined) return { body };
    const place = { version: VERSION, id: lastId };
    const nextCursor = encodeCursor({ ...place, check: this.#check(url, query, place) });
    return { body: { ...body, nextCursor }, link: this.#linkTo(url, query, nextCursor) };
  }

  #linkTo(url: string, query: Parameters, nextCursor: string): string {
    const parameters = new URLSearchParams();
    for (const [name] of queryPairs(queryString(url))) {
      const isKept = this.#parameters.includes(name) && name !== "offset" && name !== "cursor";
      // As it was read: the caller may have written a number with any number of zeros before it.
      if (isKept) parameters.set(name, String(query[name]));
    }
    parameters.set("cursor", nextCursor);
    return `<${this.#publicUrl}${this.#pathOf(url)}?${parameters}>; rel="next"`;
  }

  /** The list of one record's own has that record's id in its path. */
  #pathOf(url: string): string {
    return this.#path.includes("{") ? (url.split("?", 1)[0] ?? url).toLowerCase() : this.#path;
  }

  /** What a cursor holds of the list that it is of, and of itself: a letter that was changed is noticed. */
  #check(url: string, query: Parameters, { version, id }: Pick<ListPlace, "version" | "id">): Buffer {
    const filters = this.#filters.map((filter) => filterMeaning(filter, query[filter.name]));
    const checked = [this.#pathOf(url), ...filters, ...(version === OF_LIST_ALONE ? [] : [id])];
    return hash("sha256", JSON.stringify(checked), "buffer").subarray(0, CHECK_BYTES);
  }
}

type Parameters = Readonly<Record<string, unknown>>;

interface ListFilter {
  readonly name: string;
  readonly isInstant: boolean;
}

/** What a filter asks for, however it is written: an empty one asks for nothing, and one instant has many spellings. */
function filterMeaning({ isInstant }: ListFilter, value: unknown): unknown {
  if (value === undefined || value === "") return null;
  return isInstant ? (parseInstant(String(value)) ?? null) : value;
}

/** The same parameters, but for any text as the cursor: what is wrong with one is found by `readCursor` alone. */
export function withAnyCursor<Query extends TObject>(query: Query): Query {
  return { ...query, properties: { ...query.properties, cursor: Type.Optional(Type.String()) } };
}

/** The parameters that say which page is wanted, and not of which list. */
const POSITION: readonly string[] = ["limit", "offset", "cursor"];
const LOCATION = "query.cursor";
const INVALID = { location: LOCATION, code: "cursor_invalid" } as const;
const WITH_OFFSET = { location: LOCATION, code: "cursor_with_offset" } as const;

/** What a cursor says. It tells a caller nothing that the list has not shown, so it is neither signed nor encrypted. */
interface ListPlace {
  readonly version: number;
  readonly id: string;
  /** Of which list, with which filters, and after which record: the beginning of a hash. */
  readonly check: Buffer;
}

// One byte for the version of this form, 16 for the id, 4 of the hash: 28 characters.
const VERSION = 2;
/** Its hash is without the id. Cursors do not expire, so those that were given out are read. */
const OF_LIST_ALONE = 1;
const ID_BYTES = 16;
const CHECK_BYTES = 4;
const CURSOR = /^[A-Za-z0-9_-]{28}$/;

function encodeCursor({ version, id, check }: ListPlace): string {
  const idBytes = Buffer.from(id.replaceAll("-", ""), "hex");
  return Buffer.concat([Buffer.of(version), idBytes, check]).toString("base64url");
}

function decodeCursor(text: string): ListPlace | undefined {
  if (!CURSOR.test(text)) return undefined;
  const bytes = Buffer.from(text, "base64url");
  const [version] = bytes;
  if (version !== VERSION && version !== OF_LIST_ALONE) return undefined;
  const hex = bytes.toString("hex", 1, 1 + ID_BYTES);
  const id = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join(
    "-",
  );
  return { version, id, check: bytes.subarray(1 + ID_BYTES) };
}
