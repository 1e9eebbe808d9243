import fc from "fast-check";

/** As much of a JSON Schema as our document uses. */
export interface SchemaNode {
  readonly $ref?: string;
  /** Two if it may be null, the other one first. */
  readonly type?: string | readonly [string, "null"];
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: SchemaNode;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
}

/** Makes values out of the schemas of a document: such as they describe, and such as they do not. */
export class Schemas {
  readonly #components: Readonly<Record<string, SchemaNode>>;
  readonly #ids: readonly string[];
  readonly #known: Readonly<Record<string, fc.Arbitrary<unknown>>>;

  /**
   * `ids` are those of stored records: among random ones they lead to what exists. `known` are values for members
   * and parameters of these names that lead further than random ones.
   */
  constructor(
    document: object,
    ids: readonly string[],
    known: Readonly<Record<string, fc.Arbitrary<unknown>>> = {},
  ) {
    this.#components = (
      document as { components: { schemas: Record<string, SchemaNode> } }
    ).components.schemas;
    this.#ids = ids;
    this.#known = known;
  }

  /** Values that the schema allows for a member or parameter of this name. */
  validNamed(name: string, schema: SchemaNode): fc.Arbitrary<unknown> {
    const known = Object.hasOwn(this.#known, name) ? this.#known[name] : undefined;
    const valid = this.valid(schema);
    return known ? fc.oneof({ weight: 4, arbitrary: known }, { weight: 1, arbitrary: valid }) : valid;
  }

  /** Values that the schema allows. */
  valid(schema: SchemaNode): fc.Arbitrary<unknown> {
    const node = this.#resolve(schema);
    if (Array.isArray(node.type)) {
      const value = this.valid({ ...node, type: node.type[0] as string });
      return fc.oneof({ weight: 3, arbitrary: value }, { weight: 1, arbitrary: fc.constant(null) });
    }
    if (node.enum) return fc.constantFrom(...node.enum);
    switch (node.type) {
      case "string":
        return this.#string(node);
      case "integer":
        return integer(node);
      case "boolean":
        return fc.boolean();
      case "array":
        return fc.array(this.valid(node.items ?? {}), {
          minLength: node.minItems ?? 0,
          maxLength: Math.min(node.maxItems ?? 4, 4),
        });
      case "object":
        return this.#object(node);
      default:
        return fc.jsonValue({ maxDepth: 2 });
    }
  }

  /** Values that resemble what the schema allows, with something in them that it may not. */
  mutated(schema: SchemaNode): fc.Arbitrary<unknown> {
    const resolved = this.#resolve(schema);
    const node = Array.isArray(resolved.type) ? { ...resolved, type: resolved.type[0] as string } : resolved;
    if (node.type === "object" && node.properties) {
      const names = Object.keys(node.properties);
      const change = fc.oneof(
        fc.record({ kind: fc.constant("drop" as const), name: fc.constantFrom(...names) }),
        fc.record({ kind: fc.constant("set" as const), name: hostileName, value: hostileValue }),
        ...names.map((name) =>
          fc.record({
            kind: fc.constant("set" as const),
            name: fc.constant(name),
            value: fc.oneof(hostileValue, this.mutated(node.properties?.[name] ?? {})),
          }),
        ),
      );
      return fc.tuple(this.valid(node), fc.array(change, { minLength: 1, maxLength: 4 })).map(apply);
    }
    if (node.type === "array") {
      return fc.oneof(
        hostileValue,
        fc.array(fc.oneof(this.valid(node.items ?? {}), hostileValue), { maxLength: 5 }),
        fc.constant(Array.from({ length: (node.maxItems ?? 200) + 1 }, () => this.#ids[0] ?? "")),
      );
    }
    return fc.oneof(hostileValue, this.valid(node));
  }

  #resolve(schema: SchemaNode): SchemaNode {
    const name = schema.$ref?.split("/").pop();
    if (name === undefined) return schema;
    const component = this.#components[name];
    if (!component) throw new Error(`the document has no schema ${name}`);
    return component;
  }

  #object(node: SchemaNode): fc.Arbitrary<unknown> {
    const members = Object.entries(node.properties ?? {}).map(([name, member]) => {
      const value = this.validNamed(name, member);
      return [name, node.required?.includes(name) ? value : fc.option(value, { nil: undefined })] as const;
    });
    return fc.record(Object.fromEntries(members)).map(defined);
  }

  #string(node: SchemaNode): fc.Arbitrary<string> {
    switch (node.format) {
      case "uuid":
        return fc.oneof(
          fc.constantFrom(...this.#ids),
          fc.uuid(),
          fc.uuid().map((id) => id.toUpperCase()),
        );
      case "date":
        return day(1900, 2026);
      case "date-time":
        return instant;
      case "email":
        return email;
      default:
        return text(node);
    }
  }
}

function defined(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}

type Change =
  | { readonly kind: "drop"; readonly name: string }
  | { readonly kind: "set"; readonly name: string; readonly value: unknown };

function apply([value, changes]: [unknown, readonly Change[]]): unknown {
  const members = new Map(Object.entries(value as object));
  for (const change of changes) {
    if (change.kind === "drop") members.delete(change.name);
    else members.set(change.name, change.value);
  }
  // Also for `__proto__`, which an assignment would take for something else.
  return Object.fromEntries(members);
}

function integer({ minimum = -1000, maximum = 1000 }: SchemaNode): fc.Arbitrary<number> {
  return fc.oneof(
    fc.constantFrom(minimum, maximum),
    fc.integer({ min: minimum, max: Math.min(maximum, minimum + 300) }),
    fc.maxSafeInteger().filter((value) => value >= minimum && value <= maximum),
  );
}

const padded = (value: number, length: number) => String(value).padStart(length, "0");

