import { isDeepStrictEqual } from "node:util";

/** What of two forms of a record is another, before and after: what an audit entry says of a change. */
export function differences(
  before: object,
  after: object,
): { readonly before: Record<string, unknown>; readonly after: Record<string, unknown> } {
  const [was, is] = [before, after] as Readonly<Record<string, unknown>>[];
  const changed = changedMembers(before, after);
  const pick = (record: Readonly<Record<string, unknown>> = {}) =>
    Object.fromEntries(changed.map((name) => [name, record[name]]));
  return { before: pick(was), after: pick(is) };
}

/** The names of the members that are another: all that is said of a change to personal data. */
export function changedMembers(before: object, after: object): string[] {
  const [was, is] = [before, after] as Readonly<Record<string, unknown>>[];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !isDeepStrictEqual(was?.[name], is?.[name]),
  );
}
