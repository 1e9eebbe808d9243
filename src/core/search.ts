import type { Fault } from "./errors.ts";
import { MAX_TERMS } from "./limits.ts";

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

const PLAIN_WORD = /^[a-z0-9]*$/;

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

/** A word of a query as LIKE patterns: a record matches if any of them does. */
export interface Term {
  readonly pattern: string;
  /** What may stand instead: the word with another apostrophe, or what is found among the codes of a record alone. */
  readonly otherPatterns: readonly string[];
}

/** The faults of a query as a whole. One that is too long, which its schema reports, is not taken apart. */
export function checkSearch({ query }: { readonly query?: unknown }): Fault[] {
  if (typeof query !== "string" || query.length > MAX_CHECKED_LENGTH) return [];
  // A word gives two terms at the most. Nearly every query has few enough, and need not be taken apart twice.
  if (wordsOf(query).length * 2 <= MAX_TERMS) return [];
  return searchTerms(query).length > MAX_TERMS
    ? [{ location: "query.query", code: "too_many", params: { max: MAX_TERMS }, phrase: "search_terms" }]
    : [];
}

/** In UTF-16 units: twice the code points that a query may have. */
const MAX_CHECKED_LENGTH = 400;

/** The terms of a query. */
export function searchTerms(query: string): Term[] {
  const terms = phoneRuns(wordsOf(query)).flatMap((run) => {
    const phone = readPhone(run);
    if (!phone) return run.map((word) => toTerm(word, []));
    const anywhere = [`%${CODES}%${phone.national}%`];
    const [first = ""] = run;
    const whole = wholePatterns(phone);
    return [
      ...run.map((word) => toTerm(word, anywhere)),
      // Asked beside the others, whose few patterns the index finds.
      ...(whole.length > 0 ? [toTerm(first, whole)] : []),
    ];
  });
  const distinct = [...new Map(terms.map((term) => [JSON.stringify(term), term])).values()];
  return withoutParts(distinct).map(({ pattern, otherPatterns }) => ({ pattern, otherPatterns }));
}

/** Split after folding, which turns some characters into white space. */
function wordsOf(query: string): string[] {
  return fold(query)
    .split(/\s+/)
    .filter((word) => word !== "");
}

interface WordTerm extends Term {
  readonly word: string;
}

/** Who has `silva` has `a`: what is part of another term need not be looked for. */
function withoutParts(terms: readonly WordTerm[]): readonly WordTerm[] {
  // A query that may be asked has fewer. Each is compared with each, which must not be tried with any number.
  if (terms.length > MAX_COMPARED) return terms;
  const exact = terms.filter(({ otherPatterns }) => otherPatterns.length === 0).map(({ word }) => word);
  return terms.filter(({ word }) => !exact.some((other) => other !== word && other.includes(word)));
}

const MAX_COMPARED = 100;

function toTerm(word: string, phones: readonly string[]): WordTerm {
  const stripped = stripPunctuation(word);
  const bare = stripped === word || stripped === "" ? [] : [`%${CODES}%${stripped}%`];
  const [pattern = "", ...spellings] = apostropheSpellings(word).map(
    (spelling) => `%${spelling.replace(/[\\%_]/g, "\\$&")}%`,
  );
  return { word, pattern, otherPatterns: [...spellings, ...bare, ...phones] };
}

/** Typewriters have the first; phones and word processors put the second in its place, and sometimes the others. */
const APOSTROPHES = /['\u2019\u2018\u02bc]/g;

/**
 * The word as it is, then with its apostrophes as `'` and as `’`. Not folded to one of them: what is stored has both, as
 * people have typed it.
 */
function apostropheSpellings(word: string): string[] {
  if (PLAIN_WORD.test(word)) return [word];
  return [...new Set([word, word.replace(APOSTROPHES, "'"), word.replace(APOSTROPHES, "\u2019")])];
}

function stripPunctuation(text: string): string {
  // Nothing to strip from most words, and to find that out by Unicode's classes takes several times as long.
  return PLAIN_WORD.test(text) ? text : text.replace(/[^\p{L}\p{N}]/gu, "");
}

/*
 * Phones. What is stored is as people have written it, with or without a country code, a trunk zero or both. Whatever
 * of these a query has, the national number is looked for as well: `+55 11 98765-4321`, `011 98765-4321` and
 * `0055 11 98765 4321` all look for 11987654321, which every way of writing ends with. Each word of the phone matches
 * by itself, as any term does, or by the whole phone; so what was found by the words alone still is.
 */

const PHONE_WORD = /^[\d+()./-]+$/;
/** Those of one and two digits; all others have three. */
const COUNTRY_CODE = /^(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|[2-9]\d\d)/;

/** The words, each once; but those that may be one phone written with spaces stay together, in order. */
function phoneRuns(words: readonly string[]): string[][] {
  const runs: string[][] = [];
  const others = new Set<string>();
  let phone: string[] | undefined;
  for (const word of words) {
    const isOfPhone = PHONE_WORD.test(word) && /\d/.test(word);
    if (!isOfPhone) {
      others.add(word);
      phone = undefined;
    } else if (phone && !/^\(?\+/.test(word)) phone.push(word);
    else {
      phone = [word];
      runs.push(phone);
    }
  }
  return [...runs, ...[...others].map((word) => [word])];
}

/**
 * Ten digits in a row are the same phone, wherever they stand. Fewer may end the phone of another country: they must be
 * a whole phone but for its prefix.
 */
function wholePatterns({ countryCode, national }: Phone): string[] {
  if (countryCode === undefined || national.length >= 10) return [];
  const prefixes = ["", "0", countryCode, `${countryCode}0`, `00${countryCode}`, `00${countryCode}0`];
  return prefixes.flatMap((prefix) => [
    `%${CODES}${prefix}${national}%`,
    `%${CODES}%\n${prefix}${national}%`,
  ]);
}

interface Phone {
  readonly countryCode?: string;
  /** Without country code and trunk zero. */
  readonly national: string;
}

/** The phone that the words are, if it has a prefix that other ways of writing it lack. */
function readPhone(words: readonly string[]): Phone | undefined {
  const text = words.join("");
  if (!PHONE_WORD.test(text)) return undefined;
  const digits = text.replaceAll("(0)", "").replace(/\D/g, "");
  const international = internationalDigits(text, digits);
  if (international !== undefined) {
    const [countryCode] = COUNTRY_CODE.exec(international) ?? [];
    const national = international.slice(countryCode?.length).replace(/^0/, "");
    return countryCode !== undefined && /^[1-9]\d{7,11}$/.test(national)
      ? { countryCode, national }
      : undefined;
  }
  if (!digits.startsWith("0") && !text.includes("(0)")) return undefined;
  const national = digits.replace(/^0/, "");
  // Documents begin with a zero as well. Eleven digits in one piece after it are more than a document has.
  const isPhone = words.length > 1 || text.includes("(") || national.length >= 11;
  return isPhone && /^[1-9]\d{8,11}$/.test(national) ? { national } : undefined;
}

/** The digits from the country code on: after `+` or `00`, or of a number too long to be without one. */
function internationalDigits(text: string, digits: string): string | undefined {
  if (/^\(?\+/.test(text)) return digits;
  if (digits.startsWith("00")) return digits.slice(2);
  return digits.length >= 12 && !digits.startsWith("0") ? digits : undefined;
}
