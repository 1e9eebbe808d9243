import assert from "node:assert/strict";
import { after, mock, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { FairQueue, type Owner } from "./fair-queue.ts";

// Requests that still wait when their test ends would keep this process for as long as they may wait.
mock.timers.enable({ apis: ["setTimeout"] });
after(() => mock.timers.reset());

/** Asks for connections and records who was admitted, in order. */
class Counter {
  readonly admitted: string[] = [];
  readonly refused: string[] = [];
  readonly #queue: FairQueue;
  readonly #held = new Map<string, number>();

  constructor(queue: FairQueue) {
    this.#queue = queue;
  }

  async ask(owner: string, times = 1): Promise<void> {
    for (let n = 0; n < times; n++) {
      this.#queue.enter(ownerOf(owner)).then(
        () => {
          this.admitted.push(owner);
          this.#held.set(owner, this.held(owner) + 1);
        },
        () => this.refused.push(owner),
      );
    }
    await nextTurn();
  }

  async giveBack(owner: string, times = 1): Promise<void> {
    for (let n = 0; n < times; n++) {
      assert.ok(this.held(owner) > 0, `${owner} holds none`);
      this.#held.set(owner, this.held(owner) - 1);
      this.#queue.leave(ownerOf(owner));
    }
    await nextTurn();
  }

  held(owner: string): number {
    return this.#held.get(owner) ?? 0;
  }
}

/** The program itself is called `-` here. */
function ownerOf(owner: string): Owner {
  return owner === "-" ? undefined : owner;
}

test("alone, an organization gets three quarters of the connections, and always all but one at the most", async () => {
  for (const [size, expected] of [
    [1, 1],
    [2, 1],
    [3, 2],
    [4, 3],
    [8, 6],
    [13, 9],
    [16, 12],
  ] as const) {
    const counter = new Counter(new FairQueue(size, 60_000));
    await counter.ask("a", 40);
    assert.equal(counter.held("a"), expected, `of ${size}`);
  }
});

test("however much an organization has waiting, the next one is admitted at once or with the next connection", async () => {
  const counter = new Counter(new FairQueue(16, 60_000));
  await counter.ask("a", 200);
  for (const owner of ["b", "c"]) {
    await counter.ask(owner, 200);
    assert.ok(counter.held(owner) >= 1, owner);
  }
  for (const owner of ["d", "e", "f"]) {
    await counter.ask(owner, 200);
    if (counter.held(owner) === 0) await counter.giveBack("a");
    assert.ok(counter.held(owner) >= 1, owner);
  }
});

test("connections that are given back go to those who hold fewer, until the shares are equal", async () => {
  const counter = new Counter(new FairQueue(8, 60_000));
  await counter.ask("a", 50);
  await counter.ask("b", 50);
  assert.deepEqual([counter.held("a"), counter.held("b")], [6, 1]);
  await counter.giveBack("a", 3);
  assert.deepEqual([counter.held("a"), counter.held("b")], [3, 3]);
  for (let round = 0; round < 20; round++) {
    await counter.giveBack(round % 2 ? "a" : "b");
    for (const owner of ["a", "b"]) assert.ok([3, 4].includes(counter.held(owner)), owner);
    await counter.ask("c");
    assert.equal(counter.held("c"), 1, "one was left for a newcomer");
    await counter.giveBack("c");
  }
});

test("organizations that wait take turns, and the requests of one keep their order", async () => {
  const counter = new Counter(new FairQueue(1, 60_000));
  await counter.ask("a", 4);
  await counter.ask("b", 2);
  await counter.ask("c", 1);
  for (let n = 0; n < 6; n++) await counter.giveBack(counter.admitted.at(-1) as string);
  // `a` was there first; from then on each has its turn, whatever the others have waiting.
  assert.equal(counter.admitted.join(""), "aabcaba");
});

test("the program's own work is not bound to a share, and waits only for a connection", async () => {
  const counter = new Counter(new FairQueue(4, 60_000));
  await counter.ask("-", 5);
  assert.equal(counter.held("-"), 4);
  await counter.ask("a");
  assert.equal(counter.held("a"), 0);
  await counter.giveBack("-");
  await counter.giveBack("-");
  assert.deepEqual([counter.held("-"), counter.held("a")], [3, 1]);
});

test("an organization with too many requests waiting is refused; others are not", async () => {
  const counter = new Counter(new FairQueue(2, 60_000));
  await counter.ask("a", 300);
  assert.deepEqual([counter.admitted.length, counter.refused.length], [1, 300 - 1 - 256]);
  await counter.ask("b");
  assert.equal(counter.held("b"), 1);
});

test("a request that has waited too long is refused and leaves its place to the next", async () => {
  const queue = new FairQueue(1, 10_000);
  await queue.enter("a");
  const refused = assert.rejects(queue.enter("b"), { kind: "unavailable" });
  mock.timers.tick(9_999);
  assert.equal(queue.waitingCount, 1);
  mock.timers.tick(1);
  await refused;
  assert.equal(queue.waitingCount, 0);
  const patient = queue.enter("c");
  queue.leave("a");
  await patient;
  queue.leave("c");
  await queue.enter("b");
});

test("whatever the order of events, no connection is given twice and none is lost", async () => {
  const size = 5;
  const counter = new Counter(new FairQueue(size, 60_000));
  const owners = ["a", "b", "c", "d", "-"];
  let state = 7;
  const draw = (below: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
  for (let n = 0; n < 3_000; n++) {
    const owner = owners[draw(owners.length)] as string;
    if (draw(2) === 0 || counter.held(owner) === 0) await counter.ask(owner);
    else await counter.giveBack(owner);
    const held = owners.reduce((sum, one) => sum + counter.held(one), 0);
    assert.ok(held <= size, `${held} of ${size} connections were given`);
  }
  for (let turns = 0; turns < 20_000 && owners.some((owner) => counter.held(owner) > 0); turns++) {
    for (const owner of owners) if (counter.held(owner) > 0) await counter.giveBack(owner);
  }
  await counter.ask("-", size);
  assert.equal(counter.held("-"), size);
});
