import { FAULT_TOPICS, type FaultCode, type FaultTopic } from "../core/faults.ts";
import { BODY_LIMIT, HEAD_LIMIT } from "../core/limits.ts";
import type { ProblemKind } from "./http-refusals.ts";

/** What whoever meets a failure reads of it, in English: in the reference, on the page of errors, and on a terminal. */
export interface ProblemAdvice {
  /** Holds for any scope; a document may say more. */
  readonly when: string;
  /** What whoever reads it can do. */
  readonly fix: string;
}

export const ADVICE: Readonly<Record<ProblemKind, ProblemAdvice>> = {
  moved: {
    when: "The organization is on another server, at `Location`.",
    fix: "Send the same request to `Location`, with the same credential, and use that server from now on: `detail` has its address.",
  },
  malformed: {
    when: "The body is empty, not JSON or not valid UTF-8, or the HTTP request is malformed.",
    fix: "Send UTF-8 JSON in the body and well-formed HTTP. For broken JSON, `detail` says at which line and column it stops being JSON.",
  },
  unauthorized: {
    when: "The request does not say who calls, or not validly.",
    fix: "Check the credential. The answer is the same whatever is wrong with it; the operator sees the cause in the log.",
  },
  payment_required: {
    when: "The organization's plan does not include this.",
    fix: "Ask the operator for a plan that includes the API.",
  },
  storage_full: {
    when: "The organization stores as many records as it may, and this would add one.",
    fix: "Ask the operator for a higher limit; waiting does not help. What is stored can be read, changed, archived and erased as before.",
  },
  forbidden: {
    when: "The caller may not do this.",
    fix: "Ask the operator whether the organization is active; in the staff application, ask an owner for the role.",
  },
  not_found: {
    when: "There is no such record or address.",
    fix: "Check the address and the id. A record of another organization looks exactly like one that does not exist.",
  },
  method_not_allowed: {
    when: "The address exists, but not with this method. `Allow` lists those it has.",
    fix: "Use one of the methods that `detail` and `Allow` list.",
  },
  not_acceptable: {
    when: "`Accept` names only forms that this address does not have.",
    fix: "Accept `application/json`: this address cannot be had as a file.",
  },
  timeout: {
    when: "The request did not arrive in time.",
    fix: "Send the request without pauses: it must arrive within 8 seconds, its headers within 5.",
  },
  conflict: {
    when: "The request contradicts what is stored.",
    fix: "Read `detail`. If another client holds the id document, go on with `clientId`, whose status is `clientStatus`.",
  },
  in_progress: {
    when: "A request with the same `Idempotency-Key` is still being carried out. Retry after `Retry-After` seconds.",
    fix: "Wait `Retry-After` seconds and send the same request with the same key again.",
  },
  gone: {
    when: "The cursor belongs to data that was replaced since.",
    fix: "Begin again without the cursor.",
  },
  precondition_failed: {
    when: "`If-Match` or `If-None-Match` does not hold: the record is not as it was read.",
    fix: "Read the record again, repeat your change, and send it with the new `ETag`.",
  },
  too_large: {
    when: `The body is larger than ${BODY_LIMIT.text}.`,
    fix: "Send less: a body has at most 1 MiB.",
  },
  unsupported_media_type: {
    when: "The body's `Content-Type` is absent or not `application/json`, or a body came where none is taken.",
    fix: "Send `Content-Type: application/json`, or `application/merge-patch+json` with `PATCH`; send no body where none is taken.",
  },
  invalid: {
    when: "A value breaks its schema or a rule. Every fault, up to 100, is listed in `errors`.",
    fix: "Fix every place that `errors` lists. `errors[].code` says what is wrong there; the codes are listed below.",
  },
  precondition_required: {
    when: "The operator demands `If-Match` on this request, and it is absent.",
    fix: "Send `If-Match` with the `ETag` that you read.",
  },
  rate_limited: {
    when: "Too many requests in a short time. Waiting `Retry-After` seconds succeeds.",
    fix: "Wait `Retry-After` seconds and send the request again.",
  },
  headers_too_large: {
    when: `Request line and headers are larger than ${HEAD_LIMIT.text}.`,
    fix: "Send shorter headers or a shorter address: together they have at most 16 KiB.",
  },
  internal: {
    when: "A failure on our side.",
    fix: "This is a defect of the server. Report the `requestId`.",
  },
  not_implemented: {
    when: "The request has a transfer coding other than `chunked`.",
    fix: "Send the body with a `Content-Length`, or `chunked`.",
  },
  unavailable: {
    when: "The database is unavailable, the server is shutting down or has too much to do. Retry after `Retry-After` seconds.",
    fix: "Wait `Retry-After` seconds and try again. Send a write with an `Idempotency-Key`: the first try may have been carried out.",
  },
};

/** Why faults are found, and what to do about them. Each fault's own sentence says what must hold. */
export const ABOUT_TOPICS: Readonly<Record<FaultTopic, { title: string; fix: string }>> = {
  shape: {
    title: "Shape",
    fix: "The request is not built as the operation takes it. Compare it with the operation in the reference: names, types, and what is required.",
  },
  size: {
    title: "Size",
    fix: "A value is too short or long, too small or large. If there is a bound, `params` of the answer has it.",
  },
  form: {
    title: "Form",
    fix: "A text is not written as its kind of value is. Write it as the reference shows.",
  },
  requests: {
    title: "Rules of requests",
    fix: "Two values do not go together, one was used for an earlier request, or a header or cursor is not what its rule says.",
  },
  clients: {
    title: "Rules of clients",
    fix: "A value has the right form and breaks a rule, or one that is needed here was left out. Ask whoever entered a wrong one to correct it.",
  },
  contracts: { title: "Rules of plans and contracts", fix: "Change the value as the message says." },
  schedules: { title: "Rules of schedules and sessions", fix: "Change the value as the message says." },
  staff: { title: "Rules of the staff", fix: "Change the value as the message says." },
  references: {
    title: "Records that refer to others",
    fix: "The id is not one of this organization's, or of a record that no longer takes part. Read the list of them again.",
  },
  files: {
    title: "Files",
    fix: "Only imports find these. Correct the line of the file and import it again: what is stored already stays as it is.",
  },
  rest: { title: "Anything else", fix: "Compare the value with its schema in the reference." },
};

const TOPIC_OF = new Map<string, FaultTopic>(
  (Object.keys(FAULT_TOPICS) as FaultTopic[]).flatMap((topic) =>
    FAULT_TOPICS[topic].map((code: FaultCode) => [code, topic] as const),
  ),
);

/** What to do about a fault, by its code. */
export function adviceFor(code: string): string {
  return ABOUT_TOPICS[TOPIC_OF.get(code) ?? "rest"].fix;
}
