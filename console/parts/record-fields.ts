import { useRef, useState } from "preact/hooks";
import type { ContestedPart } from "./contested.tsx";

/** The fields of a form over a record that others may change meanwhile. */
export interface RecordFields<Fields> {
  readonly fields: Fields;
  readonly isChanged: boolean;
  readonly set: (changed: Partial<Fields>) => void;
  /**
   * Those of the fields with these labels that somebody else has changed too, with what is stored. What was sent from here
   * is nobody else's.
   */
  readonly contested: (described: Described<Fields>, sent?: Fields) => readonly ContestedPart[];
}

/** A label for each field, and what is stored in words. */
type Described<Fields> = { readonly [Field in keyof Fields]-?: readonly [label: string, stored: string] };

/**
 * What nobody has typed into here follows what others save. Where both wrote, what was typed stays and is contested.
 * Example: over { name: "Yoga", kind: "person" } "Yin" is typed. Somebody saves { name: "Yoga", kind: "room" }: the form has
 * { name: "Yin", kind: "room" }. Somebody saves { name: "Hatha", kind: "room" }: it still has "Yin", and the name is contested.
 */
export function useRecordFields<Fields extends object>(stored: Fields): RecordFields<Fields> {
  // What was typed, and over what.
  const [{ typed, over }, setTyping] = useState<{
    readonly typed: Partial<Fields>;
    readonly over: Partial<Fields>;
  }>({ typed: {}, over: {} });
  const own = namesOf<Fields>(typed).filter((name) => !isSame(typed[name], over[name]));
  const fields = { ...stored, ...only<Fields>(typed, own) };
  return {
    fields,
    isChanged: !own.every((name) => isSame(typed[name], stored[name])),
    set: (changed) =>
      setTyping((typing) => ({
        typed: { ...typing.typed, ...changed },
        // A field that shows what is stored, also after "take theirs", is typed over that.
        over: {
          ...typing.over,
          ...only<Fields>(
            stored,
            namesOf<Fields>(changed).filter((name) => isSame(typing.typed[name], typing.over[name])),
          ),
        },
      })),
    contested: (described, sent) =>
      own
        .filter(
          (name) => ![over[name], typed[name], sent?.[name]].some((known) => isSame(stored[name], known)),
        )
        .map((name) => ({
          label: described[name][0],
          text: described[name][1],
          onTake: () =>
            setTyping((typing) => ({ ...typing, over: { ...typing.over, [name]: typing.typed[name] } })),
        })),
  };
}

/**
 * The record of a form and whether it is gone. It stays as it was last when somebody deletes it: what was typed is not taken
 * away without a word. `opened` is where the form is, as the address has it.
 */
export function useFormRecord<Found>(opened: string | undefined, found: Found | undefined) {
  const last = useRef<{ readonly opened: string | undefined; readonly record: Found }>(undefined);
  if (found !== undefined) last.current = { opened, record: found };
  const record = last.current?.opened === opened ? last.current?.record : undefined;
  return { record, isGone: record !== undefined && found === undefined };
}

/**
 * What an edit changes: the members that differ, and with them those that belong to them. The other way round it is the undo.
 */
export function differences<Content extends object>(
  before: Content,
  after: Content,
  together: readonly (readonly (keyof Content)[])[] = [],
): Partial<Content> {
  const changed = namesOf<Content>(after).filter((name) => !isSame(before[name], after[name]));
  const along = together.filter((names) => names.some((name) => changed.includes(name))).flat();
  return only<Content>(after, [...changed, ...along]);
}

function namesOf<Some extends object>(some: Partial<Some>): (keyof Some)[] {
  return Object.keys(some) as (keyof Some)[];
}

function only<Some extends object>(some: Partial<Some>, names: readonly (keyof Some)[]): Partial<Some> {
  return Object.fromEntries(names.map((name) => [name, some[name]])) as Partial<Some>;
}

/** Lists of ids have no order. */
export function isSame(one: unknown, other: unknown): boolean {
  const text = (value: unknown) =>
    JSON.stringify(
      Array.isArray(value) && value.every((item) => typeof item === "string") ? [...value].sort() : value,
    );
  return text(one) === text(other);
}
