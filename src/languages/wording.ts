import type { AppError, Detail } from "../core/errors.ts";
import type { Fault } from "../core/faults.ts";
import type { Dictionary } from "./dictionary.ts";
import { en } from "./en.ts";

// A dictionary has for each code a function of that code's own parameters. A lookup by a code that is only known at
// run time loses the tie between the two, which the types of faults and details have already checked.
type Fill = (params: object) => string;

const NOTHING = {};

/** What is wrong at the place of the fault. */
export function wordFault({ code, params, phrase }: Fault, dictionary: Dictionary): string {
  const fill = phrase === undefined ? dictionary.faults[code] : dictionary.phrases[phrase];
  return (fill as Fill)(params ?? NOTHING);
}

/** A fault as programs and people read it. */
export function describeFault(fault: Fault, dictionary: Dictionary) {
  const { location, code, params } = fault;
  return { location, code, ...(params && { params }), message: wordFault(fault, dictionary) };
}

export function wordDetail(
  { code, params = NOTHING }: Detail<keyof Dictionary["details"]>,
  dictionary: Dictionary,
): string {
  return (dictionary.details[code] as Fill)(params);
}

/** What a text of a dictionary says before it is filled: `must be at most {max}`, and with what it is filled. */
export function wordTemplate(text: unknown): { readonly words: string; readonly params: readonly string[] } {
  const params = new Set<string>();
  const placeholders = new Proxy(
    {},
    {
      get: (_target, name) => {
        params.add(String(name));
        if (name === "type") return "integer";
        if (name === "allowed" || name === "supported") return ["{…}", "{…}"];
        if (name === "uses") return [{ kind: "plans", count: "{…}" }];
        return `{${String(name)}}`;
      },
    },
  );
  return { words: (text as Fill)(placeholders), params: [...params] };
}

/** The sentence of a failure for the operator. */
export function explainError({ detail, message }: AppError): string {
  return detail === undefined ? message : wordDetail(detail, en);
}

/** The faults of a failure for the operator. */
export function explainFaults({ faults }: AppError) {
  return faults.map((fault) => describeFault(fault, en));
}
