import type { Language } from "./languages.ts";

/** The first one takes a slow phone a while to make, so it is made when there is something to compare. */
const collators = new Map<Language, Intl.Collator>();

/** Sorted by name as a language does: "Álvaro" before "Bruno". Those of one name stay as they are. */
export function inOrderOf<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  language: Language,
): Item[] {
  return [...items].sort((one, other) => collatorOf(language).compare(nameOf(one), nameOf(other)));
}

function collatorOf(language: Language): Intl.Collator {
  let collator = collators.get(language);
  if (!collator) {
    collator = new Intl.Collator(language);
    collators.set(language, collator);
  }
  return collator;
}
