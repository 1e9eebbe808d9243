/** Whether each word that was typed begins a word of the name, each one of its own, whatever the accents. */
export function fitsName(name: string, typed: string): boolean {
  return rankOfName(name, typed) !== undefined;
}

/**
 * How well a name fits, less is better; undefined if it does not.
 *
 *     "ana s": 0 Ana Souza · 1 Ana Paula Souza · 2 Sara Ana · none Ana Lima
 */
export function rankOfName(name: string, typed: string): number | undefined {
  const parts = wordsOf(name);
  const words = wordsOf(typed);
  if (!haveOwnParts(words, parts)) return undefined;
  if (words.every((word, place) => isBegunBy(parts, place, word))) return 0;
  return isBegunBy(parts, 0, words[0] ?? "") ? 1 : 2;
}

const isBegunBy = (parts: readonly string[], place: number, word: string) =>
  parts[place]?.startsWith(word) === true;

/** The longest words choose first: what they could take, the shorter ones could take as well. */
function haveOwnParts(words: readonly string[], parts: readonly string[]): boolean {
  const left = [...parts];
  return [...words]
    .sort((one, other) => other.length - one.length)
    .every((word) => {
      const place = left.findIndex((part) => part.startsWith(word));
      if (place < 0) return false;
      left.splice(place, 1);
      return true;
    });
}

function wordsOf(text: string): string[] {
  return text
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
}
