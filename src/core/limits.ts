/** How many faults of one input are told at once. */
export const MAX_FAULTS = 100;
