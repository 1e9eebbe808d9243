/** With `EVERY_CASE=1` a test that takes some of many like cases takes them all. */
export const TAKES_EVERY_CASE = process.env.EVERY_CASE === "1";

/** The first of every so many: the same ones in each run, from beginning to end. */
export function oneIn<Case>(count: number, cases: readonly Case[]): readonly Case[] {
  return TAKES_EVERY_CASE ? cases : cases.filter((_, index) => index % count === 0);
}
