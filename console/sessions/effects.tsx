import type { Schemas } from "../api/operations.ts";
import type { Problem } from "../api/problem.ts";
import { Notice, ProblemNotice } from "../parts/notice.tsx";
import { words } from "./words.ts";

export type Changes = Schemas["ChangeCounts"];

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
