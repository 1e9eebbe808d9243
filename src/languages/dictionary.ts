import type { FaultCodes, FaultPhrases } from "../core/faults.ts";
import type { RefusalCodes } from "../core/refusals.ts";
import type { HttpRefusalCodes, ProblemKind } from "./http-refusals.ts";

/** The languages that failures are told in, as `Content-Language` names them. The first is for all others. */
export const LANGUAGE_TAGS = ["en", "pt-BR", "es"] as const;

export type Language = (typeof LANGUAGE_TAGS)[number];

type Texts<Codes> = { readonly [Code in keyof Codes]: (params: Codes[Code]) => string };

/** Everything that callers are told of failures, in one language. A sentence that is missing does not compile. */
export interface Dictionary {
  /** `title`: the name of the status. */
  readonly titles: Readonly<Record<ProblemKind, string>>;
  /** `detail`: a sentence about the request as a whole. */
  readonly details: Texts<RefusalCodes & HttpRefusalCodes>;
  /** `errors[].message`: goes on after the place that it is about. */
  readonly faults: Texts<FaultCodes>;
  readonly phrases: Texts<FaultPhrases>;
}
