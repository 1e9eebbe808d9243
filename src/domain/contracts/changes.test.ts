import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { daysAfter, daysBetween } from "../../core/dates.ts";
import { AppError } from "../../core/errors.ts";
import { explainFaults } from "../../languages/wording.ts";
import { isOver, type Pause, statusByDates } from "../contract-status/status-timeline.ts";
import {
  type ContractTerm,
  cancelAfter,
  cancelNow,
  endPauseOfTerm,
  pauseTerm,
  reinstateTerm,
  setEndOfTerm,
} from "./changes.ts";

const TODAY = "2026-11-16";
const AT = "2026-11-16T12:00:00.000Z";

function contract(given: Partial<ContractTerm> = {}): ContractTerm {
  const term = { status: "active" as const, startDate: "2026-01-01", pauses: [], ...given };
  return { ...term, agreedEndDate: given.agreedEndDate ?? given.endDate };
}

function pause(firstDay: string, lastDay?: string, extendsTerm = true): Pause {
  return { id: firstDay, firstDay, lastDay, extendsTerm };
}

/** The word of a refusal, or the faults of an invalid input. */
function refused(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof AppError, String(error));
    return (
      error.facts.reason?.toString() ??
      explainFaults(error)
        .map(({ location, message }) => `${location} ${message}`)
        .join("; ")
    );
  }
  return "done";
}

const days = ({ firstDay, lastDay }: Pause) => [firstDay, lastDay];

test("a pause adds its days to the term, and ending it early takes back those that were not used", () => {
  const today = "2026-06-15";
  const paused = pauseTerm(contract({ endDate: "2026-12-31" }), pause("2026-07-01", "2026-07-31"), { today });
  assert.equal(paused.term.endDate, "2027-01-31");
  assert.equal(paused.term.status, "active");
  assert.deepEqual(paused.released, { firstDay: "2026-07-01", lastDay: "2026-07-31" });
  const back = (firstDayBack: string) => endPauseOfTerm(paused.term, { firstDayBack, today }).term;
  assert.equal(back("2026-07-15").endDate, "2027-01-14");
  assert.deepEqual(back("2026-07-15").pauses.map(days), [["2026-07-01", "2026-07-14"]]);
  assert.equal(back("2026-07-01").endDate, "2026-12-31");
  assert.deepEqual(back("2026-07-01").pauses, []);
  assert.deepEqual(back("2026-08-01"), paused.term);
});

test("an open pause keeps a contract alive beyond its end, and adds its days when it ends", () => {
  const { term } = pauseTerm(contract({ endDate: "2026-12-31" }), pause("2026-12-20"), {
    today: "2026-12-20",
  });
  assert.equal(term.endDate, "2026-12-31");
  assert.equal(statusByDates(term, "2027-01-05"), "paused");
  const { term: back } = endPauseOfTerm(term, { firstDayBack: "2027-01-10", today: "2027-01-05" });
  assert.equal(back.endDate, "2027-01-21");
  assert.equal(back.status, "paused");
  assert.equal(statusByDates(back, "2027-01-09"), "paused");
  assert.equal(statusByDates(back, "2027-01-10"), "active");
});

test("a pause without extension leaves the end where it is", () => {
  const within = pause("2026-12-01", "2026-12-10", false);
  const { term } = pauseTerm(contract({ endDate: "2026-12-31" }), within, { today: TODAY });
  assert.equal(term.endDate, "2026-12-31");
  assert.equal(endPauseOfTerm(term, { firstDayBack: "2026-12-05", today: TODAY }).term.endDate, "2026-12-31");
});

test("a pause that lies in the past extends the term and leaves the status as it is", () => {
  const past = pause("2026-03-01", "2026-03-10");
  const { term } = pauseTerm(contract({ endDate: "2026-12-31" }), past, { today: TODAY });
  assert.deepEqual([term.endDate, term.status], ["2027-01-10", "active"]);
});

