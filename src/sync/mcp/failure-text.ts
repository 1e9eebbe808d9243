import type { PlainJson } from "./operation-calls.ts";

/** How a failure is told to a model: what is wrong, each fault with its place and code, and what to do next. */

interface FaultOfProblem {
  readonly location: string;
  readonly code: string;
  readonly message: string;
}

/**
 *     422 invalid: body.idDocument.value is not a valid CPF (cpf_invalid)
 *     Next: ask for the document again: a digit is wrong. Do not try other digits.
 */
export function failureText(problem: PlainJson, advice: readonly string[] = []): string {
  const { status, code, detail } = problem;
  const faults = (problem.errors ?? []) as readonly FaultOfProblem[];
  const lines = faults.map(({ location, code: fault, message }) => `${location} ${message} (${fault})`);
  const [first = String(detail), ...others] = lines;
  const next = [...new Set([...advice, ...adviceFor(problem, faults)])];
  return [`${status} ${code}: ${first}`, ...others, ...next.map((sentence) => `Next: ${sentence}`)].join(
    "\n",
  );
}

function adviceFor(problem: PlainJson, faults: readonly FaultOfProblem[]): string[] {
  const found = faults.flatMap(({ code }) => ADVICE_ON_FAULTS[code] ?? []);
  return [...found, ...adviceOnProblem(problem)];
}

const ADVICE_ON_FAULTS: Readonly<Record<string, string>> = {
  cpf_invalid:
    "ask the person for the document again, as a digit is wrong. Do not try other digits. A passport or foreign id is of type other.",
  location_required: "call listLocations, and name the locations of the client in locationIds.",
  location_unknown: "call listLocations for the ids that there are.",
  unknown_member: "leave that member out, or spell it as the tool's schema does.",
  unknown_parameter: "leave that argument out, or spell it as the tool's schema does.",
  date_time_invalid: "write the time with its offset, such as 2026-11-16T07:00:00-03:00.",
  date_invalid: "write the date as 2026-11-16.",
  uuid_invalid: "take ids from results of other tools; names are found by the tools that list.",
  cursor_invalid: "call again without cursor, or with nextCursor of the page before and the same filters.",
  window_reversed: "give a to that is after from.",
  birthdate_out_of_range: "ask the person for the date of birth again.",
  email_invalid: "ask the person for the address again.",
  idempotency_key_reused: "use a new idempotencyKey: this one belongs to another request.",
};

function adviceOnProblem({ code, clientId, clientStatus, reason }: PlainJson): string[] {
  switch (code) {
    case "not_found":
      return ["find the record by the tool that lists such records; ids are never guessed."];
    case "conflict":
      if (clientId !== undefined)
        return [
          `call getClient ${JSON.stringify({ id: clientId })}: it holds this document${clientStatus === "archived" ? " and is archived" : ""}. ` +
            "If it is the same person, change that client by updateClient; otherwise ask which document is right.",
        ];
      if (reason === "erased_client")
        return ["create a new client: the data of this one was erased on request, for good."];
      return ["read the record again, and decide whether the change is still wanted."];
    case "in_progress":
    case "unavailable":
    case "timeout":
      return [
        "wait some seconds and call again with the same arguments; a write with the same idempotencyKey is carried out once.",
      ];
    case "gone":
      return ["call listChanges without after: the data was replaced, and older places mean nothing now."];
    case "internal":
      return ["tell the person that the server failed, and name the requestId. Do not repeat the call."];
    default:
      return [];
  }
}
