import { useEffect, useState } from "preact/hooks";
import type { Schemas } from "../api/operations.ts";
import { Problem } from "../api/problem.ts";
import { type DryRun, dryRun, type Input, type WriteName } from "../api/writes.ts";
import { Notice, ProblemNotice } from "../parts/notice.tsx";
import { words } from "./words.ts";

export type Changes = Schemas["ChangeCounts"];

/** What a write would do, asked for again whenever its input changes; nothing is asked without an input. */
export function useDryRun<Name extends WriteName>(
  name: Name,
  input: Input<Name> | undefined,
): { readonly run: DryRun<Name> | undefined; readonly problem: Problem | undefined } {
  const key = input === undefined ? "" : JSON.stringify(input);
  const [state, setState] = useState<{ key: string; run?: DryRun<Name>; problem?: Problem }>({ key: "" });
  useEffect(() => {
    if (input === undefined) return undefined;
    let isCurrent = true;
    const ask = async () => {
      try {
        const run = await dryRun(name, input);
        if (isCurrent) setState({ key, run });
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        if (isCurrent) setState({ key, problem: error });
      }
    };
    // Somebody who is typing is waited for.
    const timer = setTimeout(() => void ask(), state.key === "" ? 0 : TYPING_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [key]);
  const isAnswered = key !== "" && state.key === key;
  return { run: isAnswered ? state.run : undefined, problem: isAnswered ? state.problem : undefined };
}

const TYPING_MS = 250;

/** The numbers of a dry run in words, before anything is done. */
export function Effects({
  changes,
  problem,
  shown = [],
  sentences,
  nothing,
}: {
  readonly changes: Changes | undefined;
  readonly problem: Problem | undefined;
  /** Members whose faults stand beside their fields. */
  readonly shown?: readonly string[];
  /** What happens to sessions and bookings, which differs by what is done. */
  readonly sentences: (changes: Changes) => readonly (string | undefined)[];
  readonly nothing: string;
}) {
  const t = words();
  if (problem) return <ProblemNotice problem={problem} shown={shown} />;
  const lines = changes && [
    ...sentences(changes),
    changes.creditsReturned > 0 ? t.credits(changes.creditsReturned) : undefined,
    changes.promoted > 0 ? t.promoted(changes.promoted) : undefined,
  ];
  const said = lines?.filter((line) => line !== undefined);
  const isSerious = changes !== undefined && changes.bookings > 0;
  return (
    <div role="status">
      <Notice tone={isSerious ? "warning" : "info"}>
        {said === undefined ? (
          <p>{t.counting}</p>
        ) : (
          (said.length > 0 ? said : [nothing]).map((line) => <p key={line}>{line}</p>)
        )}
      </Notice>
    </div>
  );
}
