/** Which share of long lists this run takes; without one, it takes the whole of each. */
const turn =
  process.env.ROLLBOOK_TEST_TURN === undefined ? undefined : Number(process.env.ROLLBOOK_TEST_TURN);

/** Ends the name of a test that takes a share, so that it does not promise more. */
export const A_SHARE = turn === undefined ? "" : " (a share of them)";

/**
 * Whether the case at a place of a long list is for this run, which takes one of so many: `npm test` another share in each
 * run, `npm run test:all` and a run of some files the whole.
 */
export function isDue(place: number, parts: number): boolean {
  return turn === undefined || (place + turn) % parts === 0;
}

/** Of a long list of cases of one kind, those that are for this run. */
export function shareOf<Case>(cases: readonly Case[], parts: number): Case[] {
  return cases.filter((_, place) => isDue(place, parts));
}