test("pauses are refused that overlap, cover a visit, or lie outside the term", () => {
  const endDate = "2026-12-31";
  const one = contract({ endDate, pauses: [pause("2026-12-01", "2026-12-10")] });
  const open = contract({ endDate, pauses: [pause("2026-12-01")] });
  const asked: readonly [ContractTerm, Pause, string][] = [
    [one, pause("2026-12-10", "2026-12-12"), "pause_overlaps"],
    [one, pause("2026-11-20", "2026-12-01"), "pause_overlaps"],
    [one, pause("2026-11-20"), "pause_overlaps"],
    [one, pause("2026-12-05", "2026-12-06"), "pause_overlaps"],
    [one, pause("2026-12-11", "2026-12-12"), "done"],
    [one, pause("2026-11-20", "2026-11-30"), "done"],
    [open, pause("2026-12-20", "2026-12-22"), "pause_overlaps"],
    [open, pause("2026-11-20", "2026-11-30"), "done"],
    [one, pause("2025-12-31", "2026-01-05"), "body.firstDay must not be before startDate"],
    [one, pause("2027-01-01", "2027-01-05"), "body.firstDay must not be after endDate"],
    [one, pause("2026-12-20", "2026-12-19"), "body.lastDay must not be before firstDay"],
    [
      one,
      pause("2026-12-20", "2027-01-01", false),
      "body.lastDay must not be after endDate if the term is not extended",
    ],
    [one, pause("2026-12-20", "2027-01-01"), "done"],
    [contract(), pause("2030-01-01"), "done"],
    [contract({ status: "expired" }), pause("2026-12-20"), "contract_over"],
    [contract({ status: "cancelled" }), pause("2026-12-20"), "contract_over"],
    [contract({ endDate, cancelledAt: AT }), pause("2026-12-20"), "cancellation_set"],
  ];
  for (const [term, wish, answer] of asked)
    assert.equal(
      refused(() => pauseTerm(term, wish, { today: TODAY })),
      answer,
      JSON.stringify(wish),
    );
  const visited = () =>
    pauseTerm(one, pause("2026-12-05", "2026-12-20"), { today: TODAY, visitedOn: "2026-12-06" });
  assert.equal(refused(visited), "pause_visited");
  assert.throws(visited, { detail: { code: "pause_visited", params: { date: "2026-12-06" } } });
});

test("the day back must be to come, and of the pause; a pause that is not there ends without a change", () => {
  const paused = contract({
    status: "paused",
    endDate: "2026-12-31",
    pauses: [pause("2026-11-10", "2026-11-20")],
  });
  const asked: readonly [ContractTerm, string, string][] = [
    [paused, "2026-11-15", "body.firstDayBack must not be in the past"],
    [paused, "2026-11-16", "done"],
    [paused, "2026-11-21", "done"],
    [paused, "2026-11-22", "body.firstDayBack must not be later than the day after the pause"],
    [
      contract({ pauses: [pause("2026-12-01")] }),
      "2026-11-30",
      "body.firstDayBack must not be before the first day of the pause",
    ],
    [contract({ status: "expired" }), "2026-11-16", "contract_over"],
  ];
  for (const [term, firstDayBack, answer] of asked)
    assert.equal(
      refused(() => endPauseOfTerm(term, { firstDayBack, today: TODAY })),
      answer,
      firstDayBack,
    );
  assert.equal(endPauseOfTerm(paused, { firstDayBack: TODAY, today: TODAY }).term.status, "active");
  const over = contract({ pauses: [pause("2026-03-01", "2026-03-10")] });
  assert.deepEqual(endPauseOfTerm(over, { firstDayBack: TODAY, today: TODAY }).term, over);
  const imported = contract({ status: "paused" });
  assert.equal(endPauseOfTerm(imported, { firstDayBack: TODAY, today: TODAY }).term.status, "active");
});

test("of two pauses the first that is not over is ended, or the one that is named", () => {
  const term = contract({ pauses: [pause("2026-11-20", "2026-11-22"), pause("2026-12-01", "2026-12-05")] });
  const ended = (pauseId?: string) =>
    endPauseOfTerm(term, { pauseId, firstDayBack: pauseId ?? "2026-11-20", today: TODAY }).term.pauses.map(
      days,
    );
  assert.deepEqual(ended(), [["2026-12-01", "2026-12-05"]]);
  assert.deepEqual(ended("2026-12-01"), [["2026-11-20", "2026-11-22"]]);
});

