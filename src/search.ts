/**
 * How text is searched: lower case, without accents, by terms that must all occur. What is stored for a record
 * and what is asked for go through the same folding, so that no database locale has a say.
 */

/** Stands between the text of a record and its codes; it cannot occur in either. */
const CODES = "\u0001";

export function fold(text: string): string {
  return text
    .normalize("NFKD")
    .toLowerCase()
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .replaceAll("ς", "σ");
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

/** The LIKE patterns of each term: a record matches a term if any of its patterns does. */
export function searchPatterns(query: string): string[][] {
  const terms = query.split(/\s+/).filter((term) => term !== "");
  return [...new Set(terms.map(fold))].map((term) => {
    const stripped = stripPunctuation(term);
    // Without its punctuation a term may match codes, but no other text.
    return stripped === term || stripped === ""
      ? [`%${literal(term)}%`]
      : [`%${literal(term)}%`, `%${CODES}%${stripped}%`];
  });
}

function stripPunctuation(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, "");
}

function literal(term: string): string {
  return term.replace(/[\\%_]/g, "\\$&");
}
