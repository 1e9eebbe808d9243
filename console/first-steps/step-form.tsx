import type { ComponentChildren } from "preact";
import type { Problem } from "../api/problem.ts";
import { Button } from "../parts/button.tsx";
import { Actions } from "../parts/dialog.tsx";
import { ProblemNotice } from "../parts/notice.tsx";
import { words } from "./words.ts";

export interface StepProps {
  readonly onDone: () => void;
  readonly onSkip: () => void;
  /** Keeps the step open although what it asks for is there: something is left to correct. */
  readonly onKeep: () => void;
}

/** The form of a step: what it is about, its fields, and that it can wait. */
export function StepForm({
  text,
  children,
  save,
  isBusy,
  problem,
  shown,
  onSubmit,
  onSkip,
}: {
  readonly text?: string;
  readonly children: ComponentChildren;
  readonly save: string;
  readonly isBusy: boolean;
  readonly problem: Problem | undefined;
  readonly shown: readonly string[];
  readonly onSubmit: () => void;
  readonly onSkip: () => void;
}) {
  const t = words();
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {text && <p class="soft">{text}</p>}
      <ProblemNotice problem={problem} shown={shown} />
      {children}
      <Actions>
        <Button kind="main" isSubmit isBusy={isBusy}>
          {save}
        </Button>
        <Button kind="quiet" onClick={onSkip}>
          {t.skip}
        </Button>
      </Actions>
    </form>
  );
}
