const waiting: (() => void)[] = [];
/** When the long work of this turn of the event loop has had enough; undefined until some begins. */
let enoughAt: number | undefined;

/**
 * The next turn of the event loop for long work: one piece of such work to each turn, in the order in which they are asked
 * for. Ten long answers that each took a few milliseconds of every turn would make every other caller wait for all ten.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(give);
  });
}

/** Whether long work, all of it together, has had this turn of the event loop for long enough. */
export function isTurnOver(): boolean {
  const now = performance.now();
  if (enoughAt === undefined) {
    enoughAt = now + SLICE_MS;
    setImmediate(endTurn);
  }
  return now >= enoughAt;
}

/** Long work goes on in many short slices: others wait for one of them, and a turn costs it a hundredth of that. */
const SLICE_MS = 0.2;

function give(): void {
  endTurn();
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(give);
}

function endTurn(): void {
  enoughAt = undefined;
}
