import Type from "../../core/schema-type.ts";
import type { DeclaredOperation, PlainJson } from "./operation-calls.ts";

/** What a list of an operation is asked for with by a model: short pages, and no way to skip. */
export const PAGE = { most: 50, usual: 20 };

/** The members that select and page a list, without those that only programs use. */
export function listArguments({ query }: DeclaredOperation) {
  const { limit: _limit, offset: _offset, include: _include, ...filters } = query?.properties ?? {};
  return {
    ...filters,
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: PAGE.most,
        default: PAGE.usual,
        description: "How many records at the most.",
      }),
    ),
  };
}

/** Arguments as the query of a request. */
export function queryOf(args: PlainJson): Record<string, string> {
  const { limit = PAGE.usual, ...filters } = args;
  return Object.fromEntries(
    Object.entries({ ...filters, limit }).map(([name, value]) => [name, String(value)]),
  );
}

/** A page of a list, with other records in their place. */
export function pageOf({ total, nextCursor }: PlainJson, data: readonly PlainJson[]): PlainJson {
  return { data, total, ...(nextCursor !== undefined && { nextCursor }) };
}
