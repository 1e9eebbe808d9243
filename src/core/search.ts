/**
 * How text is searched: without regard to case and accents, by terms that must all occur. What is stored for a
 * record and what is asked for go through the same folding, so that no database locale has a say.
 */

/** Stands between the text of a record and its codes; it cannot occur in either. */
const CODES = "\u0001";

/** The blocks of combining diacritical marks. Vowel signs of other scripts are letters, not accents. */
const ACCENTS = /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]/g;

/** Letters whose stroke or joint Unicode does not take apart, as they are typed where a keyboard lacks them. */
const PLAIN: Readonly<Record<string, string>> = {
  æ: "ae",
  đ: "d",
  ð: "d",
  ħ: "h",
  ł: "l",
  ø: "o",
  œ: "oe",
  ŧ: "t",
  ς: "σ",
};
const NOT_PLAIN = new RegExp(`[${Object.keys(PLAIN).join("")}]`, "g");

const ASCII = /^[\0-\x7f]*$/;

/** Two texts that differ only in case and accents fold to the same text. */
export function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  const bare = text.normalize("NFKD").replace(ACCENTS, "");
  // By way of upper case, which unites what has several lower-case forms: ß and ss, ı and i.
  const folded = bare.toLowerCase().toUpperCase().toLowerCase();
  return folded
    .normalize("NFKD")
    .replace(ACCENTS, "")
    .replace(NOT_PLAIN, (letter) => PLAIN[letter] ?? letter);
}

/**
 * The searchable text of a record. `codes` (phones, documents) stand in it twice: as they are, and stripped of
 * punctuation, so that 529.982.247-25 and 52998224725 find the same record.
 */
export function searchText(
  texts: readonly (string | undefined)[],
  codes: readonly (string | undefined)[] = [],
): string {
  const given = (parts: readonly (string | undefined)[]) =>
    parts.filter((part) => part !== undefined).map(fold);
  const plain = [...given(texts), ...given(codes)].join("\n");
  const stripped = given(codes).map(stripPunctuation).join("\n");
  return stripped === "" ? plain : `${plain}${CODES}${stripped}`;
}

/** A word of a query as LIKE patterns: a record matches if either does. */
export interface Term {
  readonly pattern: string;
  /** Without its punctuation a term may match the codes of a record, but no other text of it. */
  readonly codePattern?: string;
}

/** The terms of a query. Split after folding, which turns some characters into white space. */
export function searchTerms(query: string): Term[] {
  const words = fold(query)
    .split(/\s+/)
    .filter((word) => word !== "");
  return [...new Set(words)].map((word) => {
    const pattern = `%${word.replace(/[\\%_]/g, "\\$&")}%`;
    const stripped = stripPunctuation(word);
    return stripped === word || stripped === ""
      ? { pattern }
      : { pattern, codePattern: `%${CODES}%${stripped}%` };
  });
}

function stripPunctuation(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, "");
}
