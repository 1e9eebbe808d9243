interface Named {
  readonly id: string;
  readonly name: string;
  readonly phone?: string | undefined;
}

const SHOWN_DIGITS = 4;

/** The last digits of the phone of each person whose name somebody else in the list has too: `…4321`. */
export function phoneEnds(people: readonly Named[]): ReadonlyMap<string, string> {
  const ids = new Map<string, Set<string>>();
  for (const { id, name } of people) {
    const key = keyOf(name);
    ids.set(key, (ids.get(key) ?? new Set()).add(id));
  }
  const ends = people.flatMap(({ id, name, phone = "" }): [string, string][] => {
    const digits = phone.replace(/\D/g, "").slice(-SHOWN_DIGITS);
    return (ids.get(keyOf(name))?.size ?? 0) > 1 && digits !== "" ? [[id, `…${digits}`]] : [];
  });
  return new Map(ends);
}

const keyOf = (name: string) =>
  name.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().trim().replace(/\s+/g, " ");