test("a contract that is cancelled with a last day runs until then, and can be reinstated meanwhile", () => {
  const before = contract({ endDate: "2027-03-31" });
  const { term, released } = cancelAfter(before, "2026-11-30", { today: TODAY, at: AT });
  assert.deepEqual([term.status, term.endDate, term.cancelledAt], ["active", "2026-11-30", AT]);
  assert.deepEqual(released, { firstDay: "2026-12-01" });
  assert.equal(statusByDates(term, "2026-11-30"), "active");
  assert.equal(statusByDates(term, "2026-12-01"), "cancelled");
  const { term: again } = reinstateTerm(term, "2026-11-20");
  assert.deepEqual([again.status, again.endDate, again.cancelledAt], ["active", "2027-03-31", undefined]);
});

test("cancelled now, a contract that has not begun keeps its first day as its last", () => {
  const today = TODAY;
  const cancelled = (given: Partial<ContractTerm>) => cancelNow(contract(given), { today, at: AT }).term;
  const to_come = cancelled({ startDate: "2026-12-01" });
  assert.deepEqual([to_come.status, to_come.endDate, to_come.cancelledAt], ["cancelled", "2026-12-01", AT]);
  assert.equal(cancelled({}).endDate, TODAY);
  assert.equal(cancelled({ endDate: "2026-12-31" }).endDate, TODAY);
  assert.equal(cancelled({ endDate: TODAY }).endDate, TODAY);
  // Paused beyond its end: it does not become longer by being cancelled.
  const pauses = [pause("2026-10-20")];
  assert.equal(cancelled({ status: "paused", endDate: "2026-10-31", pauses }).endDate, "2026-10-31");
  assert.deepEqual(cancelNow(contract(), { today, at: AT }).released, {});
});

test("another last day may be set for a cancellation to come, up to the end that was agreed", () => {
  const before = contract({ endDate: "2026-12-31" });
  const { term } = cancelAfter(before, "2026-11-20", { today: TODAY, at: AT });
  const later = (lastDay: string) => refused(() => cancelAfter(term, lastDay, { today: TODAY, at: AT }));
  assert.equal(later("2026-12-31"), "done");
  assert.equal(later("2027-01-01"), "body.lastDay must not be after endDate");
  assert.equal(later("2026-11-15"), "body.lastDay must not be in the past");
  const moved = cancelAfter(term, "2026-12-15", { today: TODAY, at: AT }).term;
  assert.equal(reinstateTerm(moved, TODAY).term.endDate, "2026-12-31");
  assert.equal(cancelNow(moved, { today: TODAY, at: AT }).term.agreedEndDate, "2026-12-31");
  const unbegun = contract({ startDate: "2026-12-01" });
  assert.equal(
    refused(() => cancelAfter(unbegun, "2026-11-30", { today: TODAY, at: AT })),
    "body.lastDay must not be before startDate",
  );
});

test("an open pause ends with a cancelled contract, and is open again when that is reinstated", () => {
  const pauses = [pause("2026-11-10")];
  const paused = contract({ status: "paused", endDate: "2026-12-31", pauses });
  const { term } = cancelAfter(paused, "2026-11-30", { today: TODAY, at: AT });
  assert.deepEqual(term.pauses.map(days), [["2026-11-10", "2026-11-30"]]);
  assert.equal(statusByDates(term, "2026-12-01"), "cancelled");
  assert.deepEqual(reinstateTerm(term, "2026-11-20").term, paused);
  const moved = cancelAfter(term, "2026-12-05", { today: TODAY, at: AT }).term;
  assert.deepEqual(moved.pauses.map(days), [["2026-11-10", "2026-12-05"]]);
  assert.deepEqual(reinstateTerm(moved, "2026-11-20").term, paused);
  // One that had not begun by the last day is not there any more, and comes back.
  const future = contract({ endDate: "2026-12-31", pauses: [pause("2026-12-20")] });
  const cancelled = cancelAfter(future, "2026-12-10", { today: TODAY, at: AT }).term;
  assert.deepEqual(cancelled.pauses, []);
  assert.deepEqual(reinstateTerm(cancelled, TODAY).term, future);
});

