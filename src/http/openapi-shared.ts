import type { Json } from "./openapi-schemas.ts";

/** The parts of a document that several operations have alike: each is written once, and they refer to it. */

/** One place of an operation where something stands that others may have too. */
export interface SharablePart {
  /** What it is called if it is the only one of its name: `limit`, `unauthorized`. */
  readonly name: string;
  readonly operationId: string;
  readonly part: Json;
  /** Puts a reference in its place. */
  readonly replace: (reference: Json) => void;
}

/**
 * Gives the components, by name, and leaves references to them. What one operation alone has stays where it is. Of several
 * parts with one name the one that most operations have gets it, and the others are called after the first operation that
 * has them: `limit` of three lists is `limit`, that of two others `limit.listChanges`.
 */
export function shareRepeated(parts: readonly SharablePart[], folder: string): Json {
  const byName = new Map<string, Map<string, SharablePart[]>>();
  for (const part of parts) {
    const alike = byName.get(part.name) ?? new Map<string, SharablePart[]>();
    const text = JSON.stringify(part.part);
    byName.set(part.name, alike.set(text, [...(alike.get(text) ?? []), part]));
  }
  const components: Json = {};
  for (const [name, alike] of [...byName].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const repeated = [...alike.values()].filter(({ length }) => length > 1);
    const mostUsed = repeated.toSorted((one, other) => other.length - one.length)[0];
    for (const uses of repeated) {
      const [first] = uses as [SharablePart, ...SharablePart[]];
      const key = uses === mostUsed ? name : `${name}.${first.operationId}`;
      components[key] = first.part;
      for (const { replace } of uses) replace({ $ref: `#/components/${folder}/${key}` });
    }
  }
  return components;
}
