import { FAULT_TOPICS, type FaultTopic } from "../core/faults.ts";
import { ADDRESS_FAULTS, STAFF_REFUSALS } from "../core/refusals.ts";
import { describeError } from "../http/openapi-failures.ts";
import { PROBLEM_KINDS } from "../http/problem.ts";
import { DICTIONARIES } from "../languages/dictionaries.ts";
import { LANGUAGE_TAGS } from "../languages/dictionary.ts";
import type { ProblemKind } from "../languages/http-refusals.ts";
import { wordTemplate } from "../languages/wording.ts";
import { aboutPublicApi } from "./public-document.ts";

/**
 * The page `/docs/errors` as Markdown, where `type` of every problem leads: each `code` with its cause and what to do about
 * it, at an anchor of its own, in the words of the answers. The build of the documentation makes a page of it.
 */
export function errorsText(problemMembers: string): string {
  const about = aboutPublicApi("");
  const kinds = PROBLEM_KINDS.map((kind) => ({ kind, ...describeError(about, kind) })).sort(
    (one, other) => one.status - other.status,
  );
  const topics = (Object.keys(FAULT_TOPICS) as FaultTopic[]).filter((topic) => topic !== "rest");
  return [
    "# Errors",
    "Every failure is a problem document (`application/problem+json`). Programs decide by `code`; its `type` leads here. " +
      "`requestId` finds the request in the server's log.",
    "## code {#codes}",
    ...kinds.map(({ kind, status, title, when, fix }) =>
      entry("###", kind, kind, `${status} ${title}`, [when, fix]),
    ),
    "## errors[].code {#faults}",
    "What is wrong with one value of an [`invalid`](#invalid) request; `location` says which. New codes may come: treat one " +
      "that you do not know as `invalid`. Braces stand for members of `params`.",
    ...topics.flatMap((topic) => topicSections(topic)),
    "## reason {#reasons}",
    "Why the staff application refuses what is valid in itself, beside the `code`.",
    ...Object.entries(STAFF_REFUSALS).map(([reason, kind]) =>
      reasonSection(reason as keyof typeof STAFF_REFUSALS, kind),
    ),
    "## The problem document {#Problem}",
    problemMembers,
    "",
  ].join("\n\n");
}

/** Why faults are found, and what to do about them. Each fault's own sentence says what must hold. */
const ABOUT_TOPICS: Readonly<Record<FaultTopic, { title: string; fix: string }>> = {
  shape: {
    title: "Shape",
    fix: "The request is not built as the operation takes it. Compare it with the operation in the reference: names, types, and what is required.",
  },
  size: { title: "Size", fix: "A value is too short or long, too small or large. `params` has the bound." },
  form: {
    title: "Form",
    fix: "A text is not written as its kind of value is. Write it as the message shows.",
  },
  requests: {
    title: "Rules of requests",
    fix: "Values that are good by themselves do not go together, or not with an earlier request.",
  },
  clients: {
    title: "Rules of clients",
    fix: "The value has the right form and breaks a rule. Ask whoever entered it to correct it.",
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

function topicSections(topic: FaultTopic): string[] {
  const { title, fix } = ABOUT_TOPICS[topic];
  return [
    `### ${title} {#${topic}-faults}`,
    fix,
    ...FAULT_TOPICS[topic].map((code) => {
      const { params } = wordTemplate(DICTIONARIES.en.faults[code]);
      const sentences = LANGUAGE_TAGS.map((tag) => wordTemplate(DICTIONARIES[tag].faults[code]).words);
      return entry("####", code, code, params.map((name) => `{${name}}`).join(" "), inLanguages(sentences));
    }),
  ];
}

/** Some reasons are called as a fault is, so their anchors differ: `reason-pause_overlaps`. */
function reasonSection(reason: keyof typeof STAFF_REFUSALS, kind: ProblemKind): string {
  const sentences =
    reason === "address_refused"
      ? ADDRESS_FAULTS.map((why) => DICTIONARIES.en.details.address_refused({ why }))
      : inLanguages(LANGUAGE_TAGS.map((tag) => wordTemplate(DICTIONARIES[tag].details[reason]).words));
  return entry("###", `reason-${reason}`, reason, kind, sentences);
}

/** The same sentence in each language, English first. */
function inLanguages([english = "", ...others]: readonly string[]): string[] {
  return [
    english,
    LANGUAGE_TAGS.slice(1)
      .map((tag, at) => `${tag}: ${others[at]}`)
      .join(" · "),
  ];
}

function entry(
  level: string,
  id: string,
  code: string,
  beside: string,
  sentences: readonly string[],
): string {
  return [`${level} \`${code}\` ${beside} {#${id}}`, ...sentences.map(escapeMarkdown)].join("\n\n");
}

/** Sentences are text with code between backticks. */
function escapeMarkdown(text: string): string {
  return text.replace(/[<*_[\]]|`[^`]*`/g, (found) => (found.startsWith("`") ? found : `\\${found}`));
}
