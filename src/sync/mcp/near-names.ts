import { fold } from "../../core/search.ts";

/** Names that are written nearly as somebody has asked for: `Beatris Nogeira` is near `Beatriz Nogueira`. Pure. */

/** How many words of a name are looked for. */
const MAX_WORDS = 3;
const SHORTEST_WORD = 3;
/** From here on two names are near: half of their pairs of letters or more are the same. */
const NEAR = 0.5;

/** Searches that may find what was meant: the beginnings of all words together, then the better part of each alone. */
export function nearQueries(query: string): string[] {
  if (/[\d@]/.test(query)) return [];
  const words = wordsOf(query).slice(0, MAX_WORDS);
  const beginnings = words.map((word) => word.slice(0, SHORTEST_WORD)).join(" ");
  const parts = words.flatMap((word) => {
    const length = Math.max(SHORTEST_WORD, Math.ceil(word.length * 0.6));
    return [word.slice(0, length), word.slice(-length)];
  });
  return [...new Set([beginnings, ...parts])].filter((part) => part !== "");
}

/** How much two names are alike, from 0 to 1: by the best match of each word that was asked for. */
function likeness(query: string, name: string): number {
  const asked = wordsOf(query);
  const found = wordsOf(name);
  if (asked.length === 0 || found.length === 0) return 0;
  const sum = asked.reduce(
    (total, word) => total + Math.max(...found.map((other) => likenessOfWords(word, other))),
    0,
  );
  return sum / asked.length;
}

/** Those that are near, the nearest first. */
export function nearest<Item>(query: string, items: readonly Item[], nameOf: (item: Item) => string): Item[] {
  return items
    .map((item) => ({ item, score: likeness(query, nameOf(item)) }))
    .filter(({ score }) => score >= NEAR)
    .sort((a, b) => b.score - a.score)
    .map(({ item }) => item);
}

function wordsOf(text: string): string[] {
  return fold(text.slice(0, 200))
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length >= SHORTEST_WORD);
}

/** Twice the pairs of neighbouring letters that both have, of all their pairs; the ends of a word count as letters. */
function likenessOfWords(one: string, other: string): number {
  const pairs = pairsOf(one);
  const rest = pairsOf(other);
  const total = pairs.length + rest.length;
  let common = 0;
  for (const pair of pairs) {
    const place = rest.indexOf(pair);
    if (place < 0) continue;
    rest.splice(place, 1);
    common++;
  }
  return (2 * common) / total;
}

function pairsOf(word: string): string[] {
  const padded = ` ${word} `;
  return Array.from({ length: padded.length - 1 }, (_, at) => padded.slice(at, at + 2));
}
