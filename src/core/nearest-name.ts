/** No name of ours is longer, and what is longer was not meant to be one. */
const LONGEST = 64;
/** A shorter part of a name is a part of many. */
const SHORTEST_PART = 4;

/**
 * The known name that a misspelt one most likely stands for, if one is near: `clientID` and `client_id` are `clientId`,
 * `statsu` is `status`, `email` is `contactEmail`. The work is bounded: names have at most 64 characters.
 */
export function nearestName(given: string, known: readonly string[]): string | undefined {
  if (given.length > LONGEST) return undefined;
  const letters = lettersOf(given);
  let nearest: string | undefined;
  let leastEdits = mostEdits(letters) + 1;
  for (const name of known) {
    const edits = countEdits(letters, lettersOf(name), leastEdits);
    if (edits < leastEdits) [nearest, leastEdits] = [name, edits];
  }
  return nearest ?? known.find((name) => isPart(letters, lettersOf(name)));
}

/** Names that differ in nothing else are the same to who types them. */
function lettersOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

function mostEdits({ length }: string): number {
  return length < 3 ? 0 : Math.min(3, Math.max(1, Math.floor(length / 4)));
}

function isPart(one: string, other: string): boolean {
  const [shorter, longer] = one.length < other.length ? [one, other] : [other, one];
  return shorter.length >= SHORTEST_PART && (longer.startsWith(shorter) || longer.endsWith(shorter));
}

/** Letters to insert, leave out, replace or swap with their neighbour; `enough` if it is no fewer. */
function countEdits(one: string, other: string, enough: number): number {
  if (Math.abs(one.length - other.length) >= enough) return enough;
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1];
      const isSwapped = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      next[j] = Math.min(
        at(row, j) + 1,
        at(next, j - 1) + 1,
        at(row, j - 1) + (isSame ? 0 : 1),
        isSwapped && i > 1 && j > 1 ? at(before, j - 2) + 1 : enough,
      );
    }
    [before, row] = [row, next];
  }
  return Math.min(enough, at(row, other.length));
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
