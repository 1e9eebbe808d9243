import { useEffect, useState } from "preact/hooks";
import type { Problem } from "./problem.ts";
import { toProblem } from "./unexpected.ts";
import { type DryRun, dryRun, type Input, type WriteName } from "./writes.ts";

/** What a write would do, as far as it is known. */
export interface Preview<Name extends WriteName> {
  readonly run: DryRun<Name> | undefined;
  /** Why it would be refused. */
  readonly problem: Problem | undefined;
  /** The answer to what is asked now is not there yet. */
  readonly isLoading: boolean;
}

/** So that a date that is being typed is not asked about digit by digit. What a form opens with is asked about at once. */
const PAUSE_MS = 200;

/**
 * What a write with this input would do, asked again whenever the input changes. The last answer stays until the next one
 * is there. With `undefined` nothing is asked: something is missing, or the write itself is under way.
 */
export function useDryRun<Name extends WriteName>(name: Name, input: Input<Name> | undefined): Preview<Name> {
  const text = input === undefined ? undefined : JSON.stringify(input);
  const [state, setState] = useState<Omit<Preview<Name>, "isLoading"> & { readonly of: string | undefined }>({
    run: undefined,
    problem: undefined,
    of: undefined,
  });
  useEffect(() => {
    if (text === undefined) return undefined;
    let isWanted = true;
    const ask = async () => {
      try {
        const run = await dryRun(name, JSON.parse(text) as Input<Name>);
        if (isWanted) setState({ run, problem: undefined, of: text });
      } catch (error) {
        if (isWanted) setState({ run: undefined, problem: toProblem(error), of: text });
      }
    };
    const timer = setTimeout(() => void ask(), state.of === undefined ? 0 : PAUSE_MS);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [name, text]);
  return { run: state.run, problem: state.problem, isLoading: text !== undefined && state.of !== text };
}

/** As `useDryRun`, without the last answer: nothing is said of an input that was not asked about yet. */
export function useFreshDryRun<Name extends WriteName>(
  name: Name,
  input: Input<Name> | undefined,
): Pick<Preview<Name>, "run" | "problem"> {
  const { run, problem, isLoading } = useDryRun(name, input);
  return input === undefined || isLoading ? { run: undefined, problem: undefined } : { run, problem };
}