test("a pause that ends during a cancellation leaves its last day alone, but not the end that was agreed", () => {
  const paused = contract({
    status: "paused",
    endDate: "2027-01-31",
    pauses: [pause("2026-11-10", "2026-12-10")],
  });
  const { term } = cancelAfter(paused, "2026-12-20", { today: TODAY, at: AT });
  const back = endPauseOfTerm(term, { firstDayBack: "2026-11-20", today: TODAY }).term;
  assert.deepEqual([back.endDate, back.agreedEndDate], ["2026-12-20", "2027-01-10"]);
  const open = contract({ status: "paused", endDate: "2026-12-31", pauses: [pause("2026-11-10")] });
  const closed = cancelAfter(open, "2026-12-20", { today: TODAY, at: AT }).term;
  const returned = endPauseOfTerm(closed, { firstDayBack: "2026-11-20", today: TODAY }).term;
  assert.deepEqual([returned.endDate, returned.agreedEndDate], ["2026-12-20", "2027-01-10"]);
  assert.deepEqual(reinstateTerm(returned, "2026-11-25").term.pauses.map(days), [
    ["2026-11-10", "2026-11-19"],
  ]);
});

test("only a cancellation made here is undone, and only while the term that it cut short still runs", () => {
  const imported = contract({ status: "cancelled", cancelledAt: AT, endDate: "2026-12-31" });
  assert.equal(
    refused(() => reinstateTerm(imported, TODAY)),
    "not_cancelled_here",
  );
  assert.equal(
    refused(() => reinstateTerm(contract(), TODAY)),
    "not_cancelled_here",
  );
  const { term } = cancelNow(contract({ endDate: "2026-12-31" }), { today: TODAY, at: AT });
  assert.equal(reinstateTerm(term, "2026-12-31").term.status, "active");
  assert.equal(
    refused(() => reinstateTerm(term, "2027-01-01")),
    "contract_over",
  );
});

test("another end is refused in the past, before the start, and for what is over or cancelled", () => {
  const cancelled = contract({ cancelledAt: AT, endDate: "2026-11-30" });
  const asked: readonly [ContractTerm, string | undefined, string][] = [
    [contract(), TODAY, "done"],
    [contract(), undefined, "done"],
    [contract(), "2026-11-15", "body.endDate must not be in the past"],
    [contract({ startDate: "2026-12-01" }), "2026-11-30", "body.endDate must not be before startDate"],
    [contract({ status: "expired", endDate: "2026-11-15" }), "2026-12-31", "contract_over"],
    [cancelled, "2026-12-31", "cancellation_set"],
  ];
  for (const [term, endDate, answer] of asked)
    assert.equal(
      refused(() => setEndOfTerm(term, endDate, TODAY)),
      answer,
      endDate,
    );
  assert.throws(() => setEndOfTerm(cancelled, undefined, TODAY), {
    detail: { code: "cancellation_set", params: { date: "2026-11-30" } },
  });
  const released = (from: string | undefined, to: string | undefined) =>
    setEndOfTerm(contract({ endDate: from }), to, TODAY).released;
  assert.deepEqual(released("2026-12-31", "2026-12-10"), { firstDay: "2026-12-11" });
  assert.deepEqual(released(undefined, "2026-12-10"), { firstDay: "2026-12-11" });
  assert.equal(released("2026-12-10", "2026-12-31"), undefined);
  assert.equal(released("2026-12-10", undefined), undefined);
});