function day(first: number, last: number): fc.Arbitrary<string> {
  return fc
    .tuple(
      fc.integer({ min: first, max: last }),
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 28 }),
    )
    .map(([year, month, date]) => `${padded(year, 4)}-${padded(month, 2)}-${padded(date, 2)}`);
}

const clock = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }), fc.integer({ min: 0, max: 59 }))
  .map((parts) => parts.map((part) => padded(part, 2)).join(":"));

const zone = fc.oneof(
  fc.constantFrom("Z", "z", "+00:00", "-00:00", "+23:59", "-23:59"),
  fc
    .tuple(fc.constantFrom("+", "-"), fc.integer({ min: 0, max: 14 }), fc.constantFrom("00", "30", "45"))
    .map(([sign, hour, minute]) => `${sign}${padded(hour, 2)}:${minute}`),
);

const instant = fc
  .tuple(
    fc.oneof({ weight: 4, arbitrary: day(2024, 2027) }, { weight: 1, arbitrary: day(1, 9999) }),
    fc.constantFrom("T", "t"),
    clock,
    fc.oneof(
      fc.constant(""),
      fc.integer({ min: 0, max: 999_999_999 }).map((digits) => `.${digits}`),
    ),
    zone,
  )
  .map((parts) => parts.join(""));

const email = fc
  .tuple(fc.stringMatching(/^[a-z0-9+_-]{1,20}$/), fc.stringMatching(/^[a-z0-9]{1,20}\.[a-z]{2,6}$/))
  .map(([local, host]) => `${local}@${host}`);

const scripts = fc.oneof(
  { weight: 6, arbitrary: fc.string({ unit: "grapheme-ascii", maxLength: 30 }) },
  { weight: 4, arbitrary: fc.string({ unit: "grapheme", maxLength: 20 }) },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 20 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("José %_\\ ñ", "שלום עולם", "\u202eabc\u202c", "𝒳👩‍👩‍👧", "ﷺﷺ", "İıßẞ"),
  },
);

function text(node: SchemaNode): fc.Arbitrary<string> {
  if (node.pattern === "^[A-Z]{3}$") return fc.stringMatching(/^[A-Z]{3}$/);
  const longest = fc.constant("é".repeat(node.maxLength ?? 1));
  const clean = scripts.map((value) => value.replace(/[\p{Cc}\p{Cs}]/gu, "").trim());
  const least = node.minLength ?? 0;
  return fc
    .oneof({ weight: 20, arbitrary: clean }, { weight: 1, arbitrary: longest })
    .map((value) => ([...value].length < least ? "x".repeat(least) : value))
    .map((value) => [...value].slice(0, node.maxLength ?? 200).join(""))
    .map((value) => (least > 0 && value.trim() === "" ? "x" : value));
}

const hostileName = fc.constantFrom(
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "$ref",
  "ContactName",
  "contactName ",
  "",
  "\u0000",
  "a/b~c",
  "a".repeat(64),
  "a".repeat(5000),
  "é".repeat(40),
);

/** Texts that have broken programs before. */
export const HOSTILE_TEXTS: readonly string[] = [
  "",
  " ",
  "\u0000",
  "a\u0000b",
  "\ud800",
  "a\udfffb",
  "\u202e\u2066abc\u2069",
  "\ufeff",
  "\u2028\u2029",
  "\u0085",
  "\u001b[31m",
  "ﷺ".repeat(50),
  "Z̷͖͑a̴͝l̸̈g̶̿o".repeat(20),
  "' or '1'='1",
  "'; drop table clients; --",
  "$1",
  "%",
  "_",
  "\\",
  "%00",
  "../../etc/passwd",
  "<script>alert(1)</script>",
  "{{7*7}}",
  "#{7*7}",
  "null",
  "undefined",
  "NaN",
  "Infinity",
  "1e400",
  "-0",
  "9223372036854775807",
  "9223372036854775808",
  "-9223372036854775809",
  "9007199254740993",
  "0x10",
  "٣",
  "１",
  "1_000",
  "2026-02-30",
  "2025-02-29",
  "0000-01-01",
  "2026-13-01",
  "2026-11-15T24:00:00Z",
  "2026-11-15T23:59:60Z",
  "2026-11-15T09:30:00+25:00",
  "2026-11-15T09:30:00",
  "2026-11-15 09:30:00Z",
  "+10000-01-01T00:00:00Z",
  "275760-09-13T00:00:00Z",
  "00000000-0000-0000-0000-000000000000",
  "ffffffff-ffff-ffff-ffff-ffffffffffff",
  "{019a8f2e-7c3b-7d10-9f44-2b6a1c0e5d31}",
  "019a8f2e7c3b7d109f442b6a1c0e5d31",
  "a@b",
  "@",
  "a@b.c@d.e",
  "111.111.111-11",
  "529.982.247-26",
  "x".repeat(201),
  "x".repeat(10_001),
];

export const hostileText = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...HOSTILE_TEXTS) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
  // Code units at random: many are unpaired surrogates.
  {
    weight: 1,
    arbitrary: fc
      .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 })
      .map((units) => String.fromCharCode(...units)),
  },
);

const nested = fc.tuple(fc.integer({ min: 2, max: 60 }), fc.boolean()).map(([depth, isArray]) => {
  let value: unknown = 1;
  for (let i = 0; i < depth; i++) value = isArray ? [value] : { ["n".repeat(64)]: value };
  return value;
});

const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.constantFrom(null, true, false, 0, -1, 1.5, 2 ** 31, 2 ** 53, 1e308, -(2 ** 63)),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom([], {}, [null], [[]], [{}], { type: null }, { __proto__: null }),
  nested,
  fc.jsonValue({ maxDepth: 3 }),
);
