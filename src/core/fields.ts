import type { Static, TObject, TSchema } from "typebox";
import { MAX_TERMS } from "./limits.ts";
import { CURRENCY_PATTERN, CURSOR_PATTERN, LINE_PATTERN, QUERY_PATTERN, TEXT_PATTERN } from "./patterns.ts";
import Type from "./schema-type.ts";

/**
 * The vocabulary of schemas. Each field kind is defined once; the type, the validation and the published
 * OpenAPI component all come from it.
 */

/** Whole numbers beyond this lose exactness in JSON readers that use doubles, so none is accepted or sent. */
export const MAX_SAFE = Number.MAX_SAFE_INTEGER;

export const Id = (description?: string, example?: string) =>
  Type.String({
    format: "uuid",
    ...describe(description),
    ...(example !== undefined && { examples: [example] }),
  });

export const Instant = (description?: string, example = "2026-11-15T09:30:00.000Z") =>
  Type.String({ format: "date-time", ...describe(description), examples: [example] });

export const CalendarDate = (description?: string) =>
  Type.String({ format: "date", ...describe(description), examples: ["1990-04-23"] });

/** What a clock on the wall of a location shows: `2026-01-05T07:00`. */
export const LocalDateTime = (description?: string, example = "2026-11-16T07:00") =>
  Type.String({ format: "local-date-time", ...describe(description), examples: [example] });

export const Cents = (description?: string) =>
  Type.Integer({
    format: "int64",
    minimum: 0,
    maximum: MAX_SAFE,
    ...describe(description),
    examples: [15000],
  });

export const Int32 = (description?: string, minimum = 0) =>
  Type.Integer({ format: "int32", minimum, maximum: 2_147_483_647, ...describe(description) });

export const Int64 = (description?: string) =>
  Type.Integer({ format: "int64", minimum: 0, maximum: MAX_SAFE, ...describe(description) });

/** A single line of at most `maxLength` code points. */
export const Line = (maxLength: number, options: Options = {}) =>
  Type.String({ maxLength, pattern: LINE_PATTERN, ...options });

/** An e-mail address. */
export const Email = (options: Options = {}) =>
  Type.String({ format: "email", maxLength: 254, pattern: LINE_PATTERN, ...options });

/** Text of several lines. */
export const Text = (maxLength: number, options: Options = {}) =>
  Type.String({ maxLength, pattern: TEXT_PATTERN, ...options });

/** A closed set of words. Written as `enum` with its `type` beside it, as generators expect. */
export const OneOf = <const Values extends readonly string[]>(values: Values, options: Options = {}) =>
  Type.Unsafe<Values[number]>({ type: "string", enum: [...values], ...options });

export const Timezone = (description: string) => Line(64, { description, examples: ["America/Sao_Paulo"] });

export const Currency = () =>
  Type.String({
    maxLength: 3,
    pattern: CURRENCY_PATTERN,
    description: "Currency code (ISO 4217).",
    examples: ["BRL"],
  });

/** A member of a merge patch: left out it stays, and `null` clears it. */
const Clearable = <Member extends TSchema>(member: Member) => {
  const { type, enum: words } = member as { type?: string; enum?: readonly string[] };
  return Type.Optional(
    Type.Unsafe<Static<Member> | null>({
      ...member,
      type: [type, "null"],
      ...(words && { enum: [...words, null] }),
    }),
  );
};

/** The same for every one of these. */
export const clearables = <Members extends Record<string, TSchema>>(members: Members) =>
  Object.fromEntries(Object.entries(members).map(([name, member]) => [name, Clearable(member)])) as {
    [Name in keyof Members]: ReturnType<typeof Clearable<Members[Name]>>;
  };

/** Gives a value that many bodies have a name of its own in documents, where it then stands once. */
export const Named = <Value extends TSchema>(name: string, value: Value): Value => ({ ...value, $id: name });

/** Where `$schema` stands in a response body: a link to the JSON Schema of that body. */
export const SchemaLink = Named(
  "SchemaLink",
  Type.String({ format: "uri", description: "Address of the JSON Schema that describes this body." }),
);

/** A response body that is published under its own name, with the `$schema` link as its first member. */
export function Body<const Properties extends Record<string, TSchema>>(
  name: string,
  properties: Properties,
  options: Options = {},
) {
  return Type.Object({ $schema: Type.Optional(SchemaLink), ...properties }, { $id: name, ...options });
}

/** A place in a paginated list; what it is made of is for `http/paging.ts` alone. */
const Cursor = (description: string) =>
  Type.String({ minLength: 1, maxLength: 200, pattern: CURSOR_PATTERN, description });

/** The query parameters every paginated list takes. */
export const PageQuery = {
  limit: Type.Integer({ format: "int64", minimum: 1, maximum: 200, default: 50, description: "Page size." }),
  offset: Type.Integer({
    format: "int64",
    minimum: 0,
    maximum: MAX_SAFE,
    default: 0,
    description: "How many records to skip.",
  }),
  cursor: Type.Optional(
    Cursor(
      "`nextCursor` of the page before: the page begins after that one's last record, at any depth for the same cost. " +
        "Only with the filters of that page, and not together with `offset`.",
    ),
  ),
  updatedSince: Type.Optional(
    Instant(
      "Only records whose `updatedAt` is at or after this instant. For reports, not for keeping another system in step: " +
        "a change that was under way when you read may be stored later with an earlier `updatedAt`.",
      "2023-11-01T00:00:00.000Z",
    ),
  ),
};

export const SearchQuery = (description: string, example: string) =>
  Type.Optional(
    Type.String({
      maxLength: 200,
      pattern: QUERY_PATTERN,
      description: `${description} At most ${MAX_TERMS} different terms.`,
      examples: [example],
    }),
  );

const PageLimit = Named("PageLimit", Int64("The page size that was applied."));
const PageOffset = Named("PageOffset", Int64("How many records were skipped."));
const PageTotal = Named("PageTotal", Int64("How many records match the filter, whatever the page."));
export const NextCursor = Named(
  "NextCursor",
  Cursor("The `cursor` of the next page, which `Link` has as well; absent on the last page."),
);

/** The envelope of a paginated list; its example is a list of one record, as lists show it. */
export const page = <Item extends TObject>(name: string, item: Item, example: Static<Item>) =>
  Body(
    name,
    {
      data: Type.Array(item),
      limit: PageLimit,
      offset: PageOffset,
      total: PageTotal,
      nextCursor: Type.Optional(NextCursor),
    },
    { examples: [{ data: [example], limit: 50, offset: 0, total: 1 }] },
  );

const ListTotal = Named("ListTotal", Int64("How many records there are."));

/** The envelope of a list that is returned whole. */
export const whole = <Item extends TObject>(name: string, item: Item, example: Static<Item>) =>
  Body(name, { data: Type.Array(item), total: ListTotal }, { examples: [{ data: [example], total: 1 }] });

export type { Static };

interface Options {
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly minLength?: number;
  readonly default?: unknown;
}

function describe(description: string | undefined): { description?: string } {
  return description === undefined ? {} : { description };
}
