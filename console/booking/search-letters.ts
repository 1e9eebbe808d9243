/** From how many letters on clients are searched. */
export const LEAST_LETTERS = 2;