test("pauses do not reach beyond a last day that was set, and coming back earlier takes nothing from it", () => {
  const paused = (firstDay: string, lastDay?: string) =>
    pauseTerm(contract({ endDate: "2027-01-31" }), pause(firstDay, lastDay), { today: TODAY }).term;
  const back = (term: ContractTerm, firstDayBack: string) => {
    const { status, endDate, pauses } = endPauseOfTerm(term, { firstDayBack, today: TODAY }).term;
    return [status, endDate, ...pauses.map(days)];
  };
  const set = (term: ContractTerm, endDate: string) => setEndOfTerm(term, endDate, TODAY).term;
  const later = set(paused("2026-12-01", "2026-12-10"), "2026-11-20");
  assert.deepEqual(later.pauses, []);
  assert.deepEqual(back(later, "2026-12-01"), ["active", "2026-11-20"]);
  const running = set(paused("2026-11-10", "2026-12-10"), "2026-11-20");
  assert.deepEqual(running.pauses.map(days), [["2026-11-10", "2026-11-20"]]);
  assert.deepEqual(back(running, TODAY), ["active", "2026-11-20", ["2026-11-10", "2026-11-15"]]);
  const within = set(paused("2026-12-01", "2026-12-10"), "2026-12-31");
  assert.deepEqual(back(within, "2026-12-06"), ["active", "2026-12-26", ["2026-12-01", "2026-12-05"]]);
  const open = set(paused("2026-11-10"), "2026-11-20");
  assert.deepEqual(back(open, TODAY), ["active", "2026-11-26", ["2026-11-10", "2026-11-15"]]);
});

test("a pause up to the last date that can be written is ended as any other", () => {
  const term = contract({ pauses: [pause("2026-12-01", "9999-12-31")] });
  assert.deepEqual(endPauseOfTerm(term, { firstDayBack: "2026-12-05", today: TODAY }).term.pauses.map(days), [
    ["2026-12-01", "2026-12-04"],
  ]);
});

test("what was imported as paused stays paused through changes that do not end the pause", () => {
  const imported = contract({ status: "paused", endDate: "2026-12-31" });
  assert.equal(setEndOfTerm(imported, "2027-06-30", TODAY).term.status, "paused");
  assert.equal(cancelAfter(imported, "2026-11-30", { today: TODAY, at: AT }).term.status, "paused");
  assert.equal(
    pauseTerm(imported, pause("2026-12-01", "2026-12-05"), { today: TODAY }).term.status,
    "paused",
  );
});

const day = fc.integer({ min: 0, max: 60 }).map((number) => daysAfter(TODAY, number));
const step = fc.oneof(
  fc.record({
    kind: fc.constant("pause" as const),
    firstDay: day,
    length: fc.integer({ min: 1, max: 9 }),
    extendsTerm: fc.boolean(),
  }),
  fc.record({ kind: fc.constant("open" as const), firstDay: day, extendsTerm: fc.boolean() }),
  fc.record({ kind: fc.constant("end" as const), after: fc.integer({ min: 0, max: 9 }) }),
);

test("the end of a term is always the one that was sold plus the days of the pauses that extend it", () => {
  const sold = "2026-12-31";
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      let term = contract({ endDate: sold });
      for (const [index, one] of steps.entries()) {
        try {
          if (one.kind === "end") {
            const first = term.pauses[0]?.firstDay ?? TODAY;
            term = endPauseOfTerm(term, { firstDayBack: daysAfter(first, one.after), today: TODAY }).term;
          } else {
            const lastDay = one.kind === "pause" ? daysAfter(one.firstDay, one.length - 1) : undefined;
            const { firstDay, extendsTerm } = one;
            const wish: Pause = { id: String(index), firstDay, lastDay, extendsTerm };
            term = pauseTerm(term, wish, { today: TODAY }).term;
          }
        } catch (error) {
          assert.ok(error instanceof AppError, String(error));
        }
        const added = term.pauses
          .filter(({ extendsTerm }) => extendsTerm)
          .reduce(
            (sum, { firstDay, lastDay }) => sum + (lastDay ? daysBetween(firstDay, lastDay) + 1 : 0),
            0,
          );
        assert.equal(term.endDate, daysAfter(sold, added));
        assert.equal(term.status, statusByDates(term, TODAY));
        assert.ok(!isOver(term.status));
        term.pauses.slice(1).forEach((later, place) => {
          const earlier = term.pauses[place] as Pause;
          assert.ok(earlier.lastDay !== undefined && earlier.lastDay < later.firstDay);
        });
      }
    }),
  );
});
