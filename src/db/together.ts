/**
 * Two parts of a transaction whose statements travel together, those of the first ahead. Both come to their end before a
 * failure is told, the first one's first: nothing may be sent any more to a transaction that is rolled back.
 */
export async function together<First, Second>(
  first: First | Promise<First>,
  second: Second | Promise<Second>,
): Promise<[First, Second]> {
  await Promise.allSettled([first, second]);
  return [await first, await second];
}
