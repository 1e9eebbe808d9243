import type { KeyRequest } from "../domain/keys/schema.ts";
import { ADVICE, adviceFor } from "../languages/advice.ts";
import { en } from "../languages/en.ts";
import type { ProblemKind } from "../languages/http-refusals.ts";
import { wordKeptDetail, wordKeptFault } from "../languages/kept-words.ts";

/** What those who are told know it by. */
interface Names {
  readonly key: string | undefined;
  readonly organization: string | undefined;
}

/** What was asked, with which key, how it was answered, and what to do about it, in the words of the answers. */
export function paragraphOf(request: KeyRequest, names: Names): string {
  const { at, keyId, operation, status, milliseconds } = request;
  const key = names.key === undefined ? `the key ${keyId}` : `the key ${names.key} (${keyId})`;
  const called = operation === "mcp" ? "an assistant sent a message to /mcp" : `${operation} was called`;
  const when = `${at.slice(0, 10)} at ${at.slice(11, 23)} UTC`;
  return [
    `On ${when}, ${called} with ${key} of ${names.organization ?? "an organization that is gone"}.`,
    status < 400
      ? `It was answered with ${status} after ${milliseconds} ms.${operation === "mcp" ? " What its tools did is told apart." : ""}`
      : failure(request),
  ].join(" ");
}

function failure({ status, milliseconds, code, reason, errors = [], errorCount }: KeyRequest): string {
  const kind = Object.hasOwn(ADVICE, code ?? "") ? (code as ProblemKind) : undefined;
  const answered = `${status}${kind ? ` ${en.titles[kind]}` : ""}${code ? ` (${code})` : ""}`;
  const sentences = [`It was refused with ${answered} after ${milliseconds} ms.`];
  const said = reason === undefined || errors.length > 0 ? undefined : wordKeptDetail(reason);
  if (said !== undefined) sentences.push(said);
  else if (kind && errors.length === 0) sentences.push(ADVICE[kind].when);
  const advised = new Set<string>();
  for (const { location, code: fault } of errors) {
    sentences.push(`${location} ${wordKeptFault(fault).replace(/\.$/, "")} (${fault}).`);
    advised.add(adviceFor(fault));
  }
  const rest = (errorCount ?? 0) - errors.length;
  if (rest > 0) sentences.push(`There were ${rest} further faults.`);
  const fixes = advised.size > 0 ? [...advised] : kind ? [ADVICE[kind].fix] : [];
  return [...sentences, ...fixes.map((fix, place) => (place === 0 ? `What to do: ${fix}` : fix))].join(" ");
}
