import { fold, searchTerms } from "../../core/search.ts";
import type { Database } from "../../db/database.ts";
import { byShape } from "../../db/pages.ts";
import { replanned } from "../../db/statements.ts";
import { runningContracts, TRIGRAM } from "./list-queries.ts";
import type { ClientStatus, FoundPerson } from "./schema.ts";

/** How many that match are looked at, to show the best of them. */
const MOST_MATCHES = 200;
/** Too short to be looked up anywhere in a word: the index would be read from end to end. */
const SHORT = /^%([a-z0-9]{1,2})%$/;
/** Begins the next word of a name. */
const SHORT_WORD = /^[a-z]{1,2}$/;

interface PeopleShape {
  /** A letter for each term: `i` if the index is asked for it, `f` if what was found is filtered by it. */
  readonly terms: string;
  readonly byStatus: boolean;
}

export interface PeopleFilter {
  readonly query: string;
  readonly status?: ClientStatus;
  readonly limit: number;
}

// Nobody counts the matches, so it ends as soon as there are enough of them: for two letters that every tenth client has,
// that is after some thousand of 200,000.
const findStatement = byShape(({ terms, byStatus }: PeopleShape) => {
  const conditions = [
    ...(byStatus ? [" and c.status = $5"] : []),
    ...[...terms].map((kind, place) => {
      // Of an expression instead of the column the index is not asked.
      const text = kind === "i" ? "c.search" : "(c.search || '')";
      return ` and ${text} like any($${place + (byStatus ? 6 : 5)}::text[])`;
    }),
  ];
  return replanned(
    `select r.id, r.contact_name as "contactName", r.contact_email as "contactEmail",
       r.contact_phone as "contactPhone", r.status, ${runningContracts}
     from (
       select * from (
         select c.* from clients c where c.organization_id = $1${conditions.join("")} limit $2
       ) m
       order by m.status, ${fit("m")} desc, m.contact_name, m.id limit $4
     ) r
     order by r.status, ${fit("r")} desc, r.contact_name, r.id`,
  );
});

/** In how many ways of beginning as `$3` has them a name does. */
function fit(table: string): string {
  return `(select count(*) from unnest($3::text[]) b (pattern) where ${table}.search like b.pattern)`;
}

/**
 * Some of the clients whom the terms match, those in use first. A term of one or two letters matches where a word begins,
 * as people type names; a longer one anywhere. For "ana s" Ana Souza comes first, then Ana Paula Souza, then another Ana with an
 * s at the beginning of something else, such as an address.
 */
export async function findPeople(
  db: Database,
  organizationId: string,
  { query, status, limit }: PeopleFilter,
): Promise<FoundPerson[]> {
  const terms = searchTerms(query);
  if (terms.length === 0) return [];
  const looked = terms.map(({ pattern, otherPatterns }) => {
    const short = SHORT.exec(pattern)?.[1];
    if (short !== undefined) return { kind: "i", patterns: [`${short}%`, `% ${short}%`, `%\n${short}%`] };
    const patterns = [pattern, ...otherPatterns];
    return { kind: patterns.every((one) => TRIGRAM.test(one)) ? "i" : "f", patterns };
  });
  const words = fold(query)
    .split(/\s+/)
    .filter((word) => word !== "");
  // "ana a": a letter that another word has too asks for more all the same.
  const dropped = words
    .slice(1)
    .filter((word) => SHORT_WORD.test(word) && !terms.some(({ pattern }) => pattern === `%${word}%`))
    .map((word) => ({ kind: "f", patterns: [`% ${word}%`] }));
  looked.push(...dropped);
  const plain = words.map((word) => word.replace(/[\\%_]/g, "\\$&"));
  const beginnings = [`${plain[0]}%`, `${plain.join("% ")}%`, `${plain.join(" ")}%`];
  const shape = {
    terms: looked.map(({ kind }) => kind).join(""),
    byStatus: status !== undefined,
  };
  return db.query<FoundPerson>(findStatement(shape), [
    organizationId,
    MOST_MATCHES,
    beginnings,
    limit,
    ...(status === undefined ? [] : [status]),
    ...looked.map(({ patterns }) => patterns),
  ]);
}
