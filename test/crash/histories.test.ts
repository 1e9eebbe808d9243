import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { drawer, pick } from "./chance.ts";
import { checkRecord, checkSeats, type RecordAction, type SeatAction } from "./histories.ts";
import type { Operation } from "./linearizability.ts";

const NEVER = Infinity;

function at<Action>(calledAt: number, returnedAt: number, action: Action): Operation<Action> {
  return { calledAt, returnedAt, action };
}
const read = (mark: string) => ({ kind: "read", mark }) as const;
const write = (mark: string) => ({ kind: "write", mark }) as const;
const swap = (expected: string, mark: string) => ({ kind: "swap", expected, mark }) as const;
const differs = (expected: string) => ({ kind: "differs", expected }) as const;
const book: SeatAction = { kind: "book" };
const cancel: SeatAction = { kind: "cancel" };
const full: SeatAction = { kind: "full" };
const seen = (taken: number): SeatAction => ({ kind: "seen", taken });

const RECORDS: readonly [name: string, isFine: boolean, operations: Operation<RecordAction>[]][] = [
  ["a write is read after it", true, [at(0, 1, write("a")), at(2, 3, read("a"))]],
  ["an acknowledged write is lost", false, [at(0, 1, write("a")), at(2, 3, read("0"))]],
  ["a read beside the write may see either", true, [at(0, 9, write("a")), at(2, 3, read("0"))]],
  [
    "a read is stale: another caller has seen the write before it was asked",
    false,
    [at(0, 9, write("a")), at(1, 2, read("a")), at(3, 4, read("0"))],
  ],
  ["what was never sent is read", false, [at(0, 1, read("x"))]],
  [
    "a write without an answer is seen late",
    true,
    [at(0, NEVER, write("a")), at(5, 6, read("0")), at(7, 8, read("a"))],
  ],
  [
    "a write without an answer is seen and is gone",
    false,
    [at(0, NEVER, write("a")), at(1, 2, read("a")), at(3, 4, read("0"))],
  ],
  [
    "a write without an answer is carried out twice",
    false,
    [
      at(0, NEVER, write("a")),
      ...[at(1, 2, read("a")), at(3, 4, write("b")), at(5, 6, read("b")), at(7, 8, read("a"))],
    ],
  ],
  ["both of two swaps succeed", false, [at(0, 9, swap("0", "a")), at(0, 9, swap("0", "b"))]],
  ["one of two swaps is refused", true, [at(0, 9, swap("0", "a")), at(0, 9, differs("0"))]],
  ["a swap is refused for nothing", false, [at(0, 1, differs("0"))]],
  [
    "a swap is refused for a write that nobody has seen",
    true,
    [at(0, NEVER, write("a")), at(1, 2, differs("0"))],
  ],
  ["a swap overwrites what it does not know", false, [at(0, 1, write("a")), at(2, 3, swap("0", "b"))]],
];

const SEATS: readonly [name: string, isFine: boolean, operations: Operation<SeatAction>[]][] = [
  ["the last seat is given once", true, [at(0, 9, book), at(0, 9, book), at(0, 9, full)]],
  ["a seat is given twice", false, [at(0, 9, book), at(0, 9, book), at(0, 9, book)]],
  [
    "a seat that is given back is given again",
    true,
    [at(0, 1, book), at(2, 3, book), at(4, 9, cancel), at(4, 9, book)],
  ],
  [
    "a seat is given again before it is given back",
    false,
    [at(0, 1, book), at(2, 3, book), at(4, 5, book), at(6, 7, cancel)],
  ],
  ["it is full with a seat left", false, [at(0, 1, book), at(2, 3, full)]],
  ["a booking is not seen after it", false, [at(0, 1, book), at(2, 3, seen(0))]],
  ["a booking is seen and its end is not", false, [at(0, 1, book), at(2, 3, cancel), at(4, 5, seen(1))]],
];

describe("the checker of histories", () => {
  for (const [name, isFine, operations] of RECORDS) {
    test(`${isFine ? "explains" : "finds"}: ${name}`, () => {
      assert.equal(checkRecord("the record", "0", operations).length, isFine ? 0 : 1);
    });
  }
  for (const [name, isFine, operations] of SEATS) {
    test(`${isFine ? "explains" : "finds"}: ${name}`, () => {
      const faults = checkSeats("the session", { capacity: 2, taken: 0 }, operations);
      assert.equal(faults.length, isFine ? 0 : 1);
    });
  }

  test("explains what eight callers of a real register were answered, and finds one answer that is another", () => {
    for (let seed = 1; seed <= 20; seed++) {
      const draw = drawer(seed);
      const operations = playRegister(draw, 200);
      assert.deepEqual(checkRecord("the record", "0", operations), []);
      const reads = operations.filter(({ action, calledAt }) => action.kind === "read" && calledAt > 50);
      // A mark that was overwritten by then is a stale read.
      const changed = pick(reads, draw) as Operation<RecordAction>;
      const lie = operations.map((one) => (one === changed ? { ...one, action: read("0") } : one));
      assert.equal(checkRecord("the record", "0", lie).length, 1, `seed ${seed}`);
    }
  });
});

/** Each operation takes effect at a moment between its call and its answer; one in ten has no answer, and half of those no effect. */
function playRegister(draw: () => number, count: number): Operation<RecordAction>[] {
  const planned = Array.from({ length: count }, (_, n) => {
    const calledAt = Math.floor(n / 8) * 10 + draw() * 5;
    const effectAt = calledAt + draw() * 8;
    return { n, calledAt, effectAt, returnedAt: effectAt + draw() * 8, chance: draw(), isLost: draw() < 0.1 };
  });
  let current = "0";
  const operations: Operation<RecordAction>[] = [];
  for (const { n, calledAt, returnedAt, chance, isLost } of planned.sort((a, b) => a.effectAt - b.effectAt)) {
    const isWrite = chance < 0.5 || n === 0;
    if (!isWrite) operations.push(at(calledAt, returnedAt, read(current)));
    else {
      const isCarriedOut = !isLost || draw() < 0.5;
      if (isCarriedOut) current = `m${n}`;
      operations.push(at(calledAt, isLost ? NEVER : returnedAt, write(`m${n}`)));
    }
  }
  return operations;
}
